"""Answers of the volume designer.

A layout is a number of equal volumes of one type. Names of fields with numbers end in the unit. The field `figures`
lists the inputs with their sources.
"""

from datetime import date
from typing import Literal

from stowage.model.cluster import Ebs
from stowage.model.figure import Figure
from stowage.optimizer.volume_advice import Change, Kind
from stowage.optimizer.volume_day import Day
from stowage.optimizer.volumes import Design, Pattern, Strain
from stowage.platform.described import Answer
from stowage.workloads import wording
from stowage.workloads.answers import PromiseAnswer
from stowage.workloads.of_catalog import OfDatedCatalog, TermsAnswer

LimitedBy = Literal["capacity", "IOPS", "throughput", "burst credit", "EBS link"]


class VolumeLayoutAnswer(Answer):
    """A layout: a number of equal volumes of one type."""

    volume_type: str
    count: int
    size_gib: int
    """Size of each volume; IOPS and throughput are per volume too."""
    iops: int | None
    throughput_mib_per_s: int | None
    words: str

    @classmethod
    def of(cls, layout: Ebs) -> "VolumeLayoutAnswer":
        """Convert a layout of the model to an answer."""
        return cls.from_fields(layout, words=wording.layout_words(layout))


class VolumeCostAnswer(Answer):
    """Cost of all volumes of a layout for a month of 730 hours [USD], by item and in total."""

    capacity: float
    iops: float
    throughput: float
    operations: float
    """Charged I/Os."""
    total: float


class StrainAnswer(Answer):
    """A limit on IOPS or throughput, with the share of the limit that the load uses (strain)."""

    limit: Literal["IOPS", "throughput"]
    what: Literal["peak", "baseline", "credit"]
    """The rate during the load; the baseline compared with the mean of the day; the credit that one stretch uses."""
    share: float | None
    """Share of the limit; a load above 1 is not carried. None if there is no credit to use."""

    @classmethod
    def of(cls, strain: Strain) -> "StrainAnswer":
        """Convert a strain, as the search returns it, to an answer."""
        return cls.from_fields(strain, share=None if strain.share == float("inf") else strain.share)


class ReachedAnswer(Answer):
    """Total IOPS and throughput that all volumes of a layout reach.

    EBS counts a large I/O as several I/Os. The IOPS are for I/Os that are small enough to be counted once, and the
    throughput is for I/Os of the largest size.
    """

    baseline_iops: float
    burst_iops: float
    baseline_mib_per_s: float
    burst_mib_per_s: float
    burst_s: float | None
    """Time that full buckets last at the burst rate; None if the burst rate uses no credit."""
    refill_s: float | None
    """Time that empty buckets take to refill at rest."""


class LayoutPriceAnswer(Answer):
    """A layout with its monthly cost."""

    layout: VolumeLayoutAnswer
    usd_per_month: float


class VolumeDesignRow(Answer):
    """The cheapest layout of one volume type that meets the request."""

    layout: VolumeLayoutAnswer
    cost_usd_per_month: VolumeCostAnswer
    reached: ReachedAnswer
    typical: bool
    """Whether AWS states only typical performance of the type, without a design target."""
    limited_by: LimitedBy
    """The limit that more performance would have to raise."""
    strains: list[StrainAnswer]
    day: Day | None
    """None without a load."""
    failure_rate_low: float
    """Probability that a given volume is lost within a year (AFR)."""
    failure_rate_high: float
    any_lost_low: float
    """Probability that at least one of the volumes is lost within a year."""
    any_lost_high: float
    promise: PromiseAnswer | None
    fewest: LayoutPriceAnswer | None
    """Layout with the smallest sufficient number of volumes, if that is smaller than in the cheapest layout."""


class VolumeRefusalAnswer(Answer):
    """A volume type that cannot meet the request."""

    volume_type: str
    limit: str
    reason: str
    nearest: str | None


class AdviceAnswer(Answer):
    """Advice to replace the layout of the user's volumes by another layout."""

    kind: Kind
    title: str
    words: list[str]
    before: VolumeLayoutAnswer
    after: VolumeLayoutAnswer
    before_usd_per_month: float
    after_usd_per_month: float
    saving_usd_per_month: float
    saving_pct: float
    pays: bool
    """Whether the change is worth it: it costs less, or no more and is better."""
    in_place: bool
    """Whether the volumes can be changed while they are in use."""
    supposed: bool
    """Whether the volumes before the change are assumed, not given."""

    @classmethod
    def of(cls, change: Change, *, title: str, words: list[str], pays: bool, supposed: bool) -> "AdviceAnswer":
        """Convert a change of layout, as the search returns it, to an answer with the given sentences."""
        before, after = change.before.cost.total, change.after.cost.total
        return cls(
            kind=change.kind,
            title=title,
            words=words,
            before=VolumeLayoutAnswer.of(change.before.layout),
            after=VolumeLayoutAnswer.of(change.after.layout),
            before_usd_per_month=before,
            after_usd_per_month=after,
            saving_usd_per_month=before - after,
            saving_pct=100.0 * (1.0 - after / before),
            pays=pays,
            in_place=change.in_place,
            supposed=supposed,
        )


class LinkTypeAnswer(Answer):
    """An instance type whose EBS link carries the load all day."""

    name: str
    usd_per_hour: float
    """Price of the instance, including a surcharge for its link."""
    ebs_baseline_mb_per_s: float
    ebs_baseline_iops: float | None


class LinkAnswer(Answer):
    """EBS link of an instance: its rates, and whether it carries the load."""

    instance: str
    carried: Literal["always", "in bursts", "not", "unknown"]
    """All day if needed; as long as requested, on credit; less than requested; or its rates are unknown."""
    words: str
    ebs_baseline_mb_per_s: float | None
    ebs_maximum_mb_per_s: float | None
    ebs_baseline_iops: float | None
    ebs_maximum_iops: float | None
    most_volumes: int
    """Maximum number of volumes in addition to the root volume."""


class CurrentVolumesAnswer(Answer):
    """The volumes that the user has now, with their cost, and whether they carry the requested load."""

    layout: VolumeLayoutAnswer
    cost_usd_per_month: VolumeCostAnswer
    carried: bool
    strains: list[StrainAnswer]
    words: str

    @classmethod
    def of(cls, found: Design, words: str, *, carried: bool) -> "CurrentVolumesAnswer":
        """Convert a design (a layout with cost and strains) to an answer."""
        return cls(
            layout=VolumeLayoutAnswer.of(found.layout),
            cost_usd_per_month=VolumeCostAnswer.from_fields(found.cost),
            carried=carried,
            strains=[StrainAnswer.of(strain) for strain in found.strains],
            words=words,
        )


class RequestedLoad(Answer):
    """Requested capacity and load, converted to the units of the search."""

    capacity_gib: float
    iops: float | None
    """0 without a load; None for sequential I/O, which is merged before it is counted."""
    mb_per_s: float
    mib_per_s: float
    io_kib: float
    pattern: Pattern
    hours_a_day: float
    credits: float
    most_volumes: int


class VolumeDesignAnswer(OfDatedCatalog):
    """The complete answer of the volume designer.

    It has the cheapest layout of each volume type that meets the request, advice on the user's volumes, the EBS link,
    and the sources of the inputs.
    """

    sentence: str
    catalog_version: str
    catalog_as_of: date
    price_terms: TermsAnswer | None = None
    """Discounts that all costs include; null for published prices."""
    region: str
    asked: RequestedLoad
    designs: list[VolumeDesignRow]
    """Cheapest first; types for which AWS states only typical performance come last."""
    refused: list[VolumeRefusalAnswer]
    present: CurrentVolumesAnswer | None
    advice: list[AdviceAnswer]
    link: LinkAnswer | None
    """EBS link of the named instance type."""
    carrying_types: list[LinkTypeAnswer]
    """The cheapest types whose link carries the load all day; empty if none is known."""
    figures: list[Figure]
    """Inputs, with the type in their names, e.g. `gp3.usd_per_gib_month`."""
