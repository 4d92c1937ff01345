"""A simulated AWS account with its own clock and its own bill, and a worker that crashes at given points.

It knows the actions and the observations, and nothing of the tested state machine: it counts the cost itself, from the
start of each instance to its end, independently of the run's own state.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Literal
from uuid import UUID

from stowage.runs.actions import (
    Action,
    DeleteGroups,
    DeleteObjects,
    DeleteVolumes,
    Instruct,
    Launch,
    Prepare,
    Terminate,
)
from stowage.runs.machine import did, failed, heard, step, took
from stowage.runs.observation import CloudError, Observation, ObservedInstance, ObservedObject, Room
from stowage.runs.orders import expected, phases
from stowage.runs.pace import Pace
from stowage.runs.quote import LEAST_BILLED_S, Quote
from stowage.runs.report import Report, Status
from stowage.runs.run import Resource, Run
from stowage.runs.spec import NetPlan, RunSpec, Volumes
from stowage.runs.step import Event, Step

START = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)
RUN = UUID("00000000-0000-4000-8000-000000000009")
NODE_USD_PER_HOUR, VOLUME_USD_PER_HOUR, REQUESTS_USD = 3.6, 0.001, 0.05
ROUNDING_USD = 0.01
SPEC = RunSpec("netbench", "i4i.large", 4, "us-east-1", time_limit_s=900.0, net=NetPlan(measured_s=20.0, warm_up_s=3.0))
DEAR = replace(SPEC, storage=Volumes("io2", 500, iops=64_000))
DEAR_USD_PER_HOUR = 1.8
"""A volume of `DEAR`, included in its node's price."""

Fate = Literal["answered", "throttled", "unreachable", "lost", "denied"]
Move = Callable[..., Step]


def quote_of(spec: RunSpec, attempts: int = 3) -> Quote:
    paid_s = spec.time_limit_s + LEAST_BILLED_S * (attempts - 1)
    usd = spec.nodes * NODE_USD_PER_HOUR * paid_s / 3600.0 + REQUESTS_USD + ROUNDING_USD
    return Quote(
        Decimal(f"{usd:.2f}"),
        (),
        spec.time_limit_s,
        START,
        START + timedelta(hours=24),
        NODE_USD_PER_HOUR,
        DEAR_USD_PER_HOUR if isinstance(spec.storage, Volumes) else VOLUME_USD_PER_HOUR,
        REQUESTS_USD,
        None,
        attempts,
    )


def approved(spec: RunSpec = SPEC) -> Run:
    quote = quote_of(spec)
    return Run(RUN, spec, quote, "approved", START, agreed_usd=quote.total_usd, approved_at=START)


@dataclass(frozen=True)
class Scenario:
    """Faults and their times; all times in seconds from the approval.

    ``calls`` are the fates of calls, by number, that are not just answered; ``crashes`` are the points, by their
    number, at which it crashes.
    """

    seed: int = 0
    listed_late_s: float = 0.0
    boots_s: float = 40.0
    shuts_down_s: float = 20.0
    no_capacity: frozenset[int] = frozenset()
    partial: frozenset[int] = frozenset()
    calls: Mapping[int, Fate] = field(default_factory=dict)
    crashes: frozenset[int] = frozenset()
    revoked_at_s: float | None = None
    restored_at_s: float | None = None
    deaths: tuple[tuple[int, float], ...] = ()
    silent: frozenset[int] = frozenset()
    flawed: frozenset[int] = frozenset()
    twice: bool = False
    cancelled_at_s: float | None = None
    away: tuple[float, float] | None = None
    clock: tuple[tuple[float, float], ...] = ()
    volumes_linger: bool = False
    spec: RunSpec = SPEC


@dataclass
class Node:
    id: str
    number: int
    attempt: int
    born_s: float
    listed_s: float
    up_s: float
    ends_itself_s: float
    ended_s: float | None = None
    reason: str | None = None
    works_from_s: float | None = None
    dies_s: float | None = None
    reported: set[str] = field(default_factory=set)


@dataclass
class Account:
    """The account at one moment of true time."""

    scenario: Scenario
    run_id: UUID = RUN
    now_s: float = 0.0
    nodes: dict[str, Node] = field(default_factory=dict)
    launches: dict[int, list[str]] = field(default_factory=dict)
    volumes: dict[str, float] = field(default_factory=dict)
    lingered: list[tuple[float, float]] = field(default_factory=list)
    groups: dict[str, float] = field(default_factory=dict)
    objects: dict[str, tuple[int, str]] = field(default_factory=dict)
    stopped: bool = False
    calls: int = 0

    def __post_init__(self) -> None:
        self.random = Random(self.scenario.seed)  # noqa: S311 - repeatable, not secret

    # Events that happen by themselves.

    def advance(self, to_s: float) -> None:
        for node in self.nodes.values():
            self._live(node, to_s)
        self.now_s = max(self.now_s, to_s)

    def _live(self, node: Node, to_s: float) -> None:
        if node.ended_s is not None:
            return
        ends_s, reason = node.ends_itself_s, "Client.InstanceInitiatedShutdown"
        if node.dies_s is not None and node.dies_s < ends_s:
            ends_s, reason = node.dies_s, "Server.InternalError"
        if node.works_from_s is not None and node.number not in self.scenario.silent:
            at_s = node.works_from_s
            for phase in phases(self.scenario.spec):
                at_s += phase.longest_s
                if (node.number, phase.name) not in expected(self.scenario.spec):
                    continue
                stopping = self.stopped and phase.name not in node.reported and at_s > self.now_s
                if at_s < min(ends_s, to_s) or stopping:
                    self._report(node, phase.name, whole=not stopping)
            done_s = at_s + 10.0
            if (self.stopped or done_s < to_s) and (self.now_s if self.stopped else done_s) < ends_s:
                ends_s, reason = (self.now_s if self.stopped else done_s), "Client.InstanceInitiatedShutdown"
        if ends_s <= to_s:
            self._end(node, max(ends_s, node.born_s), reason)

    def _report(self, node: Node, phase: str, *, whole: bool) -> None:
        key = f"nodes/{node.number:04}/{phase}.json"
        if phase in node.reported and not self.scenario.twice:
            return
        node.reported.add(phase)
        ok = whole and node.number not in self.scenario.flawed
        self.objects[key] = (node.number, "ok" if ok else "partial")

    def _end(self, node: Node, at_s: float, reason: str) -> None:
        node.ended_s, node.reason = at_s, reason
        for volume in [each for each in self.volumes if each.endswith(node.id)]:
            if self.scenario.volumes_linger:
                self.volumes[volume] = at_s
            else:
                del self.volumes[volume]

    # Actions that are requested of it.

    def _fate(self) -> Fate:
        scenario = self.scenario
        revoked = scenario.revoked_at_s is not None and self.now_s >= scenario.revoked_at_s
        if revoked and (scenario.restored_at_s is None or self.now_s < scenario.restored_at_s):
            return "denied"
        self.calls += 1
        return scenario.calls.get(self.calls, "answered")

    def look(self) -> Observation:
        fate = self._fate()
        if fate in {"throttled", "denied"}:
            raise CloudError("throttled" if fate == "throttled" else "denied", f"AWS says {fate}")
        if fate != "answered":
            raise CloudError("unreachable", "AWS does not answer")
        listed = [node for node in self.nodes.values() if node.listed_s <= self.now_s]
        return Observation(
            at=START + timedelta(seconds=self.now_s),
            instances=tuple(self._seen(node) for node in listed),
            volumes=tuple(each for each in self.volumes if self._holder(each).listed_s <= self.now_s),
            security_groups=self._listed_groups("sg-"),
            placement_groups=self._listed_groups("pg-"),
            objects=tuple(ObservedObject(key, 1, status) for key, (_, status) in sorted(self.objects.items())),
        )

    def _listed_groups(self, prefix: str) -> tuple[str, ...]:
        return tuple(each for each, at_s in self.groups.items() if each.startswith(prefix) and at_s <= self.now_s)

    def _holder(self, volume: str) -> Node:
        return self.nodes[volume.partition("-of-")[2]]

    def _seen(self, node: Node) -> ObservedInstance:
        state: Literal["pending", "running", "shutting-down", "terminated"]
        if node.ended_s is not None:
            state = "shutting-down" if self.now_s < node.ended_s + self.scenario.shuts_down_s else "terminated"
        else:
            state = "running" if self.now_s >= node.up_s else "pending"
        address = f"10.0.0.{node.number + 4}" if state in {"pending", "running"} else None
        ended_at = None if node.ended_s is None else START + timedelta(seconds=node.ended_s)
        born = START + timedelta(seconds=node.born_s)
        told = ended_at if self.scenario.seed % 2 else None
        return ObservedInstance(
            node.id, state, "us-east-1a", born, node.number, node.attempt, address, node.reason, told
        )

    def do(self, run: Run, action: Action) -> Sequence[Resource]:
        fate = self._fate()
        if fate in {"throttled", "denied"}:
            raise CloudError("throttled" if fate == "throttled" else "denied", f"AWS says {fate}")
        if fate == "unreachable":
            raise CloudError("unreachable", "AWS does not answer")
        new = self._do(run, action)
        if fate == "lost":
            raise CloudError("unreachable", "AWS took it, and the answer was lost")
        return new

    def _do(self, run: Run, action: Action) -> Sequence[Resource]:
        match action:
            case Prepare():
                listed_s = self.now_s + min(self.scenario.listed_late_s, 50.0)
                self.groups = {"sg-1": listed_s, "pg-1": listed_s} | self.groups
                self.objects["agent.pyz"] = (-1, "ok")
            case Launch():
                return self._launch(action)
            case Instruct():
                self._instruct(action)
            case Terminate():
                self._terminate(action)
            case DeleteVolumes():
                self.lingered += [
                    (self.volumes.pop(each), self.now_s) for each in action.volumes if each in self.volumes
                ]
            case DeleteGroups():
                self._delete_groups(action)
            case DeleteObjects():
                self.objects.clear()
            case _:
                raise AssertionError(f"a run of {run.spec.benchmark} does {action}")
        return ()

    def _delete_groups(self, action: DeleteGroups) -> None:
        if any(node.ended_s is None for node in self.nodes.values()):
            raise CloudError("unreachable", "the group is in use")
        for each in (*action.security_groups, *action.placement_groups):
            self.groups.pop(each, None)

    def _terminate(self, action: Terminate) -> None:
        for each in action.instances:
            node = self.nodes.get(each)
            if node is not None and node.listed_s <= self.now_s and node.ended_s is None:
                self._end(node, self.now_s, "Client.UserInitiatedShutdown")

    def _launch(self, action: Launch) -> Sequence[Resource]:
        if action.attempt not in self.launches:
            if action.attempt in self.scenario.no_capacity:
                raise CloudError("capacity", f"no capacity in {action.zone}")
            self.launches[action.attempt] = [self._born(action, number) for number in range(self.scenario.spec.nodes)]
            if action.attempt in self.scenario.partial:
                last = self.nodes[self.launches[action.attempt][-1]]
                last.dies_s = self.now_s + 5.0
        moment = START + timedelta(seconds=self.now_s)
        return [Resource("instance", each, 0.0, moment) for each in self.launches[action.attempt]]

    def _born(self, action: Launch, number: int) -> str:
        each = f"i-{action.attempt}-{number}"
        up_s = self.now_s + self.scenario.boots_s * self.random.uniform(0.7, 1.0)
        at_deadline_s = (action.deadline - START).total_seconds()
        dies = dict(self.scenario.deaths).get(number) if action.attempt == 0 else None
        self.nodes[each] = Node(
            each,
            number,
            action.attempt,
            self.now_s,
            self.now_s + self.scenario.listed_late_s * self.random.random(),
            up_s,
            # Both timers, by the node's own clock, which is right.
            max(up_s, min(at_deadline_s, self.now_s + action.longest_s)),
            dies_s=None if dies is None else self.now_s + dies,
        )
        self.volumes[f"vol-of-{each}"] = -1.0
        return each

    def _instruct(self, action: Instruct) -> None:
        self.objects["roll.json"] = (-1, "ok")
        for each, _ in action.nodes:
            node = self.nodes[each]
            if node.works_from_s is None:
                node.works_from_s = self.now_s + 5.0
        self.stopped = self.stopped or action.stop

    # Final checks, independent of the run's own state.

    def statuses(self) -> list[Status]:
        return [
            Status(node.number, self.now_s, "running", None, 0.0, "at work", (), {})
            for node in self.nodes.values()
            if node.works_from_s is not None and node.ended_s is None and node.number not in self.scenario.silent
        ]

    def reports(self, seen: Observation) -> list[Report]:
        found = []
        for each in seen.objects:
            parts = each.key.split("/")
            if parts[0] == "nodes":
                status: Literal["ok", "partial"] = "ok" if each.etag == "ok" else "partial"
                failure = None if status == "ok" else "cut short"
                found.append(Report(int(parts[1]), parts[2].removesuffix(".json"), status, failure, {}, "0" * 64))
        return found

    def left(self) -> list[str]:
        alive = [node.id for node in self.nodes.values() if node.ended_s is None]
        return [*alive, *self.volumes, *sorted(self.groups), *sorted(self.objects)]

    def usd(self) -> float:
        """Return the total cost as AWS bills it: by the second, 60 at least."""
        total = REQUESTS_USD if self.launches else 0.0
        for node in self.nodes.values():
            lasted_s = (self.now_s if node.ended_s is None else node.ended_s) - node.born_s
            total += max(lasted_s, LEAST_BILLED_S) * NODE_USD_PER_HOUR / 3600.0
            if node.ended_s is not None and isinstance(self.scenario.spec.storage, Volumes):
                # Its volumes, which are included in its price, are billed for their own time.
                there_s = lasted_s + min(self.now_s - node.ended_s, self.scenario.shuts_down_s)
                more_s = max(there_s, LEAST_BILLED_S) - max(lasted_s, LEAST_BILLED_S)
                total += more_s * DEAR_USD_PER_HOUR / 3600.0
        for ended_s, gone_s in self.lingered:
            total += (gone_s - ended_s) * VOLUME_USD_PER_HOUR / 3600.0
        return total


class Died(Exception):
    """The worker was killed here."""


@dataclass
class Mover:
    """A worker that reconciles a run repeatedly; it can crash between any two of its actions."""

    account: Account
    pace: Pace
    stored: Run
    move: Move = step
    log: list[Event] = field(default_factory=list)
    points: int = 0
    looks: int = 0

    def now(self) -> datetime:
        ahead_s = 0.0
        for at_s, offset_s in self.account.scenario.clock:
            if self.account.now_s >= at_s:
                ahead_s = offset_s
        return START + timedelta(seconds=self.account.now_s + ahead_s)

    def once(self) -> float | None:
        run = self.stored
        scenario = self.account.scenario
        if scenario.cancelled_at_s is not None and self.account.now_s >= scenario.cancelled_at_s:
            run = replace(run, cancel_asked=True)
        self.looks += 1
        seen: Observation | CloudError
        try:
            seen = self.account.look()
        except CloudError as error:
            seen = error
        now = self.now()
        if isinstance(seen, Observation):
            run = heard(took(run, self.account.reports(seen)), self.account.statuses(), now)
        room = Room(("us-east-1a", "us-east-1b", "us-east-1c"), None, None, 8) if run.state == "approved" else None
        found = self.move(run, seen, now, self.pace, room)
        self.may_die()
        self.stored = run = found.run
        self.log += found.events
        for action in found.actions:
            self.may_die()
            try:
                new = self.account.do(run, action)
            except CloudError as error:
                run, events = failed(run, action, error, self.now())
                self.log += events
                if run.state != "tearing-down":
                    break
            else:
                self.may_die()
                run = did(run, action, new, self.now())
        self.may_die()
        self.stored = run
        return found.look_again_s

    def may_die(self) -> None:
        self.points += 1
        if self.points in self.account.scenario.crashes:
            raise Died


def played(scenario: Scenario, pace: Pace | None = None, move: Move = step, most_s: float = 6 * 3600.0) -> Mover:
    """Reconcile a run until it ends."""
    account = Account(scenario)
    mover = Mover(account, pace or Pace(), approved(scenario.spec), move)
    while mover.looks < 20_000 and account.now_s < most_s and not mover.stored.is_over:
        try:
            again_s = mover.once()
        except Died:
            again_s = 30.0
        following = account.now_s + (again_s or 0.0) + 1.0
        if scenario.away is not None and scenario.away[0] <= following < scenario.away[0] + scenario.away[1]:
            following = scenario.away[0] + scenario.away[1]
        account.advance(following)
    return mover
