"""Conversion of a team's measurements to figures that replace published figures in predictions."""

import math
from collections.abc import Iterable, Sequence
from datetime import UTC

from stowage.frozen import frozen
from stowage.measure.fits.robust import Location, location
from stowage.measure.profiling.profiles import WEIGHT_OF, Part, TargetProfile, age_weight
from stowage.model.hardware.profile import Metric, Profile, Profiles, Statistic

PART_OF_DISKS_DOUBT = 0.03
"""Uncertainty of scaling by disk count: i2.4xlarge was 3% above half of i2.8xlarge (SoCC 2015 paper, Table 2) [1]."""

_LINK: tuple[Metric, ...] = ("ebs_read_mb_per_s", "ebs_write_mb_per_s")
_EACH_WAY: tuple[Metric, ...] = ("storage_read_mb_per_s", "storage_write_mb_per_s")


@frozen
class TeamProfile(Profile):
    """One figure from a team's measurements, in the form that the model uses."""

    doubted: bool = False
    """Whether all measurements behind the figure are doubtful. Such a figure replaces no published measurement."""


def for_model(profiles: Iterable[TargetProfile], region: str) -> tuple[TeamProfile, ...]:
    """Return the figures that predictions for a region take from a team's profiles.

    Parameters
    ----------
    profiles : iterable of TargetProfile
    region : str
        If a figure has measurements in this region, only these measurements count. If it has none, measurements in
        other regions count, and the figure's source says so.

    Returns
    -------
    tuple of TeamProfile
        One profile for each combination of instance type, metric, cluster size and use of a placement group, sorted
        in this order. Measurements in several zones, or of only some of the disks, are combined as if they were of
        one target. For a network, the rate of the slowest node replaces the mean rate of the nodes if it is known,
        since the model adds no stragglers to networks. A slowest rate with only doubtful measurements does not replace
        a mean rate with good ones.

    Notes
    -----
    If all measurements of a figure are doubtful, they count as a quarter of their number. This doubles the uncertainty
    of the mean. If a quarter is less than one measurement, the spread is increased instead. The model then also
    assumes that the slowest disks of many nodes are slower. If at least one measurement is good, all this is omitted.
    """
    groups = _by_figure(profiles)
    found: dict[tuple[str, Metric, int, int, str], TeamProfile] = {}
    for figure in sorted(groups, key=_order):
        group = _one_manner(groups[figure])
        near = [profile for profile in group if profile.target.region == region]
        key = _order(figure)
        if figure.metric == "network_mb_per_s":
            # "average" comes first, and "slowest" replaces it.
            key = (*key[:4], "")
        row = _for_model(figure, near or group, None if near else region)
        if key not in found or found[key].doubted or not row.doubted:
            found[key] = row
    return tuple(found.values())


@frozen
class _Figure:
    instance: str
    metric: Metric
    nodes: int | None
    placement_group: bool | None
    statistic: Statistic


def _by_figure(profiles: Iterable[TargetProfile]) -> dict[_Figure, list[TargetProfile]]:
    groups: dict[_Figure, list[TargetProfile]] = {}
    for profile in profiles:
        if profile.feeds is not None and profile.target.instance is not None:
            groups.setdefault(_figure_of(profile, profile.feeds), []).append(profile)
    return groups


def _figure_of(profile: TargetProfile, metric: Metric) -> _Figure:
    target, network = profile.target, metric == "network_mb_per_s"
    return _Figure(
        instance=target.instance or "",
        metric=metric,
        nodes=target.nodes if network else None,
        placement_group=target.placement_group if network else None,
        statistic=profile.statistic,
    )


def _order(figure: _Figure) -> tuple[str, Metric, int, int, str]:
    grouped = {None: -1, False: 0, True: 1}[figure.placement_group]
    return (figure.instance, figure.metric, figure.nodes or 0, grouped, figure.statistic)


def _one_manner(group: list[TargetProfile]) -> list[TargetProfile]:
    """Return the profiles of the access pattern with the most measurements.

    Measurements are weighted by their age and verdict. Patterns are not combined: rates with 4 KiB and with 16 KiB
    blocks are different quantities.
    """
    known: dict[str, float] = {}
    for profile in group:
        known[profile.manner] = known.get(profile.manner, 0.0) + profile.effective_count * _trust(profile)
    best = max(sorted(known), key=known.__getitem__)
    return [profile for profile in group if profile.manner == best]


def _trust(profile: TargetProfile) -> float:
    return max(WEIGHT_OF[part.verdict] for part in profile.parts if part.weight > 0.0 and not part.outlier)


def _for_model(figure: _Figure, group: Sequence[TargetProfile], instead_of: str | None) -> TeamProfile:
    parts = [(part, profile.factor) for profile in group for part in profile.parts if part.weight > 0.0]
    newest = max(part.at for part, _ in parts)
    pooled: Location = location(
        [part.value * factor for part, factor in parts],
        [WEIGHT_OF[part.verdict] * age_weight(part.at, newest) for part, _ in parts],
        [part.host for part, _ in parts],
    )
    counted = [part for at, (part, _) in enumerate(parts) if at not in pooled.outliers]
    doubt = PART_OF_DISKS_DOUBT if any(profile.factor != 1.0 for profile in group) else 0.0
    # The model's uncertainty is spread / sqrt(count), so choose the count that includes the uncertainty of scaling.
    variance = pooled.spread**2 / pooled.effective_count + doubt**2
    # One measurement has no spread: the model then states its assumed spread.
    spread = None if pooled.spread_of == "assumed" else pooled.spread
    trust = max(WEIGHT_OF[part.verdict] for part in counted)
    if trust < 1.0:
        variance /= trust
        spread = math.sqrt(variance) if variance > pooled.spread**2 else spread
    count = max(1, round(pooled.spread**2 / variance))
    return TeamProfile(
        target=figure.instance,
        metric=figure.metric,
        mean=pooled.mean,
        spread=spread,
        count=count,
        cluster_nodes=figure.nodes,
        statistic=figure.statistic,
        placement_group=figure.placement_group,
        source=_source(counted, group, instead_of),
        kind="measured",
        as_of=newest.astimezone(UTC).date(),
        doubted=trust < 1.0,
    )


def _source(counted: Sequence[Part], group: Sequence[TargetProfile], instead_of: str | None) -> str:
    """Return a description of a figure's source.

    Example: ``Your team: 5 measurements (fio, 2026-11-02 to 2026-11-20)``.
    """
    doubtful = "" if any(WEIGHT_OF[part.verdict] == 1.0 for part in counted) else "doubtful "
    number = len({part.id for part in counted})
    days = sorted({part.at.astimezone(UTC).date().isoformat() for part in counted})
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    tools = ", ".join(sorted({part.tool for part in counted}))
    words = f"Your team: {number} {doubtful}measurement{'' if number == 1 else 's'} ({tools}, {when})"
    scaled = sorted(
        {profile.target.storage.words() for profile in group if profile.factor != 1.0 and profile.target.storage}
    )
    if scaled:
        words += f"; of {' and '.join(scaled)}, times the disks of the node"
    if instead_of is not None:
        where = sorted({profile.target.region or "an unnamed region" for profile in group})
        words += f"; measured in {', '.join(where)}, none in {instead_of}"
    return words


def on_top_of(published: Profiles, team: Sequence[Profile]) -> Profiles:
    """Replace published figures with a team's figures.

    Returns
    -------
    Profiles
        Published figures that are not replaced, in their original order, and then the team's figures.

    Notes
    -----
    A team's network rate replaces the published rates with the same cluster size and the same use of placement groups.
    Rates with other cluster sizes stay. A team's figure is left out in three cases:

    - It is not newer than the published figure. It may then be a copy of that figure with fewer digits.
    - All its measurements are doubtful, and it would replace a published measurement.
    - It is the rate of one direction of an EBS link, and the rate of the other direction is unknown.
    """
    usable = [row for row in team if why_left_out(row, published, team) is None]
    if not usable:
        return published
    by_figure: dict[tuple[str, str], list[Profile]] = {}
    for row in usable:
        by_figure.setdefault((row.target, row.metric), []).append(row)
    kept = [
        row
        for row in published.rows
        if not any(_replaces(own, row) for own in by_figure.get((row.target, row.metric), ()))
    ]
    return Profiles((*kept, *usable))


def why_left_out(own: Profile, published: Profiles, team: Sequence[Profile]) -> str | None:
    """Return the reason why predictions do not use a team's figure.

    The result is None if they use it.

    Parameters
    ----------
    own : Profile
        The team's figure, one of ``team``.
    published : Profiles
    team : sequence of Profile
        All profiles that `for_model` returned for the region.
    """
    replaced = [row for row in published.of(own.target, own.metric) if _replaces(own, row)]
    newest = max(replaced, key=lambda row: row.as_of, default=None)
    if newest is not None and own.as_of <= newest.as_of:
        return (
            f"the published figure is of {newest.as_of}, and yours of {own.as_of}: "
            "only what was measured later takes its place"
        )
    if isinstance(own, TeamProfile) and own.doubted and _hides_measured(own, published):
        return (
            "it stands on doubtful measurements only, and what is published was measured: "
            "one that is good, or overruled to good, takes its place"
        )
    if own.metric not in _LINK:
        return None
    # A figure that is left out in favor of a newer published one is not missing: the published one is known.
    known = {row.metric for row in team if row.target == own.target}
    missing = [way for way in _LINK if way not in known and not published.of(own.target, way)]
    if not missing:
        return None
    (other,) = ("writes" if way.startswith("ebs_write") else "reads" for way in missing)
    return f"predictions need both directions of the link to EBS, and {other} are not measured"


def why_not_taken(profiles: Sequence[TargetProfile], published: Profiles) -> dict[str, str]:
    """Return the reasons why predictions do not use some of a team's profiles.

    Each profile is considered for predictions for its own region.

    Parameters
    ----------
    profiles : sequence of TargetProfile
        All profiles of the team.
    published : Profiles

    Returns
    -------
    dict of str to str
        Reason for each profile that is not used, by the profile's key.
    """
    groups = _by_figure(profiles)
    teams: dict[str, tuple[Profile, ...]] = {}
    found: dict[str, str] = {}
    for profile in profiles:
        if profile.feeds is None or profile.target.instance is None:
            found[profile.key] = profile.why_not or "which instance type it was is not known"
            continue
        figure, region = _figure_of(profile, profile.feeds), profile.target.region or ""
        if region not in teams:
            teams[region] = for_model(profiles, region)
        row = next((each for each in teams[region] if _figure_of_row(each) == figure), None)
        if profile not in _one_manner(groups[figure]):
            why_not: str | None = "another manner of measuring the same says more: more measurements, or better ones"
        elif row is None and figure.statistic == "slowest":
            why_not = "it stands on doubtful measurements only: the mean of as many nodes, which does not, is taken"
        elif row is None:
            why_not = "the slowest node of as many is known too, and takes the place of the mean"
        else:
            why_not = why_left_out(row, published, teams[region])
        if why_not is not None:
            found[profile.key] = why_not
    return found


def _figure_of_row(row: Profile) -> _Figure:
    return _Figure(row.target, row.metric, row.cluster_nodes, row.placement_group, row.statistic)


def _replaces(own: Profile, row: Profile) -> bool:
    if own.metric != "network_mb_per_s":
        return own.statistic == row.statistic
    alike = own.placement_group is None or row.placement_group in {None, own.placement_group}
    return alike and row.cluster_nodes == own.cluster_nodes


def _hides_measured(own: Profile, published: Profiles) -> bool:
    """Return whether predictions would use a team's figure instead of a published measurement."""
    hidden = [row for row in published.of(own.target, own.metric) if _replaces(own, row)]
    if own.metric == "storage_mb_per_s":
        # Concurrent reads and writes take precedence over reads alone and writes alone.
        hidden += [row for way in _EACH_WAY for row in published.of(own.target, way)]
    return any(row.kind == "measured" for row in hidden)
