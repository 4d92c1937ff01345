"""The burst balance that the model expects, compared with AWS' published figures and a simulation by the second."""

import itertools
import math
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stowage.model.hardware.resource import Line, Resource
from stowage.model.hardware.volume import Volume, lines, performance
from stowage.model.hardware.volume_limits import volume_limits
from stowage.model.infeasible import Infeasible
from stowage.model.jobs.flows import Role
from stowage.model.sizes import MB_PER_MIB
from stowage.optimizer.volume_balance import expected_balance, has_bucket


class Traffic(NamedTuple):
    """I/O of a volume during one time step."""

    mb: float
    ios: float


IDLE = Traffic(0.0, 0.0)


def volume(name: str, size_gib: float) -> Volume:
    limits = volume_limits(name, date(2026, 11, 21))
    assert not isinstance(limits, Infeasible)
    return Volume(limits, size_gib)


def balance(
    of: Volume, step_s: float, traffic: Sequence[Traffic | None], measured: Sequence[float | None]
) -> list[float | None]:
    """Return the expected balance; None stands for what is unknown."""
    moved = np.array([each or (math.nan, math.nan) for each in traffic])
    shares = np.array([math.nan if share is None else share for share in measured])
    found = expected_balance(of, step_s, moved[:, 0], moved[:, 1], shares)
    return [None if math.isnan(share) else share for share in found.tolist()]


def second_by_second(of: Volume, step_s: int, traffic: list[Traffic], level: float) -> list[float]:
    """Simulate a bucket by AWS' rule: constant inflow per second, outflow by load, never above full."""
    reached = performance(of)
    if reached.io_credits is not None:
        full, earns, moved = float(reached.io_credits), float(reached.baseline_iops), [each.ios for each in traffic]
    else:
        assert reached.credit_mib is not None
        full, earns = float(reached.credit_mib), float(reached.baseline_mib_per_s)
        moved = [each.mb / MB_PER_MIB for each in traffic]
    credit, ends = level * full, []
    for load in moved:
        for _ in range(step_s):
            credit = max(0.0, min(full, credit + earns - load / step_s))
        ends.append(credit / full)
    return ends


def test_a_gp2_volume_of_100_gib_bursts_for_2000_s_and_fills_in_five_hours() -> None:
    # EBS user guide, General Purpose SSD volumes, 2026: 5.4 million credits, 3,000 IOPS, 3 IOPS per GiB.
    busy = [Traffic(0.0, 3000.0 * 60)] * 40
    drained = balance(volume("gp2", 100), 60.0, busy, [None] * 40)
    assert drained[0] == pytest.approx(1 - 60 / 2000 / 2)
    assert [share for share in drained if share is not None and share > 0.0] == list(drained[:34])
    filled = balance(volume("gp2", 100), 60.0, [IDLE] * 301, [0.0, *[None] * 300])
    assert filled[-1] == 1.0
    assert filled[298] is not None
    assert filled[298] < 1.0


@pytest.mark.parametrize(("name", "size_gib", "mib_per_s"), [("st1", 1024, 40.0), ("sc1", 1024, 12.0)])
def test_a_disk_that_moves_its_baseline_keeps_its_balance(name: str, size_gib: float, mib_per_s: float) -> None:
    steady = [Traffic(mib_per_s * MB_PER_MIB * 300, 40.0 * 300)] * 50
    kept = balance(volume(name, size_gib), 300.0, steady, [0.6, *[None] * 49])
    assert kept == pytest.approx([0.6] * 50)


@given(
    named=st.sampled_from([("gp2", 100), ("gp2", 500), ("st1", 2048), ("sc1", 4096)]),
    shares=st.lists(st.floats(0.0, 1.0), min_size=1, max_size=20),
    level=st.floats(0.0, 1.0),
)
def test_it_is_what_a_bucket_does_second_by_second(named: tuple[str, int], shares: list[float], level: float) -> None:
    of, step_s = volume(*named), 60
    reached = performance(of)
    traffic = [
        Traffic(
            share * float(reached.burst_mib_per_s) * MB_PER_MIB * step_s, share * float(reached.burst_iops) * step_s
        )
        for share in shares
    ]
    found = balance(of, float(step_s), traffic, [level, *[None] * (len(traffic) - 1)])
    ends = second_by_second(of, step_s, traffic, level)
    means = [(before + after) / 2 for before, after in itertools.pairwise([level, *ends])]
    # Within the flow of one second: the bucket may fill or empty within a step.
    assert found == pytest.approx(means, abs=1e-3)


@given(
    ios=st.lists(st.floats(0.0, 1e6), min_size=1, max_size=50),
    level=st.floats(0.0, 1.0),
    named=st.sampled_from([("gp2", 100), ("st1", 2048)]),
)
def test_it_is_the_bucket_of_predictions_to_the_last_bit(
    ios: list[float], level: float, named: tuple[str, int]
) -> None:
    of = volume(*named)
    [line] = [each for each in lines(of) if float(each.full) > 0.0]
    full, share, expected = float(line.full), level, []
    for load in ios:
        bucket = Resource("volume", (Line(line.rate, {Role.INPUT_READ: 1.0}, share * full, full),))
        after = float(bucket.after({Role.INPUT_READ: load}, 60.0).lines[0].credit) / full
        expected.append((share + after) / 2.0)
        share = after
    assert balance(of, 60.0, [Traffic(load, load) for load in ios], [level, *[None] * (len(ios) - 1)]) == expected


def test_after_unknown_traffic_it_restarts_at_the_balance_of_cloudwatch() -> None:
    of = volume("gp2", 100)
    traffic = [IDLE, None, IDLE, IDLE, None, IDLE]
    found = balance(of, 60.0, traffic, [0.5, None, None, 0.25, None, None])
    assert found[0] == pytest.approx(0.5 + 60 * 300 / 5.4e6 / 2)
    assert found[1] is found[2] is found[4] is found[5] is None
    assert found[3] == pytest.approx(0.25 + 60 * 300 / 5.4e6 / 2)


@pytest.mark.parametrize(
    ("name", "size_gib", "lives_on_credit"),
    [
        ("gp2", 999, True),
        ("gp2", 1000, False),
        ("gp3", 500, False),
        ("st1", 12_000, True),
        ("st1", 12_800, False),
        ("io2", 100, False),
    ],
)
def test_what_lives_on_burst_credit(name: str, size_gib: float, lives_on_credit: bool) -> None:  # noqa: FBT001 - a table
    limits = volume_limits(name, date(2026, 11, 21))
    assert not isinstance(limits, Infeasible)
    assert has_bucket(Volume(limits, size_gib, 1000.0 if name == "io2" else None)) is lives_on_credit
