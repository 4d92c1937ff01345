"""Changes between two reports in sentences for readers: money and its cause, the winner, saving and risk."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from stowage.frozen import frozen
from stowage.model.report import Amount, Block, Fact, Facts, Report, Row, Table
from stowage.workloads import amounts, wording

_FIELDS = {
    "workload.data": "the data size",
    "workload.job": "the job",
    "workload.runs_per_month": "the number of runs a month",
    "workload.framework": "the framework",
    "workload.durability.model": "the durability",
    "workload.durability.replicas": "the number of copies",
    "limits.deadline": "the deadline",
    "limits.budget": "the budget",
    "limits.chance": "the required confidence",
    "limits.max_nodes": "the most nodes",
    "place.region": "the region",
    "place.purchase": "the purchase option",
    "objective": "the objective",
}
"""Fields of a question, in words."""
_NOT_ASKED = ("workload.name", "place.catalog")
_MOST_CAUSES = 3
_MOST_FIGURES = 3
_VISIBLE_PCT = 0.5
"""Least change of a price or rate that is named as a cause [%]."""

_Block = TypeVar("_Block", bound=Block)


@frozen
class _Decision:
    """Recommended option of a report, and what it costs."""

    name: str
    """Nodes and type, as in `5 × i8g.4xlarge`."""
    storage: str
    cost: Amount | None
    """Monthly cost, or the cost of a run if the report states no monthly cost."""


def reader_sentence(old: Report, new: Report) -> str:
    """Return what changed for the reader, from an older to a newer report.

    Examples: "$35 more a month (+4%) because i8g.4xlarge rose 4%; winner unchanged."
    """
    if old.origin.kind != new.origin.kind:
        return f"The reports are of different kinds: a {old.origin.kind} and a {new.origin.kind}."
    before, after = _decision(old), _decision(new)
    if before is None or after is None:
        return _of_figures(old, new)
    money, moved = _money(before, after)
    because = _because(list(_causes(old, new)), moved=moved)
    said = [f"{money}{because}; {_winner(before, after)}.", *_saving(old, new), *_risk(old, new)]
    return " ".join(said)


def _blocks(report: Report, section: str, of: type[_Block]) -> Iterator[_Block]:
    for each in report.sections:
        if each.key == section:
            yield from (block for block in each.blocks if isinstance(block, of))


def _facts(report: Report) -> Mapping[str, Fact]:
    """Return the facts of the summary by key."""
    return {fact.key: fact for facts in _blocks(report, "summary", Facts) for fact in facts.facts}


def _amount(report: Report, key: str) -> Amount | None:
    found = _facts(report).get(key)
    return found.value if found is not None and isinstance(found.value, Amount) else None


def _rows(report: Report, section: str, key: str) -> Iterator[tuple[Row, Mapping[str, Amount | str | None]]]:
    """Yield the rows of a table, each with its cells by column."""
    for table in _blocks(report, section, Table):
        if table.key == key:
            names = [column.key for column in table.columns]
            yield from ((row, dict(zip(names, row.cells, strict=True))) for row in table.rows)


def _decision(report: Report) -> _Decision | None:
    """Return the recommended option of a report; None if it recommends none."""
    for row, cells in _rows(report, "options", "options"):
        if row.chosen and isinstance(cells.get("option"), str):
            usual = cells.get("month_usd"), cells.get("cost_usd")
            costs = [cost for cost in (_amount(report, "month"), *usual) if isinstance(cost, Amount)]
            # Reports from before 2026-11-28 wrote x for ×.
            option, storage = (str(cells.get(name) or "").replace(" x ", " × ") for name in ("option", "storage"))
            return _Decision(option, storage, costs[0] if costs else None)
    return None


def _money(before: _Decision, after: _Decision) -> tuple[str, bool]:
    """Return the change of the cost in words, and whether the cost is another one."""
    old, new = before.cost, after.cost
    if old is None or new is None or old.unit != new.unit:
        return "The costs are of different periods" if old and new else "No cost can be compared", False
    period = "a month" if new.unit == "USD/month" else "a run"
    apart = amounts.percent(new.value, old.value)
    if apart is None or apart.words == "same":
        return f"The same cost {period}", False
    more = "more" if new.value > old.value else "less"
    return f"{wording.usd(abs(new.value - old.value))} {more} {period} ({apart.words})", True


def _winner(before: _Decision, after: _Decision) -> str:
    if before == after or (before.name, before.storage) == (after.name, after.storage):
        return "winner unchanged"
    old_nodes, _, old_type = before.name.partition(" × ")
    nodes, _, instance = after.name.partition(" × ")
    if instance != old_type:
        return f"the winner is now {nodes} × {instance} instead of {old_nodes} × {old_type}"
    if nodes != old_nodes:
        return f"the winner is still {instance}, now {nodes} nodes instead of {old_nodes}"
    return f"the winner is still {nodes} × {instance}, now with {after.storage} instead of {before.storage}"


def _because(causes: Sequence[str], *, moved: bool) -> str:
    """Return the causes as an ending of a sentence.

    Only a single cause of another cost is stated as the reason: of several, it is not known which counts how much.
    """
    if not causes:
        return ""
    shown = list(causes[:_MOST_CAUSES])
    rest = len(causes) - len(shown)
    shown += [f"{rest} other input{'' if rest == 1 else 's'} changed"] if rest else []
    listed = " and ".join([", ".join(shown[:-1])] * (len(shown) > 1) + shown[-1:])
    return f" because {listed}" if moved and len(causes) == 1 else f" after {listed}"


def _causes(old: Report, new: Report) -> Iterator[str]:
    """Yield the inputs that changed: the question first, then prices, then rates, then the model."""
    yield from _asked_otherwise(old, new)
    yield from _figures_moved(old, new)
    versions = [{fact.key: fact.value for fact in report.versions} for report in (old, new)]
    if versions[0].get("model") != versions[1].get("model"):
        yield "the model changed"


def _asked_otherwise(old: Report, new: Report) -> Iterator[str]:
    asked = [
        {row.key: str(cells["asked_1"]) for row, cells in _rows(report, "assumptions", "asked")}
        for report in (old, new)
    ]
    for field in sorted({*asked[0], *asked[1]}):
        was, now = (each.get(field, "the default") for each in asked)
        if was != now and field not in _NOT_ASKED:
            yield f"{_FIELDS.get(field, field)} changed from {was} to {now}"


def _figures_moved(old: Report, new: Report) -> Iterator[str]:
    """Yield the prices, then the measured rates, that both reports used and that changed, by size of the change."""
    inputs = [{row.key: cells for row, cells in _rows(report, "provenance", "provenance")} for report in (old, new)]
    moved: list[tuple[bool, float, str]] = []
    for key in inputs[0].keys() & inputs[1].keys():
        was, now = inputs[0][key].get("value"), inputs[1][key].get("value")
        if not (isinstance(was, Amount) and isinstance(now, Amount) and was.unit == now.unit and was.value):
            continue
        change = 100.0 * (now.value - was.value) / abs(was.value)
        is_price = now.unit.startswith("USD")
        if abs(change) >= _VISIBLE_PCT and (is_price or inputs[1][key].get("kind") == "measured"):
            moved.append((not is_price, -abs(change), _moved_words(key, change, is_price=is_price)))
    yield from (words for _, _, words in sorted(moved))


def _moved_words(key: str, change: float, *, is_price: bool) -> str:
    what, _, rate = key.rpartition(".")
    by = f"{wording.three_digits(abs(change))}%"
    if is_price:
        return f"{what or 'a price'} {'rose' if change > 0 else 'fell'} {by}"
    named = rate.removesuffix("_mb_per_s").replace("_", " ")
    return f"{what} measures {by} {'higher' if change > 0 else 'lower'} ({named})"


def _saving(old: Report, new: Report) -> Iterator[str]:
    was, now = (_amount(report, "saving_month") for report in (old, new))
    if was is not None and now is not None and was.words != now.words:
        yield f"Saving a month: {now.words} instead of {was.words}."


def _risk(old: Report, new: Report) -> Iterator[str]:
    was, now = (_amount(report, "misses_deadline") for report in (old, new))
    if was is not None and now is not None and was.words != now.words:
        yield f"Risk of missing the deadline: {now.words} instead of {was.words}."


def _of_figures(old: Report, new: Report) -> str:
    """Return the key figures that changed, for reports without a recommended option."""
    before, after = _facts(old), _facts(new)
    pairs = [
        (fact.label, _words(before[key].value), _words(fact.value)) for key, fact in after.items() if key in before
    ]
    said = [f"{label}: {now} instead of {was}" for label, was, now in pairs if was != now]
    if not said:
        return "The key figures are unchanged."
    rest = len(said) - _MOST_FIGURES
    more = f"; {rest} more key figure{'' if rest == 1 else 's'} changed" if rest > 0 else ""
    return f"{'; '.join(said[:_MOST_FIGURES])}{more}."


def _words(value: Amount | str) -> str:
    return value.words if isinstance(value, Amount) else value
