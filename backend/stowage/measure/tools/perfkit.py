"""Reader of PerfKitBenchmarker's samples, one JSON document per line (`perfkitbenchmarker_results.json`).

Consecutive samples of one run and test are one measurement as long as their labels
(`|machine_type:m5.large|,|zone:...|`) show the same setup; a metric that occurs again begins the next measurement.
PerfKitBenchmarker reports the figures of other tools under its own names:

- iperf's throughput is reported by the client, so it is the sent rate; netperf's throughput is the received rate.
- Of several netperf threads the total counts; statistics over threads (`_Throughput_p50`) are rates of one thread.
- fio's latency is its completion latency (`clat`), and its KB are 1,024 bytes.

PerfKitBenchmarker's own times (`End to End Runtime`) are skipped, and unknown metrics are skipped with a remark.

Tested with: samples written for this project after the programs below. Not tested with: the file of a complete run. The
names of newer memtier samples (`Ops Throughput`) are from memory.

**Source** PerfKitBenchmarker (github.com/GoogleCloudPlatform), `publisher.py` (`GetLabelsFromDict`),
`linux_benchmarks/{iperf,netperf,ping,redis}_benchmark.py`, `linux_packages/fio.py` (`ParseResults`).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from itertools import chain
from typing import Final

from stowage.measure.files.clocks import time_of_number
from stowage.measure.files.compiled import maker
from stowage.measure.files.documents import Doubled, Ended, Piece, Text
from stowage.measure.files.head import Head
from stowage.measure.files.printed import KIB, MIB, Printed, iperf_factor
from stowage.measure.files.reader import DocumentReader, stands_twice
from stowage.measure.files.values import Number, Value, number_at, text_at, value_at
from stowage.measure.reading import Host, Reading, Remark

_ONE: Final = Decimal(1)
_LONGEST_CACHED: Final = 200
_new_host = maker(Host)
_RATES: Final[Mapping[str, Decimal]] = {"mbps": Decimal("0.125"), "gbps": Decimal(125), "kb/s": KIB, "mb/s": MIB}
"""Factors to MB/s; those of bit rates as in ``Mbits/sec`` are iperf's."""
_TIMES: Final[Mapping[str, Decimal]] = {
    "us": _ONE, "usec": _ONE, "microseconds": _ONE, "ms": Decimal(1_000), "msec": Decimal(1_000),
    "milliseconds": Decimal(1_000), "nsec": Decimal("0.001"), "s": Decimal(1_000_000), "seconds": Decimal(1_000_000),
}  # fmt: skip
_FIO = re.compile(
    r"(?P<job>.{1,120}?):(?P<way>read|write|trim):(?P<what>bandwidth|iops|latency)"
    r"(?::(?P<statistic>min|max|mean|stddev|p[\d.]{1,12}))?\Z"
)
_NETPERF = re.compile(
    r"(?P<test>TCP_STREAM|UDP_STREAM|TCP_RR|UDP_RR|TCP_CRR)_(?P<what>Throughput|Transaction_Rate|Latency)"
    r"(?:_(?P<statistic>total|average|min|max|mean|stddev|p\d{1,2}(?:\.\d{1,4})?))?\Z"
)
_STATISTICS: Final = {"average": "mean", "min": "min", "max": "max", "std dev": "stddev"}
_PING = re.compile(r"(?P<statistic>Average|Min|Max) Latency\Z|Latency (?P<spread>Std Dev)\Z")
_MEMTIER: Final = {"Ops Throughput": "operations_per_s", "KB Throughput": "operations_mb_per_s"}
_OWN = re.compile(
    r"End to End Runtime|Time to |.* Runtime\Z|.* Time\Z|cluster_boot|.*_time\Z|Cold|Hot|start_time|end_time|"
    r"proccpu|Benchmark Result|.*timestamp|lscpu|tcp_cong|gcc|glibc|os_|Reboot|cpu_vuln|Throttle|Cluster Boot|"
    r"\w+_Latency_(Histogram|total)\Z|(?=\w+\Z)\w+?_Throughput_(?!total)\w|max_throughput_for_completion_latency"
)
_LABEL = re.compile(r"\|([^:|]{1,100}+):([^|]{0,500}+)\|(?:,|\Z)")
_MOST_LABELS: Final = 300
_LONGEST_LABELS: Final = _MOST_LABELS * len(f"|{'k' * 100}:{'v' * 500}|,")
_INSTANCES: Final = ("machine_type", "sending_machine_type", "receiving_machine_type", "vm_1_machine_type")
_ZONES: Final = ("zone", "sending_zone", "receiving_zone", "vm_1_zone")
_IDENTITY: Final = (
    "cloud", "fio_job", "ip_type", "num_streams", "threads", "sending_thread_count", *_INSTANCES, *_ZONES,
)  # fmt: skip
"""Labels that distinguish runs of one test; other labels contain figures and differ from sample to sample."""
_COUNT = re.compile(r"[1-9]\d{0,5}\Z")
_ZONE = re.compile(r"(?P<region>[a-z]{2,8}(?:-[a-z]{2,12}){1,4}-\d{1,2})(?:[a-z]|-[a-z0-9-]{1,30})\Z")


def recognises(head: Head) -> bool:
    """Return whether a file contains samples of PerfKitBenchmarker."""
    others = {"run_uri", "sample_uri", "test", "labels"}
    return {"metric", "value", "unit"} <= {*head.keys} and bool(others & {*head.keys})


_Known = tuple[str, Number, str, str, Decimal]
"""Name of one of our metrics; value, unit and metric of a sample; and the factor to the unit of our metric."""


def _key(sample: Value, labels: Mapping[str, str]) -> tuple[str | None, ...]:
    return (text_at(sample, "run_uri"), text_at(sample, "test"), *map(labels.get, _IDENTITY))


def _setup(sample: Value) -> tuple[Value, ...]:
    """Return what two samples of one setup have in common: run, test and labels."""
    return value_at(sample, "labels"), value_at(sample, "test"), value_at(sample, "run_uri")


def _metric(sample: Value) -> _Known | str | None:
    """Convert a sample to one of our metrics.

    The result is None for PerfKitBenchmarker's own times. For an unknown metric, it is the text of a remark.
    """
    metric, value = text_at(sample, "metric"), number_at(sample, "value")
    if metric is None or value is None:
        return "A document without metric and value stands where a sample was expected"
    unit = text_at(sample, "unit") or ""
    test = text_at(sample, "test") or ""
    found = (_name if len(test) + len(metric) + len(unit) <= _LONGEST_CACHED else _name.__wrapped__)(test, metric, unit)
    if found is not None:
        return (found[0], value, unit, metric, found[1])
    return None if _OWN.match(metric) else f"The metric {metric[:60]!r} of {test[:40]!r} in {unit[:20]!r} is not known"


@lru_cache(maxsize=1_000)
def _name(test: str, metric: str, unit: str) -> tuple[str, Decimal] | None:
    rate, time = _rate(unit.lower()), _TIMES.get(unit.lower())
    if ":" in metric and (found := _FIO.match(metric)):
        return _fio(found, rate, time)
    if found := _NETPERF.match(metric):
        return _netperf(found, rate, time)
    if (found := _PING.match(metric)) and time is not None and test.startswith("ping"):
        statistic = (found["statistic"] or found["spread"]).lower()
        return f"network_latency_us.{_STATISTICS[statistic]}", time
    if metric in {"Throughput", "UDP Throughput"} and test.startswith("iperf") and rate is not None:
        return "network_sent_mb_per_s", rate
    if metric == "throughput" and test.startswith("redis") and unit == "req/s":
        return "operations_per_s", _ONE
    if "memtier" in test and metric in _MEMTIER:
        return _MEMTIER[metric], KIB if metric.startswith("KB") else _ONE
    if "memtier" in test and metric == "Latency" and time is not None:
        return "operation_latency_us.mean", time
    return None


def _rate(unit: str) -> Decimal | None:
    """Return the factor from a unit in lower case to MB/s; None for an unknown unit."""
    # iperf's prefixes of bytes are powers of 1,024. Whether PerfKitBenchmarker's are is not known.
    return _RATES.get(unit, iperf_factor(unit) if unit.endswith("bits/sec") else None)


def _fio(found: re.Match[str], rate: Decimal | None, time: Decimal | None) -> tuple[str, Decimal] | None:
    statistic = f".{found['statistic']}" if found["statistic"] else ""
    if statistic == ".p100":
        statistic = ".max"
    if found["what"] == "bandwidth":
        return (f"{found['way']}_mb_per_s{statistic}", rate) if rate is not None else None
    if found["what"] == "iops":
        return f"{found['way']}_iops{statistic}", _ONE
    return (f"{found['way']}_completion_latency_us{statistic or '.mean'}", time) if time is not None else None


def _netperf(found: re.Match[str], rate: Decimal | None, time: Decimal | None) -> tuple[str, Decimal] | None:
    statistic = found["statistic"]
    if found["what"] == "Latency":
        told = "mean" if statistic in {None, "average"} else statistic
        return (f"network_latency_us.{told}", time) if time is not None and statistic != "total" else None
    if statistic not in {None, "total"}:
        return None
    if found["test"].endswith("RR"):
        return "transactions_per_s", _ONE
    name = "network_sent_mb_per_s" if found["test"] == "UDP_STREAM" else "network_mb_per_s"
    return (name, rate) if rate is not None else None


class _Run:
    """Samples of one measurement, with what the first of them says."""

    def __init__(
        self,
        line: int,
        key: tuple[str | None, ...],
        setup: tuple[Value, ...],
        labels: Mapping[str, str],
        started_at: datetime | None,
    ) -> None:
        self.line, self.key, self.setup, self.labels, self.started_at = line, key, setup, labels, started_at
        self.printed = Printed()
        self.problem: str | None = None

    def take(self, known: _Known) -> None:
        try:
            self.printed.add(*known)
        except KeyError:
            self.printed.problems.append(f"The statistic of {known[3][:60]!r} is not known")

    def reading(self) -> Reading:
        labels = self.labels
        values = [metric.value for metric in self.printed.metrics()]
        problems = "; ".join(self.printed.problems)[:500]
        lack = None if any(values) else problems or "It reports no figure above 0"
        run_uri, test = self.key[0] or "", self.key[1] or "samples"
        cloud = labels.get("cloud", "AWS")
        notes = () if cloud.upper() == "AWS" else (f"It was measured at {cloud[:40]}, not at AWS",)
        return self.printed.reading(
            "perfkit",
            test[:200],
            self.line,
            self.printed.outcome(None if lack else self.problem, lack),
            tool_version=labels.get("perfkitbenchmarker_version"),
            settings={**labels, "test": test[:200], "run_uri": run_uri[:60]},
            started_at=self.started_at,
            host=_host(labels) if cloud.upper() == "AWS" else Host(),
            notes=notes,
        )


class _Runs(DocumentReader[Reading]):
    """Groups the samples of a file into measurements: consecutive samples with the same labels are one."""

    def __init__(self) -> None:
        self._run: _Run | None = None

    def text(self, line: Text) -> Iterator[Remark]:
        """Process a line of text."""
        yield Remark(line.line, f"{line.text.strip()[:80]!r} stands where a sample was expected")

    def doubled(self, doubled: Doubled) -> Iterator[Remark]:
        """Process a key that stands twice in an object."""
        yield stands_twice(doubled)

    def ended(self, ended: Ended) -> tuple[Remark, ...]:
        """Process the end of a document."""
        if not ended.problem:
            return ()
        self._broken(ended.problem)
        return (Remark(ended.line, f"The sample is invalid: {ended.problem}"),)

    def piece(self, piece: Piece) -> Iterable[Reading | Remark]:
        """Process one sample, or a list of samples."""
        if isinstance(piece.value, list):
            return chain.from_iterable(self._sample(piece.line, sample) for sample in piece.value)
        return self._sample(piece.line, piece.value)

    def _sample(self, line: int, sample: Value) -> Iterable[Reading | Remark]:
        """Process the next sample."""
        known, run, setup = _metric(sample), self._run, _setup(sample)
        if run is not None and setup == run.setup:
            key, labels = run.key, run.labels
        else:
            labels = _labels(setup[0])
            key = _key(sample, labels)
        ended: tuple[Reading, ...] = ()
        if run is not None and (run.key != key or (isinstance(known, tuple) and known[0] in run.printed)):
            ended = self._close()
        if isinstance(known, str):
            return (*ended, Remark(line, known))
        if known is not None:
            self._run = self._run or _Run(line, key, setup, labels, time_of_number(number_at(sample, "timestamp")))
            self._run.take(known)
        return ended

    def _broken(self, problem: str) -> None:
        """Mark the current measurement as incomplete, after a document that cannot be parsed.

        The broken document may have been one of its samples.
        """
        if self._run is not None:
            self._run.problem = self._run.problem or f"A later sample is invalid: {problem}"

    def end(self, *, cut: bool) -> Iterable[Reading]:
        """Process the end of the file."""
        if cut:
            self._broken("the file ends in the middle of a line")
        return self._close()

    def _close(self) -> tuple[Reading, ...]:
        """Return the result of the measurement in progress."""
        run, self._run = self._run, None
        return () if run is None else (run.reading(),)


def _labels(labels: Value) -> dict[str, str]:
    """Split the labels of a sample into keys and values."""
    if isinstance(labels, dict):
        return {key[:100]: value[:500] for key, value in list(labels.items())[:_MOST_LABELS] if isinstance(value, str)}
    if not isinstance(labels, str):
        return {}
    return dict(_LABEL.findall(labels[:_LONGEST_LABELS])[:_MOST_LABELS])


def _host(labels: Mapping[str, str]) -> Host:
    zone = _first_of(labels, _ZONES) or ""
    region = _region_of(zone)
    return _new_host(
        labels.get("hostname"),
        labels.get("kernel_release"),
        _first_of(labels, _INSTANCES),
        region,
        zone if region else None,
        _count_of(labels.get("vm_count", "")),
        labels.get("data_disk_0_type") or labels.get("data_disk_type"),
        None,
        _count_of(labels.get("num_cpus", "")),
        None,
    )


def _first_of(labels: Mapping[str, str], keys: Iterable[str]) -> str | None:
    for key in keys:
        if key in labels:
            return labels[key]
    return None


@lru_cache(maxsize=100)
def _region_of(zone: str) -> str | None:
    found = _ZONE.match(zone)
    return found["region"] if found else None


@lru_cache(maxsize=100)
def _count_of(text: str) -> int | None:
    return int(text) if _COUNT.match(text) else None


read = _Runs.read
