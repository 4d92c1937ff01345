"""Supervision of small programs: start, restart, giving up, stop."""

import dataclasses
import os
import signal
import stat
import time
from collections.abc import Callable
from pathlib import Path
from queue import Queue
from threading import Event

import psutil
import pytest

from stowage.processes.child import Program
from stowage.processes.errors import ChildFailed
from stowage.processes.supervisor import Supervisor

PATIENCE_S = 240.0


def program(folder: Path, script: str, *, name: str = "the program", **others: object) -> Program:
    """Return a shell script's description; the script reports that it is up by a file with its name."""
    settings: dict[str, object] = {
        "is_ready": lambda _pid: (folder / "up").exists(),
        "environment": {"PATH": os.defpath},
    }
    return Program(
        name=name,
        command=("/bin/sh", "-c", script),
        folder=folder,
        log=folder / "log" / f"{name}.log",
        **(settings | others),  # type: ignore[arg-type]
    )


STAYS = "touch up; exec sleep 1000"


def test_a_program_runs_until_the_block_is_left_and_not_longer(tmp_path: Path) -> None:
    with Supervisor() as supervisor:
        [child] = supervisor.start(program(tmp_path, STAYS))
        child.await_ready()
        process = psutil.Process(child.pid)
        assert process.cwd() == str(tmp_path)
    assert not process.is_running()


def test_it_is_stopped_when_the_block_raises(tmp_path: Path) -> None:
    processes = []

    def run_half_way() -> None:
        with Supervisor() as supervisor:
            [child] = supervisor.start(program(tmp_path, STAYS))
            child.await_ready()
            processes.append(psutil.Process(child.pid))
            raise RuntimeError("half-way")

    with pytest.raises(RuntimeError, match="half-way"):
        run_half_way()
    assert [process.is_running() for process in processes] == [False]


def test_it_gets_the_environment_that_is_named_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "of this process")
    with Supervisor() as supervisor:
        environment = {"PATH": os.defpath, "OURS": "yes"}
        [child] = supervisor.start(program(tmp_path, f"env > seen; {STAYS}", environment=environment))
        child.await_ready()
    seen = (tmp_path / "seen").read_text().splitlines()
    assert "OURS=yes" in seen
    # A shell adds some of its own.
    assert {line.partition("=")[0] for line in seen} - {"PWD", "OLDPWD", "SHLVL", "_"} == {"PATH", "OURS"}


def test_ctrl_c_in_the_terminal_does_not_reach_it(tmp_path: Path) -> None:
    with Supervisor() as supervisor:
        [child] = supervisor.start(program(tmp_path, STAYS))
        child.await_ready()
        assert os.getpgid(child.pid or 0) != os.getpgid(0)


def test_one_that_was_killed_is_started_again_and_the_user_is_told(tmp_path: Path) -> None:
    said: Queue[str] = Queue()
    with Supervisor(say=said.put) as supervisor:
        [child] = supervisor.start(program(tmp_path, STAYS))
        child.await_ready()
        killed = child.pid
        os.kill(killed or 0, signal.SIGKILL)
        assert said.get(timeout=PATIENCE_S) == "the program was ended by SIGKILL and was started again"
        assert child.pid != killed
        assert psutil.Process(child.pid).is_running()
    assert said.empty()


def test_what_an_earlier_one_left_is_dealt_with_before_each_start(tmp_path: Path) -> None:
    said: Queue[str] = Queue()
    prepared: list[bool] = []

    def prepare() -> None:
        prepared.append((tmp_path / "up").exists())
        (tmp_path / "up").unlink(missing_ok=True)

    with Supervisor(say=said.put) as supervisor:
        [child] = supervisor.start(program(tmp_path, STAYS, prepare=prepare))
        child.await_ready()
        os.kill(child.pid or 0, signal.SIGKILL)
        said.get(timeout=PATIENCE_S)
    assert prepared == [False, True]


def test_one_that_ends_again_and_again_is_given_up_with_its_last_words(tmp_path: Path) -> None:
    given_up: Queue[ChildFailed] = Queue()
    said: list[str] = []
    with Supervisor(say=said.append, gave_up=given_up.put) as supervisor:
        script = "echo out of paper; exit 3"
        supervisor.start(program(tmp_path, script, is_ready=None, back_off_s=(0.0, 0.0, 0.1)))
        failure = str(given_up.get(timeout=PATIENCE_S))
    assert failure.startswith("the program ended with status 3, after 3 restarts within 60 s")
    assert failure.endswith("\n  out of paper")
    assert len(said) == 3


def test_one_whose_restart_fails_is_tried_again(tmp_path: Path) -> None:
    said: Queue[str] = Queue()
    obstacles = iter([None, OSError("no room"), None])

    def prepare() -> None:
        if (obstacle := next(obstacles)) is not None:
            raise obstacle

    with Supervisor(say=said.put) as supervisor:
        [child] = supervisor.start(program(tmp_path, STAYS, prepare=prepare))
        child.await_ready()
        os.kill(child.pid or 0, signal.SIGKILL)
        assert said.get(timeout=PATIENCE_S) == "the program could not be started: no room and was started again"


def test_one_that_does_not_start_says_why_and_is_not_tried_again(tmp_path: Path) -> None:
    with Supervisor() as supervisor:
        [child] = supervisor.start(program(tmp_path, "echo once >> starts; echo out of paper >&2; exit 3"))
        with pytest.raises(ChildFailed, match="the program ended with status 3 at its start") as failure:
            child.await_ready()
    assert str(failure.value).endswith("\n  out of paper")
    assert (tmp_path / "starts").read_text() == "once\n"


def test_one_that_takes_too_long_to_start_is_ended(tmp_path: Path) -> None:
    with Supervisor() as supervisor:
        [child] = supervisor.start(program(tmp_path, "exec sleep 1000", start_within_s=0.1))
        with pytest.raises(ChildFailed, match="did not answer within"):
            child.await_ready()
        assert not psutil.pid_exists(child.pid or 0)


def test_a_preparation_that_fails_fails_the_start(tmp_path: Path) -> None:
    def refuse() -> None:
        raise ValueError("not in this state")

    with Supervisor() as supervisor:
        [child] = supervisor.start(program(tmp_path, STAYS, prepare=refuse))
        with pytest.raises(ValueError, match="not in this state"):
            child.await_ready()


def test_one_that_cannot_be_asked_is_not_left_running(tmp_path: Path) -> None:
    def fail(_pid: int) -> bool:
        raise ValueError("not of this world")

    with Supervisor() as supervisor:
        [child] = supervisor.start(program(tmp_path, STAYS, is_ready=fail))
        with pytest.raises(ValueError, match="not of this world"):
            child.await_ready()
        assert not psutil.pid_exists(child.pid or 0)


def test_a_program_that_is_not_there_is_told(tmp_path: Path) -> None:
    nowhere = dataclasses.replace(program(tmp_path, ""), command=("/nonexistent",))
    with Supervisor() as supervisor:
        [child] = supervisor.start(nowhere)
        with pytest.raises(FileNotFoundError, match="nonexistent"):
            child.await_ready()


def test_a_program_in_the_background_is_restarted_and_given_up_too(tmp_path: Path) -> None:
    given_up: Queue[ChildFailed] = Queue()
    nowhere = dataclasses.replace(
        program(tmp_path, "", is_ready=None, back_off_s=(0.0, 0.0)), command=("/nonexistent",)
    )
    with Supervisor(gave_up=given_up.put) as supervisor:
        supervisor.start(nowhere)
        assert "could not be started: " in str(given_up.get(timeout=PATIENCE_S))


def test_one_that_does_not_end_at_the_first_signal_gets_the_second(tmp_path: Path) -> None:
    script = "trap 'touch term' TERM; trap 'touch quit; exit' QUIT; touch up; while :; do sleep 0.01; done"
    with Supervisor() as supervisor:
        [child] = supervisor.start(
            program(tmp_path, script, stop_by=((signal.SIGTERM, 0.01), (signal.SIGQUIT, PATIENCE_S)))
        )
        child.await_ready()
        process = psutil.Process(child.pid)
        child.ask_to_end()
        while not (tmp_path / "term").exists():
            assert process.is_running()
            time.sleep(0.01)
    assert not process.is_running()
    assert (tmp_path / "quit").exists()


def test_one_that_is_deaf_is_killed(tmp_path: Path) -> None:
    deaf = "trap '' TERM QUIT; touch up; while :; do sleep 0.01; done"
    with Supervisor() as supervisor:
        [child] = supervisor.start(
            program(tmp_path, deaf, stop_by=((signal.SIGTERM, 0.01), (signal.SIGQUIT, 0.01))),
        )
        child.await_ready()
        process = psutil.Process(child.pid)
    assert not process.is_running()


def test_what_was_started_last_is_stopped_first(tmp_path: Path) -> None:
    def notes_its_end(name: str) -> Program:
        script = f"trap 'echo {name} >> ends; exit 0' TERM; touch {name}; while :; do sleep 0.01; done"
        return program(tmp_path, script, name=name, is_ready=lambda _pid: (tmp_path / name).exists())

    with Supervisor() as supervisor:
        for name in ("server", "client"):
            [child] = supervisor.start(notes_its_end(name))
            child.await_ready()
    assert (tmp_path / "ends").read_text() == "client\nserver\n"


def test_what_was_started_together_is_asked_together(tmp_path: Path) -> None:
    """Each ends only after the other was asked to; stopping them in turn would never end."""

    def waits_for(other: str, name: str) -> Program:
        script = f"trap 'touch {name}.asked' TERM; touch {name}; until [ -e {other}.asked ]; do sleep 0.01; done"
        return program(
            tmp_path,
            script,
            name=name,
            is_ready=lambda _pid: (tmp_path / name).exists(),
            stop_by=((signal.SIGTERM, PATIENCE_S),),
        )

    with Supervisor() as supervisor:
        for child in supervisor.start(waits_for("b", "a"), waits_for("a", "b")):
            child.await_ready()


def test_one_that_is_asked_to_end_before_it_was_started_is_not_started(tmp_path: Path) -> None:
    entered, released = Event(), Event()

    def prepare() -> None:
        entered.set()
        released.wait(PATIENCE_S)

    with Supervisor() as supervisor:
        [child] = supervisor.start(program(tmp_path, STAYS, prepare=prepare))
        entered.wait(PATIENCE_S)
        child.ask_to_end()
        released.set()
    assert not (tmp_path / "up").exists()


def test_its_log_is_kept_from_others_and_goes_on_where_it_ended(tmp_path: Path) -> None:
    for _ in range(2):
        with Supervisor() as supervisor:
            [child] = supervisor.start(program(tmp_path, f"echo hello; {STAYS}"))
            child.await_ready()
        (tmp_path / "up").unlink()
    log = tmp_path / "log" / "the program.log"
    assert log.read_text() == "hello\n" * 2
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_a_large_log_makes_room_and_is_kept_once(tmp_path: Path, large: Callable[[Path], None]) -> None:
    log = tmp_path / "log" / "the program.log"
    large(log)
    with Supervisor() as supervisor:
        [child] = supervisor.start(program(tmp_path, f"echo hello; {STAYS}"))
        child.await_ready()
    assert log.read_text() == "hello\n"
    assert log.with_name("the program.log.1").stat().st_size > 10_000_000


@pytest.fixture
def large() -> Callable[[Path], None]:
    def make(path: Path) -> None:
        path.parent.mkdir()
        path.touch()
        os.truncate(path, 10_000_001)

    return make
