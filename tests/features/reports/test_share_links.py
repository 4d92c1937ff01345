"""Share links: read-only access to one object for a limited time, and to nothing else."""

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient

from database import superuser
from people import signed_in
from stowage.features.reports import links
from stowage.features.reports.link_answers import NewLink
from stowage.platform.access import DENIED
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import DatabaseUrls
from stowage.platform.errors import NotFound
from stowage.platform.secrets import digest, new_secret
from stowage.web.services import Services

LINKS = "/api/v1/links"
PLANS = "/api/v1/plans"
SWEEPS = "/api/v1/sweeps"
QUESTION = {
    "workload": {"data": "1 TB", "name": "nightly sort"},
    "limits": {"max_nodes": 5},
    "choose": {"families": ["i4i"]},
}
SWEEP = {
    "base": QUESTION,
    "columns": {"quantity": "data", "values": ["1 TB", "2 TB"]},
    "rows": {"quantity": "deadline", "values": ["1 h", "2 h"]},
}


def a_plan(client: TestClient) -> str:
    return str(client.post(PLANS, json=QUESTION).json()["id"])


def shared(client: TestClient, kind: str, object_id: str, days: int = 30) -> str:
    """Share an object, and return the secret of the link."""
    answer = client.post(LINKS, json={"kind": kind, "object_id": object_id, "days": days})
    assert answer.status_code == 201
    address, _, secret = answer.json()["address"].rpartition("/")
    assert address == "http://localhost/s"
    return str(secret)


def look(client: TestClient, secret: str) -> tuple[int, str]:
    answer = client.get(f"/api/v1/shared/{secret}")
    return answer.status_code, answer.json().get("detail", "")


NOTHING = (404, DENIED)


def test_the_link_shows_the_plan_as_it_is(client: TestClient, anonymous: TestClient) -> None:
    plan_id = a_plan(client)
    said = anonymous.get(f"/api/v1/shared/{shared(client, 'plan', plan_id)}").json()
    assert said["plan"] == client.get(f"{PLANS}/{plan_id}").json()
    assert (said["kind"], said["sweep"]) == ("plan", None)


def test_of_a_sweep_it_tells_everything_but_who_asked_for_it(client: TestClient, anonymous: TestClient) -> None:
    sweep = client.post(SWEEPS, json=SWEEP).json()
    said = anonymous.get(f"/api/v1/shared/{shared(client, 'sweep', sweep['id'])}").json()["sweep"]
    assert sweep["job"]["asked_by"].startswith("Owner")
    assert said == sweep | {"job": said["job"]}
    assert said["job"] == sweep["job"] | {"asked_by": ""}


def test_views_are_counted(client: TestClient, anonymous: TestClient) -> None:
    plan_id = a_plan(client)
    secret = shared(client, "plan", plan_id)
    asked = {"kind": "plan", "object_id": plan_id}
    [link] = client.get(LINKS, params=asked).json()["links"]
    assert (link["views"], link["last_viewed_at"], link["revoked_at"]) == (0, None, None)
    for _ in range(3):
        assert look(anonymous, secret)[0] == 200
    [link] = client.get(LINKS, params=asked).json()["links"]
    assert link["views"] == 3
    assert link["last_viewed_at"] is not None


def test_the_link_is_kept_as_its_digest(client: TestClient, postgres: DatabaseUrls) -> None:
    secret = shared(client, "plan", a_plan(client))
    with superuser(postgres) as connection:
        [row] = connection.execute("SELECT * FROM share_link WHERE secret_hash = %s", [digest(secret)]).fetchall()
    assert secret not in str(row)
    # 256 bits, as base64url.
    assert len(secret) == 43


def test_a_link_that_was_revoked_is_as_one_that_never_was(client: TestClient, anonymous: TestClient) -> None:
    plan_id = a_plan(client)
    revoked, other = shared(client, "plan", plan_id), shared(client, "plan", plan_id)
    newest, oldest = client.get(LINKS, params={"kind": "plan", "object_id": plan_id}).json()["links"]
    assert client.delete(f"{LINKS}/{oldest['id']}").status_code == 204
    assert look(anonymous, revoked) == look(anonymous, new_secret()) == NOTHING
    assert look(anonymous, other)[0] == 200
    assert newest["id"] != oldest["id"]


def test_a_link_expires(client: TestClient, services: Services) -> None:
    secret, now = shared(client, "plan", a_plan(client), days=1), datetime.now(UTC)
    gate, database = services.gate, services.database
    assert links.open_link(gate, database, secret, now + timedelta(hours=23)).plan is not None
    with pytest.raises(NotFound, match=DENIED):
        links.open_link(gate, database, secret, now + timedelta(days=1))


def test_what_was_removed_is_not_shown_until_it_is_back(client: TestClient, anonymous: TestClient) -> None:
    plan_id = a_plan(client)
    secret = shared(client, "plan", plan_id)
    client.delete(f"{PLANS}/{plan_id}")
    assert look(anonymous, secret) == NOTHING
    client.post(f"{PLANS}/{plan_id}/restore")
    assert look(anonymous, secret)[0] == 200


def test_from_a_link_there_is_no_way_to_anything_else(client: TestClient, anonymous: TestClient) -> None:
    plan_id, another = a_plan(client), a_plan(client)
    secret = shared(client, "plan", plan_id)
    for address in (f"{PLANS}/{plan_id}", f"{PLANS}/{another}", PLANS, LINKS, "/api/v1/audit", "/api/v1/me"):
        for headers in ({"Authorization": f"Bearer {secret}"}, {"Cookie": f"stowage-80={secret}"}):
            assert anonymous.get(address, headers=headers).status_code == 401
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        assert anonymous.request(method, f"/api/v1/shared/{secret}").status_code == 405
    assert anonymous.get(f"/api/v1/shared/{secret}/{another}").status_code == 404


@pytest.mark.parametrize("secret", ["x", "x" * 101, "..%2f..%2fplans", "'%20OR%201=1--aaaaaaaaaaaaaaa"])
def test_what_cannot_be_a_secret_finds_nothing(anonymous: TestClient, secret: str) -> None:
    assert anonymous.get(f"/api/v1/shared/{secret}").status_code in {404, 422}


def test_only_what_is_the_teams_own_is_shared(client: TestClient, other_client: TestClient) -> None:
    theirs = a_plan(other_client)
    link_id = other_client.post(LINKS, json={"kind": "plan", "object_id": theirs}).json()["id"]
    own = a_plan(client)
    for answer in (
        client.post(LINKS, json={"kind": "plan", "object_id": theirs}),
        client.post(LINKS, json={"kind": "plan", "object_id": str(uuid4())}),
        client.post(LINKS, json={"kind": "sweep", "object_id": own}),
        client.get(LINKS, params={"kind": "plan", "object_id": theirs}),
        client.delete(f"{LINKS}/{link_id}"),
    ):
        assert (answer.status_code, answer.json()["detail"]) == NOTHING
    assert (
        other_client.get(LINKS, params={"kind": "plan", "object_id": theirs}).json()["links"][0]["revoked_at"] is None
    )


def test_viewers_and_the_example_teams_visitors_share_nothing(
    client: TestClient, anonymous: TestClient, gate: Database, org_id: UUID
) -> None:
    body = {"kind": "plan", "object_id": a_plan(client)}
    assert client.post(LINKS, json=body, params={"team": "example"}).status_code == 404
    assert signed_in(anonymous, gate, org_id, "viewer").post(LINKS, json=body).status_code == 404


def test_the_address_is_that_which_the_operator_says(services: Services, client: TestClient, org_id: UUID) -> None:
    made = links.make(
        services.database,
        org_id,
        NewLink(kind="plan", object_id=UUID(a_plan(client))),
        by="Ada",
        page="https://stowage.example.org",
        now=datetime.now(UTC),
    )
    assert made.address.startswith("https://stowage.example.org/s/")
