"""Reports behind share links: with and without a password, and as previews in chats."""

from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

from documents.sample import HOSTILE
from published import LINKS, PASSWORD, REPORTS, link_to, links_of, make_files, publish
from stowage.api.app import create_app
from stowage.features.reports.store import reports as store
from stowage.features.reports.store.reports import StoredFile
from stowage.platform.access import DENIED
from stowage.platform.database.database import Database
from stowage.platform.database.tables import job
from stowage.platform.jobs.queue import Queue
from stowage.platform.secrets import new_secret
from stowage.web.services import Services

SHARED = "/api/v1/shared"
INDEX = "<!doctype html><html><head><title>Stowage</title></head><body></body></html>"


@pytest.fixture
def browser(services: Services, tmp_path: Path) -> Iterator[TestClient]:
    """Yield a client that is not signed in, of a service with a page."""
    (tmp_path / "index.html").write_text(INDEX)
    app = create_app(services, page=tmp_path)
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        yield client


def test_the_link_shows_the_report_and_its_files_and_not_the_teams_data(
    client: TestClient, anonymous: TestClient, database: Database, queue: Queue, org_id: UUID, report_id: UUID
) -> None:
    make_files(database, queue, org_id, report_id)
    client.post(f"{REPORTS}/{report_id}/comments", json={"text": "among ourselves"})
    secret = link_to(client, report_id)
    whole = client.get(f"{REPORTS}/{report_id}").json()
    said = anonymous.get(f"{SHARED}/{secret}").json()
    assert (said["kind"], said["plan"], said["sweep"]) == ("report", None, None)
    shown = said["report"]
    assert {name: shown[name] for name in ("report", "drawings", "digest")} == {
        name: whole[name] for name in ("report", "drawings", "digest")
    }
    assert (shown["deployable"], shown["replaced_at"], shown["documents"]["job_id"]) == ([], None, None)
    assert "comments" not in shown
    assert anonymous.get(f"{SHARED}/{secret}/comments").status_code == 404
    for ending in ("json", "csv", "xlsx", "pdf", "png"):
        theirs = anonymous.get(f"{SHARED}/{secret}/files/{ending}")
        assert theirs.status_code == 200
        assert theirs.content == client.get(f"{REPORTS}/{report_id}/files/{ending}").content
        assert theirs.headers["X-Content-Type-Options"] == "nosniff"
        assert theirs.headers["Content-Disposition"].startswith("attachment; ")
    client.delete(f"{REPORTS}/{report_id}")
    for address in ("", "/files/json", "/files/png"):
        gone = anonymous.get(f"{SHARED}/{secret}{address}")
        assert (gone.status_code, gone.json()["detail"]) == (404, DENIED)


@pytest.mark.parametrize("ending", ["csv", "xlsx", "pdf", "png"])
def test_a_link_creates_no_files_and_hides_why_they_are_missing(
    client: TestClient,
    anonymous: TestClient,
    database: Database,
    org_id: UUID,
    report_id: UUID,
    ending: str,
) -> None:
    address = f"{SHARED}/{link_to(client, report_id)}/files/{ending}"
    waiting = anonymous.get(address)
    what = {"csv": "CSV", "xlsx": "spreadsheet", "pdf": "PDF", "png": "preview picture"}[ending]
    said = f"The {what} is being made: ask again in a moment."
    assert (waiting.status_code, waiting.json()["detail"]) == (409, said)
    reason = "The typesetter gave up at /srv/stowage."
    with database.transaction(org_id) as connection:
        stored = store.get(connection, report_id)
        assert stored is not None
        connection.execute(update(job).where(job.c.id == stored.job_id).values(state="failed", reason=reason))
    assert client.get(f"{REPORTS}/{report_id}").json()["documents"]["reason"] == reason
    failed = anonymous.get(address)
    assert (failed.status_code, failed.json()["detail"]) == (409, f"There is no {what} of this report.")
    assert reason not in anonymous.get(address.partition("/files")[0]).text


def test_a_preview_picture_is_no_look_and_a_file_is_one(
    client: TestClient, anonymous: TestClient, database: Database, org_id: UUID, report_id: UUID
) -> None:
    secret = link_to(client, report_id)
    with database.transaction(org_id) as connection:
        png = b"\x89PNG"
        digest = "0f4636c78f65d3639ece5a064b5ae753e3408614a14fb18ab4d7540d2c248543"
        store.add_file(connection, report_id, "png", StoredFile(png, digest))
    picture = anonymous.get(f"{SHARED}/{secret}/files/png")
    assert (picture.content, picture.headers["Content-Type"]) == (png, "image/png")
    assert links_of(client, report_id)[0]["views"] == 0
    anonymous.get(f"{SHARED}/{secret}/files/json")
    anonymous.get(f"{SHARED}/{secret}")
    assert links_of(client, report_id)[0]["views"] == 2


def test_a_link_to_a_plan_has_no_files(client: TestClient, anonymous: TestClient) -> None:
    question = {
        "workload": {"data": "1 TB", "name": "nightly sort"},
        "limits": {"max_nodes": 5},
        "choose": {"families": ["i4i"]},
    }
    plan_id = client.post("/api/v1/plans", json=question).json()["id"]
    made = client.post(LINKS, json={"kind": "plan", "object_id": plan_id, "password": PASSWORD}).json()
    secret = made["address"].rpartition("/")[2]
    assert made["locked"] is True
    assert anonymous.get(f"{SHARED}/{secret}").status_code == 401
    assert anonymous.post(f"{SHARED}/{secret}/unlock", json={"password": PASSWORD}).status_code == 204
    assert anonymous.get(f"{SHARED}/{secret}").json()["plan"]["id"] == plan_id
    assert anonymous.get(f"{SHARED}/{secret}/files/json").status_code == 404


def test_a_link_with_a_password_shows_its_object_with_that_password(
    client: TestClient, anonymous: TestClient, report_id: UUID
) -> None:
    secret = link_to(client, report_id, password=PASSWORD)
    assert links_of(client, report_id)[0]["locked"] is True
    for address in ("", "/files/json", "/files/png"):
        asked = anonymous.get(f"{SHARED}/{secret}{address}")
        assert (asked.status_code, asked.json()["type"]) == (401, "urn:stowage:problem:password-needed")
        assert asked.headers["WWW-Authenticate"] == "LinkPassword"
    assert links_of(client, report_id)[0]["views"] == 0
    wrong = anonymous.post(f"{SHARED}/{secret}/unlock", json={"password": f"{PASSWORD}x"})
    assert (wrong.status_code, wrong.json()["type"]) == (401, "urn:stowage:problem:wrong-password")
    assert "set-cookie" not in wrong.headers
    right = anonymous.post(f"{SHARED}/{secret}/unlock", json={"password": PASSWORD})
    assert right.status_code == 204
    kept = right.headers["set-cookie"]
    for said in ("HttpOnly", f"Path={SHARED}/{secret}", "SameSite=strict", "Max-Age=43200"):
        assert said in kept
    assert anonymous.get(f"{SHARED}/{secret}").json()["report"]["digest"]
    assert anonymous.get(f"{SHARED}/{secret}/files/json").status_code == 200


@pytest.mark.parametrize("password", ["short", "password1234", "stowage stowage stowage", "x" * 129])
def test_a_password_that_is_easy_to_guess_is_refused_and_not_repeated(
    client: TestClient, report_id: UUID, password: str
) -> None:
    answer = client.post(LINKS, json={"kind": "report", "object_id": str(report_id), "password": password})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["path"] == "password"
    assert password not in answer.text
    assert links_of(client, report_id) == []


class _Head(HTMLParser):
    """Parser of a page's own metadata."""

    def __init__(self) -> None:
        super().__init__()
        self.said: dict[str, str] = {}
        self.elements: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        named = dict(attrs)
        if tag == "meta":
            self.said[named.get("property") or named.get("name") or ""] = named["content"] or ""


def test_a_preview_says_what_the_report_is_about_and_is_no_look(
    client: TestClient, browser: TestClient, report_id: UUID
) -> None:
    secret = link_to(client, report_id)
    answer = browser.get(f"/s/{secret}")
    head = _Head()
    head.feed(answer.text)
    assert head.said["og:title"] == "Sorting 100 TB every night"
    assert head.said["og:description"].startswith("178 × i2.8xlarge on its own disks sorts 100 TB")
    # The service's public address is not configured: the Host header of a request is used nowhere.
    assert "og:image" not in head.said
    assert head.said["twitter:card"] == "summary"
    assert "<title>Sorting 100 TB every night</title>" in answer.text
    assert answer.headers["Cache-Control"] == "private, no-store"
    assert browser.head(f"/s/{secret}").status_code == 200
    assert links_of(client, report_id)[0]["views"] == 0


def test_a_preview_has_its_picture_where_it_is_said_how_the_service_is_reached(
    client: TestClient, services: Services, tmp_path: Path, report_id: UUID
) -> None:
    (tmp_path / "index.html").write_text(INDEX)
    secret = link_to(client, report_id)
    there = replace(services, public_url="https://stowage.example.org")
    app = create_app(there, tmp_path, hosts=["*"])
    with TestClient(app, base_url="http://evil.example") as browser:
        answer = browser.get(f"/s/{secret}")
    head = _Head()
    head.feed(answer.text)
    assert head.said["og:image"] == f"https://stowage.example.org{SHARED}/{secret}/files/png"
    assert head.said["twitter:card"] == "summary_large_image"
    assert "evil" not in answer.text


@pytest.mark.parametrize("attack", sorted(set(HOSTILE) - {"newlines"}))
def test_any_title_is_text_in_a_preview(
    client: TestClient, browser: TestClient, database: Database, queue: Queue, org_id: UUID, attack: str
) -> None:
    title = HOSTILE[attack].replace("\0", "")[:200]
    made = publish(database, queue, org_id, title=f'"><script>{title}', sentence=f"'><img onerror=1> {title}")
    answer = browser.get(f"/s/{link_to(client, made.id)}")
    head = _Head()
    head.feed(answer.text)
    plain = ["html", "head", "title", *["meta"] * 5, "body"]
    assert head.elements == plain
    assert not any(0x202A <= ord(sign) <= 0x202E for sign in answer.text)


def test_of_what_is_locked_unknown_or_no_report_the_page_says_the_same_nothing(
    client: TestClient, browser: TestClient, report_id: UUID
) -> None:
    locked = link_to(client, report_id, password=PASSWORD)
    revoked = link_to(client, report_id)
    client.delete(f"{LINKS}/{links_of(client, report_id)[0]['id']}")
    said = {
        (answer.text, tuple(sorted(answer.headers)))
        for answer in map(
            browser.get,
            (
                f"/s/{locked}",
                f"/s/{revoked}",
                f"/s/{new_secret()}",
                "/s/x",
                "/plans",
            ),
        )
    }
    assert {text for text, _ in said} == {INDEX}
    assert len({names for _, names in said}) == 1
