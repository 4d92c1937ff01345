"""The paper's measurements of EBS: rates of an EBS link and its volumes, and times of reads by 326 nodes."""

import math
from dataclasses import replace
from datetime import date

from stowage.model.cluster import Configuration, Ebs
from stowage.model.hardware.resource import Resource
from stowage.model.hardware.volume import Volume, lines
from stowage.model.jobs.flows import Durability, Role
from stowage.model.jobs.spelled import FreePhases
from stowage.model.jobs.workload import Assumptions, Workload
from stowage.model.sizes import MB_PER_GB, MB_PER_GIB
from stowage.model.uncertainty.range import total_deviation
from stowage.model.uncertainty.scale import STORAGE_SPREAD, Z90, slowdown
from stowage.model.uncertainty.straggler import STRAGGLER_FACTOR, STRAGGLER_SHARE, Stragglers, slowest
from stowage.validation.case import Predicted
from stowage.validation.inputs import PublishedInputs, limits_of, rate_of

MEASURED_ON = date(2014, 10, 1)
_NO_NETWORK = Assumptions(network="unlimited")
_SCANNED_MB = 100_000.0
"""Amount of data used to derive a rate [MB]; no volume here has burst credits to use up."""


def predictions(inputs: PublishedInputs) -> dict[str, Predicted]:
    """Predict the rates of the EBS link and of volumes, and the time of reads by all nodes of a large cluster."""
    found = {"ebs-read": _link(inputs, Role.INPUT_READ), "ebs-write": _link(inputs, Role.OUTPUT_WRITE)}
    for case, name, figure, role in (
        ("ebs-one-gp2", "gp2", None, Role.INPUT_READ),
        ("ebs-one-io1", "io1", None, Role.INPUT_READ),
        ("ebs-one-magnetic", "standard", None, Role.INPUT_READ),
        ("ebs-three-gp2-read", "gp2", "enough_volumes", Role.INPUT_READ),
        ("ebs-three-io1-read", "io1", "enough_volumes", Role.INPUT_READ),
        ("ebs-three-magnetic-read", "standard", "enough_volumes", Role.INPUT_READ),
        ("ebs-three-gp2-write", "gp2", "enough_volumes", Role.OUTPUT_WRITE),
        ("ebs-three-io1-write", "io1", "enough_volumes", Role.OUTPUT_WRITE),
        ("ebs-eight-magnetic-write", "standard", "volumes", Role.OUTPUT_WRITE),
    ):
        count = 1.0 if figure is None else inputs.value(f"microbenchmark.{figure}")
        iops = inputs.value("microbenchmark.io1_iops") if name == "io1" else None
        size_gib = _whole_gib(inputs.value("microbenchmark.volume_gb"))
        found[case] = Predicted(volumes_mb_per_s(name, size_gib, count, role, iops))
    return found | _reads_at_scale(inputs)


def volumes_mb_per_s(name: str, size_gib: int, count: float, role: Role, iops: float | None = None) -> float:
    """Return the sequential throughput of volumes with the limits of 2014 and an unlimited EBS link [MB/s]."""
    volume = Volume(limits_of(name, MEASURED_ON), float(size_gib), iops)
    volumes = Resource(name, lines(volume, count))
    return _SCANNED_MB / float(volumes.time_s({role: _SCANNED_MB}))


def _link(inputs: PublishedInputs, role: Role) -> Predicted:
    catalog = inputs.with_ebs_link("i2.4xlarge", inputs.sources.figures["i2.4xlarge.link"])
    nodes, count = inputs.count("microbenchmark.nodes"), inputs.count("microbenchmark.volumes")
    layout = Ebs("gp2", _whole_gib(inputs.value("microbenchmark.volume_gb")), count)
    workload = _moving(role, _SCANNED_MB, _NO_NETWORK)
    others = inputs.without_profiles_of("i2.4xlarge")
    prediction = inputs.predict(Configuration("i2.4xlarge", nodes, layout), workload, others, catalog)
    return rate_of(prediction, _SCANNED_MB / nodes)


def _reads_at_scale(inputs: PublishedInputs) -> dict[str, Predicted]:
    nodes, count = inputs.count("c3_read.nodes"), inputs.count("c3_read.volumes")
    layout = Ebs("gp2", _whole_gib(inputs.value("c3_read.volume_gb")), count)
    configuration = Configuration("c3.4xlarge", nodes, layout)
    alike = _moving(Role.INPUT_READ, inputs.value("data"), replace(_NO_NETWORK, spread="ignored"))
    typical_s = inputs.predict(configuration, alike).time_s.p50
    varied = inputs.predict(configuration, replace(alike, assume=_NO_NETWORK))
    # For a percentile of the nodes, rather than the slowest node, only the uncertainty common to all nodes remains.
    common = [source for source in varied.range_sources if not source.name.endswith("slowest node")]
    width = math.exp(Z90 * float(total_deviation(common)))
    spread = STORAGE_SPREAD.value
    p95_s = typical_s * slowdown(spread, 1.0, inputs.value("c3_read.quantile"))
    stragglers = Stragglers(STRAGGLER_SHARE.value, STRAGGLER_FACTOR.value)
    of_volumes = Stragglers.of_volumes(STRAGGLER_SHARE.value, STRAGGLER_FACTOR.value, count)
    return {
        "c3-read-p95": Predicted(p95_s, p95_s / width, p95_s * width),
        "c3-read-round-nodes": Predicted(typical_s * slowest(spread, float(nodes), stragglers=stragglers)),
        "c3-read-round-volumes": Predicted(typical_s * slowest(spread, float(nodes), stragglers=of_volumes)),
    }


def _moving(role: Role, data_mb: float, assume: Assumptions) -> Workload:
    job = FreePhases(data_mb, (("move", {role: data_mb}),), durability=Durability("infrastructure"))
    return Workload("", job, assume=assume)


def _whole_gib(size_gb: float) -> int:
    """Convert a volume size to whole GiB, as EBS requires."""
    return int(size_gb * MB_PER_GB / MB_PER_GIB)
