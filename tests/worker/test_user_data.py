"""The start script of a node, run here with everything that could shut down this machine replaced."""

import hashlib
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from stowage_worker.aws.user_data import MOST_BYTES, user_data

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
AGENT = b'import sys\nprint("AGENT", *sys.argv[1:])\n'


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@dataclass(frozen=True)
class Node:
    """A machine whose `shutdown`, `setsid`, `sleep` and `date` only record their calls."""

    folder: Path
    address: str
    """URL of the agent."""

    def boot(self, clock: datetime = NOW, **changed: object) -> tuple[list[str], list[str]]:
        """Run the script; return the recorded calls, and the output."""
        told: Mapping[str, object] = {
            "agent_url": f"{self.address}/agent.pyz",
            "sha256": hashlib.sha256(AGENT).hexdigest(),
            "roll_url": "http://127.0.0.1/roll.json?X-Amz-Signature=a&b='c'",
            "deadline": NOW + timedelta(minutes=30),
            "longest_s": 1800.0,
            **changed,
        }
        script = user_data(**told)  # type: ignore[arg-type]  # as the tests name them
        calls = self.folder / "calls"
        calls.write_text("")
        commands = self.folder / "bin"
        commands.mkdir(exist_ok=True)
        for name in ("shutdown", "setsid"):
            (commands / name).write_text(f'#!/bin/bash\necho "{name} $*" >>{calls}\n')
        (commands / "date").write_text(f"#!/bin/bash\necho {int(clock.timestamp())}\n")
        for each in commands.iterdir():
            each.chmod(0o755)
        path = self.folder / "user-data"
        path.write_text(script)
        environment = {"PATH": f"{commands}:/usr/local/bin:/usr/bin:/bin", "TMPDIR": str(self.folder)}
        done = subprocess.run(
            ["/bin/bash", str(path)], env=environment, capture_output=True, text=True, check=False, cwd=self.folder
        )
        return calls.read_text().splitlines(), done.stdout.splitlines()


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    files = tmp_path / "files"
    files.mkdir()
    (files / "agent.pyz").write_bytes(AGENT)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(files))) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield Node(tmp_path, f"http://127.0.0.1:{server.server_address[1]}")
        server.shutdown()
        thread.join()


def test_timers_come_first_and_then_the_agent(node: Node) -> None:
    called, printed = node.boot()
    assert called[0] == "shutdown -h +30 Stowage: the time of this run is over"
    assert called[1].startswith("setsid bash -c sleep 1800; until shutdown -h now")
    assert len(called) == 2
    [said] = printed
    assert said.startswith("AGENT node --roll http://127.0.0.1/roll.json?X-Amz-Signature=a&b='c' --ends-at ")
    assert said.endswith(str(int((NOW + timedelta(minutes=30)).timestamp())))


def test_a_download_that_takes_long_does_not_put_the_end_off() -> None:
    script = user_data(agent_url="a", sha256="0", roll_url="b", deadline=NOW, longest_s=1800.0)
    assert 0 < script.index("ends_at=$((") < script.index("urlopen")


def test_a_node_that_starts_late_stays_for_what_is_left(node: Node) -> None:
    called, _ = node.boot(NOW + timedelta(minutes=20))
    assert called[0].startswith("shutdown -h +10 ")
    assert called[1].startswith("setsid bash -c sleep 600;")


@pytest.mark.parametrize("clock", [datetime(1970, 1, 1, tzinfo=UTC), datetime(2020, 1, 1, tzinfo=UTC)])
def test_a_clock_that_is_behind_does_not_keep_a_node_alive(node: Node, clock: datetime) -> None:
    called, _ = node.boot(clock)
    assert called[0].startswith("shutdown -h +30 ")
    assert called[1].startswith("setsid bash -c sleep 1800;")


@pytest.mark.parametrize("late", [timedelta(minutes=30), timedelta(days=4000)])
def test_a_node_that_starts_after_its_deadline_ends_at_once(node: Node, late: timedelta) -> None:
    assert node.boot(NOW + late) == (["shutdown -h now"], [])


def test_another_program_than_the_agent_is_not_run(node: Node) -> None:
    called, printed = node.boot(sha256="0" * 64)
    assert called[-1] == "shutdown -h now"
    assert printed == []


def test_what_ec2_would_not_take_is_not_sent() -> None:
    with pytest.raises(ValueError, match="EC2 takes 16,384"):
        user_data(agent_url="x" * MOST_BYTES, sha256="0" * 64, roll_url="y", deadline=NOW, longest_s=1800.0)


def test_an_address_cannot_become_a_command(node: Node) -> None:
    _, printed = node.boot(roll_url="'; echo TAKEN; '")
    assert printed[0].startswith("AGENT node --roll '; echo TAKEN; ' --ends-at")
    assert "TAKEN" not in printed
