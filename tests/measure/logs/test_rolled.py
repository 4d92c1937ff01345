"""Rolled event logs of Spark: parts in any kind of archive form one log, and a missing part is named."""

import io
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import zstandard

from stowage.measure import recognise
from stowage.measure.errors import Unreadable
from stowage.measure.files.archive import files_of
from stowage.measure.logs.logged_jobs import LoggedJob, plausible
from stowage.measure.reading import Reading, Remark

HERE = Path(__file__).parents[1]
SORT = (HERE / "event_logs" / "3.5.7-sort.jsonl").read_bytes()
FOLDER = "logs/eventlog_v2_app-1"


def zipped(files: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return packed.getvalue()


def tarred(files: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for path, content in files.items():
            member = tarfile.TarInfo(path)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def parts(count: int, application: str = "app-1", *, compressed: bool = True) -> dict[str, bytes]:
    """Return a log in a number of parts, cut at its lines."""
    lines = SORT.splitlines(keepends=True)
    size = -(-len(lines) // count)
    pack = zstandard.compress if compressed else bytes
    ending = ".zstd" if compressed else ""
    return {
        f"{FOLDER}/events_{number}_{application}{ending}": pack(b"".join(lines[size * (number - 1) : size * number]))
        for number in range(1, count + 1)
    }


def read(content: bytes, name: str = "upload") -> dict[str, list[Reading | LoggedJob | Remark]]:
    return {path: list(recognise.read(stream)) for path, stream in files_of(io.BytesIO(content), name)}


WHOLE = read(SORT)["upload"]


@pytest.mark.parametrize("outer", [zipped, tarred], ids=["zip", "tar"])
@pytest.mark.parametrize("count", [1, 3, 12])
def test_the_parts_of_a_log_are_read_as_one(outer: Callable[[Mapping[str, bytes]], bytes], count: int) -> None:
    for compressed in (True, False):
        files = {f"{FOLDER}/appstatus_app-1": b"", **parts(count, compressed=compressed), "logs/readme": b""}
        found = {path: list(stream) for path, stream in files_of(io.BytesIO(outer(files)), "upload")}
        assert b"".join(found[FOLDER]) == SORT
        assert set(found) == {FOLDER, "logs/readme"}
    assert len(WHOLE) == 2


def test_in_a_zip_the_parts_may_stand_in_any_order() -> None:
    # In the order of folder listings: 1, 10, 11, 12, 2 ...
    assert read(zipped(dict(sorted(parts(12).items())))) == {FOLDER: WHOLE}


@pytest.mark.parametrize(
    ("kept", "missing", "before"), [([1, 3], 2, 3), ([2, 3], 1, 2), ([1, 2, 2, 3], 3, 2), ([1, 3, 2], 2, 3)]
)
def test_a_part_that_is_missing_or_out_of_order_is_named(kept: list[int], missing: int, before: int) -> None:
    files = [*parts(3).items()]
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for number in kept:
            path, content = files[number - 1]
            member = tarfile.TarInfo(path)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    with pytest.raises(Unreadable, match=f"part {missing} of the event log is not before 'events_{before}_app-1"):
        read(packed.getvalue())


def test_a_log_that_cannot_be_read_does_not_hide_the_next() -> None:
    broken = {path: content for path, content in parts(3).items() if "events_2" not in path}
    other = {path.replace("app-1", "app-2"): content for path, content in parts(2, "app-2").items()}
    found: list[object] = []
    for path, stream in files_of(io.BytesIO(tarred(broken | other)), "upload"):
        try:
            found.append((path, [*recognise.read(stream)]))
        except Unreadable as error:
            found.append((path, error.message[:6]))
    assert found == [(FOLDER, "part 2"), (FOLDER.replace("app-1", "app-2"), WHOLE)]


def test_a_log_may_begin_with_what_the_history_server_made_of_earlier_parts() -> None:
    first, second, third = parts(3, compressed=False).items()
    compacted = {f"{FOLDER}/events_2_app-1.compact": first[1] + second[1], third[0]: third[1]}
    assert read(zipped(compacted)) == {FOLDER: WHOLE}


def test_in_a_zip_parts_that_the_history_server_has_replaced_may_still_be_there() -> None:
    found = parts(3, compressed=False)
    first, second, _ = found.values()
    whole = {**found, f"{FOLDER}/events_2_app-1.compact": first + second}
    assert read(zipped(whole)) == {FOLDER: WHOLE}


@pytest.mark.parametrize("outer", [zipped, tarred], ids=["zip", "tar"])
def test_the_last_part_may_be_cut_as_spark_is_writing_it(outer: Callable[[Mapping[str, bytes]], bytes]) -> None:
    packer = zstandard.ZstdCompressor().compressobj()
    [(path, content)] = parts(1, compressed=False).items()
    lines = content.splitlines(keepends=True)
    flushed = packer.compress(b"".join(lines[:-1])) + packer.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    found = read(outer({f"{path}.zstd": flushed, "other.jsonl": SORT}))
    assert found["other.jsonl"] == WHOLE
    assert found[FOLDER][:-1] == WHOLE
    [remark] = found[FOLDER][len(WHOLE) :]
    assert isinstance(remark, Remark)
    assert "the log ends before the application did" in remark.message


def test_the_only_part_of_a_log_is_the_log() -> None:
    [(path, content)] = parts(1).items()
    assert list(read(content, Path(path).name).values()) == [WHOLE]


def test_what_the_history_server_of_spark_4_gives_for_an_application_is_read() -> None:
    path = HERE / "files" / "history_server" / "4.0.1-logs.zip"
    found = read(path.read_bytes(), path.name)
    [(folder, jobs)] = found.items()
    assert folder.startswith("eventlog_v2_local-")
    first, second = jobs
    assert isinstance(first, LoggedJob)
    assert isinstance(second, LoggedJob)
    assert plausible(first)
    assert (first.name, first.version, first.kind, first.nodes) == ("1-sort", "4.0.1", "mapreduce", 1)
    assert (first.input_mb, [name for name, _ in first.phases_s]) == (6.0, ["map and shuffle", "sort and reduce"])
    assert (second.name, second.kind, second.input_mb) == ("2-scan", "hdfs-read", 6.0)
