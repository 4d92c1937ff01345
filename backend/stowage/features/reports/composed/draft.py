"""Drafts: the composed content of a report, before title, author and date are added."""

from stowage.features.reports.composed.options import Option
from stowage.frozen import frozen
from stowage.model.report import Fact, Origin, Section


@frozen
class Draft:
    """A report without title, author and date."""

    sentence: str
    origin: Origin
    sections: tuple[Section, ...]
    versions: tuple[Fact, ...]
    options: tuple[Option, ...] = ()
    """Options that can be deployed."""
    price_terms: str | None = None
    """Discounts that the costs include, in a few words; None for published prices."""
