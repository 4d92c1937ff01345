"""Volume designer: answers. Every number carries its unit in its name; sources are in `figures`."""

from datetime import date
from typing import Literal

from stowage.model.cluster import Ebs
from stowage.optimizer.volume_advice import Change, Kind
from stowage.optimizer.volumes import Cost, Design, Pattern, Strain
from stowage.platform.described import Answer
from stowage.workloads import wording
from stowage.workloads.answers import FigureAnswer, PromiseAnswer

LimitedBy = Literal["capacity", "IOPS", "throughput", "burst credit", "EBS link"]


class VolumeLayoutAnswer(Answer):
    """Equal volumes of one type."""

    volume_type: str
    count: int
    size_gib: int
    """Of each volume, as are IOPS and throughput."""
    iops: int | None
    throughput_mib_per_s: int | None
    words: str

    @classmethod
    def of(cls, layout: Ebs) -> "VolumeLayoutAnswer":
        """Build the answer from the model's layout."""
        return cls(
            volume_type=layout.volume_type,
            count=layout.count,
            size_gib=layout.size_gib,
            iops=layout.iops,
            throughput_mib_per_s=layout.throughput_mib_per_s,
            words=wording.layout_words(layout),
        )


class VolumeCostAnswer(Answer):
    """Cost of volumes for a month of 730 hours, by part [USD]."""

    capacity: float
    iops: float
    throughput: float
    operations: float
    """I/Os, where they are charged for."""
    total: float

    @classmethod
    def of(cls, cost: Cost) -> "VolumeCostAnswer":
        """Build the answer from the search's cost."""
        return cls(
            capacity=cost.capacity,
            iops=cost.iops,
            throughput=cost.throughput,
            operations=cost.operations,
            total=cost.total,
        )


class StrainAnswer(Answer):
    """How much of one limit the load takes."""

    limit: Literal["IOPS", "throughput"]
    what: Literal["peak", "baseline", "credit"]
    """The rate while the load lasts; the baseline against the mean of the day; the credit that one stretch takes."""
    share: float | None
    """Of the limit; above 1 it is not carried. None where there is no credit to take."""

    @classmethod
    def of(cls, strain: Strain) -> "StrainAnswer":
        """Build the answer from the search's strain."""
        return cls(
            limit=strain.limit,
            what=strain.what,
            share=None if strain.share == float("inf") else strain.share,
        )


class ReachedAnswer(Answer):
    """Performance of all volumes together, in I/Os that count as one, and in the largest I/Os."""

    baseline_iops: float
    burst_iops: float
    baseline_mib_per_s: float
    burst_mib_per_s: float
    burst_s: float | None
    """How long full buckets last at the burst rate; None where it takes no credit."""
    refill_s: float | None
    """How long empty buckets take to fill at rest."""


class MomentAnswer(Answer):
    """A point of the first day; credit is straight between moments, what is delivered holds until the next."""

    hour: float
    mb_per_s: float
    volume_credit: float | None
    """Of the full bucket; None where there is none."""
    link_credit: float | None


class DayAnswer(Answer):
    """The first day."""

    course: list[MomentAnswer]
    late_h: float
    """How much longer than asked the bytes of a day take."""


class LayoutPriceAnswer(Answer):
    """A layout and its price."""

    layout: VolumeLayoutAnswer
    usd_per_month: float


class VolumeDesignRow(Answer):
    """The cheapest that a volume type offers."""

    layout: VolumeLayoutAnswer
    cost_usd_per_month: VolumeCostAnswer
    reached: ReachedAnswer
    typical: bool
    """Whether AWS states only what is typical of the type, and promises nothing."""
    limited_by: LimitedBy
    """What would have to grow for more."""
    strains: list[StrainAnswer]
    day: DayAnswer | None
    """None where no load is asked."""
    failure_rate_low: float
    """Chance that a given volume is lost within a year."""
    failure_rate_high: float
    any_lost_low: float
    """Chance that at least one of the volumes is lost within a year."""
    any_lost_high: float
    promise: PromiseAnswer | None
    fewest: LayoutPriceAnswer | None
    """The fewest volumes that will do, where they are fewer than the cheapest."""


class VolumeRefusalAnswer(Answer):
    """A type that cannot do it."""

    volume_type: str
    limit: str
    reason: str
    nearest: str | None


class AdviceAnswer(Answer):
    """One layout in place of another."""

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
    """Whether it is worth doing: it costs less, or no more and is better."""
    in_place: bool
    """Whether the volumes can be changed while they are used."""
    supposed: bool
    """Whether the volumes before are supposed, not given."""

    @classmethod
    def of(cls, change: Change, *, title: str, words: list[str], pays: bool, supposed: bool) -> "AdviceAnswer":
        """Build the answer from the search's change, with its words."""
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
    """An instance type whose link carries the load all day."""

    name: str
    usd_per_hour: float
    """With the surcharge for its link, where there is one."""
    ebs_baseline_mb_per_s: float
    ebs_baseline_iops: float | None


class LinkAnswer(Answer):
    """Share of the load that an instance's EBS link carries."""

    instance: str
    carried: Literal["always", "in bursts", "not", "unknown"]
    """All day long if need be; for as long as asked, on credit; less than asked; its rates are not known."""
    words: str
    ebs_baseline_mb_per_s: float | None
    ebs_maximum_mb_per_s: float | None
    ebs_baseline_iops: float | None
    ebs_maximum_iops: float | None
    most_volumes: int
    """Beside the root volume."""


class PresentAnswer(Answer):
    """Existing volumes, under the requested load."""

    layout: VolumeLayoutAnswer
    cost_usd_per_month: VolumeCostAnswer
    carried: bool
    strains: list[StrainAnswer]
    words: str

    @classmethod
    def of(cls, found: Design, words: str, *, carried: bool) -> "PresentAnswer":
        """Build the answer from the search's judgement."""
        return cls(
            layout=VolumeLayoutAnswer.of(found.layout),
            cost_usd_per_month=VolumeCostAnswer.of(found.cost),
            carried=carried,
            strains=[StrainAnswer.of(strain) for strain in found.strains],
            words=words,
        )


class AskedAnswer(Answer):
    """The request as it was understood."""

    capacity_gib: float
    iops: float | None
    """0 where no load is asked; None of sequential I/O, which is merged before it is counted."""
    mb_per_s: float
    mib_per_s: float
    io_kib: float
    pattern: Pattern
    hours_a_day: float
    credits: float
    most_volumes: int


class VolumeDesignAnswer(Answer):
    """The cheapest volumes of each type that do what is asked, and what else there is to know."""

    sentence: str
    catalogue_version: str
    catalogue_as_of: date
    region: str
    asked: AskedAnswer
    designs: list[VolumeDesignRow]
    """Cheapest first; types of which AWS states only what is typical behind all others."""
    refused: list[VolumeRefusalAnswer]
    present: PresentAnswer | None
    advice: list[AdviceAnswer]
    link: LinkAnswer | None
    """Of the instance that was named."""
    carrying_types: list[LinkTypeAnswer]
    """The cheapest types whose link carries the load all day; empty where none is known."""
    figures: list[FigureAnswer]
    """Named after their type: `gp3.usd_per_gib_month`."""
