"""The state folder: one process at a time, regardless of its contents; damaged files are moved aside."""

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from stowage.processes.errors import StateInUse, StateUnusable
from stowage.processes.state import holder, put_aside, sole_use

HOLDS = """
import sys
from pathlib import Path
from stowage.processes.state import sole_use
with sole_use(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def tenant(tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """Yield another process that holds ``state``."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, tmp_path / "state"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


@pytest.fixture
def read_only() -> Iterator[Path]:
    """Yield a folder that is read-only, also for root."""
    with TemporaryDirectory() as path:
        if os.geteuid() != 0:
            Path(path).chmod(0o555)
            yield Path(path)
            Path(path).chmod(0o755)
        elif subprocess.run(["/bin/mount", "-t", "tmpfs", "-o", "ro", "tmpfs", path], check=False).returncode:
            pytest.skip("nothing can be mounted here")
        else:
            yield Path(path)
            subprocess.run(["/bin/umount", path], check=True)


def test_it_is_created_for_this_user_alone_and_given_in_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with sole_use(Path("deep/state")) as held:
        assert held == tmp_path / "deep" / "state"
        assert stat.S_IMODE(held.stat().st_mode) == 0o700


def test_a_second_process_is_refused_and_told_by_whom(tmp_path: Path, tenant: "subprocess.Popen[str]") -> None:
    with pytest.raises(StateInUse, match=f"in use by process {tenant.pid}"), sole_use(tmp_path / "state"):
        pytest.fail("two hold it")


def test_this_process_is_refused_a_second_time_as_well(tmp_path: Path) -> None:
    with (
        sole_use(tmp_path),
        pytest.raises(StateInUse, match=f"in use by process {os.getpid()}"),
        sole_use(tmp_path),
    ):
        pytest.fail("two hold it")


def test_who_holds_it_can_be_asked_without_taking_it(tmp_path: Path, tenant: "subprocess.Popen[str]") -> None:
    assert holder(tmp_path / "state") == str(tenant.pid)
    assert holder(tmp_path / "state") == str(tenant.pid)


def test_it_is_free_before_and_after(tmp_path: Path) -> None:
    assert holder(tmp_path) is None
    with sole_use(tmp_path):
        pass
    assert holder(tmp_path) is None


def test_it_is_free_when_who_held_it_was_killed(tmp_path: Path, tenant: "subprocess.Popen[str]") -> None:
    os.kill(tenant.pid, signal.SIGKILL)
    tenant.wait()
    with sole_use(tmp_path / "state"):
        assert holder(tmp_path / "state") == str(os.getpid())


@pytest.mark.parametrize("garbage", [b"", b"\xff\xfe\x00", b"4711 and more", b"x" * 10_000])
def test_garbage_in_the_lock_file_names_no_process_and_does_not_block(tmp_path: Path, garbage: bytes) -> None:
    (tmp_path / "lock").write_bytes(garbage)
    with sole_use(tmp_path):
        assert holder(tmp_path) == str(os.getpid())
        (tmp_path / "lock").write_bytes(garbage)
        assert holder(tmp_path) == "unknown"


@pytest.mark.parametrize("in_the_way", ["state", "state/lock"])
def test_what_is_in_the_way_is_told_and_left(tmp_path: Path, in_the_way: str) -> None:
    place = tmp_path / in_the_way
    if in_the_way == "state":
        place.write_text("a file where a folder has to be")
    else:
        place.mkdir(parents=True)
    with pytest.raises(StateUnusable, match="cannot hold the state of this machine"), sole_use(tmp_path / "state"):
        pytest.fail("it is held")
    assert place.exists()


def test_a_loop_of_links_is_told(tmp_path: Path) -> None:
    (tmp_path / "state").symlink_to("state")
    with pytest.raises(StateUnusable, match="cannot hold"), sole_use(tmp_path / "state"):
        pytest.fail("it is held")


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to("/dev/full")
    with pytest.raises(StateUnusable, match="No space left on device"), sole_use(tmp_path):
        pytest.fail("it is held")


def test_a_folder_that_can_only_be_read_is_told(read_only: Path) -> None:
    with pytest.raises(StateUnusable, match="cannot hold the state"), sole_use(read_only):
        pytest.fail("it is held")
    assert list(read_only.iterdir()) == []


def test_what_is_put_aside_keeps_all_it_holds_under_a_name_that_says_so(tmp_path: Path) -> None:
    (tmp_path / "postgres").mkdir()
    (tmp_path / "postgres" / "data").write_text("perhaps of value")
    place = put_aside(tmp_path / "postgres")
    assert place.name.startswith("postgres.broken-2")
    assert (place / "data").read_text() == "perhaps of value"
    assert not (tmp_path / "postgres").exists()
