"""Damaged state folders: each is reported, repaired if possible, and nothing is deleted."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest

from database import superuser
from stowage.platform.database.embedded import DatabaseUrls, start_postgres
from stowage.platform.database.errors import ServerFailed
from stowage.processes.state import sole_use
from stowage.processes.supervisor import Supervisor

KILLS = pytest.mark.soak("kills")


@pytest.fixture
def state(state_copy: Callable[[], AbstractContextManager[Path]]) -> Iterator[Path]:
    """Return a folder that a test may damage."""
    with state_copy() as folder:
        yield folder


@contextmanager
def started(state: Path) -> Iterator[tuple[DatabaseUrls, list[str]]]:
    """Run the server, and return the messages to the user besides its addresses."""
    said: list[str] = []
    with sole_use(state) as held, Supervisor(say=said.append) as supervisor:
        yield start_postgres(supervisor, held).urls(), said


def answers(urls: DatabaseUrls) -> bool:
    with superuser(urls) as connection:
        return connection.info.status == psycopg.pq.ConnStatus.OK


def remove(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink()


@pytest.mark.parametrize(
    "missing",
    [
        "PG_VERSION",
        *(pytest.param(name, marks=KILLS) for name in ("global/pg_control", "base", "pg_wal", "pg_xact")),
    ],
)
def test_a_copy_that_was_interrupted_is_put_aside_with_all_that_is_in_it(state: Path, missing: str) -> None:
    remove(state / "postgres" / missing)
    left = {path.name for path in (state / "postgres").iterdir()}
    with started(state) as (urls, said):
        assert answers(urls)
    [aside] = state.glob("postgres.broken-*")
    assert {path.name for path in aside.iterdir()} == left
    [line] = said
    assert f"({missing} is missing)" in line
    assert str(aside) in line


@KILLS
@pytest.mark.parametrize("name", ["PG_VERSION", "global/pg_control"])
def test_a_file_that_a_full_disk_cut_short_is_put_aside_with_the_rest(state: Path, name: str) -> None:
    os.truncate(state / "postgres" / name, 0)
    with started(state) as (urls, said):
        assert answers(urls)
    assert len(list(state.glob("postgres.broken-*"))) == 1
    assert len(said) == 1


@KILLS
def test_what_was_put_aside_before_stays_beside_what_is_put_aside_now(state: Path) -> None:
    for _ in range(2):
        remove(state / "postgres" / "PG_VERSION")
        with started(state):
            pass
    assert len(list(state.glob("postgres.broken-*"))) == 2


@KILLS
def test_a_killed_initialisation_is_reported_and_restarted(state: Path) -> None:
    (state / "postgres").rename(state / "postgres.new")
    with started(state) as (urls, said):
        assert answers(urls)
    assert not (state / "postgres.new").exists()
    [line] = said
    assert "interrupted" in line


@pytest.mark.parametrize("version", ["16", pytest.param("9.6", marks=KILLS)])
def test_data_of_another_version_are_told_and_not_touched(state: Path, version: str) -> None:
    (state / "postgres" / "PG_VERSION").write_text(f"{version}\n")
    (state / "postgres" / "postmaster.pid").write_text("4711\n")
    before = {path: path.stat().st_mtime_ns for path in (state / "postgres").rglob("*")}
    with pytest.raises(ServerFailed, match=f"holds data of PostgreSQL {version}, and Stowage runs"), started(state):
        pytest.fail("it started")
    assert {path: path.stat().st_mtime_ns for path in (state / "postgres").rglob("*")} == before


@pytest.mark.parametrize("name", ["postgres", "postgres.new"])
def test_a_file_where_a_folder_has_to_be_is_told_and_left(state: Path, name: str) -> None:
    (state / "postgres").rename(state / "elsewhere")
    (state / name).write_text("mine")
    with pytest.raises(ServerFailed, match=name), started(state):
        pytest.fail("it started")
    assert (state / name).read_text() == "mine"


@KILLS
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a disk that is full")
def test_a_full_disk_is_reported_and_a_start_with_more_room_starts_over() -> None:
    with TemporaryDirectory(prefix="stowage-tests-") as path:
        if subprocess.run(["/bin/mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", path], check=False).returncode:
            pytest.skip("nothing can be mounted here")
        try:
            with pytest.raises(ServerFailed, match="No space left on device"), started(Path(path) / "state"):
                pytest.fail("it started")
            subprocess.run(["/bin/mount", "-o", "remount,size=512m", path], check=True)
            with started(Path(path) / "state") as (urls, _):
                assert answers(urls)
        finally:
            subprocess.run(["/bin/umount", path], check=True)
