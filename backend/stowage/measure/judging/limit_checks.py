"""Checks of whether a measurement is consistent with the AWS limits of volumes, EBS links and networks."""

from collections.abc import Iterator

from stowage.measure.files.figures import spoken
from stowage.measure.profiling.facts import NEAR, OF_OWN_DISKS, is_loopback, streams_of
from stowage.measure.reason import WATCHERS, Case, Reason, ReasonFigure, cited
from stowage.measure.target import DiskTarget
from stowage.model.figure import Figure
from stowage.model.hardware.profile import Metric
from stowage.model.hardware.volume_limits import ProvisionedIops, newest
from stowage.model.lookup import SINGLE_FLOW_IN_GROUP_MB_PER_S, SINGLE_FLOW_MB_PER_S
from stowage.model.sizes import MB_PER_MIB

FAR_ABOVE = 1.3
"""Results of instance-store disks are doubtful from this multiple of the published rate on; disks of a type are within
5% of each other [1]."""
FAR_BELOW = 0.5
"""Instance-store disks below this share of the published rate may have waited for requests [1]."""
TOO_FAR_ABOVE = 2.0
"""Above this multiple of the published rate, the test must have measured something else [1]."""
AGAINST_PUBLISHED = "against-published"
"""Code of the remark that compares a rate with the published one; it has no effect on the verdict."""
_AS_PUBLISHED_PCT = 0.05
"""Smaller differences are not stated [%]."""
_MOST_OF_DISK_MB_PER_S = {"ssd": 15_754.0, "hdd": 600.0}
_NETWORK_METRICS = ("network_mb_per_s", "network_sent_mb_per_s", "network_slowest_mb_per_s")


def _above_volumes(case: Case) -> Iterator[Reason]:
    storage, reached = case.on_volumes, case.volumes
    if storage is None or reached is None or case.tool in WATCHERS or not case.rates | case.per_s:
        return
    count = storage.count
    source = f"published limits of {storage.words()}"
    seconds = case.reading.duration_s
    # Small sequential I/Os are merged, so there can be more of them than IOPS.
    per_s = 0.0 if case.access.pattern == "sequential" else sum(case.per_s.values())
    mib, ios = reached.credit_mib, reached.io_credits
    checks = (
        (sum(case.rates.values()), reached.baseline_mib_per_s, reached.burst_mib_per_s, mib, MB_PER_MIB, "MB/s"),
        (per_s, reached.baseline_iops, reached.burst_iops, ios, 1.0, "IOPS"),
    )
    for rate, base, burst, credit, per_unit, unit in checks:
        baseline, peak = float(base) * per_unit * count, float(burst) * per_unit * count
        figures = (
            ReasonFigure("measured", rate, unit),
            ReasonFigure("baseline", baseline, unit, source),
            ReasonFigure("burst", peak, unit, source),
        )
        if rate > peak * NEAR:
            merged = unit == "IOPS" and case.access.pattern is None
            yield Reason(
                "above-provisioned",
                "doubtful" if merged else "rejected",
                f"{spoken(rate)} {unit} are {rate / peak:.2g} times the {spoken(peak)} {unit} that {storage.words()} "
                "can do: too short a test, or a cache, was measured"
                + (", unless small I/Os in order were merged" if merged else ""),
                figures,
            )
        elif peak > baseline * 1.001 and rate > baseline * NEAR:
            words = (
                f"{spoken(rate)} {unit} are above the baseline of {spoken(baseline)} {unit} of {storage.words()}: "
                "on credit"
            )
            if credit is not None:
                lasts_s = float(credit) * per_unit * count / (rate - baseline)
                words += f", which lasts {lasts_s:,.0f} s from a full bucket"
            if seconds is not None:
                words += f"; it ran for {seconds:,.0f} s"
            yield Reason("burst-credit", "doubtful", words, figures)


def _not_checked(case: Case) -> Iterator[Reason]:
    """Yield a remark if the limits of the measured volumes are unknown.

    The limits are unknown if they depend on a size or on provisioned IOPS that the target does not state.
    """
    storage = case.on_volumes
    if storage is None or case.volumes is not None or case.tool in WATCHERS or not case.rates | case.per_s:
        return
    limits = newest(storage.type)
    if limits is None:
        return
    lacks = "their IOPS" if storage.iops is None and isinstance(limits.performance, ProvisionedIops) else None
    if storage.size_gib is None and limits.performance.credit is not None:
        lacks = "their size"
    if lacks is not None:
        words = f"what {storage.words()} may do is not known without {lacks}: nothing is held against it"
        yield Reason("not-checked", "good", words)


def _below_volumes(case: Case) -> Iterator[Reason]:
    """Yield a remark if volumes stayed far below their provisioned baseline rate.

    In this case something other than the volumes limits the rate.
    """
    storage, reached = case.on_volumes, case.volumes
    if storage is None or reached is None or case.access.is_large is not True or case.access.mixed:
        return
    volumes = float(reached.baseline_mib_per_s) * MB_PER_MIB * storage.count
    for way, rate in case.rates.items():
        if rate < 0.5 * volumes:
            yield Reason(
                "below-provisioned",
                "good",
                f"{way}s reached {rate / volumes:.0%} of the {spoken(volumes)} MB/s that {storage.words()} is "
                "provisioned for: the instance's link, too few I/Os under way, or blocks read for the first time "
                "limit it",
                (
                    ReasonFigure("measured", rate, "MB/s"),
                    ReasonFigure("provisioned", volumes, "MB/s", f"published limits of {storage.words()}"),
                ),
            )


def _above_link(case: Case) -> Iterator[Reason]:
    instance = case.instance
    if case.on_volumes is None or instance is None or case.tool in WATCHERS:
        return
    # AWS does not publish whether the link is duplex, so the larger direction is compared with it.
    checks: tuple[tuple[dict[str, float], Figure | None, Figure | None, str], ...] = (
        (case.rates, instance.ebs_maximum_mb_per_s, instance.ebs_baseline_mb_per_s, "MB/s"),
        (
            case.per_s if case.access.pattern == "random" else {},
            instance.ebs_maximum_iops,
            instance.ebs_baseline_iops,
            "IOPS",
        ),
    )
    for rates, most, baseline, unit in checks:
        if rates and most is not None:
            yield from _above(
                max(rates.values()), most, baseline, unit, f"the link of {instance.name} to EBS", "ebs-link"
            )


def _above(rate: float, most: Figure, baseline: Figure | None, unit: str, of: str, code: str) -> Iterator[Reason]:
    figures = [ReasonFigure("measured", rate, unit), cited("maximum", most, unit)]
    if rate > most.value * NEAR:
        yield Reason(
            f"above-{code}",
            "rejected",
            f"{spoken(rate)} {unit} are {rate / most.value:.2g} times the {spoken(most.value)} {unit} that {of} "
            "carries: it did not go over it",
            tuple(figures),
        )
    elif baseline is not None and most.value > baseline.value and rate > baseline.value * NEAR:
        lent = "30 minutes a day" if code == "ebs-link" else "5 to 60 minutes"
        yield Reason(
            f"{code}-burst",
            "doubtful",
            f"{spoken(rate)} {unit} are above the {spoken(baseline.value)} {unit} that {of} carries for ever; "
            f"up to {spoken(most.value)} {unit} are lent for {lent}",
            (*figures, cited("baseline", baseline, unit)),
        )


def _above_network(case: Case) -> Iterator[Reason]:
    instance, reading = case.instance, case.reading
    rate = max((case.values.get(name, 0.0) for name in _NETWORK_METRICS), default=0.0)
    if rate <= 0.0:
        return
    if is_loopback(reading):
        yield Reason("loopback", "rejected", "it went to the machine itself: memory was measured, not a network")
        return
    if instance is None:
        return
    peak = instance.network_peak_mb_per_s
    if peak is not None:
        baseline = instance.network_baseline_mb_per_s
        yield from _above(rate, peak, baseline, "MB/s", f"the network of {instance.name}", "network")
    flow = (SINGLE_FLOW_IN_GROUP_MB_PER_S if case.target.placement_group else SINGLE_FLOW_MB_PER_S).value
    if streams_of(reading) == 1 and case.target.placement_group is not None and rate > flow * NEAR:
        yield Reason(
            "stream-too-fast",
            "doubtful",
            f"one stream reached {spoken(rate)} MB/s, and AWS limits a flow to {flow:,g} MB/s "
            f"{'in' if case.target.placement_group else 'outside'} a cluster placement group: was it where was said, "
            "or over ENA Express?",
            (
                ReasonFigure("measured", rate, "MB/s"),
                ReasonFigure("limit of a flow", flow, "MB/s", "EC2 user guide, instance network bandwidth"),
            ),
        )
    elif streams_of(reading) == 1 and peak is not None and rate < peak.value / NEAR:
        yield Reason(
            "one-stream",
            "good",
            "one stream was sent: AWS limits a flow to 625 MB/s, in a cluster placement group to 1,250 MB/s; "
            "-P 8 shows what the node does",
        )


def _burstable(case: Case) -> Iterator[Reason]:
    instance = case.instance
    if instance is None or "burstable" not in instance.traits or case.tool in WATCHERS:
        return
    share = instance.cpu_baseline_share
    keeps = "" if share is None else f" {share.value:.0%} of"
    yield Reason(
        "cpu-credit",
        "doubtful",
        f"{instance.name} runs on CPU credits: for ever it has{keeps} its vCPUs, and this may be on credit",
        () if share is None else (cited("CPU baseline", share),),
    )


def _above_disks(case: Case) -> Iterator[Reason]:
    """Yield a reason for each rate of instance-store disks that is not plausible.

    The rates are compared with the limit of the disks' interface, and with published measurements of the instance type.
    """
    storage, instance = case.target.storage, case.instance
    if not isinstance(storage, DiskTarget) or instance is None or case.tool in WATCHERS:
        return
    most = _MOST_OF_DISK_MB_PER_S[instance.disk_media or "ssd"] * storage.disks
    rate = sum(case.rates.values())
    if rate > most:
        yield Reason(
            "above-disks",
            "rejected",
            f"{spoken(rate)} MB/s are more than {storage.words()} can pass on to a node ({spoken(most)} MB/s): "
            "a cache, or blocks that were never written, were measured",
            (
                ReasonFigure("measured", rate, "MB/s"),
                ReasonFigure("interface", most, "MB/s", "PCIe 5.0 with four lanes; SATA at 6 Gbit/s for hard disks"),
            ),
        )
        return
    part = storage.disks / instance.disk_count.value
    for way, (metric, ios) in OF_OWN_DISKS.items():
        yield from _far_from_published(case, metric, case.rates.get(way, 0.0), part, "MB/s")
        if case.access.pattern == "random":
            yield from _far_from_published(case, ios, case.per_s.get(way, 0.0), part, "IOPS")


def _far_from_published(case: Case, metric: Metric, measured: float, part: float, unit: str) -> Iterator[Reason]:
    instance, storage = case.instance, case.target.storage
    if instance is None or storage is None or case.published is None or measured <= 0.0:
        return
    known = next((row for row in case.published.of(instance.name, metric) if row.statistic == "average"), None)
    if known is None:
        return
    figures = (
        ReasonFigure("measured", measured, unit),
        ReasonFigure("published", known.mean * part, unit, known.source),
    )
    access = case.access
    limits = access.is_large is True or access.pattern is None if unit == "MB/s" else access.is_large is False
    comparable = limits and not access.mixed and access.one_of == 1
    if comparable:
        yield _against_published(measured, known.mean * part, unit, figures)
    if measured < known.mean * part * FAR_BELOW and comparable:
        yield Reason(
            "below-published",
            "doubtful",
            f"{spoken(measured)} {unit} are {measured / (known.mean * part):.0%} of the {spoken(known.mean * part)} "
            f"{unit} that is published of {storage.words()} of {instance.name}: too few I/Os under way, or a disk that "
            "is worn, shared or not what was said",
            figures,
        )
    if measured <= known.mean * part * FAR_ABOVE:
        return
    # A measurement is rejected only on the basis of another measurement; an estimate makes it doubtful.
    rejected = known.kind == "measured" and measured > known.mean * part * TOO_FAR_ABOVE
    yield Reason(
        "above-published",
        "rejected" if rejected else "doubtful",
        f"{spoken(measured)} {unit} are {measured / (known.mean * part):.2g} times the {spoken(known.mean * part)} "
        f"{unit} that is published of {storage.words()} of {instance.name}: a cache, or blocks that were never written",
        figures,
    )


def _against_published(measured: float, published: float, unit: str, figures: tuple[ReasonFigure, ...]) -> Reason:
    """Return a remark that states how far a rate is from the published one."""
    percent = 100.0 * abs(measured / published - 1.0)
    gap = f"{percent:.3g}% {'below' if measured < published else 'above'} the published {spoken(published)} {unit}"
    words = f"{spoken(measured)} {unit}: {gap if percent >= _AS_PUBLISHED_PCT else 'as published'}"
    return Reason(AGAINST_PUBLISHED, "good", words, figures)


def _disks(case: Case) -> Iterator[Reason]:
    storage, instance = case.target.storage, case.instance
    if not isinstance(storage, DiskTarget) or instance is None:
        return
    disks = int(instance.disk_count.value)
    if storage.disks < disks:
        yield Reason(
            "some-disks",
            "good",
            f"{storage.disks} of {disks} disks took part: predictions take {disks / storage.disks:g} times the rate, "
            "which an adapter or the processor may not carry",
            (ReasonFigure("disks", float(storage.disks), "1"), cited("disks of the type", instance.disk_count)),
        )


CHECKS = (_above_volumes, _not_checked, _above_link, _above_disks, _above_network, _burstable, _below_volumes, _disks)
