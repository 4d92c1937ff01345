"""Current state of a run, with its approved cost, its resources and its reports.

It also has the obstacle that currently blocks the run, if there is one.
"""

from datetime import datetime
from decimal import Decimal
from typing import Literal
from uuid import UUID

from stowage.frozen import frozen
from stowage.runs.observation import InstanceState, ResourceKind, TroubleKind
from stowage.runs.quote import Quote
from stowage.runs.spec import RunSpec

RunState = Literal[
    "quoted", "approved", "launching", "running", "collecting", "tearing-down", "done", "failed", "cancelled"
]
Outcome = Literal["done", "failed", "cancelled"]

ENDED: tuple[RunState, ...] = ("done", "failed", "cancelled")


@frozen
class Resource:
    """One resource that a run has created in the account."""

    kind: ResourceKind
    id: str
    usd_per_hour: float
    """Hourly cost as in the quote [USD/h]. The cost of an instance includes its volumes and its IP address."""
    since: datetime
    """Time from which the resource costs money."""
    attempt: int = 0
    """Number of the launch attempt that created the resource."""
    seen_at: datetime | None = None
    """Time at which the resource was last observed while it cost money; None if there was no such observation."""
    ended_at: datetime | None = None
    """Time from which the resource no longer costs money."""
    gone_at: datetime | None = None
    """Time of the first observation that no longer lists the resource; None while it is listed."""
    ec2_state: InstanceState | None = None
    """State of an instance in EC2; None for other resources, and before the first observation."""
    ec2_state_at: datetime | None = None
    """Time of the last observation of `ec2_state`."""


@frozen
class Trouble:
    """Obstacle that currently blocks a run: a request to AWS that fails repeatedly."""

    kind: TroubleKind
    words: str
    """Description for people."""
    during: str
    """Operation that failed: `look` (listing the account), or the name of an action."""
    since: datetime
    times: int = 1
    """Number of consecutive failures."""


@frozen
class Run:
    """One benchmark run with its current state."""

    id: UUID
    spec: RunSpec
    quote: Quote
    state: RunState
    created_at: datetime
    zones: tuple[str, ...] = ()
    """Zones that offer the instance type, in the order in which they are tried. Empty until they are looked up."""
    agreed_usd: Decimal | None = None
    """Maximum cost that a person approved [USD]."""
    outcome: Outcome | None = None
    """State that the run will have after teardown; set when teardown starts."""
    failure: str | None = None
    """Reason why the run failed, or description of missing results."""
    attempt: int = 0
    """Number of the current launch attempt, from 0."""
    attempt_at: datetime | None = None
    """Time of the first launch request of this attempt."""
    asked: int = 0
    """Number of this attempt's launch requests whose outcome is unknown."""
    asked_at: datetime | None = None
    """Time of the last launch request."""
    approved_at: datetime | None = None
    """Time at which the run entered state approved."""
    launched_at: datetime | None = None
    """Time at which the run entered state launching: the time of the first launch request."""
    running_since: datetime | None = None
    """Time at which the run entered state running."""
    collecting_since: datetime | None = None
    """Time at which the run entered state collecting."""
    tearing_down_since: datetime | None = None
    """Time at which the run entered state tearing-down."""
    finished_at: datetime | None = None
    """Time at which the run entered its final state."""
    ends_at: datetime | None = None
    """Latest time at which the nodes terminate themselves."""
    deadline: datetime | None = None
    """End of the approved time."""
    revision: int = 0
    """Revision of the nodes' orders; 0 if there are none yet."""
    instructed_at: datetime | None = None
    nodes: tuple[tuple[str, str], ...] = ()
    """Id and IP address of each node, by node number; empty until all nodes are up."""
    resources: tuple[Resource, ...] = ()
    reports: frozenset[tuple[int, str]] = frozenset()
    """Node and phase of the reports that were received, verified and stored."""
    flawed: frozenset[tuple[int, str]] = frozenset()
    """Node and phase of the reports whose status is partial or failed."""
    heard: tuple[tuple[int, datetime], ...] = ()
    """Node number and time of the last heartbeat, for each node that has sent a heartbeat."""
    ended_nodes: frozenset[int] = frozenset()
    """Nodes that have sent a final status."""
    lost_nodes: frozenset[int] = frozenset()
    """Nodes that ended early or stopped sending heartbeats."""
    trouble: Trouble | None = None
    cancel_asked: bool = False
    late_looks: int = 0
    """Number of polls during teardown past the deadline."""
    clear_looks: int = 0
    """Number of consecutive polls that found no resource left."""
    clear_since: datetime | None = None
    """Time of the first poll counted in `clear_looks`."""
    verified: bool = False
    """Whether several polls have verified that no resource is left."""

    @property
    def zone(self) -> str | None:
        """Return the availability zone of the current launch attempt; None until it is known."""
        return self.zones[self.attempt % len(self.zones)] if self.zones else self.spec.zone

    @property
    def is_over(self) -> bool:
        """Return whether the run is in a final state."""
        return self.state in ENDED
