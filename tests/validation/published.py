"""The validation of the packaged data, computed once, and a way to change the published data."""

from dataclasses import replace
from functools import lru_cache

from knowledge import PAPER
from stowage.validation.case import Case
from stowage.validation.comparison import Validation, validate
from stowage.validation.inputs import PublishedInputs
from stowage.validation.sources import Sources, packaged

GROUND = PublishedInputs(packaged(), PAPER.catalog, PAPER.profiles)


@lru_cache
def validated() -> Validation:
    return validate(PAPER.catalog, PAPER.profiles)


def cases() -> dict[str, Case]:
    return {case.published.id: case for case in validated().cases}


def case_of(name: str) -> Case:
    return cases()[name]


def predicted_of(validation: Validation) -> dict[str, float]:
    return {case.published.id: case.predicted.value for case in validation.cases if case.predicted is not None}


def with_actuals(changes: dict[str, float]) -> Sources:
    """Return the packaged sources with other numbers."""
    sources = packaged()
    changed = tuple(replace(case, actual=changes.get(case.id, case.actual)) for case in sources.cases)
    return replace(sources, cases=changed)
