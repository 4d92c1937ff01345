"""Pinned configurations in a plan's report.

Each pin was predicted when it was stored, for the request of that time.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from stowage.features.planning.schemas import PinAnswer, SavedPlanAnswer
from stowage.features.reports.composed.options import Option, name_of, options_table
from stowage.features.reports.composed.provenance import leaves
from stowage.model.report import Block, Paragraph, Section
from stowage.platform.errors import BadInput
from stowage.workloads.answers import PlanAnswer, PredictionAnswer
from stowage.workloads.workload_file import parse_workload

_SAID_ELSEWHERE = ("cluster.", "limits.", "choose.", "quotas.", "objective", "workload.name", "workload.durability.")
"""Fields that name, select and judge a configuration; its durability is a column of the table."""


def pins_sections(plan: SavedPlanAnswer, recommended: Option) -> tuple[Section, ...]:
    """Return the section that compares the feasible pins with the recommended option.

    The result is empty if no pin is feasible.
    """
    found = [(f"pin-{place}", pin.file, pin.answer) for place, pin in enumerate(plan.decided.pins, start=1)]
    feasible = [(key, file, answer) for key, file, answer in found if isinstance(answer, PredictionAnswer)]
    options = list(_readable(feasible))
    if not options:
        return ()
    caption = (
        "The recommended option and the pins, each for what was asked when it was pinned. Percentages are of the first."
    )
    table = replace(options_table([recommended, *options], caption, recommended.key), key="pins")
    blocks: list[Block] = [table, *_otherwise(plan)]
    if len(options) < len(feasible):
        blocks.append(Paragraph("Pins that were written for an earlier version are left out.", tone="doubt"))
    if any(_rests_on(answer) != _rests_on(plan.answer) for _, _, answer in feasible):
        words = "The pins were predicted by another model or other measurements than the plan, when they were stored."
        blocks.append(Paragraph(words, tone="doubt"))
    return (Section("pins", "Pinned for comparison", tuple(blocks), detail=True),)


def _readable(pins: Iterable[tuple[str, dict[str, Any], PredictionAnswer]]) -> Iterator[Option]:
    for key, document, answer in pins:
        try:
            file = parse_workload(document)
        except BadInput:
            continue
        yield Option(key, name_of(answer), answer, file)


def _otherwise(plan: SavedPlanAnswer) -> Iterator[Block]:
    """Yield a paragraph on each pin whose request differs from the request of the plan.

    The paragraph lists the differing fields.
    """
    asked = dict(leaves(plan.answer.workload))
    for pin in plan.decided.pins:
        own = dict(leaves(pin.file))
        fields = [
            field
            for field in sorted({*asked, *own})
            if asked.get(field) != own.get(field) and not field.startswith(_SAID_ELSEWHERE)
        ]
        if fields:
            said = ", ".join(f"{field} {own.get(field, 'by default')}" for field in fields)
            yield Paragraph(f"{_name(pin)} is pinned for another question: {said}.", tone="doubt")


def _name(pin: PinAnswer) -> str:
    cluster = pin.file["cluster"]
    return f"{cluster['nodes']:,} × {cluster['instance']}"


def _rests_on(answer: PredictionAnswer | PlanAnswer) -> tuple[str, str]:
    return answer.model_version, answer.profiles_digest
