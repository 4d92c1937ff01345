"""Server-side request forgery by webhooks: no address, DNS answer or redirect leads into the service's own network."""

import socket
import ssl
import threading
from http.server import BaseHTTPRequestHandler
from ipaddress import ip_address
from threading import Event

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from receiver import HOST, Receiver
from stowage.platform.outside import WebhookFailed
from stowage.platform.webhooks import is_public, signature, webhook_of
from stowage_worker.webhooks import HttpsWebhooks

pytestmark = pytest.mark.one_team

PATIENCE_S = 240.0
ADDRESS = f"https://{HOST}/stowage?team=1"

NOT_ACCEPTED = [
    "http://hooks.example.org/",
    "ftp://hooks.example.org/",
    "file:///etc/passwd",
    "gopher://127.0.0.1:6379/_FLUSHALL",
    "https://",
    "https:///path",
    "//hooks.example.org/",
    "https://localhost/",
    "https://localhost./",
    "https://127.0.0.1/",
    "https://127.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0x7f.1/",
    "https://0177.0.0.1/",
    "https://0.0.0.0/",
    "https://10.0.0.7/",
    "https://172.16.0.1/",
    "https://192.168.1.1/",
    "https://100.64.0.1/",
    "https://169.254.169.254/latest/meta-data/",
    "https://[::1]/",
    "https://[::]/",
    "https://[fe80::1]/",
    "https://[fe80::1%25eth0]/",
    "https://[fd00:ec2::254]/latest/meta-data/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:169.254.169.254]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[2002:7f00:1::]/",
    "https://224.0.0.1/",
    "https://[ff02::1]/",
    "https://user:password@hooks.example.org/",
    "https://hooks.example.org@127.0.0.1/",
    "https://hooks.example.org:6379/",
    "https://hooks.example.org:22/",
    "https://hooks.example.org:99999/",
    "https://hooks.example.org\\@127.0.0.1/",
    "https://hooks.example.org/ HTTP/1.1\r\nX: y",
    "https://hooks.example.org/\nX: y",
    "https://hooks.example.org/\0",
    "https://postgres/",
    "https://redis:443/",
    "https://ünïcode.example/",
    "https://[hooks.example.org]/",
]


@pytest.mark.parametrize("address", NOT_ACCEPTED)
def test_an_address_that_is_not_of_the_public_internet_is_not_added(client: TestClient, address: str) -> None:
    answer = client.post("/api/v1/alert-addresses", json={"kind": "webhook", "address": address})
    assert answer.status_code == 422, answer.text
    assert [problem["path"] for problem in answer.json()["errors"]] == ["address"]
    assert client.get("/api/v1/alert-addresses").json()["addresses"] == []


def test_what_was_stored_by_other_ways_is_not_called_either(receiver: Receiver) -> None:
    for address in NOT_ACCEPTED:
        with pytest.raises(WebhookFailed):
            receiver.sender().send(address, b"{}", {})
    assert not receiver.resolved
    assert not receiver.connected
    assert not receiver.taken


@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"],
        ["10.0.0.7"],
        ["169.254.169.254"],
        ["::1"],
        ["fe80::1%eth0"],
        ["::ffff:192.168.0.1"],
        ["64:ff9b::a00:7"],
        ["0.0.0.0"],  # noqa: S104 - no server listens there
        ["93.184.215.14", "127.0.0.1"],
        ["2606:2800:21f:cb07:6820:80da:af6b:8b2c", "fd00::1"],
        [],
    ],
)
def test_a_name_that_leads_inside_is_not_called(receiver: Receiver, addresses: list[str]) -> None:
    with pytest.raises(WebhookFailed, match=r"not of the public Internet|no address"):
        receiver.sender(addresses).send(ADDRESS, b"{}", {})
    assert not receiver.connected
    assert not receiver.taken


def test_a_name_is_resolved_once_and_that_is_what_is_connected_to(receiver: Receiver) -> None:
    receiver.sender(["93.184.215.14"]).send(ADDRESS, b'{"a": 1}', {"Stowage-Delivery": "x"})
    assert receiver.resolved == [HOST]
    assert receiver.connected == [("93.184.215.14", 443)]
    [taken] = receiver.taken
    assert (taken.path, taken.body) == ("/stowage?team=1", b'{"a": 1}')
    assert taken.headers["Host"] == HOST
    assert taken.headers["Stowage-Delivery"] == "x"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirections_are_not_followed(receiver: Receiver, status: int) -> None:
    receiver.status, receiver.location = status, "https://169.254.169.254/latest/meta-data/"
    with pytest.raises(WebhookFailed, match="redirections are not followed"):
        receiver.sender().send(ADDRESS, b"{}", {})
    assert len(receiver.taken) == 1
    assert receiver.resolved == [HOST]


@pytest.mark.parametrize("status", [400, 404, 410, 500, 503])
def test_an_answer_of_no_success_is_told(receiver: Receiver, status: int) -> None:
    receiver.status = status
    with pytest.raises(WebhookFailed, match=str(status)):
        receiver.sender().send(ADDRESS, b"{}", {})


def test_a_certificate_of_another_host_is_not_trusted(receiver: Receiver) -> None:
    with pytest.raises(WebhookFailed, match="certificate"):
        receiver.sender(context=ssl.create_default_context()).send(ADDRESS, b"{}", {})
    with pytest.raises(WebhookFailed, match="certificate"):
        receiver.sender().send("https://other.example.org/", b"{}", {})
    assert receiver.taken == []


def test_who_answers_a_byte_now_and_then_is_hung_up_on(receiver: Receiver) -> None:
    def drip(handler: BaseHTTPRequestHandler) -> None:
        # A client that waits long enough gets a good answer.
        for byte in b"HTTP/1.1 204 No Content\r\n\r\n":
            handler.wfile.write(bytes([byte]))
            handler.wfile.flush()
            stop.wait(0.05)

    stop = threading.Event()
    receiver.answer = drip
    with pytest.raises(WebhookFailed, match="gave no answer"):
        receiver.sender(within_s=0.5).send(ADDRESS, b"{}", {})
    stop.set()


def test_an_answer_without_end_is_not_read(receiver: Receiver) -> None:
    def flood(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 100_000)

    receiver.answer = flood
    with pytest.raises(WebhookFailed, match="gave no answer"):
        receiver.sender().send(ADDRESS, b"{}", {})


def test_who_does_not_shake_hands_is_hung_up_on(receiver: Receiver) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        receiver.leads_to = silent.getsockname()[1]
        with pytest.raises(WebhookFailed, match="gave no answer"):
            receiver.sender(within_s=0.3).send(ADDRESS, b"{}", {})


@given(st.integers(0, 2**32 - 1))
def test_of_ipv4_only_the_public_internet_is_called(number: int) -> None:
    address = ip_address(number)
    inside = address.is_private or address.is_loopback or address.is_link_local or address.is_multicast
    assert not (is_public(address) and (inside or address.is_reserved or address.is_unspecified))
    # The same address in IPv6 notation.
    for written in (f"::ffff:{address}", f"64:ff9b::{address}"):
        assert is_public(ip_address(written)) == is_public(address)


@given(st.text(max_size=60))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    for address in (text, f"https://{text}", f"https://hooks.example.org/{text}"):
        try:
            webhook = webhook_of(address)
        except ValueError:
            continue
        assert webhook.port == 443
        assert webhook.path.startswith("/")
        assert webhook.host.isascii()
        assert not set(webhook.host + webhook.path) & set("\r\n\0 \\")


def test_a_signature_is_of_the_secret_the_moment_and_the_body() -> None:
    told = signature(b"secret", 1_700_000_000, b"{}")
    assert told.startswith("t=1700000000,v1=")
    others = {
        signature(*of)
        for of in ((b"other", 1_700_000_000, b"{}"), (b"secret", 1, b"{}"), (b"secret", 1_700_000_000, b""))
    }
    assert told not in others


def test_the_secret_of_a_webhook_is_told_once_and_addresses_to_owners_alone(
    client: TestClient, other_client: TestClient
) -> None:
    added = client.post("/api/v1/alert-addresses", json={"kind": "webhook", "address": ADDRESS})
    assert added.status_code == 201
    assert added.headers["cache-control"] == "no-store"
    secret = added.json()["secret"]
    assert len(secret) >= 40
    for read in ("/api/v1/alert-addresses", "/api/v1/audit", "/api/v1/audit/export"):
        assert secret not in client.get(read).text
    assert ADDRESS not in client.get("/api/v1/audit").text
    theirs = other_client.get("/api/v1/alert-addresses").json()["addresses"]
    assert theirs == []
    for gone in (other_client.delete(f"/api/v1/alert-addresses/{added.json()['id']}"),):
        assert gone.status_code == 404
    tried = other_client.post(f"/api/v1/alert-addresses/{added.json()['id']}/test")
    assert tried.status_code == 404


def test_a_dns_lookup_that_hangs_times_out() -> None:
    """The owner of a name chooses its name servers; the system resolver waits for them longer than the service does."""
    goes_on = Event()

    def never(_host: str, _port: int) -> list[str]:
        goes_on.wait(PATIENCE_S)
        return []

    try:
        with pytest.raises(WebhookFailed, match="the DNS lookup timed out"):
            HttpsWebhooks(never, within_s=0.05).send(f"https://{HOST}/x", b"{}", {})
    finally:
        goes_on.set()
