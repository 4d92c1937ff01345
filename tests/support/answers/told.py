"""The page's sentence and ranking, compared with the rows of an answer."""

import re
from typing import Any

import read_back
from sanity import money_of, time_of
from stowage.workloads.risk_levels import risk_level

Json = dict[str, Any]

_TIME = r"(?:[\d.,]+ (?:ms|s|min|h|d) ?)+"


def sentence_says(sentence: str, row: Json, objective: str) -> None:
    """Check the first numbers of a sentence: nodes, time and cost of a row."""
    assert f"{row['nodes']:,} × {row['instance']}" in sentence
    (time,) = re.findall(rf" in ({_TIME})\([^()]*–[^()]*\)", sentence)
    assert read_back.duration(time.strip()).holds(time_of(row))
    (money,) = re.findall(r"costs? (\$\S+) a month" if objective == "month" else r"for (\$\S+) \(\$", sentence)
    assert read_back.usd(money).holds(money_of(row, objective))


def cells_say(row: Json, cells: Json, objective: str) -> None:
    """Check a row of the page's ranking: the median first in each cell, its range behind it."""
    month = objective == "month"
    assert cells["#"] == str(row["rank"])
    assert cells["Configuration"].startswith(f"{row['nodes']:,} × {row['instance']}{row['storage_words']}")
    ((time, span),) = re.findall(rf"^({_TIME})(\S+–\S+ (?:s|min|h|d))", cells["Time of a run" if month else "Time"])
    assert read_back.duration(time.strip()).holds(time_of(row))
    _range_says(span, row["time_s"])
    money = re.findall(r"\$[\d,.]*\d", cells["Monthly cost" if month else "Cost"])
    told = [money_of(row, objective)] if month else [row["cost_usd"][name] for name in ("p50", "p10", "p90")]
    for text, value in zip(money, told, strict=False):
        assert read_back.usd(text).holds(value), cells
    if row["meets_deadline"] is None:
        assert cells["Deadline risk"] == "—"
    else:
        figure, level = cells["Deadline risk"].rsplit(" ", 1)
        assert read_back.percent(figure).holds(1.0 - row["meets_deadline"])
        assert level == risk_level(row["meets_deadline"])


def _range_says(span: str, quantiles: Json) -> None:
    low, high, step = read_back.ends(span)
    assert abs(low - quantiles["p10"]) <= step, (span, quantiles)
    assert abs(high - quantiles["p90"]) <= step, (span, quantiles)
