"""Comparison of answers with those that were stored as columns, which have fewer digits and points."""

from typing import Any

import pytest

Json = dict[str, Any]

_POINTS = {"frontier", "curves"}


def check_rounded(stored: Json, exact: Json) -> None:
    """Check that a stored answer is an exact one, apart from digits and points that columns leave out.

    Raises
    ------
    AssertionError
    """
    ours, theirs = ({name: each[name] for name in each.keys() - _POINTS} for each in (stored, exact))
    _check(ours, theirs, "")
    _check_points(stored["frontier"], exact["frontier"], exact["frontier_size"])
    assert len(stored["curves"]) == len(exact["curves"])
    for curve, whole in zip(stored["curves"], exact["curves"], strict=True):
        assert curve["instance"] == whole["instance"]
        _check_points(curve["points"], whole["points"], len(whole["points"]))


def _check_points(stored: list[Json], exact: list[Json], size: int) -> None:
    """Check that the stored points have both ends of the exact ones, and are among them in their order.

    If the exact ones are themselves thinned from ``size`` points, only the ends are among both.
    """
    assert len(stored) <= len(exact)
    _check([*stored[:1], *stored[-1:]], [*exact[:1], *exact[-1:]], "ends")
    known = iter(exact)
    for point in stored if len(exact) == size else ():
        place, time_s = _place(point), pytest.approx(point["time_s"], rel=1e-8)
        _check(point, next(each for each in known if _place(each) == place and each["time_s"] == time_s), "point")


def _place(point: Json) -> list[Any]:
    return [point[name] for name in ("instance", "nodes", "storage", "purchase", "durability", "replicas")]


def _check(found: Any, expected: Any, path: str) -> None:
    if isinstance(expected, dict):
        assert found.keys() == expected.keys(), path
        for name, value in expected.items():
            _check(found[name], value, f"{path}.{name}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), path
        if path.endswith(".range_sources"):
            found, expected = (sorted(each, key=lambda source: source["name"]) for each in (found, expected))
        for number, value in enumerate(expected):
            _check(found[number], value, f"{path}.{number}")
    elif isinstance(expected, float):
        coarse = 5.1e-4 if ".utilization." in path else 5.1e-5 if ".range_sources." in path else 0.0
        assert found == pytest.approx(expected, rel=1e-8, abs=coarse), path
    else:
        assert found == expected, path
