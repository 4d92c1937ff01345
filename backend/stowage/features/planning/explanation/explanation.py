"""Explanation of a configuration: its bottlenecks, their cost, and why it did or did not rank first.

The configuration that ranks first in a search is called the winner. Nothing is stored.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from stowage.features.planning.explanation import words
from stowage.features.planning.explanation.schemas import (
    AgainstAnswer,
    BottleneckAnswer,
    BrokenAnswer,
    ExplainedAnswer,
    ExplanationAnswer,
    NetworkCaseAnswer,
    NextDollarAnswer,
    OverturnAnswer,
    PriceAgainstAnswer,
    TypeOverturnAnswer,
    TypeOverturnsAnswer,
)
from stowage.model.cluster import Configuration
from stowage.model.infeasible import Infeasible, feasible
from stowage.model.jobs.workload import Workload
from stowage.model.prediction import Prediction, predict
from stowage.optimizer.explain import Explanation, NextDollar, explain
from stowage.optimizer.merge import search_open
from stowage.optimizer.outcome import Outcome, order
from stowage.optimizer.overturn import Overturn
from stowage.optimizer.overturning_network import TypeOverturn, overturning_networks
from stowage.platform.errors import BadInput, Problem
from stowage.workloads.answer_conversion import storage_fields
from stowage.workloads.answers import InfeasibleAnswer
from stowage.workloads.knowledge import Knowledge, KnowledgeSource
from stowage.workloads.layouts import keeps_data_on, layouts_of
from stowage.workloads.refusals import possible_workloads, workload_of
from stowage.workloads.workload_file import WorkloadFile


def explain_cluster(file: WorkloadFile, source: KnowledgeSource) -> ExplanationAnswer:
    """Explain the cluster of a workload file, compared with the best configuration that a search finds.

    Raises
    ------
    BadInput
        As for `planning.predict_cluster`.
    """
    knowledge = source(file.place.catalog, file.place.region)
    workloads = possible_workloads(file, knowledge)
    workload, configuration = _named(file, workloads, knowledge)
    winner = _winner(workloads, knowledge)
    catalog, profiles = knowledge.catalog, knowledge.profiles
    won_with = None
    if winner is not None:
        nodes, kept = winner.configuration.nodes, winner.durability
        won_with = workload_of(workloads, nodes, winner.purchase, kept.model, kept.replicas)
    found = explain(
        workload,
        configuration,
        None if winner is None else winner.configuration,
        catalog,
        profiles,
        winner_workload=won_with,
    )
    return _answer(found, workload, won_with or replace(workload, spares=0), knowledge)


def overturn_types(file: WorkloadFile, source: KnowledgeSource) -> TypeOverturnsAnswer:
    """Compute the network rate that each instance type needs to win.

    Raises
    ------
    BadInput
        As for `planning.preview_plan`; or the file leaves the purchase option or durability open.
    """
    knowledge = source(file.place.catalog, file.place.region)
    workloads = possible_workloads(file, knowledge)
    if len(workloads) > 1:
        path = "place.purchase" if file.place.purchase == "any" else "workload.durability.model"
        raise BadInput([Problem(path, "'any' leaves open what each type is compared in; choose one")])
    [workload] = workloads
    winner = _winner(workloads, knowledge)
    rows = list(overturning_networks(workload, winner, knowledge.catalog, knowledge.profiles))
    rows.sort(key=lambda row: (row.verdict != "winner", row.needed is None, row.needed or 0.0, row.instance))
    count = sum(row.needed is not None for row in rows)
    return TypeOverturnsAnswer(
        sentence=_types_sentence(winner, count, workload),
        winner=None if winner is None else _predicted(winner),
        types=[_type_answer(row, workload) for row in rows],
        **knowledge.answer_fields,
    )


def _named(file: WorkloadFile, workloads: Sequence[Workload], knowledge: Knowledge) -> tuple[Workload, Configuration]:
    """Return the workload and configuration to explain for the cluster of a workload file.

    The file may leave choices open, such as the purchase option. The best choice is returned. If no choice is
    feasible, the choice that needs the fewest nodes is returned.
    """
    cluster = file.cluster
    if cluster is None:
        raise BadInput([Problem("cluster", "is missing: an explanation needs instance, nodes and storage")])
    possible: list[tuple[Prediction, Workload]] = []
    impossible: list[tuple[Infeasible, Workload, Configuration]] = []
    for workload, layout in product(workloads, layouts_of(file, knowledge)):
        if not keeps_data_on(workload, layout):
            continue
        asked = replace(workload, spares=cluster.spares)
        configuration = Configuration(cluster.instance, cluster.nodes, layout)
        found = predict(configuration, asked, knowledge.catalog, knowledge.profiles, sources=False)
        if isinstance(found, Infeasible):
            impossible.append((found, asked, configuration))
        else:
            possible.append((found, asked))
    if possible:
        best, workload = min(possible, key=lambda row: order(row[0], row[1]))
        return workload, best.configuration
    _, workload, configuration = min(impossible, key=lambda row: row[0].needed_nodes or 0)
    return workload, configuration


def _winner(workloads: Sequence[Workload], knowledge: Knowledge) -> Prediction | None:
    ranked = search_open(workloads, knowledge.catalog, knowledge.profiles, 1, frontier=False, curves=0).ranked
    return ranked[0] if ranked else None


def _answer(found: Explanation, workload: Workload, searched: Workload, knowledge: Knowledge) -> ExplanationAnswer:
    outcome = found.outcome if isinstance(found.outcome, Outcome) else None
    compared = outcome is not None and found.winner is not None and not found.is_winner
    return ExplanationAnswer(
        sentence=words.explanation(found, workload),
        configuration=_explained(found.configuration, outcome),
        winner=None if found.winner is None else _explained(found.winner.configuration, found.winner),
        is_winner=found.is_winner,
        runner_up=None if found.runner_up is None else _predicted(found.runner_up),
        own_best=None if found.own_best is None else _predicted(found.own_best),
        obstacle=InfeasibleAnswer.from_fields(found.outcome, feasible=False)
        if isinstance(found.outcome, Infeasible)
        else None,
        breaks=[
            BrokenAnswer.from_fields(row, sentence=words.broken(row))
            for row in (() if outcome is None else outcome.broken)
        ],
        bottlenecks=[
            BottleneckAnswer.from_fields(row, sentence=words.bottleneck(place, row))
            for place, row in enumerate(found.bottlenecks, start=1)
        ],
        network=[
            NetworkCaseAnswer.from_fields(row, sentence=words.network(row, found.network, workload))
            for row in found.network
        ],
        next_dollar=list(_next_dollars(found, searched, knowledge)),
        against=list(_against(outcome, found)),
        price_against=_price_against(outcome, found.winner) if compared and outcome and found.winner else None,
        overturn=[
            _overturn_answer(row, words.overturn(row, workload))
            for row in sorted(found.overturn, key=lambda row: row.needed is None)
        ],
        margins=[_overturn_answer(row, words.margin(row)) for row in found.margins],
        **knowledge.answer_fields,
    )


def _explained(configuration: Configuration, outcome: Outcome | None) -> ExplainedAnswer:
    figures = {name: getattr(outcome, name, None) for name in ("time_s", "cost_usd", "month_usd", "node_hour_usd")}
    return ExplainedAnswer.from_fields(configuration, **storage_fields(configuration), **figures)


def _predicted(found: Prediction) -> ExplainedAnswer:
    figures = {"time_s": found.time_s.p50, "cost_usd": found.cost_usd.p50, "month_usd": found.always_on_usd}
    return _explained(found.configuration, None).model_copy(update=figures)


def _next_dollars(found: Explanation, workload: Workload, knowledge: Knowledge) -> Iterator[NextDollarAnswer]:
    """Yield the effect on time and cost of each slightly changed limit and each slightly faster resource."""
    for row in found.next_dollar:
        month = _month_bought(row, found, workload, knowledge) if workload.objective == "month" else None
        of_limit = row.what in {"deadline", "budget"}
        yield NextDollarAnswer.from_fields(
            row,
            change=f"{'+' if row.change > 0.0 else '-'}{abs(row.change):.0%}".replace("%", " %"),
            usd_per_minute=row.price if of_limit and month is None else None,
            worth_usd_per_node_hour=None if of_limit or month is not None else row.price,
            month_usd=None if month is None else month.month_usd,
            saved_month_usd=None if month is None else month.saved_usd,
            sentence=words.next_dollar(row, workload, month),
        )


def _month_bought(row: NextDollar, found: Explanation, workload: Workload, knowledge: Knowledge) -> words.MonthBought:
    """Compute the monthly cost and saving after one resource or limit has changed.

    A faster resource does not change the monthly cost. A changed deadline or budget changes it if another cluster wins.
    """
    if row.what not in {"deadline", "budget"}:
        month_usd = found.outcome.month_usd if isinstance(found.outcome, Outcome) else None
        return words.MonthBought(month_usd, None if month_usd is None else 0.0)
    if row.configuration is None:
        return words.MonthBought(None, None)
    answer = predict(row.configuration, workload, knowledge.catalog, knowledge.profiles, sources=False)
    then = feasible(answer, "found by a search, and refused by the model")
    saved_usd = None if found.winner is None else found.winner.month_usd - then.always_on_usd
    return words.MonthBought(then.always_on_usd, saved_usd)


def _against(outcome: Outcome | None, found: Explanation) -> Iterator[AgainstAnswer]:
    weight, winner = 1.0, found.winner
    if outcome is not None and winner is not None and winner.node_hour_usd > 0.0:
        weight = outcome.configuration.nodes * outcome.node_hour_usd
        weight /= winner.configuration.nodes * winner.node_hour_usd
    for place, row in enumerate(found.against, start=1):
        yield AgainstAnswer.from_fields(
            row, cost_factor=None if row.factor is None else weight * row.factor, sentence=words.against(place, row)
        )


def _price_against(outcome: Outcome, winner: Outcome) -> PriceAgainstAnswer:
    return PriceAgainstAnswer(
        node_hour_usd=outcome.node_hour_usd,
        winner_node_hour_usd=winner.node_hour_usd,
        nodes=outcome.configuration.nodes,
        winner_nodes=winner.configuration.nodes,
        sentence=words.price_against(outcome, winner),
    )


def _overturn_answer(row: Overturn, sentence: str) -> OverturnAnswer:
    return OverturnAnswer.from_fields(
        row,
        quantity=row.lever,
        factor=row.needed / row.now if row.needed is not None and row.now else None,
        sentence=sentence,
    )


def _type_answer(row: TypeOverturn, workload: Workload) -> TypeOverturnAnswer:
    return TypeOverturnAnswer.from_fields(
        row,
        now_mb_per_s=row.now,
        needed_mb_per_s=row.needed,
        factor=row.needed / row.now if row.needed is not None and row.now else None,
        best=None if row.best is None else _predicted(row.best),
        sentence=words.type_overturn(row, workload),
    )


def _types_sentence(winner: Prediction | None, count: int, workload: Workload) -> str:
    if winner is None:
        return f"Nothing is within the limits; {count} type{'s' if count != 1 else ''} would be with another network."
    said = f"{words.name(winner.configuration)} wins: {words.amounts(winner, workload)}."
    if count == 0:
        return f"{said} No network would make another type win."
    return f"{said} With another network {count} other type{'s' if count != 1 else ''} would."
