"""Every number that goes into a prediction is in its provenance, and nothing else is.

The inputs are walked, not listed by hand: each figure is made a thousand times larger and smaller. If
the prediction changes or becomes impossible, the figure must be in the provenance; if it does not, it
must not be.
"""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

import pytest

from knowledge import PAPER, TB, on_ebs, on_own_disks, predicted, sort
from stowage.model.cluster import Configuration, Ebs, InstanceStore
from stowage.model.figure import Figure
from stowage.model.infeasible import Infeasible
from stowage.model.inputs import Inputs, gather
from stowage.model.prediction import Prediction, predict_from
from stowage.model.profile import Profile, ScalingCurve
from stowage.model.workload import Assumptions, Durability, Job, Measured, Workload

FACTORS = (1e-3, 1e3)

CASES = {
    "2-IO at a measured cluster size": (on_own_disks(178, 4, 4), sort()),
    "2-IO between measured cluster sizes": (on_own_disks(100, 4, 4), sort()),
    "two copies": (on_own_disks(186, 5, 3), sort(durability=Durability("application", 2))),
    "one node": (on_own_disks(1, 2, 2, "m1.xlarge"), sort(0.3 * TB)),
    "a single disk": (on_own_disks(1, 1, 0, "m3.large"), sort(0.005 * TB)),
    "everything given": (
        on_own_disks(178, 4, 4),
        sort(measured=Measured(1515.0, 879.0)),
    ),
    "the paper's arithmetic": (
        on_own_disks(178, 4, 4),
        sort(
            measured=Measured(network_mb_per_s=879.0),
            assume=Assumptions(cpu="ignored", spread="ignored", launch="ignored", billing="prorated"),
        ),
    ),
    "EBS": (
        on_ebs(330, instance="i2.4xlarge"),
        sort(durability=Durability("infrastructure"), assume=Assumptions(network="unlimited")),
    ),
    "EBS with rates given": (
        on_ebs(330),
        sort(durability=Durability("infrastructure"), measured=Measured(900.0, 1000.0, 243.0, 226.0)),
    ),
    "MapReduce": (
        on_own_disks(178, 4, 4),
        Workload("", Job("mapreduce", 100 * TB, map_selectivity=0.5, reduce_selectivity=0.8)),
    ),
}


@pytest.fixture(params=list(CASES.values()), ids=list(CASES))
def case(request: pytest.FixtureRequest) -> tuple[Configuration, Workload]:
    configuration, workload = request.param
    return configuration, workload


def test_a_looked_up_figure_is_listed_if_and_only_if_it_matters(case: tuple[Configuration, Workload]) -> None:
    configuration, workload = case
    inputs = inputs_of(configuration, workload)
    before = predicted(configuration, workload)
    mattering = {
        without_target(figure)
        for figure, changed in variations(inputs)
        if outcome(predict_from(changed, configuration, workload)) != outcome(before)
    }
    # What the user gives as a measured rate is looked up like any other; what is worked out from other
    # figures (the network between measured cluster sizes) is no input, but shown with them.
    listed = {
        without_target(figure)
        for figure in before.provenance
        if (figure.kind != "given" or figure.quantity.startswith("measured.")) and not worked_out(figure)
    }
    assert listed == mattering


def test_a_number_of_the_workload_or_configuration_is_listed_if_and_only_if_it_matters(
    case: tuple[Configuration, Workload],
) -> None:
    configuration, workload = case
    before = predicted(configuration, workload)
    listed = {
        figure.quantity
        for figure in before.provenance
        if figure.kind == "given" and not figure.quantity.startswith("measured.")
    }
    mattering = {
        quantity
        for quantity, changed_configuration, changed_workload in user_variations(configuration, workload)
        if outcome(again(changed_configuration, changed_workload)) != outcome(before)
    }
    assert listed == mattering


@pytest.mark.parametrize(
    ("nodes", "kinds"),
    [(178, ["measured"]), (100, ["estimated", "measured", "measured"]), (900, ["estimated", "measured", "measured"])],
)
def test_a_network_rate_that_nobody_measured_is_shown_as_an_estimate(nodes: int, kinds: list[str]) -> None:
    provenance = predicted(on_own_disks(nodes, 4, 4), sort()).provenance
    network = [figure for figure in provenance if "network_mb_per_s" in figure.quantity]
    assert [figure.kind for figure in network] == kinds
    assert network[0].quantity == f"i2.8xlarge.network_mb_per_s at {nodes} nodes"
    inputs = inputs_of(on_own_disks(nodes, 4, 4), sort())
    assert isinstance(inputs.network, ScalingCurve)
    assert network[0].value == inputs.network.rate_mb_per_s(nodes)


def test_every_listed_number_says_where_it_comes_from(case: tuple[Configuration, Workload]) -> None:
    provenance = predicted(*case).provenance
    names = [figure.quantity for figure in provenance]
    assert len(set(names)) == len(names)
    for figure in provenance:
        assert figure.source
        assert figure.unit
        assert (figure.as_of is None) == (figure.kind == "given")


def inputs_of(configuration: Configuration, workload: Workload) -> Inputs:
    layout = configuration.layout
    volume = PAPER.catalogue.volume_types[layout.volume_type] if isinstance(layout, Ebs) else None
    inputs = gather(PAPER.catalogue.instance_types[configuration.instance], volume, workload, PAPER.profiles)
    assert isinstance(inputs, Inputs)
    return inputs


def again(configuration: Configuration, workload: Workload) -> Prediction | Infeasible:
    return predict_from(inputs_of(configuration, workload), configuration, workload)


def variations(node: Any) -> Iterator[tuple[Figure, Any]]:  # noqa: C901 - one branch for each shape of a tree
    """Find every figure below a node, with the node rebuilt around a larger and a smaller one."""
    if isinstance(node, Figure):
        for factor in FACTORS:
            yield node, replace(node, value=node.value * factor)
    elif isinstance(node, Profile):
        for factor in FACTORS:
            yield node.figure(), replace(node, mean=node.mean * factor)
    elif isinstance(node, tuple):
        for index, item in enumerate(node):
            for figure, changed in variations(item):
                yield figure, (*node[:index], changed, *node[index + 1 :])
    elif is_dataclass(node) and not isinstance(node, type):
        for field in fields(node):
            for figure, changed in variations(getattr(node, field.name)):
                yield figure, replace(node, **{field.name: changed})


def user_variations(configuration: Configuration, workload: Workload) -> Iterator[tuple[str, Configuration, Workload]]:
    job, layout = workload.job, configuration.layout

    def with_job(**changes: Any) -> Workload:
        return replace(workload, job=replace(job, **changes))

    for factor in FACTORS:
        yield "workload.data", configuration, with_job(data_mb=job.data_mb * factor)
        if job.kind == "mapreduce":
            yield "workload.map_selectivity", configuration, with_job(map_selectivity=job.map_selectivity * factor)
            yield (
                "workload.reduce_selectivity",
                configuration,
                with_job(reduce_selectivity=job.reduce_selectivity * factor),
            )
        nodes = int(configuration.nodes * factor)
        yield "cluster.nodes", replace(configuration, nodes=nodes), workload
    if job.durability.model == "application":
        copies = replace(job.durability, replicas=job.durability.replicas * 1000)
        yield "workload.durability.replicas", configuration, with_job(durability=copies)
    if isinstance(layout, InstanceStore):
        more = replace(layout, input_output_disks=layout.input_output_disks * 1000)
        yield "cluster.storage.input_output_disks", replace(configuration, layout=more), workload
        more = replace(layout, intermediate_disks=layout.intermediate_disks * 1000 + 1)
        yield "cluster.storage.intermediate_disks", replace(configuration, layout=more), workload
    else:
        larger = {
            "cluster.storage.count": replace(layout, count=layout.count * 1000),
            "cluster.storage.size": replace(layout, size_gib=layout.size_gib * 1000),
        }
        for quantity, changed in larger.items():
            yield quantity, replace(configuration, layout=changed), workload


def outcome(answer: Prediction | Infeasible) -> object:
    if isinstance(answer, Infeasible):
        return "infeasible"
    return (
        answer.time_s,
        answer.cost_usd,
        answer.loss_probability,
        answer.meets_deadline,
        answer.meets_budget,
    )


def without_target(figure: Figure) -> tuple[str, float]:
    """Name a figure alike before and after it was named for its type."""
    parts = figure.quantity.split(".")
    return parts[-1], figure.value


def worked_out(figure: Figure) -> bool:
    return figure.source.startswith("Not measured at this cluster size")
