"""Hostile and wrong workload files: each error has the path of the field and the accepted values."""

import json
from datetime import date
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from stowage.features.planning.assumed import assumed_in, assumed_of_run
from stowage.model.choice import Selection
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.workload import Limits
from stowage.platform.errors import BadInput
from stowage.workloads.stored import as_stored, parse_stored_workload, with_catalog
from stowage.workloads.workload_file import LARGEST_FILE_BYTES, WorkloadFile, parse_workload, read_workload_file

VALID: dict[str, Any] = {"workload": {"data": "100 TB"}}


def with_data(value: object) -> dict[str, Any]:
    return {"workload": {"data": value}}


def path_and_message(document: object) -> list[tuple[str, str]]:
    with pytest.raises(BadInput) as refused:
        parse_workload(document)
    return [(problem.path, problem.message) for problem in refused.value.problems]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("-5 TB", "'-5 TB' is not above 0"),
        ("0 TB", "'0 TB' is not above 0"),
        ("100 TBB", "'TBB' is not a unit of size"),
        ("NaN", "'NaN' is not a size"),
        (float("nan"), "'nan' is not a size"),
        (1e400, "'inf' is not a size"),
        ("1e400 TB", "out of range; accepted: 1 B to 1,000 EB"),
        ("1e-320 kB", "out of range"),
        (100, "'100' has no unit"),
        pytest.param(10**5000, "is not a size", id="10^5000"),
        ("5 Tb", "would be bits"),
        ("", "is not a size"),
        ("9" * 5000, "has 5000 characters"),
        (None, "should be a valid string"),
        (["100 TB"], "a list should be a valid string"),
        (True, "True should be a valid string"),
    ],
)
def test_a_size_that_is_none(value: object, expected: str) -> None:
    [(path, message)] = path_and_message(with_data(value))
    assert path == "workload.data"
    assert expected in message
    assert len(message) < 200


@pytest.mark.parametrize(
    ("section", "expected"),
    [
        ({"limits": {"deadline": 0}}, [("limits.deadline", "has no unit")]),
        ({"limits": {"deadline": "0 min"}}, [("limits.deadline", "not above 0")]),
        ({"limits": {"deadline": "30 parsecs"}}, [("limits.deadline", "not a unit of time")]),
        ({"limits": {"deadline": "11 years"}}, [("limits.deadline", "'years' is not a unit of time")]),
        ({"limits": {"budget": "500 EUR"}}, [("limits.budget", "not an amount in US dollars")]),
        ({"limits": {"max_nodes": 0}}, [("limits.max_nodes", "0 is too little; accepted: 1 or more")]),
        ({"limits": {"max_nodes": "200"}}, [("limits.max_nodes", "'200' is not a whole number")]),
        ({"limits": {"nodes": 3}}, [("limits.nodes", "is not a field")]),
        ({"place": {"placement_group": "yes"}}, [("place.placement_group", "'yes' should be a valid boolean")]),
        ({"credits": "half"}, [("credits", "'half' is not a level of credit")]),
        ({"credits": 1.5}, [("credits", "'1.5' is not a level of credit")]),
        ({"assume": {"network": "fast"}}, [("assume.network", "accepted: 'measured', 'baseline' or 'unlimited'")]),
        ({"measured": {"network_mb_per_s": float("inf")}}, [("measured.network_mb_per_s", "finite")]),
        ({"measured": {"network_mb_per_s": -1.0}}, [("measured.network_mb_per_s", "accepted: 0.001 or more")]),
        (
            {"cluster": {"instance": "i2.8xlarge", "nodes": 0, "storage": {"kind": "tape"}}},
            [("cluster.nodes", "0 is too little"), ("cluster.storage", "'tape' is not offered")],
        ),
        (
            {
                "cluster": {
                    "instance": "x",
                    "nodes": 1,
                    "storage": {"kind": "ebs", "type": "gp2", "size": "145 GB", "count": 8},
                }
            },
            [("cluster.storage.size", "EBS volumes have whole GiB, as in 136 GiB")],
        ),
    ],
)
def test_a_field_that_is_not_accepted_is_named(section: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    found = path_and_message(VALID | section)
    assert [path for path, _ in found] == [path for path, _ in expected]
    for (_, message), (_, part) in zip(found, expected, strict=True):
        assert part in message


@pytest.mark.parametrize(
    ("durability", "path", "part"),
    [
        ({"model": "application", "replicas": 0}, "workload.durability.replicas", "0 is too little"),
        ({"model": "application", "replicas": 2.5}, "workload.durability.replicas", "2.5 is not a whole number"),
        ({"model": "none", "replicas": 2}, "workload.durability.replicas", "is not a field"),
        ({"model": "tape"}, "workload.durability", "'tape' is not offered"),
        ({}, "workload.durability", "needs 'model'"),
    ],
)
def test_durability_that_is_not_accepted(durability: dict[str, Any], path: str, part: str) -> None:
    [(found_path, message)] = path_and_message({"workload": {"data": "1 TB", "durability": durability}})
    assert found_path == path
    assert part in message


def test_a_sort_does_not_select() -> None:
    [(path, message)] = path_and_message({"workload": {"data": "1 TB", "map_selectivity": 0.5}})
    assert path == "workload.map_selectivity"
    assert "mapreduce" in message
    parse_workload({"workload": {"data": "1 TB", "job": "mapreduce", "map_selectivity": 0.5}})


def test_keys_and_values_from_hell_make_messages_that_can_be_encoded() -> None:
    hell = {"workload": {"data": "1 TB", "\ud800" * 50: 1, "name": "a\x00b", "job": "\udfff"}}
    for path, message in path_and_message(hell):
        json.dumps([path, message]).encode("utf-8")
        (path + message).encode("utf-8")


@pytest.mark.parametrize("document", [None, [], "workload", 5, [{"workload": {"data": "1 TB"}}]])
def test_a_document_that_is_no_mapping(document: object) -> None:
    [(path, message)] = path_and_message(document)
    assert path == ""
    assert "data: 100 TB" in message


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b"", "starts with"),
        (b"\xff\xfe\x00", "UTF-8"),
        (b"workload: [1", "line 1"),
        (b"a: &x [*x]", "aliases are not accepted"),
        (b"a: &a [1]\nb: *a", "aliases are not accepted"),
        (b"workload: {data: 1 TB, data: 2 TB}", "stands there twice"),
        (b"workload: !!python/object/apply:os.system ['true']", "neither YAML nor JSON"),
        (b"[" * 100_000, "neither YAML nor JSON"),
        (b"x" * (LARGEST_FILE_BYTES + 1), "at most 262,144"),
        (b"\x00", "neither YAML nor JSON"),
    ],
    ids=["empty", "UTF-16", "cut off", "cycle", "alias", "twice", "code", "deep", "large", "NUL"],
)
def test_content_that_is_no_workload_file(content: bytes, part: str) -> None:
    with pytest.raises(BadInput) as refused:
        read_workload_file(content)
    assert part in str(refused.value)


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    try:
        read_workload_file(content)
    except BadInput as error:
        assert error.problems


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=10,
)
FIELDS = st.sampled_from(["workload", "place", "limits", "cluster", "credits", "measured", "assume"])


@given(st.dictionaries(FIELDS, JSON_VALUES, max_size=4), JSON_VALUES)
def test_any_document_is_accepted_or_refused(document: dict[str, Any], data: object) -> None:
    try:
        parse_workload({"workload": {"data": data}} | document)
    except BadInput as error:
        assert error.problems


def test_what_was_written_is_kept_as_it_was_written() -> None:
    workload = {"data": "100 TB", "durability": {"model": "application", "replicas": 3}}
    limits = {"deadline": "1 h 30 min", "budget": "$500"}
    document: dict[str, Any] = {"workload": workload, "limits": limits}
    file = parse_workload(document)
    unsaid = {"workload": {**workload, "framework": None}, "assume": {"usual": "applied"}}
    assert file.written() == {**document, **unsaid, "limits": {**limits, "chance": None}}
    assert parse_workload(file.written()) == file
    assert parse_workload(yaml.safe_load(yaml.safe_dump(document))) == file


def test_what_is_silent_is_as_usual_unless_nothing_is_to_be_assumed() -> None:
    usual = parse_workload(VALID).to_workload()
    assert (usual.input, usual.output, usual.assume.launch) == ("object-store", "object-store", "counted")
    assert (usual.limits.free_space, usual.selection.min_vcpus, usual.selection.min_memory_gib) == (0.2, 4.0, 8.0)
    plain = parse_workload({**VALID, "assume": {"usual": "ignored"}}).to_workload()
    assert (plain.input, plain.output, plain.assume.launch) == ("in-place", "in-place", "billed")
    assert (plain.limits, plain.selection) == (Limits(), Selection())


def test_what_is_given_takes_the_place_of_what_is_usual() -> None:
    asked = {
        "workload": {"data": "100 TB", "input": "in-place"},
        "limits": {"free_space": "0 %"},
        "choose": {"min_vcpus": 0.0, "min_memory": "1 GiB"},
        "assume": {"launch": "ignored"},
    }
    found = parse_workload(asked).to_workload()
    assert (found.input, found.output, found.assume.launch) == ("in-place", "object-store", "ignored")
    assert (found.limits.free_space, found.selection.min_vcpus, found.selection.min_memory_gib) == (0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("job", "framework"), [("sort", "spark"), ("hdfs-read", "hadoop-dfsio"), ("random-io", "ideal")]
)
def test_a_job_runs_on_the_framework_that_is_usual_of_it_unless_the_file_says_otherwise(
    job: str, framework: str
) -> None:
    silent = parse_workload({"workload": {"job": job, "data": "1 TB"}})
    assert (silent.framework, silent.to_workload().framework) == (framework, framework)
    for nothing in ({"workload": {"framework": "ideal"}}, {"assume": {"usual": "ignored"}}):
        asked = parse_workload({**nothing, "workload": {"job": job, "data": "1 TB", **nothing.get("workload", {})}})
        assert (asked.framework, asked.to_workload().framework) == ("ideal", "ideal")


def test_a_question_stored_before_there_was_a_usual_framework_keeps_the_one_that_it_meant() -> None:
    before = {"workload": {"data": "1 TB"}, "assume": {"usual": "applied"}}
    assert parse_stored_workload(before).framework == "ideal"
    assert parse_stored_workload(parse_workload(before).written()).framework == "spark"


def test_a_document_that_was_stored_before_anything_was_usual_assumes_nothing() -> None:
    assert parse_stored_workload(VALID).to_workload() == parse_workload(as_stored(VALID)).to_workload()
    assert parse_stored_workload(VALID).assume.usual == "ignored"
    assert parse_stored_workload(parse_workload(VALID).written()) == parse_workload(VALID)


@pytest.mark.parametrize("usual", ["applied", "ignored"])
def test_an_answer_notes_that_data_transfer_out_of_aws_is_not_included_in_the_cost(usual: str) -> None:
    """Ingress is free."""
    file = parse_workload(
        {
            "workload": {"data": "40 TB", "input": {"elsewhere": "10 Gbit/s"}, "output": {"elsewhere": "1 Gbit/s"}},
            "assume": {"usual": usual},
        }
    )
    for listed in (assumed_in, assumed_of_run):
        said = {found.path: found for found in listed(file, file.workload.to_job())}
        traffic = said["workload.output.elsewhere"]
        assert traffic.words.startswith(
            "data transfer out of AWS (40 TB) is not included in the cost: AWS charges $0.09"
        )
        assert (traffic.kind, traffic.as_of) == ("published", date(2026, 11, 23))
        assert {"workload.input", "workload.output", "workload.input.elsewhere"}.isdisjoint(said)


def test_an_answer_notes_that_a_node_runs_no_more_tasks_than_its_memory_holds() -> None:
    asked = {"data": "1 TB", "memory_per_task": "4 GiB", "tasks_per_node": 16}
    file = parse_workload({"workload": asked, "assume": {"usual": "ignored"}})
    for listed in (assumed_in, assumed_of_run):
        [said] = listed(file, file.workload.to_job())
        words = "a node runs at most as many tasks at once as 50% of its memory holds, 4 GiB each"
        assert (said.path, said.words, said.kind) == ("workload.tasks_per_node", words, "estimated")


def test_an_answer_lists_what_it_assumes_and_only_where_the_file_is_silent() -> None:
    job = parse_workload(VALID).workload.to_job()
    listed = {found.path: found.words for found in assumed_in(parse_workload(VALID), job)}
    assert listed == {
        "workload.framework": "Spark runs the job",
        "workload.input": "the input is loaded from the object store",
        "workload.output": "the output is unloaded to the object store",
        "assume.launch": "launch and set-up count in the time",
        "limits.free_space": "20% of disks and volumes stay free",
        "choose.min_vcpus": "a node has 4 vCPUs or more",
        "choose.min_memory": "a node has 8 GiB of memory or more",
    }
    said = parse_workload({**VALID, "limits": {"free_space": "10 %"}})
    assert "limits.free_space" not in {found.path for found in assumed_in(said, job)}
    assert assumed_in(parse_workload({**VALID, "assume": {"usual": "ignored"}}), job) == []
    hdfs = parse_workload({"workload": {"job": "hdfs-write", "data": "1 TB"}})
    words = [found.words for found in assumed_in(hdfs, hdfs.workload.to_job())]
    assert "there is room for the loss of 1 node" in words
    assert "the copies of a failed node exist again within 24 h" in words
    assert "the cluster is filled within 7 d" in words
    assert "burst buckets are empty at the start" in words
    assert "the head node has 1 GiB of memory for each million blocks" in words
    own = parse_workload({**FILLING, "limits": {"namenode_memory": "2 GiB"}})
    assert own.to_workload().limits.gib_per_million_blocks == 2.0
    assert "limits.namenode_memory" not in {found.path for found in assumed_in(own, own.workload.to_job())}


FILLING: dict[str, Any] = {"workload": {"job": "hdfs-write", "data": "200 TB", "replication": 3}}


def test_filling_a_cluster_has_a_deadline_unless_another_is_written_or_none() -> None:
    def limits_of(**limits: str) -> tuple[Limits, set[str]]:
        file = parse_workload({**FILLING, "limits": limits})
        return file.to_workload().limits, {found.path for found in assumed_in(file, file.workload.to_job())}

    usual, assumed = limits_of()
    assert (usual.deadline_s, usual.rereplication_s) == (7 * 86_400.0, 86_400.0)
    assert {"limits.deadline", "limits.rereplication"} < assumed
    own, assumed = limits_of(deadline="2 h", rereplication="3 h")
    assert (own.deadline_s, own.rereplication_s) == (7_200.0, 10_800.0)
    assert {"limits.deadline", "limits.rereplication"}.isdisjoint(assumed)
    without, assumed = limits_of(deadline="none", rereplication="none")
    assert (without.deadline_s, without.rereplication_s) == (None, None)
    assert {"limits.deadline", "limits.rereplication"}.isdisjoint(assumed)


def test_a_usual_deadline_is_not_stored_as_if_it_had_been_written() -> None:
    file = parse_workload(FILLING)
    unsaid = {"workload": {**FILLING["workload"], "framework": None}, "assume": {"usual": "applied"}}
    assert file.written() == {**FILLING, **unsaid, "limits": {"chance": None}}
    assert parse_stored_workload(FILLING).to_workload().limits == Limits()


def test_a_document_stored_with_usual_limits_is_asked_again_with_those_of_today() -> None:
    """The answer that was stored with it stays; it names its model version."""
    stored = parse_stored_workload({**FILLING, "assume": {"usual": "applied"}}).to_workload()
    assert (stored.limits.deadline_s, stored.limits.rereplication_s, stored.credits) == (7 * 86_400.0, 86_400.0, 0.0)
    before = parse_stored_workload({**FILLING, "credits": "full"}).to_workload()
    assert (before.limits, before.credits) == (Limits(), 1.0)


@pytest.mark.parametrize(
    ("document", "level"),
    [
        ({}, 0.0),
        ({"credits": "full"}, 1.0),
        ({"credits": 0.4}, 0.4),
        ({"assume": {"usual": "ignored"}}, 1.0),
        ({"workload": {"data": "1 TB"}}, 1.0),
    ],
)
def test_what_stays_starts_with_empty_credits_unless_others_are_written(document: dict[str, Any], level: float) -> None:
    file = parse_workload({**FILLING, **document})
    assert file.to_workload().credits == level
    listed = {found.path for found in assumed_in(file, file.workload.to_job())}
    assert ("credits" in listed) == (level == 0.0)
    # Full credits are stated explicitly: the default is empty ones.
    assert parse_workload(file.written()).to_workload().credits == level


def test_emr_takes_two_thousand_nodes_unless_aws_raised_its_quota() -> None:
    on_emr = {"workload": {"data": "1 TB"}, "place": {"service": "emr"}}
    file, raised = parse_workload(on_emr), parse_workload({**on_emr, "quotas": {"nodes_per_cluster": 4000}})
    words = "a cluster of EMR has at most 2,000 nodes beside its primary"
    assert file.to_workload().quotas.nodes_per_cluster == 2_000
    assert words in {found.words for found in assumed_in(file, file.workload.to_job())}
    assert raised.to_workload().quotas.nodes_per_cluster == 4_000
    assert words not in {found.words for found in assumed_in(raised, raised.workload.to_job())}
    assert parse_workload({"workload": {"data": "1 TB"}}).to_workload().quotas.nodes_per_cluster is None


def test_a_chance_is_of_a_deadline_that_is_written() -> None:
    with pytest.raises(BadInput) as refused:
        parse_workload({**FILLING, "limits": {"chance": "95 %"}})
    assert [problem.path for problem in refused.value.problems] == ["limits.chance"]


def test_a_workload_carries_every_field_into_the_model() -> None:
    file = parse_workload(
        {
            "workload": {
                "name": "all",
                "job": "mapreduce",
                "data": "2 TiB",
                "map_selectivity": 0.5,
                "reduce_selectivity": 3.0,
                "durability": {"model": "application"},
                "runs_per_month": 4.0,
            },
            "place": {"placement_group": False},
            "limits": {"deadline": "90 s", "budget": 12.5, "max_nodes": 7},
            "cluster": {"instance": "i2.8xlarge", "nodes": 3},
            "measured": {"storage_mb_per_s": 1.0, "network_mb_per_s": 2.0},
            "assume": {
                "network": "baseline",
                "shuffle": "whole",
                "capacity": "pooled",
                "cpu": "ignored",
                "spread": "ignored",
                "launch": "ignored",
                "billing": "prorated",
                "usual": "ignored",
            },
        }
    )
    workload = file.to_workload()
    assert isinstance(workload.job, MapReduce)
    assert workload.job.data_mb == 2 * 1024**4 / 1e6
    assert (workload.job.map_selectivity, workload.job.reduce_selectivity) == (0.5, 3.0)
    assert workload.job.durability.replicas == 2
    assert (workload.limits.deadline_s, workload.limits.budget_usd, workload.limits.max_nodes) == (90.0, 12.5, 7)
    assert workload.measured.instance == "i2.8xlarge"
    assert not workload.place.placement_group
    assert (workload.assume.network, workload.assume.billing) == ("baseline", "prorated")
    assert workload.runs_per_month == 4.0


def test_the_schema_describes_what_is_accepted() -> None:
    schema = WorkloadFile.model_json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(VALID, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"workload": {"data": "1 TB", "typo": 1}}, schema)


@pytest.mark.parametrize(
    "storage",
    [{}, {"kind": "instance-store", "input_output_disks": 4, "intermediate_disks": 4}],
    ids=["whole", "divided"],
)
def test_a_file_with_a_cluster_on_its_own_disks_is_written_such_that_it_is_read_again(storage: dict[str, Any]) -> None:
    cluster = {"instance": "i2.8xlarge", "nodes": 98} | ({"storage": storage} if storage else {})
    file = parse_workload({"workload": {"data": "100 TB"}, "cluster": cluster})
    assert parse_workload(file.written()) == file


def test_a_file_may_write_catalogue_for_catalog() -> None:
    old, new = (
        parse_workload({"workload": {"job": "sort", "data": "1 TB"}, "place": {name: "paper-2014"}})
        for name in ("catalogue", "catalog")
    )
    assert new == old
    assert new.place.catalog == "paper-2014"
    assert old.written()["place"] == {"catalog": "paper-2014"}


@pytest.mark.parametrize("place", [{"catalogue": "paper-2014"}, {"catalog": "paper-2014"}])
def test_a_stored_document_takes_the_name_of_today(place: dict[str, str]) -> None:
    document = {"workload": {"data": "1 TB"}, "place": {"region": "us-east-1", **place}}
    assert as_stored(document)["place"] == {"region": "us-east-1", "catalog": "paper-2014"}
    assert with_catalog(document, "latest")["place"] == {"region": "us-east-1", "catalog": "latest"}


def test_a_catalog_that_is_named_twice_is_refused() -> None:
    with pytest.raises(BadInput) as refused:
        parse_workload({"workload": {"data": "1 TB"}, "place": {"catalog": "latest", "catalogue": "paper-2014"}})
    [problem] = refused.value.problems
    assert (problem.path, problem.message) == (
        "place",
        "has both catalog and catalogue, its old name; accepted: one of them",
    )
