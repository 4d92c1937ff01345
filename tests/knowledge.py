"""The packaged knowledge and short ways to write workloads, for tests of every layer."""

from stowage.catalog.snapshot import packaged
from stowage.model.cluster import Configuration, Ebs, InstanceStore
from stowage.model.infeasible import Infeasible
from stowage.model.prediction import Prediction, predict
from stowage.model.workload import Assumptions, Durability, Job, Limits, Measured, Workload

PAPER = packaged("paper-2014")

PAPER_ARITHMETIC = Assumptions(shuffle="whole", cpu="ignored", spread="ignored", launch="ignored", billing="prorated")
"""What the paper's equations leave out."""

TABLE_2 = Assumptions(
    network="unlimited",
    shuffle="whole",
    capacity="pooled",
    cpu="ignored",
    spread="ignored",
    launch="ignored",
    billing="prorated",
)

TB = 1e6


def sort(
    data_mb: float = 100 * TB,
    *,
    durability: Durability | None = None,
    limits: Limits | None = None,
    measured: Measured | None = None,
    assume: Assumptions | None = None,
) -> Workload:
    return Workload(
        name="",
        job=Job("sort", data_mb, durability=durability or Durability()),
        limits=limits or Limits(),
        measured=measured or Measured(),
        assume=assume or Assumptions(),
    )


def on_own_disks(nodes: int, outer: int, inner: int, instance: str = "i2.8xlarge") -> Configuration:
    return Configuration(instance, nodes, InstanceStore(outer, inner))


def on_ebs(nodes: int, size_gib: int = 135, count: int = 8, instance: str = "r3.4xlarge") -> Configuration:
    return Configuration(instance, nodes, Ebs("gp2", size_gib, count))


def predicted(configuration: Configuration, workload: Workload) -> Prediction:
    answer = predict(configuration, workload, PAPER.catalogue, PAPER.profiles)
    assert isinstance(answer, Prediction), answer
    return answer


def refused(configuration: Configuration, workload: Workload) -> Infeasible:
    answer = predict(configuration, workload, PAPER.catalogue, PAPER.profiles)
    assert isinstance(answer, Infeasible), answer
    return answer
