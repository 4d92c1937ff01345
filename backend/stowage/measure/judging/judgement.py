"""Judgement of measurements as good, doubtful or rejected.

A measurement is compared with provisioned rates, AWS limits, other measurements and physics.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, get_args

from stowage.measure.files.access import access_of
from stowage.measure.files.strict import BadValue, list_of, number_of, object_of, text_of
from stowage.measure.judging import limit_checks, run_checks
from stowage.measure.profiling.facts import provisioned
from stowage.measure.profiling.profiles import TargetProfile, Verdict
from stowage.measure.reading import Reading
from stowage.measure.reason import Case, Reason, ReasonFigure
from stowage.measure.target import Target, VolumeTarget
from stowage.model.hardware.catalog import Catalog
from stowage.model.hardware.profile import Profiles

_SEVERITY = {"rejected": 0, "doubtful": 1, "good": 2}


@dataclass(frozen=True, slots=True)
class Judgement:
    """Verdict on one measurement, with the reasons for it.

    Parameters
    ----------
    verdict : {"good", "doubtful", "rejected"}
        The worst verdict among the reasons.
    reasons : tuple of Reason
        Findings of the checks, the worst first.
    """

    verdict: Verdict
    reasons: tuple[Reason, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Convert the judgement to JSON; inverse of `from_dict`."""
        return {
            "verdict": self.verdict,
            "reasons": [
                asdict(reason) | {"figures": [asdict(one) for one in reason.figures]} for reason in self.reasons
            ],
        }

    @classmethod
    def from_dict(cls, value: object) -> "Judgement":
        """Build a judgement from the JSON of `to_dict`.

        Raises
        ------
        BadValue
            The JSON does not have the form of `to_dict`.
        """
        said = object_of(value, "", ("verdict", "reasons"))
        reasons = list_of(said["reasons"], "reasons", most=100)
        return cls(_verdict(said["verdict"], "verdict"), tuple(_reason(one, at) for at, one in enumerate(reasons)))


def _verdict(value: object, where: str) -> Verdict:
    for known in get_args(Verdict):
        if value == known:
            found: Verdict = known
            return found
    raise BadValue(where, value, f"one of {', '.join(get_args(Verdict))}")


def _reason(value: object, at: int) -> Reason:
    where = f"reasons.{at}"
    said = object_of(value, where, ("code", "verdict", "words", "figures"))
    figures = []
    for number, each in enumerate(list_of(said["figures"], f"{where}.figures", most=20)):
        path = f"{where}.figures.{number}"
        one = object_of(each, path, ("name", "value", "unit", "source"))
        source = one["source"]
        figures.append(
            ReasonFigure(
                name=text_of(one["name"], f"{path}.name"),
                value=number_of(one["value"], f"{path}.value"),
                unit=text_of(one["unit"], f"{path}.unit"),
                source=None if source is None else text_of(source, f"{path}.source", longest=1_000),
            )
        )
    return Reason(
        code=text_of(said["code"], f"{where}.code"),
        verdict=_verdict(said["verdict"], f"{where}.verdict"),
        words=text_of(said["words"], f"{where}.words", longest=2_000),
        figures=tuple(figures),
    )


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
    instance = None
    if catalog is not None and target.instance is not None:
        instance = catalog.instance_types.get(target.instance)
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
