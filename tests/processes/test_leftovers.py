"""Servers that outlived their supervisor: they are identified only by their working folder."""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from signal import SIGTERM

import pytest

from stowage.processes.errors import ChildFailed
from stowage.processes.leftovers import end_leftovers

Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def start() -> Iterator[Start]:
    """Start programs that are ended with the test."""
    with ExitStack() as stack:

        def run(*command: str, folder: Path) -> "subprocess.Popen[bytes]":
            process = stack.enter_context(
                subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            )
            stack.callback(process.kill)
            return process

        yield run


def test_those_that_work_in_the_folder_are_ended_and_no_others(start: Start, tmp_path: Path) -> None:
    (ours := tmp_path / "ours").mkdir()
    (theirs := tmp_path / "theirs").mkdir()
    leftovers = [start("sleep", "1000", folder=ours), start("sleep", "1000", folder=ours)]
    strangers = [start("sleep", "1000", folder=theirs), start("tail", "-f", "/dev/null", folder=ours)]
    end_leftovers("sleep", ours, SIGTERM, patience_s=30.0)
    assert [process.wait(timeout=30) for process in leftovers] == [-SIGTERM, -SIGTERM]
    assert [process.poll() for process in strangers] == [None, None]


def test_where_there_is_an_eldest_only_that_one_is_asked(start: Start, tmp_path: Path) -> None:
    eldest = start("sleep", "1000", folder=tmp_path)
    other = start("sleep", "1000", folder=tmp_path)
    with pytest.raises(ChildFailed, match=f"does not end: processes {other.pid}"):
        end_leftovers("sleep", tmp_path, SIGTERM, eldest=eldest.pid, patience_s=0.2)
    assert eldest.wait(timeout=30) == -SIGTERM
    assert other.poll() is None


def test_one_that_does_not_end_is_named(start: Start, tmp_path: Path) -> None:
    deaf = start("sh", "-c", "trap '' TERM; echo deaf; while :; do read -r _; done", folder=tmp_path)
    assert deaf.stdout is not None
    assert deaf.stdout.readline() == b"deaf\n"
    with pytest.raises(ChildFailed, match=f"an earlier sh in {tmp_path} does not end: processes {deaf.pid}"):
        end_leftovers("sh", tmp_path, SIGTERM, patience_s=0.2)
