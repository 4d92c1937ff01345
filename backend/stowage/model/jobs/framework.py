"""Framework profiles: the part of the physical bound that a framework reaches, how it runs a job, and its error.

A profile holds for every job of its framework. It is never tuned to one case: what its evidence cannot
explain stays in its error. Those of the package are in `frameworks`.
"""

import math
from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from stowage.model.figure import Figure, given
from stowage.model.jobs.engine import DIRECT, Engine
from stowage.model.money.cost import Recovery
from stowage.model.uncertainty.scale import exp_of, log_of
from stowage.model.units import Quantity, longer

_ST1_POST = date(2023, 2, 15)


@dataclass(frozen=True, slots=True)
class TodayRun:
    """A run that was measured where the job runs today.

    Parameters
    ----------
    time_s : float
        As it was measured [s], above 0.
    predicted_s : float
        What was predicted without it [s].
    instance : str
    nodes : int
    data_mb : float
        What it processed [MB].
    """

    time_s: float
    predicted_s: float
    instance: str
    nodes: int
    data_mb: float

    def figures(self) -> tuple[Figure, ...]:
        """List what the user gave."""
        return (
            given("today.time", self.time_s, "s"),
            given("today.nodes", float(self.nodes), "1"),
            given("today.data", self.data_mb, "MB"),
        )


@dataclass(frozen=True, slots=True)
class Framework:
    """A named efficiency profile.

    Parameters
    ----------
    name, version : str
        A profile that is fitted anew gets a new version.
    what : str
        What it stands for, in a sentence.
    evidence : str
        What it was derived from, and what it does not explain.
    error : Figure
        Standard deviation of ln(actual time / predicted time) [1]; multiplies the whole time
        with median 1.
    faster : Figure or None
        The same of times below the median [1], at most ``error``; None where it is ``error``: half of all times lie
        on each side of the median, and each half is that of a lognormal distribution of its own width.
    efficiency : Figure or None
        Part of every rate that is reached [1]; None for all of it.
    read_efficiency, write_efficiency : Figure or None
        The same for disks and volumes, on top of ``efficiency`` [1].
    streams : Figure or None
        Requests that a node keeps under way over its volumes [1]; None for as many as it takes.
    recovery : {"restart", "tasks"}
        What is done again when a node is lost.
    engine : Engine
        How it runs a sort or a MapReduce job.
    network_efficiency, link_efficiency, object_store_efficiency, cpu_efficiency : Figure or None
        Of one kind of resource, on top of ``efficiency`` [1]: the network, the link to EBS, the object store, the CPUs.
    start_up, log_nodes, per_node : Figure or None
        What a job takes beside its phases [s]: fixed, for each factor e of nodes, for each node; none below 0.
    measured_nodes : tuple of (float, float) or None
        Fewest and most nodes of the runs that it was fitted to; None where they do not matter.
    extrapolation : Figure or None
        What ``error`` grows by, as an independent part, for each factor of 2 beyond ``measured_nodes`` [1].
    today : TodayRun or None
        The run to whose measured time the profile was scaled.
    growth : Figure or None
        Power of the node count by which the work of the busiest node grows [1], at least 0; None where all do the same.
    growth_from : float
        Node count at which the efficiencies hold [1], at least 1: there growth changes nothing.
    """

    name: str
    version: str
    what: str
    evidence: str
    error: Figure
    efficiency: Figure | None = None
    read_efficiency: Figure | None = None
    write_efficiency: Figure | None = None
    streams: Figure | None = None
    recovery: Recovery = "restart"
    engine: Engine = DIRECT
    network_efficiency: Figure | None = None
    link_efficiency: Figure | None = None
    object_store_efficiency: Figure | None = None
    cpu_efficiency: Figure | None = None
    start_up: Figure | None = None
    log_nodes: Figure | None = None
    per_node: Figure | None = None
    measured_nodes: tuple[float, float] | None = None
    extrapolation: Figure | None = None
    faster: Figure | None = None
    today: "TodayRun | None" = None
    growth: Figure | None = None
    growth_from: float = 1.0

    def figures(self) -> tuple[Figure, ...]:
        """List what the profile puts into a prediction."""
        every = (
            *(self.efficiency, self.read_efficiency, self.write_efficiency, self.streams),
            *(self.network_efficiency, self.link_efficiency, self.object_store_efficiency, self.cpu_efficiency),
            *(self.growth, self.start_up, self.log_nodes, self.per_node, self.error, self.faster),
            *self.engine.figures(),
        )
        of_today = () if self.today is None else self.today.figures()
        return (*of_today, *(figure for figure in every if figure is not None))

    def scaled_to(self, run: "TodayRun", slower: float) -> "Framework":
        """Return the profile with every rate reached so much less that it gives the time of a run.

        Parameters
        ----------
        run : TodayRun
        slower : float
            How many times as long each resource takes [1], above 0.

        Notes
        -----
        The scale of one framework in one place is taken as unknown before its run (a flat prior of its logarithm), so
        that the run is met exactly. What remains are the run's own deviation from the next one, r, and how far runs of
        one framework on other clusters are from each other, w:

            error^2 = min(error, w)^2 + r^2

        with w `RUN_SPREAD` and r `REPETITION`; away from the run's node count it grows by `UNSEEN_PER_DOUBLING`.

        **Source**: the posterior predictive of a normal mean under a flat prior, Gelman et al., Bayesian Data Analysis,
        3rd edition, section 2.5.
        """
        reached = 1.0 if self.efficiency is None else self.efficiency.value
        own = min(self.error.value, RUN_SPREAD.value)
        scaled = f"{reached:.3g} of the bound, divided by {slower:.3g}, as today's run took {run.time_s:,.0f} s"
        return replace(
            self,
            efficiency=Figure(f"framework.{self.name}.efficiency", reached / slower, "1", scaled, "given"),
            error=Figure(
                f"framework.{self.name}.error",
                math.hypot(own, REPETITION.value),
                "1",
                f"Between runs of one framework {own:.2g}; of today's run itself {REPETITION.value:.2g}",
                "estimated",
                REPETITION.as_of,
            ),
            faster=None,
            measured_nodes=(float(run.nodes), float(run.nodes)),
            extrapolation=UNSEEN_PER_DOUBLING,
            today=run,
        )

    def slower(self, channel: str) -> float:
        """Return how many times as long a resource takes as its rate allows: 1 / efficiency.

        Parameters
        ----------
        channel : str
            One of `cluster.Channel`; of disks and volumes, what both directions share.

        Returns
        -------
        float
            [1]; exactly 1 where nothing is known to be in the way.
        """
        own = {
            "network": self.network_efficiency,
            "EBS link": self.link_efficiency,
            "object store": self.object_store_efficiency,
            "CPU": self.cpu_efficiency,
        }.get(channel)
        reached = 1.0 if self.efficiency is None else self.efficiency.value
        return 1.0 / (reached if own is None else reached * own.value)

    def grown(self, nodes: Quantity) -> Quantity | None:
        """Return how many times as much the busiest node does as at `growth_from` nodes [1]; None without growth.

        Below the fewest measured nodes it is as there: nothing shows that fewer nodes do better still, and the power
        would soon promise more than their hardware can do.

        Parameters
        ----------
        nodes : float or array
            At least 1.

        Notes
        -----
        (n / n0)^g: partitions, slots and machines differ more the more of them there are, and each phase waits for the
        busiest node. A power, because it is a straight line in ln(time) and ln(n): on published series of 4 to 48 nodes
        the error of large clusters is 4%, and 24% without it (docs/frameworks.md).

        Examples
        --------
        >>> from dataclasses import replace
        >>> from stowage.model.jobs.frameworks import IDEAL
        >>> growth = replace(IDEAL.error, value=0.5)
        >>> replace(IDEAL, growth=growth, growth_from=4.0).grown(16.0)
        2.0
        """
        if self.growth is None:
            return None
        fewest = 1.0 if self.measured_nodes is None else self.measured_nodes[0]
        return exp_of(self.growth.value * log_of(longer(nodes, fewest) / self.growth_from))

    def overhead_s(self, nodes: Quantity) -> Quantity | None:
        """Return what a job takes beside its phases [s]: start-up, and what grows with the nodes.

        Parameters
        ----------
        nodes : float or array
            At least 1.

        Returns
        -------
        float, array or None
            a + b ln n + g n [s]; None where the profile says nothing of it.

        Notes
        -----
        **Source**: Venkataraman et al., Ernest, NSDI 2016, section 3.2: serial work, a tree of messages, work for
        each machine.

        Examples
        --------
        >>> from dataclasses import replace
        >>> from stowage.model.jobs.frameworks import IDEAL
        >>> seconds = replace(IDEAL.error, value=10.0, unit="s")
        >>> round(replace(IDEAL, start_up=seconds, log_nodes=seconds).overhead_s(100.0), 1)
        56.1
        """
        if self.start_up is None and self.log_nodes is None and self.per_node is None:
            return None
        start_up, log_nodes, per_node = (
            0.0 if figure is None else figure.value for figure in (self.start_up, self.log_nodes, self.per_node)
        )
        return start_up + log_nodes * log_of(nodes) + per_node * nodes

    def error_at(self, nodes: Quantity) -> Quantity:
        """Return the error of a prediction at a cluster size [1]: larger away from the runs that it was fitted to.

        Parameters
        ----------
        nodes : float or array
            At least 1.
        """
        return self._grown(self.error.value, nodes)

    def faster_error_at(self, nodes: Quantity) -> Quantity:
        """Return the error of times below the median at a cluster size [1]; that of `error_at` unless it differs.

        Parameters
        ----------
        nodes : float or array
            At least 1.
        """
        return self._grown((self.faster or self.error).value, nodes)

    def doublings_beyond(self, nodes: Quantity) -> Quantity:
        """Return by how many factors of 2 a cluster is larger, or smaller, than those it was fitted to [1]."""
        if self.measured_nodes is None:
            return 0.0
        fewest, most = self.measured_nodes
        log_nodes = log_of(nodes)
        above, below = log_nodes - math.log(most), math.log(fewest) - log_nodes
        return longer(longer(above, below), 0.0) / math.log(2.0)

    def _grown(self, own: float, nodes: Quantity) -> Quantity:
        """Return an error with what the distance from the measured cluster sizes adds to it [1]."""
        if self.measured_nodes is None or self.extrapolation is None:
            return own
        more = self.extrapolation.value * self.doublings_beyond(nodes)
        return np.sqrt(own * own + more * more) if isinstance(more, np.ndarray) else math.sqrt(own * own + more * more)


REPETITION = Figure(
    quantity="framework.repetition",
    value=0.08,
    unit="1",
    source=(
        "Standard deviation of ln(time) between repetitions of one job on one cluster, where no runs tell it: clusters "
        "of a cloud repeat a job within some 5 to 10%; no published series of repetitions is known to us"
    ),
    kind="estimated",
    as_of=date(2026, 11, 23),
)
"""How far a single run is from the next one."""

RUN_SPREAD = Figure(
    quantity="framework.run_spread",
    value=0.14,
    unit="1",
    source=(
        "Standard deviation of ln(time / bound) between runs of one framework, pooled over nine measured times of two "
        "(Themis, TestDFSIO; docs/frameworks.md)"
    ),
    kind="estimated",
    as_of=_ST1_POST,
)
"""How far runs of one framework on other clusters are from each other."""


GROWTH = Figure(
    quantity="framework.growth",
    value=0.14,
    unit="1",
    source=(
        "Power of the node count by which sorts take longer than their engine gives: mean of three published sources "
        "and the laboratory, 19 series of one job on 1 to 48 nodes (docs/frameworks.md)"
    ),
    kind="estimated",
    as_of=date(2026, 11, 26),
)
"""What is expected of `Framework.growth` before any run: twice the nodes take 1.10 times their share."""

GROWTH_SPREAD = Figure(
    quantity="framework.growth_spread",
    value=0.26,
    unit="1",
    source=(
        "Standard deviation of that power for a source that was not seen: sources from -0.01 to 0.31, series of one "
        "source from -0.11 to 0.41 (docs/frameworks.md)"
    ),
    kind="estimated",
    as_of=date(2026, 11, 26),
)
"""How far the growth of one framework on one cluster is from that of others."""

UNSEEN_PER_DOUBLING = Figure(
    quantity="calibration_doubt_per_doubling",
    value=0.05,
    unit="1",
    source=(
        "Default doubt of a calibrated time at half or twice the cluster size of its runs: as that of a network's "
        "rate; what appears only beyond the runs (skew that grows, a switch that is full) is not in any of them"
    ),
    kind="estimated",
    as_of=date(2026, 11, 21),
)
"""Standard deviation of ln(time) for each factor of 2 beyond the runs."""


def busy_share(streams: float, channels: Quantity) -> Quantity:
    """Return which share of equal channels k streams keep busy.

    Parameters
    ----------
    streams : float
        Requests under way at once; above 0.
    channels : float or array
        Volumes or disks that they fall on at random; at least 1.

    Returns
    -------
    float or array
        k / (k + v - 1) [1]; 1 for a single channel.

    Notes
    -----
    Each stream waits for its request before it sends the next, to a channel chosen at random: a closed
    queueing network of v equal exponential stations with k customers. By its product form all ways to
    share k requests among v stations are equally likely, and a station is idle in the share
    (v - 1) / (k + v - 1) of them. **Source**: J. P. Buzen, Computational algorithms for closed queueing
    networks with exponential servers, CACM 16 (1973), eq. 3 and 14.

    Examples
    --------
    >>> [round(busy_share(18.0, volumes), 3) for volumes in (1.0, 2.0, 4.0)]
    [1.0, 0.947, 0.857]
    """
    return streams / (streams + channels - 1.0)
