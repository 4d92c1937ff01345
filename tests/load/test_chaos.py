"""Faults under load, drawn by the next seed without a result; the outcomes go to docs/reliability.md."""

import json
import subprocess
import sys

import pytest

from bench.load.record import RESULTS
from commands import ROOT

FAULTS = 8


def next_seed() -> int:
    results = [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []
    return 1 + max((each["seed"] for each in results if each["kind"] == "chaos"), default=0)


@pytest.mark.soak("chaos")
def test_the_service_recovers_from_every_fault_and_loses_and_repeats_nothing() -> None:
    command = (sys.executable, "-m", "bench.load.chaos", "--seed", str(next_seed()), "--faults", str(FAULTS))
    ended = subprocess.run([*command, "--record"], cwd=ROOT, check=False, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
