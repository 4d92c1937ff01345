"""Single events of a run, one by one; combinations are in test_machine_properties."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from runs.simulated import SPEC, START, Scenario, approved, played, quote_of
from stowage.runs.actions import Instruct, Launch, LaunchEmr, Prepare, Terminate, TerminateEmr
from stowage.runs.machine import did, failed, heard, step, took
from stowage.runs.observation import CloudError, Observation, ObservedInstance, Room, TroubleKind
from stowage.runs.orders import DFSIO_PHASES
from stowage.runs.pace import Pace
from stowage.runs.report import Report, Status
from stowage.runs.run import Resource, Run
from stowage.runs.spec import RunSpec, Volumes
from stowage.runs.step import Event, Step

ROOM = Room(("us-east-1a", "us-east-1b"), 64, 0, 8)
PACE = Pace()


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def seen(seconds: float, *instances: ObservedInstance, **more: Any) -> Observation:
    return Observation(at(seconds), instances, **more)


def nodes(state: str = "running", attempt: int = 0, count: int = 4, **more: Any) -> tuple[ObservedInstance, ...]:
    return tuple(
        ObservedInstance(f"i-{attempt}-{node}", state, "us-east-1a", START, node, attempt, f"10.0.0.{node + 4}", **more)  # type: ignore[arg-type] # states of a test
        for node in range(count)
    )


def launched() -> Run:
    return step(approved(), seen(0), at(0), PACE, ROOM).run


def running() -> Run:
    return step(launched(), seen(60, *nodes()), at(60), PACE).run


def error(kind: TroubleKind) -> CloudError:
    return CloudError(kind, f"AWS says {kind}")


# Approval


def test_a_quote_waits_and_can_be_thrown_away() -> None:
    quoted = Run(approved().id, SPEC, quote_of(SPEC), "quoted", START)
    assert step(quoted, seen(1), at(1), PACE) == Step(quoted)
    found = step(replace(quoted, cancel_asked=True), seen(1), at(1), PACE)
    assert (found.run.state, found.run.verified, found.look_again_s) == ("cancelled", True, None)


def test_a_run_that_is_over_stays_as_it_is() -> None:
    run = played(Scenario()).stored
    assert run.state == "done"
    assert step(run, error("denied"), at(9999), PACE) == Step(run)


# Launch


def test_what_was_approved_is_launched_once_with_its_intent_stored_before() -> None:
    found = step(approved(), seen(0), at(0), PACE, ROOM)
    launch = Launch(0, "us-east-1a", at(840), 840.0)
    assert found.actions == (Prepare(), launch)
    run = found.run
    assert (run.state, run.asked, run.launched_at, run.ends_at, run.deadline) == (
        "launching",
        1,
        at(0),
        at(840),
        at(900),
    )
    again = step(run, seen(30), at(30), PACE)
    assert again.actions == (Prepare(), launch)


@pytest.mark.parametrize(
    ("run", "saw", "room", "words"),
    [
        (approved(), seen(9), Room((), None, None, 8), "no zone of us-east-1 with a subnet offers i4i.large"),
        (approved(), seen(9), Room(("us-east-1a",), 4, 0, 8, "the quota leaves 4 vCPUs"), "the quota leaves"),
        (approved(), error("quota"), None, "AWS says quota"),
        (replace(approved(), approved_at=at(-7200)), seen(9), ROOM, "not launched within 60 minutes"),
    ],
)
def test_what_cannot_be_launched_ends_before_anything_is_made(
    run: Run, saw: Observation | CloudError, room: Room | None, words: str
) -> None:
    found = step(run, saw, at(9), PACE, room)
    assert (found.run.state, found.run.verified, found.actions) == ("failed", True, ())
    assert words in (found.run.failure or "")


def test_an_account_that_does_not_answer_yet_is_asked_again() -> None:
    assert step(approved(), seen(1), at(1), PACE, None).run.state == "approved"
    first = step(approved(), error("denied"), at(1), PACE)
    assert (first.run.state, first.look_again_s) == ("approved", 10.0)
    assert step(first.run, error("denied"), at(300), PACE).run.state == "failed"


def test_cancelled_before_anything_was_launched_nothing_is_launched() -> None:
    found = step(replace(approved(), cancel_asked=True), seen(1), at(1), PACE, ROOM)
    assert (found.run.state, found.run.verified, found.actions) == ("cancelled", True, ())


@pytest.mark.parametrize("kind", ["quota", "invalid"])
def test_a_launch_that_aws_refuses_for_good_is_not_asked_for_again(kind: TroubleKind) -> None:
    run, events = failed(launched(), Launch(0, "us-east-1a", at(840), 840.0), error(kind), at(1))
    assert [event.kind for event in events] == ["trouble"]
    found = step(run, seen(5), at(5), PACE)
    assert (found.run.state, found.run.outcome, found.run.asked) == ("tearing-down", "failed", 0)


def test_no_capacity_means_the_next_zone_and_then_a_clear_end() -> None:
    run, _ = failed(launched(), Launch(0, "us-east-1a", at(840), 840.0), error("capacity"), at(1))
    elsewhere = step(run, seen(5), at(5), PACE).run
    assert (elsewhere.state, elsewhere.attempt, elsewhere.zone) == ("launching", 1, "us-east-1b")
    asked = step(elsewhere, seen(6), at(6), PACE)
    assert asked.actions == (Prepare(), Launch(1, "us-east-1b", at(840), 835.0))
    run, _ = failed(asked.run, asked.actions[1], error("capacity"), at(7))
    assert step(run, seen(10), at(10), PACE).run.state == "tearing-down"


def test_a_cluster_that_is_not_whole_is_let_go_before_another_is_tried() -> None:
    run = did(launched(), Launch(0, "us-east-1a", at(840), 840.0), resources(), at(1))
    partial = (*nodes()[:3], replace(nodes()[3], state="terminated", reason="Server.InsufficientInstanceCapacity"))
    letting_go = step(run, seen(20, *partial), at(20), PACE)
    assert letting_go.actions == (Terminate(("i-0-0", "i-0-1", "i-0-2")),)
    ended = step(letting_go.run, seen(40, *nodes("terminated")), at(40), PACE)
    assert (ended.run.state, ended.run.attempt, ended.run.asked) == ("launching", 1, 0)


def test_of_a_cluster_that_is_not_whole_the_node_is_named_that_ended_by_itself() -> None:
    run = did(launched(), Launch(0, "us-east-1a", at(840), 840.0), resources(), at(1))
    let_go = nodes("terminated", reason="Client.UserInitiatedShutdown")
    ended = (*let_go[:3], replace(let_go[3], reason="Server.InsufficientInstanceCapacity"))
    found = step(run, seen(40, *ended), at(40), PACE)
    words = "i-0-3 ended while it was launched (Server.InsufficientInstanceCapacity)"
    assert found.events[0].words.startswith(words)


def test_where_volumes_cost_the_next_attempt_waits_until_those_of_the_last_are_gone() -> None:
    run = did(launched(), Launch(0, "us-east-1a", at(840), 840.0), resources(), at(1))
    run = replace(run, spec=replace(run.spec, benchmark="diskbench", storage=Volumes("io2", 500, iops=64_000)))
    ending = step(run, seen(20, *nodes("shutting-down")), at(20), PACE)
    assert (ending.run.attempt, ending.actions) == (0, ())
    assert step(ending.run, seen(40, *nodes("terminated")), at(40), PACE).run.attempt == 1


def resources() -> list[Resource]:
    return [Resource("instance", f"i-0-{node}", 0.0, at(1)) for node in range(4)]


def test_too_little_time_is_left_to_try_elsewhere() -> None:
    run = did(launched(), Launch(0, "us-east-1a", at(840), 840.0), resources(), at(1))
    found = step(run, seen(700, *nodes("terminated")), at(700), PACE)
    assert found.run.state == "tearing-down"
    assert "too little of the time limit" in (found.run.failure or "")


def test_what_an_earlier_attempt_left_is_ended_whenever_it_shows() -> None:
    run = replace(launched(), attempt=1)
    found = step(run, seen(60, *nodes(attempt=1), *nodes(attempt=0, count=1)), at(60), PACE)
    assert found.run.state == "running"
    assert found.actions == (Terminate(("i-0-0",)),)


def test_a_launch_goes_on_only_within_a_time_limit() -> None:
    with pytest.raises(AssertionError, match="time limit"):
        step(replace(approved(), state="launching"), seen(1), at(1), PACE)


# Measurement


def test_nodes_are_told_what_to_do_and_told_again_before_their_addresses_expire() -> None:
    run = running()
    assert run.nodes[3] == ("i-0-3", "10.0.0.7")
    first = step(run, seen(65, *nodes()), at(65), PACE)
    assert first.actions == (Instruct(1, run.nodes),)
    told = did(first.run, first.actions[0], [], at(66))
    assert step(told, seen(70, *nodes()), at(70), PACE).actions == ()
    unanswered, _ = failed(first.run, first.actions[0], error("throttled"), at(66))
    assert step(unanswered, seen(70, *nodes()), at(70), PACE).actions == (Instruct(2, run.nodes),)
    patient = replace(told, ends_at=at(9000), deadline=at(9060), agreed_usd=Decimal(99))
    later = heard(patient, [status(node) for node in range(4)], at(970))
    assert step(later, seen(970, *nodes()), at(970), PACE).actions == (Instruct(2, run.nodes),)


def status(node: int, state: Any = "running") -> Status:
    return Status(node, 0.0, state, None, 0.0, "", (), {})


def report(node: int, phase: str, ok: Any = "ok") -> Report:
    return Report(node, phase, ok, None, {}, "")


def test_nodes_that_say_that_they_are_done_are_not_waited_for() -> None:
    run = heard(running(), [status(node, "done") for node in range(4)], at(100))
    found = step(run, seen(100, *nodes()), at(100), PACE).run
    assert found.state == "collecting"
    ended = step(found, seen(101, *nodes()), at(101), PACE).run
    assert (ended.state, ended.outcome) == ("tearing-down", "failed")
    assert ended.failure == "6 of 6 results are missing: net-2 of nodes 0, 1, net-4 of nodes 0, 1, 2, 3"


def test_the_first_report_of_a_node_on_a_phase_counts() -> None:
    run = took(running(), [report(0, "net-2")])
    again = took(run, [report(0, "net-2", "failed"), report(1, "net-2", "partial")])
    assert again.reports == {(0, "net-2"), (1, "net-2")}
    assert again.flawed == {(1, "net-2")}


def test_without_access_no_node_counts_as_lost() -> None:
    run = heard(running(), [status(node) for node in range(4)], at(61))
    found = step(run, error("unreachable"), at(400), PACE).run
    assert (found.state, found.lost_nodes) == ("running", frozenset())
    assert step(found, seen(401, *nodes()), at(401), PACE).run.lost_nodes == {0, 1, 2, 3}


def test_of_many_nodes_that_are_lost_a_few_are_named() -> None:
    spec = replace(SPEC, nodes=9)
    run = step(step(approved(spec), seen(0), at(0), PACE, ROOM).run, seen(60, *nodes(count=9)), at(60), PACE).run
    found = step(run, seen(70, *nodes("terminated", count=9)), at(70), PACE)
    assert sum(event.kind == "node" for event in found.events) == 9
    assert (found.run.failure or "").endswith("node 3 (i-0-3) ended: terminated; and more nodes")


def test_the_approved_sum_ends_a_run_with_unexpected_costs() -> None:
    run = replace(running(), agreed_usd=Decimal("0.60"))
    found = step(run, seen(61, *nodes()), at(61), PACE).run
    assert found.state == "collecting"
    assert "agreed sum" in (found.failure or "")


def test_an_account_that_shuts_stowage_out_while_it_measures_is_torn_down() -> None:
    first = step(running(), error("denied"), at(61), PACE).run
    assert first.state == "running"
    found = step(first, error("denied"), at(300), PACE).run
    assert (found.state, found.outcome, found.failure) == ("tearing-down", "failed", "AWS says denied")


def test_results_that_are_not_whole_fail_a_run_and_name_them() -> None:
    reports = [report(node, "net-2") for node in range(2)] + [report(node, "net-4", "partial") for node in range(4)]
    collecting = step(took(running(), reports), seen(61, *nodes()), at(61), PACE).run
    found = step(collecting, seen(62, *nodes()), at(62), PACE).run
    assert (found.outcome, found.failure) == ("failed", "4 of 6 results are incomplete: net-4 of nodes 0, 1, 2, 3")


def test_cancelled_while_results_are_collected_it_tells_what_is_missing() -> None:
    run = heard(running(), [status(node, "done") for node in range(4)], at(100))
    collecting = step(took(run, [report(0, "net-2")]), seen(100, *nodes()), at(100), PACE).run
    found = step(replace(collecting, cancel_asked=True), seen(101, *nodes()), at(101), PACE).run
    assert (found.state, found.outcome) == ("tearing-down", "cancelled")
    assert (found.failure or "").startswith("5 of 6 results are missing: net-2 of node 1")


# Teardown


def test_what_is_known_is_ended_even_where_it_cannot_be_listed() -> None:
    run = step(replace(running(), cancel_asked=True), seen(70, *nodes()), at(70), PACE).run
    found = step(run, error("unreachable"), at(71), PACE)
    assert found.actions == (Terminate(("i-0-0", "i-0-1", "i-0-2", "i-0-3")),)


def test_an_account_that_refuses_reads_is_given_up_for_any_answer_to_termination() -> None:
    run = step(replace(running(), cancel_asked=True), seen(70, *nodes()), at(70), PACE).run
    told: list[Event] = []
    for look in range(4):
        moment = at(71 + look * PACE.denied_s / 2)
        found = step(run, error("denied"), moment, PACE)
        run, told = found.run, [*told, *found.events]
        for action in found.actions:
            run, events = failed(run, action, error("unreachable"), moment)
            told += events
    assert (run.state, run.verified) == ("failed", False)
    assert [event.kind for event in told].count("trouble") == 1


def test_a_clock_that_is_set_forth_does_not_make_what_was_never_seen_gone() -> None:
    run = did(launched(), Launch(0, "us-east-1a", at(840), 840.0), resources(), at(1))
    run = step(replace(run, cancel_asked=True), seen(70), at(70), PACE).run
    for look in range(int(PACE.unseen_s / PACE.look_s)):
        assert run.state == "tearing-down"
        moment = 70 + 600 * look
        run = step(run, seen(moment), at(moment), PACE).run
    assert (run.state, run.verified) == ("cancelled", True)


def test_what_does_not_go_away_is_said_first_of_all() -> None:
    run = step(replace(running(), cancel_asked=True), seen(70, *nodes()), at(70), PACE).run
    late = Step(run)
    for look in range(PACE.give_up_looks):
        assert late.run.state == "tearing-down"
        moment = 9000 + look
        late = step(late.run, seen(moment, *nodes("terminated"), security_groups=("sg-1",)), at(moment), PACE)
    assert (late.run.state, late.run.verified, late.look_again_s) == ("failed", False, None)
    assert (late.run.failure or "").startswith("It could not be seen that nothing is left: something did not go away")
    assert str(run.id) in (late.run.failure or "")


# EMR clusters

DFSIO = RunSpec("testdfsio", "m5.xlarge", 3, "us-east-1", time_limit_s=3600.0)
CLUSTER: Mapping[str, str] = {"j-1": "RUNNING"}
STARTING: Mapping[str, str] = {"j-1": "STARTING"}


def emr() -> Run:
    found = step(approved(DFSIO), seen(0), at(0), PACE, ROOM)
    assert found.actions == (Prepare(), LaunchEmr(at(3540)))
    return did(found.run, found.actions[1], [Resource("emr-cluster", "j-1", 0.0, at(1))], at(1))


def test_a_cluster_of_emr_is_launched_waited_for_and_done_when_both_steps_have_reported() -> None:
    waiting = step(emr(), seen(60, emr_clusters=STARTING), at(60), PACE)
    assert (waiting.run.state, waiting.actions) == ("launching", ())
    run = step(waiting.run, seen(300, emr_clusters=CLUSTER), at(300), PACE).run
    assert run.state == "running"
    assert step(run, seen(310, emr_clusters=CLUSTER), at(310), PACE).actions == ()
    run = took(run, [report(0, phase) for phase in DFSIO_PHASES])
    run = step(run, seen(900, emr_clusters=CLUSTER), at(900), PACE).run
    run = step(run, seen(901, emr_clusters=CLUSTER), at(901), PACE).run
    assert (run.state, run.outcome) == ("tearing-down", "done")
    assert step(run, seen(902, emr_clusters=CLUSTER), at(902), PACE).actions == (TerminateEmr(("j-1",)),)


def test_a_cluster_of_emr_that_ends_too_early_fails_the_run() -> None:
    run = step(emr(), seen(60, emr_clusters=STARTING), at(60), PACE).run
    assert step(run, seen(300), at(300), PACE).run.state == "tearing-down"
    up = step(emr(), seen(300, emr_clusters=CLUSTER), at(300), PACE).run
    ended = step(up, seen(400), at(400), PACE).run
    assert ended.state == "collecting"
    assert step(ended, seen(401), at(401), PACE).run.outcome == "failed"


def test_an_unconfirmed_emr_cluster_is_waited_for_before_it_is_requested_again() -> None:
    launch = LaunchEmr(at(3540))
    asked = step(approved(DFSIO), seen(0), at(0), PACE, ROOM).run
    lost, _ = failed(asked, launch, error("unreachable"), at(1))
    assert step(lost, seen(PACE.unseen_s - 1), at(PACE.unseen_s - 1), PACE).actions == ()
    assert step(lost, seen(PACE.unseen_s), at(PACE.unseen_s), PACE).actions == (Prepare(), launch)
    throttled, _ = failed(asked, launch, error("throttled"), at(1))
    assert step(throttled, seen(5), at(5), PACE).actions == (Prepare(), launch)


def test_a_cluster_of_emr_is_waited_for_not_longer_than_it_takes() -> None:
    assert step(emr(), seen(60), at(60), PACE).actions == ()
    slow = step(emr(), seen(1300, emr_clusters=STARTING), at(1300), PACE).run
    assert slow.state == "tearing-down"
    asked = step(approved(DFSIO), seen(0), at(0), PACE, ROOM).run
    refused, _ = failed(asked, LaunchEmr(at(3540)), error("capacity"), at(1))
    assert step(refused, seen(5), at(5), PACE).run.state == "tearing-down"


def test_of_two_clusters_of_emr_the_second_is_ended_and_the_run_goes_on() -> None:
    both = {**STARTING, "j-2": "RUNNING"}
    found = step(emr(), seen(60, emr_clusters=both), at(60), PACE)
    assert (found.run.state, found.actions) == ("launching", (TerminateEmr(("j-2",)),))
    found = step(found.run, seen(120, emr_clusters=STARTING), at(120), PACE)
    assert (found.run.state, found.actions) == ("launching", ())
    found = step(found.run, seen(300, emr_clusters={**CLUSTER, "j-3": "STARTING"}), at(300), PACE)
    assert (found.run.state, found.actions) == ("running", (TerminateEmr(("j-3",)),))


def test_a_launch_that_costs_more_than_was_agreed_is_given_up() -> None:
    more: Mapping[str, str] = {f"j-{number}": "STARTING" for number in range(1, 9)}
    found = step(emr(), seen(60, emr_clusters=more), at(60), PACE).run
    assert found.state == "launching"
    found = step(found, seen(600, emr_clusters=more), at(600), PACE).run
    assert (found.state, found.outcome) == ("tearing-down", "failed")
    assert "the agreed sum would not have lasted" in (found.failure or "")
