"""After a load: every acknowledged write is read again, and nothing may be there twice or be left undone."""

import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2 as httpx

from bench.load import writes
from bench.load.seeding import Service
from bench.load.service import rows
from database import superuser

MARKS = ("load plan ", "load sweep ", "load report ", "load run ")
JOBS_WITHIN_S = 180.0
"""How long acknowledged work may take to be done after the load [s]."""


@dataclass(frozen=True, slots=True)
class Checked:
    """Result of a check."""

    sent: int
    """Number of writes sent."""
    acknowledged: int
    """Number of acknowledged writes."""
    lost: list[str]
    """A line for each write that was acknowledged and is missing."""
    repeated: list[str]
    """A line for each write that is there twice."""
    undone: list[str]
    """A line for each job that was started and never done."""

    @property
    def is_sound(self) -> bool:
        """Return whether nothing is wrong."""
        return not (self.lost or self.repeated or self.undone)


def check(service: Service, cast: Mapping[str, Any], folder: Path) -> Checked:
    """Compare the journal of the users with what the service says, read by the users themselves."""
    journal = writes.read_journal(row for path in sorted(folder.glob("writes*.jsonl")) for row in rows(path))
    people = {each["number"]: each for each in cast["people"]}
    orgs = sorted({each["org_id"] for each in cast["people"]})
    undone = _undone(service, orgs)
    with httpx.Client(base_url=service.address, timeout=70.0) as client:

        def read(user: int, path: str) -> Any:  # noqa: ANN401 - JSON
            for _ in range(20):
                answer = client.get(path, headers=people[user]["headers"])
                if answer.status_code == 404:
                    return None
                if answer.status_code == 200:
                    return answer.json()
                time.sleep(float(answer.headers.get("Retry-After", "1")))
            raise SystemExit(f"{path} cannot be read again: {answer.status_code} {answer.text}")

        read_ahead = {(each.user, each.path) for each in journal.writes.values() if each.acknowledged and each.path}
        with ThreadPoolExecutor(3) as pool:
            found = dict(zip(read_ahead, pool.map(lambda key: read(*key), read_ahead), strict=True))
        lost = writes.lost(journal, lambda user, path: found[user, path] if (user, path) in found else read(user, path))
    with superuser(service.urls) as connection:
        names = connection.execute(
            "SELECT name FROM (SELECT org_id, name FROM plan UNION ALL SELECT org_id, name FROM sweep UNION ALL "
            "SELECT org_id, name FROM report UNION ALL SELECT org_id, name FROM measurement) AS every "
            "WHERE name LIKE 'load %%' AND org_id = ANY(%s::uuid[])",
            [orgs],
        ).fetchall()
        cells = connection.execute(
            "SELECT s.name || ': ' || count(c.*) || ' cells, its job counted ' || j.done FROM sweep s "
            "JOIN job j ON j.id = s.job_id LEFT JOIN sweep_cell c ON c.sweep_id = s.id "
            "WHERE s.name LIKE 'load %%' AND s.org_id = ANY(%s::uuid[]) GROUP BY s.id, j.id "
            "HAVING count(c.*) <> j.done",
            [orgs],
        ).fetchall()
    repeated = writes.repeated([name for (name,) in names], MARKS)
    repeated += [line for (line,) in cells]
    return Checked(len(journal.writes), journal.acknowledged(), lost, repeated, undone)


_PARTS = """
    SELECT 'part ' || part.number || ' of ' || job.kind || ' ' || job.id || ' is ' || part.state || ', attempt '
        || part.attempt || ', heartbeat ' || coalesce(now() - part.heartbeat_at, '0') || ' ago, message '
        || coalesce(now() - part.sent_at, '0') || ' ago'
    FROM job_part AS part JOIN job ON job.id = part.job_id
    WHERE job.org_id = ANY(%s::uuid[]) AND job.state IN ('queued', 'running') AND part.state <> 'done'
    ORDER BY part.sent_at
"""
"""Return why jobs that are not done are not claimed."""


def _undone(service: Service, orgs: list[str]) -> list[str]:
    """Wait until no job of these teams is under way; return those that are, and those that failed."""
    give_up_at = time.monotonic() + JOBS_WITHIN_S
    query = (
        "SELECT kind || ' ' || id || ' is ' || state || coalesce(': ' || reason, '') FROM job "
        "WHERE org_id = ANY(%s::uuid[]) AND state <> ALL(%s) ORDER BY created_at"
    )
    with superuser(service.urls) as connection:
        while (
            under_way := connection.execute(query, [orgs, ["done", "failed", "cancelled"]]).fetchall()
        ) and time.monotonic() < give_up_at:
            time.sleep(1.0)
        failed = connection.execute(query, [orgs, ["done", "cancelled", "queued", "running"]]).fetchall()
        parts = connection.execute(_PARTS, [orgs]).fetchall() if under_way else []
    return [line for (line,) in [*under_way, *failed, *parts]]
