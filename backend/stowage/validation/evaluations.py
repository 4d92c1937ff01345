"""Predicted time and cost of 100 TB sorts: the paper's three evaluations, and Spark's record."""

import math
from dataclasses import replace

from stowage.model.cluster import Configuration, Ebs, InstanceStore
from stowage.model.jobs.flows import Durability
from stowage.model.jobs.frameworks import IDEAL
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.workload import Assumptions, Measured, Workload
from stowage.model.prediction import Prediction
from stowage.model.uncertainty.range import quantiles
from stowage.validation.case import Predicted
from stowage.validation.inputs import EQUATIONS, UNBILLED_LAUNCH, PublishedInputs, cost_of, error_words, time_of
from stowage.validation.table2 import sort

EVALUATIONS = ("sort-2io", "sort-application", "sort-infrastructure")


def predictions(inputs: PublishedInputs) -> dict[str, Predicted]:
    """Predict the time and cost of each evaluation and of Spark's record, and the phases of the 2-IO sort."""
    found: dict[str, Predicted] = {}
    for name in EVALUATIONS:
        prediction, bound_s = evaluation(inputs, name), bound_time_s(inputs, name)
        actual_s = inputs.actual(f"{name}-time")
        off = error_words(bound_s, actual_s)
        words = f"The paper's own equations give {bound_s:,.0f} s, {off} against the measured time."
        width = _without(inputs, name)
        low_s, high_s = quantiles(prediction.time_s.p50, width)[0::2]
        range_words = (
            f"The width rests on the errors of all three evaluations; without this one it is {width:.3f} instead of "
            f"{IDEAL.error.value:.2f}: {low_s:,.0f} to {high_s:,.0f} s."
        )
        found[f"{name}-time"] = time_of(prediction, words, range_words)
        found[f"{name}-cost"] = cost_of(prediction, words, range_words)
    two_io = evaluation(inputs, "sort-2io")
    for index, phase in enumerate(two_io.phases, start=1):
        # The range of the total time comes from the framework's error alone, which applies to a phase as well.
        width = two_io.time_s.p90 / two_io.time_s.p50
        time_s = float(phase.time_s)
        words = f"The model has it limited by {phase.bottleneck}."
        found[f"sort-2io-phase-{index}"] = Predicted(time_s, time_s / width, time_s * width, (words,))
    spark = spark_record(inputs, "unknown")
    return found | {"sort-spark-time": time_of(spark), "sort-spark-cost": cost_of(spark)}


def _without(inputs: PublishedInputs, left_out: str) -> float:
    """Return the root mean square of ln(measured time / time by the equations) of all evaluations except one [1]."""
    others = [name for name in EVALUATIONS if name != left_out]
    errors = [math.log(inputs.actual(f"{name}-time") / bound_time_s(inputs, name)) for name in others]
    return math.sqrt(sum(error * error for error in errors) / len(errors))


def evaluation(
    inputs: PublishedInputs, name: str, assume: Assumptions = UNBILLED_LAUNCH, framework: str = IDEAL.name
) -> Prediction:
    """Predict the evaluation of this name in `EVALUATIONS`, with one of the frameworks that Stowage ships."""
    workload = replace(_workload(inputs, name, assume), framework=framework)
    return inputs.predict(_configuration(inputs, name), workload)


def bound_time_s(inputs: PublishedInputs, name: str) -> float:
    """Return the time of one of `EVALUATIONS` according to the paper's equations and bandwidths [s]."""
    return evaluation(inputs, name, EQUATIONS).time_s.p50


def _configuration(inputs: PublishedInputs, name: str) -> Configuration:
    if name == "sort-2io":
        return Configuration("i2.8xlarge", inputs.count("two_io.nodes"), InstanceStore(4, 4))
    if name == "sort-application":
        return Configuration("i2.8xlarge", inputs.count("application.nodes"), InstanceStore(5, 3))
    layout = Ebs("gp2", inputs.count("infrastructure.volume_gib"), inputs.count("infrastructure.volumes"))
    return Configuration("r3.4xlarge", inputs.count("infrastructure.nodes"), layout)


def _workload(inputs: PublishedInputs, name: str, assume: Assumptions) -> Workload:
    if name == "sort-infrastructure":
        given = Measured(
            storage_mb_per_s=inputs.value("r3.4xlarge.own_disk"), network_mb_per_s=inputs.value("r3.4xlarge.network")
        )
        return _kept(sort(inputs, assume, given), Durability("infrastructure"))
    slowest = Measured(
        storage_mb_per_s=inputs.value("i2.8xlarge.slowest_storage"),
        network_mb_per_s=inputs.value("i2.8xlarge.slowest_network"),
    )
    workload = sort(inputs, assume, slowest)
    return _kept(workload, Durability("application", 2)) if name == "sort-application" else workload


def spark_record(inputs: PublishedInputs, framework: str) -> Prediction:
    """Predict Spark's record in sorting 100 TB with a framework of the package."""
    workload = _kept(sort(inputs, UNBILLED_LAUNCH), Durability("application", 2))
    configuration = Configuration("i2.8xlarge", inputs.count("spark.nodes"), InstanceStore(8, 0))
    return inputs.predict(configuration, replace(workload, framework=framework))


def _kept(workload: Workload, durability: Durability) -> Workload:
    job = workload.job
    if not isinstance(job, MapReduce):
        raise TypeError("a sort is MapReduce")
    return replace(workload, job=replace(job, durability=durability))
