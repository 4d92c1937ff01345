"""The SoCC 2015 paper's arithmetic: results of Eq. 1-11 for its own bandwidths, compared with its measurements."""

import pytest

from knowledge import PAPER, PAPER_ARITHMETIC, on_ebs, on_own_disks, predicted, sort
from stowage.model.cluster import Configuration
from stowage.model.jobs.flows import Durability
from stowage.model.jobs.workload import Assumptions, Measured, Workload
from stowage.model.money.cost import Prices, run_cost

TWO_COPIES = Durability("application", 2)
ON_EBS = Durability("infrastructure")

EVALUATIONS = [
    # configuration, workload, by the equations [s], measured [s] (sections 5.1 to 5.3)
    pytest.param(
        on_own_disks(178, 4, 4),
        sort(measured=Measured(1515.0, 879.0), assume=PAPER_ARITHMETIC),
        1010.0,
        888.0,
        id="2-IO, slowest disks",
    ),
    pytest.param(
        on_own_disks(178, 4, 4),
        sort(measured=Measured(1741.4, 879.0), assume=PAPER_ARITHMETIC),
        961.7,
        888.0,
        id="2-IO, mean disks",
    ),
    pytest.param(
        on_own_disks(186, 5, 3),
        sort(durability=TWO_COPIES, measured=Measured(1515.0, 879.0), assume=PAPER_ARITHMETIC),
        1223.3,
        1378.0,
        id="two copies, 5 + 3",
    ),
    pytest.param(
        on_own_disks(186, 4, 4),
        sort(durability=TWO_COPIES, measured=Measured(1515.0, 879.0), assume=PAPER_ARITHMETIC),
        1321.4,
        1378.0,
        id="two copies, 4 + 4",
    ),
    pytest.param(
        on_ebs(330),
        sort(durability=ON_EBS, measured=Measured(10_000.0, 10_000.0), assume=PAPER_ARITHMETIC),
        2587.9,
        2981.0,
        id="EBS",
    ),
]


@pytest.mark.parametrize(("configuration", "workload", "equations_s", "measured_s"), EVALUATIONS)
def test_time_is_what_the_equations_give(
    configuration: Configuration, workload: Workload, equations_s: float, measured_s: float
) -> None:
    times = predicted(configuration, workload).time_s
    assert times.p50 == pytest.approx(equations_s, abs=0.05)
    # The bound is within 15% of each measured time, and the stated range holds each of them.
    assert abs(times.p50 / measured_s - 1.0) < 0.15
    assert times.p10 < measured_s < times.p90


def test_two_phases_of_the_2_io_sort_are_limited_as_equation_6_says() -> None:
    data_mb = 100e6 / 178
    prediction = predicted(on_own_disks(178, 4, 4), sort(measured=Measured(1515.0, 879.0), assume=PAPER_ARITHMETIC))
    shuffle, reduce = prediction.phases
    assert shuffle.time_s == pytest.approx(max(data_mb / 1515, data_mb / 879))
    assert shuffle.bottleneck == "network out"
    assert reduce.time_s == pytest.approx(data_mb / 1515)
    assert reduce.bottleneck == "input/output disks"


def test_exact_shuffle_leaves_each_node_its_own_share() -> None:
    measured = Measured(1515.0, 879.0)
    whole = predicted(on_own_disks(178, 4, 4), sort(measured=measured, assume=PAPER_ARITHMETIC))
    exact = Assumptions(cpu="ignored", spread="ignored", launch="ignored", billing="prorated")
    own = predicted(on_own_disks(178, 4, 4), sort(measured=measured, assume=exact))
    assert float(own.phases[0].time_s) == pytest.approx(float(whole.phases[0].time_s) * 177 / 178)


def test_a_single_node_has_no_network() -> None:
    for shuffle in ("exact", "whole"):
        assume = Assumptions(shuffle=shuffle, cpu="ignored", spread="ignored")
        prediction = predicted(on_own_disks(1, 4, 4), sort(1e6, assume=assume))
        storage = predicted(
            on_own_disks(1, 4, 4), sort(1e6, assume=Assumptions(network="unlimited", cpu="ignored", spread="ignored"))
        )
        assert prediction.time_s == storage.time_s
        assert not any("network" in figure.quantity for figure in prediction.provenance)


@pytest.mark.parametrize(
    ("configuration", "measured", "capacity", "usd"),
    [
        (on_own_disks(178, 4, 4), Measured(network_mb_per_s=879.0), "divided", 325.0),
        # 34.17 MB/s is computed back from the 362 USD: arithmetic. 179 nodes hold 300 TB only undivided.
        (on_own_disks(179, 2, 2, "m1.xlarge"), Measured(network_mb_per_s=34.17), "pooled", 362.0),
    ],
    ids=["i2.8xlarge in a placement group", "m1.xlarge"],
)
def test_costs_of_figure_9(configuration: Configuration, measured: Measured, capacity: str, usd: float) -> None:
    assume = Assumptions(
        shuffle="whole",
        capacity="pooled" if capacity == "pooled" else "divided",
        cpu="ignored",
        spread="ignored",
        launch="ignored",
        billing="prorated",
    )
    assert predicted(configuration, sort(measured=measured, assume=assume)).cost_usd.p50 == pytest.approx(usd, abs=1.0)


@pytest.mark.parametrize(
    ("nodes", "instance", "measured_s", "usd"),
    [(178, "i2.8xlarge", 888.0, 299.45), (186, "i2.8xlarge", 1378.0, 485.56)],
)
def test_measured_durations_cost_what_the_paper_paid(nodes: int, instance: str, measured_s: float, usd: float) -> None:

    price = PAPER.catalog.instance_types[instance].usd_per_hour
    assert price is not None
    cost = run_cost(Prices(price.value, 0.0, 0.0, 0.0), float(nodes), measured_s)
    assert cost.total == pytest.approx(usd, abs=0.02)


def test_ebs_cost_decomposes_as_table_5_does() -> None:
    """1.40 + 0.10 + 0.15 USD an hour and node; the paper's month has 720 hours, AWS' 730."""
    prediction = predicted(
        on_ebs(330), sort(durability=ON_EBS, measured=Measured(10_000.0, 10_000.0), assume=PAPER_ARITHMETIC)
    )
    per_node_hour = prediction.cost_usd.p50 / 330 / (prediction.time_s.p50 / 3600)
    assert per_node_hour == pytest.approx(1.40 + 0.10 + 1080 * 0.10 / 730)
