"""`stowage explain`: reasons for a configuration, and the changes that would make another configuration win."""

import click
from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from stowage.cli.statuses import DONE, NOTHING_FITS
from stowage.features.planning.explanation.explanation import explain_cluster, overturn_types
from stowage.features.planning.explanation.schemas import (
    ExplanationAnswer,
    NetworkCaseAnswer,
    TypeOverturnAnswer,
    TypeOverturnsAnswer,
)
from stowage.model.choice import Objective
from stowage.workloads import wording
from stowage.workloads.knowledge import KnowledgeSource
from stowage.workloads.workload_file import WorkloadFile

_BAR_CELLS = 40
_MOST_TYPES = 40


def run(file: WorkloadFile, source: KnowledgeSource, *, types: bool, as_json: bool) -> int:
    """Print an explanation and return the exit status.

    Raises
    ------
    BadInput
        A field is not accepted.
    """
    if types:
        compared = overturn_types(file, source)
        if as_json:
            click.echo(compared.model_dump_json(indent=2))
        else:
            show_types(compared, file.objective)
        return NOTHING_FITS if compared.winner is None else DONE
    answer = explain_cluster(file, source)
    if as_json:
        click.echo(answer.model_dump_json(indent=2))
    else:
        show_explanation(answer, file.objective)
    return DONE if answer.obstacle is None else NOTHING_FITS


def show_explanation(answer: ExplanationAnswer, objective: Objective) -> None:
    """Print each part of an explanation under its heading."""
    networks = "What the network takes" if objective == "month" else "What the network costs"
    console = Console(highlight=False)
    console.print(Text(answer.sentence, style="bold"))
    parts = {
        "What limits it": [row.sentence for row in answer.bottlenecks],
        networks: _bars(answer.network, objective),
        "Cost sensitivity": [row.sentence for row in answer.next_dollar],
        "Beside the winner": [
            *(row.sentence for row in answer.against),
            *([] if answer.price_against is None else [answer.price_against.sentence]),
        ],
        "What would have to be true, each alone, for it to win": [row.sentence for row in answer.overturn],
        "Break-even margins, each alone": [row.sentence for row in answer.margins],
    }
    for title, lines in parts.items():
        if lines:
            console.print(f"\n{title}:")
            for line in lines:
                console.print(Padding(Text(line), (0, 0, 0, 2)))
    console.print(f"\nCatalog {answer.catalog_version}, model {answer.model_version}.", style="dim")


def show_types(answer: TypeOverturnsAnswer, objective: Objective) -> None:
    """Print for each instance type the network bandwidth at which it would win, or the reason why it never wins."""
    console = Console(highlight=False)
    console.print(Text(answer.sentence, style="bold"))
    found = [row for row in answer.types if row.verdict in {"winner", "found"}]
    table = Table(box=box.SIMPLE, pad_edge=False, collapse_padding=True)
    for heading, right in (("type", False), ("now", True), ("needed", True), ("then", False), ("if", False)):
        table.add_column(heading, justify="right" if right else "left", no_wrap=heading != "then")
    for row in found[:_MOST_TYPES]:
        table.add_row(
            row.instance, _rate(row.now_mb_per_s), _rate(row.needed_mb_per_s), _then(row, objective), _if(row)
        )
    if found:
        console.print(table)
    if len(found) > _MOST_TYPES:
        console.print(f"The first {_MOST_TYPES} of {len(found)}; --json gives all.")
    others = [row for row in answer.types if row.verdict not in {"winner", "found"}]
    if others:
        console.print("No network would do it for the others:")
    for row in others[:_MOST_TYPES]:
        console.print(Padding(Text(row.sentence), (0, 0, 0, 2)))
    if len(others) > _MOST_TYPES:
        console.print(f"  and {len(others) - _MOST_TYPES:,} more; --json gives all.")
    console.print(f"\nCatalog {answer.catalog_version}, model {answer.model_version}.", style="dim")


def _bars(rows: list[NetworkCaseAnswer], objective: Objective) -> list[str]:
    """Return the text of each network case: its sentence, and below it a bar.

    A network case is a prediction with another network bandwidth. The bar shows the cost of a run. If the objective is
    the monthly cost, it shows the time of a run instead.
    """
    amounts = [row.time_s if objective == "month" else row.cost_usd for row in rows]
    most = max(amounts, default=0.0)
    cells = [round(_BAR_CELLS * amount / most) if most > 0.0 else 0 for amount in amounts]
    return [f"{row.sentence}\n{'█' * count}" for row, count in zip(rows, cells, strict=True)]


def _rate(mb_per_s: float | None) -> str:
    return "" if mb_per_s is None else f"{wording.three_digits(mb_per_s)} MB/s"


def _then(row: TypeOverturnAnswer, objective: Objective) -> str:
    best = row.best
    if best is None or best.time_s is None or best.cost_usd is None:
        return ""
    if objective == "month" and best.month_usd is not None:
        amounts = f"{wording.usd(best.month_usd)} a month, {wording.duration(best.time_s)} a run"
    else:
        amounts = f"{wording.duration(best.time_s)} for {wording.usd(best.cost_usd)}"
    return f"{best.nodes:,} × {best.storage_words}: {amounts}"


def _if(row: TypeOverturnAnswer) -> str:
    words = {"storage_mb_per_s": "disks", "storage_iops": "disks", "ebs_read_mb_per_s": "EBS link"}
    named = dict.fromkeys(words[one] for one in row.assumed if one in words)
    return f"{' and '.join(named)} never limited" if named else ""
