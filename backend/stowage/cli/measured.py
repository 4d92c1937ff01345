"""Results of benchmarks on the user's own machines, as tables and documents."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from stowage.cli.server.hosts import Host
from stowage.runs.assembly import results, scaling
from stowage.runs.report import Report
from stowage.runs.screening import screen
from stowage.runs.spec import RunSpec

_WORDS = {
    "storage_mb_per_s": "read and written at once, each",
    "read_mb_per_s": "read",
    "write_mb_per_s": "written",
}


def show_disks(documents: Sequence[Mapping[str, Any]]) -> None:
    """Print the DiskBench results of this machine."""
    console = Console(highlight=False)
    table = Table(box=box.SIMPLE)
    for name in ("measured", "MB/s", "of", "status"):
        table.add_column(name, justify="right" if name == "MB/s" else "left")
    for document in documents:
        status = str(document.get("status", "ok"))
        if document.get("failure"):
            status = f"{status}: {document['failure']}"
        for metric, value in dict(document.get("result") or {}).items():
            if metric in _WORDS:
                table.add_row(_WORDS[metric], f"{value:,.1f}", escape(str(document.get("name", ""))), escape(status))
    console.print(table)
    for note in dict.fromkeys(note for document in documents for note in document.get("notes") or ()):
        console.print(escape(str(note)), style="dim")


def network_documents(spec: RunSpec, reports: Sequence[Report]) -> list[dict[str, Any]]:
    """Return a NetBench document for each number of hosts that was measured."""
    return [
        json.loads(result.file.content)
        for result in results(spec, None, reports)
        if result.kind == "net" and result.file is not None
    ]


def show_network(spec: RunSpec, reports: Sequence[Report], hosts: Sequence[Host]) -> None:
    """Print the mean and the lowest receive rate of hosts for each number of hosts.

    iperf3's rate and the failures of hosts follow, if there are any.
    """
    console = Console(highlight=False)
    table = Table("hosts", box=box.SIMPLE)
    for name in ("mean MB/s", "slowest MB/s", "reported"):
        table.add_column(name, justify="right")
    for scale in scaling(spec, None, reports):
        table.add_row(
            f"{scale.nodes:,}", f"{scale.mean_mb_per_s:,.1f}", f"{scale.slowest_mb_per_s:,.1f}", f"{scale.reported:,}"
        )
    console.print(table)
    for compared in {
        rate for report in reports if isinstance(rate := report.document.get("iperf3_mb_per_s"), int | float)
    }:
        console.print(f"iperf3, from {escape(hosts[0].name)} to {escape(hosts[1].name)}: {compared:,.1f} MB/s")
    for report in reports:
        if report.failure is not None:
            console.print(
                f"{escape(hosts[report.node].name)}, {report.phase}: {escape(report.failure)}", style="yellow"
            )


def screening_document(spec: RunSpec, reports: Sequence[Report], hosts: Sequence[Host]) -> dict[str, Any]:
    """Return a JSON document with the hosts that are too slow to use, and the rates of all hosts."""
    found = screen(spec, reports)
    measured = [
        {
            "phase": result.phase,
            "hosts": {hosts[node.node].name: dict(node.metrics) for node in result.per_node},
        }
        for result in results(spec, None, reports)
    ]
    drop = [{"host": hosts[each.node].name, "reasons": list(each.reasons)} for each in found.drop]
    return {"drop": drop, "words": found.words, "measured": measured}


def show_screening(spec: RunSpec, reports: Sequence[Report], hosts: Sequence[Host]) -> None:
    """Print the hosts that are too slow to use."""
    console = Console(highlight=False)
    found = screen(spec, reports)
    for each in found.drop:
        console.print(f"drop {escape(hosts[each.node].name)}: {escape('; '.join(each.reasons))}", style="yellow")
    if not found.drop:
        console.print("no host falls behind the others")
    console.print(escape(found.words), style="dim")
