"""Computation of the cost over time of one configuration, for all purchase options. Nothing is stored."""

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

from stowage.documents.charts.drawing import draw
from stowage.features.planning.outlook import words
from stowage.features.planning.outlook.blocks import blocks as blocks_of
from stowage.features.planning.outlook.schemas import (
    BreakEvenAnswer,
    DrawingsAnswer,
    MonthAnswer,
    NewOutlook,
    OutlookAnswer,
    SpendingAnswer,
    UnpricedAnswer,
)
from stowage.features.planning.planning import predict_cluster
from stowage.model.cluster import Configuration
from stowage.model.jobs.workload import Commitment, Workload
from stowage.model.money.outlook import TERMS_MONTHS, Outlook, Spending, outlook
from stowage.model.money.price import Purchase
from stowage.model.report import Block, Chart, Paragraph
from stowage.platform.errors import BadInput, Problem, problems_at
from stowage.workloads import wording
from stowage.workloads.answers import InfeasibleAnswer, PredictionAnswer
from stowage.workloads.knowledge import Knowledge, KnowledgeSource
from stowage.workloads.refusals import possible_workloads, workload_of
from stowage.workloads.workload_file import WorkloadFile

MOST_MONTHS_OF_SLOW_NODES = 36


def look_ahead(asked: NewOutlook, source: KnowledgeSource) -> OutlookAnswer | InfeasibleAnswer:
    """Compute the cost of a configuration over time.

    Returns
    -------
    OutlookAnswer or InfeasibleAnswer
        Infeasible if the cluster cannot run the job in the first month.

    Raises
    ------
    BadInput
        The file has no cluster, or names something that is not in the catalog; paths begin with `file`. Also if the
        file assumes slow nodes (stragglers) and the request has too many months for them.
    """
    _refuse_long(asked.file, asked.months, "months")
    with problems_at("file.{}".format):
        found = _found(asked.file, source, asked.growth_pct_per_month, asked.months, asked.commitment)
    if isinstance(found, InfeasibleAnswer):
        return found
    blocks = blocks_of(found)
    charts = [block for block in blocks if isinstance(block, Chart)]
    ahead, knowledge = found.outlook, found.knowledge
    return OutlookAnswer.from_fields(
        asked,
        feasible=True,
        sentence=wording.with_price_terms(words.sentence(found), knowledge.catalog.price_terms),
        blocks=list(blocks),
        drawings={
            chart.key: DrawingsAnswer(wide=draw(chart, "wide"), narrow=draw(chart, "narrow")) for chart in charts
        },
        spendings=[_spending_answer(spending) for spending in ahead.spendings],
        unpriced=[UnpricedAnswer(purchase=purchase, reason=why.reason) for purchase, why in ahead.missing],
        break_evens=[
            BreakEvenAnswer.from_fields(even, sentence=words.break_even_sentence(ahead, even))
            for even in ahead.break_evens
        ],
        **knowledge.answer_fields,
    )


def outlook_blocks(
    file: WorkloadFile, source: KnowledgeSource, growth_pct_per_month: float, months: int
) -> tuple[Block, ...]:
    """Build the section of a report on cost over time, with the numbers of `look_ahead`.

    Parameters
    ----------
    file : WorkloadFile
        Workload file with a `cluster` section.
    growth_pct_per_month : float
        Growth of the data [% of the previous month], above -100.
    months : int
        At least 1.

    Raises
    ------
    BadInput
        As for `look_ahead`, but paths are relative to the workload file; the path of the months is that of a report
        request.
    """
    _refuse_long(file, months, "outlook.months")
    found = _found(file, source, growth_pct_per_month, months, "alone")
    if isinstance(found, InfeasibleAnswer):
        return (Paragraph(f"What it costs over time cannot be said: {found.reason}.", "doubt"),)
    return blocks_of(found)


def _refuse_long(file: WorkloadFile, months: int, path: str) -> None:
    """Refuse an outlook if its computation would take minutes.

    It does if the file assumes slow nodes (stragglers) and the outlook has many months: each month then needs many
    predictions, one for each assumed case of slow nodes.
    """
    if file.assume.stragglers is not None and months > MOST_MONTHS_OF_SLOW_NODES:
        message = (
            f"{months} where slow nodes are assumed (assume.stragglers); accepted: up to {MOST_MONTHS_OF_SLOW_NODES}"
        )
        raise BadInput([Problem(path, message)])


def _found(
    file: WorkloadFile, source: KnowledgeSource, growth_pct_per_month: float, months: int, commitment: Commitment
) -> words.ComputedOutlook | InfeasibleAnswer:
    knowledge = source(file.place.catalog, file.place.region)
    # Choices that the file leaves open are made as in a prediction.
    chosen = predict_cluster(file, lambda _version, _region: knowledge)
    if isinstance(chosen, InfeasibleAnswer):
        return chosen
    workload = _chosen(file, chosen, knowledge)
    configuration = Configuration(chosen.instance, chosen.nodes, chosen.storage.layout())

    def ahead(commitment: Commitment, purchases: Sequence[Purchase]) -> Outlook:
        return outlook(
            configuration,
            workload,
            knowledge.catalog,
            knowledge.profiles,
            growth=growth_pct_per_month / 100.0,
            months=months,
            commitment=commitment,
            purchases=purchases,
        )

    found = ahead(commitment, get_args(Purchase))
    shared = ahead("used", tuple(TERMS_MONTHS)) if commitment == "alone" else found
    if not found.spendings:
        _, why = found.missing[0]
        return InfeasibleAnswer.from_fields(why, feasible=False)
    return words.ComputedOutlook(found, shared, workload, knowledge)


def _chosen(file: WorkloadFile, chosen: PredictionAnswer, knowledge: Knowledge) -> Workload:
    """Return the workload for which a prediction was made.

    The file may leave purchase option and durability open. The returned workload has those of the prediction.
    """
    every = possible_workloads(file, knowledge)
    workload = workload_of(every, chosen.nodes, chosen.purchase, chosen.durability, chosen.replicas)
    if workload is None:
        raise RuntimeError("what was predicted is none of what was asked")
    return replace(workload, spares=0 if file.cluster is None else file.cluster.spares)


def _spending_answer(spending: Spending) -> SpendingAnswer:
    return SpendingAnswer.from_fields(
        spending,
        months=[
            MonthAnswer.from_fields(month, month=month.number, cost_usd=month.run_usd, sum_usd=sum_usd)
            for month, sum_usd in zip(spending.months, spending.sums_usd, strict=True)
        ],
        total_usd=spending.sums_usd[-1],
        end=None if spending.end is None else spending.end.reason,
    )
