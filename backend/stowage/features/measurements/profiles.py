"""Recomputation of a team's profiles after a new measurement or verdict, with alerts about changed rates."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time
from typing import Any
from uuid import UUID, uuid4

from stowage.features.alerts import alerts
from stowage.features.alerts.store import NewAlert
from stowage.features.measurements import stored_readings
from stowage.features.measurements.store import profiles as store
from stowage.features.measurements.store.measurements import StoredMeasured
from stowage.features.measurements.tables import NOTHING
from stowage.measure.profiling.changes import Change, changes_in
from stowage.measure.profiling.profiles import Measured, TargetProfile, measured_of, profiles_of
from stowage.measure.target import Target
from stowage.model.hardware.catalog import Catalog
from stowage.platform.database.database import Connection
from stowage.platform.database.rows import values_of
from stowage.workloads import wording


def renew(connection: Connection, catalog: Catalog, cause: str) -> tuple[str, ...]:
    """Recompute the profiles of the transaction's team from all its measurements.

    The caller adds a measurement or a verdict in the same transaction. Therefore, either both the addition and the
    profiles are stored, or neither is. Nothing is stored if no profile changes. The team is alerted to rates that
    became faster or slower.

    Parameters
    ----------
    catalog : Catalog
        Catalog with the number of disks and the link rates of instance types.
    cause : str
        Reason of the recomputation, in words.

    Returns
    -------
    tuple of str
        Keys of the profiles that were added, changed or removed.
    """
    store.lock(connection)
    before = store.newest(connection)
    old: Mapping[str, Any] = {} if before is None else {each["key"]: each for each in before.content["profiles"]}
    measured = list(_measured(connection, catalog))
    made = profiles_of(measured)
    new = {profile.key: profile.to_dict() for profile in made}
    changed = [key for key in {**old, **new} if old.get(key) != new.get(key)]
    if not changed:
        return ()
    count = len({each.id for each in measured})
    content = {"profiles": list(new.values())}
    store.add(connection, digest=_digest(made), cause=cause, measurements=count, content=content)
    began = store.began(connection)
    for profile in made:
        if profile.key in changed:
            _tell(connection, profile, began)
    return tuple(sorted(changed))


def read_profiles(content: Mapping[str, Any]) -> tuple[TargetProfile, ...]:
    """Parse a stored set of profiles."""
    return tuple(TargetProfile.from_dict(each) for each in content["profiles"])


def known_before(connection: Connection) -> tuple[TargetProfile, ...]:
    """Load the team's current profiles, with which new measurements are compared."""
    newest = store.newest(connection)
    return () if newest is None else read_profiles(newest.content)


def keys_of(connection: Connection, measurement_id: UUID) -> tuple[str, ...]:
    """Return the keys of the current profiles that include a measurement."""
    newest = store.newest(connection)
    if newest is None:
        return ()
    wanted = str(measurement_id)
    return tuple(
        each["key"]
        for each in newest.content["profiles"]
        if any(part["id"] == wanted and part["weight"] > 0.0 for part in each["parts"])
    )


def words_of(change: Change, profile: TargetProfile) -> str:
    """Describe a change of a rate in words.

    An example is ``c5.xlarge, us-east-1: ... 18% lower since 3 Nov 2026 09:05 (950 to 780 MB/s)``.
    """
    percent = wording.three_digits(abs(change.factor - 1.0) * 100.0)
    how = "higher" if change.factor > 1.0 else "lower"
    better = {"regression": ", which is worse", "improvement": ", which is better"}.get(change.direction, "")
    before, after = wording.three_digits(change.before), wording.three_digits(change.after)
    what = f"{profile.what[:1].lower()}{profile.what[1:]}"
    return (
        f"{profile.target.words()}: {what} {percent}% {how} since {wording.moment(change.at)} "
        f"({before} to {after} {profile.unit}){better}"
    )


def _measured(connection: Connection, catalog: Catalog) -> Iterator[Measured]:
    for row in store.measured(connection):
        reading = stored_readings.read({**values_of(row), "series": (), "started_at": None})
        dated = row.measured_at is not None
        at = row.measured_at or _as_of(row) or row.created_at
        target = Target.from_dict(row.target)
        yield from measured_of(str(row.id), reading, target, row.verdict, at, catalog, dated=dated)


def _as_of(row: StoredMeasured) -> datetime | None:
    """Return the publication date of a measurement, which replaces an unknown time of measurement.

    The date is in the setting ``as_of`` of published figures. A date after the time of storing is replaced by the time
    of storing. The result is None if the setting is missing or is not a date.
    """
    try:
        day = date.fromisoformat(row.settings.get("as_of", ""))
    except ValueError:
        return None
    return min(datetime.combine(day, time(), UTC), row.created_at)


def _digest(made: tuple[TargetProfile, ...]) -> str:
    """Return a SHA-256 digest of those profiles that predictions use."""
    taken = [profile.to_dict() for profile in made if profile.feeds is not None]
    if not taken:
        return NOTHING
    return hashlib.sha256(json.dumps(taken, sort_keys=True, allow_nan=False).encode()).hexdigest()


def _tell(connection: Connection, profile: TargetProfile, now: datetime) -> None:
    for change in changes_in(profile):
        if change.direction == "neither":
            continue
        content = {name: getattr(change, name) for name in ("before", "after", "factor", "low", "high", "direction")}
        content |= {"unit": profile.unit, "target": profile.target.words()}
        words = words_of(change, profile)
        alerts.tell(connection, NewAlert(uuid4(), profile.key, profile.metric, words, content, change.at, None), now)
