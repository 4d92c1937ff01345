"""Reconciliation of benchmark runs: repeated steps that drive each run to its end and remove its AWS resources.

One reconciliation lists the resources in the account and reads the nodes' files. It asks `stowage.runs.machine` for the
next actions, stores the new state of the run, and then carries out the actions. It may be interrupted at any point: the
next reconciliation finds the intended actions, lists the resources, and repeats the actions that can be repeated.

A worker claims a run while it reconciles it, so reconciliations of one run never overlap. A worker that lost its claim
stores nothing.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from functools import partial
from threading import Event as Flag
from typing import Any
from uuid import UUID, uuid4

from stowage.features.benchmarks.aws_accounts import connection_of
from stowage.features.benchmarks.store import aws_accounts, run_news
from stowage.features.benchmarks.store import runs as store
from stowage.features.benchmarks.store.run_news import NewEvent
from stowage.features.benchmarks.store.runs import Claim, StoredRun
from stowage.features.benchmarks.stored_runs import reconciled, run_of
from stowage.frozen import frozen
from stowage.platform.database.database import Database
from stowage.platform.database.errors import Unreachable
from stowage.platform.jobs.heartbeats import ClaimLost, heartbeats
from stowage.platform.jobs.jobs import is_out_of_time
from stowage.platform.jobs.queue import Queue
from stowage.runs import cost, machine, mailbox
from stowage.runs.actions import Action
from stowage.runs.cloud import Cloud, Clouds
from stowage.runs.machine import Event, Pace, Step
from stowage.runs.observation import CloudError, Observation, Room
from stowage.runs.orders import node_key
from stowage.runs.report import Refused, Report, Status, read_report, read_status
from stowage.runs.run import Run

log = logging.getLogger(__name__)

_BEAT_EVERY_S = 2.0
_MOST_DUE = 200
_MOST_FETCHED = 400
"""Maximum number of node files that one reconciliation reads; the next one reads the rest."""
_MOST_REFUSED = 50
"""Maximum number of remarks on rejected files, so that a node with many of them cannot fill the log."""
_AFTER_A_FAULT_S = 15.0

Clock = Callable[[], datetime]


@frozen
class Outside:
    """Database, queue and other dependencies of the reconciliation of runs."""

    database: Database
    queue: Queue
    clouds: Clouds
    pace: Pace
    clock: Clock
    """Returns the current time, with its time zone."""


@frozen
class _NodeFiles:
    """Files that the nodes of a run have written since the last reconciliation, parsed and verified."""

    etags: Mapping[str, str]
    """ETags of all files read so far, including rejected files."""
    reports: Sequence[tuple[Report, bytes]] = ()
    """Each report with its content in the bucket."""
    statuses: Sequence[Status] = ()
    refused: Sequence[str] = ()
    """Reason for each rejected file."""


class _Gone(Exception):
    """Error that ends this reconciliation because another worker has claimed the run."""


def send_due(gate: Database, queue: Queue) -> int:
    """Send a message for each run of any team that is due and not claimed.

    Parameters
    ----------
    gate : Database
        Database as the auth role, which may read the due runs of all teams.

    Returns
    -------
    int
        Number of runs that are due.
    """
    with gate.transaction(None) as connection:
        due = store.due(connection, _MOST_DUE)
    queue.send_reconciliations(due)
    return len(due)


def reconcile(outside: Outside, org_id: UUID, run_id: UUID) -> bool:
    """Reconcile a run once; do nothing if it is not due or another worker has claimed it.

    Returns
    -------
    bool
        Whether the run was reconciled.

    Raises
    ------
    Unreachable
        The database became unreachable; the run is due again soon.
    """
    with outside.database.transaction(org_id) as connection:
        claim = store.claim(connection, run_id)
        stored = None if claim is None else store.get(connection, run_id)
        if claim is None or stored is None:
            return False
        reconciler = _Mover(
            outside, org_id, claim, stored, run_news.reported(connection, run_id), store.key_of(connection, run_id)
        )
    try:
        beat = partial(store.keep, held=claim)
        with heartbeats(outside.database, org_id, beat, _BEAT_EVERY_S) as lost:
            at_once = reconciler.reconcile(lost)
    except (ClaimLost, _Gone):
        log.info("run %s was claimed by another worker", run_id)
        return False
    except Unreachable:
        raise
    except Exception:
        log.exception("reference %s: the reconciliation of run %s failed", uuid4().hex[:12], run_id)
        # Its nodes terminate themselves in any case, and the run is retried until it ends.
        with outside.database.transaction(org_id) as connection:
            store.let_go(connection, claim, _AFTER_A_FAULT_S)
        return False
    outside.queue.announce(run_id)
    if at_once:
        outside.queue.send_reconciliations([(org_id, run_id)])
    return True


class _Mover:
    """One reconciliation of one run."""

    def __init__(
        self,
        outside: Outside,
        org_id: UUID,
        claim: Claim,
        stored: StoredRun,
        reported: Mapping[tuple[int, str], bytes],
        key: bytes,
    ) -> None:
        self._outside = outside
        self._org_id = org_id
        self._claim = claim
        self._stored = stored
        self._reported = reported
        self._key = key
        self._kept: Mapping[str, Any] = stored.content.get("kept", {})
        self._cloud: Cloud | None = None

    def reconcile(self, lost: Flag) -> bool:
        """Reconcile the run, and return whether it must be reconciled again at once.

        The steps: observe the account and the nodes' files, decide on the next actions, store these actions, carry them
        out, and store the outcome.
        """
        run = run_of(self._stored, frozenset(self._reported))
        seen, room = self._look(run)
        found = _NodeFiles({}) if isinstance(seen, CloudError) else self._read(run, seen)
        now = self._outside.clock()
        run = machine.took(run, [report for report, _ in found.reports])
        run = machine.heard(run, found.statuses, now)
        step = machine.step(run, seen, now, self._outside.pace, room)
        events = [*self._remarks(found), *_events(step.events, now)]
        again_s = self._outside.pace.look_s if step.look_again_s is None else step.look_again_s
        self._store(step, found, events, None if step.actions else again_s, now)
        if step.actions:
            run, events = self._do(step, lost)
            with self._outside.database.transaction(self._org_id) as connection:
                run_news.add_events(connection, run.id, events)
                store.release(connection, self._claim, self._moved(run, found, self._outside.clock()), again_s)
        return again_s <= 0.0 and not run.is_over

    def _look(self, run: Run) -> tuple[Observation | CloudError, Room | None]:
        try:
            self._cloud = self._reach(run)
            room = self._cloud.room(run.spec) if run.state == "approved" else None
            return self._cloud.look(run), room
        except CloudError as error:
            return error, None
        except Exception as error:
            if is_out_of_time(error):
                raise
            return _fault(error, f"looking at run {run.id}"), None

    def _reach(self, run: Run) -> Cloud:
        with self._outside.database.transaction(self._org_id) as connection:
            account = aws_accounts.get(connection, self._stored.account_id)
        reached = None if account is None else connection_of(account, self._org_id)
        if reached is None:
            raise CloudError("denied", "The account is not connected any more.")
        return self._outside.clouds.of(reached, run.spec.region)

    def _read(self, run: Run, seen: Observation) -> _NodeFiles:
        """Read and verify the files that the nodes have written since the last reconciliation."""
        etags = dict(self._kept.get("etags", {}))
        reports: list[tuple[Report, bytes]] = []
        statuses: list[Status] = []
        refused: list[str] = []
        for wanted in mailbox.to_fetch(run, seen.objects, etags)[:_MOST_FETCHED]:
            try:
                content = self._cloud_there().fetch(run, wanted.key, wanted.most_bytes)
            except CloudError as error:
                # A lasting error shows up when the next reconciliation lists the account or reads the file.
                log.warning("run %s: cannot read %s: %s", run.id, wanted.key, error)
                break
            etags[wanted.key] = wanted.etag
            key = node_key(self._key, wanted.node)
            said: Report | Status | Refused
            if wanted.phase is None:
                said = read_status(content, key, run.id, wanted.node)
            else:
                said = read_report(content, key, run.id, wanted.node, wanted.phase)
            if isinstance(said, Refused):
                refused.append(said.words)
            elif isinstance(said, Status):
                statuses.append(said)
            elif (before := self._reported.get((said.node, said.phase))) is None:
                reports.append((said, content))
            elif before.hex() != said.sha256:
                refused.append(
                    f"node {said.node} reported on {said.phase} once more, and not the same: the first counts"
                )
        return _NodeFiles(etags, reports, statuses, refused)

    def _remarks(self, found: _NodeFiles) -> Iterator[NewEvent]:
        now = self._outside.clock()
        for words in found.refused[: max(0, _MOST_REFUSED - int(self._kept.get("refused", 0)))]:
            yield NewEvent(now, "remark", _sentence(words), {})

    def _store(
        self, step: Step, found: _NodeFiles, events: Sequence[NewEvent], again_s: float | None, now: datetime
    ) -> None:
        """Store the observations and the intended actions before carrying out any action.

        Parameters
        ----------
        again_s : float or None
            Delay until the next reconciliation if there is no action to carry out [s]; None if there is an action.
        """
        run_id = step.run.id
        with self._outside.database.transaction(self._org_id) as connection:
            for report, content in found.reports:
                run_news.add_report(
                    connection,
                    run_id,
                    node=report.node,
                    phase=report.phase,
                    content=content,
                    sha256=bytes.fromhex(report.sha256),
                    at=now,
                )
            for status in found.statuses:
                run_news.set_status(connection, run_id, node=status.node, content=_told(status), at=now)
            run_news.add_events(connection, run_id, events)
            stands = self._moved(step.run, found, now)
            if again_s is None:
                store.store(connection, self._claim, stands)
            else:
                store.release(connection, self._claim, stands, again_s)
        self._outside.queue.announce(run_id)

    def _do(self, step: Step, lost: Flag) -> tuple[Run, list[NewEvent]]:
        run, events = step.run, list[NewEvent]()
        for action in step.actions:
            if lost.is_set():
                raise _Gone
            now = self._outside.clock()
            made = self._done(run, action)
            if not isinstance(made, CloudError):
                run = machine.did(run, action, made, self._outside.clock())
                continue
            run, told = machine.failed(run, action, made, now)
            events += _events(told, now)
            # Later actions may depend on the one that failed; only removals are independent of each other.
            if run.state != "tearing-down":
                break
        return run, events

    def _done(self, run: Run, action: Action) -> Sequence[Any] | CloudError:
        try:
            return self._cloud_there().do(run, action, self._key)
        except CloudError as error:
            return error
        except Exception as error:
            if is_out_of_time(error):
                raise
            return _fault(error, f"{type(action).__name__} of run {run.id}")

    def _cloud_there(self) -> Cloud:
        if self._cloud is None:
            raise CloudError("unreachable", "The account could not be reached.")
        return self._cloud

    def _moved(self, run: Run, found: _NodeFiles, now: datetime) -> store.Reconciled:
        etags = {**self._kept.get("etags", {}), **found.etags}
        kept = {"etags": etags, "refused": int(self._kept.get("refused", 0)) + len(found.refused)}
        stands = reconciled(run, cost.spent(run, now))
        return replace(stands, content={**stands.content, "kept": {} if run.is_over else kept})


def _events(events: Sequence[Event], at: datetime) -> list[NewEvent]:
    return [NewEvent(at, each.kind, each.words, each.content) for each in events]


def _told(status: Status) -> dict[str, Any]:
    return {name: value for name, value in asdict(status).items() if name != "node"}


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."


def _fault(error: Exception, during: str) -> CloudError:
    """Convert an internal error to a temporary `CloudError`.

    The reconciliation is then repeated, so that the run still reaches its end.
    """
    reference = uuid4().hex[:12]
    log.error("reference %s: %s", reference, during, exc_info=error)
    return CloudError("unreachable", f"Something went wrong on our side (reference {reference}).")
