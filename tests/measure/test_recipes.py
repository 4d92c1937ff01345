"""Recommended benchmark commands: their output must be judged good, and feed the stated metrics."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from knowledge import AWS_2026, known
from runs_made_up import a_reading, disks, gp3, on
from stowage.measure.judging.judgement import judge
from stowage.measure.profiling.facts import facts_of
from stowage.measure.recipes import Recipe, cost_usd, recipes
from stowage.measure.tool import TOOLS

CATALOG = AWS_2026.catalog
AWS = known("aws-2026-07-06").catalog
WITHOUT_RECIPE = {"diskbench", "netbench", "iperf", "vnstat", "cloudwatch", "perfkit", "csv"}
"""Stowage's own tools, older ones, and those that report what others measure or record."""
R5D = CATALOG.instance_types["r5d.4xlarge"]


def options_of(command: str) -> dict[str, str]:
    return {name: value.strip() for name, value in re.findall(r"--([a-z_]+)(?:=(\S+))?", command)}


def of_fio(which: str, instance: str = "r5d.4xlarge") -> list[Recipe]:
    return [one for one in recipes(CATALOG.instance_types[instance]) if one.tool == "fio" and which in one.title]


RATES: dict[str, dict[str, Any]] = {
    "read": {"read_mb_per_s": 900.0},
    "write": {"write_mb_per_s": 450.0},
    "randread": {"read_iops": 200_000.0},
}


@pytest.mark.parametrize("recipe", of_fio("Own disks"), ids=lambda recipe: recipe.title)
def test_what_a_recipe_for_own_disks_makes_is_good_and_feeds_predictions(recipe: Recipe) -> None:
    options = options_of(recipe.command)
    reading = a_reading(settings=options, duration_s=float(options["runtime"]), **RATES[options["rw"]])
    target = on("r5d.4xlarge", disks(2))
    assert judge(reading, target, CATALOG).verdict == "good"
    (fact,) = facts_of(reading, target, CATALOG)
    assert fact.feeds is not None, fact.why_not
    assert options["filename"].count("/dev/") == 2


@pytest.mark.parametrize("recipe", of_fio("EBS"), ids=lambda recipe: recipe.title)
def test_what_a_recipe_for_volumes_makes_is_good(recipe: Recipe) -> None:
    options = options_of(recipe.command)
    rates: dict[str, Any] = {
        "read": {"read_mb_per_s": 131.0},
        "write": {"write_mb_per_s": 131.0},
        "randread": {"read_iops": 3_000.0},
    }[options["rw"]]
    reading = a_reading(settings=options, duration_s=float(options["runtime"]), **rates)
    assert judge(reading, on("r5d.4xlarge", gp3()), CATALOG).verdict == "good"


@pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed")
@pytest.mark.parametrize("recipe", [*of_fio("Own disks"), *of_fio("EBS")], ids=lambda recipe: recipe.title)
def test_fio_understands_its_recipe(recipe: Recipe, tmp_path: Path) -> None:
    words = recipe.command.replace("\\\n", " ").removeprefix("sudo ").split()
    # It creates the file of --output, even if it only parses.
    run = subprocess.run(
        [*words, "--parse-only"], cwd=tmp_path, capture_output=True, text=True, timeout=30, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_a_type_without_disks_has_no_recipe_for_them() -> None:
    assert of_fio("Own disks", "r5.xlarge") == []
    assert of_fio("Own disks") != []


def test_hard_disks_are_kept_busy_by_less() -> None:
    (slow,) = (one for one in recipes(AWS.instance_types["d3.xlarge"]) if "4 KiB" in one.title)
    assert "--iodepth=24" in slow.command
    assert "3 own disks" in slow.what


def test_a_network_that_is_lent_is_measured_for_an_hour() -> None:
    def lasts(instance: str) -> float:
        return next(one for one in recipes(CATALOG.instance_types[instance]) if one.tool == "iperf3").duration_s

    # r5d.4xlarge has 5 Gbit/s and bursts to 10; r5d.24xlarge has 25.
    assert lasts("r5d.4xlarge") > 3_600.0
    assert lasts("r5d.24xlarge") == 65.0


def test_each_machine_of_a_recipe_is_paid_for_at_least_a_minute() -> None:
    pair = Recipe("iperf3", "", "", 1_800.0, "", nodes=2)
    assert cost_usd(pair, 0.8) == pytest.approx(0.8)
    short = Recipe("fio", "", "", 5.0, "")
    assert cost_usd(short, 36.0) == pytest.approx(0.6)


def test_every_tool_that_makes_load_has_a_recipe_in_one_piece() -> None:
    found = recipes(None)
    assert {one.tool for one in found} == TOOLS.keys() - WITHOUT_RECIPE
    assert len({one.title for one in found}) == len(found)
    for one in found:
        assert one.duration_s > 0.0
        assert one.what.endswith(".")
        # Users paste it into a shell unchanged.
        assert "\\ \n" not in one.command
        assert one.command.isascii()


def test_what_destroys_says_so() -> None:
    for one in recipes(R5D):
        assert (one.overwrites is not None) == ("--rw=write" in one.command)
