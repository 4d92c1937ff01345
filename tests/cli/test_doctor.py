"""`stowage doctor` as a user runs it: without a service, with a running one, and with broken parts."""

import json
import os
import socket
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from commands import stowage
from database import SECRETS_KEY
from process import Running, environment, free_port
from stowage.platform.database.embedded import DatabaseUrls


def doctor(settings: Mapping[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return stowage("doctor", *arguments, environment=environment(settings))


def found(settings: Mapping[str, str], *, status: int) -> dict[str, dict[str, Any]]:
    """Return its findings by item."""
    finished = doctor(settings, "--json")
    assert (finished.returncode, finished.stderr) == (status, ""), finished.stdout
    document = json.loads(finished.stdout)
    problems = [finding["item"] for finding in document["findings"] if finding["state"] == "problem"]
    assert document["problems"] == len(problems)
    assert bool(problems) == bool(status)
    return {finding["item"]: finding for finding in document["findings"]}


def on(home: Path, **others: str) -> dict[str, str]:
    return {"STOWAGE_HOME": str(home), "STOWAGE_PORT": str(free_port()), **others}


def test_with_nothing_there_nothing_is_in_the_way_and_nothing_is_made(home: Path) -> None:
    findings = found(on(home), status=0)
    assert findings["running"]["words"] == "nothing"
    assert "PostgreSQL) 18" in findings["PostgreSQL"]["words"]
    assert "Redis server v=" in findings["redis-server"]["words"]
    assert "will be made by the first start" in findings["state folder"]["words"]
    assert findings["reading of uploads"]["words"].startswith("each in a process of its own")
    assert not home.exists()


def test_people_get_a_line_for_each_item_however_narrow_the_terminal(home: Path) -> None:
    finished = doctor(on(home, COLUMNS="40"))
    assert finished.returncode == 0
    *lines, empty, verdict = finished.stdout.splitlines()
    assert {line.split()[0] for line in lines} <= {"ok", "note"}
    assert (empty, verdict) == ("", "Nothing is in the way.")


def test_what_runs_is_found_and_asked(up: Running) -> None:
    up.wait_until_ready()
    port = up.address.rpartition(":")[2]
    findings = found(up.settings, status=0)
    assert f"process {up.process.pid} at {up.address} since 20" in findings["running"]["words"]
    assert findings["running"]["words"].endswith("answers")
    assert findings[f"port {port}"]["words"] == f"is that of process {up.process.pid}"
    assert findings["database: tables"]["words"] == "are those of this version"
    assert findings["database, as gate"]["state"] == "ok"
    assert "paper-2014" in findings["database: catalogs"]["words"]
    assert findings["Redis"]["state"] == "ok"
    assert findings["data"]["state"] == "ok"
    assert {"worker", "worker-periodic", "worker-quick", "worker-refresh", "scheduler"} <= set(findings)


@pytest.mark.soak("tools")
def test_servers_that_are_given_are_asked(home: Path, postgres: DatabaseUrls, redis_url: str) -> None:
    given = {
        "DATABASE_URL": postgres.application,
        "GATE_DATABASE_URL": postgres.gate,
        "MIGRATIONS_DATABASE_URL": postgres.owner,
        "STOWAGE_SECRETS_KEY": SECRETS_KEY,
        "REDIS_URL": redis_url,
    }
    findings = found(on(home, **given), status=0)
    assert findings["database: tables"]["state"] == "ok"
    assert findings["database, as owner"]["state"] == "ok"
    assert findings["database, as gate"]["state"] == "ok"
    assert findings["Redis"]["state"] == "ok"


@pytest.mark.parametrize("other", ["DATABASE_URL", "MIGRATIONS_DATABASE_URL"])
def test_a_gate_that_is_none_of_its_own_is_a_problem(home: Path, postgres: DatabaseUrls, other: str) -> None:
    given = {"DATABASE_URL": postgres.application, "MIGRATIONS_DATABASE_URL": postgres.owner}
    missing = found(on(home, **given), status=1)["GATE_DATABASE_URL"]
    assert "signing in needs it" in missing["remedy"]
    shared = found(on(home, **given, GATE_DATABASE_URL=given[other]), status=1)["database, as gate"]
    assert "is that of another address, too" in shared["words"]


def test_how_people_get_in_is_told_without_secrets(home: Path) -> None:
    alone = found(on(home), status=0)["sign-in"]
    assert alone["words"] == "no OpenID provider; links are shown, not sent"
    given = {
        "STOWAGE_PUBLIC_URL": "https://stowage.example.org",
        "STOWAGE_OIDC_ISSUER": "https://id.example.org",
        "STOWAGE_OIDC_CLIENT_ID": "stowage",
        "STOWAGE_OIDC_CLIENT_SECRET": "hush-hush",
        "STOWAGE_PASSWORDS": "off",
        "STOWAGE_SMTP_URL": "smtp://stowage:hush-hush@mail.example.org",
        "STOWAGE_MAIL_FROM": "stowage@example.org",
    }
    finished = doctor(on(home, **given))
    assert finished.returncode == 0
    assert (
        "OpenID provider https://id.example.org, passwords off; mail from stowage@example.org; links begin with"
        in finished.stdout
    )
    assert "hush" not in finished.stdout


def test_servers_that_do_not_answer_are_problems_and_their_passwords_are_hidden(home: Path) -> None:
    port = free_port()
    given = {
        "DATABASE_URL": f"postgresql://app:hush-hush@127.0.0.1:{port}/stowage",
        "GATE_DATABASE_URL": f"postgresql://gate:hush-hush@127.0.0.1:{port}/stowage",
        "MIGRATIONS_DATABASE_URL": f"postgresql://owner:hush-hush@127.0.0.1:{port}/stowage",
        "REDIS_URL": f"redis://:hush-hush@127.0.0.1:{port}/0",
    }
    findings = found(on(home, **given), status=1)
    for item in ("database", "database, as owner", "database, as gate", "Redis"):
        assert findings[item]["state"] == "problem"
        assert findings[item]["remedy"]
    assert "hush" not in json.dumps(findings)
    assert "hush" not in doctor(on(home, **given)).stdout


def test_settings_that_cannot_be_are_told_and_the_rest_is_looked_at_all_the_same(home: Path) -> None:
    nonsense = {
        "STOWAGE_PORT": "many",
        "STOWAGE_LOG": "loud",
        "MIGRATIONS_DATABASE_URL": "postgresql://o:hush@/s",
        "STOWAGE_OIDC_ISSUER": "https://id.example.org",
    }
    findings = found({"STOWAGE_HOME": str(home)} | nonsense, status=1)
    for name in nonsense:
        assert findings[name]["state"] == "problem"
    assert findings["Python"]["state"] == "ok"
    assert str(home) in findings["state folder"]["words"]


@pytest.mark.parametrize("url", ["?", "mysql://a@h/b", "http://localhost"])
def test_addresses_that_are_none_are_problems_and_no_traces(home: Path, url: str) -> None:
    given = dict.fromkeys(("DATABASE_URL", "MIGRATIONS_DATABASE_URL", "REDIS_URL"), url)
    findings = found(on(home, **given), status=1)
    for name in given:
        assert findings[name]["state"] == "problem"


def test_who_has_the_port_is_named(home: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        findings = found(on(home) | {"STOWAGE_PORT": str(port)}, status=1)
    assert f"process {os.getpid()} " in findings[f"port {port}"]["words"]
    assert "STOWAGE_PORT" in findings[f"port {port}"]["remedy"]


def test_what_is_wrong_with_the_data_is_told_and_nothing_is_touched(home: Path) -> None:
    (home / "postgres" / "base").mkdir(parents=True)
    (home / "postgres.broken-20260101T000000.000000Z").mkdir()
    finished = doctor(on(home))
    assert finished.returncode == 0
    assert "half-written: PG_VERSION is missing" in finished.stdout
    assert "delete it when nothing in it is needed" in finished.stdout
    (home / "postgres" / "PG_VERSION").write_text("16\n")
    assert "holds data of PostgreSQL 16" in found(on(home), status=1)["data"]["words"]
    assert {path.name for path in home.iterdir()} == {"postgres", "postgres.broken-20260101T000000.000000Z"}


def test_a_file_where_the_state_has_to_be_is_a_problem(home: Path) -> None:
    home.write_text("mine")
    assert found(on(home), status=1)["state folder"]["words"] == f"{home} is a file"
    assert found(on(home / "below"), status=1)["state folder"]["words"] == f"{home} is a file"
