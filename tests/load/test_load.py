"""Load for some minutes, and again next to a hostile team; its figures go to docs/reliability.md."""

import subprocess
import sys

import pytest

from commands import ROOT

USERS, MINUTES = 10, 3.0


@pytest.mark.soak("load")
def test_nothing_acknowledged_is_lost_or_stored_twice_also_beside_a_hostile_team() -> None:
    command = (sys.executable, "-m", "bench.load", "--users", str(USERS), "--minutes", str(MINUTES), "--hostile")
    ended = subprocess.run([*command, "--record"], cwd=ROOT, check=False, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
