"""Declaration of frozen dataclasses with slots, which is what records of Stowage are."""

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

_T = TypeVar("_T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[_T]) -> type[_T]:
    """Return a class as a frozen dataclass with slots, for use as a decorator.

    Examples
    --------
    >>> @frozen
    ... class Rate:
    ...     mb_per_s: float
    >>> Rate(250.0)
    Rate(mb_per_s=250.0)
    """
    return dataclass(frozen=True, slots=True)(cls)
