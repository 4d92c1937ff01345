"""Parameters of which some run every day, and all others in a slice of `make soak`."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def everyday(kept: Collection[Any], every: Iterable[Any], its_slice: str) -> list[Any]:
    """Return every parameter; mark those that are not among the everyday ones for a slice of the soak."""
    every = list(every)
    unknown = [value for value in kept if value not in every]
    assert not unknown, f"{unknown} are no parameters"
    return [value if value in kept else pytest.param(value, marks=pytest.mark.soak(its_slice)) for value in every]


def half_and_number(number: int) -> str:
    """Return an identifier of a numbered test, by which two parts of a slice share them: `-k odd`, `-k 'not odd'`."""
    return f"{('even', 'odd')[number % 2]}-{number}"
