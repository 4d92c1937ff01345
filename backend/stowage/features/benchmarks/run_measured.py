"""Results of a run, combined from the reports of its nodes and converted to API answers."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from stowage.features.benchmarks.schemas import (
    DroppedNodeAnswer,
    NodeResultAnswer,
    RunResultAnswer,
    ScreeningAnswer,
)
from stowage.features.benchmarks.store import run_news
from stowage.features.benchmarks.store import runs as store
from stowage.frozen import frozen
from stowage.measure.metrics import kind_of
from stowage.optimizer.cache import Cache
from stowage.platform.database.database import Database
from stowage.runs import assembly, screening
from stowage.runs.assembly import Result
from stowage.runs.orders import node_key
from stowage.runs.report import Report, read_report
from stowage.runs.run import Run
from stowage.workloads.answers import HeadlineAnswer

_NAMES: Mapping[str, str] = {
    "disk-read-write": "Half the disks read while half are written",
    "disk-read": "All disks read",
    "disk-write": "All disks written",
    "redis-everysec": "Redis, its file forced to the disk every second",
    "redis-always": "Redis, its file forced to the disk before each answer",
    "testdfsio-write": "TestDFSIO writes HDFS",
    "testdfsio-read": "TestDFSIO reads HDFS",
}


@frozen
class Measured:
    """Results of a run, as API answers and as files."""

    results: tuple[RunResultAnswer, ...] = ()
    """Results of the phases, in the order in which the nodes run them."""
    scaling: tuple[assembly.Scale, ...] = ()
    screening: ScreeningAnswer | None = None
    files: tuple[assembly.ResultFile, ...] = ()
    """Files that can be stored as measurements."""


NOTHING = Measured()

_MEASURED: Cache[tuple[UUID, frozenset[tuple[int, str, bytes]]], Measured] = Cache(most=32)


def measured_of(database: Database, org_id: UUID, run: Run, reported: Mapping[tuple[int, str], bytes]) -> Measured:
    """Return the results of a run from the reports of its nodes.

    The results are cached until another report arrives.

    Parameters
    ----------
    reported : mapping of (int, str) to bytes
        SHA-256 of each report, by node and phase.
    """
    if not reported:
        return NOTHING
    named = run.id, frozenset((node, phase, digest) for (node, phase), digest in reported.items())

    def assemble() -> Measured:
        with database.transaction(org_id) as connection:
            key = store.key_of(connection, run.id)
            stored = run_news.reports(connection, run.id)
        # The signatures were verified with the same key when the reports were stored.
        read = [read_report(each.content, node_key(key, each.node), run.id, each.node, each.phase) for each in stored]
        return _measured(run, [each for each in read if isinstance(each, Report)])

    return _MEASURED.get(named, assemble)


def _measured(run: Run, reports: Sequence[Report]) -> Measured:
    results = assembly.results(run.spec, run.zone, reports)
    instances = {number: instance for number, (instance, _) in enumerate(run.nodes)}
    return Measured(
        results=tuple(_result(each, instances) for each in results),
        scaling=assembly.scaling(run.spec, run.zone, reports),
        screening=_screening(run, reports, instances) if run.spec.benchmark == "screening" else None,
        files=tuple(each.file for each in results if each.file is not None),
    )


def _result(result: Result, instances: Mapping[int, str]) -> RunResultAnswer:
    return RunResultAnswer(
        phase=result.phase,
        name=_name(result.phase),
        kind=result.kind,
        complete=result.complete,
        nodes_missing=list(result.missing),
        metrics=_metrics(result.metrics),
        per_node=[
            NodeResultAnswer.from_fields(each, instance_id=instances.get(each.node), metrics=_metrics(each.metrics))
            for each in result.per_node
        ],
    )


def _name(phase: str) -> str:
    """Return the display name of a phase.

    >>> _name("net-8")
    'Network, 8 nodes all to all'
    """
    kind, _, size = phase.partition("-")
    return f"Network, {size} nodes all to all" if kind == "net" else _NAMES.get(phase, phase)


def _metrics(metrics: Mapping[str, float]) -> list[HeadlineAnswer]:
    found = []
    for name, value in metrics.items():
        kind = kind_of(name)
        found.append(HeadlineAnswer(name=name, what=kind.what, value=value, unit=kind.unit))
    return found


def _screening(run: Run, reports: Sequence[Report], instances: Mapping[int, str]) -> ScreeningAnswer:
    screened = screening.screen(run.spec, reports)
    return ScreeningAnswer(
        drop=[
            DroppedNodeAnswer(node=each.node, instance_id=instances.get(each.node), reasons=list(each.reasons))
            for each in screened.drop
        ],
        words=screened.words,
    )
