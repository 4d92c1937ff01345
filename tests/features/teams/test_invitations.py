"""Invitations: joining a team as a new or known person, without revealing who has an account."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient

from mail_server import Mailbox
from people import COOKIE, join, new_member, new_person, signed_in_as
from stowage.api.app import create_app
from stowage.features.teams import invitations
from stowage.features.teams.schemas import Invite
from stowage.features.teams.sign_in import passwords
from stowage.features.teams.sign_in.store import people, team
from stowage.platform.access import DENIED, Actor
from stowage.platform.database.database import Database
from stowage.platform.errors import NotFound
from stowage.platform.secrets import new_secret
from stowage.web.admission import CSRF
from stowage.web.services import Services

INVITATIONS = "/api/v1/team/invitations"
LOOK = "/api/v1/invitations/look"
ACCEPT = "/api/v1/invitations/accept"
PASSWORD = "marmot ladder quiet 71"  # noqa: S105 - of a test


def an_address() -> str:
    return f"{uuid4().hex}@example.org"


def invited(client: TestClient, email: str, role: str = "planner") -> str:
    """Invite a person, and return the secret of the link."""
    answer = client.post(INVITATIONS, json={"email": email, "role": role})
    assert answer.status_code == 201
    address, _, secret = answer.json()["link"].partition("#")
    assert address == "http://localhost/join"
    return str(secret)


def known(gate: Database, org_id: UUID, password: str | None = PASSWORD, *, verified: bool = True) -> tuple[UUID, str]:
    """Create a person with an e-mail in a team, and return both."""
    email = an_address()
    person_id = new_person(gate, "Grace", email, verified=verified)
    join(gate, org_id, person_id, "viewer")
    if password is not None:
        hashed = passwords.hash_password(password)
        with gate.transaction(None) as connection:
            people.set_password(connection, person_id, hashed, datetime.now(UTC))
    return person_id, email


def test_an_invitation_is_listed_until_it_is_taken_up_and_its_link_is_shown_once(
    client: TestClient, anonymous: TestClient
) -> None:
    email = an_address()
    answer = client.post(INVITATIONS, json={"email": email.upper(), "role": "viewer"}).json()
    row = {key: value for key, value in answer.items() if key not in {"sent", "link"}}
    assert (row["email"], row["role"], answer["sent"]) == (email, "viewer", False)
    assert client.get(INVITATIONS).json() == {"invitations": [row]}
    secret = answer["link"].partition("#")[2]
    joined = anonymous.post(ACCEPT, json={"secret": secret, "name": "Ada", "password": PASSWORD})
    assert joined.status_code == 200
    assert client.get(INVITATIONS).json() == {"invitations": []}


def test_a_new_person_joins_by_name_and_password_and_is_signed_in(
    client: TestClient, anonymous: TestClient, org_id: UUID
) -> None:
    email = an_address()
    secret = invited(client, email)
    assert anonymous.post(LOOK, json={"secret": secret}).json() == {
        "team": f"Team {org_id}",
        "email": email,
        "role": "planner",
    }
    said = anonymous.post(ACCEPT, json={"secret": secret, "name": "Ada", "password": PASSWORD}).json()
    assert (said["person"]["name"], said["person"]["email"], said["team"]["role"]) == ("Ada", email, "planner")
    assert COOKIE in anonymous.cookies
    assert anonymous.get("/api/v1/team").json()["org_id"] == str(org_id)
    # And signs in with it from now on.
    anonymous.cookies.clear()
    signed_in = anonymous.post("/api/v1/session", json={"email": email, "password": PASSWORD})
    assert signed_in.json()["team"]["org_id"] == str(org_id)


def test_an_invitation_is_good_once(client: TestClient, anonymous: TestClient) -> None:
    secret = invited(client, an_address())
    body = {"secret": secret, "name": "Ada", "password": PASSWORD}
    assert anonymous.post(ACCEPT, json=body).status_code == 200
    anonymous.cookies.clear()
    for answer in (anonymous.post(ACCEPT, json=body), anonymous.post(LOOK, json={"secret": secret})):
        assert (answer.status_code, answer.json()["detail"]) == (404, DENIED)


def test_an_invitation_that_was_withdrawn_replaced_or_made_up_is_none(
    client: TestClient, anonymous: TestClient
) -> None:
    email = an_address()
    replaced, withdrawn = invited(client, email), invited(client, email)
    [row] = client.get(INVITATIONS).json()["invitations"]
    assert client.delete(f"{INVITATIONS}/{row['id']}").status_code == 204
    assert client.delete(f"{INVITATIONS}/{row['id']}").status_code == 404
    for secret in (replaced, withdrawn, new_secret()):
        assert anonymous.post(LOOK, json={"secret": secret}).status_code == 404
        answer = anonymous.post(ACCEPT, json={"secret": secret, "name": "Ada", "password": PASSWORD})
        assert (answer.status_code, answer.json()["detail"]) == (404, DENIED)


def test_an_invitation_expires(client: TestClient, gate: Database) -> None:
    secret, now = invited(client, an_address()), datetime.now(UTC)
    assert invitations.find(gate, secret, now + invitations.LASTS - timedelta(minutes=1)).role == "planner"
    with pytest.raises(NotFound):
        invitations.find(gate, secret, now + invitations.LASTS)


def test_the_account_of_the_address_joins_by_its_password_and_looks_at_the_new_team(
    client: TestClient, anonymous: TestClient, gate: Database, org_id: UUID, other_org_id: UUID
) -> None:
    person_id, email = known(gate, other_org_id)
    secret = invited(client, email)
    wrong = anonymous.post(ACCEPT, json={"secret": secret, "name": "Mallory", "password": "another one entirely"})
    assert (wrong.status_code, wrong.json()["errors"][0]["path"]) == (422, "password")
    said = anonymous.post(ACCEPT, json={"secret": secret, "name": "Mallory", "password": PASSWORD}).json()
    assert (said["person"]["person_id"], said["person"]["name"]) == (str(person_id), "Grace")
    assert said["team"]["org_id"] == str(org_id)
    assert len(said["teams"]) == 2


def test_an_account_joins_by_its_address_only_if_the_address_is_verified(
    client: TestClient, anonymous: TestClient, gate: Database, other_org_id: UUID
) -> None:
    person_id, email = known(gate, other_org_id, verified=False)
    secret = invited(client, email)
    by_password = anonymous.post(ACCEPT, json={"secret": secret, "password": PASSWORD})
    signed_in = signed_in_as(anonymous, gate, person_id).post(ACCEPT, json={"secret": secret})
    for answer in (by_password, signed_in):
        assert (answer.status_code, "verify it" in answer.json()["detail"]) == (409, True)
    with gate.transaction(None) as connection:
        people.verify_email(connection, person_id, email)
    assert anonymous.post(ACCEPT, json={"secret": secret}).status_code == 200


def test_guesses_at_the_password_of_an_invited_account_are_held_back(
    client: TestClient, anonymous: TestClient, gate: Database, other_org_id: UUID
) -> None:
    _, email = known(gate, other_org_id)
    secret = invited(client, email)
    guesses = [anonymous.post(ACCEPT, json={"secret": secret, "password": f"guess {n}"}).status_code for n in range(8)]
    assert guesses[:4] == [422] * 4
    assert guesses[-1] == 429


def test_attempts_are_held_back_alike_where_there_is_no_account(client: TestClient, anonymous: TestClient) -> None:
    secret = invited(client, an_address())
    body = {"secret": secret, "name": "Ada"}
    guesses = [anonymous.post(ACCEPT, json=body | {"password": f"guess {n}"}).status_code for n in range(8)]
    assert guesses[:4] == [422] * 4
    assert guesses[-1] == 429


def test_an_account_without_a_password_joins_signed_in_only(
    client: TestClient, anonymous: TestClient, gate: Database, org_id: UUID, other_org_id: UUID
) -> None:
    person_id, email = known(gate, other_org_id, password=None)
    secret = invited(client, email)
    assert anonymous.post(ACCEPT, json={"secret": secret, "name": "Grace", "password": PASSWORD}).status_code == 422
    before = signed_in_as(anonymous, gate, person_id).cookies[COOKIE]
    answer = anonymous.post(ACCEPT, json={"secret": secret})
    said = answer.json()
    assert (said["person"]["person_id"], said["team"]["org_id"]) == (str(person_id), str(org_id))
    # A session with more rights gets another secret.
    assert f"{COOKIE}={before}" not in answer.headers["set-cookie"]


def test_a_person_signed_in_under_another_address_does_not_join_as_themselves(
    client: TestClient, anonymous: TestClient, gate: Database, other_org_id: UUID
) -> None:
    secret = invited(client, an_address())
    signed_in_as(anonymous, gate, new_member(gate, other_org_id))
    answer = anonymous.post(ACCEPT, json={"secret": secret})
    assert (answer.status_code, {each["path"] for each in answer.json()["errors"]}) == (422, {"name", "password"})
    said = anonymous.post(ACCEPT, json={"secret": secret, "name": "Ada", "password": PASSWORD}).json()
    assert said["person"]["name"] == "Ada"
    assert len(said["teams"]) == 1


@pytest.mark.parametrize("password", ["short", "password1234", "Ada Lovelace 1"])
def test_a_weak_password_is_refused_and_the_invitation_stays_good(
    client: TestClient, anonymous: TestClient, password: str
) -> None:
    secret = invited(client, an_address())
    answer = anonymous.post(ACCEPT, json={"secret": secret, "name": "Ada Lovelace", "password": password})
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, "password")
    assert password not in answer.text
    assert anonymous.post(LOOK, json={"secret": secret}).status_code == 200


def test_inviting_does_not_tell_whether_an_address_has_an_account(
    client: TestClient, gate: Database, other_org_id: UUID
) -> None:
    _, email = known(gate, other_org_id)
    answers = [client.post(INVITATIONS, json={"email": each, "role": "viewer"}) for each in (email, an_address())]
    assert {answer.status_code for answer in answers} == {201}
    shapes = [
        {key: value for key, value in answer.json().items() if key in {"role", "invited_by", "sent"}}
        for answer in answers
    ]
    assert shapes[0] == shapes[1]


def test_a_member_is_not_invited_again(client: TestClient, gate: Database, org_id: UUID) -> None:
    _, email = known(gate, org_id, password=None)
    assert client.post(INVITATIONS, json={"email": email, "role": "owner"}).status_code == 409


@pytest.mark.parametrize(
    "email", ["ada", "ada@", "@example.org", "a b@example.org", "ada@example.org\r\nBcc: x@example.org", "a@b@c.org"]
)
def test_what_is_no_address_is_not_invited(client: TestClient, email: str) -> None:
    answer = client.post(INVITATIONS, json={"email": email, "role": "viewer"})
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, "email")


def test_a_former_owner_cannot_invite(services: Services, gate: Database, org_id: UUID) -> None:
    asked = Invite(email=an_address(), role="owner")
    for person_id in (new_member(gate, org_id, "planner"), new_person(gate), None):
        with pytest.raises(NotFound):
            invitations.invite(
                services.database,
                gate,
                org_id,
                asked,
                actor=Actor("person", "Eve", person_id),
                page="",
                mail=None,
                now=datetime.now(UTC),
            )


@pytest.mark.parametrize("end", ["removed", "demoted", "left"])
def test_a_former_owner_cannot_return_by_an_invitation_of_their_own(
    client: TestClient, anonymous: TestClient, gate: Database, org_id: UUID, end: str
) -> None:
    evil = new_member(gate, org_id)
    signed_in_as(anonymous, gate, evil)
    own = invited(anonymous, an_address(), "owner")
    # The attacker's current name differs from the name on the invitation.
    anonymous.patch("/api/v1/account", json={"name": "Another name"})
    others = invited(client, an_address(), "viewer")
    if end == "removed":
        assert client.delete(f"/api/v1/team/members/{evil}").status_code == 204
    elif end == "demoted":
        assert client.patch(f"/api/v1/team/members/{evil}", json={"role": "planner"}).status_code == 200
    else:
        assert anonymous.post("/api/v1/team/leave").status_code == 204
    assert client.post(LOOK, json={"secret": own}).status_code == 404
    assert client.post(LOOK, json={"secret": others}).status_code == 200


def test_another_teams_invitations_are_none(client: TestClient, other_client: TestClient) -> None:
    invited(other_client, an_address())
    [theirs] = other_client.get(INVITATIONS).json()["invitations"]
    assert client.get(INVITATIONS).json() == {"invitations": []}
    assert client.delete(f"{INVITATIONS}/{theirs['id']}").status_code == 404
    assert len(other_client.get(INVITATIONS).json()["invitations"]) == 1


def test_where_there_is_mail_the_link_goes_to_the_address_alone(
    services: Services, gate: Database, org_id: UUID
) -> None:
    mail, email = Mailbox(), an_address()
    with_mail = replace(services, mail=mail, public_url="https://stowage.example.org")
    owner = new_person(gate, "Olive Owner")
    join(gate, org_id, owner, "owner")
    with TestClient(create_app(with_mail, page=None), base_url="http://localhost") as client:
        signed_in_as(client, gate, owner)
        answer = client.post(INVITATIONS, json={"email": email, "role": "viewer"}).json()
        assert (answer["sent"], answer["link"]) == (True, None)
        sent = mail.only()
        assert (sent.to, sent.subject) == (email, "An invitation to a team on Stowage")
        assert sent.text.startswith(f'"Olive Owner" invites you to join "Team {org_id}" on Stowage.')
        [link] = [line for line in sent.text.splitlines() if line.startswith("https://stowage.example.org/join#")]
        assert client.post(LOOK, json={"secret": link.partition("#")[2]}).json()["email"] == email
        # A link that cannot be mailed is shown to be handed over.
        mail.refuses = True
        answer = client.post(INVITATIONS, json={"email": an_address(), "role": "viewer"}).json()
        assert answer["sent"] is False
        assert answer["link"].startswith("https://stowage.example.org/join#")


def test_accepting_a_mailed_invitation_verifies_the_address(
    services: Services, anonymous: TestClient, gate: Database, database: Database, org_id: UUID
) -> None:
    mail, mailed, handed_over = Mailbox(), an_address(), an_address()
    with_mail = replace(services, mail=mail, public_url="https://stowage.example.org")
    with TestClient(create_app(with_mail, page=None), base_url="http://localhost") as client:
        signed_in_as(client, gate, new_member(gate, org_id))
        assert client.post(INVITATIONS, json={"email": mailed, "role": "viewer"}).json()["sent"]
        mail.refuses = True
        link = client.post(INVITATIONS, json={"email": handed_over, "role": "viewer"}).json()["link"]
    by_mail = mail.secret("join")
    for secret in (by_mail, link.partition("#")[2]):
        joined = anonymous.post(ACCEPT, json={"secret": secret, "name": "Ada", "password": PASSWORD})
        assert joined.status_code == 200, joined.text
        anonymous.cookies.clear()
    with database.transaction(org_id) as connection:
        assert [team.is_verified(connection, each) for each in (mailed, handed_over)] == [True, False]


def test_one_address_is_not_sent_ever_more_mail(services: Services, gate: Database, org_id: UUID) -> None:
    mail, email = Mailbox(), an_address()
    with_mail = replace(services, mail=mail, public_url="https://stowage.example.org")
    with TestClient(create_app(with_mail, page=None), base_url="http://localhost") as client:
        signed_in_as(client, gate, new_member(gate, org_id))
        statuses = [client.post(INVITATIONS, json={"email": email, "role": "viewer"}).status_code for _ in range(6)]
    assert statuses[0] == 201
    assert statuses[-1] == 429
    assert len(mail.sent) < 5


def test_one_team_does_not_mail_the_world(services: Services, gate: Database, org_id: UUID) -> None:
    mail = Mailbox()
    with_mail = replace(services, mail=mail, public_url="https://stowage.example.org")
    with TestClient(create_app(with_mail, page=None), base_url="http://localhost") as client:
        signed_in_as(client, gate, new_member(gate, org_id))
        client.patch("/api/v1/team", json={"name": "https://evil.example you have won"})
        for _ in range(40):
            answer = client.post(INVITATIONS, json={"email": an_address(), "role": "viewer"})
            if answer.is_success:
                # Making room does not help.
                client.delete(f"{INVITATIONS}/{answer.json()['id']}")
    assert answer.status_code == 429
    assert 25 <= len(mail.sent) <= 31
    assert not [each for each in mail.sent if "evil" in each.text + each.subject]


def test_the_links_host_is_none_that_the_service_does_not_answer(client: TestClient) -> None:
    answer = client.post(INVITATIONS, json={"email": an_address(), "role": "viewer"}, headers={"Host": "evil.example"})
    assert answer.status_code == 400
    assert CSRF in client.headers
