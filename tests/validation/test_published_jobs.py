"""Published finished jobs: every row states its source, is plausible, and beats no physical limit."""

import csv
import re
from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import files

import pytest

from knowledge import PAPER, known
from stowage.catalog.snapshot import LATEST
from stowage.validation.published_jobs import PublishedJob, limited_runs, physical_limit_of, published_jobs
from validation.published import GROUND

TABLES = sorted((files("stowage.validation") / "finished_jobs").iterdir(), key=lambda table: table.name)
ROWS = [row for table in TABLES for row in csv.DictReader(table.read_text().splitlines())]
NEEDED = ("source", "id", "framework", "job", "nodes", "data_gb", "time_s", "passage", "url", "read_on")
NUMBERS = ("nodes", "data_gb", "time_s", "vcpus", "memory_gib", "disks", "replication", "repetitions")
FRAMEWORKS = {"spark", "hadoop-mapreduce", "ray"}
RESERVED = "exoshuffle/cloudsort"
"""Its run tables are reserved for an independent check: no row may come from there."""


def test_there_are_series_by_node_count_of_two_frameworks() -> None:
    assert len(ROWS) >= 70
    assert {row["framework"] for row in ROWS} == FRAMEWORKS
    for framework, program in (("spark", "join"), ("hadoop-mapreduce", "terasort")):
        of_one_type = {
            row["nodes"]
            for row in ROWS
            if (row["framework"], row["job"], row["instance"]) == (framework, program, "m4.large")
        }
        assert len(of_one_type) >= 8


def test_no_row_is_there_twice_and_none_is_reserved() -> None:
    assert len({row["id"] for row in ROWS}) == len(ROWS)
    assert not [row["id"] for row in ROWS if RESERVED in (row["url"] + row["note"]).lower()]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_a_row_has_what_was_read_and_its_numbers_are_numbers(row: Mapping[str, str]) -> None:
    assert [name for name in NEEDED if not row[name]] == []
    assert [name for name in NUMBERS if row[name] and not float(row[name]) > 0.0] == []
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", row["read_on"])
    assert len(row["passage"]) <= 260


INSTANCES = {**PAPER.catalog.instance_types, **known(LATEST).catalog.instance_types}


@pytest.mark.parametrize("job", published_jobs(), ids=lambda job: job.id)
def test_no_published_run_beats_its_physical_limit(job: PublishedJob) -> None:
    limit_s = physical_limit_of(job, INSTANCES)
    assert limit_s is None or 0.0 < limit_s <= job.time_s


def test_every_published_run_is_listed_with_its_limit_and_none_beats_it() -> None:
    found = limited_runs(GROUND, INSTANCES)
    own, jobs = found[: -len(ROWS)], found[-len(ROWS) :]
    assert [run.id for run in jobs] == [row["id"] for row in ROWS]
    assert {run.id for run in own} == {
        *(f"sort-{name}-time" for name in ("2io", "application", "infrastructure", "spark")),
        *(f"st1-{direction}-{volumes}" for direction in ("read", "write") for volumes in (1, 2, 4)),
    }
    limits = [(run.limit_s, run.actual_s) for run in found if run.limit_s is not None]
    assert len(limits) == 73
    assert all(0.0 < limit_s <= time_s for limit_s, time_s in limits)


def test_what_a_source_states_of_the_hardware_moves_the_limit() -> None:
    [job] = [job for job in published_jobs() if job.id == "xin-2014-100tb-206"]

    def limit(**told: str) -> float:
        return physical_limit_of(replace(job, told={**job.told, **told}), INSTANCES) or 0.0

    # 99.5% of 485 GB over 1,250 MB/s.
    assert limit() == pytest.approx(100e6 / 206 * 205 / 206 / 1_250.0, rel=0.01)
    assert limit(network_gbit_per_s="5") == pytest.approx(2.0 * limit(), rel=0.01)
    assert limit(disks="8", disk_mb_per_s="300") > limit()
    assert limit(network_gbit_per_s="", instance="") == 0.0
