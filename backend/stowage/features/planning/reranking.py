"""Effect of a team's measurements on a ranking.

A workload is ranked with the team's measurements and without them (or with earlier ones), and both rankings are
compared.
"""

from collections.abc import Sequence
from dataclasses import replace

from stowage.features.planning import planning
from stowage.features.planning.schemas import MeasuredAnswer, MeasuredDifference, WinnerAnswer
from stowage.model.figure import Figure
from stowage.model.hardware.profile import ScalingCurve
from stowage.model.infeasible import Infeasible
from stowage.model.inputs import Inputs, gather, kind_of
from stowage.platform.errors import BadInput
from stowage.workloads import wording
from stowage.workloads.answers import PlanAnswer, RankedAnswer
from stowage.workloads.cluster_section import EbsSection
from stowage.workloads.knowledge import Knowledge, KnowledgeSource
from stowage.workloads.limits_section import LimitsSection
from stowage.workloads.refusals import possible_workloads
from stowage.workloads.workload_file import WorkloadFile

_SAME = 0.005
"""Relative difference of rates below which they count as equal [1]."""
_COMPARED = 10
"""Rows of each ranking whose rates are compared."""


def rerank(
    file: WorkloadFile,
    before: KnowledgeSource,
    now: KnowledgeSource,
    answer: PlanAnswer | None = None,
) -> MeasuredAnswer | None:
    """Compare a workload's ranking with earlier data of a team and its ranking with the current data.

    The data are the team's measurements and calibrations.

    Parameters
    ----------
    before, now : KnowledgeSource
        Sources with the earlier and with the current data; both must have the same catalog version.
    answer : PlanAnswer, optional
        The ranking with the current data, if already computed.

    Returns
    -------
    MeasuredAnswer or None
        None if earlier and current data are the same.

    Raises
    ------
    BadInput
        As for `planning.preview_plan`.
    """
    place = file.place.catalog, file.place.region
    known_before, known_now = before(*place), now(*place)
    if known_before.digest == known_now.digest:
        return None
    # The team's prices may have changed as well; both states use the current ones.
    known_before = replace(known_before, catalog=known_now.catalog)
    if (known_before.profiles, known_before.frameworks) == (known_now.profiles, known_now.frameworks):
        return None
    framework = file.framework
    if framework not in known_before.frameworks and framework in known_now.frameworks:
        # The calibration did not exist before, and no prediction is possible without it. Both states use it, so that
        # the comparison shows the effect of the measured rates only.
        known_before = replace(known_before, frameworks=known_now.frameworks)
    pinned = file.model_copy(update={"place": file.place.model_copy(update={"catalog": known_now.catalog.version})})
    rows = _rows_before(pinned, known_before)
    today = answer or _ranked(pinned, known_now, planning.MOST_ROWS)
    old, new = next(iter(rows), None), next(iter(today.configurations), None)
    found = None if old is None else _place_of(old, today)
    differences = _differences([*rows, *today.configurations[:_COMPARED]], pinned, known_before, known_now)
    changed = (None if old is None else _key(old)) != (None if new is None else _key(new))
    return MeasuredAnswer(
        sentence=_sentence(
            old, new, found, differences, limited=file.limits.model_copy(update={"chance": None}) != LimitsSection()
        ),
        changed=changed,
        winner_before=None if old is None else _winner(old),
        winner_now=None if new is None else _winner(new),
        place_of_before=found,
        differences=differences,
    )


def _key(row: RankedAnswer) -> tuple[str, str, str | None]:
    """Return the key by which a row is found in another ranking: instance type, kind of storage, and volume type."""
    storage = row.storage
    return row.instance, storage.kind, storage.type if isinstance(storage, EbsSection) else None


def _place_of(row: RankedAnswer, answer: PlanAnswer) -> int | None:
    """Return the rank of a configuration in another ranking; None if it is not listed."""
    return next((each.rank for each in answer.configurations if _key(each) == _key(row)), None)


def _winner(row: RankedAnswer) -> WinnerAnswer:
    return WinnerAnswer.from_fields(
        row, time_s=row.time_s.p50, cost_usd=row.cost_usd.p50, month_usd=row.cost_always_on_usd
    )


def _differences(
    rows: Sequence[RankedAnswer], file: WorkloadFile, before: Knowledge, now: Knowledge
) -> list[MeasuredDifference]:
    """List the rates of the given rows that differ between earlier and current knowledge.

    Only rates that the predictions of the rows use are compared. The rates of the first row come first, and each rate
    of an instance type is listed once.
    """
    found: dict[tuple[str, str], MeasuredDifference] = {}
    for row in rows:
        then = _rates(row, file, before)
        for what, new in _rates(row, file, now).items():
            old = then.get(what)
            same = old is not None and old.unit == new.unit and abs(new.value / old.value - 1.0) < _SAME
            if same or (row.instance, what) in found:
                continue
            percent = None if old is None or old.unit != new.unit else 100.0 * (new.value / old.value - 1.0)
            found[row.instance, what] = MeasuredDifference(
                target=row.instance,
                metric=what,
                unit=new.unit,
                published=None if old is None else old.value,
                measured=new.value,
                percent=percent,
                source=new.source,
                words=_words(what, percent, new.kind),
            )
    return list(found.values())


def _words(what: str, percent: float | None, kind: str) -> str:
    """Describe how a rate differs from its earlier value, e.g. ``measured network 18% lower than published``."""
    if percent is None:
        return f"{what} measured, which was not known before"
    how = "higher" if percent > 0.0 else "lower"
    # The network rate of a type may be estimated from measurements at other cluster sizes.
    return f"{kind} {what} {wording.three_digits(abs(percent))}% {how} than published"


def _rates(row: RankedAnswer, file: WorkloadFile, knowledge: Knowledge) -> dict[str, Figure]:
    """Return the rates of network, disks and EBS link that the prediction of a row uses, by their names in words."""
    inputs = _inputs(row, file, knowledge)
    if inputs is None:
        return {}
    network = inputs.network_baseline or inputs.network
    if isinstance(network, ScalingCurve):
        at = network.support(row.nodes)[0]
        network = at.figure() if network.is_measured_at(row.nodes) else network.estimate(row.nodes)
    named = {
        "network": network,
        "disk throughput, half read and half write": inputs.storage,
        "disk reads": inputs.storage_read,
        "disk writes": inputs.storage_write,
        "disk read IOPS": inputs.storage_read_iops,
        "disk write IOPS": inputs.storage_write_iops,
        "EBS reads": inputs.ebs_read or inputs.ebs_maximum,
        "EBS writes": inputs.ebs_write or inputs.ebs_maximum,
    }
    return {what: figure for what, figure in named.items() if figure is not None and figure.kind != "given"}


def _inputs(row: RankedAnswer, file: WorkloadFile, knowledge: Knowledge) -> Inputs | None:
    catalog, storage = knowledge.catalog, row.storage
    volume = catalog.volume_types[storage.type] if isinstance(storage, EbsSection) else None
    try:
        workloads = possible_workloads(file, knowledge)
    except BadInput:
        return None
    for workload in workloads:
        if kind_of(volume, workload) == storage.kind:
            of_type = catalog.instance_types[row.instance]
            found = gather(of_type, volume, workload.at(row.nodes), catalog, knowledge.profiles)
            if not isinstance(found, Infeasible):
                return found
    return None


def _sentence(
    old: RankedAnswer | None,
    new: RankedAnswer | None,
    place: int | None,
    differences: Sequence[MeasuredDifference],
    *,
    limited: bool,
) -> str:
    if new is None:
        return "Nothing meets your limits by your measurements" + (
            "." if old is None else f", as {_name(old)} seemed to{_why(old, differences)}."
        )
    if old is None:
        done = "meets your limits; nothing did before" if limited else "comes first; nothing could be ranked before"
        return f"By your measurements {_name(new)} {done}."
    if _key(old) == _key(new):
        still = _name(new) if new.nodes == old.nodes else f"{_name(new)}, instead of {old.nodes:,}"
        return f"The winner stays: {still}{_why(old, differences)}."
    where = f"is now {_ordinal(place)}" if place is not None else "no longer meets your limits"
    why = _why(old, differences) or _why(new, differences, f" of {new.instance}")
    return f"{_name(old)} ranked first and {where}{why}. First is now {_name(new)}."


def _why(row: RankedAnswer, differences: Sequence[MeasuredDifference], whose: str = "") -> str:
    """Return the end of a sentence that explains a row's new rank by its most changed rate.

    It is empty if no rate of the row's instance type changed. `whose` is added at its end.
    """
    of_row = [each for each in differences if each.target == row.instance]
    if not of_row:
        return ""
    most = max(of_row, key=lambda each: abs(each.percent or 0.0))
    return f": {most.words}{whose}"


def _name(row: RankedAnswer) -> str:
    return f"{row.nodes:,} × {row.instance}" + (f" on {row.storage_words}" if row.storage.kind == "ebs" else "")


def _ordinal(place: int) -> str:
    """Return a rank as an ordinal number.

    Examples
    --------
    >>> [_ordinal(place) for place in (1, 2, 3, 4, 11, 12, 21, 32)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th', '21st', '32nd']
    """
    last = {1: "st", 2: "nd", 3: "rd"}
    return f"{place}{'th' if place % 100 in {11, 12, 13} else last.get(place % 10, 'th')}"


def _rows_before(file: WorkloadFile, knowledge: Knowledge) -> list[RankedAnswer]:
    """Rank a workload with earlier knowledge; return an empty list if the workload cannot be ranked with it."""
    try:
        return _ranked(file, knowledge, _COMPARED).configurations
    except BadInput:
        return []


def _ranked(file: WorkloadFile, knowledge: Knowledge, most_rows: int) -> PlanAnswer:
    return planning.preview_rows(file, lambda _version, _region: knowledge, lambda: 0.0, most_rows)
