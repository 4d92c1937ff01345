"""Language of the code: the counts of forbidden words do not grow, and the checker finds them."""

from pathlib import Path

import pytest

import language

SOURCE = ("backend", "worker", "scripts", "bench", "frontend/src")
MOST = {
    SOURCE: {"first word": 5, "begins with What": 5, "riddle": 20, "listed field": 0},
    ("tests",): {"first word": 0, "begins with What": 0, "riddle": 8, "listed field": 0},
}
"""Places that may remain, by folders: stored or quoted names, and examples of what is forbidden."""


@pytest.mark.parametrize("folders", MOST, ids=" ".join)
def test_few_docstrings_and_words_hide_what_is_meant(folders: tuple[str, ...]) -> None:
    places = [found for path in language.sources(folders) for found in language.found_in(path)]
    for rule, most in MOST[folders].items():
        of_rule = [f"{found.path.name}:{found.line}: {found.text}" for found in places if found.rule == rule]
        assert len(of_rule) <= most, of_rule[:20]


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ('def f():\n    """Give the rate."""', ["first word"]),
        ('def f():\n    """Return what whoever asks may see."""', ["riddle"]),
        ('class A:\n    """What is measured."""', ["begins with What"]),
        ('"""What a run costs."""', ["begins with What"]),
        (
            '@dataclass\nclass A:\n    """A rate.\n\n    Parameters\n    ----------\n    b : int\n    """',
            ["listed field"],
        ),
        ('def f():\n    """Return the rate."""', []),
        ('class A:\n    """A rate."""', []),
        ('def f():\n    """Given rates, compute a mean."""', []),
    ],
)
def test_a_docstring_is_judged_by_its_words(tmp_path: Path, text: str, rules: list[str]) -> None:
    path = tmp_path / "module.py"
    path.write_text(text)
    assert [found.rule for found in language.found_in(path)] == rules
