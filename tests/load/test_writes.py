"""The comparison of acknowledged writes with what the service returns at the end."""

from typing import Any

import pytest

from bench.load.writes import lost, read_journal, repeated

PLAN = "/api/v1/plans/1"


def sent(write_id: str, path: str = "", **want: Any) -> dict[str, Any]:
    return {"event": "sent", "id": write_id, "user": 3, "path": path, "want": want}


def acknowledged(write_id: str, path: str = "") -> dict[str, Any]:
    return {"event": "acknowledged", "id": write_id, "path": path}


def losses(rows: list[dict[str, Any]], stored: dict[str, Any]) -> list[str]:
    asked: list[tuple[int, str]] = []

    def read(user: int, path: str) -> Any:
        asked.append((user, path))
        return stored.get(path)

    found = lost(read_journal(rows), read)
    assert len(asked) == len(set(asked))
    assert {user for user, _ in asked} <= {3}
    return found


def test_an_acknowledged_write_that_is_there_is_not_lost() -> None:
    rows = [sent("a", name="x"), acknowledged("a", PLAN)]
    assert losses(rows, {PLAN: {"name": "x", "more": 1}}) == []


@pytest.mark.parametrize("stored", [{}, {PLAN: {"name": "y"}}, {PLAN: {}}])
def test_an_acknowledged_write_that_is_gone_or_other_is_lost(stored: dict[str, Any]) -> None:
    [line] = losses([sent("a", name="x"), acknowledged("a", PLAN)], stored)
    assert line.startswith(PLAN)


def test_a_write_without_acknowledgement_may_be_there_or_not() -> None:
    assert losses([sent("a", name="x")], {}) == []
    assert losses([sent("a", PLAN, notes="x")], {PLAN: {"notes": ""}}) == []


@pytest.mark.parametrize(("notes", "is_lost"), [("1", True), ("2", False), ("3", False), ("0", True), (None, True)])
def test_of_several_writes_the_last_acknowledged_counts_or_one_that_may_have_come_after(
    notes: str | None, is_lost: object
) -> None:
    rows = [
        *(sent("one", PLAN, notes="1"), acknowledged("one")),
        *(sent("two", PLAN, notes="2"), acknowledged("two")),
        sent("three", PLAN, notes="3"),
    ]
    assert bool(losses(rows, {PLAN: {"notes": notes}})) == is_lost


def test_a_field_deep_in_the_document_is_compared() -> None:
    rows = [sent("a", **{"job.state": "done"}), acknowledged("a", PLAN)]
    assert losses(rows, {PLAN: {"job": {"state": "done"}}}) == []
    assert len(losses(rows, {PLAN: {"job": {"state": "running"}}})) == 1


def test_a_name_that_is_there_twice_was_stored_twice() -> None:
    names = ["load plan 1", "load plan 2", "load plan 1", "Templates", "Templates"]
    assert repeated(names, ["load plan "]) == ["load plan 1: 2 times"]
