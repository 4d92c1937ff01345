"""Forecasts in bulk have the bits of the model's, for configurations of every kind."""

import math
from collections.abc import Callable, Sequence
from dataclasses import astuple, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from many import CASES, MEASURED, SLOW, TYPES, inputs_of, on_types, stacked
from stowage.model.cluster import Ebs, InstanceStore, Layout
from stowage.model.forecast import forecast
from stowage.model.jobs.append_log import AppendLog
from stowage.model.jobs.flows import Durability
from stowage.model.jobs.frameworks import FRAMEWORKS
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.random_io import RandomIo
from stowage.model.jobs.workload import Limits, Place, Workload
from stowage.model.offer import Offer, offer_of
from stowage.model.uncertainty.scale import exp_of, log_of, normal_cdf
from stowage.model.uncertainty.straggler import Stragglers
from stowage.optimizer.bulk.forecasts import Forecasts, forecast_into
from stowage.optimizer.bulk.program import CHUNK, Execution, Program
from stowage.optimizer.bulk.recording import COMPILED, Recorder, symbols

UNWRITTEN = -1.0


def in_bulk(offered: Offer, workload: Workload, nodes: NDArray[np.float64], threads: int | None = None) -> Forecasts:
    into = Forecasts(*(np.full(nodes.size, UNWRITTEN) for _ in astuple(Forecasts.empty(0))))
    forecast_into(into, offered, workload, nodes, threads)
    return into


def by_the_model(offered: Offer, workload: Workload, nodes: NDArray[np.float64]) -> Forecasts:
    found = forecast(offered, workload, nodes)
    values = (*found.time_s, *found.cost_usd, found.meets_deadline, found.meets_budget)
    return Forecasts(*(np.full(nodes.size, UNWRITTEN if value is None else value) for value in values))


def hold_bit_for_bit(offered: Offer, workload: Workload, nodes: NDArray[np.float64]) -> None:
    found, expected = in_bulk(offered, workload, nodes), by_the_model(offered, workload, nodes)
    for of_bulk, of_model in zip(astuple(found), astuple(expected), strict=True):
        assert of_bulk.tobytes() == of_model.tobytes()


@pytest.mark.parametrize("name", CASES)
def test_node_counts_and_volume_sizes_have_the_models_bits(name: str) -> None:
    layout, workload = CASES[name]
    inputs, nodes = inputs_of("r5d.4xlarge", layout, workload), np.arange(1.0, 178.0 if name == SLOW else 1_001.0)
    sizes = np.resize([125.0, 170.0, 171.0, 334.0, 1_000.0, 1_024.0], nodes.size) if isinstance(layout, Ebs) else None
    hold_bit_for_bit(offer_of(inputs, layout, workload, nodes, sizes), workload, nodes)


@pytest.mark.parametrize("name", [name for name in CASES if name != SLOW])
@pytest.mark.parametrize("always", [False, True], ids=["where they differ", "everywhere"])
def test_types_stacked_into_arrays_have_the_models_bits(name: str, *, always: bool) -> None:
    layout, workload = CASES[name]
    measured = replace(MEASURED, network_credit_mb=None)
    workload = replace(workload, measured=measured, place=replace(workload.place, purchase="on-demand"))
    offers, nodes = on_types(layout, workload, [(instance, count) for instance in TYPES for count in (2, 19)])
    hold_bit_for_bit(stacked(offers, always=always), workload, nodes)


EBS = Durability("infrastructure")
JOBS: dict[str, Callable[[float], tuple[Sequence[Layout], Any]]] = {
    "sort": lambda mb: ([InstanceStore(1, 1)], MapReduce("sort", mb)),
    "skewed job": lambda mb: ([InstanceStore(1, 1)], MapReduce("mapreduce", mb, 0.7, 2.0, skew=4.0)),
    "sort on volumes": lambda mb: (
        [Ebs("gp2", 100, 3), Ebs("gp3", 500, 2, 5_000, 600)],
        MapReduce("sort", mb, durability=EBS),
    ),
    "write": lambda mb: ([Ebs("st1", 600, 3), Ebs("gp2", 334, 2)], Hdfs("hdfs-write", mb, replace(EBS, replicas=3))),
    "read": lambda mb: ([Ebs("st1", 900, 2), Ebs("gp2", 100, 8)], Hdfs("hdfs-read", mb, EBS, local_share=0.2)),
    "log": lambda mb: ([Ebs("gp2", 500, 2)], AppendLog(mb, 1.0, in_memory=0.5, snapshot=True, durability=EBS)),
    "random I/O": lambda mb: ([Ebs("standard", 500, 4), Ebs("gp2", 120, 3)], RandomIo(mb, 8.0, 0.9, 4.0, 100.0, EBS)),
}


@given(data=st.data())
def test_random_configurations_have_the_models_bits(data: st.DataObject) -> None:
    """Any job, framework, storage, purchase option, fill level of buckets, and limits."""
    layouts, job = JOBS[data.draw(st.sampled_from(list(JOBS)))](10.0 ** data.draw(st.floats(3.0, 9.0)))
    layout = data.draw(st.sampled_from(layouts))
    workload = Workload(
        "",
        job,
        framework=data.draw(st.sampled_from(list(FRAMEWORKS))),
        credits=data.draw(st.sampled_from([0.0, 0.3, 1.0])),
        place=Place(
            purchase=data.draw(st.sampled_from(["on-demand", "spot"])),
            service=data.draw(st.sampled_from(["ec2", "emr"])),
            zones=data.draw(st.integers(1, 3)),
            placement_group=False,
        ),
        limits=Limits(
            deadline_s=data.draw(st.none() | st.floats(1.0, 1e5)),
            budget_usd=data.draw(st.none() | st.floats(0.01, 1e4)),
        ),
        measured=MEASURED,
        spares=data.draw(st.sampled_from([0, 0, 3])),
    )
    picked = data.draw(st.lists(st.tuples(st.sampled_from(TYPES[:2]), st.integers(2, 3_000)), min_size=2, max_size=9))
    offers, nodes = on_types(layout, workload, picked)
    hold_bit_for_bit(stacked(offers, always=False), workload, nodes)


def test_slow_nodes_have_the_models_bits() -> None:
    """Twenty courses, whose mean is inverted by bisection."""
    layout, workload = CASES["sort on own disks"]
    workload = replace(workload, framework="spark", stragglers=Stragglers(0.05, 3.0))
    nodes = np.arange(2.0, 20.0)
    hold_bit_for_bit(offer_of(inputs_of("r5d.4xlarge", layout, workload), layout, workload, nodes), workload, nodes)


def test_an_error_below_the_median_of_its_own_has_the_models_bits() -> None:
    layout, workload = CASES["HDFS on st1 half empty"]
    framework = FRAMEWORKS["hadoop-dfsio"]
    more = replace(framework.error, value=0.05)
    calibrated = replace(
        *(framework,),
        faster=more,
        extrapolation=more,
        measured_nodes=(4.0, 40.0),
        growth=replace(more, value=0.14),
        start_up=replace(more, value=20.0),
        log_nodes=more,
    )
    workload, nodes = replace(workload, calibrated=calibrated), np.arange(1.0, 400.0)
    hold_bit_for_bit(offer_of(inputs_of("r5d.4xlarge", layout, workload), layout, workload, nodes), workload, nodes)


@pytest.mark.parametrize("threads", [1, 2, None])
@pytest.mark.parametrize("limits", [Limits(600.0, 30.0), Limits()], ids=["within limits", "without"])
def test_chunks_and_threads_change_no_bit(threads: int | None, limits: Limits) -> None:
    """Several chunks and a remainder; without limits, chances are not written."""
    layout, workload = CASES["HDFS on st1 half empty"]
    workload, nodes = replace(workload, limits=limits), np.arange(1.0, 3.0 * CHUNK + 6.0)
    offered = offer_of(inputs_of("r5d.4xlarge", layout, workload), layout, workload, nodes)
    found = in_bulk(offered, workload, nodes, threads)
    for of_bulk, of_model in zip(astuple(found), astuple(by_the_model(offered, workload, nodes)), strict=True):
        assert of_bulk.tobytes() == of_model.tobytes()


TABLE = np.random.default_rng(1).normal(size=101)

OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda x, y: (x + y, x + 2.0, 3.0 + y),
    "subtract": lambda x, y: (x - y, x - 2.0, 3.0 - y, x - 0.0),
    "multiply": lambda x, y: (x * y, x * 2.0, 3.0 * y, x * 1.0),
    "divide": lambda x, y: (x / y, x / 3.0, 3.0 / y, x / 1.0),
    "multiply_add": lambda x, y: (x * y + x, 3.0 * y + x, y + x * 3.0, x * y + 3.0, x * 3.0 + 7.0),
    "maximum": lambda x, y: (np.maximum(x, y), np.maximum(x, 0.1), np.maximum(0.1, y)),
    "minimum": lambda x, y: (np.minimum(x, y), np.minimum(x, 0.1), np.minimum(0.1, y)),
    "less": lambda x, y: tuple(1.0 * of for of in (x < y, x > y, x < 0.5, x > 0.5)),
    "less_equal": lambda x, y: tuple(1.0 * of for of in (x <= y, x >= y, x <= 0.5, x >= 0.5)),
    "equal": lambda x, y: (1.0 * np.equal(x, y), 1.0 * np.equal(x, 0.5)),
    "logical_and": lambda x, y: (1.0 * np.logical_and(x < 0.5, y > 0.5),),
    "where": lambda x, y: tuple(np.where(x < y, *of) for of in ((x, y), (1.0, y), (x, 2.0), (1.0, 2.0))),
    "take": lambda x, y: (np.take_along_axis(TABLE, (np.ceil(x * 100.0)).astype(np.intp), axis=0), y),
    "sqrt": lambda x, y: (np.sqrt(abs(x)), np.sqrt(abs(y))),
    "absolute": lambda x, y: (abs(x), np.abs(y)),
    "negative": lambda x, y: (-x, -y),
    "ceil": lambda x, y: (np.ceil(x), np.ceil(y * 9.0)),
    "expm1 (vectorized)": lambda x, y: (np.frompyfunc(math.expm1, 1, 1)(x).astype(np.float64), y),
    "log1p (vectorized)": lambda x, y: (np.frompyfunc(math.log1p, 1, 1)(x).astype(np.float64), y),
    "copy": lambda x, y: (x, y, y),
    "by numpy": lambda x, y: (exp_of(x), log_of(exp_of(y) + 1.0), normal_cdf(exp_of(x) - y)),
}


@pytest.mark.parametrize("size", [1, 127, 128, 300, CHUNK])
@pytest.mark.parametrize("name", OPERATIONS)
def test_each_operation_has_numpys_bits_in_blocks_of_any_length(name: str, size: int) -> None:
    of, random = OPERATIONS[name], np.random.default_rng(size)
    x, y = random.uniform(0.0, 1.0, size), random.uniform(-1.0, 1.0, size)
    recorder = Recorder(size)
    results = [recorder.value(value) for value in of(recorder.symbol(x), recorder.symbol(y))]
    found = [np.empty(size) for _ in results]
    Execution(Program(recorder, results), found).run(0, size)
    for of_bulk, of_numpy in zip(found, of(x, y), strict=True):
        assert of_bulk.tobytes() == of_numpy.tobytes()


def test_every_operation_is_compared() -> None:
    assert set(COMPILED) | {"by numpy"} == set(OPERATIONS)


def test_what_cannot_be_recorded_is_refused() -> None:
    recorder = Recorder(3)
    symbol = recorder.symbol(np.ones(3))
    with pytest.raises(TypeError, match="no value"):
        bool(symbol > 0.0)
    with pytest.raises(TypeError):
        np.expm1(symbol)
    with pytest.raises(TypeError):
        np.add.reduce(symbol)
    with pytest.raises(TypeError):
        np.sum(symbol)
    with pytest.raises(ValueError, match=r"shape \(4,\) among 3 configurations"):
        symbol + np.ones(4)


def test_values_without_arrays_stay_as_they_are() -> None:
    recorder = Recorder(3)
    value = ({"rate": 1.0, "of": np.float64(2.0)}, np.array(3.0), "name")
    assert symbols(value, recorder) == value
    assert not recorder.arrays
