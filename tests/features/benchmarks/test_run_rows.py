"""Rows of benchmark runs: approved once, claimed by one worker, and kept while resources may exist."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text, update
from sqlalchemy.exc import IntegrityError

from quoted import KEY, approved, connected, quoted, read
from stowage.features.benchmarks.store import run_news, runs
from stowage.features.benchmarks.store.run_news import NewEvent
from stowage.features.benchmarks.store.runs import Claim, Reconciled
from stowage.features.benchmarks.tables import run
from stowage.platform.database.database import Connection, Database
from stowage.platform.jobs.heartbeats import ClaimLost
from stowage.runs.run import RunState

NOW = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)


@pytest.fixture
def account_id(database: Database, org_id: UUID) -> UUID:
    return connected(database, org_id)


def held(database: Database, org_id: UUID, run_id: UUID) -> Claim:
    with database.transaction(org_id) as connection:
        claim = runs.claim(connection, run_id)
    assert claim is not None
    return claim


def stands(state: RunState, spent_usd: str = "0.10", *, finished_at: datetime | None = None) -> Reconciled:
    return Reconciled(state, {"nodes": []}, NOW, NOW + timedelta(minutes=30), finished_at, Decimal(spent_usd))


def let_lease_run_out(database: Database, org_id: UUID, run_id: UUID) -> None:
    with database.transaction(org_id) as connection:
        connection.execute(update(run).where(run.c.id == run_id).values(lease_until=text("now() - interval '1 s'")))


def due_now(gate: Database) -> set[UUID]:
    with gate.transaction(None) as connection:
        return {run_id for _, run_id in runs.due(connection, 1000)}


def test_a_run_is_stored_once_under_its_id_and_read_without_its_key(
    database: Database, org_id: UUID, account_id: UUID
) -> None:
    run_id = quoted(database, org_id, account_id, now=NOW)
    stored = read(database, org_id, run_id)
    assert (stored.state, stored.agreed_usd, stored.created_at) == ("quoted", None, NOW)
    assert stored.spent_usd == 0
    assert not hasattr(stored, "key")
    with database.transaction(org_id) as connection:
        assert runs.key_of(connection, run_id) == KEY
        again = runs.NewRun(run_id, account_id, "another", {}, {}, Decimal(1), {}, KEY, "Bob", NOW)
        assert not runs.insert(connection, again)
    assert read(database, org_id, run_id).name == stored.name


def test_it_is_agreed_to_once_and_then_due(database: Database, gate: Database, org_id: UUID, account_id: UUID) -> None:
    run_id = quoted(database, org_id, account_id)
    assert run_id not in due_now(gate)
    with database.transaction(org_id) as connection:
        assert runs.agree(connection, run_id, usd=Decimal("3.21"), by="Ada", at=NOW)
        assert not runs.agree(connection, run_id, usd=Decimal("9.99"), by="Bob", at=NOW)
    stored = read(database, org_id, run_id)
    assert (stored.state, stored.agreed_usd, stored.agreed_by) == ("approved", Decimal("3.21"), "Ada")
    assert run_id in due_now(gate)


def test_a_run_without_an_approved_sum_cannot_be_launched(database: Database, org_id: UUID, account_id: UUID) -> None:
    run_id = quoted(database, org_id, account_id)
    with pytest.raises(IntegrityError, match="ck_run_approved"), database.transaction(org_id) as connection:
        connection.execute(update(run).where(run.c.id == run_id).values(state="launching", next_look_at=NOW))


@pytest.mark.parametrize("state", ["approved", "launching", "running", "collecting", "tearing-down"])
def test_a_run_that_is_under_way_is_always_looked_at_again(
    database: Database, org_id: UUID, account_id: UUID, state: RunState
) -> None:
    run_id = approved(database, org_id, account_id)
    with pytest.raises(IntegrityError, match="ck_run_next_look_at"), database.transaction(org_id) as connection:
        connection.execute(update(run).where(run.c.id == run_id).values(state=state, next_look_at=None))


def test_one_holds_it_and_another_takes_it_up_when_the_first_fell_silent(
    database: Database, gate: Database, org_id: UUID, account_id: UUID
) -> None:
    run_id = approved(database, org_id, account_id)
    first = held(database, org_id, run_id)
    assert run_id not in due_now(gate)
    with database.transaction(org_id) as connection:
        assert runs.claim(connection, run_id) is None
    let_lease_run_out(database, org_id, run_id)
    assert run_id in due_now(gate)
    second = held(database, org_id, run_id)
    assert second.attempt == first.attempt + 1
    changes: list[Callable[[Connection], None]] = [
        lambda connection: runs.keep(connection, first),
        lambda connection: runs.store(connection, first, stands("launching")),
        lambda connection: runs.release(connection, first, stands("launching"), 1.0),
    ]
    for change in changes:
        with pytest.raises(ClaimLost), database.transaction(org_id) as connection:
            change(connection)
    with database.transaction(org_id) as connection:
        runs.let_go(connection, first, 100.0)
        runs.store(connection, second, stands("launching"))
    assert read(database, org_id, run_id).state == "launching"


def test_a_lease_dated_by_a_clock_that_was_ahead_has_expired(
    database: Database, gate: Database, org_id: UUID, account_id: UUID
) -> None:
    run_id = approved(database, org_id, account_id)
    dead = held(database, org_id, run_id)
    with database.transaction(org_id) as connection:
        connection.execute(update(run).where(run.c.id == run_id).values(lease_until=text("now() + interval '20 min'")))
    assert run_id in due_now(gate)
    held(database, org_id, run_id)
    with database.transaction(org_id) as connection, pytest.raises(ClaimLost):
        runs.keep(connection, dead)


def test_what_is_stored_in_the_middle_of_a_move_is_due_again_if_the_holder_dies(
    database: Database, gate: Database, org_id: UUID, account_id: UUID
) -> None:
    run_id = approved(database, org_id, account_id)
    claim = held(database, org_id, run_id)
    with database.transaction(org_id) as connection:
        runs.store(connection, claim, stands("launching"))
    let_lease_run_out(database, org_id, run_id)
    assert run_id in due_now(gate)


def test_it_is_looked_at_again_when_that_is_due_and_never_when_it_has_ended(
    database: Database, gate: Database, org_id: UUID, account_id: UUID
) -> None:
    run_id = approved(database, org_id, account_id)
    for state, again_in_s, due in (("launching", 60.0, False), ("running", 0.0, True)):
        with database.transaction(org_id) as connection:
            connection.execute(update(run).where(run.c.id == run_id).values(next_look_at=text("now()")))
        claim = held(database, org_id, run_id)
        with database.transaction(org_id) as connection:
            runs.release(connection, claim, stands(state), again_in_s)  # type: ignore[arg-type]  # they are states
        assert (run_id in due_now(gate)) is due
    claim = held(database, org_id, run_id)
    with database.transaction(org_id) as connection:
        runs.release(connection, claim, stands("done", finished_at=NOW), 0.0)
    assert run_id not in due_now(gate)
    with database.transaction(org_id) as connection:
        assert runs.claim(connection, run_id) is None
        assert not runs.ask_cancel(connection, run_id, by="Ada", at=NOW)


def test_a_wish_to_cancel_during_a_move_is_not_lost(
    database: Database, gate: Database, org_id: UUID, account_id: UUID
) -> None:
    run_id = approved(database, org_id, account_id)
    claim = held(database, org_id, run_id)
    with database.transaction(org_id) as connection:
        assert runs.ask_cancel(connection, run_id, by="Bob", at=NOW)
        assert not runs.ask_cancel(connection, run_id, by="Eve", at=NOW)
    with database.transaction(org_id) as connection:
        runs.release(connection, claim, stands("running"), 3600.0)
    assert run_id in due_now(gate)
    assert held(database, org_id, run_id).cancel_asked
    stored = read(database, org_id, run_id)
    assert (stored.state, stored.cancel_asked_by, stored.cancel_asked_at) == ("running", "Bob", NOW)


def test_a_run_that_is_only_quoted_is_cancelled_at_once(
    database: Database, gate: Database, org_id: UUID, account_id: UUID
) -> None:
    run_id = quoted(database, org_id, account_id)
    with database.transaction(org_id) as connection:
        assert runs.ask_cancel(connection, run_id, by="Ada", at=NOW)
        assert not runs.agree(connection, run_id, usd=Decimal(1), by="Ada", at=NOW)
    stored = read(database, org_id, run_id)
    assert (stored.state, stored.finished_at) == ("cancelled", NOW)
    assert run_id not in due_now(gate)


def test_the_first_report_of_a_node_on_a_phase_counts(database: Database, org_id: UUID, account_id: UUID) -> None:
    run_id = approved(database, org_id, account_id)
    with database.transaction(org_id) as connection:
        stored = [
            run_news.add_report(connection, run_id, node=node, phase="net-2", content=content, sha256=content, at=NOW)
            for node, content in ((1, b"one"), (0, b"nought"), (1, b"another"))
        ]
        assert stored == [True, True, False]
        assert [(each.node, each.content) for each in run_news.reports(connection, run_id)] == [
            (0, b"nought"),
            (1, b"one"),
        ]
        assert run_news.reported(connection, run_id) == {(0, "net-2"): b"nought", (1, "net-2"): b"one"}


def test_of_what_a_node_says_of_itself_the_last_counts(database: Database, org_id: UUID, account_id: UUID) -> None:
    run_id = approved(database, org_id, account_id)
    with database.transaction(org_id) as connection:
        for node, words in ((1, "waits"), (0, "runs"), (1, "is done")):
            run_news.set_status(connection, run_id, node=node, content={"words": words}, at=NOW)
        found = [(each.node, each.content["words"]) for each in run_news.statuses(connection, run_id)]
    assert found == [(0, "runs"), (1, "is done")]


def test_the_log_is_read_from_either_end(database: Database, org_id: UUID, account_id: UUID) -> None:
    run_id = approved(database, org_id, account_id)
    kinds = ("state", "node", "state", "node")
    new = [NewEvent(NOW, kind, f"{number}", {"number": number}) for number, kind in enumerate(kinds)]
    with database.transaction(org_id) as connection:
        run_news.add_events(connection, run_id, new)
        run_news.add_events(connection, run_id, [])
        first = run_news.events(connection, run_id, limit=2)
        rest = run_news.events(connection, run_id, limit=9, after=first[-1].id)
        last = run_news.events(connection, run_id, limit=3, newest=True)
        states = run_news.events(connection, run_id, limit=9, kind="state")
    assert [each.words for each in (*first, *rest)] == ["0", "1", "2", "3"]
    assert [each.words for each in last] == ["1", "2", "3"]
    assert [each.content["number"] for each in states] == [0, 2]


def test_runs_that_launched_are_those_under_way_and_those_that_ended_since(
    database: Database, org_id: UUID, account_id: UUID
) -> None:
    began = NOW - timedelta(days=1)
    ids = []
    for finished_at in (None, NOW, began - timedelta(days=3)):
        ids.append(run_id := approved(database, org_id, account_id))
        claim = held(database, org_id, run_id)
        state: RunState = "running" if finished_at is None else "done"
        with database.transaction(org_id) as connection:
            runs.release(connection, claim, stands(state, finished_at=finished_at), 0.0)
    approved(database, org_id, account_id)
    with database.transaction(org_id) as connection:
        assert {each.id for each in runs.launched(connection, began)} == set(ids[:2])


def test_pages_of_runs_follow_one_another(database: Database, org_id: UUID, account_id: UUID) -> None:
    ids = [quoted(database, org_id, account_id, now=NOW + timedelta(seconds=n // 2)) for n in range(4)]
    seen: list[UUID] = []
    before: tuple[datetime, UUID] | None = None
    with database.transaction(org_id) as connection:
        while page := runs.list_newest(connection, limit=1, before=before):
            seen.append(page[0].id)
            before = page[0].created_at, page[0].id
        runs.ask_cancel(connection, ids[0], by="Ada", at=NOW)
        cancelled = runs.list_newest(connection, limit=9, state="cancelled")
        both = runs.get_all(connection, [ids[1], ids[2], uuid4()])
    assert sorted(seen) == sorted(ids)
    assert set(seen[:2]) == set(ids[2:])
    assert [each.id for each in cancelled] == [ids[0]]
    assert set(both) == {ids[1], ids[2]}


def test_results_are_accepted_once(database: Database, org_id: UUID, account_id: UUID) -> None:
    run_id, upload_id = quoted(database, org_id, account_id), uuid4()
    with database.transaction(org_id) as connection:
        connection.execute(
            text("INSERT INTO upload (id, name, size_bytes, state, person) VALUES (:id, 'run.json', 1, 'kept', 'Ada')"),
            {"id": upload_id},
        )
        assert runs.accept(connection, run_id, upload_id)
        assert not runs.accept(connection, run_id, upload_id)
    assert read(database, org_id, run_id).accepted_upload_id == upload_id


def test_runs_in_doubt_are_those_that_launched_and_were_not_seen_to_be_gone(
    database: Database, org_id: UUID, account_id: UUID
) -> None:
    ids = {}
    for verified in (True, False):
        run_id = ids[verified] = approved(database, org_id, account_id)
        claim = held(database, org_id, run_id)
        ended = replace(stands("failed", finished_at=NOW), content={"verified": verified})
        with database.transaction(org_id) as connection:
            runs.release(connection, claim, ended, 0.0)
    with database.transaction(org_id) as connection:
        assert [each.id for each in runs.in_doubt(connection, account_id, ended_before=NOW + timedelta(minutes=1))] == [
            ids[False]
        ]
        assert runs.in_doubt(connection, account_id, ended_before=NOW) == ()
        assert runs.verify(connection, ids[False], {"verified": True})
        assert runs.in_doubt(connection, account_id, ended_before=NOW + timedelta(minutes=1)) == ()
        assert runs.regions(connection, account_id) == ("us-east-1",)


def test_across_teams_the_gate_sees_only_which_runs_are_due_and_which_accounts_can_be_reached(
    database: Database, gate: Database, org_id: UUID, other_org_id: UUID, account_id: UUID
) -> None:
    other_account = connected(database, other_org_id)
    mine, theirs = approved(database, org_id, account_id), approved(database, other_org_id, other_account)
    with database.transaction(other_org_id) as connection:
        assert runs.get(connection, mine) is None
        assert runs.claim(connection, mine) is None
        assert not runs.ask_cancel(connection, mine, by="Eve", at=NOW)
    with gate.transaction(None) as connection:
        due = set(runs.due(connection, 1000))
        reached = set(runs.connected(connection))
    assert {(org_id, mine), (other_org_id, theirs)} <= due
    assert {(org_id, account_id), (other_org_id, other_account)} <= reached
    with database.transaction(org_id) as connection:
        connection.execute(text("UPDATE aws_account SET removed_at = now() WHERE id = :id"), {"id": account_id})
    with gate.transaction(None) as connection:
        assert account_id not in {account for _, account in runs.connected(connection)}
