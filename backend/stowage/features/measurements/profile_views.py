"""Answers about a team's profiles, with published values for comparison."""

from collections.abc import Iterable, Iterator
from uuid import UUID

from stowage.features.catalog import catalogs
from stowage.features.measurements import profile_answers as answers
from stowage.features.measurements.profiles import read_profiles, words_of
from stowage.features.measurements.store import profiles as store
from stowage.features.measurements.store.profiles import StoredSet
from stowage.measure.profiling.changes import Trend, changes_in
from stowage.measure.profiling.facts import is_a_share, provisioned
from stowage.measure.profiling.for_model import why_not_taken
from stowage.measure.profiling.profiles import TargetProfile
from stowage.measure.recipes import cost_usd, recipes
from stowage.measure.target import Target, VolumeTarget
from stowage.model.figure import Figure
from stowage.model.hardware.catalog import Catalog
from stowage.model.hardware.profile import Profiles, ScalingCurve
from stowage.model.sizes import MB_PER_MIB
from stowage.platform.access import must_exist
from stowage.platform.database.database import Database
from stowage.platform.errors import NotFound
from stowage.platform.problems import unknown
from stowage.workloads.knowledge import Knowledge


def list_profiles(database: Database, org_id: UUID) -> answers.ProfileListAnswer:
    """Return all profiles of a team."""
    found = _newest(database, org_id)
    if found is None:
        return answers.ProfileListAnswer(profiles=[], measurements=0, made_at=None)
    published = _published(database)
    profiles = read_profiles(found.content)
    left_out = why_not_taken(profiles, published.profiles)
    rows = [_row(profile, published, left_out.get(profile.key)) for profile in profiles]
    rows.sort(key=lambda row: (row.target_words, row.metric, row.key))
    return answers.ProfileListAnswer(profiles=rows, measurements=found.measurements, made_at=found.created_at)


def read_profile(database: Database, org_id: UUID, key: str) -> answers.ProfileAnswer:
    """Return a profile with its measurements and its changes over time.

    Raises
    ------
    NotFound
        The team has no such profile.
    """
    found = _newest(database, org_id)
    profiles = () if found is None else read_profiles(found.content)
    profile = must_exist(next((each for each in profiles if each.key == key), None))
    published = _published(database)
    return answers.ProfileAnswer.from_fields(
        _row(profile, published, why_not_taken(profiles, published.profiles).get(key)),
        series=[
            answers.ProfilePoint.from_fields(part, measurement_id=part.id, nodes=profile.target.nodes)
            for part in profile.parts
        ],
        by_hour=None if profile.by_hour is None else list(profile.by_hour),
        by_weekday=None if profile.by_weekday is None else list(profile.by_weekday),
        changes=list(_changes(profile)),
        curve=list(_curve(profile, profiles, published.profiles)),
    )


def list_changes(database: Database, org_id: UUID, only: Trend | None) -> answers.ChangeListAnswer:
    """Return changes of rates, newest first."""
    found = _newest(database, org_id)
    profiles = () if found is None else read_profiles(found.content)
    changes = [change for profile in profiles for change in _changes(profile)]
    wanted = [change for change in changes if only is None or change.direction == only]
    return answers.ChangeListAnswer(
        changes=sorted(wanted, key=lambda change: (change.at, change.profile_key), reverse=True)
    )


def list_recipes(database: Database, instance: str | None, region: str | None) -> answers.RecipeListAnswer:
    """Return commands for reliable measurements, each with its duration.

    If an instance type is given, each command also has its price.

    Raises
    ------
    BadInput
        The region is not in the newest catalog.
    NotFound
        The instance type is not sold in the region.
    """
    of_type = None
    catalog = catalogs.published_knowledge(database)("latest", region or "us-east-1").catalog
    if instance is not None:
        of_type = catalog.instance_types.get(instance)
        if of_type is None:
            raise NotFound(
                unknown("instance", instance, "an instance type", catalog.version, catalog.instance_types).message
            )
    price = None if of_type is None or of_type.usd_per_hour is None else of_type.usd_per_hour.value
    return answers.RecipeListAnswer(
        recipes=[
            answers.RecipeAnswer.from_fields(each, cost_usd=None if price is None else cost_usd(each, price))
            for each in recipes(of_type)
        ]
    )


def published_of(profile: TargetProfile, published: Knowledge) -> Figure | None:
    """Return the published figure to compare with a team's profile, in the unit of the profile.

    For EBS volumes, the published figure is the provisioned performance. The result is None if there is no comparable
    figure, for example because only some of a target's disks or volumes were measured.
    """
    if is_a_share(profile.manner):
        return None
    target, catalog = profile.target, published.catalog
    instance = None if target.instance is None else catalog.instance_types.get(target.instance)
    if isinstance(target.storage, VolumeTarget) and profile.feeds is None:
        return _provisioned(profile, target.storage, target, catalog)
    if profile.feeds is None or instance is None:
        return None
    found = _measured(profile, published.profiles)
    if found is None:
        found = {
            "network_mb_per_s": instance.network_baseline_mb_per_s or instance.network_peak_mb_per_s,
            "ebs_read_mb_per_s": instance.ebs_maximum_mb_per_s,
            "ebs_write_mb_per_s": instance.ebs_maximum_mb_per_s,
        }.get(profile.feeds)
    if found is None or profile.factor == 1.0:
        return found
    share = f"{found.source} (of all disks; here of those that were measured)"
    return Figure(found.quantity, found.value / profile.factor, found.unit, share, found.kind, found.as_of)


def _measured(profile: TargetProfile, published: Profiles) -> Figure | None:
    """Return the published rate that was measured for a profile's instance type.

    For the network, it is the rate at the profile's number of nodes. The result is None if no such rate was published.
    """
    target = profile.target
    if profile.feeds is None or target.instance is None:
        return None
    if profile.feeds == "network_mb_per_s":
        curve = ScalingCurve.through(
            row
            for row in published.of(target.instance, profile.feeds)
            if target.placement_group is None or row.placement_group in {None, target.placement_group}
        )
        if curve is None:
            return None
        at = curve.support(target.nodes)[0]
        return at.figure() if curve.is_measured_at(target.nodes) else curve.estimate(target.nodes)
    average = published.average(target.instance, profile.feeds)
    return None if average is None else average.figure()


def _provisioned(profile: TargetProfile, storage: VolumeTarget, target: Target, catalog: Catalog) -> Figure | None:
    instance = None if target.instance is None else catalog.instance_types.get(target.instance)
    reached = provisioned(storage, instance, catalog)
    if reached is None:
        return None
    values = {
        "ebs_read_mb_per_s": float(reached.baseline_mib_per_s) * MB_PER_MIB * storage.count,
        "ebs_write_mb_per_s": float(reached.baseline_mib_per_s) * MB_PER_MIB * storage.count,
        "ebs_read_iops": float(reached.baseline_iops) * storage.count,
        "ebs_write_iops": float(reached.baseline_iops) * storage.count,
    }
    value = values.get(profile.metric)
    if value is None:
        return None
    source = f"What {storage.words()} is provisioned for, credit aside"
    return Figure(profile.metric, value, profile.unit, source, "published", catalog.as_of)


def _newest(database: Database, org_id: UUID) -> StoredSet | None:
    with database.transaction(org_id) as connection:
        return store.newest(connection)


def _published(database: Database) -> Knowledge:
    # Rates of instance and volume types are the same in all regions.
    return catalogs.newest_knowledge(database)


def _row(profile: TargetProfile, published: Knowledge, why_not: str | None) -> answers.ProfileRow:
    of_others = published_of(profile, published)
    return answers.ProfileRow.from_fields(
        profile,
        target_words=profile.target.words(),
        what=profile.what + (f" ({profile.manner})" if profile.manner else ""),
        published=of_others,
        difference_pct=None if of_others is None else 100.0 * (profile.mean / of_others.value - 1.0),
        feeds=why_not is None,
        why_not=why_not,
    )


def _changes(profile: TargetProfile) -> Iterator[answers.ProfileChangeAnswer]:
    for change in changes_in(profile):
        yield answers.ProfileChangeAnswer.from_fields(
            change,
            profile_key=profile.key,
            target_words=profile.target.words(),
            metric=profile.metric,
            what=profile.what,
            unit=profile.unit,
            direction=None if change.direction == "neither" else change.direction,
            words=words_of(change, profile),
        )


def _curve(
    profile: TargetProfile, profiles: Iterable[TargetProfile], published: Profiles
) -> Iterator[answers.CurvePointAnswer]:
    """Yield the network rate of a profile's instance type at every known cluster size.

    The rates come from the team's own measurements and from published ones.
    """
    target = profile.target
    if profile.feeds != "network_mb_per_s" or target.instance is None:
        return
    points: list[answers.CurvePointAnswer] = [
        answers.CurvePointAnswer(
            nodes=each.target.nodes,
            value=each.mean,
            low=each.low,
            high=each.high,
            kind="measured",
            source=f"{each.count} measurements of the team",
        )
        for each in profiles
        if each.feeds == profile.feeds
        and (each.target.instance, each.target.region) == (target.instance, target.region)
        and each.target.placement_group == target.placement_group
    ]
    points += [
        answers.CurvePointAnswer(
            nodes=row.cluster_nodes, value=row.mean, low=None, high=None, kind="published", source=row.source
        )
        for row in published.of(target.instance, "network_mb_per_s")
        if row.cluster_nodes is not None
        and (target.placement_group is None or row.placement_group in {None, target.placement_group})
    ]
    yield from sorted(points, key=lambda point: (point.nodes, point.kind))
