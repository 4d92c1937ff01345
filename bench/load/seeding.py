"""Fills a database with the data of many teams: a few of everything by the product's code, and copies in its tables.

Searching 5,000 plans and setting 500 PDFs would take half an hour, and their rows would differ in names and numbers
only. So a team of its own is given templates through the service, and rows of all teams are copies of these, of the
same size: under ids and times of their own, past no constraint and no trigger. Profiles are computed by the product.
"""

import hashlib
import json
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx2 as httpx
from psycopg import Connection, sql

from database import superuser
from people import new_member, session_of, token_of
from process import CSRF
from stowage.features.catalog import catalogs
from stowage.features.measurements import profiles
from stowage.features.reports import links
from stowage.features.reports.link_answers import NewLink
from stowage.features.tables import metadata
from stowage.features.teams.sign_in import sessions
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import DatabaseUrls

FIO = (Path(__file__).resolve().parents[2] / "tests" / "uploads" / "fio-3.33.json").read_text()
TARGET = {"instance": "i3.8xlarge", "region": "us-east-1", "storage": {"kind": "instance-store", "disks": 4}}
PATIENCE_S = 300.0

PLAN_TEMPLATES, REPORT_TEMPLATES, MEASUREMENT_TEMPLATES = 24, 4, 8
UPLOAD_OF = 10
"""Measurements of one uploaded file."""

SHARES: Mapping[str, float] = {"planner": 0.5, "manager": 0.25, "engineer": 0.15, "program": 0.1}
"""Of all users, unless all are members."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much there is in the database before the load begins."""

    teams: int = 200
    plans: int = 5_000
    measurements: int = 20_000
    reports: int = 500


@dataclass(frozen=True, slots=True)
class Team:
    """One team and what it has."""

    org_id: UUID
    plans: Sequence[str]
    reports: Sequence[str]


@dataclass(frozen=True, slots=True)
class Service:
    """A service that answers, and its database."""

    address: str
    urls: DatabaseUrls
    database: Database
    gate: Database


def seed(service: Service, sizes: Sizes, seed: int) -> list[Team]:
    """Fill the database; returns the teams."""
    dice = random.Random(seed)  # noqa: S311 - sizes and times, no secret
    with superuser(service.urls) as connection:
        template = _new_team(connection, "Templates")
        teams = [_new_team(connection, f"Load team {number:03}") for number in range(1, sizes.teams + 1)]
    _make_templates(service, template, sizes)
    with superuser(service.urls) as connection, connection.transaction():
        found = {name: _ids(connection, name, template) for name in ("plan", "report", "measurement")}
        plans = _copies(sizes.plans, teams, found["plan"], dice)
        reports = _copies(sizes.reports, teams, found["report"], dice)
        _copy(connection, "plan", plans)
        _copy_reports(connection, reports)
        _copy_measurements(connection, _copies(sizes.measurements, teams, found["measurement"], dice))
    catalog = catalogs.newest_catalog(service.database)
    for org_id in teams if sizes.measurements else ():
        with service.database.transaction(org_id) as theirs:
            profiles.renew(theirs, catalog, "filled for a load test")
    with superuser(service.urls) as connection:
        connection.execute("ANALYZE")
    return [
        Team(
            org_id,
            [str(row["id"]) for row in plans if row["org_id"] == org_id],
            [str(row["id"]) for row in reports if row["org_id"] == org_id],
        )
        for org_id in teams
    ]


def cast_of(
    service: Service, teams: Sequence[Team], users: int, *, seed: int, run: str, members: bool = False
) -> dict[str, Any]:
    """Build what the users need to know: who they are, how they are signed in, and what their team has.

    Two neighbours are of one team. All have the role `planner`, which may also upload and publish.

    Parameters
    ----------
    service : Service
    teams : sequence of Team
    users, seed : int
    run : str
        Name of this load, in the names of all that it stores.
    members : bool
        Whether all do the same mix of clicks, instead of the work of different roles.
    """
    port = service.address.rpartition(":")[2]
    people = []
    for number, role in enumerate(["member"] * users if members else _roles(users)):
        team = teams[(number // 2) % len(teams)]
        person_id = new_member(service.gate, team.org_id, "planner")
        if role == "program":
            headers = {
                "Authorization": f"Bearer {token_of(service.gate, team.org_id, ['read', 'plan'], person_id=person_id)}"
            }
        else:
            headers = session_headers(service.gate, person_id, port)
        shared = []
        if role == "manager":
            for report_id in team.reports[:3]:
                new = NewLink(kind="report", object_id=UUID(report_id))
                made = links.make(
                    service.database, team.org_id, new, by="load", page=service.address, now=datetime.now(UTC)
                )
                shared.append(made.address.rpartition("/")[2])
        people.append(
            {
                "number": number,
                "role": role,
                "org_id": str(team.org_id),
                "headers": headers,
                "plans": list(team.plans[:20]),
                "reports": list(team.reports[:20]),
                "links": shared,
            }
        )
    return {"seed": seed, "run": run, "people": people, "fio": FIO, "target": TARGET}


def prober_of(service: Service, team: Team, number: int) -> dict[str, Any]:
    """Build an owner who is no user of the load."""
    person_id = new_member(service.gate, team.org_id, "owner")
    headers = session_headers(service.gate, person_id, service.address.rpartition(":")[2])
    return {"number": number, "role": "prober", "org_id": str(team.org_id), "headers": headers}


def session_headers(gate: Database, person_id: UUID, port: str) -> dict[str, str]:
    """Sign a person in, and return the headers of that browser."""
    secret = session_of(gate, person_id)
    csrf = sessions.authenticate(gate, secret, datetime.now(UTC)).csrf
    return {"Cookie": f"stowage-{port}={secret}", CSRF: str(csrf)}


def _roles(users: int) -> list[str]:
    """Return the roles of so many users, by their shares, one of each where there are enough.

    >>> _roles(4)
    ['planner', 'manager', 'engineer', 'program']
    >>> [_roles(20).count(role) for role in SHARES]
    [10, 5, 3, 2]
    """
    counts = dict.fromkeys(SHARES, 0)
    found = []
    for _ in range(users):
        # Who is furthest from their share is next; one of each first.
        role = min(SHARES, key=lambda name: (counts[name] > 0, counts[name] / SHARES[name]))
        counts[role] += 1
        found.append(role)
    return found


def _new_team(connection: Connection[Any], name: str) -> UUID:
    org_id = uuid4()
    connection.execute("INSERT INTO org (org_id, name) VALUES (%s, %s)", [org_id, f"{name} {org_id.hex[:6]}"])
    return org_id


def _ids(connection: Connection[Any], name: str, org_id: UUID) -> list[UUID]:
    query = sql.SQL("SELECT id FROM {} WHERE org_id = %s ORDER BY name").format(sql.Identifier(name))
    return [row[0] for row in connection.execute(query, [org_id])]


def _make_templates(service: Service, org_id: UUID, sizes: Sizes) -> None:
    """Have the service make a few of everything, as its users would."""
    person_id = new_member(service.gate, org_id, "owner")
    headers = session_headers(service.gate, person_id, service.address.rpartition(":")[2])
    with httpx.Client(base_url=service.address, headers=headers, timeout=PATIENCE_S) as client:
        plans = [
            client.post("/api/v1/plans", json=question).raise_for_status().json()["id"]
            for question in _questions(min(PLAN_TEMPLATES, sizes.plans))
        ]
        for number, plan_id in enumerate(plans[: min(REPORT_TEMPLATES, sizes.reports)]):
            asked = {"title": f"Report {number}", "origin": {"kind": "plan", "plan_id": plan_id}}
            client.post("/api/v1/reports", json=asked).raise_for_status()
        if sizes.measurements:
            _measure(client)
    with superuser(service.urls) as connection:
        _await_jobs(connection, org_id)


def _questions(count: int) -> Iterator[dict[str, Any]]:
    kinds: tuple[tuple[str, dict[str, Any]], ...] = (
        ("sort", {"model": "none"}),
        ("sort", {"model": "infrastructure"}),
        ("sort", {"model": "application", "replicas": 2}),
        ("hdfs-write", {"model": "application", "replicas": 3}),
        ("random-io", {"model": "infrastructure"}),
        ("append-log", {"model": "infrastructure"}),
    )
    for number in range(count):
        job, durability = kinds[number % len(kinds)]
        yield {
            "workload": {
                "job": job,
                "data": f"{1 + 3 * number} TB",
                "durability": durability,
                "name": f"Plan {number}",
            },
            "limits": {"deadline": f"{4 + number} h", "max_nodes": 200},
        }


def _measure(client: httpx.Client) -> None:
    for number in range(MEASUREMENT_TEMPLATES):
        document = json.loads(FIO)
        document["jobs"][0]["jobname"] = f"run {number}"
        document["timestamp"] += 3600 * number
        document["timestamp_ms"] = document["timestamp"] * 1000
        content = json.dumps(document, indent=2).encode()
        begun = client.post("/api/v1/uploads", json={"name": "fio.json", "size_bytes": len(content)})
        path = f"/api/v1/uploads/{begun.raise_for_status().json()['id']}"
        bytes_only = {"Content-Type": "application/octet-stream"}
        client.put(f"{path}/pieces/0", content=content, headers=bytes_only).raise_for_status()
        client.post(f"{path}/read").raise_for_status()
        give_up_at = time.monotonic() + PATIENCE_S
        while (upload := client.get(path).raise_for_status().json())["state"] != "read":
            if time.monotonic() > give_up_at or upload["state"] == "refused":
                raise SystemExit(f"a template was not read: {upload}")
            time.sleep(0.2)
        readings = [{"position": each["position"], "target": TARGET} for each in upload["readings"]]
        client.post(f"{path}/keep", json={"readings": readings}).raise_for_status()


def _await_jobs(connection: Connection[Any], org_id: UUID) -> None:
    give_up_at = time.monotonic() + PATIENCE_S
    query = "SELECT count(*) FROM job WHERE org_id = %s AND state IN ('queued', 'running')"
    while connection.execute(query, [org_id]).fetchone() != (0,):
        if time.monotonic() > give_up_at:
            raise SystemExit("the templates are not ready")
        time.sleep(0.5)


def _copies(count: int, teams: Sequence[UUID], templates: Sequence[UUID], dice: random.Random) -> list[dict[str, Any]]:
    """Return what differs from row to row: spread over the teams and over the half year before."""
    now = datetime.now(UTC)
    return [
        {
            "template": templates[number % len(templates)],
            "id": uuid4(),
            "org_id": teams[number % len(teams)],
            "created_at": now - timedelta(days=dice.uniform(0.01, 180.0)),
        }
        for number in range(count)
    ]


def _copy_reports(connection: Connection[Any], rows: Sequence[dict[str, Any]]) -> None:
    jobs = dict(connection.execute("SELECT id, job_id FROM report").fetchall())
    made = [row | {"job_id": uuid4()} for row in rows]
    _copy(connection, "report", made)
    of_jobs = [
        {"template": jobs[row["template"]], "id": row["job_id"], "org_id": row["org_id"],
         "subject_id": row["id"], "created_at": row["created_at"]}
        for row in made
    ]  # fmt: skip
    _copy(connection, "job", of_jobs)
    files = [
        {"template": row["template"], "report_id": row["id"], "org_id": row["org_id"], "created_at": row["created_at"]}
        for row in made
    ]
    _copy(connection, "report_file", files, by="report_id")


def _copy_measurements(connection: Connection[Any], rows: Sequence[dict[str, Any]]) -> None:
    """Copy measurements, ten of a team to one uploaded file."""
    uploads_of = dict(connection.execute("SELECT id, upload_id FROM measurement").fetchall())
    uploads: list[dict[str, Any]] = []
    of_team: dict[UUID, list[dict[str, Any]]] = {}
    for row in rows:
        of_team.setdefault(row["org_id"], []).append(row)
    for org_id, theirs in of_team.items():
        for first in range(0, len(theirs), UPLOAD_OF):
            chunk = theirs[first : first + UPLOAD_OF]
            upload = {"template": uploads_of[chunk[0]["template"]], "id": uuid4(), "org_id": org_id,
                      "job_id": None, "created_at": chunk[0]["created_at"]}  # fmt: skip
            uploads.append(upload)
            for position, row in enumerate(chunk):
                row |= {"upload_id": upload["id"], "position": position, "measured_at": row["created_at"],
                        "fingerprint": hashlib.sha256(row["id"].bytes).digest()}  # fmt: skip
    _copy(connection, "upload", uploads)
    pieces = [{"template": row["template"], "upload_id": row["id"], "org_id": row["org_id"]} for row in uploads]
    _copy(connection, "upload_piece", pieces, by="upload_id")
    _copy(connection, "measurement", rows)


def _copy(connection: Connection[Any], name: str, rows: Sequence[Mapping[str, Any]], by: str = "id") -> None:
    """Insert copies of rows of a table within the server; what `rows` hold replaces what the template has.

    Parameters
    ----------
    connection : Connection
    name : str
        Of the table.
    rows : sequence of mapping
        Values by column, and the `template`.
    by : str
        Column by which a template is found.
    """
    if not rows:
        return
    given = [column for column in rows[0] if column != "template"]
    table = metadata.tables[name]
    kinds = [table.c[by].type, *(table.c[column].type for column in given)]
    values = sql.SQL(", ").join(sql.SQL("%s::{}[]").format(sql.SQL(_sql_type(kind))) for kind in kinds)
    columns = [column.name for column in table.columns if column.identity is None and column.computed is None]
    taken = sql.SQL(", ").join(sql.Identifier("n" if column in given else "t", column) for column in columns)
    names = sql.SQL(", ").join(map(sql.Identifier, ("template", *given)))
    query = sql.SQL("INSERT INTO {table} ({columns}) SELECT {taken} FROM unnest({values}) AS n({names}) "
                    "JOIN {table} AS t ON t.{by} = n.template").format(
        table=sql.Identifier(name),
        columns=sql.SQL(", ").join(map(sql.Identifier, columns)),
        taken=taken,
        values=values,
        names=names,
        by=sql.Identifier(by),
    )  # fmt: skip
    for first in range(0, len(rows), 1_000):
        chunk = rows[first : first + 1_000]
        connection.execute(query, [[row[column] for row in chunk] for column in ("template", *given)])


def _sql_type(kind: Any) -> str:  # noqa: ANN401 - SQLAlchemy's
    return {"Uuid": "uuid", "DateTime": "timestamptz", "LargeBinary": "bytea", "Integer": "integer", "Text": "text"}[
        type(kind).__name__
    ]
