"""Judgement of measurements as good, doubtful or rejected.

A measurement is compared with provisioned rates, AWS limits, other measurements and physics.
"""

from collections.abc import Sequence

from stowage.frozen import frozen
from stowage.measure.files.access import access_of
from stowage.measure.judging import limit_checks, run_checks
from stowage.measure.profiling.facts import provisioned
from stowage.measure.profiling.profiles import TargetProfile, Verdict
from stowage.measure.reading import Reading
from stowage.measure.reason import Case, Reason
from stowage.measure.target import Target, VolumeTarget
from stowage.model.hardware.catalog import Catalog
from stowage.model.hardware.profile import Profiles

_SEVERITY = {"rejected": 0, "doubtful": 1, "good": 2}


@frozen
class Judgement:
    """Verdict on one measurement, with the reasons for it."""

    verdict: Verdict
    """The worst verdict among the reasons."""
    reasons: tuple[Reason, ...] = ()
    """Findings of the checks, the worst first."""


def judge(
    reading: Reading,
    target: Target,
    catalog: Catalog | None,
    profiles: Sequence[TargetProfile] = (),
    published: Profiles | None = None,
) -> Judgement:
    """Judge whether a measurement can be trusted.

    Parameters
    ----------
    reading : Reading
    target : Target
        Target of the measurement. Checks that need a field that it does not have are skipped.
    catalog : Catalog or None
        Published data of instance and volume types; if None, only the figures in the file are checked.
    profiles : sequence of TargetProfile
        Profiles of the team's earlier measurements.
    published : Profiles or None
        Published measurements to compare instance-store disks with.

    Returns
    -------
    Judgement
        Verdict and its reasons. ``rejected``: the tool measured nothing, or something other than it claims.
        ``doubtful``: the tool may have measured something other than it claims. Such a measurement has a quarter of
        the weight of a good one. ``good``: the measurement passed all checks.
    """
    if reading.status == "failed":
        words = f"{reading.tool} failed: {reading.failure}"
        return Judgement("rejected", (Reason("failed", "rejected", words),))
    instance = target.type_in(catalog)
    storage = target.storage
    case = Case(
        reading=reading,
        target=target,
        instance=instance,
        access=access_of(reading),
        volumes=provisioned(storage, instance, catalog) if isinstance(storage, VolumeTarget) else None,
        profiles=profiles,
        values={metric.name: metric.value for metric in reading.metrics},
        published=published,
    )
    reasons = [reason for check in (*limit_checks.CHECKS, *run_checks.CHECKS) for reason in check(case)]
    if not reading.series and not any(value > 0.0 for value in case.values.values()):
        reasons.append(Reason("nothing", "rejected", "it holds no figure above 0: nothing was measured"))
    reasons.sort(key=lambda reason: _SEVERITY[reason.verdict])
    return Judgement(reasons[0].verdict if reasons else "good", tuple(reasons))
