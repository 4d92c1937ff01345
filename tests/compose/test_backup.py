"""The guide's backup and restore, its own commands on a real server: what was saved is there again, and still apart."""

import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from composition import ROOT, composition, new_secrets, postgres_of
from database import new_org, opened
from stowage.store.migration import is_migrated
from stowage.store.postmaster import find_programs
from stowage.usecases.preparation import prepare_database


def commands(heading: str) -> list[str]:
    """Read what the guide says to type under a heading, a command a line."""
    guide = (ROOT / "docs" / "guides" / "server.md").read_text()
    section = guide.split(f"## {heading}\n")[1].split("\n## ")[0]
    blocks = re.findall(r"^```\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    return "".join(blocks).replace("\\\n", " ").splitlines()


def typed(command: str, port: int, secrets: Path) -> None:
    """Run a command inside the server's container, as it were: its programs, its port, its superuser."""
    found = re.fullmatch(r"docker compose exec -T postgres (\w+) (.*?)(?: ([<>])\S.*)?", command)
    assert found is not None, command
    program, arguments, direction = found.groups()
    dump = secrets / "stowage.dump"
    done = subprocess.run(
        [find_programs() / program, "-h", "127.0.0.1", "-p", str(port), *shlex.split(arguments)],
        # By name and password: the socket of the container is its own.
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
    # What stops and starts the containers is left out.
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
    # Nothing is missing that another upgrade would need.
    prepare_database(owner_url, application_url, gate_url)
