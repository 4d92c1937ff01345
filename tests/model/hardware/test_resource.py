"""Resources with credits: the closed form against an event-driven simulation."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stowage.model.hardware.resource import Line, Resource, trace
from stowage.model.jobs.flows import Role
from stowage.model.units import Quantity

READ, WRITE = Role.INPUT_READ, Role.OUTPUT_WRITE
ROUNDING = 1e-9

Flows = dict[Role, float]

weights = st.dictionaries(st.sampled_from([READ, WRITE]), st.just(1.0) | st.floats(0.1, 8.0))
flows = st.fixed_dictionaries({READ: st.floats(1.0, 1e4), WRITE: st.just(0.0) | st.floats(1.0, 1e4)})


@st.composite
def lines(draw: st.DrawFn) -> Line:
    full = draw(st.just(0.0) | st.floats(1.0, 1e5))
    return Line(draw(st.floats(1.0, 1e3)), draw(weights), full * draw(st.floats(0.0, 1.0)), full)


resources = st.lists(lines(), min_size=1, max_size=4).map(lambda every: Resource("volume", tuple(every)))
nodes = st.lists(resources, min_size=1, max_size=3)


def load(line: Line, moved_mb: Flows) -> float:
    return sum(float(line.weights.get(role, 0.0)) * moved for role, moved in moved_mb.items())


@dataclass
class Bucket:
    """State of a resource over time."""

    rate: float
    load: float
    full: float
    credit: float


@dataclass(frozen=True)
class Moment:
    time_s: float
    done: float
    credits: tuple[float, ...]


def simulate(every: Sequence[Line], moved_mb: Flows, lasts_s: float | None = None) -> list[Moment]:
    """Advance a phase to the next bucket that is empty or full, or to its end."""
    buckets = [Bucket(float(b.rate), load(b, moved_mb), float(b.full), float(b.credit)) for b in every]
    weighing = [bucket for bucket in buckets if bucket.load > 0.0]
    time_s, done = 0.0, 0.0 if weighing else 1.0
    while done < 1.0 and all(bucket.credit > 0.0 for bucket in weighing):
        share = min(1.0 - done, *(bucket.credit / bucket.load for bucket in weighing), 1.0)
        for bucket in weighing:
            spent = bucket.load * share
            bucket.credit = 0.0 if bucket.credit / bucket.load <= share else bucket.credit - spent
        done += share
    moments = [Moment(time_s, done, tuple(bucket.credit for bucket in buckets))]
    for _ in range(1000):
        if done >= 1.0 - 1e-13:
            break
        speed = min(bucket.rate / bucket.load for bucket in weighing if bucket.credit <= 0.0)
        gains = [bucket.rate - bucket.load * speed for bucket in buckets]
        gains = [0.0 if abs(gain) < 1e-12 * bucket.rate else gain for gain, bucket in zip(gains, buckets, strict=True)]
        steps = [(1.0 - done) / speed]
        steps += [bucket.credit / -gain for gain, bucket in zip(gains, buckets, strict=True) if gain < 0.0]
        steps += [
            (bucket.full - bucket.credit) / gain
            for gain, bucket in zip(gains, buckets, strict=True)
            if gain > 0.0 and bucket.credit < bucket.full
        ]
        step_s = min(steps)
        for gain, bucket in zip(gains, buckets, strict=True):
            if gain < 0.0:
                bucket.credit = 0.0 if bucket.credit / -gain <= step_s else bucket.credit + gain * step_s
            elif gain > 0.0:
                fills = bucket.credit >= bucket.full or (bucket.full - bucket.credit) / gain <= step_s
                bucket.credit = bucket.full if fills else bucket.credit + gain * step_s
        time_s, done = time_s + step_s, done + speed * step_s
        moments.append(Moment(time_s, done, tuple(bucket.credit for bucket in buckets)))
    else:
        raise AssertionError("the simulation does not end")
    if lasts_s is not None:
        rest_s = lasts_s - time_s
        waited = tuple(min(b.full, b.credit + b.rate * rest_s) for b in buckets)
        moments.append(Moment(lasts_s, 1.0, waited))
    return moments


def lines_of(node: Sequence[Resource]) -> list[Line]:
    return [line for resource in node for line in resource.lines]


def longest_s(node: Sequence[Resource], moved_mb: Flows) -> float:
    return max(float(resource.time_s(moved_mb)) for resource in node)


def tolerance(line: Line, moved_mb: Flows) -> float:
    return ROUNDING * (float(line.full) + load(line, moved_mb) + 1.0)


@given(node=nodes, phases=st.lists(flows, min_size=1, max_size=4), wait_s=st.floats(0.0, 1e3))
@settings(max_examples=50)
def test_closed_form_is_the_simulation_through_several_phases(
    node: list[Resource], phases: list[Flows], wait_s: float
) -> None:
    simulated = lines_of(node)
    for moved_mb in phases:
        time_s = longest_s(node, moved_mb)
        end = simulate(simulated, moved_mb)[-1]
        assert time_s == pytest.approx(end.time_s, rel=ROUNDING, abs=ROUNDING)
        node = [resource.after(moved_mb, time_s) for resource in node]
        for line, credit in zip(lines_of(node), end.credits, strict=True):
            assert line.credit == pytest.approx(credit, rel=ROUNDING, abs=tolerance(line, moved_mb))
            assert 0.0 <= line.credit <= line.full
        # The balance of the closed form is carried over, so that rounding does not add up between the two.
        node = [resource.after({}, wait_s) for resource in node]
        waited = simulate([replace(b, credit=c) for b, c in zip(simulated, end.credits, strict=True)], {}, wait_s)[-1]
        for line, credit in zip(lines_of(node), waited.credits, strict=True):
            assert line.credit == pytest.approx(credit, rel=ROUNDING, abs=tolerance(line, moved_mb))
        simulated = lines_of(node)


@given(node=nodes, moved_mb=flows)
@settings(max_examples=50)
def test_trace_goes_through_every_event_of_the_simulation(node: list[Resource], moved_mb: Flows) -> None:
    course = trace(node, moved_mb)
    with_credit = [line for line in lines_of(node) if line.full > 0.0]
    for moment in simulate(lines_of(node), moved_mb):
        done = np.interp(moment.time_s, course.times_s, course.done)
        assert done == pytest.approx(moment.done, abs=1e-8)
        buckets = [c for line, c in zip(lines_of(node), moment.credits, strict=True) if line.full > 0.0]
        for line, credit, traced in zip(with_credit, buckets, course.credits, strict=True):
            found = np.interp(moment.time_s, course.times_s, traced.credit)
            assert found == pytest.approx(credit, rel=1e-8, abs=10.0 * tolerance(line, moved_mb))


@given(node=nodes, moved_mb=flows)
def test_trace_ends_at_the_time_and_at_the_credits_of_the_closed_form(node: list[Resource], moved_mb: Flows) -> None:
    course = trace(node, moved_mb)
    assert (course.times_s[0], course.times_s[-1]) == (0.0, longest_s(node, moved_mb))
    assert course.done[-1] == 1.0
    assert list(course.times_s) == sorted(set(course.times_s))
    assert list(course.done) == sorted(course.done)
    left = [line for resource in node for line in resource.after(moved_mb, course.times_s[-1]).lines if line.full > 0.0]
    assert [traced.credit[-1] for traced in course.credits] == [line.credit for line in left]
    for traced in course.credits:
        assert all(0.0 <= credit <= traced.full for credit in traced.credit)
        assert len(traced.credit) == len(course.times_s)
    lengths_s = np.diff(course.times_s)
    for role, rates in course.rates_mb_per_s.items():
        at_once_mb = course.done[0] * moved_mb[role]
        assert at_once_mb + np.dot(rates, lengths_s) == pytest.approx(moved_mb[role], rel=1e-8, abs=1e-8)
        # Assumption of the closed form: the rate never rises.
        assert all(later <= earlier for earlier, later in pairwise(rates))
    assert len(course.bottlenecks) == len(course.times_s) - 1


def test_trace_names_what_limits_when() -> None:
    """A disk of 250 MB/s, a bucket that lasts 10 s, and a link that never limits."""
    reads = {READ: 1.0}
    node = [
        Resource("link", (Line(1000.0, reads),)),
        Resource("disk", (Line(250.0, reads),)),
        Resource("volume", (Line(50.0, reads, credit=2000.0, full=4000.0),)),
        Resource("other volume", (Line(100.0, {WRITE: 1.0}, credit=0.0, full=1500.0),)),
    ]
    course = trace(node, {READ: 3500.0})
    assert course.times_s == (0.0, 10.0, 15.0, 30.0)
    assert course.bottlenecks == ("disk", "volume", "volume")
    assert course.rates_mb_per_s[READ] == pytest.approx((250.0, 50.0, 50.0))
    volume, other = course.credits
    assert (volume.resource, volume.line, volume.full) == ("volume", 0, 4000.0)
    assert volume.credit == pytest.approx((2000.0, 0.0, 0.0, 0.0), abs=1e-9)
    assert other.credit == pytest.approx((0.0, 1000.0, 1500.0, 1500.0))


def test_a_phase_that_moves_nothing_is_over_at_once() -> None:
    disk = Resource("disk", (Line(200.0, {READ: 1.0}),))
    assert disk.time_s({WRITE: 1e9}) == 0.0
    assert trace([disk], {WRITE: 1e9}).times_s == (0.0,)
    assert trace([], {}).done == (1.0,)


def test_what_credit_lets_through_at_once_takes_no_time() -> None:
    """A page cache of 500 MB in front of a disk of 100 MB/s."""
    cache = Resource("page cache", (Line(100.0, {WRITE: 1.0}, credit=500.0, full=500.0),))
    assert cache.time_s({WRITE: 400.0}) == 0.0
    assert trace([cache], {WRITE: 400.0}).credits[0].credit == (100.0,)
    course = trace([cache], {WRITE: 1500.0})
    assert (course.times_s, course.done[1]) == ((0.0, 10.0), 1.0)
    assert course.done[0] == pytest.approx(1 / 3)


@given(resource=resources, moved_mb=flows, more=st.floats(1.0, 100.0))
def test_more_rate_is_never_slower(resource: Resource, moved_mb: Flows, more: float) -> None:
    for index, line in enumerate(resource.lines):
        faster = replace(line, rate=line.rate * more)
        changed = Resource("volume", (*resource.lines[:index], faster, *resource.lines[index + 1 :]))
        assert changed.time_s(moved_mb) <= resource.time_s(moved_mb)


@given(resource=resources, moved_mb=flows, more=st.floats(1.0, 100.0))
def test_more_data_is_never_faster(resource: Resource, moved_mb: Flows, more: float) -> None:
    assert resource.time_s({role: data * more for role, data in moved_mb.items()}) >= resource.time_s(moved_mb)


@given(resource=resources, phases=st.lists(flows, min_size=1, max_size=3), more=st.floats(0.0, 1.0))
def test_more_credit_is_never_slower_in_any_phase(resource: Resource, phases: list[Flows], more: float) -> None:
    richer = Resource(
        "volume", tuple(replace(line, credit=line.credit + more * (line.full - line.credit)) for line in resource.lines)
    )
    total_s = richer_s = 0.0
    for moved_mb in phases:
        time_s, sooner_s = float(resource.time_s(moved_mb)), float(richer.time_s(moved_mb))
        total_s, richer_s = total_s + time_s, richer_s + sooner_s
        resource, richer = resource.after(moved_mb, time_s), richer.after(moved_mb, sooner_s)
        assert richer_s <= total_s * (1.0 + ROUNDING) + ROUNDING


@given(resource=resources, moved_mb=flows, factor=st.floats(1.0, 10.0))
def test_lost_time_spends_no_credit(resource: Resource, moved_mb: Flows, factor: float) -> None:
    slowed = resource.slowed(factor)
    for before, line in zip(resource.lines, slowed.lines, strict=True):
        assert line.rate == (before.rate if before.full > 0.0 else before.rate / factor)
        assert (line.credit, line.full, line.weights) == (before.credit, before.full, before.weights)
    assert slowed.time_s(moved_mb) >= resource.time_s(moved_mb)


@given(
    configurations=st.lists(
        st.tuples(
            *(st.floats(1.0, 1e3),) * 2, st.floats(0.1, 8.0), st.just(0.0) | st.floats(1.0, 1e5), st.floats(0, 1)
        ),
        min_size=1,
        max_size=8,
    ),
    data=st.lists(st.floats(1.0, 1e4), min_size=8, max_size=8),
    factor=st.floats(0.5, 5.0),
)
def test_arrays_give_what_each_configuration_gives_alone_to_the_last_bit(
    configurations: list[tuple[float, ...]], data: list[float], factor: float
) -> None:
    def node(*values: Quantity) -> Resource:
        peak, base, weight, full, level = values
        peaks, bucket = {READ: 1.0, WRITE: weight}, {READ: weight}
        plain = Line(base, {Role.NETWORK_OUT: 1.0}), Line(peak * 3.0, {WRITE: 1.0})
        return Resource("volume", (Line(peak, peaks), Line(base, bucket, full * level, full), *plain))

    count = len(configurations)
    together = node(*np.array(configurations, dtype=np.float64).T).slowed(factor)
    moved: dict[Role, Quantity] = {READ: np.array(data[:count]), WRITE: 700.0}
    times_s = together.time_s(moved)
    left = together.after(moved, times_s)
    for index, values in enumerate(configurations):
        alone = node(*values).slowed(factor)
        time_s = alone.time_s({READ: data[index], WRITE: 700.0})
        assert type(time_s) is float
        assert np.asarray(times_s)[index] == time_s
        for one, many in zip(alone.after({READ: data[index], WRITE: 700.0}, time_s).lines, left.lines, strict=True):
            assert type(one.credit) is float
            assert np.broadcast_to(many.credit, (count,))[index] == one.credit
            assert np.broadcast_to(many.rate, (count,))[index] == one.rate


def test_a_weight_may_be_an_array_too() -> None:
    line = Line(100.0, {READ: np.array([1.0, 2.0])})
    assert np.array_equal(np.asarray(Resource("disk", (line,)).time_s({READ: 500.0})), [5.0, 10.0])
