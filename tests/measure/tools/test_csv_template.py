import io
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given

from measured import all_of, check_cut, check_digits, damaged, files_for, head_of
from stowage.measure.errors import Unreadable
from stowage.measure.reading import Host, Reading
from stowage.measure.tools import csv_template

FILES = files_for("csv_template")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_each_file_is_recognised_and_its_figures_stand_in_it(path: Path) -> None:
    content = path.read_bytes()
    assert csv_template.recognises(head_of(content))
    check_digits(csv_template.read, content)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_that_was_cut_says_nothing_that_the_whole_does_not(path: Path) -> None:
    check_cut(csv_template.read, path.read_bytes())


@given(damaged([path.read_bytes() for path in FILES]))
def test_no_bytes_break_it(content: bytes) -> None:
    csv_template.recognises(head_of(content))
    all_of(csv_template.read, content)


def one_of(content: str) -> tuple[list[Reading], list[str]]:
    readings, remarks = all_of(csv_template.read, content.encode())
    return readings, [remark.message for remark in remarks]


def test_each_line_is_a_measurement_with_its_place_and_source() -> None:
    disk, pair = all_of(csv_template.read, (FILES[0].parent / "figures.csv").read_bytes())[0]
    assert {m.name: (m.value, m.told.text, m.told.unit) for m in disk.metrics} == {
        "read_mb_per_s": (2800.746496, "2671", "MiB/s"),
        "read_latency_us.p99.9": (1350.0, "1.35", "ms"),
    }
    assert disk.host == Host(instance_type="i4i.4xlarge", region="us-east-1", zone="us-east-1a", nodes=1)
    assert dict(disk.settings) == {
        "storage": "1 own disk",
        "placement_group": "no",
        "source": "a wiki, page 3",
        "bs": "4k",
    }
    assert (disk.started_at, disk.duration_s) == (datetime(2026, 11, 20, 14, 30, tzinfo=UTC), 120.0)
    assert [m.value for m in pair.metrics] == [12187.5]


def test_semicolons_and_decimal_commas_are_read() -> None:
    (reading,) = all_of(csv_template.read, (FILES[0].parent / "semicolons.csv").read_bytes())[0]
    assert [m.value for m in reading.metrics] == [1200.5]
    assert reading.notes == ("measured_at has no time zone: taken as UTC",)


def test_bad_cells_are_named_by_line_and_column_and_make_a_measurement_partial() -> None:
    readings, messages = one_of("name,instance,nodes,read_iops,write_iops\na,i4i,0,1e309,5\n")
    assert messages == [
        "Column 2 (instance): instance: 'i4i' is not an EC2 instance type, as in i4i.4xlarge",
        "Column 3 (nodes): nodes: '0' is not a whole number from 1 to 100,000",
        "Column 4 (read_iops): '1e309' is not a number from 0 on",
    ]
    assert [(reading.status, [m.name for m in reading.metrics]) for reading in readings] == [
        ("partial", ["write_iops"])
    ]


def test_lines_of_other_lengths_and_unknown_columns_are_reported() -> None:
    readings, messages = one_of("name,read_iops,color,read_iops\na,5,red,6\nb,5\n")
    assert [[m.told.text for m in reading.metrics] for reading in readings] == [["5"]]
    assert [message.split(":")[0] for message in messages[:2]] == ["Column 3", "Column 4"]
    assert messages[2].startswith("2 cells stand where 4 were expected")


def test_a_table_without_a_metric_is_refused_with_what_would_do() -> None:
    for content in (b"", b"# nothing\n", b"name,color\na,red\n"):
        with pytest.raises(Unreadable, match="read_mb_per_s"):
            list(csv_template.read(io.BytesIO(content)))


def test_what_is_said_to_have_failed_keeps_no_figure() -> None:
    readings, _ = one_of("name,status,failure,read_iops\na,failed,disk full,5\nb,maybe,,5\nc,,,\n")
    assert [(reading.status, len(reading.metrics)) for reading in readings] == [
        ("failed", 0),
        ("partial", 1),
        ("failed", 0),
    ]
    assert readings[0].failure == "disk full"


def test_a_last_line_without_an_end_may_be_cut() -> None:
    readings, _ = one_of("name,read_iops\na,125")
    assert [reading.status for reading in readings] == ["partial"]
