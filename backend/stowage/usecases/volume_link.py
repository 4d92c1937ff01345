"""The link between an instance and its volumes: what it carries, and which types carry enough."""

from stowage.model.catalogue import Catalogue
from stowage.model.figure import Figure
from stowage.model.instance import InstanceType
from stowage.optimizer.volumes import Load, first_missed, link_of, strains
from stowage.usecases.volume_answers import LinkAnswer, LinkTypeAnswer

_CARRYING_TYPES = 3


def link_answer(instance: InstanceType, load: Load) -> LinkAnswer:
    """Say what an instance's link to EBS carries of a load."""
    link = link_of(instance, load)
    most = None if instance.most_volumes is None else int(instance.most_volumes.value)
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
            "ebs_baseline_mb_per_s": _value(instance.ebs_baseline_mb_per_s),
            "ebs_maximum_mb_per_s": _value(instance.ebs_maximum_mb_per_s),
            "ebs_baseline_iops": _value(instance.ebs_baseline_iops),
            "ebs_maximum_iops": _value(instance.ebs_maximum_iops),
            "most_volumes": most,
        }
    )


def _link_words(instance: InstanceType, load: Load) -> tuple[str, str]:
    link = link_of(instance, load)
    if link is None:
        raise ValueError(f"the link of {instance.name} is not known")
    resource, names = link
    taken = strains(resource, load, names)
    steady = [strain for strain in taken if strain.what == "baseline"]
    ios = f" and {load.io_per_s:,.0f} IOPS" if load.pattern == "random" else ""
    asked = f"{load.mb_per_s:,.0f} MB/s{ios} for {load.hours:.3g} h a day"
    if _carries_always(instance, load):
        return "always", f"{instance.name} carries {asked} on the baseline of its link."
    worst = first_missed(taken)
    if worst is None:
        return (
            "in bursts",
            (
                f"{instance.name} carries {asked} above the baseline of its link, on a day's credit; AWS promises "
                "30 minutes of the maximum in 24 hours and no more."
            ),
        )
    reach = {
        "peak": "its link reaches at most",
        "baseline": "its link sustains",
        "credit": "30 minutes of its maximum a day are not enough: after them its link sustains",
    }[worst.what]
    offered = steady[0 if worst.limit == "throughput" or len(steady) == 1 else 1] if worst.what == "credit" else worst
    amount = f"{offered.offered:,.0f} {'IOPS' if worst.limit == 'IOPS' else 'MB/s'}"
    return "not", f"{instance.name} does not carry {asked}: {reach} {amount}."


def _carries_always(instance: InstanceType, load: Load) -> bool:
    """Say whether the baseline carries the load while it lasts; an unknown baseline in IOPS limits nothing."""
    link = link_of(instance, load)
    if link is None:
        return False
    flows = {load.role: load.mb_per_s}
    return all(float(line.load(flows) or 0.0) <= float(line.rate) * (1.0 + 1e-9) for line in link[0].lines)


def carrying_types(catalogue: Catalogue, load: Load, volumes: int) -> list[tuple[InstanceType, LinkTypeAnswer]]:
    """Find the cheapest types whose link carries a load all day long, and that take so many volumes."""
    found = [
        (instance, instance.usd_per_hour.value, instance.ebs_baseline_mb_per_s.value)
        for instance in catalogue.instance_types.values()
        if instance.usd_per_hour is not None
        and instance.ebs_baseline_mb_per_s is not None
        and instance.ebs_baseline_mb_per_s.value >= load.mb_per_s
        and (instance.most_volumes is None or instance.most_volumes.value >= volumes)
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
