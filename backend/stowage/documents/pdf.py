"""A report as PDF, tagged for screen readers (PDF/UA-1), and as the picture that a chat shows of it.

The same report gives the same bytes: the templates and typefaces travel with us, and the document's date is the
report's (decision 0029).
"""

import json
from functools import cache
from pathlib import Path

import typst

from stowage.documents.setting import glance, settable
from stowage.documents.typeface import typefaces
from stowage.model.report import Report

_TEMPLATES = Path(__file__).with_name("typesetting")


def pdf(report: Report, page: str | None) -> bytes:
    """Set a report: a page that sums it up, then the details.

    Parameters
    ----------
    report : Report
        Its texts may be anything: none of them is read as markup.
    page : str or None
        Address at which it is read, for the link.
    """
    inputs = {"given": json.dumps(settable(report, page))}
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
    """Draw title, sentence and team as a PNG of 1,200 x 630 px."""
    inputs = {"given": json.dumps(glance(report))}
    template = str(_TEMPLATES / "preview.typ")
    made = typst.compile(template, root=str(_TEMPLATES), font_paths=_fonts(), sys_inputs=inputs, format="png", ppi=72.0)
    return _one(made)


def _one(made: bytes | list[bytes] | None) -> bytes:
    """Take the one file that was made: a PDF, or the picture of a page."""
    if not isinstance(made, bytes):
        raise TypeError("the template has more than one page")
    return made


def _forget() -> None:
    """Let the typesetter drop what it keeps of a report, some 30 MiB: no other one says the same.

    It drops what was of no use to the last ten documents; an empty one takes it less than a millisecond.
    """
    for _ in range(11):
        typst.compile(b"", font_paths=_fonts(), format="svg")


def _fonts() -> typst.Fonts:
    """Open the typefaces that we know, and no others: the system's differ from machine to machine."""
    return _opened(tuple(sorted({str(path.parent) for path in typefaces().values()})))


@cache
def _opened(folders: tuple[str, ...]) -> typst.Fonts:
    return typst.Fonts(include_system_fonts=False, include_embedded_fonts=False, font_paths=list(folders))
