"""Gallery of example workloads, each with its answer by published measurements and the newest catalog."""

from stowage.features.planning import planning
from stowage.features.planning.schemas import ExampleAnswer, ExamplePoint, GalleryAnswer
from stowage.optimizer.cache import Cache
from stowage.workloads.answer_conversion import evenly
from stowage.workloads.gallery import Example, examples
from stowage.workloads.knowledge import KnowledgeSource

_MOST_POINTS = 40
"""Points of a picture, which is a few hundred pixels wide."""
_GALLERIES: Cache[tuple[str, str], GalleryAnswer] = Cache(most=2)


def answered(source: KnowledgeSource) -> GalleryAnswer:
    """Return the example workloads with their answers, which are computed once per catalog version and process.

    Parameters
    ----------
    source : KnowledgeSource
        Published knowledge, without any team's measurements.

    Raises
    ------
    BadInput
        No catalog is stored.
    """
    knowledge = source("latest", examples()[0].file.place.region)
    key = knowledge.catalog.version, knowledge.digest
    return _GALLERIES.get(
        key,
        lambda: GalleryAnswer(
            catalog_version=knowledge.catalog.version,
            catalog_as_of=knowledge.catalog.as_of,
            examples=[_answered(example, source) for example in examples()],
        ),
    )


def _answered(example: Example, source: KnowledgeSource) -> ExampleAnswer:
    answer = planning.preview_plan(example.file, source, lambda: 0.0, "none")
    of_month = answer.objective == "month"
    best = answer.configurations[0] if answer.configurations else None
    points = [
        ExamplePoint(time_s=point.time_s, usd=(point.cost_always_on_usd if of_month else None) or point.cost_usd)
        for point in (answer.frontier[place] for place in evenly(len(answer.frontier), _MOST_POINTS))
    ]
    chosen = None
    if best is not None:
        usd = (best.cost_always_on_usd if of_month else None) or best.cost_usd.p50
        chosen = ExamplePoint(time_s=best.time_s.p50, usd=usd)
    return ExampleAnswer(
        name=example.name,
        title=example.file.workload.name,
        sentence=example.sentence,
        per="month" if of_month else "run",
        deadline_s=answer.limits.deadline_s,
        configuration=None if best is None else f"{best.nodes:,} × {best.instance}",
        chosen=chosen,
        frontier=points,
        workload=answer.workload,
    )
