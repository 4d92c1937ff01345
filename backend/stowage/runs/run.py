"""A run as it stands: its state, what was agreed, what it has made, what stands in its way."""

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
    """Something that a run has made in the account, and what became of it.

    Parameters
    ----------
    kind : ResourceKind
    id : str
    usd_per_hour : float
        While it is there [USD/h], by the quote. An instance bears what comes and goes with it: volumes, address.
    since : datetime
        When it began to cost.
    attempt : int
        Of launching, from which it comes.
    seen_at : datetime or None
        When a look last found it there, and costing; None while none has.
    ended_at : datetime or None
        When it ceased to cost.
    gone_at : datetime or None
        When it was seen to be gone.
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
    """Obstacle that blocks a run now.

    Parameters
    ----------
    kind : TroubleKind
    words : str
    during : str
        What was tried: ``look``, or the name of an action.
    since : datetime
    times : int
        How often in a row.
    """

    kind: TroubleKind
    words: str
    during: str
    since: datetime
    times: int = 1


@dataclass(frozen=True, slots=True)
class Run:
    """A run as it stands.

    Parameters
    ----------
    id : UUID
    spec : RunSpec
    quote : Quote
    state : RunState
    created_at : datetime
    zones : tuple of str
        Where the type can be had, the wanted one first; tried one after the other. Empty until that was looked up.
    agreed_usd : Decimal or None
        What a person agreed to at most.
    outcome : Outcome or None
        What it will be when it is torn down; known from then on.
    failure : str or None
        Why it failed, or what of it is missing, in words for people.
    attempt : int
        Of launching, from 0.
    attempt_at : datetime or None
        When this attempt was first asked for.
    asked : int
        Launches of this attempt that were asked for and of which no answer is known.
    asked_at : datetime or None
        When one was last asked for.
    approved_at, launched_at, running_since, collecting_since, tearing_down_since, finished_at : datetime or None
        launched_at: when the first launch was asked for.
    ends_at, deadline : datetime or None
        ends_at: when the nodes terminate themselves at the latest. deadline: until when what was agreed lasts.
    revision : int
        Of the nodes' orders; 0 before there are any.
    instructed_at : datetime or None
    nodes : tuple of (str, str)
        Id and address of each node, by its number; empty until all are there.
    resources : tuple of Resource
    reports : frozenset of (int, str)
        Node and phase of the reports that came, were signed, and are stored.
    flawed : frozenset of (int, str)
        Those of them that say of themselves that they are partial or failed.
    heard : tuple of (int, datetime)
        When each node was last heard of; those that never were are not among them.
    ended_nodes : frozenset of int
        Those that said that they have no more to do.
    lost_nodes : frozenset of int
        Those that ended before they were done, or that nothing is heard of any more.
    trouble : Trouble or None
    cancel_asked : bool
    late_looks : int
        Looks while it is torn down, past its deadline.
    clear_looks : int
        Looks in a row that found nothing left.
    clear_since : datetime or None
        The first of them.
    verified : bool
        Whether it was seen that nothing is left.
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
        """Where this attempt is launched; None until that is known."""
        return self.zones[self.attempt % len(self.zones)] if self.zones else self.spec.zone

    @property
    def is_over(self) -> bool:
        """Return whether nothing is done for it any more."""
        return self.state in ENDED
