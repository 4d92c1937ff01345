"""Network link between an instance and its EBS volumes (EBS link), and whether it carries a load."""

from stowage.features.volumes.schemas import LinkAnswer, LinkTypeAnswer
from stowage.model.cluster import data_volumes
from stowage.model.figure import Figure
from stowage.model.hardware.catalog import Catalog
from stowage.model.hardware.instance import InstanceType
from stowage.optimizer.overturn import PUBLISHED_LINK
from stowage.optimizer.volumes import Load, Strain, first_missed, link_of, strains
from stowage.workloads.wording import three_digits

_CARRYING_TYPES = 3


def link_answer(instance: InstanceType, load: Load) -> LinkAnswer:
    """Build the answer on an instance's EBS link: whether it carries a load, and the rates of the link."""
    link = link_of(instance, load)
    if link is None:
        words = instance.gaps.get(
            "ebs_baseline_mb_per_s", f"What the link of {instance.name} to EBS carries is not known."
        )
        carried = "unknown"
    else:
        carried, words = _link_words(instance, load)
    return LinkAnswer.model_validate(
        {
            "instance": instance.name,
            "carried": carried,
            "words": words,
            **{name: _value(getattr(instance, name)) for name in PUBLISHED_LINK},
            "most_volumes": data_volumes(instance),
        }
    )


def delivered_words(instance: InstanceType, load: Load) -> str | None:
    """Describe the rate to which an EBS link throttles the load.

    Return None if the link carries the load, or if its rates are unknown.
    """
    throttle = _throttle(instance, load)
    if throttle is None:
        return None
    worst, offered = throttle
    verb = "reaches" if worst.what == "peak" else "sustains"
    if worst.limit == "IOPS":
        return f"{instance.name}'s link {verb} {offered:,.0f} of {load.io_per_s:,.0f} IOPS"
    return f"{instance.name}'s link {verb} {three_digits(offered)} of {three_digits(load.mb_per_s)} MB/s"


def _throttle(instance: InstanceType, load: Load) -> tuple[Strain, float] | None:
    """Return the limit by which an EBS link throttles a load, with the rate that it allows [MB/s or 1/s].

    Return None if the link carries the load, or if its rates are unknown.
    """
    link = link_of(instance, load)
    if link is None:
        return None
    taken = strains(link[0], load, link[1])
    worst = first_missed(taken)
    if worst is None or worst.what != "credit":
        return None if worst is None else (worst, worst.offered)
    steady = [strain for strain in taken if strain.what == "baseline"]
    return worst, steady[0 if worst.limit == "throughput" or len(steady) == 1 else 1].offered


def _link_words(instance: InstanceType, load: Load) -> tuple[str, str]:
    if load.mib_per_s == 0.0:
        return "always", f"No load is asked that {instance.name} would have to carry."
    ios = f" and {load.io_per_s:,.0f} IOPS" if load.pattern == "random" else ""
    asked = f"{three_digits(load.mb_per_s)} MB/s{ios} for {load.hours:.3g} h a day"
    if _carries_always(instance, load):
        return "always", f"{instance.name} carries {asked} on the baseline of its link."
    throttle = _throttle(instance, load)
    if throttle is None:
        return (
            "in bursts",
            (
                f"{instance.name} carries {asked} above the baseline of its link, on a day's credit; AWS promises "
                "30 minutes of the maximum in 24 hours and no more."
            ),
        )
    worst, offered = throttle
    reach = {
        "peak": "its link reaches at most",
        "baseline": "its link sustains",
        "credit": "30 minutes of its maximum a day are not enough: after them its link sustains",
    }[worst.what]
    amount = f"{offered:,.0f} IOPS" if worst.limit == "IOPS" else f"{three_digits(offered)} MB/s"
    return "not", f"{instance.name} does not carry {asked}: {reach} {amount}."


def _carries_always(instance: InstanceType, load: Load) -> bool:
    """Return whether the baseline rates of an EBS link carry the load.

    If the baseline IOPS are unknown, only the baseline throughput is compared. Return False if the link is unknown.
    """
    link = link_of(instance, load)
    if link is None:
        return False
    flows = {load.role: load.mb_per_s}
    return all(float(line.load(flows) or 0.0) <= float(line.rate) * (1.0 + 1e-9) for line in link[0].lines)


def carrying_types(catalog: Catalog, load: Load, volumes: int) -> list[tuple[InstanceType, LinkTypeAnswer]]:
    """Find the cheapest instance types whose EBS link carries a load all day.

    Only types that support the number of volumes are considered.
    """
    found = [
        (
            instance,
            instance.usd_per_hour.value + (_value(instance.ebs_usd_per_hour) or 0.0),
            instance.ebs_baseline_mb_per_s.value,
        )
        for instance in catalog.instance_types.values()
        if instance.usd_per_hour is not None
        and "ebs_usd_per_hour" not in instance.gaps
        and instance.ebs_baseline_mb_per_s is not None
        and instance.ebs_baseline_mb_per_s.value >= load.mb_per_s
        and data_volumes(instance) >= volumes
    ]
    found.sort(key=lambda each: (each[1], each[0].name))
    carrying: list[tuple[InstanceType, LinkTypeAnswer]] = []
    for instance, usd_per_hour, baseline in found:
        if not _carries_always(instance, load):
            continue
        answer = LinkTypeAnswer(
            name=instance.name,
            usd_per_hour=usd_per_hour,
            ebs_baseline_mb_per_s=baseline,
            ebs_baseline_iops=_value(instance.ebs_baseline_iops),
        )
        carrying.append((instance, answer))
        if len(carrying) == _CARRYING_TYPES:
            break
    return carrying


def _value(figure: Figure | None) -> float | None:
    return None if figure is None else figure.value
