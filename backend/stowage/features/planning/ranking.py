"""The whole ranking of configurations for a workload, cached, filtered and sorted.

A plan's answer has only the first rows of its ranking, because a search finds these far faster than all rows. Requests
that filter, sort, page or export the ranking need all rows. The first such request searches and caches the ranking, and
later requests read the cache (decision 0036).

An id that is unknown or of another team raises `NotFound`.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from stowage.features.planning import store
from stowage.features.planning.basis import source_as_of
from stowage.features.planning.planning import MOST_ROWS
from stowage.frozen import frozen
from stowage.model import MODEL_VERSION
from stowage.model.plan import nine_digits
from stowage.optimizer.cache import Cache
from stowage.optimizer.merge import search_open
from stowage.platform.database.database import Database
from stowage.platform.described import Answer
from stowage.platform.errors import BadInput
from stowage.platform.paging import page_held
from stowage.workloads import wording
from stowage.workloads.answer_conversion import configuration_fields
from stowage.workloads.answers import RankedAnswer
from stowage.workloads.knowledge import KnowledgeSource
from stowage.workloads.refusals import possible_workloads
from stowage.workloads.stored import parse_stored_workload, stored_value, with_catalog
from stowage.workloads.stored_answers import answer_of
from stowage.workloads.workload_file import WorkloadFile

MOST_ROWS_OF_PAGE = 500

Sort = Literal[
    "configuration",
    "-configuration",
    "time",
    "-time",
    "cost",
    "-cost",
    "month",
    "-month",
    "limit",
    "-limit",
    "risk",
    "-risk",
]
"""A column of the ranking, with a minus for descending."""

PAID = {
    "on-demand": "on demand",
    "spot": "spot",
    "1-year": "1-year commitment (ri, no upfront)",
    "3-year": "3-year commitment (ri, all upfront)",
}
KEPT = {"none": "one copy", "infrastructure": "kept on EBS", "object-store": "kept in S3"}
"""Durability of a row, as the page shows it."""

ASKED_OFTEN = (
    "This link has had the whole ranking searched often within an hour: only the rows that were saved with the plan "
    "are listed. Try again later."
)
NOT_REPRODUCIBLE = (
    "The plan was answered from other data or by another version of Stowage than today's: only the rows that were "
    "saved with it are listed. Open it as a new plan to rank all."
)


class RankingAnswer(Answer):
    """A page of a ranking."""

    configurations: list[RankedAnswer]
    """Without provenance and time courses; `POST /predictions` returns those of one configuration."""
    matching: int
    """Rows that contain all words of `find`."""
    total: int
    """All rows of the ranking."""
    incomplete: str | None
    """Reason why the ranking has only its first rows; null if it is complete."""
    next_cursor: str | None
    """Pass it as `cursor` to get the next page."""


class RankingQuery(BaseModel):
    """Query parameters of a ranking.

    Rows without a value in the column to sort by come last, whether the order is ascending or descending.
    """

    model_config = ConfigDict(frozen=True)

    find: Annotated[
        str, Field(max_length=200, description="Words that cluster, storage, limit or choice of a row must all hold.")
    ] = ""
    sort: Annotated[
        Sort | None, Field(description="A column; a minus before it for descending. By rank, unless given.")
    ] = None
    limit: Annotated[int, Field(ge=1, le=MOST_ROWS_OF_PAGE)] = 50
    cursor: Annotated[str | None, Field(max_length=200)] = None


class _Row(NamedTuple):
    """One row of a ranking: searchable text, the values by which rows are sorted, and the answer for the row.

    The answer is stored as JSON, because an object would take five times the memory.
    """

    text: str
    values: Mapping[str, Any]
    answer: bytes


class _Open(NamedTuple):
    """Flags of the choices (purchase option, durability) that a workload leaves open to the search.

    If a flag is set, each row shows the value that the search chose.
    """

    purchase: bool
    durability: bool

    @classmethod
    def of(cls, workload: Mapping[str, Any]) -> Self:
        open_fields = ("place.purchase", "workload.durability.model")
        return cls(*(stored_value(workload, path) == "any" for path in open_fields))


@frozen
class Ranking:
    """A ranking as it is cached."""

    key: tuple[str, ...]
    """Cache key; rankings with equal keys have equal content."""
    rows: tuple[_Row, ...]
    """Rows, best first."""
    incomplete: str | None = None
    """Reason why only the first rows are included; None if the ranking is complete."""


_RANKINGS: Cache[tuple[str, ...], Ranking] = Cache(most=8)


def rank_all(file: WorkloadFile, source: KnowledgeSource, org_id: UUID | None = None) -> Ranking:
    """Return the cached ranking of all configurations for a workload, or compute it.

    Parameters
    ----------
    org_id : UUID, optional
        Team whose measurements are used. Other teams cannot read the cached ranking.

    Raises
    ------
    BadInput
        As for `planning.preview_plan`.
    """
    knowledge = source(file.place.catalog, file.place.region)
    workloads = possible_workloads(file, knowledge)
    question = file.written()
    key = (
        str(org_id),
        knowledge.digest,
        knowledge.catalog.version,
        knowledge.catalog.region,
        json.dumps(question, sort_keys=True),
    )

    def search() -> Ranking:
        plan = search_open(workloads, knowledge.catalog, knowledge.profiles, None, frontier=False, curves=0)
        answers = (
            RankedAnswer(rank=rank, **configuration_fields(row, workloads[0]))
            for rank, row in enumerate(plan.ranked, start=1)
        )
        return Ranking(key, tuple(_row(answer, _Open.of(question)) for answer in answers))

    return _RANKINGS.get(key, search)


def rank_saved(
    database: Database, org_id: UUID, plan_id: UUID, before_search: Callable[[], None] = lambda: None
) -> Ranking:
    """Return the whole ranking of a saved plan.

    The first rows are saved with the plan. The other rows come from a search with the catalog and measurements that
    answered the plan. If catalog or measurements are no longer stored, or the search finds other first rows, the
    ranking has the saved rows only.

    Parameters
    ----------
    before_search : callable
        Called before a search if no ranking is cached. Its exceptions are passed on and prevent the search.
    """
    with database.transaction(org_id) as connection:
        found = store.VERSIONS.demand(connection, plan_id)
    rests_on = found.catalog_version, found.profiles_digest, found.model_version
    key = (str(org_id), str(plan_id), *rests_on, MODEL_VERSION)
    return _RANKINGS.get(key, lambda: _rank_saved(database, org_id, plan_id, key, before_search))


def saved_rows(database: Database, org_id: UUID, plan_id: UUID, incomplete: str) -> Ranking:
    """Return a ranking that has only the saved rows of a plan.

    `incomplete` is the reason why the other rows are missing.
    """
    with database.transaction(org_id) as connection:
        plan = store.demand(connection, plan_id)
    answer = answer_of(plan.answer)
    rows = tuple(_row(row, _Open.of(plan.workload)) for row in answer.configurations)
    return Ranking((str(org_id), str(plan_id), incomplete), rows, incomplete)


def page_of(ranking: Ranking, query: RankingQuery) -> RankingAnswer:
    """Return a page of a ranking.

    Raises
    ------
    BadInput
        The cursor belongs to another ranking, filter or order.
    """
    words = _searchable(query.find).split()
    bound = (*ranking.key, *words, query.sort or "")
    rows = _sorted([row for row in ranking.rows if all(word in row.text for word in words)], query.sort)
    page, next_cursor = page_held(rows, bound, query.limit, query.cursor)
    return RankingAnswer(
        configurations=[RankedAnswer.model_validate_json(row.answer) for row in page],
        matching=len(rows),
        total=len(ranking.rows),
        incomplete=ranking.incomplete,
        next_cursor=next_cursor,
    )


def _rank_saved(
    database: Database, org_id: UUID, plan_id: UUID, key: tuple[str, ...], before_search: Callable[[], None]
) -> Ranking:
    with database.transaction(org_id) as connection:
        plan = store.demand(connection, plan_id)
    answer = answer_of(plan.answer)
    saved = [_row(row, _Open.of(plan.workload)) for row in answer.configurations]
    # A search that returns fewer rows than the maximum of an answer has found all of them.
    if len(saved) == answer.configurations_size != MOST_ROWS:
        return Ranking(key, tuple(saved))
    source = source_as_of(database, org_id, plan.catalog_version, plan.profiles_digest, plan.created_at)
    again: Sequence[_Row] = ()
    try:
        file = parse_stored_workload(with_catalog(plan.workload, plan.catalog_version))
        knowledge = source(plan.catalog_version, file.place.region)
        if (plan.profiles_digest, plan.model_version) == (knowledge.digest, MODEL_VERSION):
            before_search()
            again = rank_all(file, source, org_id).rows
    except BadInput:
        # The workload names something deleted since (a calibration, a catalog version), or is no longer valid.
        pass
    if len(again) < len(saved) or not all(map(_is_same, saved, again)):
        return Ranking(key, tuple(saved), NOT_REPRODUCIBLE)
    return Ranking(key, (*saved, *again[len(saved) :]))


def _is_same(one: _Row, other: _Row) -> bool:
    """Return whether two rows have the same configuration, time and cost, apart from rounding errors."""

    def figures(row: _Row) -> list[float]:
        return [float(nine_digits(row.values[name])) for name in ("time", "cost")]

    return (one.text, *figures(one)) == (other.text, *figures(other))


def _row(answer: RankedAnswer, left_open: _Open) -> _Row:
    longest = max(answer.phases, key=lambda phase: phase.time_s, default=None)
    limit = "" if longest is None else wording.resource(longest.bottleneck)
    chosen = []
    if left_open.purchase and answer.purchase is not None:
        chosen.append(PAID[answer.purchase])
    if left_open.durability and answer.durability is not None:
        chosen.append(KEPT.get(answer.durability, f"{answer.replicas} copies"))
    text = " ".join((f"{answer.nodes:,} × {answer.instance}", answer.storage_words, limit, *chosen))
    return _Row(
        text=_searchable(text),
        values={
            "configuration": (answer.instance, answer.nodes),
            "time": answer.time_s.p50,
            "cost": answer.cost_usd.p50,
            "month": answer.cost_always_on_usd,
            "limit": limit,
            "risk": None if answer.meets_deadline is None else 1.0 - answer.meets_deadline,
        },
        answer=answer.without_sources().model_dump_json().encode(),
    )


def _searchable(text: str) -> str:
    # The page shows 98 × i3.large; users type an x.
    return text.casefold().replace("×", "x")


def _sorted(rows: Sequence[_Row], sort: Sort | None) -> Sequence[_Row]:
    """Sort rows by a column; rows with equal values stay in ranking order."""
    if sort is None:
        return rows
    column = sort.removeprefix("-")
    known = [row for row in rows if row.values[column] is not None]
    unknown = [row for row in rows if row.values[column] is None]
    return [*sorted(known, key=lambda row: row.values[column], reverse=sort.startswith("-")), *unknown]
