"""Advice on existing volumes: changes to other volume types or to fewer volumes, with their savings.

A volume layout (`Ebs`) is the type, number, size and provisioned performance of equal volumes.
"""

import math
from dataclasses import replace
from datetime import date
from typing import Literal

from stowage.frozen import frozen
from stowage.model.cluster import Ebs, ordered
from stowage.model.figure import Figure
from stowage.model.hardware.catalog import VolumeType
from stowage.model.hardware.volume import Performance, performance
from stowage.model.hardware.volume_limits import VOLUME_KINDS, IopsAndThroughput
from stowage.model.plan import nine_digits
from stowage.optimizer.volumes import ROUNDING, Design, Load, designed, of_count

MODIFICATIONS_PER_DAY = Figure(
    quantity="elastic_volumes.modifications",
    value=4.0,
    unit="1/d",
    source=(
        "EC2 API reference, ModifyVolume: a volume can be modified up to four times within a rolling 24 hours, each "
        "time once the modification before is completed; older editions asked for six hours between two. "
        "Read on this day"
    ),
    kind="published",
    as_of=date(2026, 11, 20),
)
CHANGED_IN_PLACE = Figure(
    quantity="elastic_volumes.size_factor",
    value=1.0,
    unit="1",
    source=(
        "EC2 API reference, ModifyVolume: type, size, IOPS and throughput can be changed while the volume is used; the "
        "new size is at least the old one; Magnetic volumes (standard) take no part. Read on this day"
    ),
    kind="published",
    as_of=date(2026, 11, 20),
)
"""Minimum ratio of a volume's size after an in-place change to its size before."""

Kind = Literal["gp2 to gp3", "io1 to io2", "fewer volumes", "for this load", "new volumes"]


@frozen
class Change:
    """A proposed change from one volume layout to another."""

    kind: Kind
    before: Design
    after: Design
    reached_before: Performance
    """Performance of one volume before the change."""
    reached_after: Performance
    """Performance of one volume after the change."""

    @property
    def saving_usd(self) -> float:
        """Return the saving that the change brings [USD a month].

        It is below 0 if the new layout costs more.
        """
        return self.before.cost.total - self.after.cost.total

    @property
    def in_place(self) -> bool:
        """Return whether all volumes can be changed while they are in use.

        Otherwise, they must be replaced.
        """
        return elastic(self.before.layout, self.after.layout)


def elastic(before: Ebs, after: Ebs) -> bool:
    """Return whether volumes can be changed in place.

    Both volume types must support it, the number of volumes must stay the same, and no volume may get smaller.

    Examples
    --------
    >>> elastic(Ebs("gp2", 500, 2), Ebs("gp3", 500, 2, 3000, 125))
    True
    >>> elastic(Ebs("st1", 500, 4), Ebs("st1", 2000, 1))
    False
    """
    types = {before.volume_type, after.volume_type}
    return (
        all(VOLUME_KINDS[name].elastic for name in types)
        and before.count == after.count
        and before.size_gib <= after.size_gib
    )


def to_gp3(gp2: VolumeType, gp3: VolumeType, before: Ebs, load: Load, *, nitro: bool) -> Change | None:
    """Return the change from gp2 volumes to gp3 volumes of the same size.

    The new volumes have at least the maximum IOPS and throughput of the gp2 volumes. None if gp3 has no such volumes.
    """
    rules = gp3.limits.performance
    if not isinstance(rules, IopsAndThroughput) or before.size_gib > gp3.limits.largest_gib.value:
        return None
    had = performance(ordered(gp2, before, nitro=nitro))
    after = replace(
        before,
        volume_type=gp3.name,
        iops=max(int(rules.included_iops.value), math.ceil(float(had.burst_iops))),
        throughput_mib_per_s=max(int(rules.included_mib_per_s.value), math.ceil(float(had.burst_mib_per_s))),
    )
    return _change("gp2 to gp3", (gp2, before), (gp3, after), load, nitro=nitro)


def to_io2(io1: VolumeType, io2: VolumeType, before: Ebs, load: Load, *, nitro: bool) -> Change:
    """Return the change from io1 volumes to io2 volumes of the same size and IOPS."""
    after = replace(before, volume_type=io2.name)
    return _change("io1 to io2", (io1, before), (io2, after), load, nitro=nitro)


def fewer(hdd: VolumeType, before: Ebs, load: Load, *, nitro: bool) -> Change | None:
    """Return the change to fewer, larger volumes of the same HDD type.

    The number of volumes is the smallest that reaches the combined limits of the existing volumes.

    Returns
    -------
    Change or None
        None if fewer volumes are not enough, since the baseline and burst rates of a volume stop growing at some size.
    """
    had = performance(ordered(hdd, before, nitro=nitro))
    total_gib = before.count * before.size_gib
    for count in range(1, before.count):
        size_gib = max(math.ceil(hdd.limits.smallest_gib.value), math.ceil(total_gib / count))
        if size_gib > hdd.limits.largest_gib.value:
            continue
        after = replace(before, size_gib=size_gib, count=count)
        has = performance(ordered(hdd, after, nitro=nitro))
        kept = all(
            count * float(now) >= before.count * float(then) * (1.0 - 1e-9)
            for now, then in (
                (has.baseline_mib_per_s, had.baseline_mib_per_s),
                (has.burst_mib_per_s, had.burst_mib_per_s),
            )
        )
        if kept:
            return _change("fewer volumes", (hdd, before), (hdd, after), load, nitro=nitro)
    return None


def for_load(present: VolumeType, before: Ebs, offered: list[VolumeType], load: Load, *, nitro: bool) -> Change | None:
    """Return the cheapest in-place change after which the volumes carry the load.

    Returns
    -------
    Change or None
        None if no in-place change is enough.
    """
    at_least = replace(load, capacity_gib=max(load.capacity_gib, float(before.count * before.size_gib)))
    found = [
        after
        for kind in offered
        if (after := of_count(kind, at_least, before.count, nitro=nitro)) is not None and elastic(before, after.layout)
    ]
    if not found:
        return None
    after = min(found, key=lambda one: one.cost.total)
    kind = next(kind for kind in offered if kind.name == after.layout.volume_type)
    return _change("for this load", (present, before), (kind, after.layout), load, nitro=nitro)


def redesign(
    before: tuple[VolumeType, Ebs], after: tuple[VolumeType, Ebs], load: Load, in_place: Change | None, *, nitro: bool
) -> Change | None:
    """Return the change to new volumes.

    None if the in-place change costs no more, if the existing volumes suffice and cost no more, or if the change itself
    can be made in place.

    Parameters
    ----------
    before, after : tuple of VolumeType and Ebs
        Existing and new volumes; ``after`` must meet the required capacity and load.
    load : Load
    in_place : Change or None
        The cheapest in-place change, from `for_load`.
    nitro : bool
    """
    change = _change("new volumes", before, after, load, nitro=nitro)
    kept = [] if in_place is None else [in_place.after.cost.total]
    if suffices(change.before, load):
        kept.append(change.before.cost.total)
    if change.in_place or (kept and float(nine_digits(min(kept))) <= float(nine_digits(change.after.cost.total))):
        return None
    return change


def suffices(found: Design, load: Load) -> bool:
    """Return whether a design meets the required capacity and load."""
    held_gib = found.layout.count * found.layout.size_gib
    return found.carried and held_gib >= load.capacity_gib * (1.0 - ROUNDING)


def _change(
    kind: Kind, before: tuple[VolumeType, Ebs], after: tuple[VolumeType, Ebs], load: Load, *, nitro: bool
) -> Change:
    return Change(
        kind,
        designed(*before, load, nitro=nitro),
        designed(*after, load, nitro=nitro),
        performance(ordered(*before, nitro=nitro)),
        performance(ordered(*after, nitro=nitro)),
    )
