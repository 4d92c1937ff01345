"""Advice on volumes in words: what another type or fewer of them would be, what is saved, and how one gets there."""

from collections.abc import Mapping

from stowage.model.catalogue import Catalogue, VolumeType
from stowage.model.cluster import Ebs
from stowage.model.framework import HADOOP_DFSIO, busy_share
from stowage.optimizer.volume_advice import MODIFICATIONS_PER_DAY, Change, fewer, for_load, to_gp3, to_io2
from stowage.optimizer.volumes import Load
from stowage.usecases import wording
from stowage.usecases.volume_answers import AdviceAnswer

_CENT = 0.005
"""What is closer than that costs the same."""


def advise(catalogue: Catalogue, present: Ebs | None, supposed: Mapping[str, Ebs], load: Load) -> list[AdviceAnswer]:
    """Advise on volumes that are there, or else on those that somebody may have.

    Parameters
    ----------
    catalogue : Catalogue
    present : Ebs or None
    supposed : Mapping[str, Ebs]
        Where nothing is there: a layout of each type that does what is asked.
    load : Load
    """
    kinds = catalogue.volume_types
    mine = supposed if present is None else {present.volume_type: present}
    guessed = present is None
    changes: list[AdviceAnswer] = []
    if "gp2" in mine and "gp3" in kinds:
        change = to_gp3(kinds["gp2"], kinds["gp3"], mine["gp2"], load)
        changes += [] if change is None else [_gp3_advice(change, supposed=guessed)]
    if "io1" in mine and "io2" in kinds:
        changes.append(
            _io2_advice(to_io2(kinds["io1"], kinds["io2"], mine["io1"], load), *_rates(kinds), supposed=guessed)
        )
    for name in ("st1", "sc1"):
        layout = mine.get(name)
        if layout is not None and name in kinds and layout.count > 1:
            changes += _fewer_advice(kinds[name], layout, load, supposed=guessed)
    if present is not None:
        change = for_load(kinds[present.volume_type], present, list(kinds.values()), load)
        if change is not None and change.after.layout != present:
            changes.append(_load_advice(change))
    return changes


def _gp3_advice(change: Change, *, supposed: bool) -> AdviceAnswer:
    reached = change.reached_before
    pays = change.saving_usd > _CENT
    like = (
        f"With no less than gp2 has at its best: {float(reached.burst_iops):,.0f} IOPS and "
        f"{float(reached.burst_mib_per_s):,.0f} MiB/s a volume"
    )
    steady = (
        ", all day instead of on burst credit." if float(reached.burst_iops) > float(reached.baseline_iops) else "."
    )
    words = [like + steady, *_how(change)]
    if not pays:
        words.insert(0, "It does not pay for the same throughput; with less than gp2 has at its best it may.")
    return AdviceAnswer.of(change, title="gp2 to gp3", words=words, pays=pays, supposed=supposed)


def _rates(kinds: Mapping[str, VolumeType]) -> tuple[str, str]:
    """Write how likely io1 and io2 are lost within a year."""
    return _rate(kinds["io1"]), _rate(kinds["io2"])


def _rate(kind: VolumeType) -> str:
    low, high = kind.limits.lowest_annual_failure_rate.value, kind.limits.highest_annual_failure_rate.value
    return wording.chance(high) if low == high else f"{100.0 * low:g}–{wording.chance(high)}"


def _io2_advice(change: Change, io1_rate: str, io2_rate: str, *, supposed: bool) -> AdviceAnswer:
    saving = change.saving_usd
    price = "It costs the same" if abs(saving) <= _CENT else "It costs less" if saving > 0 else "It costs more"
    words = [
        f"{price}, and a volume is lost with a chance of {io2_rate} a year instead of {io1_rate}.",
        *_how(change),
    ]
    return AdviceAnswer.of(change, title="io1 to io2", words=words, pays=saving >= -_CENT, supposed=supposed)


def _fewer_advice(kind: VolumeType, layout: Ebs, load: Load, *, supposed: bool) -> list[AdviceAnswer]:
    change = fewer(kind, layout, load)
    if change is None:
        return []
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
        (
            "Volumes cannot be merged in place: attach the new one, copy the data, remove the old ones; until then "
            "both are paid for."
        ),
    ]
    better = float(change.reached_after.burst_mib_per_s) > float(change.reached_before.burst_mib_per_s)
    pays = change.saving_usd >= -_CENT and better
    title = f"{before.count} {kind.name} volumes to {after.count}"
    return [AdviceAnswer.of(change, title=title, words=words, pays=pays, supposed=supposed)]


def _volumes(count: int) -> str:
    return "one volume" if count == 1 else f"{count} volumes"


def _load_advice(change: Change) -> AdviceAnswer:
    before, after = change.before, change.after
    pays = change.saving_usd > _CENT or not before.carried
    what = "The cheapest of what these volumes can be changed into in place that carries the load."
    words = [what if before.carried else f"{what} Today's do not.", *_how(change)]
    if not pays:
        words.insert(0, "It does not pay: what is there already carries the load for less.")
    title = f"For this load: {wording.layout_words(after.layout)}"
    return AdviceAnswer.of(change, title=title, words=words, pays=pays, supposed=False)


def _how(change: Change) -> list[str]:
    if not change.in_place:
        return [
            "It takes new volumes and a copy of the data: a volume never shrinks, and Magnetic ones are not changed."
        ]
    return [
        (
            "Can be changed in place, while the volumes are used: type, IOPS and throughput, and size upwards only. "
            f"Up to {MODIFICATIONS_PER_DAY.value:.0f} changes a day, each once the one before is completed."
        )
    ]
