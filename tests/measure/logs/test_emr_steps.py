"""Logs of EMR steps: MapReduce jobs by their counters, Spark steps by their time, and no command lines."""

from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stowage.measure.logs import mapreduce_rest
from stowage.measure.logs.emr_steps import read
from stowage.measure.logs.logged_jobs import LoggedJob, plausible
from stowage.measure.reading import Remark
from stowage.measure.recognise import recognise

HERE = Path(__file__).parents[1]
SYSLOG = (HERE / "files" / "emr" / "hadoop-3.3.6-terasort.syslog").read_text()
CONTROLLER = (HERE / "files" / "emr" / "spark.controller").read_text()


def found_in(text: str) -> list[LoggedJob | Remark]:
    return list(read(BytesIO(text.encode())))


def only(text: str) -> LoggedJob:
    [job] = found_in(text)
    assert isinstance(job, LoggedJob), job
    assert plausible(job)
    return job


def said(text: str) -> str:
    [remark] = found_in(text)
    assert isinstance(remark, Remark), remark
    return remark.message


def test_a_syslog_tells_the_bytes_of_the_history_server_and_the_clients_time() -> None:
    [told] = mapreduce_rest.read(BytesIO((HERE / "job_histories" / "3.3.6-terasort-again.json").read_bytes()))
    assert isinstance(told, LoggedJob)
    job = only(SYSLOG)
    for name in ("kind", "input_mb", "shuffled_mb", "output_mb", "cpu_mb_per_s", "nodes", "input_output"):
        assert getattr(job, name) == getattr(told, name)
    assert (job.name, job.phases_s, job.time_s) == ("job_1795680714181_0002", (), 23.461)
    # The client's time includes the queue, the start of the ApplicationMaster and a poll each second.
    assert told.time_s < job.time_s
    assert SYSLOG.splitlines()[job.line - 1].endswith("completed successfully")


def test_each_job_of_a_syslog_is_read_and_one_that_failed_is_named() -> None:
    name = "job_1795680714181_0002"
    failed = SYSLOG.replace(name, "job_1_0003").replace("completed successfully", "failed with state FAILED due to: x")
    first, second, third = found_in(SYSLOG + failed + SYSLOG.replace("HDFS", "S3"))
    assert isinstance(first, LoggedJob)
    assert isinstance(second, Remark)
    assert second.message == "job_1_0003: the job did not succeed; accepted: jobs that did"
    assert isinstance(third, LoggedJob)
    assert (first.input_output, third.input_output) == (None, "object-store")


def test_jobs_that_run_at_a_time_keep_their_own_ends_and_counters() -> None:
    lines = SYSLOG.splitlines(keepends=True)
    [began] = [number for number, line in enumerate(lines) if "Running job" in line]
    [ended] = [number for number, line in enumerate(lines) if "completed successfully" in line]
    other = SYSLOG.replace("job_1795680714181_0002", "job_2").replace("bytes written=", "bytes written=7")
    others = other.replace("(main)", "(pool-1-thread-1)").splitlines(keepends=True)
    both = [*lines[: began + 1], others[began], *lines[began + 1 :], *others[ended:]]
    first, second = found_in("".join(both))
    assert isinstance(first, LoggedJob)
    assert isinstance(second, LoggedJob)
    assert replace(first, line=1) == replace(only(SYSLOG), line=1)
    assert (second.name, second.input_mb, second.output_mb > first.output_mb) == ("job_2", first.input_mb, True)
    unclear = [*lines[: began + 1], others[began], *lines[began + 1 : ended + 1], *others[ended:]]
    assert [one.message for one in found_in("".join(unclear)) if isinstance(one, Remark)] == [
        f"{name} ended beside another job: which counters are its own is not said"
        for name in ("job_1795680714181_0002", "job_2")
    ]
    failed = others[ended].replace("completed successfully", "failed with state FAILED due to: x")
    first, second = found_in("".join([*lines[: began + 1], others[began], failed, *lines[began + 1 :]]))
    assert isinstance(first, LoggedJob)
    assert isinstance(second, Remark)
    assert second.message == "job_2: the job did not succeed; accepted: jobs that did"


def test_a_syslog_that_was_cut_or_has_no_job_says_so() -> None:
    cut = SYSLOG[: SYSLOG.index("completed successfully")]
    assert "the log ends before the job did" in said(cut)
    assert "did not move 1 MB or more" in said(SYSLOG[: SYSLOG.index("\tFile System Counters")])
    assert "no job; accepted: a syslog" in said(SYSLOG.splitlines()[0])


@pytest.mark.parametrize("ended", ["2026-11-26 08:13:02", "9926-11-26 08:13:32"])
def test_times_that_no_job_has_are_said(ended: str) -> None:
    lines = SYSLOG.splitlines(keepends=True)
    [at] = [number for number, line in enumerate(lines) if "completed successfully" in line]
    lines[at] = ended + lines[at][19:]
    assert f"ran from 2026-11-26 08:13:08 to {ended}; accepted: a beginning before an end" in said("".join(lines))


def test_a_controller_tells_the_time_of_a_step_with_spark_and_nothing_of_its_command() -> None:
    job = only(CONTROLLER)
    assert (job.source, job.name, job.kind, job.time_s) == ("spark", "step s-2EXAMPLE1234", None, 86.0)
    assert job.started_at.isoformat() == "2026-11-26T08:20:11.641000+00:00"
    assert "hush" in CONTROLLER
    assert "hush" not in repr(job)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("spark-submit", "hive-script", "does not run Spark; jobs of MapReduce are in its syslog"),
        ("INFO Step succeeded with exitCode 0", "WARN Step failed with exitCode 1", "did not succeed"),
        ("INFO Step succeeded with exitCode 0", "WARN Step failed with exitCode -1", "did not succeed"),
        ("took 86 seconds", "took 0 seconds", "accepted: 1 second or more"),
        ("took 86 seconds", "took 999999999 seconds", ""),
        ("2026-11-26T08:21:37.641Z", "2026-11-31T08:21:37.641Z", "ended at '2026-11-31T08:21:37.641'"),
        ("INFO Step succeeded", "INFO Step went", "the step had not ended"),
    ],
)
def test_what_is_no_step_of_spark_that_succeeded_is_said(old: str, new: str, words: str) -> None:
    found = found_in(CONTROLLER.replace(old, new))
    assert all(plausible(one) for one in found if isinstance(one, LoggedJob))
    if words:
        assert words in said(CONTROLLER.replace(old, new))


def test_the_console_of_a_job_elsewhere_stays_a_measurement() -> None:
    console = (HERE / "files" / "terasort" / "hadoop-3-terasort.console").read_bytes()
    assert recognise(BytesIO(console))[0].tool == "terasort"
    assert recognise(BytesIO(SYSLOG.encode()))[0].tool == "emr"


@given(st.sampled_from([SYSLOG, CONTROLLER]), st.data())
@settings(max_examples=100, deadline=None)
def test_any_bytes_are_read(text: str, data: st.DataObject) -> None:
    content = bytearray(text.encode())
    for _ in range(data.draw(st.integers(1, 20))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    assert all(plausible(one) for one in read(BytesIO(bytes(content))) if isinstance(one, LoggedJob))
