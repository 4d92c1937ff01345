"""Framework profiles: efficiency and error of a framework, and its way to run a job.

A profile applies to every job of its framework. It is never tuned to a single case: deviations that the profile's
evidence cannot explain are part of its error. The profiles of the package are in `frameworks`.
"""

import math
from dataclasses import replace
from datetime import date

import numpy as np

from stowage.frozen import frozen
from stowage.model.figure import Figure, Number, given, value_of
from stowage.model.jobs.engine import DIRECT, Engine
from stowage.model.money.spot import Recovery
from stowage.model.uncertainty.scale import exp_of, log_of
from stowage.model.units import Quantity, longer

_ST1_POST = date(2023, 2, 15)


@frozen
class TodayRun:
    """One measured run on the cluster that the user has today."""

    time_s: float
    """Measured time [s], above 0."""
    predicted_s: float
    """Predicted time without this measurement [s]."""
    instance: str
    nodes: int
    """Nodes of the measured run, at least 1."""
    data_mb: float
    """Data of the measured run [MB], above 0."""

    def figures(self) -> tuple[Figure, ...]:
        """List the figures that the user gave."""
        return (
            given("today.time", self.time_s, "s"),
            given("today.nodes", float(self.nodes), "1"),
            given("today.data", self.data_mb, "MB"),
        )


@frozen
class Framework:
    """One profile of a framework, such as Spark, with a name and a version."""

    name: str
    """Name of the profile."""
    version: str
    """Version of the profile; a profile that is fitted again gets a new version."""
    what: str
    """Description, in a sentence."""
    evidence: str
    """Data that the profile was derived from, and deviations that it does not explain."""
    error: Figure
    """Standard deviation of ln(actual time / predicted time) [1]. The ratio has the median 1, and applies to the time
    of the whole job."""
    efficiency: Figure | None = None
    """Share of each rate that the framework reaches [1]; None if it reaches the full rates."""
    read_efficiency: Figure | None = None
    """Further efficiency for reads on disks and volumes, in addition to `efficiency` [1]."""
    write_efficiency: Figure | None = None
    """Further efficiency for writes on disks and volumes, in addition to `efficiency` [1]."""
    streams: Figure | None = None
    """Concurrent requests of a node to its volumes [1]; None for as many as the volumes need."""
    recovery: Recovery = "restart"
    """Work that is repeated when a node is lost."""
    engine: Engine = DIRECT
    """Execution of a sort or a MapReduce job."""
    network_efficiency: Figure | None = None
    """Further efficiency for the network, in addition to `efficiency` [1]."""
    link_efficiency: Figure | None = None
    """Further efficiency for the EBS link, in addition to `efficiency` [1]."""
    object_store_efficiency: Figure | None = None
    """Further efficiency for the object store, in addition to `efficiency` [1]."""
    cpu_efficiency: Figure | None = None
    """Further efficiency for the CPUs, in addition to `efficiency` [1]."""
    start_up: Figure | None = None
    """Fixed overhead of a job beyond its phases [s], at least 0."""
    log_nodes: Figure | None = None
    """Overhead of a job beyond its phases for each factor e in the number of nodes [s], at least 0."""
    per_node: Figure | None = None
    """Overhead of a job beyond its phases for each node [s], at least 0."""
    measured_nodes: tuple[float, float] | None = None
    """Fewest and most nodes of the runs that the profile was fitted to; None if they do not affect the error."""
    extrapolation: Figure | None = None
    """Independent error that is added to `error` for each factor of 2 between a cluster size and `measured_nodes` [1].
    """
    faster: Figure | None = None
    """Standard deviation of the same logarithm for times below the median [1], at most `error`; None if it equals
    `error`. Times below the median follow a lognormal distribution of this width. Times above it follow one of the
    width `error`."""
    today: "TodayRun | None" = None
    """Run to whose measured time the profile was scaled."""
    growth: Figure | None = None
    """Power of the node count with which the work of the busiest node grows [1], at least 0; None if it does not grow.
    """
    growth_from: float = 1.0
    """Node count at which the efficiencies apply [1], at least 1: growth changes nothing there."""

    def figures(self) -> tuple[Figure, ...]:
        """List the figures that the profile adds to a prediction."""
        every = (
            *(self.efficiency, self.read_efficiency, self.write_efficiency, self.streams),
            *(self.network_efficiency, self.link_efficiency, self.object_store_efficiency, self.cpu_efficiency),
            *(self.growth, self.start_up, self.log_nodes, self.per_node, self.error, self.faster),
            *self.engine.figures(),
        )
        of_today = () if self.today is None else self.today.figures()
        return (*of_today, *(figure for figure in every if figure is not None))

    def scaled_to(self, run: "TodayRun", slower: float) -> "Framework":
        """Return the profile with all rates scaled to a measured run.

        The scaled profile predicts the measured time of this run.

        Parameters
        ----------
        run : TodayRun
        slower : float
            Factor by which each resource takes longer [1], above 0.

        Notes
        -----
        The scale of a framework on one cluster is unknown before its run (a flat prior of its logarithm). The scaled
        profile therefore meets the run exactly. Two deviations remain: r (`REPETITION`) is that between a run and its
        repetition, and w (`RUN_SPREAD`) is that between runs of one framework on different clusters:

            (error of the scaled profile)^2 = min(error of this profile, w)^2 + r^2

        Away from the run's node count, the error grows by `UNSEEN_PER_DOUBLING`.

        **Source**: the posterior predictive of a normal mean under a flat prior, Gelman et al., Bayesian Data Analysis,
        3rd edition, section 2.5.
        """
        reached = 1.0 if self.efficiency is None else self.efficiency.value
        own = min(self.error.value, RUN_SPREAD.value)
        scaled = f"{reached:.3g} of the bound, divided by {slower:.3g}, as today's run took {run.time_s:,.0f} s"
        return replace(
            self,
            efficiency=Figure(f"framework.{self.name}.efficiency", reached / slower, "1", scaled, "given"),
            error=Number(f"framework.{self.name}.error", math.hypot(own, REPETITION.value), "1").estimated(
                f"Between runs of one framework {own:.2g}; of today's run itself {REPETITION.value:.2g}",
                REPETITION.as_of,
            ),
            faster=None,
            measured_nodes=(float(run.nodes), float(run.nodes)),
            extrapolation=UNSEEN_PER_DOUBLING,
            today=run,
        )

    def slower(self, channel: str) -> Quantity:
        """Return the factor by which a resource takes longer than its rate allows.

        The factor is 1 / efficiency.

        Parameters
        ----------
        channel : str
            One of `rates.Channel`. For disks and volumes, the factor leaves out the separate efficiencies of reads and
            writes.

        Returns
        -------
        float
            Factor [1]; exactly 1 if no efficiency is known.
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
        """Return the work of the busiest node relative to that at `growth_from` nodes [1].

        The result is None if this work does not grow. Below the fewest measured nodes, the result is constant: no
        measurement shows that fewer nodes are more efficient, and the power law would soon exceed the hardware.

        Parameters
        ----------
        nodes : float or array
            Number of nodes, at least 1.

        Notes
        -----
        The result is (n / n0)^g. The more partitions, slots and machines there are, the more they differ, and each
        phase waits for the busiest node. The growth is a power of n, as a power is a straight line in ln(time) and
        ln(n). On published series of 4 to 48 nodes, the error for large clusters is 4%. Without growth, it is 24%
        (docs/frameworks.md).

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
        """Return the overhead of a job beyond its phases [s].

        The overhead is the start-up time, plus times that grow with the number of nodes.

        Parameters
        ----------
        nodes : float or array
            Number of nodes, at least 1.

        Returns
        -------
        float, array or None
            a + b ln n + g n [s]; None if the profile has no overhead.

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
        start_up, log_nodes, per_node = (value_of(figure) for figure in (self.start_up, self.log_nodes, self.per_node))
        return start_up + log_nodes * log_of(nodes) + per_node * nodes

    def error_at(self, nodes: Quantity) -> Quantity:
        """Return the error of a prediction at a cluster size [1].

        The error grows with the distance from the cluster sizes of the fitted runs.

        Parameters
        ----------
        nodes : float or array
            Number of nodes, at least 1.
        """
        return self._grown(self.error.value, nodes)

    def faster_error_at(self, nodes: Quantity) -> Quantity:
        """Return the error of times below the median at a cluster size [1].

        It equals `error_at` if ``faster`` is None.

        Parameters
        ----------
        nodes : float or array
            Number of nodes, at least 1.
        """
        return self._grown((self.faster or self.error).value, nodes)

    def doublings_beyond(self, nodes: Quantity) -> Quantity:
        """Return the distance of a cluster size from the sizes of the fitted runs [1].

        It is the number of doublings to the nearest of these sizes; 0 between the smallest and the largest size.
        """
        if self.measured_nodes is None:
            return 0.0
        fewest, most = self.measured_nodes
        log_nodes = log_of(nodes)
        above, below = log_nodes - math.log(most), math.log(fewest) - log_nodes
        return longer(longer(above, below), 0.0) / math.log(2.0)

    def _grown(self, own: float, nodes: Quantity) -> Quantity:
        """Return an error, increased for a cluster size outside the fitted sizes [1].

        ``own`` is the error at the fitted sizes.
        """
        if self.measured_nodes is None or self.extrapolation is None:
            return own
        more = self.extrapolation.value * self.doublings_beyond(nodes)
        return np.sqrt(own * own + more * more) if isinstance(more, np.ndarray) else math.sqrt(own * own + more * more)


REPETITION = Number("framework.repetition", 0.08, "1").estimated(
    "Standard deviation of ln(time) between repetitions of one job on one cluster, where no runs tell it: clusters "
    "of a cloud repeat a job within some 5 to 10%; no published series of repetitions is known to us",
    date(2026, 11, 23),
)
"""Deviation of a run from its repetition."""

RUN_SPREAD = Number("framework.run_spread", 0.14, "1").estimated(
    "Standard deviation of ln(time / bound) between runs of one framework, pooled over nine measured times of two "
    "(Themis, TestDFSIO; docs/frameworks.md)",
    _ST1_POST,
)
"""Deviation between runs of one framework on different clusters."""


GROWTH = Number("framework.growth", 0.14, "1").estimated(
    "Power of the node count by which sorts take longer than their engine gives: mean of three published sources "
    "and the laboratory, 19 series of one job on 1 to 48 nodes (docs/frameworks.md)",
    date(2026, 11, 26),
)
"""Expected `Framework.growth` before any run: with twice the nodes, the busiest has 1.10 times its share."""

GROWTH_SPREAD = Number("framework.growth_spread", 0.26, "1").estimated(
    "Standard deviation of that power for a source that was not seen: sources from -0.01 to 0.31, series of one "
    "source from -0.11 to 0.41 (docs/frameworks.md)",
    date(2026, 11, 26),
)
"""Deviation of growth between frameworks and clusters."""

UNSEEN_PER_DOUBLING = Number("calibration_doubt_per_doubling", 0.05, "1").estimated(
    "Default doubt of a calibrated time at half or twice the cluster size of its runs: as that of a network's "
    "rate; what appears only beyond the runs (skew that grows, a switch that is full) is not in any of them",
    date(2026, 11, 21),
)
"""Standard deviation of ln(time) for each factor of 2 beyond the runs."""


def busy_share(streams: float, channels: Quantity) -> Quantity:
    """Return the share of disks or volumes that concurrent requests keep busy.

    Parameters
    ----------
    streams : float
        Concurrent requests k; above 0.
    channels : float or array
        Number v of disks or volumes, of which each request selects one at random; at least 1.

    Returns
    -------
    float or array
        k / (k + v - 1) [1]; 1 for a single channel.

    Notes
    -----
    Each stream waits for its request before it sends the next one to a random channel: a closed
    queueing network of v equal exponential stations with k customers. By its product form all ways to
    divide k requests among v stations are equally likely, and a station is idle in the share
    (v - 1) / (k + v - 1) of them. **Source**: J. P. Buzen, Computational algorithms for closed queueing
    networks with exponential servers, CACM 16 (1973), eq. 3 and 14.

    Examples
    --------
    >>> [round(busy_share(18.0, volumes), 3) for volumes in (1.0, 2.0, 4.0)]
    [1.0, 0.947, 0.857]
    """
    return streams / (streams + channels - 1.0)
