"""Facts that a measurement states about its target.

A fact is one figure with its unit, such as the read rate of the disks. Some facts may be used in predictions.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from stowage.frozen import frozen
from stowage.measure.files.access import Access, access_of, tool_of
from stowage.measure.files.figures import spoken
from stowage.measure.metrics import METRICS, MetricKind
from stowage.measure.reading import Reading
from stowage.measure.target import DiskTarget, Target, VolumeTarget
from stowage.measure.tool import PAIRS, of_family
from stowage.model.hardware.catalog import Catalog
from stowage.model.hardware.instance import InstanceType
from stowage.model.hardware.profile import Metric, Statistic
from stowage.model.hardware.volume import Performance, Volume, check, performance
from stowage.model.hardware.volume_limits import IopsAndThroughput, ProvisionedIops, VolumeLimits, volume_limits
from stowage.model.infeasible import Infeasible
from stowage.model.lookup import SINGLE_FLOW_IN_GROUP_MB_PER_S, SINGLE_FLOW_MB_PER_S
from stowage.model.sizes import MB_PER_MIB

SATURATING_MIB = 1.0
"""Data in flight at an SSD above which throughput, not latency, is the limit [MiB]: 8 I/Os of 128 KiB."""
SATURATING_IOS = 32
"""Queue depth of small I/Os above which an SSD, not latency, is the limit [1]; AWS' fio examples use it."""
SATURATING_IOS_OF_HDD = 4
SUSTAINED_S = 3_600.0
"""After this time a rate is no longer a burst: credits of EBS links last 30 minutes a day, those of networks 5 to 60
minutes (EC2 user guide, EBS-optimized instances, and Instance network bandwidth, 2026) [s]."""
NEAR = 1.1
"""A rate up to this factor above a limit counts as the limit; headers, rounding or full buffers at the start explain
the difference [1]."""


@frozen
class Fact:
    """One figure that a measurement states about its target."""

    metric: str
    """One of `KINDS`."""
    value: float
    """Value in `unit`, above 0."""
    unit: str
    statistic: Statistic = "average"
    manner: str = ""
    """Access pattern of the test, such as `random, 4 KiB`; "" if there is none. A profile combines only facts with the
    same pattern."""
    feeds: Metric | None = None
    """Figure of the model that the fact supplies. None if predictions must not use the fact."""
    factor: float = 1.0
    """Factor from the value to the model's figure, such as 2 if one of two disks was measured."""
    why_not: str | None = None
    """Reason why predictions must not use the fact."""


def _kinds() -> dict[str, MetricKind]:
    kinds = dict[str, MetricKind]()
    for place, of in (("storage", "a node's own disks"), ("ebs", "a node's EBS volumes together")):
        for way, words in (("read", "Reads"), ("write", "Writes")):
            kinds[f"{place}_{way}_mb_per_s"] = MetricKind("MB/s", "more", f"{words} of {of}, in large pieces")
            kinds[f"{place}_{way}_iops"] = MetricKind("1/s", "more", f"{words} of {of}, in small pieces")
            kinds[f"{place}_{way}_latency_us"] = MetricKind("us", "less", f"Time of {words.lower()} of {of}, mean")
            kinds[f"{place}_{way}_latency_us.p99"] = MetricKind(
                "us", "less", f"Time within which 99% of the {words.lower()} of {of} were done"
            )
    return kinds


KINDS: Mapping[str, MetricKind] = {**METRICS, **_kinds()}
"""Metrics of profiles and of results, without statistics."""


def kind_of(metric: str) -> MetricKind:
    """Return the kind of a profile's metric.

    The kind states the unit and the description of the metric, and whether more or less is better.

    Raises
    ------
    KeyError
        There is no such metric.
    """
    return KINDS[metric] if metric in KINDS else KINDS[metric.partition(".")[0]]


def facts_of(reading: Reading, target: Target, catalog: Catalog | None) -> tuple[Fact, ...]:
    """Return the facts that a measurement states about its target.

    The result is empty for a failed measurement and for the output of a monitoring tool.

    Parameters
    ----------
    reading : Reading
    target : Target
    catalog : Catalog or None
        Source of the disk count and the link rates of the instance type. If it is None, predictions use
        none of the facts.
    """
    if reading.status == "failed" or tool_of(reading) in _WATCHERS:
        return ()
    instance = target.type_in(catalog)
    values = {metric.name: metric.value for metric in reading.metrics if metric.value > 0.0}
    found = [*_storage(reading, target, instance, values), *_disk_bench(target, instance, values)]
    found += _network(reading, target, instance, values)
    found += _others(reading, values)
    if isinstance(target.storage, VolumeTarget):
        return tuple(_of_link(fact, reading, target.storage, instance, catalog) for fact in found)
    return tuple(found)


OF_OWN_DISKS: Mapping[str, tuple[Metric, Metric]] = {
    "read": ("storage_read_mb_per_s", "storage_read_iops"),
    "write": ("storage_write_mb_per_s", "storage_write_iops"),
}
"""Rates that predictions take of a node's own disks: throughput and IOPS, each way."""
_WATCHERS = of_family("monitor")
_WITHOUT_STORAGE = of_family("jobs", "store")
"""Tools whose rates are not of the storage alone."""
_NO_TYPE = "the catalog does not know the type"


def _storage(
    reading: Reading, target: Target, instance: InstanceType | None, values: Mapping[str, float]
) -> Iterator[Fact]:
    place = {DiskTarget: "storage", VolumeTarget: "ebs", type(None): ""}[type(target.storage)]
    if not place or tool_of(reading) in _WITHOUT_STORAGE:
        return
    access = access_of(reading)
    manner = _manner(access)
    for way, (metric, ios) in OF_OWN_DISKS.items():
        rate, per_s = values.get(f"{way}_mb_per_s"), values.get(f"{way}_iops")
        feeds, factor, why_not = _own_disks(access, target.storage, instance)
        if rate is not None and access.is_large is not False:
            large = "" if access.is_large and not access.mixed else manner
            yield Fact(
                f"{place}_{way}_mb_per_s", rate, "MB/s", "average", large, metric if feeds else None, factor, why_not
            )
        if per_s is not None and access.is_large is not True and access.pattern != "sequential":
            yield Fact(f"{place}_{way}_iops", per_s, "1/s", "average", manner, ios if feeds else None, factor, why_not)
        timed = _join(manner, None if access.under_way is None else f"{access.under_way:,} under way")
        for statistic, ending in ((".mean", ""), ("", ""), (".p99", ".p99")):
            latency = values.get(f"{way}_latency_us{statistic}")
            # Use the mean if the tool reports one, else its headline figure.
            if latency is not None and not (statistic == "" and f"{way}_latency_us.mean" in values):
                yield Fact(f"{place}_{way}_latency_us{ending}", latency, "us", manner=timed, why_not=_NOT_TAKEN)


_AT_ONCE = "reads and writes at once"
_ONE_OF = "one of"


def is_a_share(manner: str) -> bool:
    """Return whether a figure covers only part of the load of a test.

    This is so for the reads or the writes of a mixed load, and for one of several jobs. Such a figure must not be
    compared with the total capacity of the target.

    Examples
    --------
    >>> is_a_share("random, 16 KiB, reads and writes at once"), is_a_share("random, 16 KiB")
    (True, False)
    """
    return any(part == _AT_ONCE or part.startswith(f"{_ONE_OF} ") for part in manner.split(", "))


def _manner(access: Access) -> str:
    parts = [access.pattern, None if access.block_kib is None else f"{access.block_kib:,.6g} KiB"]
    if access.mixed:
        parts.append(_AT_ONCE)
    if access.one_of > 1:
        parts.append(f"{_ONE_OF} {access.one_of} jobs")
    if access.direct is False:
        parts.append("through the page cache")
    return _join(*parts)


def _join(*parts: str | None) -> str:
    return ", ".join(part for part in parts if part)


_NOT_TAKEN = "predictions take rates of disks and networks, and nothing else"


def _own_disks(
    access: Access, storage: DiskTarget | VolumeTarget | None, instance: InstanceType | None
) -> tuple[bool, float, str | None]:
    """Check whether a measured rate is the full rate of instance-store disks.

    Returns
    -------
    tuple of bool, float and (str or None)
        First, whether the rate is the full rate. Second, the ratio of all disks of the node to the measured disks.
        Third, the reason why the rate is not the full rate, or None. Storage other than instance-store disks has no
        full rate and no reason.
    """
    if not isinstance(storage, DiskTarget):
        return False, 1.0, None
    if instance is None:
        return False, 1.0, _NO_TYPE
    all_disks = instance.disk_count.value
    if not 1 <= storage.disks <= all_disks:
        return False, 1.0, f"{instance.name} has {all_disks:g} disks, not {storage.disks}"
    why_not = _not_all_of_it(access, storage.disks, hdd=instance.disk_media == "hdd")
    return why_not is None, all_disks / storage.disks, why_not


def _not_all_of_it(access: Access, disks: int, *, hdd: bool) -> str | None:
    """Return the reason why a measured rate is not the full rate of the disks.

    The result is None if it is the full rate.
    """
    if access.one_of > 1:
        return f"one of {access.one_of} jobs that shared the disks: with --group_reporting their sum is told"
    if access.mixed:
        return "reads and writes shared the disks: predictions take each alone, or DiskBench's both"
    if access.direct is False:
        return "it went through the page cache: --direct=1 shows the disks"
    if access.is_large is None and access.pattern is None:
        return "the file does not say whether it went in order or anywhere"
    if access.is_large is None:
        return "neither in large pieces (128 KiB or more), nor in random small ones (16 KiB or less)"
    if access.under_way is None or access.block_kib is None:
        return None if access.is_large else "the file does not say how many I/Os were under way"
    if access.is_large:
        mib = access.under_way * access.block_kib / 1024.0
        if not hdd and mib < SATURATING_MIB * disks:
            return f"only {mib:,.3g} MiB were under way; {SATURATING_MIB * disks:g} MiB keep {disks} SSDs busy"
        return None
    least = (SATURATING_IOS_OF_HDD if hdd else SATURATING_IOS) * disks
    if access.under_way < least:
        return f"only {access.under_way} I/Os were under way; {least} keep the disks busy"
    return None


def _disk_bench(target: Target, instance: InstanceType | None, values: Mapping[str, float]) -> Iterator[Fact]:
    slowest = values.get("storage_mb_per_s.min")
    if slowest is not None and target.nodes > 1:
        words = "predictions take the average and add the slowest of as many nodes as they have"
        yield Fact("storage_mb_per_s", slowest, "MB/s", "slowest", why_not=words)
    rate = values.get("storage_mb_per_s")
    if rate is None:
        return
    factor = 1.0
    why_not: str | None = None
    if not isinstance(target.storage, DiskTarget):
        why_not = "predictions take DiskBench of a node's own disks"
    elif instance is None:
        why_not = _NO_TYPE
    elif target.storage.disks > instance.disk_count.value:
        why_not = f"{instance.name} has {instance.disk_count.value:g} disks, not {target.storage.disks}"
    else:
        factor = instance.disk_count.value / target.storage.disks
    feeds: Metric | None = None if why_not else "storage_mb_per_s"
    yield Fact("storage_mb_per_s", rate, "MB/s", feeds=feeds, factor=factor, why_not=why_not)


def _network(
    reading: Reading, target: Target, instance: InstanceType | None, values: Mapping[str, float]
) -> Iterator[Fact]:
    for name, statistic in (("network_mb_per_s", "average"), ("network_slowest_mb_per_s", "slowest")):
        rate = values.get(name)
        if rate is None:
            continue
        why_not = _not_a_network(reading, target, instance, rate)
        of: Statistic = "slowest" if statistic == "slowest" else "average"
        manner = "UDP" if _is_udp(reading) else "one stream" if streams_of(reading) == 1 else ""
        yield Fact(name, rate, "MB/s", of, manner, None if why_not else "network_mb_per_s", 1.0, why_not)
    sent = values.get("network_sent_mb_per_s")
    if sent is not None and "network_mb_per_s" not in values:
        yield Fact(
            "network_sent_mb_per_s", sent, "MB/s", why_not="sent is not received: received bytes are not reported"
        )
    for name in ("network_latency_us", "transactions_per_s"):
        if name in values:
            yield Fact(name, values[name], METRICS[name].unit, why_not=_NOT_TAKEN)


def _not_a_network(reading: Reading, target: Target, instance: InstanceType | None, rate: float) -> str | None:
    """Return the reason why a rate is not the full receive rate of a node.

    The result is None if nothing indicates this.
    """
    if instance is None:
        return _NO_TYPE
    if target.nodes < 2:
        return "one node alone sends to none: how many took part?"
    if is_loopback(reading):
        return "it went to the machine itself, not over a network"
    if _is_udp(reading) or _limited(reading):
        return "the sender was told how fast to send"
    peak, baseline = instance.network_peak_mb_per_s, instance.network_baseline_mb_per_s
    flow = (SINGLE_FLOW_IN_GROUP_MB_PER_S if target.placement_group else SINGLE_FLOW_MB_PER_S).value
    if streams_of(reading) == 1 and peak is not None and peak.value > flow * NEAR:
        return f"one stream is limited to {flow:,g} MB/s, the node to {peak.value:,g} MB/s: with -P 8 the node is seen"
    if peak is None or baseline is None or peak.value <= baseline.value or rate <= baseline.value * NEAR:
        return None
    if (reading.duration_s or 0.0) < SUSTAINED_S:
        return (
            f"above the baseline of {spoken(baseline.value)} MB/s on credit, which lasts 5 to 60 minutes: "
            "a test of an hour shows what stays"
        )
    return None


def streams_of(reading: Reading) -> int | None:
    """Return the number of concurrent streams of a network test.

    The result is None if the file does not state it.
    """
    for name in ("num_streams", "parallel", "streams", "-P"):
        if re.fullmatch(r"[0-9]{1,6}", reading.settings.get(name, "")):
            return int(reading.settings[name])
    # A netperf result has one stream, however many netperf processes ran.
    return 1 if tool_of(reading) == "netperf" else None


def is_loopback(reading: Reading) -> bool:
    """Return whether a network test used the loopback interface."""
    if tool_of(reading) in PAIRS and reading.host.nodes == 1:
        return True
    said = (reading.settings.get(name, "") for name in _OTHER_ENDS)
    return any(re.match(r"(127\.|::1\b|localhost\b)", host) for host in said)


_OTHER_ENDS = ("host", "connecting_to", "accepted_connection", "remote_host", "server", "peer")


def _is_udp(reading: Reading) -> bool:
    # netperf's test names include the protocol.
    return "udp" in reading.settings.get("protocol", reading.name if reading.tool == "netperf" else "").lower()


def _limited(reading: Reading) -> bool:
    return bool(re.match(r"0*+(?:\.0*+)?[1-9]", reading.settings.get("target_bitrate", "")))


_OTHERS = (
    "fsync_per_s",
    "set_per_s",
    "get_per_s",
    "operations_per_s",
    "operations_mb_per_s",
    "time_s",
    "cluster_mb_per_s",
    "task_mb_per_s",
    "operation_latency_us",
    "operation_latency_us.p99",
    "set_latency_us.p99",
    "get_latency_us.p99",
)
_LONGEST_NAME = 60


def _others(reading: Reading, values: Mapping[str, float]) -> Iterator[Fact]:
    manner = _join(reading.name[:_LONGEST_NAME], _clients(reading))
    for name in _OTHERS:
        base = name.partition(".")[0]
        if name in values:
            yield Fact(name, values[name], METRICS[base].unit, manner=manner, why_not=_NOT_TAKEN)


def _clients(reading: Reading) -> str | None:
    said = reading.settings
    clients = said.get("clients") or said.get("parallel clients") or said.get("connections")
    pipeline, files = said.get("pipeline"), said.get("Number of files")
    return _join(
        f"{clients[:12]} clients" if clients else None,
        f"pipeline {pipeline[:12]}" if pipeline else None,
        f"{files[:12]} files" if files else None,
    )


def limits_of(volume_type: str, catalog: Catalog) -> VolumeLimits | Infeasible:
    """Return the limits of a volume type.

    Limits are the same in all regions. So they are known even if the catalog has no price for the type.
    """
    known = catalog.volume_types.get(volume_type)
    return volume_limits(volume_type, catalog.as_of) if known is None else known.limits


def provisioned(storage: VolumeTarget, instance: InstanceType | None, catalog: Catalog | None) -> Performance | None:
    """Return the provisioned performance of each volume.

    Where IOPS are provisioned, the performance depends on them and on the throughput. For other types it depends on the
    size. The result is None if the volume type is unknown, if the size is needed but unknown, or if the values are
    invalid.
    """
    limits = None if catalog is None else limits_of(storage.type, catalog)
    if limits is None or isinstance(limits, Infeasible):
        return None
    size_gib = storage.size_gib
    if size_gib is None and isinstance(limits.performance, IopsAndThroughput | ProvisionedIops):
        size_gib = limits.largest_gib.value
    if size_gib is None:
        return None
    nitro = instance is None or instance.on_nitro
    volume = Volume(limits, size_gib, storage.iops, storage.throughput_mib_per_s, nitro=nitro)
    return None if isinstance(check(volume), Infeasible) else performance(volume)


_FOLLOWS = "what volumes do follows from what is provisioned: this shows whether they do it"


def _of_link(
    fact: Fact, reading: Reading, storage: VolumeTarget, instance: InstanceType | None, catalog: Catalog | None
) -> Fact:
    """Return a fact about volumes, marked with whether predictions may use it.

    Predictions use it as the rate of the EBS link, but only if the link was the bottleneck of the measurement.
    """
    link: Mapping[str, Metric] = {"ebs_read_mb_per_s": "ebs_read_mb_per_s", "ebs_write_mb_per_s": "ebs_write_mb_per_s"}
    if fact.metric not in link:
        return fact if fact.why_not or fact.feeds else _because(fact, _FOLLOWS)
    why_not = _not_the_link(fact, reading, storage, instance, catalog)
    if why_not is not None:
        return _because(fact, why_not)
    return replace(fact, feeds=link[fact.metric], factor=1.0, why_not=None)


def _because(fact: Fact, why_not: str) -> Fact:
    return replace(fact, feeds=None, factor=1.0, why_not=why_not)


def _not_the_link(
    fact: Fact, reading: Reading, storage: VolumeTarget, instance: InstanceType | None, catalog: Catalog | None
) -> str | None:
    if instance is None:
        return _NO_TYPE
    access = access_of(reading)
    if access.is_large is not True or access.mixed or access.direct is False or access.one_of > 1:
        return "the link is seen by large reads or writes of all volumes at once, past the page cache"
    most, baseline = instance.ebs_maximum_mb_per_s, instance.ebs_baseline_mb_per_s
    if most is None or baseline is None:
        return f"what the link of {instance.name} to EBS carries is not published"
    reached = provisioned(storage, instance, catalog)
    if reached is None:
        return "what the volumes were provisioned for is not known"
    volumes = float(reached.baseline_mib_per_s) * MB_PER_MIB * storage.count
    if volumes < most.value:
        return (
            f"the volumes carry {spoken(volumes)} MB/s together and the link of {instance.name} "
            f"{spoken(most.value)} MB/s: the volumes were measured, not the link, "
            "and what volumes do follows from what is provisioned"
        )
    if fact.value > baseline.value * NEAR and (reading.duration_s or 0.0) < SUSTAINED_S:
        return (
            f"above the {spoken(baseline.value)} MB/s that the link of {instance.name} carries for ever: "
            "what was seen is lent for 30 minutes a day"
        )
    return None
