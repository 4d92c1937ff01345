"""Watched plans against the real database, with a moved clock and new catalog versions in between."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Barrier
from typing import Any, Literal
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text

from database import superuser
from kept_measurements import FIRST, disks, fio, keep
from small_catalogs import Versions, small_catalogs
from stowage.features.alerts import alerts
from stowage.features.alerts.schemas import AlertAnswer
from stowage.features.planning import plans, since
from stowage.features.planning import store as plan_store
from stowage.features.planning.watches import checking as plan_watching
from stowage.features.planning.watches import store
from stowage.features.planning.watches import watches as plan_watches
from stowage.features.planning.watches.schemas import NewPlanWatch, PlanWatchAnswer
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import DatabaseUrls
from stowage.platform.errors import Conflict, NotFound
from stowage.platform.jobs.queue import Queue
from stowage.workloads.workload_file import parse_workload

DAY = timedelta(days=1)
# Behind the database's clock, by which nothing here is due: no periodic task of another test claims it.
NOW = datetime(2126, 3, 1, 9, 30, tzinfo=UTC)
QUESTION = {
    "workload": {"data": "1 TB", "name": "nightly sort"},
    "limits": {"max_nodes": 10},
    "assume": {"usual": "ignored"},
}
EVEN = {"i3.8xlarge": 1.0, "i3en.6xlarge": 1.0, "i4i.8xlarge": 1.0}
DAILY = NewPlanWatch(every="day", percent=5.0)


class Still(Queue):
    """A queue that accepts messages and sends none: the tests do the work themselves."""

    def send_each(self, *_: Any, **__: Any) -> bool:
        """Report the message as sent."""
        return True


@pytest.fixture
def still(redis_url: str) -> Iterator[Queue]:
    with Still(redis_url) as queue:
        yield queue


@pytest.fixture
def versions(database: Database, postgres: DatabaseUrls) -> Iterator[Versions]:
    with small_catalogs(database, postgres) as made:
        yield made


@pytest.fixture
def plan_id(database: Database, org_id: UUID, versions: Versions) -> UUID:
    """Save a plan on the first version."""
    versions.put(EVEN)
    plan_id = uuid4()
    plans.save_plan(database, org_id, parse_workload(QUESTION), plan_id=plan_id, now=NOW, clock=lambda: 0.0)
    return plan_id


class Watched:
    """One watched plan, and the passage of days."""

    def __init__(self, database: Database, org_id: UUID, queue: Queue, plan_id: UUID, asked: NewPlanWatch) -> None:
        self.database, self.org_id, self.queue, self.plan_id = database, org_id, queue, plan_id
        self.now = NOW
        plan_watches.watch(database, org_id, queue, plan_id, asked, by="Ada", now=self.now)

    def check(self, later: timedelta = timedelta()) -> PlanWatchAnswer:
        """Process its message as a worker does."""
        self.now += later
        plan_watching.check(self.database, self.org_id, self.plan_id, self.now, lambda: 0.0)
        return self.read()

    def read(self) -> PlanWatchAnswer:
        """Read it."""
        return plan_watches.read(self.database, self.org_id, self.plan_id, now=self.now)

    def told(self) -> list[AlertAnswer]:
        """List the team's notifications, oldest first."""
        return alerts.list_alerts(self.database, self.org_id, limit=100, cursor=None).alerts[::-1]


@pytest.fixture
def watched(database: Database, org_id: UUID, still: Queue, plan_id: UUID) -> Watched:
    return Watched(database, org_id, still, plan_id, DAILY)


def winner_of(answer: PlanWatchAnswer) -> str:
    winner = answer.checks[-1].winner
    assert winner is not None
    return winner.instance


def test_a_new_watch_is_checked_at_once_against_what_was_saved_and_nothing_changed_is_nothing_told(
    watched: Watched, versions: Versions
) -> None:
    begun = watched.read()
    assert (begun.state, begun.checking, begun.checks, begun.person) == ("on", True, [], "Ada")
    assert begun.told is not None
    assert begun.told.at == NOW
    answer = watched.check(timedelta(seconds=2))
    [found] = answer.checks
    assert (found.problem, found.told, found.catalog_version) == (None, False, versions.names[0])
    assert (answer.checking, answer.next_check_at) == (False, NOW + DAY)
    assert watched.told() == []


def test_it_is_not_checked_before_it_is_due_and_a_repeated_message_does_nothing(watched: Watched) -> None:
    for _ in range(3):
        assert len(watched.check(timedelta(seconds=2)).checks) == 1
    assert len(watched.check(DAY).checks) == 2
    assert len(watched.check(timedelta(minutes=1)).checks) == 2


def test_another_winner_is_told_once_with_both_and_the_reason(watched: Watched, versions: Versions) -> None:
    first = winner_of(watched.check())
    versions.put({name: (1.0 if name == first else 0.5) for name in EVEN})
    second = winner_of(watched.check(DAY))
    assert second != first
    watched.check(DAY)
    [alert] = watched.told()
    assert (alert.plan_id, alert.plan_name, alert.profile_key) == (watched.plan_id, "nightly sort", None)
    assert f"× {second} for $" in alert.words
    assert "comes first instead of" in alert.words
    assert f"× {first} for $" in alert.words
    assert alert.words.endswith(f" By catalog {versions.names[1]} instead of {versions.names[0]}.")
    assert alert.direction == "improvement"
    assert [check.told for check in watched.read().checks] == [False, True, False]


def test_small_steps_are_told_once_they_have_gone_far_enough_and_a_change_back_is_a_change(
    watched: Watched, versions: Versions
) -> None:
    watched.check()
    # All prices change alike, so that the winner stays: 4% above the saved one, then 8%, 8%, 0%.
    told = []
    for factor in (1.04, 1.08, 1.08, 1.0):
        versions.put(dict.fromkeys(EVEN, factor))
        told.append(watched.check(DAY).checks[-1].told)
    assert told == [False, True, False, True]
    up, down = watched.told()
    assert (up.direction, down.direction) == ("regression", "improvement")
    assert up.factor == pytest.approx(1.08, abs=1e-3)
    assert "stays first and costs" in up.words
    assert "8% more" in up.words
    assert down.factor == pytest.approx(1 / 1.08, abs=1e-3)


@pytest.mark.parametrize(("objective", "unit"), [("month", " a month"), ("time", " min")], ids=["month", "time"])
def test_what_the_plan_looks_for_is_what_is_watched(
    database: Database,
    org_id: UUID,
    still: Queue,
    versions: Versions,
    objective: Literal["month", "time"],
    unit: str,
) -> None:
    versions.put(EVEN)
    plan_id = uuid4()
    asked = parse_workload({**QUESTION, "objective": objective})
    saved = plans.save_plan(database, org_id, asked, plan_id=plan_id, now=NOW, clock=lambda: 0.0)
    [first_row, *_] = saved.in_objects().answer.configurations
    watched = Watched(database, org_id, still, plan_id, DAILY)
    first = watched.check()
    assert first.told is not None
    assert first.told.objective == objective
    assert first.checks[0].winner is not None
    assert first.checks[0].winner.month_usd == first_row.cost_always_on_usd
    assert first.checks[0].winner.time_s == first_row.time_s.p50
    winner = first.checks[0].winner.instance
    # A plan with the objective time gets no news of prices.
    versions.put(dict.fromkeys(EVEN, 2.0))
    assert watched.check(DAY).checks[-1].told == (objective == "month")
    if objective == "time":
        for number in range(3):
            keep(database, org_id, [(each, disks(winner, 2)) for each in fio(20.0, 20.0, FIRST + number * DAY)])
        assert watched.check(DAY).checks[-1].told
    [alert] = watched.told()
    assert alert.direction == "regression"
    assert unit in alert.words


def test_what_the_team_measures_is_in_the_next_check(watched: Watched, database: Database, org_id: UUID) -> None:
    first = winner_of(watched.check())
    for number in range(3):
        keep(database, org_id, [(each, disks(first, 2)) for each in fio(200.0, 200.0, FIRST + number * DAY)])
    assert watched.check(DAY).checks[-1].told
    assert watched.told()[-1].words.endswith(" By what has been measured or published since.")


def test_nothing_that_meets_the_limits_is_told_and_so_is_that_something_does_again(
    watched: Watched, database: Database, org_id: UUID
) -> None:
    watched.check()
    with database.transaction(org_id) as connection:
        connection.execute(
            text("UPDATE plan SET workload = jsonb_set(workload::jsonb, '{limits,budget}', '\"0.01 USD\"')::json")
        )
    found = watched.check(DAY).checks[-1]
    assert (found.winner, found.problem, found.told) == (None, None, True)
    assert not watched.check(DAY).checks[-1].told
    with database.transaction(org_id) as connection:
        connection.execute(text("UPDATE plan SET workload = (workload::jsonb #- '{limits,budget}')::json"))
    assert watched.check(DAY).checks[-1].told
    gone, back = watched.told()
    assert gone.words.startswith("Nothing meets the limits any more; ")
    assert "meets the limits; nothing did before." in back.words


def test_a_report_of_a_watched_plan_learns_what_comes_first_now(watched: Watched, versions: Versions) -> None:
    def said() -> str | None:
        with watched.database.transaction(watched.org_id) as connection:
            return since.sentences_of(connection, [watched.plan_id]).get(watched.plan_id)

    first = winner_of(watched.check())
    assert said() is None
    versions.put({name: (1.0 if name == first else 0.5) for name in EVEN})
    assert said() == (
        "Since this answer was computed, the catalog of prices changed: the answer may be another one today."
    )
    second = winner_of(watched.check(DAY))
    words = re.fullmatch(
        r"Since then the answer changed: \d+ × (\S+) now comes first instead of \d+ × (\S+) "
        r"\(checked on 2 Mar 2126\)\.",
        said() or "",
    )
    assert words is not None
    assert words.groups() == (second, first)
    # Later it is the saved winner again, at another price.
    versions.put({name: (0.4 if name == first else 2.0) for name in EVEN})
    assert winner_of(watched.check(DAY)) == first
    assert re.search(rf"{first} still comes first, with \$\S+ instead of \$", said() or "")


def test_a_catalog_that_does_not_know_the_region_is_a_problem_that_is_shown_and_it_goes_on(
    watched: Watched, versions: Versions
) -> None:
    watched.check()
    versions.put(EVEN, region="eu-west-1")
    found = watched.check(DAY).checks[-1]
    assert found.problem is not None
    assert "us-east-1" in found.problem
    assert (found.catalog_version, found.winner, found.told) == (None, None, False)
    assert not watched.check(DAY).checking
    versions.put(dict.fromkeys(EVEN, 1.5))
    # Compared with the team's last notification, from before the problem.
    assert watched.check(DAY).checks[-1].told
    assert len(watched.told()) == 1


def test_periods_that_were_missed_are_not_made_up_for_and_keep_their_time_of_day(watched: Watched) -> None:
    watched.check()
    answer = watched.check(10 * DAY + timedelta(hours=5))
    assert len(answer.checks) == 2
    assert answer.next_check_at == NOW + 11 * DAY


def test_a_removed_plan_is_not_checked_and_goes_on_when_it_is_brought_back(
    watched: Watched, database: Database, org_id: UUID
) -> None:
    watched.check()
    plans.delete_plan(database, org_id, watched.plan_id, watched.now)
    plan_watching.check(database, org_id, watched.plan_id, watched.now + DAY, lambda: 0.0)
    assert plan_watches.list_watches(database, org_id, now=watched.now).watches == []
    with pytest.raises(NotFound):
        watched.read()
    plans.restore_plan(database, org_id, watched.plan_id)
    assert len(watched.read().checks) == 1
    assert len(watched.check(2 * DAY).checks) == 2


def test_a_plan_that_is_gone_for_good_takes_its_watch_and_its_alerts_with_it(
    watched: Watched, database: Database, org_id: UUID, versions: Versions
) -> None:
    watched.check()
    versions.put(dict.fromkeys(EVEN, 2.0))
    watched.check(DAY)
    assert len(watched.told()) == 1
    with database.transaction(org_id) as connection:
        plan_store.delete_all(connection)
    plan_watching.check(database, org_id, watched.plan_id, watched.now + DAY, lambda: 0.0)
    assert watched.told() == []


def test_of_two_workers_one_checks_and_what_a_lost_one_held_is_taken_up_when_its_time_is_over(
    watched: Watched, database: Database, org_id: UUID
) -> None:
    def take(at: datetime) -> store.StoredPlanWatch | None:
        with database.transaction(org_id) as connection:
            return store.take(connection, watched.plan_id, at, at + plan_watching.HELD_FOR)

    lost = take(NOW)
    assert lost is not None
    assert take(NOW + timedelta(seconds=1)) is None
    assert watched.check(timedelta(seconds=1)).checks == []
    assert watched.read().checking
    assert len(watched.check(plan_watching.HELD_FOR).checks) == 1
    # The first worker resumes after all, and finds that its claim is lost.
    with database.transaction(org_id) as connection:
        assert lost.taken_until is not None
        assert store.still_held(connection, watched.plan_id, lost.taken_until) is None


def test_of_many_workers_at_the_same_moment_one_tells(
    watched: Watched, database: Database, org_id: UUID, versions: Versions
) -> None:
    watched.check()
    versions.put(dict.fromkeys(EVEN, 2.0))
    together = Barrier(4)

    def check() -> None:
        together.wait()
        plan_watching.check(database, org_id, watched.plan_id, NOW + DAY, lambda: 0.0)

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(check) for _ in range(4)]:
            done.result()
    assert [check.told for check in watched.read().checks] == [False, True]
    assert len(watched.told()) == 1


def test_a_search_that_ends_its_workers_is_given_up_until_the_next_period(
    watched: Watched, database: Database, org_id: UUID
) -> None:
    for _ in range(plan_watching.MOST_TRIES):
        with database.transaction(org_id) as connection:
            assert store.take(connection, watched.plan_id, watched.now, watched.now + plan_watching.HELD_FOR)
        watched.now += plan_watching.HELD_FOR
    answer = watched.check()
    assert answer.checks[-1].problem == "The search was started 3 times and never completed."
    assert answer.next_check_at == NOW + DAY
    assert watched.check(DAY).checks[-1].problem is None


def test_what_was_ended_meanwhile_is_not_told(
    watched: Watched, database: Database, org_id: UUID, versions: Versions
) -> None:
    watched.check()
    versions.put(dict.fromkeys(EVEN, 2.0))

    def ending() -> float:
        plan_watches.end(database, org_id, watched.plan_id, now=watched.now)
        return 0.0

    plan_watching.check(database, org_id, watched.plan_id, NOW + DAY, ending)
    assert watched.told() == []
    assert (watched.read().state, len(watched.read().checks)) == ("off", 1)


def test_an_ended_watch_goes_on_with_what_was_told_last_and_at_the_same_time_of_day(
    watched: Watched, database: Database, org_id: UUID, still: Queue, versions: Versions
) -> None:
    watched.check()
    plan_watches.end(database, org_id, watched.plan_id, now=NOW)
    assert (watched.read().state, watched.read().next_check_at) == ("off", None)
    versions.put(dict.fromkeys(EVEN, 2.0))
    assert len(watched.check(3 * DAY).checks) == 1
    again = plan_watches.watch(database, org_id, still, watched.plan_id, DAILY, by="Bob", now=watched.now)
    # Checks that were missed meanwhile are due now, once.
    assert (again.state, again.next_check_at, len(again.checks)) == ("on", NOW + DAY, 1)
    assert watched.check().checks[-1].told
    assert watched.read().next_check_at == NOW + 4 * DAY


def test_another_period_counts_from_now_and_another_percentage_holds_for_the_next_check(
    watched: Watched, database: Database, org_id: UUID, still: Queue, versions: Versions
) -> None:
    watched.check()
    watched.now += timedelta(hours=1)
    weekly = NewPlanWatch(every="week", percent=50.0)
    answer = plan_watches.watch(database, org_id, still, watched.plan_id, weekly, by="Ada", now=watched.now)
    assert (answer.every, answer.percent, answer.next_check_at) == ("week", 50.0, watched.now + 7 * DAY)
    assert answer.checking is False
    versions.put(dict.fromkeys(EVEN, 1.4))
    assert not watched.check(7 * DAY).checks[-1].told


def test_who_asks_for_a_check_gets_one_and_the_next_is_due_as_before(
    watched: Watched, database: Database, org_id: UUID, still: Queue
) -> None:
    watched.check()
    watched.now += timedelta(hours=2)
    for _ in range(2):
        asked = plan_watches.ask_check(database, org_id, still, watched.plan_id, now=watched.now)
        assert (asked.checking, asked.next_check_at) == (True, NOW + DAY)
    answer = watched.check()
    assert (len(answer.checks), answer.checking, answer.next_check_at) == (2, False, NOW + DAY)
    plan_watches.end(database, org_id, watched.plan_id, now=watched.now)
    with pytest.raises(Conflict, match="is not watched"):
        plan_watches.ask_check(database, org_id, still, watched.plan_id, now=watched.now)


def test_so_many_checks_of_a_plan_are_kept(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan_watching, "KEPT_CHECKS", 3)
    for day in range(5):
        watched.check(DAY if day else timedelta())
    checks = watched.read().checks
    assert [check.at for check in checks] == [NOW + day * DAY for day in (2, 3, 4)]


def test_a_team_watches_so_many_plans_and_lists_them_all(
    watched: Watched, database: Database, org_id: UUID, still: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched.check()
    monkeypatch.setattr(plan_watches, "MOST_WATCHES", 2)
    copies = [uuid4() for _ in range(2)]
    for copy_id in copies:
        plans.duplicate_plan(database, org_id, watched.plan_id, copy_id=copy_id, now=NOW)
    plan_watches.watch(database, org_id, still, copies[0], DAILY, by="Ada", now=NOW)
    with pytest.raises(Conflict, match="watches 2 plans"):
        plan_watches.watch(database, org_id, still, copies[1], DAILY, by="Ada", now=NOW)
    listed = plan_watches.list_watches(database, org_id, now=watched.now).watches
    assert [(row.plan_id, row.checking) for row in listed] == [(copies[0], True), (watched.plan_id, False)]
    assert listed[1].last is not None
    # A watch that is ended or deleted makes room for another.
    plans.delete_plan(database, org_id, watched.plan_id, NOW)
    plan_watches.watch(database, org_id, still, copies[1], DAILY, by="Ada", now=NOW)


def test_the_auth_role_lists_due_checks_each_team_in_turn_and_none_twice(
    database: Database,
    gate: Database,
    postgres: DatabaseUrls,
    org_id: UUID,
    other_org_id: UUID,
    still: Queue,
    versions: Versions,
) -> None:
    versions.put(EVEN)
    ids: dict[UUID, list[UUID]] = {org_id: [], other_org_id: []}
    at = datetime.now(UTC)
    for team, count in ((org_id, 3), (other_org_id, 1)):
        for number in range(count):
            plan_id = uuid4()
            if number:
                plans.duplicate_plan(database, team, ids[team][0], copy_id=plan_id, now=at)
            else:
                plans.save_plan(database, team, parse_workload(QUESTION), plan_id=plan_id, now=at, clock=lambda: 0.0)
            ids[team].append(plan_id)
            begun = at - DAY + timedelta(seconds=number)
            plan_watches.watch(database, team, still, plan_id, DAILY, by="Ada", now=begun)

    def due(most: int = 1_000) -> list[UUID]:
        with gate.transaction(None) as connection:
            return [plan_id for owner, plan_id in store.due(connection, most) if owner in ids]

    # They were sent when they were started.
    assert due() == []
    with superuser(postgres) as connection:
        connection.execute(
            "UPDATE plan_watch SET sent_at = now() - interval '11 minutes' WHERE org_id = ANY(%s)", [list(ids)]
        )
    first, *rest = ids[org_id]
    assert due() == [*sorted([first, ids[other_org_id][0]], key=due().index), *rest]
    assert set(due()[:2]) == {first, ids[other_org_id][0]}
    plan_watching.send_due(gate, database, still)
    assert due() == []
    # The worker that claimed it is gone: it is sent again as soon as the claim has expired.
    with superuser(postgres) as connection:
        connection.execute(
            "UPDATE plan_watch SET sent_at = now() - interval '4 minutes', taken_until = now() - interval '1 minute' "
            "WHERE id = %s",
            [first],
        )
    assert due() == [first]
