"""Backup and restore by the guide's own commands on a real server: all data is restored, and teams stay separate."""

import os
import re
import shlex
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from composition import ROOT, composition, new_secrets, postgres_of
from database import new_org, opened
from stowage.cli.server.preparation import prepare_database
from stowage.platform.database.keyring import Keyring
from stowage.platform.database.migration import is_migrated
from stowage.platform.database.postmaster import find_programs


def commands(heading: str) -> list[str]:
    """Read the guide's commands under a heading, one per line."""
    return "".join(blocks(heading)).replace("\\\n", " ").splitlines()


def blocks(heading: str) -> list[str]:
    guide = (ROOT / "docs" / "guides" / "server.md").read_text()
    section = guide.split(f"## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"^```\n(.*?)^```", section, re.MULTILINE | re.DOTALL)


def typed(command: str, port: int, secrets: Path) -> None:
    """Run a command as if inside the server's container: its programs, its port, its superuser."""
    found = re.fullmatch(r"docker compose exec -T postgres (\w+) (.*?)(?: ([<>])\S.*)?", command)
    assert found is not None, command
    program, arguments, direction = found.groups()
    dump = secrets / "stowage.dump"
    done = subprocess.run(
        [find_programs() / program, "-h", "127.0.0.1", "-p", str(port), *shlex.split(arguments)],
        # By name and password: the socket of the container is not shared.
        env={"PGPASSWORD": (secrets / "postgres_password").read_text().strip()},
        input=dump.read_bytes() if direction == "<" else b"",
        stdout=subprocess.PIPE,
        check=True,
    )
    if direction == ">":
        dump.write_bytes(done.stdout)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[int, Path]]:
    secrets = new_secrets(tmp_path / "secrets")
    with postgres_of(composition()["services"]["postgres"], secrets) as port:
        yield port, secrets


def test_what_was_backed_up_is_there_again_and_still_apart(server: tuple[int, Path]) -> None:
    port, secrets = server
    owner_url, application_url, gate_url = (
        (secrets / name).read_text().strip().replace("@postgres:5432", f"@127.0.0.1:{port}")
        for name in ("migrations_database_url", "database_url", "gate_database_url")
    )
    prepare_database(owner_url, application_url, gate_url)
    with opened(owner_url) as owner:
        ours, theirs = new_org(owner), new_org(owner)
    # Commands that stop and start containers are left out.
    typing = [line for line in commands("Backup and restore") if line.startswith("docker compose exec")]
    assert [re.findall(r"postgres (\w+)", line)[0] for line in typing] == [
        "pg_dump", "dropdb", "createdb", "psql", "pg_restore",
    ]  # fmt: skip
    for command in typing:
        typed(command, port, secrets)
    with opened(application_url) as database:
        assert is_migrated(database)
        for org_id in (ours, theirs):
            with database.transaction(org_id) as connection:
                assert connection.scalars(text("SELECT org_id FROM org")).all() == [org_id]
    # A further upgrade finds all that it needs.
    prepare_database(owner_url, application_url, gate_url)


def test_a_server_of_before_teams_gets_its_third_role(server: tuple[int, Path], tmp_path: Path) -> None:
    port, secrets = server
    superuser = (secrets / "postgres_password").read_text().strip()
    psql = f"{find_programs() / 'psql'} -h 127.0.0.1 -p {port}"
    environment = {"PATH": os.environ["PATH"], "PGPASSWORD": superuser}
    # As before: two roles, and nothing of a third.
    for undo in ("REVOKE ALL ON DATABASE stowage FROM stowage_gate", "DROP ROLE stowage_gate"):
        subprocess.run([*psql.split(), "-q", "-U", "postgres", "-c", undo], env=environment, check=True)
    for name in ("gate_password", "gate_database_url", "stowage_oidc_client_secret", "stowage_smtp_url"):
        (secrets / name).unlink()
    docker = tmp_path / "bin" / "docker"
    docker.parent.mkdir()
    expected = '[ "$1 $2 $3 $4 $5" = "compose exec -T postgres psql" ]'
    docker.write_text(f'#!/bin/sh\n{expected} || exit 9\nshift 5\nexec {psql} "$@"\n')
    docker.chmod(0o755)
    [block] = blocks("From a version without sign-in")
    typing = subprocess.run(
        ["/bin/bash", "-euo", "pipefail", "-c", block],
        cwd=tmp_path,
        env=environment | {"PATH": f"{docker.parent}:{environment['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert typing.returncode == 0, typing.stderr
    made = {path.name: stat.S_IMODE(path.stat().st_mode) for path in secrets.iterdir()}
    assert made == {path.name: 0o444 for path in new_secrets(tmp_path / "fresh").iterdir()}
    owner, application, gate_url = (
        (secrets / name).read_text().strip().replace("@postgres:5432", f"@127.0.0.1:{port}")
        for name in ("migrations_database_url", "database_url", "gate_database_url")
    )
    prepare_database(owner, application, gate_url, Keyring([(secrets / "stowage_secrets_key").read_text().strip()]))
