"""PDF of a report, tagged for screen readers (PDF/UA-1), and its link preview as PNG.

The same report gives the same bytes: templates and typefaces ship with the package, and the document has the date of
the report (decision 0029).
"""

import json
from functools import cache
from pathlib import Path

import typst

from stowage.documents.setting import glance, settable
from stowage.documents.typeface import typefaces
from stowage.model.report import Report

_TEMPLATES = Path(__file__).with_name("typesetting")


def pdf(report: Report, page: str | None, approval: str | None = None) -> bytes:
    """Build the PDF of a report: a summary page, then the details.

    Parameters
    ----------
    report : Report
        Its texts are never interpreted as markup.
    page : str or None
        Address of the report, to which the PDF links; None for no link.
    approval : str or None
        Approval of the report in words, with name and date.
    """
    inputs = {"given": json.dumps(settable(report, page, approval))}
    made = typst.compile(
        str(_TEMPLATES / "report.typ"),
        root=str(_TEMPLATES),
        font_paths=_fonts(),
        sys_inputs=inputs,
        format="pdf",
        pdf_standards="ua-1",
        timestamp=0,
    )
    _forget()
    return _one(made)


def preview(report: Report) -> bytes:
    """Build the link preview of a report: title, summary sentence, team and date as a PNG of 1,200 x 630 px."""
    inputs = {"given": json.dumps(glance(report))}
    template = str(_TEMPLATES / "preview.typ")
    made = typst.compile(template, root=str(_TEMPLATES), font_paths=_fonts(), sys_inputs=inputs, format="png", ppi=72.0)
    return _one(made)


def _one(made: bytes | list[bytes] | None) -> bytes:
    """Return the only file that the typesetter made: a PDF, or the image of a page."""
    if not isinstance(made, bytes):
        raise TypeError("the template has more than one page")
    return made


def _forget() -> None:
    """Make the typesetter drop the cached parts of a report, some 30 MiB, which no other report can use.

    The typesetter drops cache entries that the last ten documents did not use, so eleven empty documents are typeset,
    each in less than a millisecond.
    """
    for _ in range(11):
        typst.compile(b"", font_paths=_fonts(), format="svg")


def _fonts() -> typst.Fonts:
    """Return the typefaces that ship with the package, and no others: system fonts differ between machines."""
    return _opened(tuple(sorted({str(path.parent) for path in typefaces().values()})))


@cache
def _opened(folders: tuple[str, ...]) -> typst.Fonts:
    return typst.Fonts(include_system_fonts=False, include_embedded_fonts=False, font_paths=list(folders))
