"""Fuzzing of readers: for any bytes a result or a reason; no crash, no hang, no invented figure."""

import math
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO

import pytest

from mangled import mangled, originals
from soaking import everyday
from stowage.measure import recognise
from stowage.measure.errors import Unreadable
from stowage.measure.files.archive import files_of
from stowage.measure.logs.logged_jobs import LoggedJob, plausible
from stowage.measure.metrics import kind_of
from stowage.measure.reading import MOST_READINGS, MOST_REMARKS, Reading, Remark

FILES = originals()
NO_LONGER_THAN_S = 60.0
"""CPU time that counts as a hang; none of these inputs takes a tenth of a second. Not wall time."""
PART = 50_000


@contextmanager
def no_hang(number: int) -> Iterator[None]:
    def hangs(*_: object) -> None:
        raise TimeoutError(f"input {number} hangs")

    before = signal.signal(signal.SIGVTALRM, hangs)
    signal.setitimer(signal.ITIMER_VIRTUAL, NO_LONGER_THAN_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)


def read(content: bytes) -> list[Reading | LoggedJob | Remark]:
    try:
        return [found for _, stream in files_of(BytesIO(content), "it") for found in recognise.read(stream)]
    except Unreadable as error:
        assert error.message
        return []


def check(found: list[Reading | LoggedJob | Remark]) -> None:
    readings = [each for each in found if isinstance(each, Reading)]
    assert all(plausible(each) for each in found if isinstance(each, LoggedJob))
    remarks = [each for each in found if isinstance(each, Remark)]
    assert len(readings) <= MOST_READINGS
    assert len(remarks) <= MOST_REMARKS + 1
    for remark in remarks:
        assert remark.line >= 1
        assert remark.message
    for reading in readings:
        assert reading.line >= 1
        names = [metric.name for metric in reading.metrics]
        assert len(set(names)) == len(names)
        for metric in reading.metrics:
            kind_of(metric.name)
            assert math.isfinite(metric.value), metric
            assert metric.told.text
            assert len(metric.told.text) <= 60
        for series in reading.series:
            kind_of(series.name)
            assert all(math.isfinite(value) for value in (*series.times_s, *series.values, *series.peaks))
            assert len(series.times_s) == len(series.values) == len(series.peaks)
            assert list(series.times_s) == sorted(series.times_s)
        if reading.status == "ok":
            assert reading.metrics or reading.series, reading


@pytest.mark.parametrize("part", everyday((0,), range(7), "fuzz"))
def test_no_input_crashes_hangs_or_makes_up_a_figure(part: int) -> None:
    numbers = range(1_000) if part == 0 else range(part * PART, (part + 1) * PART)
    for number in numbers:
        with no_hang(number):
            try:
                check(read(mangled(FILES, number)))
            except Exception as error:
                raise AssertionError(f"input {number}: {type(error).__name__}: {error}") from error
