"""Delivery of notifications: asked for by kind, digests instead of floods, retries, and who gets nothing more."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from typing import Any
from uuid import UUID

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from mail_server import Mailbox
from notified import deliver, measured, read
from people import join, new_person, signed_in_as
from receiver import HOST, Receiver
from stowage.features.activity import delivering
from stowage.features.activity.store import channels
from stowage.platform import throttling
from stowage.platform.database.database import Database
from stowage.platform.jobs.leases import leased
from stowage.platform.outside import Webhooks

ADDRESS = f"https://{HOST}/services/T1"
HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
ALL = ["plan", "measurement", "run"]
Reader = tuple[TestClient, str]


@pytest.fixture
def hooks(receiver: Receiver) -> Webhooks:
    return receiver.sender()


def store_webhook(client: TestClient, address: str = ADDRESS) -> dict[str, Any]:
    answer = client.put("/api/v1/inbox/webhook", json={"address": address})
    assert answer.status_code == 200, answer.text
    assert answer.headers["Cache-Control"] == "no-store"
    stored: dict[str, Any] = answer.json()
    return stored


def after(minutes: float) -> datetime:
    return datetime.now(UTC) + timedelta(minutes=minutes)


def posted(receiver: Receiver) -> list[dict[str, Any]]:
    return [json.loads(taken.body) for taken in receiver.taken]


def test_mail_is_asked_for_by_kind_and_comes_at_most_once_an_hour(
    database: Database, org_id: UUID, mailbox: Mailbox, reader: Reader
) -> None:
    client, address = reader

    def mailed(minutes: float) -> list[str]:
        mailbox.sent.clear()
        deliver(database, org_id, after(minutes), mail=mailbox)
        return [mail.text for mail in mailbox.sent if mail.to == address]

    measured(database, org_id, "Before anything was asked for.")
    assert mailed(10) == []
    assert client.put("/api/v1/inbox/mail", json={"kinds": ["measurement"]}).json()["mailed_kinds"] == ["measurement"]
    for number in range(25):
        measured(database, org_id, f"Rate {number} fell.")
    (text,) = mailed(1)
    assert text.count(" fell.") == 20
    assert "And 5 more in the inbox." in text
    assert "Before anything" not in text
    assert "https://stowage.example.org/benchmarks/profiles/network%20" in text
    assert mailed(90) == []
    # Delivered until 90 minutes from now: what follows is newer.
    backdate(database, org_id, timedelta(hours=3))
    measured(database, org_id, "One more.")
    assert len(mailed(1)) == 1
    measured(database, org_id, "Within the hour.")
    assert mailed(50) == []
    client.put("/api/v1/inbox/mail", json={"kinds": []})
    assert mailed(24 * 60) == []


def test_a_mail_that_the_server_refuses_is_retried_and_skipped_after_five_attempts(
    database: Database, org_id: UUID, reader: Reader
) -> None:
    client, _ = reader
    client.put("/api/v1/inbox/mail", json={"kinds": ["measurement"]})
    measured(database, org_id, "It is mailed in the end.")
    mailbox, now = Mailbox(), after(1)
    mailbox.refuses_next = 2
    # One minute after the first refusal, five after the second.
    for pause, refused in ((0, 1), (0.5, 1), (1, 0), (4, 0), (6, 0), (7, 0)):
        deliver(database, org_id, now + pause * MINUTE, mail=mailbox)
        assert mailbox.refuses_next == refused, pause
    assert [mail.text.count("in the end") for mail in mailbox.sent] == [1]
    backdate(database, org_id, 2 * HOUR)
    measured(database, org_id, "It is skipped.")
    mailbox.refuses_next, now = 100, after(1)
    for minute in (0, 1, 6, 36, 156, 36 * 60):
        deliver(database, org_id, now + minute * MINUTE, mail=mailbox)
    assert mailbox.refuses_next == 100 - delivering.MOST_FAILURES
    assert [each["words"] for each in read(client)["notifications"]][:1] == ["It is skipped."]


def test_a_webhook_gets_a_signed_digest_at_most_once_a_minute(
    database: Database, org_id: UUID, reader: Reader, receiver: Receiver, hooks: Webhooks
) -> None:
    client, _ = reader
    stored = store_webhook(client)
    assert stored["inbox"]["webhook"]["kinds"] == [*ALL, "report"]
    for number in range(25):
        measured(database, org_id, f"Rate {number} <!channel> fell & rose.")
    now = after(1)
    deliver(database, org_id, now, hooks=hooks)
    deliver(database, org_id, now + 0.9 * MINUTE, hooks=hooks)
    [document] = posted(receiver)
    assert (document["event"], len(document["notifications"]), document["more"]) == ("notifications", 20, 5)
    newest = document["notifications"][0]
    assert (newest["kind"], newest["words"]) == ("measurement", "Rate 24 <!channel> fell & rose.")
    assert newest["link"].startswith("https://stowage.example.org/benchmarks/profiles/network%20")
    # Chat services read `text`, where a name must not mention a channel.
    assert document["text"].startswith("Rate 24 &lt;!channel&gt; fell &amp; rose. https://")
    assert document["text"].endswith("And 5 more in the inbox.")
    [taken] = receiver.taken
    assert taken.is_signed_with(stored["secret"])
    # Nothing is sent twice.
    deliver(database, org_id, now + 2 * MINUTE, hooks=hooks)
    assert len(receiver.taken) == 1


def test_each_kind_goes_by_mail_by_webhook_by_both_or_by_neither(
    database: Database, org_id: UUID, reader: Reader, mailbox: Mailbox, receiver: Receiver, hooks: Webhooks
) -> None:
    client, address = reader
    store_webhook(client)

    def delivered(mailed: list[str], posted_kinds: list[str]) -> tuple[int, int]:
        client.put("/api/v1/inbox/mail", json={"kinds": mailed})
        answer = client.put("/api/v1/inbox/webhook/kinds", json={"kinds": posted_kinds})
        assert answer.json()["webhook"]["kinds"] == posted_kinds
        backdate(database, org_id, 2 * HOUR)
        client.post("/api/v1/inbox/read", json={"ids": None})
        measured(database, org_id, "It fell.")
        mailbox.sent.clear()
        receiver.taken.clear()
        deliver(database, org_id, after(1), mail=mailbox, hooks=hooks)
        return sum(mail.to == address for mail in mailbox.sent), len(receiver.taken)

    assert delivered(["measurement"], ["measurement"]) == (1, 1)
    assert delivered([], ["plan", "measurement"]) == (0, 1)
    assert delivered(["measurement"], ["plan"]) == (1, 0)
    assert delivered(["plan"], []) == (0, 0)


def test_a_webhook_that_fails_is_stopped_and_the_inbox_tells_it_once(
    database: Database, org_id: UUID, reader: Reader, receiver: Receiver, hooks: Webhooks
) -> None:
    client, _ = reader
    store_webhook(client)
    receiver.status = 503
    measured(database, org_id, "It fell.")
    now = after(1)
    # Attempts begin at these minutes; nothing is called in between.
    for minute, attempts in ((0, 1), (0.5, 1), (1, 2), (5, 2), (6, 3), (35, 3), (36, 4), (155, 4)):
        deliver(database, org_id, now + minute * MINUTE, hooks=hooks)
        assert len(receiver.taken) == attempts, minute
    webhook = read(client)["webhook"]
    assert (webhook["trouble"], webhook["stopped_at"]) == (f"{HOST} answered 503.", None)
    assert [each["kind"] for each in read(client)["notifications"]] == ["measurement"]
    deliver(database, org_id, now + 156 * MINUTE, hooks=hooks)
    deliver(database, org_id, now + 48 * HOUR, hooks=hooks)
    assert len(receiver.taken) == delivering.MOST_FAILURES
    (told, _) = read(client)["notifications"]
    assert (told["kind"], told["object"], told["read"]) == ("webhook", HOST, False)
    assert told["words"].startswith(f"Your webhook does not answer: {HOST} answered 503. Nothing more is posted")
    again = client.post("/api/v1/inbox/read", json={"ids": [told["id"]]}).json()
    assert [each["read"] for each in again["notifications"]] == [True, False]
    # A test that succeeds resumes, with what was not delivered.
    receiver.status = 204
    receiver.taken.clear()
    assert client.post("/api/v1/inbox/webhook/test").status_code == 202
    deliver(database, org_id, now + 49 * HOUR, hooks=hooks)
    assert [document["event"] for document in posted(receiver)] == ["test", "notifications"]
    assert [each["kind"] for each in read(client)["notifications"]] == ["measurement"]
    assert read(client)["webhook"]["stopped_at"] is None


def _accepts(_: Receiver) -> None:
    """Leave the receiver as it is."""


def _refuses(receiver: Receiver) -> None:
    receiver.status = 404


def _redirects(receiver: Receiver) -> None:
    receiver.status, receiver.location = 302, "https://169.254.169.254/"


def _hangs(receiver: Receiver) -> None:
    def wait_for_more(handler: BaseHTTPRequestHandler) -> None:
        handler.rfile.read(1)

    receiver.answer = wait_for_more


@pytest.mark.parametrize(
    ("behaves", "result"),
    [
        (_accepts, "Delivered."),
        (_refuses, f"{HOST} answered 404."),
        (_redirects, f"{HOST} answered 302: redirections are not followed."),
        (_hangs, f"{HOST} gave no answer: "),
    ],
)
def test_a_test_message_tells_its_result_in_words(
    database: Database,
    org_id: UUID,
    reader: Reader,
    receiver: Receiver,
    behaves: Callable[[Receiver], None],
    result: str,
) -> None:
    client, _ = reader
    store_webhook(client)
    behaves(receiver)
    waiting = client.post("/api/v1/inbox/webhook/test").json()["webhook"]
    assert (waiting["testing"], waiting["test_result"]) == (True, None)
    deliver(database, org_id, after(0), hooks=receiver.sender(within_s=1.0))
    webhook = read(client)["webhook"]
    assert webhook["testing"] is False
    assert webhook["tested_at"] is not None
    assert webhook["test_result"].startswith(result)
    assert [document["event"] for document in posted(receiver)] == ["test"]
    assert "This is a test" in posted(receiver)[0]["text"]


def test_test_messages_are_limited_for_each_person(app: FastAPI, gate: Database, org_id: UUID, reader: Reader) -> None:
    client, _ = reader
    assert client.post("/api/v1/inbox/webhook/test").status_code == 422
    store_webhook(client)
    statuses = [client.post("/api/v1/inbox/webhook/test").status_code for _ in range(throttling.ALERT_TESTS.free)]
    assert statuses == [202] * (throttling.ALERT_TESTS.free - 1) + [429]
    colleague = new_person(gate, "Grace")
    join(gate, org_id, colleague, "viewer")
    with TestClient(app, base_url="http://localhost") as other:
        store_webhook(signed_in_as(other, gate, colleague))
        assert other.post("/api/v1/inbox/webhook/test").status_code == 202


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("http://hooks.example.org/", "http://hooks.example.org/"),
        ("https://169.254.169.254/latest/meta-data/", "169.254.169.254"),
        ("https://10.0.0.7/", "10.0.0.7"),
        ("https://localhost/", "localhost"),
        ("https://hooks.example.org:6379/", "6379"),
        ("https://hooks.example.org/\nx", r"/\nx"),
        ("https://user:word@hooks.example.org/", "carries a name or a password"),
    ],
)
def test_a_bad_address_is_refused_with_field_value_and_what_is_accepted(
    reader: Reader, address: str, shown: str
) -> None:
    client, _ = reader
    refused = client.put("/api/v1/inbox/webhook", json={"address": address})
    assert refused.status_code == 422
    [error] = refused.json()["errors"]
    assert error["path"] == "address"
    assert shown in error["message"]
    assert "accepted: " in error["message"]
    assert read(client)["webhook"] is None


def test_an_address_has_at_most_2000_characters(reader: Reader) -> None:
    client, _ = reader
    start = f"https://{HOST}/"
    too_long = client.put("/api/v1/inbox/webhook", json={"address": start + "a" * (2_001 - len(start))})
    assert (too_long.status_code, too_long.json()["errors"][0]["path"]) == (422, "address")
    longest = start + "a" * (2_000 - len(start))
    assert store_webhook(client, longest)["inbox"]["webhook"]["address"] == longest


def test_kinds_need_a_webhook_and_are_those_that_the_person_may_see(app: FastAPI, gate: Database, org_id: UUID) -> None:
    viewer = new_person(gate, "Vera")
    join(gate, org_id, viewer, "viewer")
    with TestClient(app, base_url="http://localhost") as client:
        signed_in_as(client, gate, viewer)
        early = client.put("/api/v1/inbox/webhook/kinds", json={"kinds": ["plan"]})
        assert (early.status_code, early.json()["errors"][0]["path"]) == (422, "kinds")
        assert store_webhook(client)["inbox"]["webhook_kinds"] == ["plan", "measurement"]
        refused = client.put("/api/v1/inbox/webhook/kinds", json={"kinds": ["plan", "run"]})
    assert (refused.status_code, refused.json()["errors"][0]["path"]) == (422, "kinds")
    assert "run, which you cannot choose; accepted: measurement, plan" in refused.text


def test_a_new_address_gets_a_new_secret_and_both_changes_are_in_the_audit_log(
    app: FastAPI, gate: Database, database: Database, org_id: UUID, receiver: Receiver, hooks: Webhooks
) -> None:
    owner = new_person(gate, "Ada")
    join(gate, org_id, owner, "owner")
    with TestClient(app, base_url="http://localhost") as client:
        signed_in_as(client, gate, owner)
        first = store_webhook(client)
        client.put("/api/v1/inbox/webhook/kinds", json={"kinds": ["measurement"]})
        second = store_webhook(client, f"{ADDRESS}/B2")
        assert second["secret"] != first["secret"]
        assert second["inbox"]["webhook"]["kinds"] == ["measurement"]
        assert "secret" not in json.dumps(read(client))
        assert client.delete("/api/v1/inbox/webhook").status_code == 204
        assert read(client)["webhook"] is None
        log = [event["sentence"] for event in client.get("/api/v1/audit").json()["events"]]
    added, removed = (
        "Ada had their own notifications sent to a webhook.",
        "Ada removed the webhook of their notifications.",
    )
    assert [line for line in log if "webhook" in line] == [removed, added, removed, added]
    measured(database, org_id, "After removal.")
    deliver(database, org_id, after(5), hooks=hooks)
    assert receiver.taken == []


def test_webhooks_stored_at_the_same_time_leave_one_whose_secret_was_returned(
    database: Database, org_id: UUID, reader: Reader, receiver: Receiver, hooks: Webhooks
) -> None:
    client, _ = reader
    addresses = [f"{ADDRESS}/{number}" for number in range(8)]
    with ThreadPoolExecutor(len(addresses)) as threads:
        answers = list(threads.map(lambda address: store_webhook(client, address), addresses))
    kept = read(client)["webhook"]["address"]
    measured(database, org_id, "It fell.")
    deliver(database, org_id, after(1), hooks=hooks)
    [taken] = receiver.taken
    assert kept.endswith(taken.path)
    assert taken.is_signed_with(answers[addresses.index(kept)]["secret"])
    assert {each["inbox"]["webhook"]["address"] for each in answers} == set(addresses)


def test_a_person_who_left_or_has_read_it_gets_nothing(
    database: Database, org_id: UUID, reader: Reader, mailbox: Mailbox, receiver: Receiver, hooks: Webhooks
) -> None:
    client, address = reader
    client.put("/api/v1/inbox/mail", json={"kinds": ALL})
    store_webhook(client)
    measured(database, org_id, "It was read.")
    client.post("/api/v1/inbox/read", json={"ids": None})
    deliver(database, org_id, after(1), mail=mailbox, hooks=hooks)
    backdate(database, org_id, 2 * HOUR)
    measured(database, org_id, "After leaving.")
    with database.transaction(org_id) as connection:
        person_id = connection.exec_driver_sql("SELECT DISTINCT person_id FROM inbox_channel").scalar_one()
    assert client.post("/api/v1/team/leave").status_code == 204
    # The choices, and with them the secret, are deleted with the membership.
    with database.transaction(org_id) as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM inbox_channel").scalar() == 0
    # As by a message to the workers that was sent before.
    delivering.deliver(database, org_id, person_id, delivering.Services(mailbox, hooks, None), after(1))
    assert [mail for mail in mailbox.sent if mail.to == address] == []
    assert receiver.taken == []


def test_a_person_whose_account_the_provider_refuses_gets_nothing(
    gate: Database,
    database: Database,
    org_id: UUID,
    reader: Reader,
    mailbox: Mailbox,
    receiver: Receiver,
    hooks: Webhooks,
) -> None:
    client, address = reader
    client.put("/api/v1/inbox/mail", json={"kinds": ALL})
    store_webhook(client)
    measured(database, org_id, "After the refusal.")
    with gate.transaction(None) as connection:
        connection.exec_driver_sql("UPDATE person SET provider_refused_at = now() WHERE email = %s", (address,))
    assert due(gate, org_id) == 1
    deliver(database, org_id, after(1), mail=mailbox, hooks=hooks)
    assert [mail for mail in mailbox.sent if mail.to == address] == []
    assert receiver.taken == []
    # It gives its place to others.
    assert due(gate, org_id) == 0


def test_due_inboxes_are_those_with_something_chosen_and_teams_take_turns(
    gate: Database, database: Database, org_id: UUID, reader: Reader
) -> None:
    client, _ = reader
    assert due(gate, org_id) == 0
    client.put("/api/v1/inbox/mail", json={"kinds": ["plan"]})
    store_webhook(client)
    # Mail and webhook of a person are one message.
    assert due(gate, org_id) == 1
    deliver(database, org_id, after(0))
    assert due(gate, org_id) == 0
    client.put("/api/v1/inbox/webhook/kinds", json={"kinds": []})
    backdate(database, org_id, 2 * HOUR)
    client.put("/api/v1/inbox/mail", json={"kinds": []})
    assert due(gate, org_id) == 0
    client.post("/api/v1/inbox/webhook/test")
    assert due(gate, org_id) == 1


def test_the_process_that_holds_the_lease_of_a_team_delivers_to_all_of_its_webhooks(
    app: FastAPI,
    gate: Database,
    database: Database,
    org_id: UUID,
    reader: Reader,
    receiver: Receiver,
    hooks: Webhooks,
) -> None:
    store_webhook(reader[0], f"{ADDRESS}/ada")
    grace = new_person(gate, "Grace")
    join(gate, org_id, grace, "viewer")
    with TestClient(app, base_url="http://localhost") as other:
        store_webhook(signed_in_as(other, gate, grace), f"{ADDRESS}/grace")
    measured(database, org_id, "It fell.")
    with leased(database, org_id, "inbox webhook") as is_leased:
        assert is_leased
        deliver(database, org_id, after(1), hooks=hooks)
    assert receiver.taken == []
    delivering.deliver(database, org_id, grace, delivering.Services(None, hooks, None), after(1))
    assert [taken.path for taken in receiver.taken] == ["/services/T1/grace", "/services/T1/ada"]


def test_a_delivery_whose_worker_ends_is_repeated_and_counts_as_failed(
    database: Database, org_id: UUID, reader: Reader, receiver: Receiver, hooks: Webhooks
) -> None:
    client, _ = reader
    store_webhook(client)
    measured(database, org_id, "It fell.")
    now = after(1)
    with pytest.raises(KeyboardInterrupt):
        deliver(database, org_id, now, hooks=Ending(hooks.send))
    deliver(database, org_id, now + 0.5 * MINUTE, hooks=hooks)
    assert len(receiver.taken) == 1
    deliver(database, org_id, now + MINUTE, hooks=hooks)
    first, second = posted(receiver)
    assert first["notifications"] == second["notifications"]


def test_a_delivery_that_ends_its_worker_each_time_is_given_up(
    database: Database, org_id: UUID, reader: Reader, mailbox: Mailbox, receiver: Receiver, hooks: Webhooks
) -> None:
    client, _ = reader
    client.put("/api/v1/inbox/mail", json={"kinds": ["measurement"]})
    measured(database, org_id, "It fell.")
    now = after(1)
    minutes = (0, 1, 6, 36, 156)
    for minute in minutes:
        with pytest.raises(KeyboardInterrupt):
            deliver(database, org_id, now + minute * MINUTE, mail=Ending(mailbox.send))
    deliver(database, org_id, now + 24 * HOUR, mail=mailbox)
    assert len(mailbox.sent) == delivering.MOST_FAILURES
    client.put("/api/v1/inbox/mail", json={"kinds": []})
    store_webhook(client)
    measured(database, org_id, "It rose.")
    for minute in minutes:
        with pytest.raises(KeyboardInterrupt):
            deliver(database, org_id, now + minute * MINUTE, hooks=Ending(hooks.send))
    deliver(database, org_id, now + 24 * HOUR, hooks=hooks)
    assert len(receiver.taken) == delivering.MOST_FAILURES
    webhook = read(client)["webhook"]
    assert webhook["stopped_at"] is not None
    assert webhook["trouble"] == "The last attempt was cut off."


class Ending:
    """Mail server or client of webhooks whose calls end the worker before it stores the result."""

    def __init__(self, send: Callable[..., None]) -> None:
        self._send = send

    def send(self, *message: Any, **more: Any) -> None:
        """Send a message, and end the worker."""
        self._send(*message, **more)
        raise KeyboardInterrupt


def due(gate: Database, org_id: UUID) -> int:
    """Return the number of a team's inboxes that are due."""
    with gate.transaction(None) as connection:
        return sum(of == org_id for of, _ in channels.due(connection, 1_000))


def backdate(database: Database, org_id: UUID, by: timedelta) -> None:
    """Make the channels of a team due, as if their last delivery had been some time ago."""
    with database.transaction(org_id) as connection:
        connection.exec_driver_sql(
            "UPDATE inbox_channel SET due_at = due_at - %s, "
            "delivered_until = least(delivered_until, clock_timestamp())",
            (by,),
        )
