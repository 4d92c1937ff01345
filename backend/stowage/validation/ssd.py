"""Validation with SSD volumes (gp2, gp3 and io2): rates measured with fio, and monthly prices."""

from datetime import date

from stowage.model.cluster import Configuration, Ebs
from stowage.model.jobs.flows import Durability
from stowage.model.jobs.random_io import RandomIo
from stowage.model.jobs.workload import Workload
from stowage.model.money.price import volume_usd_per_month
from stowage.model.prediction import Prediction
from stowage.model.sizes import MB_PER_GIB
from stowage.validation.case import Predicted
from stowage.validation.inputs import PublishedInputs, rate_of

MEASURED_ON = date(2021, 1, 11)
TYPES = ("io2", "gp3", "gp2")
_MILLISECONDS = 1_000.0
_DATA_MB = 100_000.0
"""Amount of data used to derive a rate [MB]; at 1,000 GiB none of the three types has burst credits."""

_PRICED = ((1000.0, 3000.0, 125.0), (2000.0, 6000.0, 250.0), (2000.0, 12_000.0, 500.0))
_PRICE_CASES = ("1000", "2000-6000", "2000-12000")


def predictions(inputs: PublishedInputs) -> dict[str, Predicted]:
    """Predict the published figures of SSD volumes.

    They are the IOPS, the bandwidth and the mean latency of each volume type, and monthly prices.
    """
    found: dict[str, Predicted] = {}
    for name in TYPES:
        prediction, job = _fio(inputs, name)
        if prediction.latency is None:
            raise TypeError("random I/O has a latency")
        # No range: AWS enforces the limit, and the framework's error, which is of whole jobs, does not apply to it.
        iops = Predicted(rate_of(prediction, job.operations).value)
        found[f"fio-{name}-iops"] = iops
        found[f"fio-{name}-bandwidth"] = iops.over(1.0 / job.io_kib)
        latency = Predicted(_MILLISECONDS * prediction.latency.mean_s)
        found |= {f"fio-{name}-{direction}-latency": latency for direction in ("read", "write")}
    for name in ("gp3", "io2"):
        prices = inputs.volume_type(name, MEASURED_ON).prices()
        for case, (size_gib, iops_asked, mib_per_s) in zip(_PRICE_CASES, _PRICED, strict=True):
            usd = float(volume_usd_per_month(prices, size_gib, iops_asked, mib_per_s))
            found[f"price-{name}-{case}"] = Predicted(usd)
    return found


def _fio(inputs: PublishedInputs, name: str) -> tuple[Prediction, RandomIo]:
    size_gib = inputs.count("fio.volume_gib")
    layout = Ebs(
        name,
        size_gib,
        1,
        iops=None if name == "gp2" else inputs.count("fio.iops"),
        throughput_mib_per_s=inputs.count("fio.throughput_mib_per_s") if name == "gp3" else None,
    )
    job = RandomIo(
        _DATA_MB,
        inputs.value("fio.io_kib"),
        queue_depth=inputs.value("fio.jobs"),
        working_set_mb=inputs.value("fio.jobs") * MB_PER_GIB,
        durability=Durability("infrastructure"),
    )
    catalog = inputs.catalog("m5.8xlarge", name, MEASURED_ON)
    return inputs.predict(Configuration("m5.8xlarge", 1, layout), Workload("", job), catalog=catalog), job
