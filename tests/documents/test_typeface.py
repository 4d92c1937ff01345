"""The optional typeface for Chinese, Japanese and Korean: without it no text disappears."""

import io
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pypdf
import pytest

from documents.sample import full_report
from stowage.cli.server.findings import programs
from stowage.documents import typeface
from stowage.documents.pdf import pdf
from stowage.documents.typeface import FONTS, legible, optional, typefaces
from stowage.settings import Settings

NIGHTLY = "Nächtlich 夜間データ"
CODES = "Nächtlich ‹U+591C›‹U+9593›‹U+30C7›‹U+30FC›‹U+30BF›"


@pytest.fixture
def looked_for_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Path], None]]:
    """Return a function that sets the folder in which the optional typeface is searched."""

    def look(folder: Path) -> None:
        monkeypatch.setattr(typeface, "PLACES", (folder,))
        typefaces.cache_clear()

    yield look
    monkeypatch.undo()
    typefaces.cache_clear()


def title_of(made: bytes) -> str:
    return "".join(pypdf.PdfReader(io.BytesIO(made)).pages[0].extract_text().split())


def doctor_says() -> tuple[str, str, str | None]:
    [found] = [finding for finding in programs(Settings()) if finding.item == "typefaces"]
    return found.state, found.words, found.remedy


def test_without_it_each_character_is_shown_as_its_code(looked_for_in: Callable[[Path], None], tmp_path: Path) -> None:
    looked_for_in(tmp_path)
    assert legible(NIGHTLY) == CODES
    made = pdf(replace(full_report(), title=NIGHTLY), None)
    assert CODES.replace(" ", "") in title_of(made)
    assert pdf(replace(full_report(), title=NIGHTLY), None) == made
    state, words, remedy = doctor_says()
    assert state == "note"
    assert "Chinese, Japanese and Korean" in words
    assert "fonts-droid-fallback" in str(remedy)


def test_another_file_of_its_name_is_not_taken(looked_for_in: Callable[[Path], None], tmp_path: Path) -> None:
    shutil.copy(FONTS / "DejaVuSans.ttf", tmp_path / typeface.OPTIONAL)
    looked_for_in(tmp_path)
    assert optional() is None
    assert list(typefaces()) == ["Source Sans 3", "DejaVu Sans"]


def test_what_this_machine_has_is_used_and_told() -> None:
    typefaces.cache_clear()
    installed = optional() is not None
    assert legible(NIGHTLY) == (NIGHTLY if installed else CODES)
    made = pdf(replace(full_report(), title=NIGHTLY), None)
    assert (NIGHTLY if installed else CODES).replace(" ", "") in title_of(made)
    assert (b"DroidSansFallback" in made) == installed
    assert doctor_says()[0] == ("ok" if installed else "note")


def test_a_report_without_such_characters_is_the_same_with_and_without_it(
    looked_for_in: Callable[[Path], None], tmp_path: Path
) -> None:
    typefaces.cache_clear()
    here = pdf(full_report(), None)
    looked_for_in(tmp_path)
    assert pdf(full_report(), None) == here
