"""Reports as PDF: the same bytes on every machine, tagged, with all content of the report."""

import hashlib
import io
import subprocess
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pypdf
import pypdfium2  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from documents.sample import HOSTILE, amounts_of, frontier, full_report, hostile_report
from soaking import everyday
from stowage.documents.pdf import pdf, preview
from stowage.documents.setting import legible_part, settable
from stowage.documents.text import one_line, shown
from stowage.documents.typeface import FONTS, legible
from stowage.model.report import Amount, Chart, Column, Fact, Facts, Paragraph, Report, Row, Section, Table

PAGE = "https://stowage.example/reports/0b7d5a3e-2c51-4a68-9a5e-6a3b8f4f8d11"
A4 = (595, 842)


@pytest.fixture(scope="module")
def full() -> bytes:
    return pdf(full_report(), PAGE)


@pytest.fixture(scope="module")
def hostile() -> bytes:
    return pdf(hostile_report(), PAGE)


def flat(text: str) -> str:
    """Remove whitespace from a text, because a line may break anywhere."""
    return "".join(text.split())


def said(made: bytes) -> str:
    """Return all text that a reader extracts from a PDF, without whitespace."""
    return flat("".join(page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(made)))


def pages(made: bytes) -> list[str]:
    return [flat(page.get_textpage().get_text_range()) for page in pypdfium2.PdfDocument(made)]


def of_sections(*sections: Section) -> Report:
    return replace(full_report(), sections=sections)


def elements(made: bytes) -> Iterator[dict[str, Any]]:
    """Yield the elements of the structure tree that a screen reader uses, in reading order."""

    def below(part: Any) -> Iterator[dict[str, Any]]:
        part = part.get_object() if hasattr(part, "get_object") else part
        if isinstance(part, list):
            for each in part:
                yield from below(each)
        elif isinstance(part, dict):
            if "/S" in part:
                yield part
            if "/K" in part:
                yield from below(part["/K"])

    root: Any = pypdf.PdfReader(io.BytesIO(made)).trailer["/Root"]
    yield from below(root["/StructTreeRoot"])


def test_the_same_report_gives_the_same_bytes_in_another_process(full: bytes) -> None:
    program = (
        "import hashlib, sys; sys.path.insert(0, sys.argv[1]);"
        "from documents.sample import full_report; from stowage.documents.pdf import pdf, preview;"
        "report = full_report();"
        f"print(*(hashlib.sha256(made).hexdigest() for made in (pdf(report, {PAGE!r}), preview(report))))"
    )
    tests = str(Path(__file__).resolve().parents[1])
    # Another time zone, another language and another hash seed.
    elsewhere = {"TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "7", "HOME": "/nonexistent"}
    found = subprocess.run(
        [sys.executable, "-c", program, tests], env=elsewhere, check=True, capture_output=True, text=True
    ).stdout.split()
    assert found == [hashlib.sha256(made).hexdigest() for made in (full, preview(full_report()))]


def test_it_is_the_same_whichever_zone_its_moment_is_written_in(full: bytes) -> None:
    report = full_report()
    tokyo = replace(report, made_at=report.made_at.astimezone(timezone(timedelta(hours=9))))
    assert pdf(tokyo, PAGE) == full


def test_title_author_language_and_date_are_the_reports(full: bytes) -> None:
    found = pypdf.PdfReader(io.BytesIO(full))
    root: Any = found.trailer["/Root"]
    assert found.metadata is not None
    assert found.metadata.title == "Sorting 100 TB every night"
    assert found.metadata.author == "Ada Planner"
    assert found.metadata.creation_date == full_report().made_at
    assert root["/Lang"] == "en"
    assert root["/ViewerPreferences"]["/DisplayDocTitle"]
    assert root["/MarkInfo"]["/Marked"]
    assert b"<pdfuaid:part>1</pdfuaid:part>" in root["/Metadata"].get_data()


def test_a_screen_reader_finds_headings_tables_and_what_charts_show(full: bytes) -> None:
    found = list(elements(full))
    tags = Counter(element["/S"] for element in found)
    charts = [block for section in full_report().sections for block in section.blocks if isinstance(block, Chart)]
    assert tags["/Title"] == 1
    assert tags["/H1"] == len(full_report().sections)  # the summary has none; the report itself has one
    assert tags["/TH"] >= 20
    assert [element["/Alt"] for element in found if element["/S"] == "/Figure"] == [chart.caption for chart in charts]


def test_every_number_stands_in_it_in_its_words(full: bytes) -> None:
    text = said(full)
    missing = [
        words
        for amount in amounts_of(full_report())
        for words in (amount.words, amount.range_words)
        if words is not None and flat(words) not in text
    ]
    assert missing == []


def test_every_text_of_the_report_is_in_it(full: bytes) -> None:
    report = full_report()
    text = said(full)
    for words in (report.title, report.sentence, report.author, report.team, *report.words.splitlines()):
        assert flat(words) in text
    for section in report.sections[1:]:
        assert flat(section.heading) in text


def test_the_first_page_is_the_summary_and_says_where_the_details_are(full: bytes) -> None:
    first, second, *_ = pages(full)
    for words in ("16 min 50 s", "$342", "99%", "Options side by side", "The network's figure", "– Ada Planner"):
        assert flat(words) in first
    assert "Whereeveryfigure" not in first
    assert "Costbypart2" in first.split("Details:")[1]
    assert "Costbypart" in second


def test_words_that_are_too_long_for_the_first_page_stand_behind_it() -> None:
    long = "\n\n".join(["This is what I think of it, at some length, since it matters. " * 8] * 12)
    first, second, *_ = pages(pdf(replace(full_report(), words=long), None))
    assert "Optionssidebyside" in first
    assert flat("This is what I think") not in first
    assert flat("In the author\N{RIGHT SINGLE QUOTATION MARK}s words") in second


def test_pages_are_counted_named_and_none_is_blank(full: bytes) -> None:
    document = pypdfium2.PdfDocument(full)
    texts = pages(full)
    for number, (page, text) in enumerate(zip(document, texts, strict=True), 1):
        assert f"Page{number}of{len(texts)}" in text
        assert (round(page.get_width()), round(page.get_height())) == A4
        dark = np.asarray(page.render().to_numpy()).min(axis=2) < 128
        assert dark.mean() > 0.001
        # The margins are ignored.
        assert not dark[:, :40].any()
        assert not dark[:, -40:].any()


def test_sections_are_in_the_outline_and_the_address_is_a_link(full: bytes) -> None:
    found = pypdf.PdfReader(io.BytesIO(full))
    titles = [entry.title for entry in found.outline if not isinstance(entry, list)]
    assert titles == [*(section.heading for section in full_report().sections[1:]), "About this report"]
    links = [
        note.get_object()["/A"]["/URI"]
        for page in found.pages
        for note in page.get("/Annots", ())
        if "/A" in note.get_object() and "/URI" in note.get_object()["/A"]
    ]
    assert set(links) == {PAGE}


def test_a_long_table_goes_on_with_its_heads_on_the_next_page() -> None:
    columns = (Column("name", "What it is called"), Column("value", "What it comes to", numeric=True))
    rows = tuple(Row(f"{n}", (f"row {n}", Amount(n, "1", f"{n}"))) for n in range(150))
    texts = pages(pdf(of_sections(Section("s", "S", (Table("t", "All rows.", columns, rows),))), None))
    with_rows = [text for text in texts if "row" in text]
    assert len(with_rows) >= 3
    assert all("Whatitiscalled" in text for text in with_rows)
    assert f"row{149}149" in "".join(texts)


def test_a_word_that_stays_whole_does_not_run_into_the_next_column() -> None:
    columns = tuple(Column(f"c{place}", name) for place, name in enumerate(["Asked", *["x" * 150] * 3]))
    row = Row("limits.max_nodes", ("limits.max_nodes", "200", "200", "100"))
    table = Table("differences", "What the plans ask.", columns, (row, Row("n", ("name", *["w_" * 60] * 3))))
    made = pdf(of_sections(Section("s", "S", (table,))), None)
    page = pypdfium2.PdfDocument(made)[0].get_textpage()
    boxes = []
    for text in ("limits.max_nodes", "200"):
        found = page.search(text).get_next()
        assert found is not None
        boxes.append([page.get_charbox(place) for place in range(found[0], sum(found))])
    left, right = boxes
    assert max(box[2] for box in left) < min(box[0] for box in right)


def _fonts(page: Any) -> Iterator[Any]:
    yield from page["/Resources"]["/Font"].values()


def test_charts_are_vectors_in_our_typeface(full: bytes) -> None:
    for page in pypdfium2.PdfDocument(full):
        assert list(page.get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_IMAGE], max_depth=9)) == []
    fonts = {
        str(font.get_object()["/BaseFont"]).partition("+")[2].removesuffix("-Identity-H")
        for page in pypdf.PdfReader(io.BytesIO(full)).pages
        for font in _fonts(page)
    }
    assert fonts == {"SourceSans3-Regular", "SourceSans3-Semibold"}
    assert flat("deadline 30 min") in said(full)


@pytest.mark.parametrize(
    "name", everyday(HOSTILE.keys() - {"plus", "minus", "at", "return", "template"}, HOSTILE, "tools")
)
def test_a_hostile_text_is_shown_wherever_it_stands(name: str) -> None:
    text = HOSTILE[name]
    chart = frontier().blocks[0]
    assert isinstance(chart, Chart)
    labelled = replace(
        chart,
        title=text,
        caption=text,
        x=replace(chart.x, label=text),
        series=tuple(replace(series, name=text) for series in chart.series),
        limits=tuple(replace(limit, words=text) for limit in chart.limits),
    )
    table = Table("t", text, (Column("a", text), Column("b", text, numeric=True)), (Row("r", (text, text)),))
    fact = Fact("f", text, Amount(1.0, "1", text, range_words=text))
    blocks = (Paragraph(text), Facts((fact,), headline=True), Facts((fact,)), table, labelled)
    report = replace(of_sections(Section("s", text, blocks)), title=text, sentence=text, words=text, author=text)
    found = said(pdf(report, PAGE))
    expected = flat(legible(shown(text)))
    # Long tables continue on further pages with their headers; a PDF reader reorders Hebrew by itself.
    whole = len(expected) < 300 and not any(unicodedata.bidirectional(letter) == "R" for letter in expected)
    assert expected in found if whole else Counter(expected) <= Counter(found)


def test_a_report_full_of_hostile_texts_stays_within_its_pages(hostile: bytes) -> None:
    for page in pypdfium2.PdfDocument(hostile):
        dark = np.asarray(page.render(scale=0.5).to_numpy()).min(axis=2) < 128
        assert not dark[:, -14:].any()
    tags = Counter(element["/S"] for element in elements(hostile))
    assert tags["/Figure"] == 6
    assert "/JavaScript" not in str(pypdf.PdfReader(io.BytesIO(hostile)).trailer["/Root"])


@settings(max_examples=8)
@given(st.lists(st.text(min_size=1, max_size=60), min_size=20, max_size=60))
def test_any_text_can_be_set(texts: list[str]) -> None:
    chart = frontier().blocks[0]
    assert isinstance(chart, Chart)
    spoiled = replace(chart, x=replace(chart.x, label=texts[0]), limits=(replace(chart.limits[0], words=texts[1]),))
    made = pdf(of_sections(Section("s", "S", (*map(Paragraph, texts), spoiled))), None)
    found = said(made)
    assert made.startswith(b"%PDF-1.7")
    assert all(flat(legible(shown(text))) in found for text in texts if text.isascii())


@given(st.text())
def test_what_is_shown_can_stand_anywhere_and_stays_as_it_is(text: str) -> None:
    once = shown(text)
    assert shown(once) == once
    assert one_line(once) == one_line(text)
    assert "\n" not in one_line(text)
    assert once.encode().decode() == once
    assert not any(ord(character) < 32 and character != "\n" for character in once)


def test_half_characters_and_what_xml_refuses_are_replaced() -> None:
    assert shown("a\ud800b\ufffec\U0001ffffd") == "a\ufffdb\ufffdc\ufffdd"
    assert shown("بی\u200cتو") == "بی\u200cتو"  # between Persian letters it is part of the spelling
    assert shown("ab\u200ccd") == "abcd"


def test_a_report_without_anything_to_say_is_a_page_all_the_same() -> None:
    empty = replace(full_report(), title="", sentence="", words="", author="", team="", versions=())
    made = pdf(replace(empty, sections=(Section("s", "", ()),)), None)
    assert pypdf.PdfReader(io.BytesIO(made)).metadata.title == "Report"  # type: ignore[union-attr]


def test_the_picture_for_chats_is_1200_by_630() -> None:
    for report in (full_report(), hostile_report()):
        made = preview(report)
        assert made[:8] == b"\x89PNG\r\n\x1a\n"
        assert (int.from_bytes(made[16:20]), int.from_bytes(made[20:24])) == (1200, 630)
        assert len(made) > 10_000


def test_no_number_is_formatted_again() -> None:
    """A document contains an amount's text and not its unrounded value."""
    given_values = str(settable(of_sections(full_report().sections[0]), None))
    assert "342.04" not in given_values
    assert "$342" in given_values


def test_a_part_keeps_what_is_no_text() -> None:
    section = full_report().sections[1]
    assert legible_part(section) == section


def test_the_typefaces_say_whose_they_are() -> None:
    licences = (FONTS / "LICENSES.txt").read_text(encoding="utf-8")
    assert all(path.stem.partition("-")[0] in licences for path in FONTS.iterdir() if path.suffix in {".otf", ".ttf"})
