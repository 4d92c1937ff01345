"""Logs: one format for all records, with the request or job in each, and without passwords."""

import doctest
import json
import logging
import logging.handlers
import stat
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stowage import logs

ORG = UUID("6f1d2c3b-0000-4000-8000-000000000001")


@pytest.fixture(autouse=True)
def own_logging() -> Iterator[None]:
    """Leave pytest's own handlers unchanged."""
    root = logging.getLogger()
    before, level = root.handlers, root.level
    root.handlers = []
    yield
    for handler in root.handlers:
        handler.close()
    root.handlers, root.level = before, level
    logging.captureWarnings(capture=False)


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_json_is_one_object_a_line_from_every_logger(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("json")
    for name in ("stowage.api", "uvicorn.error", "celery.worker", "kombu"):
        logging.getLogger(name).info("started %d of\n%s", 1, "two")
    out, err = capsys.readouterr()
    assert err == ""
    records = lines(out)
    assert [record["logger"] for record in records] == ["stowage.api", "uvicorn.error", "celery.worker", "kombu"]
    assert {tuple(record) for record in records} == {("time", "level", "logger", "event")}
    assert {(record["level"], record["event"]) for record in records} == {("info", "started 1 of\ntwo")}
    assert all(record["time"].endswith("Z") for record in records)


def test_an_exception_is_a_field_and_not_a_tail_of_lines(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("json")
    try:
        int("no number")
    except ValueError:
        logging.getLogger("stowage").exception("failed")
    [record] = lines(capsys.readouterr().out)
    assert record["level"] == "error"
    assert record["exception"].startswith("Traceback")
    assert record["exception"].endswith("'no number'")


def test_what_celery_says_of_each_message_is_left_out_and_its_errors_are_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    logs.configure("json")
    logging.getLogger("celery.beat").info("Scheduler: Sending due task")
    logging.getLogger("celery.app.trace").error("Task raised")
    assert [record["event"] for record in lines(capsys.readouterr().out)] == ["Task raised"]


def test_a_warning_of_python_is_a_record_too(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("json")
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning("old", DeprecationWarning, "file.py", 1)
    out, err = capsys.readouterr()
    assert err == ""
    assert (lines(out)[0]["level"], "DeprecationWarning: old" in lines(out)[0]["event"]) == ("warning", True)


def test_text_is_for_people_and_silent_while_all_is_well(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("text")
    logging.getLogger("stowage").info("nothing to worry about")
    assert capsys.readouterr() == ("", "")
    with logs.request_context("abc-123"):
        logging.getLogger("stowage").warning("slow", extra={"duration_s": 3.5})
    out, err = capsys.readouterr()
    assert out == ""
    assert err[8:] == "Z WARNING stowage: slow request_id=abc-123 duration_s=3.5\n"


def test_a_request_is_named_in_what_its_threads_write(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("json")
    with logs.request_context("abc-123"), ThreadPoolExecutor(1) as threads:
        logs.bind_team(ORG)
        threads.submit(copy_context().run, logging.getLogger("inner").info, "inside").result()
    logging.getLogger("outer").info("outside")
    inside, outside = lines(capsys.readouterr().out)
    assert (inside["request_id"], inside["org"]) == ("abc-123", logs.team(ORG))
    assert not {"request_id", "org"} & set(outside)


def test_a_job_is_named_until_its_block_ends_even_by_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("json")
    job_id = uuid4()

    def work() -> None:
        with logs.job_context(ORG, job_id, part=3):
            logging.getLogger("worker").info("inside")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        work()
    with logs.job_context(ORG, job_id):
        logging.getLogger("worker").info("whole")
    logging.getLogger("worker").info("outside")
    inside, whole, outside = lines(capsys.readouterr().out)
    assert (inside["job_id"], inside["part"]) == (str(job_id), 3)
    assert "part" not in whole
    assert not {"job_id", "part", "org"} & set(outside)


def test_a_team_is_told_apart_but_not_told() -> None:
    assert logs.team(ORG) == logs.team(UUID(str(ORG))) != logs.team(uuid4())
    assert logs.team(ORG) not in str(ORG)


def test_only_known_fields_are_taken(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("json")
    # Celery logs the arguments of its tasks like this.
    logging.getLogger("celery").info("received", extra={"data": {"args": "private"}, "queue": "sweeps"})
    out = capsys.readouterr().out
    assert lines(out)[0]["queue"] == "sweeps"
    assert "private" not in out


@pytest.mark.parametrize(
    "written",
    [
        "postgresql://app:s3cret@db/stowage",
        "postgresql+psycopg://app:s3cret@db:5432/stowage?sslmode=require",
        "redis://:s3cret@redis:6379/0",
        "rediss://default:a@s3cret/x@redis:6379/0",
        "['redis://:s3cret@redis', 1]",
        "host=db user=app password=s3cret dbname=x",
        "host=db password='s3cret with blanks' dbname=x",
        "postgresql://db/stowage?user=app&password=s3cret",
        "{'password': 's3cret'}",
        "PGPASSWORD=s3cret",
        "X-Api-Key: s3cret",
        "access_token=s3cret",
        "Bearer s3cret",
        "Authorization: Basic s3cret",
        "{'authorization': 'Bearer s3cret'}",
        "Cookie: theme=dark; stowage-8000=s3cret",
        "set-cookie: __Host-stowage=s3cret; Secure; HttpOnly",
        "stowage-8000=s3cret",
        "__Host-stowage=s3cret; Path=/",
        "__Secure-stowage-oidc=s3cret",
        "stw_s3cret",
        "GET /s/0123456789012345678901234567890-s3cret",
        "GET /api/v1/shared/0123456789012345678901234567890-s3cret",
        "http://127.0.0.1:8000/sign-in#0123456789012345678901234567890123456789_s3cret",
        "$argon2id$v=19$m=19456,t=2,p=1$s3cret$s3cret",
        "X-CSRF-Token: s3cret",
    ],
)
@pytest.mark.parametrize("log_format", ["json", "text"])
def test_a_password_is_masked_wherever_it_stands(
    capsys: pytest.CaptureFixture[str], log_format: logs.LogFormat, written: str
) -> None:
    logs.configure(log_format)
    log = logging.getLogger("stowage")
    log.warning(written)
    log.warning("cannot reach %s", written)
    log.warning("with a field", extra={"queue": {"url": [written]}})
    log.error("lost", exc_info=ConnectionError(written))
    out, err = capsys.readouterr()
    assert "***" in out + err
    assert "s3cret" not in out + err


def test_what_holds_no_secret_stays_as_it_is() -> None:
    for text in (
        "GET http://127.0.0.1:8000/api/v1/plans?limit=2",
        "no connection to the database 'stowage': host=/tmp/x port 5432",
        "mail to person@example.org",
        "redis://redis:6379/0",
        "issue #12 of /s/x and host=stowage-7",
    ):
        assert logs.mask(text) == text


@given(
    user=st.from_regex(r"[a-z_]{0,12}", fullmatch=True),
    password=st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=6, max_size=40),
)
def test_no_password_of_an_address_survives(user: str, password: str) -> None:
    assert logs.mask(f"at postgresql://{user}:{password}@host/base") == f"at postgresql://{user}:***@host/base"


def test_a_file_holds_the_same_as_json_for_its_owner_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "log" / "api.log"
    logs.configure("text", file)
    with logs.request_context("abc-123"):
        logging.getLogger("stowage").info("request")
        logging.getLogger("stowage").error("our fault: redis://:s3cret@h")
    _, err = capsys.readouterr()
    assert len(err.splitlines()) == 1
    records = lines(file.read_text())
    assert [(record["level"], record["request_id"]) for record in records] == [
        ("info", "abc-123"),
        ("error", "abc-123"),
    ]
    assert "s3cret" not in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_a_file_does_not_grow_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "LARGEST_FILE_BYTES", 2_000)
    file = tmp_path / "api.log"
    logs.configure("text", file)
    for number in range(200):
        logging.getLogger("stowage").info("line %d", number)
    kept = sorted(tmp_path.iterdir())
    assert [path.name for path in kept] == ["api.log", "api.log.1", "api.log.2"]
    assert all(path.stat().st_size <= 2_000 for path in kept)
    assert lines(file.read_text())[-1]["event"] == "line 199"
    assert {stat.S_IMODE(path.stat().st_mode) for path in kept} == {0o600}


def test_the_last_configuration_holds(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("json")
    logs.configure("text")
    logging.getLogger("stowage").warning("once")
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines())) == ("", 1)


def test_the_examples_hold() -> None:
    assert doctest.testmod(logs) == (0, 3)
