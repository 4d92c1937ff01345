"""Redis' append-only file on two EBS volumes: number of writes in two minutes through the page cache."""

from stowage.model.cluster import Configuration, Ebs
from stowage.model.jobs.append_log import AppendLog
from stowage.model.jobs.flows import Durability, Role
from stowage.model.jobs.workload import Assumptions, Measured, Workload
from stowage.model.prediction import Prediction
from stowage.model.sizes import MB_PER_MIB
from stowage.validation.case import Predicted
from stowage.validation.ebs_2014 import volumes_mb_per_s
from stowage.validation.inputs import PublishedInputs, rate_of

_BYTES_PER_MB = 1e6
_LEAST_MB, _MOST_MB = 1.0, 30_000.0
_HALVINGS = 60
_ASSUME = Assumptions(network="unlimited", cpu="ignored")


def predictions(inputs: PublishedInputs) -> dict[str, Predicted]:
    """Predict the numbers of operations from the published disk rates, and the rate of a magnetic volume."""
    operations = {name: inputs.actual(f"redis-{name}-operations") for name in ("piops", "magnetic")}
    rates = {name: inputs.actual(f"redis-{name}-rate") for name in ("piops", "magnetic")}
    magnetic = volumes_mb_per_s("standard", inputs.count("redis.volume_gib"), 1.0, Role.OUTPUT_WRITE)
    return {
        "redis-piops-operations": _operations(inputs, rates["piops"]),
        "redis-magnetic-operations": _operations(inputs, rates["magnetic"]),
        "redis-magnetic-rate": Predicted(magnetic),
        "redis-operations-ratio": Predicted(operations["piops"] / operations["magnetic"]),
        "redis-rate-ratio": Predicted(rates["piops"] / rates["magnetic"]),
    }


def _operations(inputs: PublishedInputs, disk_mb_per_s: float) -> Predicted:
    """Predict the number of operations within the test's time, by bisection of the data appended in that time."""
    seconds = inputs.value("redis.seconds")
    low, high = _LEAST_MB, _MOST_MB
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        if _append(inputs, middle, disk_mb_per_s).time_s.p50 <= seconds:
            low = middle
        else:
            high = middle
    found = rate_of(_append(inputs, low, disk_mb_per_s), low)
    return found.over(inputs.value("redis.object_bytes") / _BYTES_PER_MB)


def _append(inputs: PublishedInputs, data_mb: float, disk_mb_per_s: float) -> Prediction:
    record_kib = inputs.value("redis.object_bytes") / _BYTES_PER_MB / MB_PER_MIB * 1024.0
    job = AppendLog(data_mb, record_kib, "every second", in_memory=1.0, durability=Durability("infrastructure"))
    disk = Measured(ebs_read_mb_per_s=disk_mb_per_s, ebs_write_mb_per_s=disk_mb_per_s)
    # The disk's rate is given, so any volume that is large enough and faster will do: gp2 reaches 134 MB/s.
    layout = Ebs("gp2", inputs.count("redis.volume_gib"), 1)
    workload = Workload("", job, measured=disk, assume=_ASSUME)
    return inputs.predict(Configuration("c3.4xlarge", 1, layout), workload)
