"""The calculation in a report derives every part of the cost from prices, counts and times."""

from functools import cache
from math import isclose
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from stowage.features.planning import planning
from stowage.features.reports.composed.cost import AS_PREDICTED, calculation
from stowage.features.reports.composed.options import Option, name_of
from stowage.model.formula import computed
from stowage.model.money.terms import TERMS
from stowage.model.report import Calculation, Step
from stowage.platform.errors import BadInput
from stowage.workloads.answers import PlanAnswer, PredictionAnswer
from stowage.workloads.knowledge import packaged_knowledge
from stowage.workloads.workload_file import parse_workload

EMR = {"service": "emr", "primary": "m5.xlarge"}
SPREAD = {"zones": 3, "placement_group": False}

QUESTIONS: dict[str, dict[str, Any]] = {
    "own disks": {
        "workload": {"data": "20 TB", "durability": {"model": "application"}},
        "place": SPREAD,
        "assume": {"launch": "billed"},
    },
    "every way to pay": {"workload": {"data": "5 TB", "runs_per_month": 90.0}, "place": {"purchase": "any", **EMR}},
    "kept in an object store": {
        "workload": {"data": "30 TB", "durability": {"model": "object-store"}, "kept": "90 d", "runs_per_month": 60.0},
        "place": {"purchase": "spot"},
    },
    "a cluster that stays": {"workload": {"data": "50 TB", "job": "hdfs-write"}, "objective": "month", "place": SPREAD},
    "a cluster that stays on EBS": {
        "workload": {"data": "50 TB", "job": "hdfs-write", "durability": {"model": "infrastructure"}},
        "objective": "month",
        "place": EMR,
    },
    "provisioned volumes": {
        "workload": {
            "data": "4 TB",
            "job": "random-io",
            "durability": {"model": "infrastructure"},
            "queue_depth": 64.0,
        },
        "place": {"purchase": "3-year"},
        "choose": {"families": ["m6i", "r6in"]},
        "limits": {"deadline": "15 min", "max_nodes": 30},
    },
}


@cache
def answered(name: str) -> PlanAnswer:
    document = {"limits": {"max_nodes": 60}, **QUESTIONS[name]}
    return planning.preview_plan(parse_workload(document), packaged_knowledge, lambda: 0.0, "first")


def predicted(document: dict[str, Any]) -> Option | None:
    """Predict a configuration; return None if it is impossible."""
    try:
        file = parse_workload(document)
        found = planning.predict_cluster(file, packaged_knowledge)
    except BadInput:
        return None
    return Option("rank-1", name_of(found), found, file) if isinstance(found, PredictionAnswer) else None


def parts_of(found: Calculation) -> dict[str, Step]:
    return {step.key.removesuffix("_usd"): step for step in found.steps if step.key.endswith("_usd")}


def check(option: Option) -> None:
    """Check a calculation against the answer: it copies none of the answer's parts."""
    found = calculation(option)
    parts, row = parts_of(found), option.row
    paid = option.month_parts or row.cost_parts_usd
    for part in (term.part for term in TERMS):
        usd = getattr(paid, part)
        assert (parts[part].amount.value == usd) if usd > 0.0 else part not in parts
        assert usd == 0.0 or parts[part].formula is not None, (part, option.name)
    values = computed(found)
    for step in found.steps:
        assert isclose(values[step.key], step.amount.value, rel_tol=1e-9), step
        assert step.formula is not None or step.amount.source, step
    if option.stays:
        assert not {"cost", "month"} & parts.keys()
        assert parts["always_on"].formula is not None
        assert parts["always_on"].amount.value == row.cost_always_on_usd
    else:
        assert parts["cost"].amount.value == row.cost_usd.p50
        assert parts["month"].amount.value == row.cost_per_month_usd.p50


@pytest.mark.parametrize("name", list(QUESTIONS))
def test_every_row_of_a_ranking_is_worked_out(name: str) -> None:
    answer = answered(name)
    file = parse_workload(answer.workload)
    rows = [row for row in answer.configurations if row.sources]
    assert rows
    for row in rows:
        check(Option("rank-1", name_of(row), row, file))


def volumes(kind: str) -> st.SearchStrategy[dict[str, Any]]:
    sizes = {"gp2": (1, 16_384), "st1": (125, 16_384), "standard": (1, 1_024)}
    low, high = sizes.get(kind, (100, 16_384))
    more: dict[str, st.SearchStrategy[Any]] = {}
    if kind == "gp3":
        more = {"iops": st.integers(3_000, 16_000), "throughput_mib_per_s": st.integers(125, 500)}
    if kind in {"io1", "io2"}:
        more = {"iops": st.integers(100, 5_000) if kind == "io1" else st.integers(100, 90_000)}
    return st.fixed_dictionaries(
        {
            "kind": st.just("ebs"),
            "type": st.just(kind),
            "size": st.integers(low, high).map("{} GiB".format),
            "count": st.integers(1, 8),
            **({} if kind == "gp3" else more),
        },
        optional=more if kind == "gp3" else {},
    )


stores: st.SearchStrategy[tuple[dict[str, Any], dict[str, Any]]] = st.one_of(
    st.tuples(
        st.just({"model": "infrastructure"}),
        st.sampled_from(["gp2", "gp3", "io1", "io2", "st1", "standard"]).flatmap(volumes),
    ),
    st.tuples(st.just({"model": "object-store"}), st.just({"kind": "object-store"})),
    st.tuples(
        st.sampled_from([{"model": "none"}, {"model": "application", "replicas": 2}]),
        st.just({"kind": "instance-store"}),
    ),
)


configurations: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "store": stores,
        "instance": st.sampled_from(["i4i.4xlarge", "m6id.metal", "r5d.2xlarge", "i3en.24xlarge"]),
        "nodes": st.integers(1, 2_000),
        "data_gb": st.integers(1, 500_000),
        "purchase": st.sampled_from(["on-demand", "spot", "1-year", "3-year", "any"]),
        "zones": st.integers(1, 3),
        "service": st.sampled_from(["ec2", "emr"]),
        "runs": st.floats(0.5, 500.0),
        "kept": st.sampled_from([None, "30 d", "300 d"]),
        "spares": st.integers(0, 3),
        "assume": st.sampled_from([{}, {"launch": "ignored"}, {"billing": "prorated", "shuffle": "whole"}]),
    }
)


def work_out(chosen: dict[str, Any]) -> None:
    """Check the calculation of a configuration against its prediction, if it can be predicted."""
    (durability, storage), kept = chosen["store"], chosen["kept"]
    workload = {"data": f"{chosen['data_gb']} GB", "durability": durability, "runs_per_month": chosen["runs"]}
    option = predicted(
        {
            "workload": workload if kept is None else {**workload, "kept": kept},
            "place": {
                "purchase": chosen["purchase"],
                "service": chosen["service"],
                "zones": chosen["zones"],
                "placement_group": False,
            },
            "assume": chosen["assume"],
            "cluster": {
                "instance": chosen["instance"],
                "nodes": chosen["nodes"],
                "storage": storage,
                "spares": chosen["spares"],
            },
        }
    )
    if option is not None:
        check(option)


@settings(max_examples=10, phases=[Phase.generate])
@given(chosen=configurations)
def test_any_configuration_is_worked_out(chosen: dict[str, Any]) -> None:
    work_out(chosen)


@pytest.mark.soak("fuzz")
@settings(max_examples=500, phases=[Phase.generate])
@given(chosen=configurations)
def test_every_one_of_many_configurations_is_worked_out(chosen: dict[str, Any]) -> None:
    work_out(chosen)


def test_of_a_plan_older_than_the_parts_of_a_month_the_month_stands_there_as_predicted() -> None:
    answer = answered("a cluster that stays")
    row = answer.configurations[0].model_copy(update={"cost_always_on_parts_usd": None})
    found = parts_of(calculation(Option("rank-1", name_of(row), row, parse_workload(answer.workload))))
    assert found["always_on"].amount.value == row.cost_always_on_usd
    assert found["always_on"].formula is None


def test_what_no_figure_explains_stands_there_as_it_was_predicted() -> None:
    answer = answered("own disks")
    row = answer.configurations[0]
    parts = row.cost_parts_usd.model_copy(update={"screening": 12.5})
    changed = row.model_copy(update={"cost_parts_usd": parts, "provenance": []})
    found = parts_of(calculation(Option("rank-1", name_of(row), changed, parse_workload(answer.workload))))
    for part in ("instances", "launch", "screening"):
        assert found[part].formula is None
        assert AS_PREDICTED in found[part].label
        assert found[part].amount.source == "the model"
