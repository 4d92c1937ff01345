"""Isolation of measurements: a team's measurements change its own answers and those of no other team."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Engine, event

from kept_measurements import FIRST, disks, fio, iperf3, keep, keep_network, network
from stowage.features.calibration import team_knowledge
from stowage.features.calibration.team_knowledge import find_own, stored_knowledge
from stowage.features.catalog import catalogs
from stowage.features.catalog.catalogs import published_knowledge
from stowage.features.planning.planning import predict_cluster, preview_plan
from stowage.features.planning.reranking import rerank
from stowage.model.hardware.profile import Profiles
from stowage.optimizer.columns import rates as columns
from stowage.platform.database.database import Database
from stowage.workloads.workload_file import WorkloadFile, parse_workload

SORT: dict[str, Any] = {
    "workload": {"data": "10 TB", "durability": {"model": "none"}},
    "limits": {"max_nodes": 60},
    "choose": {"families": ["i3", "i3en", "i4i"]},
}
QUESTION = parse_workload(SORT)
TYPE = "i3.8xlarge"
PREDICTED = parse_workload({**SORT, "cluster": {"instance": TYPE, "nodes": 20}})


def answered(database: Database, org_id: UUID, file: WorkloadFile = QUESTION) -> dict[str, Any]:
    answer = preview_plan(file, stored_knowledge(database, org_id), lambda: 0.0, "none")
    return answer.model_dump(mode="json")


def time_s(database: Database, org_id: UUID) -> float:
    answer = predict_cluster(PREDICTED, stored_knowledge(database, org_id))
    assert answer.feasible
    return answer.time_s.p50


@contextmanager
def statements(database: Database) -> Iterator[list[str]]:
    """Record the statements sent to the database in the block."""
    engine: Engine = database._engine  # noqa: SLF001 - the only place where statements can be observed
    sent: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        sent.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(engine, "before_cursor_execute", note)


def test_a_team_without_measurements_is_answered_as_everybody(database: Database, org_id: UUID) -> None:
    everybody = preview_plan(QUESTION, published_knowledge(database), lambda: 0.0, "none").model_dump(mode="json")
    assert answered(database, org_id) == everybody
    mine = stored_knowledge(database, org_id)("latest", "us-east-1")
    published = published_knowledge(database)("latest", "us-east-1")
    assert mine.digest == published.digest
    # The very same objects: teams without measurements share one copy.
    assert mine.profiles is published.profiles
    assert mine.catalog is published.catalog


def test_a_measurement_changes_the_team_s_answers_and_says_what_they_rest_on(database: Database, org_id: UUID) -> None:
    before = time_s(database, org_id)
    keep_network(database, org_id, network(TYPE), [300.0, 310.0, 290.0])
    after = predict_cluster(PREDICTED, stored_knowledge(database, org_id))
    assert after.feasible
    assert after.time_s.p50 > 1.2 * before
    own = [figure for figure in after.provenance if figure.source.startswith("Your team")]
    assert [figure.kind for figure in own] == ["measured"] or {figure.kind for figure in own} <= {
        "measured",
        "estimated",
    }
    assert any(f"{TYPE}.network_mb_per_s" in figure.quantity for figure in after.provenance)


def test_two_teams_with_other_measurements_never_see_each_other_s(
    database: Database, org_id: UUID, other_org_id: UUID
) -> None:
    everybody = answered(database, org_id)
    keep_network(database, org_id, network(TYPE), [200.0, 205.0, 195.0])
    keep_network(database, other_org_id, network(TYPE), [2_000.0, 2_050.0, 1_950.0])
    mine, theirs = answered(database, org_id), answered(database, other_org_id)
    assert mine["profiles_digest"] != theirs["profiles_digest"] != everybody["profiles_digest"]
    slow, fast = time_s(database, org_id), time_s(database, other_org_id)
    assert slow > 2.0 * fast
    # Interleaved; each answer uses the process's cache.
    for _ in range(3):
        assert answered(database, org_id) == mine
        assert answered(database, other_org_id) == theirs
        assert (time_s(database, org_id), time_s(database, other_org_id)) == (slow, fast)


def test_what_is_kept_for_a_team_is_found_by_no_other_s_key(
    database: Database, org_id: UUID, other_org_id: UUID
) -> None:
    keep_network(database, org_id, network(TYPE), [400.0, 410.0, 390.0])
    keep_network(database, other_org_id, network(TYPE), [800.0, 810.0, 790.0])
    answered(database, org_id), answered(database, other_org_id)
    mine = stored_knowledge(database, org_id)("latest", "us-east-1").profiles
    theirs = stored_knowledge(database, other_org_id)("latest", "us-east-1").profiles
    assert sorted(_own_rates(mine)) == pytest.approx([400.0], rel=0.02)
    assert sorted(_own_rates(theirs)) == pytest.approx([800.0], rel=0.02)
    # The contents and keys of the process's cache.
    for (owner, *_), kept in team_knowledge._KNOWLEDGE._entries.items():  # noqa: SLF001 - what this test is about
        for knowledge in kept.made:
            assert (knowledge.profiles is mine) <= (owner == org_id)
            assert (knowledge.profiles is theirs) <= (owner == other_org_id)
    # Search columns belong to one profile object each, and are found by it: a team's only by that team.
    found = set[int]()
    for made in columns._rate_columns._entries.values():  # noqa: SLF001 - likewise
        for looked_up, _ in made.made:
            assert isinstance(looked_up, tuple)
            profiles = looked_up[1]
            assert any(id(profiles) in part for part in _keys_of(profiles))
            found.add(id(profiles))
    assert {id(mine), id(theirs)} <= found
    # The shared cache contains nothing of a team.
    for published in catalogs._KNOWLEDGE._entries.values():  # noqa: SLF001 - likewise
        assert not any(_own_rates(knowledge.profiles) for knowledge in published.made)


def test_the_key_of_what_is_kept_names_the_team_even_where_all_is_the_same(
    database: Database, org_id: UUID, other_org_id: UUID
) -> None:
    for each in (org_id, other_org_id):
        keep_network(database, each, network(TYPE), [500.0])
    one = stored_knowledge(database, org_id)("latest", "us-east-1")
    two = stored_knowledge(database, other_org_id)("latest", "us-east-1")
    assert one.profiles is not two.profiles
    assert one.catalog is two.catalog


def test_what_a_team_knows_costs_no_query_more_and_is_not_read_again(database: Database, org_id: UUID) -> None:
    keep_network(database, org_id, network(TYPE), [500.0])
    warm = stored_knowledge(database, org_id)
    for region in ("us-east-1", "eu-west-1"):
        warm("latest", region)
        published_knowledge(database)("latest", region)
    with statements(database) as published:
        source = published_knowledge(database)
        source("latest", "us-east-1")
        source("latest", "eu-west-1")
    with statements(database) as own:
        source = stored_knowledge(database, org_id)
        source("latest", "us-east-1")
        source("latest", "eu-west-1")
    assert len(own) == len(published)
    assert any("profile_set" in statement for statement in own)
    assert not any("profile_set.content" in statement for statement in own)


def test_answers_of_one_request_use_the_same_knowledge_despite_concurrent_saves(
    database: Database, org_id: UUID
) -> None:
    source = stored_knowledge(database, org_id)
    first = source("latest", "us-east-1")
    keep_network(database, org_id, network(TYPE), [500.0])
    assert source("latest", "us-east-1").digest == first.digest
    assert stored_knowledge(database, org_id)("latest", "us-east-1").digest != first.digest


def test_what_was_known_at_a_time_is_found_again(database: Database, org_id: UUID) -> None:
    keep_network(database, org_id, network(TYPE), [500.0])
    moment = datetime.now(UTC)
    then = stored_knowledge(database, org_id)("latest", "us-east-1")
    keep_network(database, org_id, network(TYPE), [100.0, 100.0, 100.0])
    assert stored_knowledge(database, org_id)("latest", "us-east-1").digest != then.digest
    assert stored_knowledge(database, org_id, moment)("latest", "us-east-1").digest == then.digest
    before = stored_knowledge(database, org_id, FIRST)("latest", "us-east-1")
    assert before.digest == published_knowledge(database)("latest", "us-east-1").digest


def test_rejected_measurements_change_nothing(database: Database, org_id: UUID) -> None:
    keep(database, org_id, [(iperf3(100.0, FIRST), network(TYPE))], verdict="rejected")
    assert find_own(database, org_id).digest == ""
    published = published_knowledge(database)("latest", "us-east-1")
    assert stored_knowledge(database, org_id)("latest", "us-east-1").digest == published.digest


def test_disks_that_were_measured_count_before_published_ones(database: Database, org_id: UUID) -> None:
    before = time_s(database, org_id)
    count = int(published_knowledge(database)("latest", "us-east-1").catalog.instance_types[TYPE].disk_count.value)
    keep(database, org_id, [(reading, disks(TYPE, count)) for reading in fio(400.0, 300.0, FIRST)])
    assert time_s(database, org_id) > 2.0 * before


def test_a_winner_that_measures_slower_falls_and_the_sentence_says_why(database: Database, org_id: UUID) -> None:
    published, own = published_knowledge(database), stored_knowledge(database, org_id)
    assert rerank(QUESTION, published, own) is None
    winner = preview_plan(QUESTION, published, lambda: 0.0, "none").configurations[0]
    rate = next(figure.value for figure in _network_of(winner.instance, published))
    keep_network(database, org_id, network(winner.instance, winner.nodes), [0.5 * rate, 0.51 * rate, 0.49 * rate])
    found = rerank(QUESTION, published, stored_knowledge(database, org_id))
    assert found is not None
    assert found.changed
    assert found.winner_before is not None
    assert found.winner_before.instance == winner.instance
    assert found.winner_now is not None
    assert found.winner_now.instance != winner.instance
    assert found.place_of_before is None or found.place_of_before > 1
    [network_of_winner] = [
        each for each in found.differences if (each.target, each.metric) == (winner.instance, "network")
    ]
    assert network_of_winner.percent == pytest.approx(-50.0, abs=5.0)
    assert "network" in found.sentence
    assert "lower than published" in found.sentence


def test_a_measurement_that_confirms_what_is_published_leaves_the_winner(database: Database, org_id: UUID) -> None:
    published = published_knowledge(database)
    winner = preview_plan(QUESTION, published, lambda: 0.0, "none").configurations[0]
    rate = next(figure.value for figure in _network_of(winner.instance, published))
    keep_network(database, org_id, network(winner.instance, winner.nodes), [rate, rate * 1.001, rate * 0.999])
    found = rerank(QUESTION, published, stored_knowledge(database, org_id))
    assert found is not None
    assert not found.changed
    assert found.sentence.startswith("The winner stays")


def _own_rates(profiles: Profiles) -> set[float]:
    return {row.mean for row in profiles.rows if row.source.startswith("Your team")}


def _keys_of(profiles: object) -> Iterator[tuple[object, ...]]:
    for key in columns._rate_columns._entries:  # noqa: SLF001 - likewise
        assert isinstance(key, tuple)
        if id(profiles) in key[0]:
            yield key[0]


def _network_of(instance: str, source: Any) -> Iterator[Any]:
    found = source("latest", "us-east-1").catalog.instance_types[instance]
    yield found.network_baseline_mb_per_s
