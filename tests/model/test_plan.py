"""Rows of a ranking: the key that distinguishes them, and ties of their costs."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge import AWS_2026
from stowage.model.cluster import Configuration, Ebs, InstanceStore, Layout, ObjectStore
from stowage.model.plan import Candidate, Points, layout_key, nine_digits, row_key

LAYOUTS: tuple[Layout, ...] = (
    Ebs("gp2", 100, 2),
    Ebs("gp2", 200, 2),
    Ebs("gp3", 100, 1),
    Ebs("gp3", 100, 1, 4_000),
    Ebs("gp3", 100, 1, 4_000, 500),
    InstanceStore(1, 3),
    InstanceStore(2, 2),
    ObjectStore(),
)


def test_layouts_are_ordered_by_kind_type_count_size_and_what_is_provisioned() -> None:
    mixed = [*LAYOUTS[1::2], *LAYOUTS[::2]]
    assert sorted(mixed, key=layout_key) == list(LAYOUTS)
    assert len({layout_key(layout) for layout in LAYOUTS}) == len(LAYOUTS)


def test_a_row_is_a_type_a_kind_of_storage_and_a_volume_type() -> None:
    rows = [row_key(Configuration("r5.xlarge", 3, layout)) for layout in LAYOUTS]
    assert rows == [
        *[("r5.xlarge", "ebs", "gp2")] * 2,
        *[("r5.xlarge", "ebs", "gp3")] * 3,
        *[("r5.xlarge", "instance-store", "")] * 2,
        ("r5.xlarge", "object-store", ""),
    ]


@given(usd=st.floats(1e-11, 1e29))
def test_costs_are_rounded_to_nine_digits_alone_and_in_arrays(usd: float) -> None:
    alone = float(nine_digits(usd))
    assert alone == pytest.approx(float(f"{usd:.8e}"), rel=1e-12)
    assert np.asarray(nine_digits(np.array([usd, 1.0])))[0] == alone


def test_costs_that_agree_in_nine_digits_tie() -> None:
    assert nine_digits(324.515300001) == nine_digits(324.5153)
    assert nine_digits(324.515301) != nine_digits(324.5153)


def test_volumes_without_a_promise_are_not_searched() -> None:
    left_out = {name for name, volume in AWS_2026.catalog.volume_types.items() if not volume.searched}
    assert left_out == {"standard"}


def test_the_frontier_weighs_the_cost_that_is_looked_for() -> None:
    one = Candidate(Configuration("a1.large", 3, InstanceStore(1, 1)), 60.0, 2.0)
    assert one.sought_usd == 2.0
    assert replace(one, month_usd=900.0).sought_usd == 900.0


def test_points_are_a_sequence_of_candidates_that_are_built_when_they_are_read() -> None:
    built: list[int] = []

    def candidates(counts: Iterable[int]) -> list[Candidate]:
        built.extend(counts)
        return [Candidate(Configuration("a1.large", nodes, ObjectStore()), 60.0 / nodes, 2.0) for nodes in counts]

    points = Points(range(1, 6), candidates)
    assert (len(points), built) == (5, [])
    assert [point.configuration.nodes for point in (points[0], points[-1])] == [1, 5]
    every_second = points[::2]
    assert (len(every_second), built) == (3, [1, 5])
    assert [point.configuration.nodes for point in every_second] == [1, 3, 5]
    assert points == [points[place] for place in range(5)]
    assert hash(points) == hash(points[:])
    assert points != points[:4]
    assert points != 5
