"""`explain`: one answer for CLI and API, each part with a sentence that can be copied."""

from typing import Literal

from stowage.model.infeasible import Limit
from stowage.optimizer.explain import Bought, Network
from stowage.optimizer.overturn import Lever, Verdict
from stowage.platform.described import Answer
from stowage.workloads.answers import InfeasibleAnswer
from stowage.workloads.cluster_section import StorageSection
from stowage.workloads.of_catalog import OfCatalog


class ExplainedAnswer(Answer):
    """A configuration with its median time and cost; null if it is not possible."""

    instance: str
    nodes: int
    storage: StorageSection
    storage_words: str
    time_s: float | None
    cost_usd: float | None
    month_usd: float | None
    """Of a cluster that stays."""
    node_hour_usd: float | None
    """All that is billed by time, for each node that works."""


class BottleneckAnswer(Answer):
    """Bottleneck of a phase."""

    phase: str
    resource: str
    time_s: float
    share: float
    """Of the time of all phases."""
    sentence: str


class NetworkCaseAnswer(Answer):
    """Time and cost with another network: the bars of the paper's Figure 9."""

    network: Network
    """One that never limits, one that a cluster of any size keeps as the smallest has it, and the one that is known."""
    time_s: float
    cost_usd: float
    sentence: str


class NextDollarAnswer(Answer):
    """Effect of a little more of one resource."""

    what: Bought
    """A limit moves the best answer; a resource the configuration that is explained."""
    change: str
    time_s: float | None
    """Null where nothing is within the limits then."""
    cost_usd: float | None
    saved_usd: float | None
    saved_s: float | None
    usd_per_minute: float | None
    """Of a deadline: what a minute of it is worth."""
    worth_usd_per_node_hour: float | None
    """Of a resource: what a node-hour may cost more with it."""
    month_usd: float | None = None
    saved_month_usd: float | None = None
    """Where the objective is a month, of a cluster that stays; null otherwise, and where nothing is within the limits.
    Prices of a minute and of a node-hour are of runs, and null then."""
    sentence: str


class AgainstAnswer(Answer):
    """A phase compared with the winner's."""

    phase: str
    resource: str
    time_s: float
    winner_time_s: float
    factor: float | None
    """How many times as long it takes; null where the winner's takes no time."""
    cost_factor: float | None
    """How many times as much it costs: nodes x time x price of a node-hour."""
    sentence: str


class PriceAgainstAnswer(Answer):
    """Price and node count compared with the winner's."""

    node_hour_usd: float
    winner_node_hour_usd: float
    nodes: int
    winner_nodes: int
    sentence: str


class BrokenAnswer(Answer):
    """A limit that the configuration breaks."""

    limit: Limit
    value: float | None
    bound: float | None
    sentence: str


class OverturnAnswer(Answer):
    """Value that one quantity would need, all else equal."""

    quantity: Lever
    now: float | None
    """In a cluster of this size; null where it is unknown."""
    needed: float | None
    """To win, or of a winner to stay ahead; null where no value is known to."""
    unit: str
    factor: float | None
    sentence: str


class ExplanationAnswer(OfCatalog):
    """The answer to `explain`."""

    sentence: str
    configuration: ExplainedAnswer
    winner: ExplainedAnswer | None
    """Of the search; null where nothing is within the limits."""
    is_winner: bool
    runner_up: ExplainedAnswer | None
    """The best of all other types, where the configuration wins."""
    own_best: ExplainedAnswer | None
    """The best of the same type, where the configuration does not win and is not it."""
    obstacle: InfeasibleAnswer | None
    """What makes the configuration impossible, or is not known of it."""
    breaks: list[BrokenAnswer]
    bottlenecks: list[BottleneckAnswer]
    network: list[NetworkCaseAnswer]
    next_dollar: list[NextDollarAnswer]
    against: list[AgainstAnswer]
    price_against: PriceAgainstAnswer | None
    overturn: list[OverturnAnswer]
    """What would have to be true, each alone, for the configuration to win; empty where it does."""
    margins: list[OverturnAnswer]
    """How far a winner's figures may get worse, each alone, before the runner-up wins."""
    catalog_version: str
    model_version: str
    profiles_digest: str


class TypeOverturnAnswer(Answer):
    """The network with which an instance type would win, at the node count and layout that suit it best then."""

    instance: str
    verdict: Verdict | Literal["winner"]
    now_mb_per_s: float | None
    """Of a node in the cluster of `best`; null where it is unknown."""
    needed_mb_per_s: float | None
    factor: float | None
    best: ExplainedAnswer | None
    """With the network that is needed; with one that never limits, where none helps."""
    assumed: list[str]
    """Unknown figures, assumed never to limit: a slower network than needed will not do."""
    sentence: str


class TypeOverturnsAnswer(OfCatalog):
    """The answer to `explain --types`."""

    sentence: str
    winner: ExplainedAnswer | None
    types: list[TypeOverturnAnswer]
    """Those that a network would make win come first, the nearest ahead; then the others by name."""
    catalog_version: str
    model_version: str
    profiles_digest: str
