"""List of the CloudWatch metrics that Stowage reads of volumes and instances, with their titles and units."""

from collections.abc import Mapping
from functools import partial
from typing import Literal

from stowage.frozen import frozen
from stowage.model.hardware.volume_limits import ProvisionedIops, newest
from stowage.runs.cloud import MetricStatistic

Unit = Literal["MB/s", "IOPS", "share", "I/Os"]
Together = Literal["sum", "lowest"]

VOLUME_PERIOD_S = 60
INSTANCE_PERIOD_S = 300
"""Period of basic monitoring [s], which every instance has, free of charge."""


@frozen
class Watched:
    """A metric of CloudWatch with its title and unit."""

    name: str
    """Name in Stowage: `read_mb_per_s`."""
    title: str
    """Display name."""
    unit: Unit
    metric: str
    """CloudWatch's name of the metric: `VolumeReadBytes`."""
    statistic: MetricStatistic
    factor: float
    """Factor from CloudWatch's unit to `unit`."""
    together: Together
    """How to combine the metric over several volumes or instances."""
    namespace: str
    """CloudWatch's name of the namespace: `AWS/EBS`."""
    dimension: str
    """CloudWatch's name of the dimension: `VolumeId`."""
    period_s: int
    """Length of a period [s]."""

    @property
    def is_rate(self) -> bool:
        """Return whether the metric is a rate, which is CloudWatch's sum divided by the period."""
        return self.statistic == "Sum"


_of_volumes = partial(Watched, namespace="AWS/EBS", dimension="VolumeId", period_s=VOLUME_PERIOD_S)
_of_instances = partial(Watched, namespace="AWS/EC2", dimension="InstanceId", period_s=INSTANCE_PERIOD_S)

BURST_BALANCE = _of_volumes("burst_balance", "Burst balance", "share", "BurstBalance", "Average", 0.01, "lowest")
_DELIVERED = _of_volumes(
    "iops_delivered",
    "IOPS delivered of those provisioned",
    "share",
    "VolumeThroughputPercentage",
    "Average",
    0.01,
    "lowest",
)
_ALWAYS = (
    _of_volumes("read_mb_per_s", "Read", "MB/s", "VolumeReadBytes", "Sum", 1e-6, "sum"),
    _of_volumes("write_mb_per_s", "Written", "MB/s", "VolumeWriteBytes", "Sum", 1e-6, "sum"),
    _of_volumes("read_iops", "Reads", "IOPS", "VolumeReadOps", "Sum", 1.0, "sum"),
    _of_volumes("write_iops", "Writes", "IOPS", "VolumeWriteOps", "Sum", 1.0, "sum"),
    _of_volumes("queue_length", "Queue length", "I/Os", "VolumeQueueLength", "Average", 1.0, "sum"),
    _of_volumes("idle", "Time without any request", "share", "VolumeIdleTime", "Sum", 1.0, "lowest"),
)
_NETWORK = (
    _of_instances("received_mb_per_s", "Received", "MB/s", "NetworkIn", "Sum", 1e-6, "sum"),
    _of_instances("sent_mb_per_s", "Sent", "MB/s", "NetworkOut", "Sum", 1e-6, "sum"),
)
_LINK_BALANCES = (
    _of_instances("link_io_balance", "EBS link: I/O balance", "share", "EBSIOBalance%", "Average", 0.01, "lowest"),
    _of_instances("link_byte_balance", "EBS link: byte balance", "share", "EBSByteBalance%", "Average", 0.01, "lowest"),
)

ALL: Mapping[tuple[str, str], Watched] = {
    (each.namespace, each.metric): each for each in (*_ALWAYS, BURST_BALANCE, _DELIVERED, *_NETWORK, *_LINK_BALANCES)
}
"""Amazon EBS user guide, "CloudWatch metrics for EBS"; EC2 user guide, "CloudWatch metrics for instances", 2026."""


def of_volume(volume_type: str) -> tuple[Watched, ...]:
    """Return the metrics that CloudWatch has for a volume type.

    Examples
    --------
    >>> [each.metric for each in of_volume("st1")][-1], [each.metric for each in of_volume("io2")][-1]
    ('BurstBalance', 'VolumeThroughputPercentage')
    >>> len(of_volume("gp3"))
    6
    """
    limits = newest(volume_type)
    if limits is None:
        return _ALWAYS
    if limits.performance.credit is not None:
        return (*_ALWAYS, BURST_BALANCE)
    return (*_ALWAYS, _DELIVERED) if isinstance(limits.performance, ProvisionedIops) else _ALWAYS


def of_instance(*, bursts: bool) -> tuple[Watched, ...]:
    """Return the metrics that CloudWatch has for an instance.

    Parameters
    ----------
    bursts : bool
        Whether the EBS bandwidth of the instance type has burst credit, as its baseline is below its maximum.
    """
    return (*_NETWORK, *_LINK_BALANCES) if bursts else _NETWORK


USD_PER_METRIC = 0.01 / 1000
"""Amazon CloudWatch pricing, us-east-1, 2026: USD 0.01 for 1,000 metrics requested by GetMetricData."""


def usd_per_month(metrics: int, read_every_s: float) -> float:
    """Return AWS' charge for reading a number of metrics at an interval [USD/month of 730 h].

    Examples
    --------
    >>> round(usd_per_month(7, 300.0), 2)
    0.61
    """
    return metrics * (730 * 3600 / read_every_s) * USD_PER_METRIC
