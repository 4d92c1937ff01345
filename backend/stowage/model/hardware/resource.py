"""Resources of a node: the time that a job's flows take on them, and their burst credit.

A flow is data that a node moves in a phase of a job. A line is one limit of a resource.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from stowage.frozen import frozen
from stowage.model.jobs.flows import Role
from stowage.model.units import Quantity, longer, smaller


@frozen
class Line:
    """One limit on a resource of a node, such as its rate in MB/s or in I/O operations."""

    rate: Quantity
    """Rate of the limit [units/s], above 0; a unit is an MB, an I/O operation, or a second of a device that does one
    thing at a time."""
    weights: Mapping[Role, Quantity]
    """Units that one MB of a flow consumes, by the flow's role [units/MB], at least 0; flows of other roles consume no
    units."""
    credit: Quantity = 0.0
    """Burst credit at the start: units that may pass in addition to those of the rate [units], from 0 to `full`."""
    full: Quantity = 0.0
    """Maximum of the credit [units]; 0 for a limit without credit."""

    def load(self, flows_mb: Mapping[Role, Quantity]) -> Quantity | None:
        """Return the total units of this limit that the flows [MB] consume [units].

        The result is None if no flow consumes any unit.
        """
        load: Quantity | None = None
        weights = self.weights
        for role, flow_mb in flows_mb.items():
            weight = weights.get(role)
            if weight is None:
                continue
            # Most weights are 1 and most flows are arrays of thousands: the product would be the flow.
            part = flow_mb if isinstance(weight, float) and weight == 1.0 else weight * flow_mb
            load = part if load is None else load + part
        return load


@frozen
class Resource:
    """One resource of a node, such as its disks."""

    name: str
    """Shown to users if it is the bottleneck: `network out`, `intermediate disks`."""
    lines: tuple[Line, ...]
    """Limits of the resource, all of which apply at the same time."""

    @property
    def keeps_credit(self) -> bool:
        """Return whether any limit of the resource may have burst credit."""
        return any(not isinstance(line.full, float) or line.full > 0.0 for line in self.lines)

    def time_s(self, flows_mb: Mapping[Role, Quantity]) -> Quantity:
        """Return the time that this resource alone takes for the flows of a phase.

        Parameters
        ----------
        flows_mb : Mapping[Role, float or array]
            Flows of one node [MB], at least 0.

        Returns
        -------
        float or array
            max over lines of (sum(weight x flow) - credit) / rate, at least 0 [s].

        Notes
        -----
        **Source**: the paper's Eq. 1, in which each term is a line with one flow. The credit is the
        token bucket by which AWS describes gp2, st1 and sc1 (EBS user guide, volume types, 2026).
        The time of the longest line is exact, although credits are used up and refill in between;
        `trace` has the proof.

        Examples
        --------
        >>> disk = Resource("disk", (Line(200.0, {Role.INPUT_READ: 1.0}),))
        >>> disk.time_s({Role.INPUT_READ: 1000.0, Role.NETWORK_OUT: 9e9})
        5.0

        At 200 MB/s, 400 MB of credit with a refill of 100 MB/s last 4 s; the rest takes 2 s more:

        >>> reads = {Role.INPUT_READ: 1.0}
        >>> volume = Resource("volume", (Line(200.0, reads), Line(100.0, reads, credit=400.0, full=400.0)))
        >>> volume.time_s({Role.INPUT_READ: 1000.0})
        6.0
        """
        slowest: Quantity | None = None
        for line in self.lines:
            load = line.load(flows_mb)
            if load is not None:
                credit = line.credit
                # Without credit the time cannot be below 0.
                if isinstance(credit, float) and credit == 0.0:
                    time_s = load / line.rate
                else:
                    time_s = longer((load - credit) / line.rate, 0.0)
                slowest = time_s if slowest is None else longer(slowest, time_s)
        return 0.0 if slowest is None else slowest

    def after(self, flows_mb: Mapping[Role, Quantity], time_s: Quantity) -> "Resource":
        """Return the resource after a phase, with the burst credits that remain.

        Parameters
        ----------
        flows_mb : Mapping[Role, float or array]
            Flows of the phase [MB]; empty for a wait.
        time_s : float or array
            Time of the phase [s]: the longest `time_s` of all resources with flows in the phase.

        Returns
        -------
        Resource
            Each credit is min(full, credit - sum(weight x flow) + rate x time), at least 0.

        Notes
        -----
        The result is exact if the flows of the phase advance together (see `trace`); a wait counts as a separate phase.

        Examples
        --------
        >>> bucket = Resource("volume", (Line(100.0, {Role.INPUT_READ: 1.0}, credit=400.0, full=500.0),))
        >>> bucket.after({Role.INPUT_READ: 800.0}, 6.0).lines[0].credit
        200.0
        >>> bucket.after({}, 6.0).lines[0].credit
        500.0
        """
        return Resource(self.name, tuple(_left(line, flows_mb, time_s) for line in self.lines))

    def slowed(self, factor: Quantity) -> "Resource":
        """Return the resource with lower rates.

        Used for the efficiency of a framework, and for stragglers.

        Parameters
        ----------
        factor : float or array
            Factor by which all I/O takes longer [1], above 0: 1 / efficiency.

        Returns
        -------
        Resource
            The rates of limits without burst credit are divided by ``factor``. Limits with burst credit do not change,
            since lost time spends no credit.

        Examples
        --------
        >>> reads = {Role.INPUT_READ: 1.0}
        >>> volume = Resource("volume", (Line(200.0, reads), Line(100.0, reads, credit=400.0, full=400.0)))
        >>> [line.rate for line in volume.slowed(2.0).lines]
        [100.0, 100.0]
        """
        return Resource(self.name, tuple(_slowed(line, factor) for line in self.lines))


@frozen
class CreditTrace:
    """Burst credit of one limit of a resource during a phase."""

    resource: str
    line: int
    """Index of the line in the resource, from 0."""
    full: float
    """Maximum of the credit [units]."""
    credit: tuple[float, ...]
    """Burst credit at each time of the `Trace` [units]."""


@frozen
class Trace:
    """Progress of one phase of a job over time, with its burst credits.

    Progress and credits are linear between ``times_s``, so straight lines in a plot are exact.
    """

    times_s: tuple[float, ...]
    """Times from 0 to the end of the phase [s]; a single 0 if burst credits cover the whole phase."""
    done: tuple[float, ...]
    """Completed share of the phase at each time [1]; the last value is 1. The first value is above 0 only if every line
    that the flows use has burst credit."""
    bottlenecks: tuple[str, ...]
    """Resource that limits between each time and the next."""
    rates_mb_per_s: Mapping[Role, tuple[float, ...]]
    """Rate of each flow between each time and the next [MB/s]."""
    credits: tuple[CreditTrace, ...]
    """One trace for each line that has burst credit."""


@frozen
class _Bound:
    """Upper bound that one limit of a resource sets on the completed share of a phase.

    The bound is ``start`` + ``slope`` x time.
    """

    resource: str
    start: float
    slope: float

    def at(self, time_s: float) -> float:
        return min(1.0, self.start + self.slope * time_s)


def trace(resources: Sequence[Resource], flows_mb: Mapping[Role, float]) -> Trace:
    """Return the exact course of one phase over several resources.

    The course is the completed share of the phase over time. Used for plots.

    Parameters
    ----------
    resources : sequence of Resource
        Their values must be floats, not arrays.
    flows_mb : Mapping[Role, float]
        Flows of one node [MB], at least 0.

    Returns
    -------
    Trace
        Its last time is the longest `Resource.time_s`; its last credits are those of `Resource.after`.

    Notes
    -----
    All flows of a phase advance together: p is the completed share of the phase. By time t, W p units have passed
    a line, where W = sum(weight x flow). They are at most c + r t: its credit, and the units that its rate adds.
    The fastest course that all lines allow is p(t) = min over lines of (c + r t) / W, and at most 1.

    This course is exact although a full bucket discards units. A minimum of straight lines is
    concave, so the speed p' never rises. A credit grows by r - W p' per second, and this growth
    never falls: the credit first falls and then rises. The bucket discards units only while the credit
    rises: the line then allows more than the phase uses. The speed does not rise again, so this line
    never limits the phase again. The discarded units are therefore never needed. By the same argument,
    min(full, c - W p + r t) is the credit at every moment, not only at the end.

    Examples
    --------
    >>> reads = {Role.INPUT_READ: 1.0}
    >>> volume = Resource("volume", (Line(200.0, reads), Line(100.0, reads, credit=400.0, full=400.0)))
    >>> course = trace([volume], {Role.INPUT_READ: 1000.0})
    >>> course.times_s, course.done
    ((0.0, 4.0, 6.0), (0.0, 0.8, 1.0))
    >>> course.rates_mb_per_s[Role.INPUT_READ], course.credits[0].credit
    ((200.0, 100.0), (400.0, 0.0, 0.0))
    """
    end_s = max((float(resource.time_s(flows_mb)) for resource in resources), default=0.0)
    pieces = _pieces(_bounds(resources, flows_mb), end_s) if end_s > 0.0 else []
    pieces += _fillings(pieces, resources, flows_mb, end_s)
    # Of two pieces that begin together, the later one in the list is slower and remains the limit.
    pieces = sorted(dict(pieces).items(), key=lambda piece: piece[0])
    return Trace(
        times_s=(*(start_s for start_s, _ in pieces), end_s),
        done=(*(bound.at(start_s) for start_s, bound in pieces), 1.0),
        bottlenecks=tuple(bound.resource for _, bound in pieces),
        rates_mb_per_s={
            role: tuple(bound.slope * flow_mb for _, bound in pieces) for role, flow_mb in flows_mb.items()
        },
        credits=tuple(
            CreditTrace(resource.name, index, float(line.full), _credits(line, flows_mb, pieces, end_s))
            for resource in resources
            for index, line in enumerate(resource.lines)
            if line.full > 0.0
        ),
    )


def _credits(
    line: Line, flows_mb: Mapping[Role, float], pieces: list[tuple[float, _Bound]], end_s: float
) -> tuple[float, ...]:
    """Return the burst credit of one limit over the time of a phase.

    The credits are those at each start in ``pieces`` (see `_pieces`), and at the end of the phase.
    """
    return (
        *(float(_credit(line, flows_mb, start_s, bound.at(start_s))) for start_s, bound in pieces),
        # Uses the whole load instead of a rounded share: the same bits as `Resource.after`.
        float(_left(line, flows_mb, end_s).credit),
    )


def _bounds(resources: Sequence[Resource], flows_mb: Mapping[Role, float]) -> list[_Bound]:
    bounds = []
    for resource in resources:
        for line in resource.lines:
            load = line.load(flows_mb)
            if load is not None and load > 0.0:
                bounds.append(_Bound(resource.name, float(line.credit / load), float(line.rate / load)))
    return bounds


def _pieces(bounds: list[_Bound], end_s: float) -> list[tuple[float, _Bound]]:
    """Return the bounds that limit the phase one after the other.

    Each is paired with the time from which it limits the phase [s].
    """
    start_s, limiting = 0.0, min(bounds, key=lambda bound: (bound.start, bound.slope))
    pieces = []
    while start_s < end_s:
        pieces.append((start_s, limiting))
        # Only a flatter bound can cross the limiting one; of several that cross at the same time, take the flattest.
        crossings = [
            (max(start_s, (bound.start - limiting.start) / (limiting.slope - bound.slope)), bound.slope, bound)
            for bound in bounds
            if bound.slope < limiting.slope
        ]
        start_s, _, limiting = min(crossings, key=lambda crossing: crossing[:2], default=(end_s, 0.0, limiting))
    return pieces


def _fillings(
    pieces: list[tuple[float, _Bound]], resources: Sequence[Resource], flows_mb: Mapping[Role, float], end_s: float
) -> list[tuple[float, _Bound]]:
    """Return the times at which a burst bucket becomes full [s].

    Each is paired with the bound that limits the phase at that time. All credits are linear between any two neighboring
    times of the result and of ``pieces`` taken together.
    """
    stops_s = [start_s for start_s, _ in pieces[1:]] + [end_s]
    found = []
    for line in (line for resource in resources for line in resource.lines if line.full > 0.0):
        for (start_s, bound), stop_s in zip(pieces, stops_s, strict=False):
            credit = float(_credit(line, flows_mb, start_s, bound.at(start_s)))
            gain_per_s = float(line.rate - bound.slope * (line.load(flows_mb) or 0.0))
            if gain_per_s > 0.0 and credit < line.full:
                full_s = start_s + float(line.full - credit) / gain_per_s
                if start_s < full_s < stop_s:
                    found.append((full_s, bound))
    return found


def _credit(line: Line, flows_mb: Mapping[Role, Quantity], time_s: Quantity, done: Quantity) -> Quantity:
    """Return the burst credit of one limit at a time in a phase.

    ``time_s`` is the time from the start of the phase [s], and ``done`` is the share of the flows that passed in this
    time.
    """
    load = line.load(flows_mb)
    spent = 0.0 if load is None else load * done
    return _within(line, line.credit - spent + line.rate * time_s)


def _left(line: Line, flows_mb: Mapping[Role, Quantity], time_s: Quantity) -> Line:
    if _is(line.full, 0.0):
        return line
    load = line.load(flows_mb)
    kept = line.credit if load is None else line.credit - load
    return Line(line.rate, line.weights, _within(line, kept + line.rate * time_s), line.full)


def _within(line: Line, credit: Quantity) -> Quantity:
    # A phase lasts as long as its credits require, so values below 0 are only rounding.
    return longer(0.0, smaller(line.full, credit))


def _slowed(line: Line, factor: Quantity) -> Line:
    rate = line.rate / factor
    if isinstance(line.full, float):
        return line if line.full > 0.0 else Line(rate, line.weights, line.credit, line.full)
    return Line(np.where(line.full > 0.0, line.rate, rate), line.weights, line.credit, line.full)


def _is(value: Quantity, number: float) -> bool:
    return isinstance(value, float) and value == number
