"""Mutants of the state machine of runs: the account's audit detects each missing safeguard."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import pytest

from runs.simulated import Move, Scenario, played
from runs.test_machine_properties import audit
from stowage.runs.actions import Launch
from stowage.runs.machine import step
from stowage.runs.observation import CloudError, Observation, Room
from stowage.runs.pace import Pace
from stowage.runs.run import Run
from stowage.runs.step import Step


@dataclass(frozen=True)
class Broken:
    """A state machine without one of its safeguards, and a scenario that needs it."""

    scenario: Scenario
    move: Move = step
    pace: Pace = Pace()  # noqa: RUF009 - frozen


def without_teardown(
    run: Run, seen: Observation | CloudError, now: datetime, pace: Pace, room: Room | None = None
) -> Step:
    found = step(run, seen, now, pace, room)
    if found.run.state != "tearing-down":
        return found
    outcome = found.run.outcome or "failed"
    return Step(replace(found.run, state=outcome, verified=True, finished_at=now))


def with_a_new_token(
    run: Run, seen: Observation | CloudError, now: datetime, pace: Pace, room: Room | None = None
) -> Step:
    found = step(run, seen, now, pace, room)
    ask = run.asked
    actions = tuple(replace(each, attempt=ask) if isinstance(each, Launch) else each for each in found.actions)
    return replace(found, actions=actions)


def without_a_second_look(
    run: Run, seen: Observation | CloudError, now: datetime, pace: Pace, room: Any = None
) -> Step:
    found = step(run, seen, now, pace, room)
    if isinstance(seen, Observation) and seen.is_clear and found.run.state == "tearing-down":
        outcome = found.run.outcome or "failed"
        return Step(replace(found.run, state=outcome, verified=True, finished_at=now))
    return found


HOURS_AWAY = (60.0, 4 * 3600.0)
UNHEARD = frozenset(range(4))
LOST_AND_LATE = Scenario(listed_late_s=240.0, calls={3: "lost"}, cancelled_at_s=1.0)
BROKEN = {
    "teardown": Broken(Scenario(), without_teardown),
    "teardown, after a cancel": Broken(Scenario(cancelled_at_s=50.0), without_teardown),
    "time to settle": Broken(LOST_AND_LATE, without_a_second_look),
    "time to settle, by its pace": Broken(LOST_AND_LATE, pace=Pace(settle_looks=1, settle_s=0.0, unseen_s=0.0)),
    "nodes' own timers, before the money ends": Broken(
        Scenario(silent=UNHEARD, away=HOURS_AWAY), pace=Pace(timer_s=-1200.0)
    ),
    "the same token for the same launch": Broken(
        Scenario(silent=UNHEARD, calls={3: "lost"}, listed_late_s=60.0, away=HOURS_AWAY), with_a_new_token
    ),
}


@pytest.mark.parametrize("missing", BROKEN)
def test_a_machine_that_lacks_a_part_is_found_out(missing: str) -> None:
    broken = BROKEN[missing]
    audit(played(broken.scenario))
    with pytest.raises(AssertionError):
        audit(played(broken.scenario, broken.pace, broken.move))
