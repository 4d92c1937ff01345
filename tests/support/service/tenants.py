"""Two teams of one service for tests of isolation: one has one object of each kind, the other sends requests."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import get_args
from uuid import UUID, uuid4

from fastapi import FastAPI
from fastapi.testclient import TestClient

from browser import Browser
from database import new_org, superuser
from people import COOKIE, join, new_member, new_person, session_of, signed_in_as, token_of
from stowage.api.app import create_app
from stowage.measure.profiling.facts import Fact
from stowage.measure.profiling.profiles import Measured, profiles_of
from stowage.measure.reading import Host
from stowage.measure.target import DiskTarget, Target
from stowage.model.team import Role, Scope
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import DatabaseUrls
from stowage.platform.database.orgs import EXAMPLE_ORG_ID
from stowage.platform.jobs.queue import Queue
from stowage.platform.secrets import digest, new_secret
from stowage.web.services import Services
from walk import BASELINE, BODIES, OF_A_DISK, QUESTION, SPEC, Caller, Ids, Route, permissions_of, routes_of

MARK = "walked"
"""Text in the names of all objects of the team whose data must stay hidden."""

RUNS = (("small", 4, 900), ("middle", 8, 500), ("large", 16, 300), ("again", 4, 910))

UNSAID = {"not_built"}
"""Routes that only report that the page is not built."""


@dataclass(frozen=True, slots=True)
class World:
    """Two teams of one service: one has one object of each kind, the other sends requests."""

    app: FastAPI
    postgres: DatabaseUrls
    gate: Database
    org_id: UUID
    """The team that owns the objects."""
    ids: Ids
    """Ids of its objects."""
    owner: TestClient
    """Its owner's browser."""
    routes: Sequence[Route]
    members: Sequence[Caller]
    """Callers of the team."""
    strangers: Sequence[Caller]
    """Callers of another team."""
    unknown: Sequence[Caller]
    """Callers without a valid session or token."""

    @contextmanager
    def untouched(self) -> Iterator[None]:
        """Check that the block changes no row of the team and of its people."""
        before = self._rows()
        yield
        after = self._rows()
        assert {name for name in before | after if before.get(name) != after.get(name)} == set()

    def _rows(self) -> dict[str, list[str]]:
        found = {}
        with superuser(self.postgres) as connection:
            names = connection.execute(
                "SELECT DISTINCT table_name FROM information_schema.columns "
                "WHERE table_schema = 'public' AND column_name = 'org_id'"
            ).fetchall()
            wanted = {name: "org_id = %(org)s" for (name,) in names}
            theirs = "person_id IN (SELECT person_id FROM membership WHERE org_id = %(org)s)"
            wanted |= dict.fromkeys(
                (
                    *("person", "password", "identity", "session", "one_time_link"),
                    *("second_factor", "recovery_code", "passkey"),
                ),
                theirs,
            )
            for name, whose in wanted.items():
                # The time of the last activity may change.
                query = f"SELECT (to_jsonb(t) - 'seen_at' - 'last_used_at')::text AS row FROM {name} t WHERE {whose}"
                rows = connection.execute(f"{query} ORDER BY row", {"org": self.org_id}).fetchall()
                found[name] = [text for (text,) in rows]
        return found


@contextmanager
def two_teams(
    postgres: DatabaseUrls, owner: Database, database: Database, gate: Database, queue: Queue
) -> Iterator[World]:
    """Build the two teams, and all callers.

    Parameters
    ----------
    postgres : DatabaseUrls
    owner, gate : Database
    database : Database
        Database of the service.
    queue : Queue
    """
    org_id, other = new_org(owner), new_org(owner)
    app = create_app(Services(database, gate, queue, {"local": org_id, "example": EXAMPLE_ORG_ID}), page=None)
    with ExitStack() as stack:

        def browser(person_id: UUID | None = None) -> TestClient:
            client = stack.enter_context(Browser(app))
            return client if person_id is None else signed_in_as(client, gate, person_id)

        whole = new_person(gate, f"Owner {MARK}")
        join(gate, org_id, whole, "owner")
        owning = browser(whole)
        ids, link = _one_of_everything(owning, gate, postgres, org_id, whole)

        def callers(team: UUID, owner_id: UUID) -> Iterator[Caller]:
            for role in get_args(Role):
                person_id = owner_id if role == "owner" else new_member(gate, team, role)
                yield Caller(role, browser(person_id), permissions_of(role), is_person=True)
            for scope in get_args(Scope):
                token = {"Authorization": f"Bearer {token_of(gate, team, [scope], person_id=owner_id)}"}
                yield Caller(
                    f"token to {scope}", browser(), permissions_of("owner", scope), is_person=False, headers=token
                )

        removed = new_member(gate, org_id)
        taken_out = browser(removed)
        with superuser(postgres) as connection:
            connection.execute("DELETE FROM membership WHERE person_id = %s", [removed])
        strangers = [
            *callers(other, new_member(gate, other)),
            Caller("removed member", taken_out, permissions_of(None), is_person=True),
        ]
        ended = browser(whole)
        ended.cookies.set(COOKIE, session_of(gate, whole, datetime.now(UTC) - timedelta(days=15)))
        shown = [("no token", {}), ("a share link", f"Bearer {link}"), ("another scheme", "Basic YTpi")]
        unknown = [Caller("whose session ended", ended, permissions_of(None), is_person=True)]
        for name, header in shown:
            headers = {"Authorization": header} if isinstance(header, str) else {}
            unknown.append(Caller(name, browser(), permissions_of(None), is_person=False, headers=headers))
        routes = [route for route in routes_of(app) if route.name not in UNSAID]
        yield World(app, postgres, gate, org_id, ids, owning, routes, list(callers(org_id, whole)), strangers, unknown)


def _one_of_everything(
    client: TestClient, gate: Database, postgres: DatabaseUrls, org_id: UUID, person_id: UUID
) -> tuple[Ids, str]:
    """Create one object of each kind, by the API or as rows; return the secret of the link too."""
    named = {"workload": {"data": "1 TB", "name": f"Plan {MARK}"}}
    decided = {"decided": {"today": BASELINE}}
    plan = client.post("/api/v1/plans", json=QUESTION | named | decided).json()["id"]
    assert client.put(f"/api/v1/plans/{plan}/watch", json={"every": "day"}).status_code == 200
    sweep = client.post("/api/v1/sweeps", json=BODIES["start_sweep"] | {"name": f"Sweep {MARK}"}).json()
    job = sweep["job"]["id"]
    # A job that has ended: its event stream ends at once.
    assert client.post(f"/api/v1/jobs/{job}/cancel").json()["state"] == "cancelled"
    member, invitation, token, link, passkey, secret = (*(uuid4() for _ in range(5)), new_secret())
    later = datetime.now(UTC) + timedelta(days=1)
    with superuser(postgres) as connection:
        connection.execute("INSERT INTO person (person_id, name) VALUES (%s, %s)", [member, f"Member {MARK}"])
        connection.execute(
            "INSERT INTO membership (org_id, person_id, role) VALUES (%s, %s, 'viewer')", [org_id, member]
        )
        connection.execute(
            "INSERT INTO invitation (id, org_id, email, role, secret_hash, invited_by, expires_at) "
            "VALUES (%s, %s, %s, 'viewer', %s, 'Owner', %s)",
            [invitation, org_id, f"{MARK}-{org_id}@example.org", digest(new_secret()), later],
        )
        connection.execute(
            "INSERT INTO api_token (id, org_id, person_id, name, secret_hash, hint, scopes, expires_at) "
            "VALUES (%s, %s, %s, %s, %s, 'stw_abcd', '[\"read\"]', %s)",
            [token, org_id, person_id, f"Token {MARK}", digest(new_secret()), later],
        )
        connection.execute(
            "INSERT INTO share_link (id, org_id, secret_hash, kind, object_id, created_by, expires_at) "
            "VALUES (%s, %s, %s, 'plan', %s, 'Owner', %s)",
            [link, org_id, digest(secret), plan, later],
        )
        connection.execute(
            "INSERT INTO passkey (passkey_id, person_id, name, domain, credential_id, public_key, sign_count) "
            "VALUES (%s, %s, %s, 'localhost', %s, '', 0)",
            [passkey, person_id, f"Passkey {MARK}", passkey.bytes],
        )
        [(session,)] = connection.execute("SELECT id FROM session WHERE person_id = %s", [person_id]).fetchall()
    session_of(gate, member)
    upload, measurement = _measured(postgres, org_id)
    ids = Ids(
        org_id,
        UUID(plan),
        UUID(sweep["id"]),
        UUID(job),
        member,
        invitation,
        token,
        link,
        session,
        upload,
        measurement,
        *_learned(client, postgres, org_id),
        *_run(client),
        *_report(client, UUID(plan), postgres, org_id, person_id),
        passkey,
        _view(client),
    )
    return ids, secret


def _learned(client: TestClient, postgres: DatabaseUrls, org_id: UUID) -> tuple[UUID, UUID, UUID, UUID, UUID]:
    """Create a profile, a finished job, a calibration, an alert, and an address for alerts."""
    jobs = "".join(
        f"{name} {MARK},sort,{MARK},i3.8xlarge,{nodes},1 TB,instance-store,{time}\n" for name, nodes, time in RUNS
    )
    csv = f"name,job,framework,instance,nodes,data,input_output,measured_s\n{jobs}"
    kept = client.post("/api/v1/finished-jobs", content=csv, headers={"Content-Type": "text/csv"}).json()["kept"]
    calibration = client.post("/api/v1/calibrations", json={"framework": MARK}).json()["id"]
    webhook = {"kind": "webhook", "address": f"https://hooks.example.org/{MARK}"}
    address = client.post("/api/v1/alert-addresses", json=webhook).json()["id"]
    key, alert = uuid4(), uuid4()
    target = Target("i3.large", "us-east-1", None, DiskTarget(1))
    fact = Fact("storage_read_mb_per_s", 500.0, "MB/s")
    [profile] = profiles_of(
        [Measured(str(uuid4()), fact, target, datetime.now(UTC), dated=True, tool="fio", verdict="good")]
    )
    content = {"profiles": [{**profile.to_dict(), "key": str(key)}]}
    with superuser(postgres) as connection:
        connection.execute(
            "INSERT INTO profile_set (org_id, digest, cause, measurements, content) VALUES (%s, %s, %s, 1, %s)",
            [org_id, "0" * 64, f"Cause {MARK}", json.dumps(content)],
        )
        connection.execute(
            "INSERT INTO alert (id, org_id, profile_key, metric, words, content, at) "
            "VALUES (%s, %s, %s, 'storage_read_mb_per_s', %s, '{}', now())",
            [alert, org_id, str(key), f"Words {MARK}"],
        )
    return key, UUID(kept[0]["id"]), UUID(calibration), alert, UUID(address)


def _run(client: TestClient) -> tuple[UUID, UUID, UUID]:
    """Create a connected account, as far as possible without AWS, a run in it, and a watched volume."""
    account = client.post("/api/v1/aws-accounts", json={"name": f"Account {MARK}"}).json()["id"]
    new = {"name": f"Run {MARK}", "account_id": account, "spec": SPEC}
    run = client.post("/api/v1/runs", json=new).json()["id"]
    # One that has ended, as above.
    assert client.post(f"/api/v1/runs/{run}/cancel").json()["state"] == "cancelled"
    volume = {"account_id": account, "region": "us-east-1", "volume_id": "vol-0fedcba9876543210"}
    watch = client.post("/api/v1/watches", json=volume).json()["id"]
    return UUID(account), UUID(run), UUID(watch)


def _view(client: TestClient) -> UUID:
    """Save a view of the instance types."""
    new = {"name": f"View {MARK}", "shown": {"series": "storage"}}
    return UUID(client.post("/api/v1/instance-views", json=new).json()["id"])


def _report(
    client: TestClient, plan_id: UUID, postgres: DatabaseUrls, org_id: UUID, person_id: UUID
) -> tuple[UUID, UUID, UUID]:
    """Publish a report that contains its own id, comment on it, and schedule its sending."""
    report_id = uuid4()
    new = {"title": f"Report {MARK}", "words": str(report_id), "origin": {"kind": "plan", "plan_id": str(plan_id)}}
    made = client.post("/api/v1/reports", json=new, headers={"Idempotency-Key": str(report_id)}).json()
    # No worker creates its files; a job that has ended is followed as above.
    client.post(f"/api/v1/jobs/{made['documents']['job_id']}/cancel")
    said = client.post(f"/api/v1/reports/{report_id}/comments", json={"text": f"{MARK} {report_id}"}).json()
    schedule = uuid4()
    with superuser(postgres) as connection:
        connection.execute(
            "INSERT INTO report_schedule (id, org_id, report_id, name, every, content, recipients, created_by, "
            "created_at, next_at) "
            "VALUES (%s, %s, %s, %s, 'week', 'link', %s, 'Owner', now(), now() + interval '1 day')",
            [schedule, org_id, report_id, f"Report {MARK}", json.dumps([str(person_id)])],
        )
    return report_id, UUID(said["id"]), schedule


def _measured(postgres: DatabaseUrls, org_id: UUID) -> tuple[UUID, UUID]:
    """Save a file that contains its own id, and a measurement from it."""
    upload, measurement = uuid4(), uuid4()
    content = str(upload).encode()
    with superuser(postgres) as connection:
        connection.execute(
            "INSERT INTO upload (id, org_id, name, size_bytes, received_bytes, sha256, state, person) "
            "VALUES (%s, %s, %s, %s, %s, %s, 'kept', 'Owner')",
            [upload, org_id, f"fio {MARK}.json", len(content), len(content), hashlib.sha256(content).digest()],
        )
        connection.execute(
            "INSERT INTO upload_piece (upload_id, number, org_id, content) VALUES (%s, 0, %s, %s)",
            [upload, org_id, content],
        )
        connection.execute(
            "INSERT INTO measurement (id, org_id, upload_id, member, position, fingerprint, tool, status, name, line, "
            "settings, host, metrics, series, notes, target, instance, region, verdict, reasons, person) "
            "VALUES (%s, %s, %s, '', 0, %s, 'fio', 'ok', %s, 1, '{}', %s, '[]', '[]', '[]', %s, 'i3.large', "
            "'us-east-1', 'good', '[]', 'Owner')",
            [
                measurement,
                org_id,
                upload,
                measurement.bytes,
                f"Job {MARK}",
                json.dumps(asdict(Host())),
                json.dumps(OF_A_DISK),
            ],
        )
    return upload, measurement
