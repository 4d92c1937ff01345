"""Frameworks: which part of the physical bound they reach, and how far off the bound has been."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from stowage.model.figure import Figure


@dataclass(frozen=True, slots=True)
class Framework:
    """A named efficiency profile.

    Parameters
    ----------
    name : str
    error : Figure
        Standard deviation of ln(actual time / predicted time) [1]; multiplies the whole time
        with median 1.
    """

    name: str
    error: Figure


IDEAL = Framework(
    name="ideal",
    error=Figure(
        quantity="framework.ideal.error",
        value=0.13,
        unit="1",
        source=(
            "Root mean square of ln(measured / equations) over the paper's three evaluations: "
            "888 against 1,010 s, 1,378 against 1,223 s, 2,981 against 2,588 s (sections 5.1 to 5.3)"
        ),
        kind="estimated",
        as_of=date(2015, 8, 27),
    ),
)

FRAMEWORKS: Mapping[str, Framework] = {framework.name: framework for framework in (IDEAL,)}
