"""Volume designer, which finds the cheapest EBS volumes of each type that meet a request. Nothing is stored."""

import math
from collections.abc import Iterable

from stowage.features.volumes import schemas
from stowage.features.volumes.advising import advise, missed_words
from stowage.features.volumes.link import carrying_types, delivered_words, link_answer
from stowage.features.volumes.need import USUAL_MOST, VolumeNeed, check_need, load_of
from stowage.model.cluster import Ebs, data_volumes, ordered
from stowage.model.figure import Figure, figures_of
from stowage.model.hardware.catalog import Catalog, VolumeType
from stowage.model.hardware.instance import InstanceType
from stowage.model.hardware.volume import burst_s, performance, refill_s
from stowage.model.hardware.volume_limits import IopsAndThroughput, ProvisionedIops, Typical
from stowage.model.infeasible import Infeasible
from stowage.model.jobs.frameworks import HADOOP_DFSIO
from stowage.optimizer.volume_advice import CHANGED_IN_PLACE, MODIFICATIONS_PER_DAY
from stowage.optimizer.volume_day import day
from stowage.optimizer.volumes import (
    Design,
    Designs,
    Load,
    design,
    designed,
    link_of,
    strains,
    volumes_of,
)
from stowage.workloads import wording
from stowage.workloads.answer_conversion import promise_answer
from stowage.workloads.knowledge import KnowledgeSource
from stowage.workloads.of_catalog import TermsAnswer


def design_volumes(need: VolumeNeed, source: KnowledgeSource) -> schemas.VolumeDesignAnswer:
    """Find the cheapest equal volumes of each type that meet the request.

    Raises
    ------
    BadInput
        The catalog lacks the region, the instance type or EBS prices; or the numbers of the request contradict each
        other; or the present volumes are impossible.
    """
    load = load_of(need)
    knowledge = source(need.place.catalog, need.place.region)
    check_need(need, knowledge)
    catalog = knowledge.catalog
    instance = None if need.instance is None else catalog.instance_types[need.instance]
    most = _most(need, instance)
    nitro = instance is None or instance.on_nitro
    found: list[tuple[VolumeType, Designs]] = []
    refused: list[schemas.VolumeRefusalAnswer] = []
    for kind in catalog.volume_types.values():
        answer = design(kind, load, most, nitro=nitro)
        if isinstance(answer, Infeasible):
            refused.append(schemas.VolumeRefusalAnswer.from_fields(answer, volume_type=kind.name))
        else:
            found.append((kind, answer))
    found.sort(key=lambda pair: (_typical(pair[0]), pair[1].cheapest.cost.total))
    present = None if need.present is None else need.present.layout()
    rows = [_row(kind, designs, load, instance, nitro=nitro) for kind, designs in found]
    link = None if instance is None else link_answer(instance, load)
    carrying = carrying_types(catalog, load, 1 if not found else found[0][1].cheapest.layout.count)
    return schemas.VolumeDesignAnswer(
        sentence=wording.with_price_terms(
            _sentence(found, load, most, None if instance is None else delivered_words(instance, load)),
            catalog.price_terms,
        ),
        catalog_version=catalog.version,
        price_terms=TermsAnswer.of(catalog.price_terms),
        catalog_as_of=catalog.as_of,
        region=catalog.region,
        asked=schemas.RequestedLoad.from_fields(
            load, iops=load.io_per_s if load.pattern == "random" else None, hours_a_day=load.hours, most_volumes=most
        ),
        designs=rows,
        refused=refused,
        present=None if present is None else _present(catalog, present, load, nitro=nitro),
        advice=advise(catalog, present, {kind.name: one.cheapest.layout for kind, one in found}, load, nitro=nitro),
        link=link,
        carrying_types=[answer for _, answer in carrying],
        figures=list(_figures(catalog, instance, [each for each, _ in carrying], advised=bool(found or present))),
    )


def _most(need: VolumeNeed, instance: InstanceType | None) -> int:
    taken = None if instance is None else data_volumes(instance)
    if need.most_volumes is not None:
        return need.most_volumes if taken is None else min(need.most_volumes, taken)
    return USUAL_MOST if taken is None else taken


def _row(
    kind: VolumeType, designs: Designs, load: Load, instance: InstanceType | None, *, nitro: bool
) -> schemas.VolumeDesignRow:
    best, limits = designs.cheapest, kind.limits
    volume = ordered(kind, best.layout, nitro=nitro)
    reached, count = performance(volume), best.layout.count
    link = None if instance is None else link_of(instance, load)
    resource, _ = volumes_of(volume, count, load)
    course = None if load.mib_per_s == 0.0 else day(load, resource, None if link is None else link[0])
    low, high = limits.lowest_annual_failure_rate.value, limits.highest_annual_failure_rate.value
    lasts_s, fills_s = burst_s(volume), refill_s(volume)
    throttled = link is not None and not all(strain.carried for strain in strains(link[0], load, link[1]))
    fewest = designs.fewest
    return schemas.VolumeDesignRow(
        layout=schemas.VolumeLayoutAnswer.of(best.layout),
        cost_usd_per_month=schemas.VolumeCostAnswer.from_fields(best.cost),
        reached=schemas.ReachedAnswer(
            baseline_iops=float(reached.baseline_iops) * count,
            burst_iops=float(reached.burst_iops) * count,
            baseline_mib_per_s=float(reached.baseline_mib_per_s) * count,
            burst_mib_per_s=float(reached.burst_mib_per_s) * count,
            burst_s=None if math.isinf(lasts_s) else lasts_s,
            refill_s=fills_s or None,
        ),
        typical=_typical(kind),
        limited_by="EBS link" if throttled else _limited_by(kind, best, load),
        strains=[schemas.StrainAnswer.of(strain) for strain in best.strains],
        day=course,
        failure_rate_low=low,
        failure_rate_high=high,
        any_lost_low=_any_of(count, low),
        any_lost_high=_any_of(count, high),
        promise=promise_answer(kind.limits),
        fewest=None
        if fewest.layout.count == count
        else schemas.LayoutPriceAnswer(
            layout=schemas.VolumeLayoutAnswer.of(fewest.layout), usd_per_month=fewest.cost.total
        ),
    )


def _typical(kind: VolumeType) -> bool:
    return isinstance(kind.limits.performance, Typical)


def _any_of(count: int, chance: float) -> float:
    """Return the probability that at least one of `count` volumes is lost.

    Each volume is lost with the probability `chance`. The result is accurate even for small probabilities.
    """
    return -math.expm1(count * math.log1p(-chance))


def _limited_by(kind: VolumeType, best: Design, load: Load) -> schemas.LimitedBy:
    """Return the requirement that determined the cheapest layout: capacity, burst credit, IOPS or throughput."""
    rules, layout = kind.limits.performance, best.layout
    needed_gib = max(math.ceil(kind.limits.smallest_gib.value), math.ceil(load.capacity_gib / layout.count - 1e-6))
    bought = layout.size_gib > needed_gib
    if isinstance(rules, IopsAndThroughput):
        bought = bought or layout.iops != rules.included_iops.value
        bought = bought or layout.throughput_mib_per_s != rules.included_mib_per_s.value
    elif isinstance(rules, ProvisionedIops):
        bought = bought or layout.iops != rules.smallest_iops.value
    tightest = best.tightest
    if not bought and tightest.share < 1.0 - 1e-6:
        return "capacity"
    return "burst credit" if tightest.what == "credit" else tightest.limit


def _present(catalog: Catalog, layout: Ebs, load: Load, *, nitro: bool) -> schemas.CurrentVolumesAnswer:
    found = designed(catalog.volume_types[layout.volume_type], layout, load, nitro=nitro)
    held_gib = layout.count * layout.size_gib
    holds = held_gib >= load.capacity_gib * (1.0 - 1e-9)
    price = f"{wording.usd(found.cost.total)} a month"
    one = layout.count == 1
    name = f"{wording.layout_words(layout)} {'costs' if one else 'cost'} {price} and"
    if not holds:
        words = f"{name} {'holds' if one else 'hold'} {held_gib:,} of the {load.capacity_gib:,.0f} GiB that are asked."
    elif found.carried:
        share = found.tightest.share
        words = f"{name} {'meets' if one else 'meet'} the requirement; of the tightest limit {share:.0%} is used."
    else:
        words = f"{name} {'does' if one else 'do'} not meet the requirement: {missed_words(found.strains)}."
    return schemas.CurrentVolumesAnswer.of(found, words, carried=holds and found.carried)


def _figures(
    catalog: Catalog, instance: InstanceType | None, carrying: list[InstanceType], *, advised: bool
) -> list[Figure]:
    found: list[Figure] = []
    for kind in catalog.volume_types.values():
        found += [price.of(kind.name) for name, price in figures_of(kind).items() if name != "annual_failure_rate"]
        found += kind.limits.figures()
    for each in {one.name: one for one in (*carrying, *_some(instance))}.values():
        links = (
            each.usd_per_hour,
            each.ebs_baseline_mb_per_s,
            each.ebs_maximum_mb_per_s,
            each.ebs_baseline_iops,
            each.ebs_maximum_iops,
            each.ebs_usd_per_hour,
            each.most_volumes,
        )
        found += [figure.of(each.name) for figure in links if figure is not None]
    if advised:
        found += [MODIFICATIONS_PER_DAY, CHANGED_IN_PLACE]
        found += [] if HADOOP_DFSIO.streams is None else [HADOOP_DFSIO.streams.of(HADOOP_DFSIO.name)]
    return found


def _some(instance: InstanceType | None) -> Iterable[InstanceType]:
    return () if instance is None else (instance,)


def _sentence(found: list[tuple[VolumeType, Designs]], load: Load, most: int, delivered: str | None) -> str:
    """Return the answer as a sentence that users can copy.

    If the EBS link throttles the load, the sentence begins with the rate that the link delivers.
    """
    if not found:
        return f"No volume type does it with {most:,} volume{'s' if most > 1 else ''} at most."
    best = found[0][1].cheapest
    one, several = ("meets", "meet") if load.mib_per_s > 0.0 else ("holds", "hold")
    what = "the requirement" if load.mib_per_s > 0.0 else "it"
    alone = best.layout.count == 1
    volumes, price = _spoken(best.layout), f"{wording.usd(best.cost.total)} a month"
    if delivered is None:
        sentence = f"{volumes} {one if alone else several} {what} for {price}"
    elif alone:
        sentence = f"{delivered}; the volume for it, {volumes}, costs {price}"
    else:
        sentence = f"{delivered}; the volumes for it, {volumes}, cost {price}"
    if len(found) == 1:
        return f"{sentence}; no other type does it."
    kind, second = found[1]
    return f"{sentence}; {kind.name} would cost {wording.usd(second.cheapest.cost.total)}."


def _spoken(layout: Ebs) -> str:
    with_ = [f"{layout.iops:,} IOPS"] if layout.iops is not None else []
    if layout.throughput_mib_per_s is not None:
        with_.append(f"{layout.throughput_mib_per_s:,} MiB/s")
    rest = f" with {' and '.join(with_)}" if with_ else ""
    each = " each" if rest and layout.count > 1 else ""
    return f"{layout.count} × {layout.volume_type} of {layout.size_gib:,} GiB{rest}{each}"
