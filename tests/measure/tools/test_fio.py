"""fio in each of its formats: every figure as in the file, and no failed run read as a result."""

import json
import random
import re
from decimal import Decimal
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stowage.measure.metrics import kind_of
from stowage.measure.reading import Reading, Remark
from stowage.measure.tools import fio_terse
from stowage.measure.tools.fio import read

_FILES = Path(__file__).parents[1] / "files" / "fio"
_ALL = sorted(path.name for path in _FILES.glob("*.txt"))
_BOTH = sorted(name for name in _ALL if name.startswith(("json-normal", "jsonplus-normal")))


def _found(content: bytes) -> list[Reading | Remark]:
    return list(read(BytesIO(content)))


def _readings(content: bytes) -> list[Reading]:
    return [each for each in _found(content) if isinstance(each, Reading)]


def _remarks(content: bytes) -> list[str]:
    return [each.message for each in _found(content) if isinstance(each, Remark)]


def _content(name: str) -> bytes:
    return (_FILES / name).read_bytes()


def _values(reading: Reading) -> dict[str, float]:
    return {metric.name: metric.value for metric in reading.metrics}


def _told(reading: Reading) -> dict[str, str]:
    return {metric.name: metric.told.text for metric in reading.metrics}


def _parts(content: bytes) -> tuple[bytes, bytes, bytes]:
    """Return the text before the document, the document, and the text after it."""
    before, _, rest = content.partition(b"\n{\n")
    document, _, after = rest.partition(b"\n}\n")
    return before, b"{\n" + document + b"\n}\n", after


@pytest.mark.parametrize("name", _ALL)
def test_every_metric_of_every_file_has_a_meaning_and_stands_in_it_digit_for_digit(name: str) -> None:
    text = _content(name).decode()
    for reading in _readings(text.encode()):
        names = [metric.name for metric in reading.metrics]
        assert len(names) == len(set(names))
        for metric in reading.metrics:
            assert kind_of(metric.name).unit
            assert re.search(rf"(?<![\d.]){re.escape(metric.told.text)}(?![\d.])", text), metric


@pytest.mark.parametrize("name", _BOTH)
def test_json_says_what_the_text_of_the_same_run_says_to_the_last_digit_that_it_prints(name: str) -> None:
    content = _content(name)
    before, document, after = _parts(content)
    header = b"\n".join(line for line in before.splitlines() if not re.match(rb"\d;", line))
    from_json, from_text = _readings(document), _readings(header + b"\n" + after)
    assert [reading.name for reading in from_json] == [reading.name for reading in from_text]
    compared = 0
    for exact, printed in zip(from_json, from_text, strict=True):
        values = {metric.name: metric for metric in exact.metrics}
        for metric in printed.metrics:
            text = metric.told.text
            digits = Decimal(re.match(r"[\d.]+", text)[0])  # type: ignore[index]  # each begins with a digit
            unit_of_last_digit = metric.value / float(digits) * 10.0 ** digits.as_tuple().exponent if digits else 1.0  # type: ignore[operator]  # finite
            if ".p" in metric.name:
                # The text has the end of the histogram's bin, JSON its middle; bins are 1/64 wide at most.
                assert metric.value == pytest.approx(values[metric.name].value, rel=1 / 32, abs=unit_of_last_digit), (
                    metric
                )
            else:
                # Some are rounded, some are truncated.
                assert abs(metric.value - values[metric.name].value) <= 1.001 * unit_of_last_digit, metric
            compared += 1
        if exact.name != "All clients" and "both" not in name:
            assert {metric.name for metric in printed.metrics} == set(values)
    assert compared or "ramp" in name


@pytest.mark.parametrize("name", [name for name in _ALL if name.startswith("json")])
def test_json_is_read_as_it_is(name: str) -> None:
    content = _content(name)
    _, raw, _ = _parts(content) if not content.startswith(b"{") else (b"", content, b"")
    document = json.loads(raw)
    readings = _readings(content)
    if "ramp" in name and "all" in name:
        return
    for job, reading in zip(document["jobs"], readings, strict=True):
        values = _values(reading)
        for direction in ("read", "write", "trim", "mixed"):
            told = job.get(direction)
            if not told or not told["total_ios"]:
                assert not any(metric.startswith(f"{direction}_") for metric in values)
                continue
            assert values[f"{direction}_mb_per_s"] == told["bw_bytes"] / 1e6
            assert values[f"{direction}_iops"] == told["iops"]
            assert values[f"{direction}_mb"] == told["io_bytes"] / 1e6
            assert values[f"{direction}_latency_us.mean"] == pytest.approx(told["lat_ns"]["mean"] / 1e3, rel=1e-12)
            for share, value in told["clat_ns"].get("percentile", {}).items():
                assert values[f"{direction}_completion_latency_us.p{float(share):g}"] == value / 1e3


@pytest.mark.parametrize("version", ["2", "3", "4", "5"])
def test_each_version_of_the_terse_format_is_read_by_its_own_fields(version: str) -> None:
    content = _content(f"terse{version}.txt")
    (reading,) = _readings(content)
    fields = content.decode().strip().split(";")
    first = 4 if version == "2" else 5
    length = 47 if version == "5" else 41
    told = _told(reading)
    assert reading.status == "ok"
    assert reading.name == "mix"
    for place, direction in enumerate(("read", "write")):
        section = fields[first + place * length :][:length]
        assert told[f"{direction}_mb"] == section[0]
        assert told[f"{direction}_mb_per_s"] == section[1]
        assert told[f"{direction}_iops"] == section[2]
        assert told[f"{direction}_submission_latency_us.mean"] == section[6]
        assert told[f"{direction}_completion_latency_us.max"] == section[9]
        assert f"99.000000%={told[f'{direction}_completion_latency_us.p99']}" in section
        assert told[f"{direction}_latency_us.stddev"] == section[35]
        assert told[f"{direction}_mb_per_s.mean"] == section[39]
        assert (f"{direction}_iops.mean" in told) == (version == "5")
    assert _values(reading)["read_mb_per_s"] == pytest.approx(int(fields[first + 1]) * 1024 / 1e6)


@pytest.mark.parametrize("version", ["3", "4", "5"])
def test_a_terse_line_in_the_usual_form_has_the_outcome_of_any_line(
    version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, chance = _content(f"terse{version}.txt"), random.Random(version)  # noqa: S311 - no secret
    contents = [original]
    for _ in range(200):
        fields = original.split(b";")
        for _ in range(chance.randrange(1, 4)):
            first = chance.randrange(5, len(fields))
            for place in range(first, min(first + chance.choice((1, 4, 20, 41)), len(fields))):
                share, is_percentile, _ = fields[place].rpartition(b"%=")
                zero = b"0.000000" if b"." in fields[place] and not is_percentile else chance.choice((b"0", b"0", b"x"))
                fields[place] = share + is_percentile + zero
        contents.append(b";".join(fields))
    lines = [content.decode().strip() for content in contents]
    usual = sum(fio_terse._usual_run(line, 1) is not None for line in lines)  # noqa: SLF001 - which of two ways is taken
    assert 20 < usual < 190
    found = [_found(content) for content in contents]
    monkeypatch.setattr("stowage.measure.tools.fio_terse._USUAL", {})
    assert found == [_found(content) for content in contents]


def test_three_formats_of_one_run_are_one_reading() -> None:
    (reading,) = _readings(_content("json-normal-terse3.txt"))
    assert reading.metrics[0].told.name == "io_bytes"
    before, document, after = _parts(_content("json-normal-terse3.txt"))
    (terse,) = _readings(before + b"\n" + after)
    assert terse.metrics[0].told.name == "total_io"
    assert terse.settings["rw"] == "randrw"
    # Another run of the same name is another result.
    assert len(_readings(document + document.replace(b'"read_ios"', b'"x"').replace(b"1795", b"1796"))) == 2


@pytest.mark.parametrize("name", ["status-json.txt", "status-normal.txt", "status-terse.txt"])
def test_states_before_the_end_of_a_run_are_no_results(name: str) -> None:
    (reading,) = _readings(_content(name))
    assert reading.duration_s
    assert reading.duration_s >= 3
    assert len([remark for remark in _remarks(_content(name)) if "an intermediate report of the run" in remark]) >= 2


def test_a_run_that_was_stopped_before_its_time_is_partial() -> None:
    first = _content("status-json.txt").split(b"}\n{")[0] + b"}\n"
    (reading,) = _readings(first)
    assert reading.status == "partial"
    assert reading.failure == f"It ran for {reading.duration_s:g} s of the 3 s that were asked for"


def test_one_normal_output_after_the_other_are_several_runs() -> None:
    content = _content("normal.txt")
    assert len(_readings(content * 3)) == 3
    assert len(_readings(_content("2.2.8-normal.txt") + content)) == 2


def test_jobs_that_are_not_reported_as_a_group_say_so() -> None:
    readings = _readings(_content("json-normal-two-jobs.txt"))
    assert [reading.name for reading in readings] == ["seq", "seq"]
    assert all("One of 2 jobs of group 0" in reading.notes[0] for reading in readings)
    (group,) = _readings(_content("json-normal-terse3.txt"))
    assert not group.notes


def test_a_job_that_failed_is_failed_and_those_beside_it_are_not() -> None:
    ok, full = _readings(_content("json-normal-full-disk.txt"))
    assert (ok.name, ok.status, full.name, full.status) == ("ok", "ok", "full", "failed")
    assert full.failure == "fio says error 28: No space left on device"
    _, _, after = _parts(_content("json-normal-full-disk.txt"))
    assert [reading.status for reading in _readings(after)] == ["ok", "failed"]


@pytest.mark.parametrize("name", ["missing-directory.txt", "unknown-option.txt"])
def test_a_file_of_errors_is_a_failed_run_with_their_words(name: str) -> None:
    (reading,) = _readings(_content(name))
    assert reading.status == "failed"
    assert reading.failure
    assert reading.failure.startswith("fio: ")
    assert not reading.metrics


def test_nothing_done_is_failed_not_zero() -> None:
    content = re.sub(rb'("(?:io_bytes|io_kbytes|total_ios|runtime)") : \d+', rb"\1 : 0", _content("json-ramp.txt"))
    (reading,) = _readings(content)
    assert (reading.status, reading.failure, reading.metrics) == ("failed", "No I/O was done", ())


def test_the_rate_that_fio_prints_of_a_run_that_ended_while_warming_up_is_no_result() -> None:
    (reading,) = _readings(_content("json-normal-all-in-ramp.txt"))
    assert reading.status == "failed"
    assert reading.failure == "It ended while it warmed up (ramp_time): nothing was measured"
    assert not reading.metrics
    terse, _, normal = _parts(_content("json-normal-all-in-ramp.txt"))
    assert [reading.status for reading in _readings(terse) + _readings(normal)] == ["failed", "failed"]


def test_unified_reporting_is_read_as_reads_and_writes_together() -> None:
    (mixed,) = _readings(_content("json-normal-mixed.txt"))
    assert {metric.name.split("_")[0] for metric in mixed.metrics} == {"mixed"}
    (both,) = _readings(_content("json-normal-both.txt"))
    assert {metric.name.split("_")[0] for metric in both.metrics} == {"read", "write", "mixed"}
    terse, _, _ = _parts(_content("json-normal-both.txt"))
    (from_terse,) = _readings(terse)
    assert _values(from_terse)["mixed_iops"] == pytest.approx(_values(both)["mixed_iops"], abs=1)


def test_clients_are_read_singly_and_their_sum_as_a_reading_of_its_own() -> None:
    for name in ("clients-json.txt", "clients-json-normal.txt"):
        one, other, total = _readings(_content(name))
        assert (one.name, other.name, total.name) == ("one", "one", "All clients")
        assert total.host.nodes == 2
        assert one.host.name == "127.0.0.1"
        assert _values(total)["read_mb"] == pytest.approx(_values(one)["read_mb"] + _values(other)["read_mb"])
    *_, total = _readings(_content("clients-normal.txt"))
    assert total.name == "All clients"
    *_, total = _readings(_content("clients-terse.txt"))
    assert total.name == "All clients"


def test_options_of_the_run_and_of_the_job_are_settings() -> None:
    first, second, third = _readings(_content("json-normal-job-file.txt"))
    assert (first.settings["bs"], second.settings["bs"]) == ("4k", "16k")
    assert {reading.settings["direct"] for reading in (first, second, third)} == {"1"}
    assert first.settings["description"] == "the first"
    assert first.settings["disk_util"].startswith("vda ")
    (normal,) = _readings(_content("normal.txt"))
    assert normal.settings["ioengine"] == "libaio"
    assert normal.settings["iodepth"] == "2"


def test_fsync_and_custom_percentiles_are_read() -> None:
    (fsync,) = _readings(_content("json-normal-fsync.txt"))
    assert {"fsync_latency_us.mean", "fsync_latency_us.p99"} <= _values(fsync).keys()
    (custom,) = _readings(_content("jsonplus-normal-percentiles.txt"))
    names = {metric.name for metric in custom.metrics if ".p" in metric.name}
    assert names == {f"read_completion_latency_us.{each}" for each in ("p50", "p99", "p99.9")}


def test_when_it_ran_is_told_with_a_zone() -> None:
    (reading,) = _readings(_content("json-normal-terse3.txt"))
    assert reading.started_at
    assert reading.started_at.isoformat().startswith("2026-11-21T05:00:3")
    assert reading.duration_s == 1.001
    (normal,) = _readings(_content("normal.txt"))
    assert "The time has no zone: taken as UTC" in normal.notes


def test_json_of_2_x_counts_kib_and_microseconds() -> None:
    (reading,) = _readings(_content("2.2.10-json.txt"))
    values = _values(reading)
    assert (reading.status, reading.tool_version) == ("ok", "fio-2.2.10")
    assert values["read_mb"] == 720_000 * 1024 / 1e6
    assert values["read_mb_per_s"] == 12_000 * 1024 / 1e6
    assert values["read_iops"] * 4096 / 1e6 == pytest.approx(values["read_mb_per_s"])
    assert values["read_completion_latency_us.p99"] == 7648
    assert values["read_latency_us.mean"] == 5333.40
    (clients,) = _readings(_content("2.6-json-clients.txt"))
    assert _values(clients)["mixed_mb_per_s"] == 20.48


def test_text_of_2_x_counts_powers_of_1024() -> None:
    (old,) = _readings(_content("2.0.9-normal.txt"))
    assert _values(old) == {
        "read_mb": 3072 * 1.048576,
        "read_mb_per_s": 12288 * 1024 / 1e6,
        "read_iops": 3072,
        "write_mb": 1024 * 1.048576,
        "write_mb_per_s": 4096 * 1024 / 1e6,
        "write_iops": 1024,
    }
    (reading,) = _readings(_content("2.2.8-normal.txt"))
    values = _values(reading)
    assert values["read_mb_per_s"] == 512 * 1.048576
    assert values["read_mb_per_s.mean"] == 523812.50 * 1024 / 1e6
    assert values["read_completion_latency_us.p99"] == 167_000
    assert values["read_submission_latency_us.mean"] == 41.11


@pytest.mark.parametrize("number", ["nan", "-nan", "1e309", '"x"'])
def test_a_figure_that_is_no_number_is_remarked_on_not_kept(number: str) -> None:
    content = re.sub(rb'"iops" : \d[\d.]*', b'"iops" : ' + number.encode(), _content("json-ramp.txt"))
    (reading,) = _readings(content)
    assert "read_iops" not in _values(reading)
    if number != '"x"':
        assert any("which is no number" in remark for remark in _remarks(content))


def test_an_error_line_in_the_middle_of_a_document_is_said_and_the_document_is_read() -> None:
    lines = _content("json-ramp.txt").splitlines(keepends=True)
    content = b"".join([*lines[:40], b"fio: something went by\n", *lines[40:]])
    (reading,) = _readings(content)
    assert reading.status == "ok"
    assert any("something went by" in remark for remark in _remarks(content))


def test_a_line_of_something_else_is_remarked_on() -> None:
    assert _remarks(_content("normal.txt") + b"root@host:~# shutdown now\n") == [
        "'root@host:~# shutdown now' is no line that fio prints"
    ]


@pytest.mark.parametrize("name", [name for name in _ALL if not name.startswith(("status", "missing", "unknown"))])
def test_its_own_files_have_no_line_that_it_cannot_place(name: str) -> None:
    assert not [remark for remark in _remarks(_content(name)) if "no line that fio prints" in remark]


_WHOLE = {name: _readings(_content(name)) for name in _ALL}


@given(st.sampled_from(_ALL), st.data())
def test_a_file_that_is_cut_has_no_result_that_the_whole_has_not(name: str, data: st.DataObject) -> None:
    content = _content(name)
    cut = data.draw(st.integers(0, len(content)))
    whole = [_told(reading) for reading in _WHOLE[name] if reading.status == "ok"]
    states = [_told(reading) for reading in _readings(content[:cut]) if reading.status == "ok"]
    if name.startswith("status"):
        # If the rest is cut off, the last status of a run in progress is the result.
        assert len(states) <= 1
        return
    assert len(states) <= len(whole)
    if name.startswith(("json", "clients-json")):
        # Before the JSON there is the terse output of the same run, with other digits.
        whole += [_told(reading) for reading in _readings(_parts(content)[0])]
    for told in states:
        assert told in whole


@given(st.sampled_from(_ALL), st.data())
def test_any_bytes_put_anywhere_do_not_break_it(name: str, data: st.DataObject) -> None:
    content = _content(name)
    place = data.draw(st.integers(0, len(content)))
    gone = data.draw(st.integers(0, 50))
    _found(content[:place] + data.draw(st.binary(max_size=30)) + content[place + gone :])
