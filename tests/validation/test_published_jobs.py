"""Published finished jobs: every row says what was read where, and can be counted on."""

import csv
import re
from collections.abc import Mapping
from importlib.resources import files

import pytest

TABLES = sorted((files("stowage.validation") / "finished_jobs").iterdir(), key=lambda table: table.name)
ROWS = [row for table in TABLES for row in csv.DictReader(table.read_text().splitlines())]
NEEDED = ("source", "id", "framework", "job", "nodes", "data_gb", "time_s", "passage", "url", "read_on")
NUMBERS = ("nodes", "data_gb", "time_s", "vcpus", "memory_gib", "disks", "replication", "repetitions")
FRAMEWORKS = {"spark", "hadoop-mapreduce", "ray"}
RESERVED = "exoshuffle/cloudsort"
"""Its run tables are kept for an independent check: no row may come from there."""


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
