"""Tags that identify a run's resources; the role's policy permits changes to tagged resources only."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from stowage.features.benchmarks.cloud import Connection
from stowage.runs.run import Run

RUN, CONNECTION, DEADLINE, ATTEMPT, NAME = (
    "stowage-run",
    "stowage-connection",
    "stowage-deadline",
    "stowage-attempt",
    "Name",
)


def tags(connection: Connection, run: Run, deadline: datetime, attempt: int | None = None) -> list[dict[str, str]]:
    """Return the tags of something that a run makes, as EC2 and EMR take them."""
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
    """Return the filters for what carries the tags of a run; what carries one of them alone is not ours to end."""
    return [{"Name": f"tag:{RUN}", "Values": [str(run_id)]}, *of_connection(connection_id)]


def of_connection(connection_id: UUID) -> list[Any]:
    """Return the filter for what carries the tag of any run of a connection."""
    return [{"Name": f"tag:{CONNECTION}", "Values": [str(connection_id)]}]


def read(listed: Sequence[Mapping[str, str]] | None) -> dict[str, str]:
    """Read tags as AWS answers them."""
    return {each["Key"]: each["Value"] for each in listed or ()}


def run_of(told: Mapping[str, str]) -> UUID | None:
    """Return the run that tags name; None where they name none."""
    try:
        return UUID(told.get(RUN, ""))
    except ValueError:
        return None


def deadline_of(told: Mapping[str, str]) -> datetime | None:
    """Return the deadline that tags tell; None where it cannot be read."""
    try:
        read_at = datetime.fromisoformat(told.get(DEADLINE, ""))
    except ValueError:
        return None
    return read_at if read_at.tzinfo is not None else None


def attempt_of(told: Mapping[str, str]) -> int:
    """Return the attempt of launching that tags tell; 0 where they tell none."""
    written = told.get(ATTEMPT, "")
    return int(written) if written.isascii() and written.isdigit() and len(written) < 6 else 0
