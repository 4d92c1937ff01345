"""Current state of a run: approved cost, resources, reports, and the obstacle that currently blocks the run."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Literal
from uuid import UUID

from stowage.runs.observation import ResourceKind, TroubleKind
from stowage.runs.quote import Quote
from stowage.runs.spec import RunSpec

RunState = Literal[
    "quoted", "approved", "launching", "running", "collecting", "tearing-down", "done", "failed", "cancelled"
]
Outcome = Literal["done", "failed", "cancelled"]

ENDED: tuple[RunState, ...] = ("done", "failed", "cancelled")


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource that a run has created in the account.

    Parameters
    ----------
    kind : ResourceKind
    id : str
    usd_per_hour : float
        Hourly cost as in the quote [USD/h]; the cost of an instance includes its volumes and IP address.
    since : datetime
        Time from which the resource costs money.
    attempt : int
        Number of the launch attempt that created the resource.
    seen_at : datetime or None
        Time at which the resource was last observed while it cost money; None if it was never observed so.
    ended_at : datetime or None
        Time from which the resource no longer costs money.
    gone_at : datetime or None
        Time of the first observation that no longer lists the resource; None while it is listed.
    """

    kind: ResourceKind
    id: str
    usd_per_hour: float
    since: datetime
    attempt: int = 0
    seen_at: datetime | None = None
    ended_at: datetime | None = None
    gone_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Trouble:
    """Obstacle that currently blocks a run.

    Parameters
    ----------
    kind : TroubleKind
    words : str
    during : str
        Operation that failed: ``look`` (listing the account), or the name of an action.
    since : datetime
    times : int
        Number of consecutive failures.
    """

    kind: TroubleKind
    words: str
    during: str
    since: datetime
    times: int = 1


@dataclass(frozen=True, slots=True)
class Run:
    """A run with its current state.

    Parameters
    ----------
    id : UUID
    spec : RunSpec
    quote : Quote
    state : RunState
    created_at : datetime
    zones : tuple of str
        Zones that offer the type, tried in this order, the preferred zone first; empty until the zones are looked up.
    agreed_usd : Decimal or None
        Maximum cost that a person approved [USD].
    outcome : Outcome or None
        State that the run will have after teardown; set when teardown starts.
    failure : str or None
        Reason of the failure, or description of missing results.
    attempt : int
        Number of the current launch attempt, from 0.
    attempt_at : datetime or None
        Time of the first launch request of this attempt.
    asked : int
        Number of this attempt's launch requests whose outcome is unknown.
    asked_at : datetime or None
        Time of the last launch request.
    approved_at, launched_at, running_since, collecting_since, tearing_down_since, finished_at : datetime or None
        Times at which the run entered each state; ``launched_at`` is the time of the first launch request.
    ends_at, deadline : datetime or None
        Latest time at which the nodes terminate themselves, and end of the approved time.
    revision : int
        Revision of the nodes' orders; 0 if there are none yet.
    instructed_at : datetime or None
    nodes : tuple of (str, str)
        Id and IP address of each node, by node number; empty until all nodes are up.
    resources : tuple of Resource
    reports : frozenset of (int, str)
        Node and phase of the reports that were received, verified and stored.
    flawed : frozenset of (int, str)
        Those of `reports` whose status is partial or failed.
    heard : tuple of (int, datetime)
        Node number and time of the last heartbeat, for each node that has sent a heartbeat.
    ended_nodes : frozenset of int
        Nodes that have sent a final status.
    lost_nodes : frozenset of int
        Nodes that ended early or stopped sending heartbeats.
    trouble : Trouble or None
    cancel_asked : bool
    late_looks : int
        Number of polls during teardown past the deadline.
    clear_looks : int
        Number of consecutive polls that found no resource left.
    clear_since : datetime or None
        Time of the first poll counted in `clear_looks`.
    verified : bool
        Whether several polls have verified that no resource is left.
    """

    id: UUID
    spec: RunSpec
    quote: Quote
    state: RunState
    created_at: datetime
    zones: tuple[str, ...] = ()
    agreed_usd: Decimal | None = None
    outcome: Outcome | None = None
    failure: str | None = None
    attempt: int = 0
    attempt_at: datetime | None = None
    asked: int = 0
    asked_at: datetime | None = None
    approved_at: datetime | None = None
    launched_at: datetime | None = None
    running_since: datetime | None = None
    collecting_since: datetime | None = None
    tearing_down_since: datetime | None = None
    finished_at: datetime | None = None
    ends_at: datetime | None = None
    deadline: datetime | None = None
    revision: int = 0
    instructed_at: datetime | None = None
    nodes: tuple[tuple[str, str], ...] = ()
    resources: tuple[Resource, ...] = ()
    reports: frozenset[tuple[int, str]] = frozenset()
    flawed: frozenset[tuple[int, str]] = frozenset()
    heard: tuple[tuple[int, datetime], ...] = ()
    ended_nodes: frozenset[int] = frozenset()
    lost_nodes: frozenset[int] = frozenset()
    trouble: Trouble | None = None
    cancel_asked: bool = False
    late_looks: int = 0
    clear_looks: int = 0
    clear_since: datetime | None = None
    verified: bool = False

    @property
    def zone(self) -> str | None:
        """Return the zone of the current launch attempt; None until it is known."""
        return self.zones[self.attempt % len(self.zones)] if self.zones else self.spec.zone

    @property
    def is_over(self) -> bool:
        """Return whether the run is in a final state."""
        return self.state in ENDED
