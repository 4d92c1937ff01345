"""Tags of a run's resources: Stowage finds the resources by tag, and the role's policy limits access by tag."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from stowage.runs.cloud import Connection
from stowage.runs.run import Run

RUN, CONNECTION, DEADLINE, ATTEMPT, NAME = (
    "stowage-run",
    "stowage-connection",
    "stowage-deadline",
    "stowage-attempt",
    "Name",
)


def tags(connection: Connection, run: Run, deadline: datetime, attempt: int | None = None) -> list[dict[str, str]]:
    """Return the tags of a resource of a run, in the format of EC2 and EMR."""
    told = {
        RUN: str(run.id),
        CONNECTION: str(connection.id),
        DEADLINE: deadline.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        NAME: f"stowage {run.spec.benchmark} {str(run.id)[:8]}",
    }
    if attempt is not None:
        told[ATTEMPT] = str(attempt)
    return [{"Key": key, "Value": value} for key, value in told.items()]


def tagged(resource_types: Iterable[str], listed: Sequence[Mapping[str, str]]) -> list[Any]:
    """Return ``TagSpecifications`` with the same tags for several types of resource."""
    return [{"ResourceType": each, "Tags": list(listed)} for each in resource_types]


def of_run(run_id: UUID, connection_id: UUID) -> list[Any]:
    """Return the filters for a run's resources: both tags must match."""
    return [{"Name": f"tag:{RUN}", "Values": [str(run_id)]}, *of_connection(connection_id)]


def of_connection(connection_id: UUID) -> list[Any]:
    """Return the filter for resources of all runs of a connection."""
    return [{"Name": f"tag:{CONNECTION}", "Values": [str(connection_id)]}]


def read(listed: Sequence[Mapping[str, str]] | None) -> dict[str, str]:
    """Convert AWS' list of tags to a mapping from key to value."""
    return {each["Key"]: each["Value"] for each in listed or ()}


def run_of(told: Mapping[str, str]) -> UUID | None:
    """Return the run id in tags; None if the tags have no valid run id."""
    try:
        return UUID(told.get(RUN, ""))
    except ValueError:
        return None


def deadline_of(told: Mapping[str, str]) -> datetime | None:
    """Return the deadline in tags; None if the tags have no valid deadline."""
    try:
        read_at = datetime.fromisoformat(told.get(DEADLINE, ""))
    except ValueError:
        return None
    return read_at if read_at.tzinfo is not None else None


def attempt_of(told: Mapping[str, str]) -> int:
    """Return the launch attempt in tags; 0 if the tags have no valid attempt."""
    written = told.get(ATTEMPT, "")
    return int(written) if written.isascii() and written.isdigit() and len(written) < 6 else 0
