"""Sign-in and invitation links that an operator creates, on this machine and on given databases."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import httpx2 as httpx
import pytest

from database import opened, superuser
from people import join, new_person
from process import Running, redeemed, stowage
from stowage.cli.link import reset_second_factor
from stowage.features.teams.sign_in.store import second_factors
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import DatabaseUrls
from stowage.platform.database.orgs import LOCAL_ORG_ID


@pytest.fixture
def browser(up: Running) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=up.address, timeout=60) as client:
        yield client


def refused(browser: httpx.Client, link: str) -> bool:
    answer = browser.post("/api/v1/session/link", json={"secret": link.strip().rpartition("#")[2]})
    return answer.status_code == 401


def test_another_link_is_made_by_asking_and_ends_the_one_before(up: Running, browser: httpx.Client) -> None:
    first, second = (stowage("link", settings=up.settings).stdout for _ in range(2))
    assert re.fullmatch(rf"Sign in once with {up.address}/sign-in#[\w-]{{43}}\n", second)
    assert refused(browser, first)
    redeemed(browser, second)
    assert refused(browser, second)


def test_a_team_is_made_and_its_owner_joins_and_can_be_given_a_link_later(up: Running, browser: httpx.Client) -> None:
    made = stowage("team", "create", "Red team", "--owner", "Ada@Example.org", settings=up.settings)
    assert (made.returncode, made.stderr) == (0, "")
    said, _, secret = made.stdout.strip().rpartition("#")
    assert said.endswith(f"with {up.address}/join")
    look = browser.post("/api/v1/invitations/look", json={"secret": secret})
    assert look.json() == {"team": "Red team", "email": "ada@example.org", "role": "owner"}
    joined = browser.post(
        "/api/v1/invitations/accept",
        json={"secret": secret, "name": "Ada", "password": "seven herons over the lock"},
    )
    assert joined.status_code in {200, 201}, joined.text
    assert (joined.json()["team"]["name"], joined.json()["team"]["role"]) == ("Red team", "owner")
    with httpx.Client(base_url=up.address, timeout=60) as another:
        link = stowage("link", "--email", "ada@example.org", settings=up.settings)
        redeemed(another, link.stdout)
        assert another.get("/api/v1/session").json()["person"]["name"] == "Ada"


@pytest.mark.parametrize(
    ("command", "part"),
    [
        (("link", "--email", "unknown@example.org"), "No account has the e-mail 'unknown@example.org'"),
        (("team", "create", "Red\x07", "--owner", "ada@example.org"), "name: "),
        (("team", "create", "Red", "--owner", "ada"), "owner: "),
    ],
)
def test_what_cannot_be_is_told_in_one_line(up: Running, command: tuple[str, ...], part: str) -> None:
    answer = stowage(*command, settings=up.settings)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert part in answer.stderr
    assert answer.stderr.count("\n") == 1


def test_the_operator_command_removes_a_lost_second_factor(
    postgres: DatabaseUrls,
    gate: Database,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    email = f"ada-{uuid4().hex}@example.org"
    person_id = new_person(gate, "Ada", email)
    with opened(postgres.gate) as keyed, keyed.transaction(None) as connection:
        assert second_factors.begin(connection, person_id, "JBSWY3DPEHPK3PXP")
        assert second_factors.confirm(connection, person_id, datetime.now(UTC))
    given = {"STOWAGE_HOME": str(tmp_path), "DATABASE_URL": postgres.application, "GATE_DATABASE_URL": postgres.gate}
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    assert reset_second_factor(email) == 0
    assert capsys.readouterr().out == "The second factor of Ada is removed, and all their sessions have ended\n"
    with gate.transaction(None) as connection:
        assert not second_factors.is_required(connection, person_id)
    assert reset_second_factor(email) == 2
    assert "has no second factor" in capsys.readouterr().err


def test_given_databases_need_no_running_service(postgres: DatabaseUrls, gate: Database, tmp_path: Path) -> None:
    email = f"ada-{uuid4().hex}@example.org"
    join(gate, LOCAL_ORG_ID, new_person(gate, "Ada", email), "viewer")
    given = {
        "STOWAGE_HOME": str(tmp_path / "state"),
        "DATABASE_URL": postgres.application,
        "GATE_DATABASE_URL": postgres.gate,
        "STOWAGE_LOG": "json",
    }
    there = stowage(
        "link", "--email", email, settings=given | {"STOWAGE_PUBLIC_URL": "https://stowage.example.org:443"}
    )
    assert there.stdout.startswith("Sign in once with https://stowage.example.org/sign-in#")
    here = stowage("link", "--email", email, settings=given | {"STOWAGE_BIND": "::", "STOWAGE_PORT": "8123"})
    assert here.stdout.startswith("Sign in once with http://[::1]:8123/sign-in#")
    assert not (tmp_path / "state").exists()


def test_a_team_whose_invitation_failed_is_not_left_behind(postgres: DatabaseUrls, tmp_path: Path) -> None:
    given = {
        "STOWAGE_HOME": str(tmp_path / "state"),
        "DATABASE_URL": "postgresql://app@127.0.0.1:1/stowage",
        "GATE_DATABASE_URL": postgres.gate,
    }
    name = f"Team {uuid4().hex}"
    refused = stowage("team", "create", name, "--owner", "ada@example.org", settings=given)
    assert (refused.returncode, refused.stdout) == (1, "")
    with superuser(postgres) as connection:
        assert connection.execute("SELECT FROM org WHERE name = %s", [name]).rowcount == 0


def test_without_a_service_there_is_nothing_to_make_a_link_for(tmp_path: Path) -> None:
    answer = stowage("link", settings={"STOWAGE_HOME": str(tmp_path / "state")})
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.startswith(f"stowage: nothing runs on {tmp_path / 'state'}: start `stowage up`")


def test_databases_that_do_not_answer_are_told_without_their_passwords(tmp_path: Path) -> None:
    given = {
        "STOWAGE_HOME": str(tmp_path / "state"),
        "DATABASE_URL": "postgresql://app:hush@127.0.0.1:1/stowage",
        "GATE_DATABASE_URL": "postgresql://gate:hush@127.0.0.1:1/stowage",
    }
    for command in (("link",), ("team", "create", "Red", "--owner", "ada@example.org")):
        answer = stowage(*command, settings=given)
        assert (answer.returncode, answer.stdout) == (1, "")
        assert "no connection" in answer.stderr
        assert "hush" not in answer.stderr


def test_the_operator_lists_and_sets_the_quotas_of_a_team(up: Running) -> None:
    assert stowage("team", "create", "Blue team", "--owner", "blue@example.org", settings=up.settings).returncode == 0
    defaults = stowage("quotas", settings=up.settings)
    assert re.search(r"^plans +5,000 plans +Saved plans$", defaults.stdout, re.MULTILINE)
    changed = stowage("quotas", "Blue team", "--set", "plans=7", "--set", "streams=9", settings=up.settings)
    assert (changed.returncode, changed.stderr) == (0, "")
    assert re.search(r"^plans +7 plans +Saved plans$", changed.stdout, re.MULTILINE)
    again = stowage("quotas", "Blue team", "--reset", "plans", settings=up.settings)
    assert re.search(r"^plans +5,000 ", again.stdout, re.MULTILINE)
    assert re.search(r"^streams +9 ", again.stdout, re.MULTILINE)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("Nobodys",), "There is no team 'Nobodys'"),
        (("Nobodys", "--set", "plan=1"), "there is no quota 'plan'; accepted: previews-per-second"),
        (("Nobodys", "--set", "plans=many"), "'plans=many' is not NAME=LIMIT"),
        (("--set", "plans=1"), "need a TEAM"),
    ],
)
def test_a_quota_that_cannot_be_set_is_reported(up: Running, arguments: tuple[str, ...], words: str) -> None:
    refused = stowage("quotas", *arguments, settings=up.settings)
    assert refused.returncode == 2
    assert words in refused.stderr
