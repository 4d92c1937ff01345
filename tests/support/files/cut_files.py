"""Checks of readers with files that are cut anywhere, and with files of other kinds."""

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from stowage.measure.errors import Unreadable
from stowage.measure.files.documents import keys_of
from stowage.measure.files.head import Head
from stowage.measure.metrics import kind_of
from stowage.measure.reading import MOST_POINTS, Reading, Remark

FILES = Path(__file__).parents[2] / "measure" / "files"
Read: TypeAlias = Callable[[BinaryIO], Iterator[Any]]


def head_of(content: bytes) -> Head:
    text = content[: 1 << 16].decode("utf-8", "replace")
    return Head(text, keys_of(text), content[:64])


def everything(read: Read, content: bytes) -> list[Reading | Remark]:
    return list(read(io.BytesIO(content)))


def readings(read: Read, content: bytes) -> list[Reading]:
    return [found for found in everything(read, content) if isinstance(found, Reading)]


def remarks(read: Read, content: bytes) -> list[Remark]:
    return [found for found in everything(read, content) if isinstance(found, Remark)]


def figures(reading: Reading) -> dict[str, str]:
    return {metric.name: metric.told.text for metric in reading.metrics}


def values(reading: Reading) -> dict[str, float]:
    return {metric.name: metric.value for metric in reading.metrics}


def check_well_formed(reading: Reading) -> None:
    """Check that a result keeps the promises of its types."""
    names = [metric.name for metric in reading.metrics]
    assert len(names) == len(set(names))
    for metric in reading.metrics:
        assert kind_of(metric.name).unit
        assert abs(metric.value) < float("inf")
        assert len(metric.told.text) <= 60
    for series in reading.series:
        assert kind_of(series.name).unit
        assert len(series.times_s) == len(series.values) == len(series.peaks) <= MOST_POINTS
        assert list(series.times_s) == sorted(series.times_s)
        assert all(peak >= value - 1e-9 for peak, value in zip(series.peaks, series.values, strict=True))
    assert reading.started_at is None or reading.started_at.tzinfo is not None
    assert reading.duration_s is None or reading.duration_s > 0


def check_any_bytes(read: Read, content: bytes) -> None:
    """Check that every input is read to its end, or refused with a reason."""
    try:
        found = everything(read, content)
    except Unreadable as refused:
        assert refused.message
        return
    for one in found:
        if isinstance(one, Reading):
            check_well_formed(one)
        else:
            assert one.message
            assert one.line >= 1


def check_cut(read: Read, content: bytes, at: int) -> None:
    """Check that a cut file has no more complete results than the whole, and no figure that the whole lacks."""
    whole = [reading for reading in readings(read, content) if reading.status == "ok"]
    cut = [reading for reading in readings(read, content[:at]) if reading.status == "ok"]
    assert len(cut) <= len(whole)
    for place, reading in enumerate(cut):
        check_well_formed(reading)
        assert figures(reading).items() <= figures(whole[place]).items()


def check_cut_recording(read: Read, content: bytes, at: int) -> None:
    """Check that a cut recording is read as its beginning."""
    try:
        cut = readings(read, content[:at])
    except Unreadable:
        return
    printed = content.decode()
    whole = readings(read, content)
    assert len(cut) <= len(whole)
    for place, reading in enumerate(cut):
        check_well_formed(reading)
        for metric in reading.metrics:
            assert all(part in printed for part in metric.told.text.split(" / "))
        begun = {(series.name, series.of): series for series in whole[place].series}
        for series in reading.series:
            assert series.peaks[:-1] == begun[series.name, series.of].peaks[: len(series.peaks) - 1]
