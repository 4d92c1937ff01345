"""Answers of `explain`, the explanation of a configuration, for CLI and API.

Each item has a sentence that users can copy. The winner is the configuration that ranks first in a search.
"""

from typing import Literal

from stowage.model.infeasible import Limit
from stowage.optimizer.explain import Bought, Network
from stowage.optimizer.overturn import Lever, Verdict
from stowage.platform.described import Answer
from stowage.workloads.answers import DescribedCluster, InfeasibleAnswer
from stowage.workloads.of_catalog import OfVersions


class ExplainedAnswer(DescribedCluster):
    """A configuration with its median time and cost, which are null if it is not possible."""

    time_s: float | None
    cost_usd: float | None
    month_usd: float | None
    """Monthly cost of a permanent cluster."""
    node_hour_usd: float | None
    """Everything that is billed by time, per worker node."""


class BottleneckAnswer(Answer):
    """The resource that limits a phase of the job."""

    phase: str
    resource: str
    time_s: float
    share: float
    """Share of the time of all phases."""
    sentence: str


class NetworkCaseAnswer(Answer):
    """Time and cost of the configuration with another network (the bars in Figure 9 of the paper)."""

    network: Network
    """`infinite` never limits, `ideal` keeps the rate of the smallest cluster at any size, `observed` is known."""
    time_s: float
    cost_usd: float
    sentence: str


class NextDollarAnswer(Answer):
    """Effect of slightly relaxing one limit, or of one slightly faster resource."""

    what: Bought
    """A limit changes the best answer; a resource changes the explained configuration."""
    change: str
    time_s: float | None
    """Null if no configuration meets the limits then."""
    cost_usd: float | None
    saved_usd: float | None
    saved_s: float | None
    usd_per_minute: float | None
    """For a deadline: the value of one minute."""
    worth_usd_per_node_hour: float | None
    """For a resource: the extra price per node-hour at which it breaks even."""
    month_usd: float | None = None
    saved_month_usd: float | None = None
    """Monthly saving for a permanent cluster, if the objective is a month. Null otherwise, and if no configuration
    meets the limits. Values per minute and per node-hour apply to runs, and are null for a month."""
    sentence: str


class AgainstAnswer(Answer):
    """A phase compared with the same phase of the winner."""

    phase: str
    resource: str
    time_s: float
    winner_time_s: float
    factor: float | None
    """Ratio of the time to the winner's; null if the winner's is zero."""
    cost_factor: float | None
    """Ratio of the cost to the winner's: nodes x time x price of a node-hour."""
    sentence: str


class PriceAgainstAnswer(Answer):
    """Price and node count compared with those of the winner."""

    node_hour_usd: float
    winner_node_hour_usd: float
    nodes: int
    winner_nodes: int
    sentence: str


class BrokenAnswer(Answer):
    """A limit that the configuration exceeds."""

    limit: Limit
    value: float | None
    bound: float | None
    sentence: str


class OverturnAnswer(Answer):
    """Value that one quantity needs for a configuration to win, all else equal."""

    quantity: Lever
    now: float | None
    """Current value in a cluster of this size; null if it is unknown."""
    needed: float | None
    """Value needed to win, or for a winner to stay ahead; null if no value achieves it."""
    unit: str
    factor: float | None
    sentence: str


class ExplanationAnswer(OfVersions):
    """Explanation of one configuration."""

    sentence: str
    configuration: ExplainedAnswer
    winner: ExplainedAnswer | None
    """The winner of the search; null if no configuration meets the limits."""
    is_winner: bool
    runner_up: ExplainedAnswer | None
    """The best of all other types, if the configuration wins."""
    own_best: ExplainedAnswer | None
    """The best of the same type, if the configuration does not win and is not the best of its type."""
    obstacle: InfeasibleAnswer | None
    """Why the configuration is impossible, or which of its figures is unknown."""
    breaks: list[BrokenAnswer]
    bottlenecks: list[BottleneckAnswer]
    network: list[NetworkCaseAnswer]
    next_dollar: list[NextDollarAnswer]
    against: list[AgainstAnswer]
    price_against: PriceAgainstAnswer | None
    overturn: list[OverturnAnswer]
    """Changes, each alone, with which the configuration would win; empty if it wins."""
    margins: list[OverturnAnswer]
    """How much worse each of a winner's figures may get, alone, before the runner-up wins."""


class TypeOverturnAnswer(Answer):
    """The network rate that one instance type needs to win.

    The node count and the layout are those that are best at this rate.
    """

    instance: str
    verdict: Verdict | Literal["winner"]
    now_mb_per_s: float | None
    """Current rate of a node in the cluster of `best`; null if it is unknown."""
    needed_mb_per_s: float | None
    factor: float | None
    best: ExplainedAnswer | None
    """The best configuration with the needed network; with an unlimited one if no network rate is enough."""
    assumed: list[str]
    """Unknown figures, assumed not to limit; the needed rate is therefore a lower bound."""
    sentence: str


class TypeOverturnsAnswer(OfVersions):
    """Network rates that all instance types need to win, as returned by `explain --types`."""

    sentence: str
    winner: ExplainedAnswer | None
    types: list[TypeOverturnAnswer]
    """First the types that some network makes win, closest first; then the others by name."""
