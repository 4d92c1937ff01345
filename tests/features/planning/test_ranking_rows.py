"""The whole ranking of a question, of which a preview has the first rows: filtered, sorted and paged."""

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

import pytest

from stowage.features.planning import ranking
from stowage.features.planning.planning import MOST_ROWS, preview_plan
from stowage.features.planning.ranking import Ranking, RankingQuery, Sort, page_of, rank_all
from stowage.model.money.price import Purchase
from stowage.model.plan import nine_digits
from stowage.platform.errors import BadInput
from stowage.workloads.answers import RankedAnswer
from stowage.workloads.knowledge import packaged_knowledge
from stowage.workloads.workload_file import parse_workload

PAGE = Path(__file__).parents[3] / "frontend" / "src"
STAYS: dict[str, Any] = {
    "workload": {"data": "100 TB", "job": "hdfs-write", "durability": {"model": "application", "replicas": 3}},
    "objective": "month",
}


def ranked(document: dict[str, Any]) -> Ranking:
    return rank_all(parse_workload(document), packaged_knowledge)


def every(whole: Ranking, find: str = "", sort: Sort | None = None, limit: int = 40) -> list[RankedAnswer]:
    """Read all pages."""
    page = page_of(whole, RankingQuery(find=find, sort=sort, limit=limit))
    rows = list(page.configurations)
    while page.next_cursor is not None:
        page = page_of(whole, RankingQuery(find=find, sort=sort, limit=limit, cursor=page.next_cursor))
        rows += page.configurations
    assert len(rows) == page.matching
    return rows


def test_the_ranking_goes_on_behind_the_rows_of_a_preview() -> None:
    answer = preview_plan(parse_workload(STAYS), packaged_knowledge, lambda: 0.0, "none")
    rows = every(ranked(STAYS))
    assert len(answer.configurations) == MOST_ROWS < len(rows)
    assert rows[:MOST_ROWS] == answer.configurations
    assert [row.rank for row in rows] == list(range(1, len(rows) + 1))
    months = [float(nine_digits(row.cost_always_on_usd or 0.0)) for row in rows]
    assert months == sorted(months)


def test_a_filter_finds_rows_behind_those_of_a_preview() -> None:
    answer = preview_plan(parse_workload(STAYS), packaged_knowledge, lambda: 0.0, "none")
    shown = {row.instance for row in answer.configurations}
    behind = next(row for row in every(ranked(STAYS)) if row.instance not in shown)
    found = page_of(ranked(STAYS), RankingQuery(find=behind.instance.upper()))
    assert behind in found.configurations
    assert {row.instance for row in found.configurations} == {behind.instance}
    assert found.matching < found.total


@pytest.mark.parametrize("words", ["x d3en", "× D3EN", "d3en   disks", "d3en shared"])
def test_words_are_looked_for_in_all_that_a_row_says_of_itself(words: str) -> None:
    found = every(ranked(STAYS), words)
    assert found
    assert {row.instance.split(".")[0] for row in found} == {"d3en"}


def test_what_no_row_holds_is_an_empty_page() -> None:
    page = page_of(ranked(STAYS), RankingQuery(find="no such type"))
    assert (page.configurations, page.matching, page.next_cursor) == ([], 0, None)
    assert page.total > MOST_ROWS


@pytest.mark.parametrize("sort", get_args(Sort))
def test_pages_in_any_order_hold_each_row_once(sort: Sort) -> None:
    whole = ranked(STAYS | {"limits": {"deadline": "30 d"}})
    rows = every(whole, sort=sort)
    assert sorted(row.rank for row in rows) == [row.rank for row in every(whole)]
    columns: dict[str, Callable[[RankedAnswer], Any]] = {
        "configuration": lambda row: (row.instance, row.nodes),
        "time": lambda row: row.time_s.p50,
        "cost": lambda row: row.cost_usd.p50,
        "month": lambda row: row.cost_always_on_usd,
        "limit": lambda row: (
            max(row.phases, key=lambda phase: phase.time_s).bottleneck.replace(" in", "").replace(" out", "")
        ),
        "risk": lambda row: 1.0 - (row.meets_deadline or 0.0),
    }
    of = columns[sort.removeprefix("-")]
    values = [of(row) for row in rows]
    assert values == sorted(values, reverse=sort.startswith("-"))
    ties = [(of(row), row.rank) for row in rows]
    assert all(one[1] < other[1] for one, other in pairwise(ties) if one[0] == other[0])


def test_what_is_not_known_comes_last_in_both_directions() -> None:
    whole = ranked(STAYS)
    for sort in ("risk", "-risk"):
        assert [row.rank for row in every(whole, sort=sort)] == [row.rank for row in every(whole)]


def test_a_cursor_of_another_filter_or_order_is_refused() -> None:
    whole = ranked(STAYS)
    cursor = page_of(whole, RankingQuery(find="disks", limit=5)).next_cursor
    page_of(whole, RankingQuery(find=" DISKS ", limit=5, cursor=cursor))
    for query in (
        RankingQuery(cursor=cursor),
        RankingQuery(find="disks", sort="time", cursor=cursor),
        RankingQuery(cursor="x"),
    ):
        with pytest.raises(BadInput, match="is not from a page of this list"):
            page_of(whole, query)


def test_the_same_question_is_searched_once() -> None:
    question = STAYS | {"limits": {"max_nodes": 77}}
    assert ranked(question) is ranked(question)
    assert ranked(question) is not ranked(question | {"limits": {"max_nodes": 78}})


def test_a_ranking_with_a_confidence_and_the_purchase_option_left_open_is_complete() -> None:
    question = {
        "workload": {"data": "1 TB", "durability": {"model": "infrastructure"}},
        "place": {"purchase": "any"},
        "limits": {"deadline": "1 d", "chance": "95 %"},
        "assume": {"usual": "ignored"},
        "choose": {"volumes": ["gp3"], "families": ["c5d", "c6id", "i3", "i3en", "i4i", "m5d", "m6id", "r5d", "r6id"]},
    }
    page = page_of(ranked(question), RankingQuery())
    assert page.total > MOST_ROWS
    assert page.incomplete is None


def test_rows_are_found_by_the_words_of_the_page() -> None:
    purchases = (PAGE / "lib" / "purchases.ts").read_text()
    words = re.search(r"PURCHASE_WORDS[^{]*\{([^}]*)\}", purchases)
    assert words is not None
    written = dict(re.findall(r'^\s*"?([\w-]+)"?: "([^"]+)"', words[1], re.MULTILINE))
    assert {way: text.lower() for way, text in written.items()} == ranking.PAID
    assert set(ranking.PAID) == set(get_args(Purchase))
    kept = (PAGE / "features" / "plan" / "workload" / "place.ts").read_text()
    for way, text in ranking.KEPT.items():
        assert re.search(rf'"?{way}"?: "{text}"', kept)
    open_question = {
        "workload": {"data": "10 TB", "durability": {"model": "any"}},
        "place": {"catalog": "paper-2014", "purchase": "any"},
        "limits": {"loss": "1 %", "max_nodes": 50},
    }
    whole = ranked(open_question)
    for words_of_page, field, value in (("on demand", "purchase", "on-demand"), ("2 copies", "replicas", 2)):
        found = every(whole, words_of_page)
        assert {getattr(row, field) for row in found} <= {value}
        assert len(found) == sum(getattr(row, field) == value for row in every(whole))
