"""Checks of every reader of measurements."""

import io
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import BinaryIO

from hypothesis import strategies as st

from stowage.measure.errors import Unreadable
from stowage.measure.files.documents import keys_of
from stowage.measure.files.head import Head
from stowage.measure.metrics import kind_of
from stowage.measure.reading import MOST_POINTS, Reading, Remark

FILES = Path(__file__).parents[2] / "measure" / "files"
Read = Callable[[BinaryIO], Iterator[object]]


def files_for(tool: str) -> list[Path]:
    """List the files of a tool, without the page that describes their origin."""
    return sorted(path for path in (FILES / tool).iterdir() if path.name != "ORIGIN.md")


def head_of(content: bytes) -> Head:
    text = content[: 1 << 16].decode(errors="replace")
    return Head(text, keys_of(text), content[:64])


def all_of(read: Read, content: bytes) -> tuple[list[Reading], list[Remark]]:
    """Read a file; a refused file has no results."""
    try:
        found = list(read(io.BytesIO(content)))
    except Unreadable as refused:
        assert refused.message
        return [], []
    readings = [item for item in found if isinstance(item, Reading)]
    for reading in readings:
        check(reading)
    return readings, [item for item in found if isinstance(item, Remark)]


def check(reading: Reading) -> None:
    """Check a result against the promises of `Reading`."""
    names = [metric.name for metric in reading.metrics]
    assert len(names) == len(set(names)), names
    for metric in reading.metrics:
        kind_of(metric.name)
        assert math.isfinite(metric.value)
        assert metric.value >= 0
        assert 0 < len(metric.told.text) <= 60
    for series in reading.series:
        kind_of(series.name)
        assert len(series.times_s) == len(series.values) == len(series.peaks) <= MOST_POINTS
        assert list(series.times_s) == sorted(set(series.times_s))
        assert all(math.isfinite(value) for value in (*series.times_s, *series.values, *series.peaks))
    assert (reading.status == "ok") == (reading.failure is None)
    assert reading.failure != ""
    assert reading.status != "ok" or reading.metrics
    assert reading.line >= 1
    assert reading.duration_s is None or math.isfinite(reading.duration_s)
    assert reading.started_at is None or reading.started_at.tzinfo is not None


def check_digits(read: Read, content: bytes) -> None:
    """Check that each reported figure occurs in the file, digit by digit."""
    text = content.decode()
    for reading in all_of(read, content)[0]:
        for metric in reading.metrics:
            assert metric.told.text in text, metric


def check_cut(read: Read, content: bytes, cuts: int = 250) -> None:
    """Check that a cut file has no more good results than the whole, and none with other figures."""
    whole = [
        {(metric.name, metric.told.text) for metric in reading.metrics}
        for reading in all_of(read, content)[0]
        if reading.status == "ok"
    ]
    places = {*range(0, len(content), max(1, len(content) // cuts)), *range(max(0, len(content) - 40), len(content))}
    for cut in sorted(places):
        left = list(whole)
        for reading in all_of(read, content[:cut])[0]:
            if reading.status != "ok":
                continue
            told = {(metric.name, metric.told.text) for metric in reading.metrics}
            same = next((known for known in left if told <= known), None)
            assert same is not None, (cut, reading)
            left.remove(same)


def damaged(contents: list[bytes]) -> st.SearchStrategy[bytes]:
    """Return files with some bytes changed, removed or doubled, and random bytes."""
    return st.one_of(
        st.binary(max_size=300), st.builds(_damage, st.sampled_from(contents), st.randoms(use_true_random=False))
    )


def _damage(content: bytes, random: Random) -> bytes:
    changed = bytearray(content)
    for _ in range(random.randint(1, 6)):
        place = random.randint(0, len(changed))
        other = random.randint(0, len(changed))
        kind = random.randint(0, 4)
        if kind == 0:
            changed[place : place + 1] = bytes([random.randint(0, 255)])
        elif kind == 1:
            del changed[min(place, other) : max(place, other)]
        elif kind == 2:
            changed[place:place] = changed[min(place, other) : max(place, other)][:2_000]
        elif kind == 3:
            odd = (b"1e309", b"NaN", b"-1", b"\xff\xfe", b"\x00" * 3, b"[" * 70, b"9" * 80, "é½".encode("latin-1"))
            changed[place:place] = odd[random.randint(0, len(odd) - 1)]
        else:
            changed[place:place] = b"\n"
    return bytes(changed)
