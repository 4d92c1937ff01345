"""Reports through the API: published once, immutable, in every format, for all callers with access."""

import csv
import hashlib
import io
import json
import math
import re
import zipfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import get_args
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient
from pydantic import TypeAdapter

from documents.sample import HOSTILE, amounts_of, full_report, hostile_report
from people import signed_in
from published import AUTHOR, REPORTS, make_files, publish
from stowage.features.reports.tables import StoredFormat
from stowage.model.report import Amount, Report
from stowage.platform.database.database import Database
from stowage.platform.jobs.queue import Queue

PLANS = "/api/v1/plans"
QUESTION = {
    "workload": {"data": "1 TB", "name": "nightly sort"},
    "limits": {"max_nodes": 5},
    "choose": {"families": ["i4i"]},
}
VALIDATION = {"title": "How good the model is", "origin": {"kind": "validation"}}
REPORT = TypeAdapter(Report)


def test_a_plan_is_previewed_published_and_read_as_it_was_published(client: TestClient) -> None:
    plan_id = client.post(PLANS, json=QUESTION).json()["id"]
    asked = {
        "title": " Nightly sort ",
        "words": "Before the markets open.",
        "origin": {"kind": "plan", "plan_id": plan_id},
    }
    seen = client.post(f"{REPORTS}/preview", json=asked)
    assert seen.status_code == 200, seen.text
    assert client.get(REPORTS).json()["reports"] == []
    answer = client.post(REPORTS, json=asked)
    assert answer.status_code == 201, answer.text
    made = answer.json()
    assert answer.headers["Location"] == f"{REPORTS}/{made['id']}"
    assert (made["report"]["title"], made["report"]["words"]) == ("Nightly sort", "Before the markets open.")
    assert made["report"]["sections"] == seen.json()["report"]["sections"]
    assert made["drawings"].keys() == {
        f"{section['key']}.{block['key']}"
        for section in made["report"]["sections"]
        for block in section["blocks"]
        if block["kind"] == "chart"
    }
    assert made["documents"] | {"job_id": None} == {
        "state": "making",
        "job_id": None,
        "done": 0,
        "total": 4,
        "formats": ["json"],
        "reason": None,
    }
    assert made["deployable"] != []
    read = client.get(f"{REPORTS}/{made['id']}").json()
    assert read == made
    [row] = client.get(REPORTS).json()["reports"]
    assert (row["title"], row["kind"], row["names"], row["comments"]) == ("Nightly sort", "plan", ["nightly sort"], 0)
    assert row["author"].startswith("Owner")
    # Its source changes and is deleted; the report stays the same.
    client.patch(f"{PLANS}/{plan_id}", json={"name": "another"})
    assert client.delete(f"{PLANS}/{plan_id}").status_code == 204
    assert client.get(f"{REPORTS}/{made['id']}").json() == made
    assert client.post(REPORTS, json=asked).status_code == 404


def test_publishing_twice_under_one_key_stores_one_even_if_the_plan_changed(client: TestClient) -> None:
    key = {"Idempotency-Key": str(uuid4())}
    plan_id = client.post(PLANS, json=QUESTION).json()["id"]
    asked = {"title": "Nightly sort", "origin": {"kind": "plan", "plan_id": plan_id}}
    first = client.post(REPORTS, json=asked, headers=key)
    client.delete(f"{PLANS}/{plan_id}")
    second = client.post(REPORTS, json=asked, headers=key)
    assert first.status_code == second.status_code == 201
    assert first.json() == second.json()
    assert len(client.get(REPORTS).json()["reports"]) == 1


@pytest.mark.parametrize(
    ("body", "path", "words"),
    [
        ({"title": "x" * 10_000}, "title", "at most 200 characters"),
        ({"title": "   "}, "title", "at least 1 character"),
        ({"title": "a\0b"}, "title", r"control character U\+0000 at 1"),
        ({"title": "a\nb"}, "title", r"control character U\+000A at 1"),
        ({"words": "x" * 20_001}, "words", "at most 20,?000 characters"),
        ({"words": "a\x1bb"}, "words", r"control character U\+001B at 1"),
        ({"origin": {"kind": "nothing"}}, "origin", ""),
        ({"origin": {"kind": "plan", "plan_id": str(uuid4()), "ranks": [0]}}, "origin.plan.ranks.0", "1 or more"),
        ({"origin": {"kind": "comparison", "plan_ids": [str(uuid4())]}}, "origin.comparison.plan_ids", "at least 2"),
        ({"outlook": {"months": 121}}, "outlook.months", "120 or less"),
        ({"outlook": {"growth_pct_per_month": float("1e9")}}, "outlook.growth_pct_per_month", "100 or less"),
        ({"more": 1}, "more", "is not a field"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else None,
)
def test_what_cannot_be_published_is_said_field_by_field(
    client: TestClient, body: dict[str, object], path: str, words: str
) -> None:
    answer = client.post(REPORTS, json=VALIDATION | body)
    assert answer.status_code == 422
    [problem] = answer.json()["errors"]
    assert problem["path"] == path
    assert re.search(words, problem["message"]), problem
    assert len(answer.text) < 2_000


def test_what_looks_like_something_else_is_text_and_comes_back_to_the_letter(
    client: TestClient, database: Database, queue: Queue, org_id: UUID
) -> None:
    report = hostile_report()
    made = publish(database, queue, org_id, report)
    read = client.get(f"{REPORTS}/{made.id}")
    assert read.status_code == 200
    assert REPORT.validate_python(read.json()["report"]) == made.report
    assert client.get(f"{REPORTS}/{made.id}/files/json").status_code == 200
    said = client.post(f"{REPORTS}/{made.id}/comments", json={"text": HOSTILE["markup"]})
    assert (said.status_code, said.json()["text"]) == (201, HOSTILE["markup"])
    title = "\u202egpj.exe <b>&</b> =1+1 \u200b"
    answer = client.post(REPORTS, json=VALIDATION | {"title": title})
    assert answer.status_code == 201
    assert (
        client.get(REPORTS, params={"search": "gpj.exe"}).json()["reports"][0]["title"]
        == answer.json()["report"]["title"]
    )


def test_the_list_goes_page_by_page_and_is_searched(
    client: TestClient, database: Database, queue: Queue, org_id: UUID
) -> None:
    now = datetime.now(UTC)
    titles = [f"Barge-{number}" for number in range(5)]
    for number, title in enumerate(titles):
        publish(database, queue, org_id, title=title, now=now + timedelta(seconds=number))
    seen, cursor = list[str](), None
    while True:
        page = client.get(REPORTS, params={"limit": 2} | ({} if cursor is None else {"cursor": cursor})).json()
        seen += [row["title"] for row in page["reports"]]
        if (cursor := page["next_cursor"]) is None:
            break
    assert seen == titles[::-1]
    assert [row["title"] for row in client.get(REPORTS, params={"search": "barge-3"}).json()["reports"]] == ["Barge-3"]
    assert client.get(REPORTS, params={"search": "barge%"}).json()["reports"] == []
    assert client.get(REPORTS, params={"cursor": "nonsense"}).status_code == 422


def test_what_was_removed_comes_back_with_all_that_was_said(client: TestClient, report_id: UUID) -> None:
    before = client.get(f"{REPORTS}/{report_id}").json()
    assert client.post(f"{REPORTS}/{report_id}/comments", json={"text": "Good."}).status_code == 201
    assert client.delete(f"{REPORTS}/{report_id}").status_code == 204
    for address in ("", "/files/json", "/comments", f"/difference?from={report_id}"):
        assert client.get(f"{REPORTS}/{report_id}{address}").status_code == 404
    assert client.post(f"{REPORTS}/{report_id}/comments", json={"text": "x"}).status_code == 404
    assert client.delete(f"{REPORTS}/{report_id}").status_code == 404
    assert client.post(f"{REPORTS}/{report_id}/restore").json() == before | {"comments": 1}


def test_an_older_report_says_that_there_is_a_newer_one(
    client: TestClient, database: Database, queue: Queue, org_id: UUID, report_id: UUID
) -> None:
    answer = client.post(REPORTS, json=VALIDATION | {"replaces": str(report_id)}).json()
    assert answer["replaces"]["id"] == str(report_id)
    assert client.get(f"{REPORTS}/{report_id}").json()["replaced_by"]["id"] == answer["id"]
    newest = publish(database, queue, org_id, replaces=UUID(answer["id"]))
    assert client.get(f"{REPORTS}/{report_id}").json()["replaced_by"]["title"] == newest.report.title
    rows = {row["id"]: row["replaced_by"] for row in client.get(REPORTS).json()["reports"]}
    assert rows == {str(report_id): str(newest.id), answer["id"]: str(newest.id), str(newest.id): None}


def test_nothing_of_another_team_is_replaced_or_compared(
    client: TestClient, database: Database, queue: Queue, other_org_id: UUID, report_id: UUID
) -> None:
    theirs = publish(database, queue, other_org_id)
    never = uuid4()
    for other in (theirs.id, never):
        refused = client.post(REPORTS, json=VALIDATION | {"replaces": str(other)})
        assert (refused.status_code, refused.json()["detail"]) == (404, f"There is no report {other}.")
        compared = client.get(f"{REPORTS}/{report_id}/difference", params={"from": str(other)})
        assert (compared.status_code, compared.json()["detail"]) == (404, f"There is no report {other}.")
    assert len(client.get(REPORTS).json()["reports"]) == 1


def test_what_differs_is_told_from_the_older_to_the_newer(
    client: TestClient, database: Database, queue: Queue, org_id: UUID, report_id: UUID
) -> None:
    report = full_report()
    text = REPORT.dump_json(report).decode()
    changed = REPORT.validate_json(text.replace("16 min 50 s", "15 min").replace(":1010.0", ":900.0"))
    newer = publish(database, queue, org_id, changed)
    said = client.get(f"{REPORTS}/{newer.id}/difference", params={"from": str(report_id)}).json()
    assert (said["old"]["id"], said["new"]["id"]) == (str(report_id), str(newer.id))
    [time] = [each for each in said["changes"] if each["label"] == "Time" and each["where"] == ""]
    assert (time["kind"], time["old"]["words"], time["new"]["words"]) == ("changed", "16 min 50 s", "15 min")
    assert time["better"] is True
    assert time["change_pct"] == pytest.approx(-10.89, abs=0.01)
    back = client.get(f"{REPORTS}/{report_id}/difference", params={"from": str(newer.id)}).json()
    assert len(back["changes"]) == len(said["changes"])
    assert client.get(f"{REPORTS}/{report_id}/difference", params={"from": str(report_id)}).json()["changes"] == []


def test_a_file_is_the_frozen_report_in_another_format(
    client: TestClient, database: Database, queue: Queue, org_id: UUID, report_id: UUID
) -> None:
    make_files(database, queue, org_id, report_id)
    read = client.get(f"{REPORTS}/{report_id}").json()
    as_json = client.get(f"{REPORTS}/{report_id}/files/json")
    assert hashlib.sha256(as_json.content).hexdigest() == read["digest"]
    assert as_json.json() == read["report"]
    lines = list(csv.reader(io.StringIO(client.get(f"{REPORTS}/{report_id}/files/csv").text)))
    said = {cell for line in lines for cell in line}
    report = REPORT.validate_python(read["report"])
    assert {each.words for each in amounts_of(report) if each.words[:1] not in "=+-@"} - said == set()
    book = client.get(f"{REPORTS}/{report_id}/files/xlsx").content
    assert zipfile.is_zipfile(io.BytesIO(book))
    assert client.get(f"{REPORTS}/{report_id}/files/xlsx").content == book
    assert client.get(f"{REPORTS}/{report_id}/files/html").status_code == 422


@pytest.mark.parametrize("ending", ["json", "csv", "xlsx"])
def test_a_file_is_named_never_taken_for_a_page_and_not_sent_twice(
    client: TestClient, database: Database, queue: Queue, org_id: UUID, ending: str
) -> None:
    title = 'Größe "a/b"; filename=x.exe\u202efdp'
    report_id = publish(database, queue, org_id, title=title).id
    make_files(database, queue, org_id, report_id)
    address = f"{REPORTS}/{report_id}/files/{ending}"
    answer = client.get(address)
    named = answer.headers["Content-Disposition"]
    assert named.startswith(f"attachment; filename=\"grosse-a-b-filename-x-exefdp.{ending}\"; filename*=UTF-8''")
    assert named.isascii()
    assert named.count("filename=") == 1
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cache-Control"] == "private, no-cache"
    again = client.get(address, headers={"If-None-Match": answer.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_what_a_worker_has_not_made_is_not_there_yet_and_is_made_again_where_it_was_not(
    client: TestClient, report_id: UUID
) -> None:
    pdf = client.get(f"{REPORTS}/{report_id}/files/pdf")
    assert (pdf.status_code, pdf.json()["detail"]) == (409, "The PDF is being made: ask again in a moment.")
    job = client.get(f"{REPORTS}/{report_id}").json()["documents"]["job_id"]
    assert client.post(f"/api/v1/jobs/{job}/cancel").json()["kind"] == "document"
    png = client.get(f"{REPORTS}/{report_id}/files/png")
    said = "There is no preview picture: It was cancelled. Have it made again."
    assert (png.status_code, png.json()["detail"]) == (409, said)
    documents = client.get(f"{REPORTS}/{report_id}").json()["documents"]
    assert (documents["state"], documents["reason"]) == ("failed", "It was cancelled.")
    revived = client.post(f"{REPORTS}/{report_id}/documents")
    assert (revived.status_code, revived.json()["state"], revived.json()["id"]) == (202, "queued", job)
    assert client.get(f"{REPORTS}/{report_id}").json()["documents"]["state"] == "making"


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_a_file_can_be_downloaded_only_after_the_worker_has_made_it(
    client: TestClient, database: Database, queue: Queue, org_id: UUID, report_id: UUID, ending: str
) -> None:
    what = {"csv": "CSV", "xlsx": "spreadsheet"}[ending]
    waiting = client.get(f"{REPORTS}/{report_id}/files/{ending}")
    assert (waiting.status_code, waiting.json()["detail"]) == (409, f"The {what} is being made: ask again in a moment.")
    assert client.get(f"{REPORTS}/{report_id}").json()["documents"]["formats"] == ["json"]
    make_files(database, queue, org_id, report_id)
    assert client.get(f"{REPORTS}/{report_id}/files/{ending}").status_code == 200
    assert set(client.get(f"{REPORTS}/{report_id}").json()["documents"]["formats"]) == {"json", *get_args(StoredFormat)}


def test_viewers_read_and_say_something_and_publish_nothing(
    anonymous: TestClient, gate: Database, org_id: UUID, report_id: UUID
) -> None:
    viewer = signed_in(anonymous, gate, org_id, "viewer")
    assert viewer.get(f"{REPORTS}/{report_id}").json()["report"]["author"] == AUTHOR
    assert viewer.get(f"{REPORTS}/{report_id}/files/json").status_code == 200
    assert viewer.post(f"{REPORTS}/{report_id}/comments", json={"text": "Why so many nodes?"}).status_code == 201
    for method, address in (
        ("POST", REPORTS),
        ("POST", f"{REPORTS}/preview"),
        ("DELETE", f"{REPORTS}/{report_id}"),
        ("POST", f"{REPORTS}/{report_id}/restore"),
        ("POST", f"{REPORTS}/{report_id}/documents"),
    ):
        assert (
            viewer.request(
                method, address, json=VALIDATION if address != f"{REPORTS}/{report_id}" else None
            ).status_code
            == 404
        )


def test_comments_stand_in_their_order_and_are_deleted_by_their_author_or_an_owner(
    client: TestClient, other_client: TestClient, anonymous: TestClient, gate: Database, org_id: UUID, report_id: UUID
) -> None:
    address = f"{REPORTS}/{report_id}/comments"
    viewer = signed_in(anonymous, gate, org_id, "viewer")
    ids = [
        who.post(address, json={"text": text}).json()["id"] for who, text in ((client, "one"), (viewer, "two\nlines"))
    ]
    said = viewer.get(address).json()["comments"]
    assert [(each["text"], each["own"], each["removable"]) for each in said] == [
        ("one", False, False),
        ("two\nlines", True, True),
    ]
    assert [each["removable"] for each in client.get(address).json()["comments"]] == [True, True]
    page = client.get(address, params={"limit": 1}).json()
    rest = client.get(address, params={"limit": 1, "cursor": page["next_cursor"]}).json()
    assert [each["id"] for each in (*page["comments"], *rest["comments"])] == ids
    assert rest["next_cursor"] is None
    assert viewer.delete(f"{address}/{ids[0]}").status_code == 404
    assert other_client.delete(f"{address}/{ids[0]}").status_code == 404
    assert other_client.get(address).status_code == 404
    assert viewer.delete(f"{REPORTS}/{uuid4()}/comments/{ids[1]}").status_code == 404
    assert client.get(f"{REPORTS}/{report_id}").json()["comments"] == 2
    assert viewer.delete(f"{address}/{ids[1]}").status_code == 204
    assert client.delete(f"{address}/{ids[0]}").status_code == 204
    assert client.get(address).json() == {"comments": [], "next_cursor": None}


@pytest.mark.parametrize(
    "text", ["", "  \n ", "x" * 10_001, "a\0b"], ids=["nothing", "blanks", "too long", "a control"]
)
def test_what_is_no_comment_is_refused(client: TestClient, report_id: UUID, text: str) -> None:
    answer = client.post(f"{REPORTS}/{report_id}/comments", json={"text": text})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["path"] == "text"


def test_what_is_done_with_reports_is_told_in_words(client: TestClient, report_id: UUID) -> None:
    comment = client.post(f"{REPORTS}/{report_id}/comments", json={"text": "Good."}).json()
    client.delete(f"{REPORTS}/{report_id}/comments/{comment['id']}")
    client.delete(f"{REPORTS}/{report_id}")
    client.post(f"{REPORTS}/{report_id}/restore")
    title, who = full_report().title, comment["person"]
    said = [event["sentence"] for event in client.get("/api/v1/audit").json()["events"]][::-1]
    assert said[-5:] == [
        f"Stowage published the report {title}.",
        f"{who} commented on the report {title}.",
        f"{who} removed a comment of {who} on the report {title}.",
        f"{who} removed the report {title}.",
        f"{who} brought back the report {title}.",
    ]
    assert "Good." not in json.dumps(client.get("/api/v1/audit").json())
    found = client.get("/api/v1/audit", params={"search": "commented"}).json()["events"]
    assert [event["action"] for event in found] == ["report_comment.insert"]


def test_what_could_not_be_read_again_is_not_published(
    client: TestClient, database: Database, queue: Queue, org_id: UUID
) -> None:
    broken = replace(full_report().versions[0], value=Amount(math.nan, "1", "nothing"))
    with pytest.raises(ValueError, match="versions"):
        publish(database, queue, org_id, versions=(broken,))
    assert client.get(REPORTS).json()["reports"] == []
