"""Files of finished jobs: parsed rows, and the reasons for lines that cannot be parsed."""

import io
import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stowage.measure.errors import Unreadable
from stowage.measure.fits.finished_jobs import REQUIRED, FinishedJob, read_jobs
from stowage.measure.reading import MOST_REMARKS, Remark

HEADER = ",".join(REQUIRED)
LINE = "a,sort,spark,i2.8xlarge,4,1 TB,instance-store,580"


def read(text: str) -> list[FinishedJob | Remark]:
    return list(read_jobs(io.BytesIO(text.encode())))


def read_one(line: str, header: str = HEADER) -> FinishedJob:
    [found] = read(f"{header}\n{line}\n")
    assert isinstance(found, FinishedJob), found
    return found


def test_a_line_is_a_job() -> None:
    assert read_one(LINE) == FinishedJob("a", "sort", "spark", "i2.8xlarge", 4, "1 TB", "instance-store", 580.0, line=2)


def test_columns_may_come_in_any_order_with_others_and_semicolons() -> None:
    header = (
        "who;measured_s;input_output;phase:sort and reduce;data;nodes;instance;framework;job;name;started_at;region"
    )
    job = read_one(
        "Ada;10 min;object-store;250;2 TB;8;r5d.4xlarge;flink;mapreduce;b;2026-11-20T10:00:00;eu-west-1", header
    )
    assert job.measured_s == 600.0
    assert job.phases_s == (("sort and reduce", 250.0),)
    assert job.started_at == datetime(2026, 11, 20, 10, tzinfo=UTC)
    assert job.options == {"region": "eu-west-1"}
    assert job.storage() == {"kind": "object-store"}


def test_a_column_and_a_stored_job_may_have_the_old_name_of_the_catalog() -> None:
    old, today = (read_one(f"{LINE},paper-2014", f"{HEADER},{name}") for name in ("catalogue", "catalog"))
    assert old == today
    assert today.options == {"catalog": "paper-2014"}
    # Stored jobs are recognized by this document.
    assert today.to_dict()["options"] == {"catalogue": "paper-2014"}
    assert FinishedJob.from_dict(today.to_dict()).options == today.options


def test_tasks_and_compression_are_options() -> None:
    header = f"{HEADER},input_compressed_to,output_compressed_to,tasks_per_node,memory_per_task"
    job = read_one(f"{LINE},0.3,,16,2 GB", header)
    assert job.options == {"input_compressed_to": "0.3", "tasks_per_node": "16", "memory_per_task": "2 GB"}


@pytest.mark.parametrize(
    ("written", "section"),
    [
        ("instance-store", {"kind": "instance-store"}),
        ("instance-store 5+3", {"kind": "instance-store", "input_output_disks": 5, "intermediate_disks": 3}),
        ("8 x gp2 135 GiB", {"kind": "ebs", "type": "gp2", "size": "135 GiB", "count": 8}),
        ("gp2 135 GiB x 8", {"kind": "ebs", "type": "gp2", "size": "135 GiB", "count": 8}),
        ("ebs: st1, 1 TiB × 2", {"kind": "ebs", "type": "st1", "size": "1 TiB", "count": 2}),
        ("st1 500 GiB", {"kind": "ebs", "type": "st1", "size": "500 GiB", "count": 1}),
        (
            "4 x gp3 500 GiB 6000 IOPS 500 MiB/s",
            {
                "kind": "ebs",
                "type": "gp3",
                "size": "500 GiB",
                "count": 4,
                "iops": 6000,
                "throughput_mib_per_s": 500,
            },
        ),
    ],
)
def test_where_input_and_output_were(written: str, section: dict[str, object]) -> None:
    assert read_one(f'a,sort,spark,i2.8xlarge,4,1 TB,"{written}",580').storage() == section


@pytest.mark.parametrize(
    ("column", "value", "accepted"),
    [
        ("job", "copy", "accepted: sort, mapreduce"),
        ("framework", "no name", "letters, digits"),
        ("nodes", "0", "a whole number from 1"),
        ("nodes", "4.5", "a whole number from 1"),
        ("nodes", "\u0661", "a whole number from 1"),
        ("input_output", "a tape", "instance-store"),
        ("input_output", "gp2", "8 x gp2 135 GiB"),
        ("measured_s", "-3", "seconds above 0"),
        ("measured_s", "nan", "seconds above 0"),
        ("measured_s", "1e309", "seconds above 0"),
        ("measured_s", "soon", "seconds above 0"),
        ("measured_s", "1_000", "seconds above 0"),
        ("data", "x" * 201, "up to 200"),
        ("name", "", "name is empty"),
    ],
)
def test_a_field_that_cannot_be_understood_is_said_with_line_column_and_what_is_accepted(
    column: str, value: str, accepted: str
) -> None:
    fields = dict(zip(REQUIRED, LINE.split(","), strict=True)) | {column: value}
    good, bad, again = read(f"{HEADER}\n{LINE}\n{','.join(fields.values())}\n{LINE}\n")
    assert isinstance(bad, Remark)
    assert bad.line == 3
    assert column in bad.message
    assert accepted in bad.message
    assert isinstance(good, FinishedJob)
    assert isinstance(again, FinishedJob)


def test_a_time_that_is_none_is_said() -> None:
    [found] = read(f"{HEADER},started_at\n{LINE},yesterday\n")
    assert isinstance(found, Remark)
    assert "started_at is 'yesterday'; accepted: a time as in" in found.message


def test_a_line_of_too_few_fields_is_said() -> None:
    [found] = read(f"{HEADER}\na,b\n")
    assert found == Remark(2, "2 fields, and the first line names 8 columns")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file is empty"),
        ("name,job\n", "the columns framework, instance"),
        (f"{HEADER},name\n", "the column 'name' is there twice"),
        (f'{HEADER},"x\n', "not a line of CSV"),
    ],
)
def test_a_file_without_its_columns_is_refused(text: str, said: str) -> None:
    with pytest.raises(Unreadable, match=said):
        read(text)


def test_remarks_are_bounded() -> None:
    found = read(f"{HEADER}\n" + "x\n" * (2 * MOST_REMARKS))
    assert len(found) == MOST_REMARKS
    assert isinstance(found[-1], Remark)
    assert "are not listed" in found[-1].message


def test_a_job_comes_back_from_json() -> None:
    header = f"{HEADER},phase:one,started_at,replicas"
    job = read_one(f"{LINE},12.5,2026-11-20T10:00:00+01:00,2", header)
    back = FinishedJob.from_dict(json.loads(json.dumps(job.to_dict())))
    assert (back.to_dict(), back.storage()) == (job.to_dict(), job.storage())


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    for start in (b"", f"{HEADER}\n".encode(), f"{HEADER}\n{LINE}\n".encode()):
        try:
            found = list(read_jobs(io.BytesIO(start + content)))
        except Unreadable:
            continue
        assert all(isinstance(one, Remark) or one.measured_s > 0.0 for one in found)
