"""Results of a run, assembled from the reports of its nodes.

The results are figures, and files in the formats of benchmark tools.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, field
from statistics import fmean
from typing import Any, Literal

from stowage.frozen import frozen
from stowage.runs.orders import DFSIO_PHASES, Phase, expected, phases, written
from stowage.runs.report import Report, ReportStatus
from stowage.runs.spec import OwnDisks, RunSpec, Volumes

ResultKind = Literal["disk", "net", "redis", "testdfsio"]

_DISK_METRICS = (
    *("storage_mb_per_s", "read_mb_per_s", "write_mb_per_s", "read_iops", "write_iops"),
    *("read_latency_us", "write_latency_us"),
)
_NET_METRICS = {
    "received_mb_per_s": "network_mb_per_s",
    "sent_mb_per_s": "network_sent_mb_per_s",
    "retransmits": "network_retransmits",
}
_HEADLINES = {"read-write": "storage_mb_per_s", "read": "read_mb_per_s", "write": "write_mb_per_s"}
_MOST = 1e12
_LONGEST_TEXT = 1 << 20


@frozen
class NodeResult:
    """Results of one node in one phase.

    A phase is one benchmark of the run.
    """

    node: int
    status: ReportStatus
    failure: str | None
    metrics: Mapping[str, float]
    """Value of each metric by its name, in the metric's unit."""


@frozen
class ResultFile:
    """One file with the results of a phase, in the format of the benchmark tool."""

    name: str
    content: bytes
    target: Mapping[str, Any]
    """Target of the measurement (`measure.target`), as JSON."""


@frozen
class Result:
    """Results of all nodes in one phase.

    A phase is one benchmark of the run.
    """

    phase: str
    kind: ResultKind
    complete: bool
    """Whether all nodes of the phase have reported with status ok."""
    missing: tuple[int, ...]
    """Nodes that have not reported."""
    metrics: Mapping[str, float] = field(default_factory=dict)
    """Two entries for each metric: the mean over the nodes that reported, and the value of the slowest such node."""
    per_node: tuple[NodeResult, ...] = ()
    file: ResultFile | None = None
    """File with the results; None if there are no results."""


@frozen
class Scale:
    """Bandwidth at which nodes received data, for one cluster size."""

    nodes: int
    mean_mb_per_s: float
    """Mean bandwidth of the nodes [MB/s]."""
    slowest_mb_per_s: float
    """Bandwidth of the slowest node [MB/s]."""
    reported: int
    """Number of nodes that reported."""


def results(spec: RunSpec, zone: str | None, reports: Iterable[Report]) -> tuple[Result, ...]:
    """Assemble the results of each phase of a run.

    The results are in the order of the phases.

    Parameters
    ----------
    spec : RunSpec
    zone : str or None
        Availability zone of the nodes.
    reports : iterable of Report
        Reports in any order; reports that are not part of the specified run are ignored.
    """
    of: dict[str, dict[int, Report]] = {}
    wanted = expected(spec)
    for report in reports:
        if (report.node, report.phase) in wanted:
            of.setdefault(report.phase, {}).setdefault(report.node, report)
    found = []
    for phase in phases(spec):
        came = [report for _, report in sorted(of.get(phase.name, {}).items())]
        if phase.kind == "redis":
            found.append(_text(spec, zone, phase.name, "redis", came))
        else:
            found.append((_disk if phase.kind == "disk" else _net)(spec, zone, phase, came))
    if spec.benchmark == "testdfsio":
        found += [_text(spec, zone, name, "testdfsio", [*of.get(name, {}).values()]) for name in DFSIO_PHASES]
    return tuple(found)


def scaling(spec: RunSpec, zone: str | None, reports: Iterable[Report]) -> tuple[Scale, ...]:
    """Return the network bandwidth for each measured cluster size.

    The parameters are those of `results`.
    """
    sizes = {phase.name: phase.nodes for phase in phases(spec) if phase.kind == "net"}
    found = []
    for result in results(spec, zone, reports):
        if result.phase in sizes and "network_mb_per_s" in result.metrics:
            mean, slowest = result.metrics["network_mb_per_s"], result.metrics["network_slowest_mb_per_s"]
            reported = sum("network_mb_per_s" in node.metrics for node in result.per_node)
            found.append(Scale(sizes[result.phase], mean, slowest, reported))
    return tuple(found)


def _disk(spec: RunSpec, zone: str | None, phase: Phase, came: Sequence[Report]) -> Result:
    nodes = tuple(_node(report, _figures(report.document.get("result"), _DISK_METRICS)) for report in came)
    headline = _HEADLINES[phase.settings["mode"]]
    values = [node.metrics[headline] for node in nodes if node.status != "failed" and headline in node.metrics]
    metrics = {headline: fmean(values), f"{headline}.min": min(values)} if values else {}
    host = _host(spec, zone, 1)
    documents = [_on(report.document, host) for report in came if report.document.get("stowage") == "diskbench"]
    content = b"".join(written(document) + b"\n" for document in documents)
    disks = max((_count(document, "disks") for document in documents), default=0)
    file = ResultFile(f"{phase.name}.json", content, _target(spec, zone, 1, disks)) if documents else None
    return Result(phase.name, "disk", *_whole(spec.nodes, came), metrics, nodes, file)


def _net(spec: RunSpec, zone: str | None, phase: Phase, came: Sequence[Report]) -> Result:
    nodes = tuple(_node(report, _renamed(report.document)) for report in came)
    counted = [node for node in nodes if node.status != "failed" and "network_mb_per_s" in node.metrics]
    complete, missing = _whole(phase.nodes, came)
    if not counted:
        return Result(phase.name, "net", complete, missing, {}, nodes, None)
    received = [node.metrics["network_mb_per_s"] for node in counted]
    metrics = {"network_mb_per_s": fmean(received), "network_slowest_mb_per_s": min(received)}
    for name in ("network_sent_mb_per_s", "network_retransmits"):
        values = [node.metrics[name] for node in counted if name in node.metrics]
        if values:
            metrics[name] = fmean(values)
    document = _net_document(spec, zone, phase, [each for each in came if each.status != "failed"], metrics)
    if not complete:
        document |= {"status": "partial", "failure": _incomplete(phase.nodes, nodes, missing)}
    target = _target(spec, zone, phase.nodes, None)
    file = ResultFile(f"{phase.name}.json", written(document) + b"\n", target)
    return Result(phase.name, "net", complete, missing, metrics, nodes, file)


def _net_document(
    spec: RunSpec, zone: str | None, phase: Phase, came: Sequence[Report], metrics: Mapping[str, float]
) -> dict[str, Any]:
    documents = [report.document for report in came]
    starts = [each for each in (document.get("started_at") for document in documents) if isinstance(each, str)]
    lengths = [figure for figure in (_figure(document, "duration_s") for document in documents) if figure]
    document: dict[str, Any] = {
        "stowage": "netbench",
        "version": 1,
        "name": f"{phase.nodes:,} nodes, each sends to each",
        "host": _host(spec, zone, phase.nodes),
        "settings": {
            "connections": spec.net.connections,
            "placement_group": spec.placement_group,
            "nodes": phase.nodes,
            "reported": len(came),
        },
        "result": dict(metrics),
    }
    compared = [figure for figure in (_figure(each, "iperf3_mb_per_s") for each in documents) if figure]
    if compared:
        document["settings"]["iperf3_mb_per_s"] = compared[0]
    processes = [figure for figure in (_figure(each, "processes") for each in documents) if figure]
    if processes:
        document["settings"]["processes"] = max(processes)
    if starts:
        document["started_at"] = min(starts)
    if lengths:
        document["duration_s"] = max(lengths)
    return document


def _text(spec: RunSpec, zone: str | None, name: str, kind: ResultKind, came: Sequence[Report]) -> Result:
    """Return the result of a Redis or TestDFSIO phase.

    The text output of all nodes is joined into one file.
    """
    nodes = tuple(_node(report, {}) for report in came)
    texts = [each for each in (report.document.get("text") for report in came) if isinstance(each, str) and each]
    count = 1 if kind == "testdfsio" else spec.nodes
    file = None
    if texts:
        content = "\n".join(text[:_LONGEST_TEXT] for text in texts).encode(errors="replace") + b"\n"
        disks = max((_count(report.document, "disks") for report in came), default=0)
        nodes_measured = spec.nodes if kind == "testdfsio" else 1
        file = ResultFile(f"{name}.txt", content, _target(spec, zone, nodes_measured, disks))
    return Result(name, kind, *_whole(count, came), {}, nodes, file)


def _whole(count: int, came: Sequence[Report]) -> tuple[bool, tuple[int, ...]]:
    there = {report.node for report in came}
    missing = tuple(node for node in range(count) if node not in there)
    return not missing and all(report.status == "ok" for report in came), missing


def _incomplete(count: int, nodes: Sequence[NodeResult], missing: Sequence[int]) -> str:
    failures = [f"node {node.node}: {node.failure}" for node in nodes if node.failure is not None]
    if missing:
        failures.insert(0, f"{len(missing):,} of {count:,} nodes did not report")
    return "; ".join(failures)[:200]


def _node(report: Report, metrics: Mapping[str, float]) -> NodeResult:
    return NodeResult(report.node, report.status, report.failure, metrics)


def _renamed(document: Mapping[str, Any]) -> dict[str, float]:
    found = _figures(document, tuple(_NET_METRICS))
    return {_NET_METRICS[name]: value for name, value in found.items()}


def _figures(value: object, names: Sequence[str]) -> dict[str, float]:
    if not isinstance(value, Mapping):
        return {}
    found = {name: _figure(value, name) for name in names}
    return {name: figure for name, figure in found.items() if figure is not None}


def _figure(value: Mapping[str, Any], name: str) -> float | None:
    found = value.get(name)
    if isinstance(found, bool) or not isinstance(found, int | float) or not 0 <= found <= _MOST:
        return None
    return float(found)


def _count(document: Mapping[str, Any], name: str) -> int:
    settings = document.get("settings")
    found = _figure(settings, name) if isinstance(settings, Mapping) else None
    return int(found) if found else 0


def _on(document: Mapping[str, Any], host: Mapping[str, Any]) -> dict[str, Any]:
    """Return a node's document with known facts about the node added.

    The facts are those of `_host`.
    """
    told = document.get("host")
    return {**document, "host": {**(told if isinstance(told, dict) else {}), **host}}


def _host(spec: RunSpec, zone: str | None, nodes: int) -> dict[str, Any]:
    """Return the known facts about the nodes of a run.

    If Stowage has not launched the nodes, only their number is known.
    """
    found: dict[str, Any] = {"nodes": nodes}
    known = {"instance_type": spec.instance, "region": spec.region, "zone": zone}
    found |= {name: value for name, value in known.items() if value}
    if isinstance(spec.storage, Volumes):
        found["volume_type"] = spec.storage.type
    return found


def _target(spec: RunSpec, zone: str | None, nodes: int, disks: int | None) -> dict[str, Any]:
    """Return the target of a measurement.

    ``disks`` is None if no storage was measured.
    """
    storage: dict[str, Any] | None = None
    if disks is not None and isinstance(spec.storage, OwnDisks):
        storage = {"kind": "instance-store", "disks": max(disks, 1)}
    elif disks is not None and isinstance(spec.storage, Volumes):
        storage = asdict(spec.storage)
    return {
        "instance": spec.instance,
        "region": spec.region,
        "zone": zone,
        "storage": storage,
        "nodes": nodes,
        "placement_group": spec.placement_group if nodes > 1 else None,
    }
