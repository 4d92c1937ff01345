"""Advice to change the user's volumes: another volume type or fewer volumes, the saving, and how to change them."""

from collections.abc import Iterable, Mapping

from stowage.features.volumes.schemas import AdviceAnswer
from stowage.model.cluster import Ebs
from stowage.model.hardware.catalog import Catalog, VolumeType
from stowage.model.jobs.framework import busy_share
from stowage.model.jobs.frameworks import HADOOP_DFSIO
from stowage.model.sizes import MB_PER_MIB
from stowage.model.units import HOURS_PER_MONTH
from stowage.optimizer.volume_advice import (
    MODIFICATIONS_PER_DAY,
    Change,
    fewer,
    for_load,
    redesign,
    suffices,
    to_gp3,
    to_io2,
)
from stowage.optimizer.volumes import HOURS_PER_DAY, Design, Load, Strain, first_missed
from stowage.workloads import wording

_CENT = 0.005
"""Difference below which two costs count as the same."""
_NOT_TODAYS = " What is there does not do it."


def advise(
    catalog: Catalog, present: Ebs | None, supposed: Mapping[str, Ebs], load: Load, *, nitro: bool
) -> list[AdviceAnswer]:
    """Return advice on the user's volumes.

    If the user does not state the present volumes, the advice is for volumes that the user is likely to have.

    Parameters
    ----------
    supposed : Mapping[str, Ebs]
        For each volume type, a layout that meets the request; the best layout comes first. If `present` is None, these
        are the volumes that the user is assumed to have.
    nitro : bool
        Whether the instance is built on Nitro.
    """
    kinds = catalog.volume_types
    mine = supposed if present is None else {present.volume_type: present}
    guessed = present is None
    changes: list[AdviceAnswer] = []
    if "gp2" in mine and "gp3" in kinds:
        change = to_gp3(kinds["gp2"], kinds["gp3"], mine["gp2"], load, nitro=nitro)
        changes += [] if change is None else [_gp3_advice(change, load, supposed=guessed)]
    if "io1" in mine and "io2" in kinds:
        safer = to_io2(kinds["io1"], kinds["io2"], mine["io1"], load, nitro=nitro)
        changes.append(_io2_advice(safer, load, _rate(kinds["io1"]), _rate(kinds["io2"]), supposed=guessed))
    for name in ("st1", "sc1"):
        layout = mine.get(name)
        if layout is not None and name in kinds and layout.count > 1:
            change = fewer(kinds[name], layout, load, nitro=nitro)
            changes += [] if change is None else [_fewer_advice(change, load, supposed=guessed)]
    if present is not None:
        change = for_load(kinds[present.volume_type], present, list(kinds.values()), load, nitro=nitro)
        if change is not None and change.after.layout != present:
            changes.append(_load_advice(change, load))
        for name, layout in list(supposed.items())[:1]:
            mine_now = (kinds[present.volume_type], present)
            other = redesign(mine_now, (kinds[name], layout), load, change, nitro=nitro)
            changes += [] if other is None else [_anew_advice(other, load, elastic=change is not None)]
    return changes


def _gp3_advice(change: Change, load: Load, *, supposed: bool) -> AdviceAnswer:
    reached = change.reached_before
    pays = change.saving_usd > _CENT
    like = (
        f"With no less than gp2 has at its best: {float(reached.burst_iops):,.0f} IOPS and "
        f"{float(reached.burst_mib_per_s):,.0f} MiB/s a volume"
    )
    steady = (
        ", all day instead of on burst credit." if float(reached.burst_iops) > float(reached.baseline_iops) else "."
    )
    words = [like + steady, *_short_of(change.after, load), *_how(change)]
    if not pays:
        words.insert(0, "It does not pay for the same throughput; with less than gp2 has at its best it may.")
    return AdviceAnswer.of(change, title="gp2 to gp3", words=words, pays=pays, supposed=supposed)


def _rate(kind: VolumeType) -> str:
    low, high = kind.limits.lowest_annual_failure_rate.value, kind.limits.highest_annual_failure_rate.value
    return wording.chance(high) if low == high else f"{100.0 * low:g}–{wording.chance(high)}"


def _io2_advice(change: Change, load: Load, io1_rate: str, io2_rate: str, *, supposed: bool) -> AdviceAnswer:
    saving = change.saving_usd
    price = "It costs the same" if abs(saving) <= _CENT else "It costs less" if saving > 0 else "It costs more"
    words = [
        f"{price}, and a volume is lost with a chance of {io2_rate} a year instead of {io1_rate}.",
        *_short_of(change.after, load),
        *_how(change),
    ]
    return AdviceAnswer.of(change, title="io1 to io2", words=words, pays=saving >= -_CENT, supposed=supposed)


def _fewer_advice(change: Change, load: Load, *, supposed: bool) -> AdviceAnswer:
    before, after = change.before.layout, change.after.layout
    streams = HADOOP_DFSIO.streams
    words = [
        (
            f"The limits add up to the same, but one stream reaches those of one volume: "
            f"{float(change.reached_after.burst_mib_per_s):,.0f} MiB/s in bursts and "
            f"{float(change.reached_after.baseline_mib_per_s):,.0f} MiB/s for ever, instead of "
            f"{float(change.reached_before.burst_mib_per_s):,.0f} and "
            f"{float(change.reached_before.baseline_mib_per_s):,.0f}."
        ),
    ]
    if streams is not None:
        then, now = (float(busy_share(streams.value, float(each.count))) for each in (before, after))
        words.append(
            f"HDFS, fitted to what AWS measured on st1, keeps {now:.0%} of {_volumes(after.count)} busy instead of "
            f"{then:.0%} of {before.count}."
        )
    words += [
        "It does not pay where many streams are spread evenly over all volumes: then both do the same.",
        *_short_of(change.after, load),
        *(f"Volumes cannot be merged in place. {how}" for how in _how(change)),
    ]
    better = float(change.reached_after.burst_mib_per_s) > float(change.reached_before.burst_mib_per_s)
    pays = change.saving_usd >= -_CENT and better
    title = f"{before.count} {before.volume_type} volumes to {after.count}"
    return AdviceAnswer.of(change, title=title, words=words, pays=pays, supposed=supposed)


def _volumes(count: int) -> str:
    return "one volume" if count == 1 else f"{count} volumes"


def _load_advice(change: Change, load: Load) -> AdviceAnswer:
    enough = suffices(change.before, load)
    pays = change.saving_usd > _CENT or not enough
    what = "The cheapest of what these volumes can be changed into in place that does what is asked."
    words = [f"{what}{'' if enough else _NOT_TODAYS}", *_how(change)]
    if not pays:
        words.insert(0, "It does not pay: the current volumes carry the load for less.")
    return AdviceAnswer.of(change, title="For this load, in place", words=words, pays=pays, supposed=False)


def _anew_advice(change: Change, load: Load, *, elastic: bool) -> AdviceAnswer:
    before, after = change.before, change.after
    what = "for less than any change in place" if elastic else "which no change in place does"
    words = [f"The cheapest that does what is asked, {what}.{'' if suffices(before, load) else _NOT_TODAYS}"]
    held_gib, new_gib = before.layout.count * before.layout.size_gib, after.layout.count * after.layout.size_gib
    if new_gib < held_gib:
        words.append(
            f"They hold the {new_gib:,} GiB that are asked; those of today hold {held_gib:,} GiB and never shrink."
        )
    words += _how(change)
    return AdviceAnswer.of(change, title="For this load, on new volumes", words=words, pays=True, supposed=False)


def _short_of(found: Design, load: Load) -> list[str]:
    """Return a sentence on the capacity or load that a layout does not provide.

    The list is empty if the layout meets the request.
    """
    if suffices(found, load):
        return []
    if found.carried:
        held_gib = found.layout.count * found.layout.size_gib
        return [f"It does not hold what is asked: {held_gib:,} of {load.capacity_gib:,.0f} GiB."]
    return [f"It does not meet the requirement: {missed_words(found.strains)}."]


def missed_words(found: Iterable[Strain]) -> str:
    """Describe the first limit that a layout does not meet.

    Raises
    ------
    ValueError
        Every limit is met.
    """
    strain = first_missed(found)
    if strain is None:
        raise ValueError("everything is carried")
    if strain.what == "credit":
        return "the burst credit runs out before the load ends"
    unit = "IOPS" if strain.limit == "IOPS" else "MiB/s"
    divisor = 1.0 if strain.limit == "IOPS" else MB_PER_MIB
    asked, offered = strain.asked / divisor, strain.offered / divisor
    what = "asked" if strain.what == "peak" else "the mean of a day"
    reach = "reached" if strain.what == "peak" else "the baseline"
    return f"{asked:,.0f} {unit} are {what}, {offered:,.0f} {'are' if strain.what == 'peak' else 'is'} {reach}"


def _how(change: Change) -> list[str]:
    if not change.in_place:
        old = change.before.cost.total * HOURS_PER_DAY / HOURS_PER_MONTH
        return [
            (
                "It takes a copy: attach the new volumes, copy the data, remove the old ones. Until then both are paid "
                f"for: {wording.usd(old)} for each day that the old ones stay."
            )
        ]
    return [
        (
            "Can be changed in place, while the volumes are used: type, IOPS and throughput, and size upwards only. "
            f"Up to {MODIFICATIONS_PER_DAY.value:.0f} changes a day, each once the one before is completed."
        )
    ]
