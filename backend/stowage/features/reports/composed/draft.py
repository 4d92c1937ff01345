"""Drafts: the composed content of a report, before title, author and date are added."""

from dataclasses import dataclass

from stowage.features.reports.composed.options import Option
from stowage.model.report import Fact, Origin, Section


@dataclass(frozen=True, slots=True)
class Draft:
    """A report without title, author and date."""

    sentence: str
    origin: Origin
    sections: tuple[Section, ...]
    versions: tuple[Fact, ...]
    options: tuple[Option, ...] = ()
    """Options that can be deployed."""
