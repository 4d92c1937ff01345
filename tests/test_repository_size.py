"""Size of the repository: it stays small, because it is cloned often; images are the largest files."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SCREENS = ROOT / "docs" / "screens"
MOST_PICTURES = 8
LARGEST_PICTURE_BYTES = 150_000
LARGEST_TREE_BYTES = 25_000_000


def tracked() -> list[Path]:
    """Return the files that belong to the repository, including those that are not committed yet."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],  # noqa: S607 - git from the path
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\0")
    return [ROOT / name for name in listed if name and (ROOT / name).is_file()]


def test_the_working_tree_is_small() -> None:
    sizes = {path: path.stat().st_size for path in tracked()}
    assert len(sizes) > 1_000
    assert sum(sizes.values()) < LARGEST_TREE_BYTES


def test_pictures_are_few_and_small_and_stand_in_a_document() -> None:
    pictures = [path for path in tracked() if path.suffix in {".png", ".jpg", ".gif", ".webp"}]
    assert 0 < len(pictures) <= MOST_PICTURES
    assert [path.name for path in pictures if path.stat().st_size > LARGEST_PICTURE_BYTES] == []
    shown = {
        (document.parent / name).resolve()
        for document in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))
        for name in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", document.read_text())
    }
    assert set(pictures) == shown
