"""Results of every example and of damaged copies of it are those that are stored, to the last bit."""

import pytest

from mangled import originals
from soaking import everyday
from unchanged_results import ALL, EVERYDAY, STORED, digest

EXPECTED = {line.split()[0]: line.split()[1:] for line in STORED.read_text().splitlines()}


@pytest.mark.parametrize("part", everyday((0,), range(2), "fuzz"))
def test_no_reader_changes_what_it_finds(part: int) -> None:
    numbers = (range(EVERYDAY), range(EVERYDAY, ALL))[part]
    changed = [
        path for path, content in originals() if digest(path, content, numbers) != EXPECTED.get(path, ("", ""))[part]
    ]
    assert changed == [], "if that is meant: python tests/support/files/unchanged_results.py"
