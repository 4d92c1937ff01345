"""Gallery of example workloads, each with its answer by published measurements and the newest catalog."""

from stowage.features.planning import planning
from stowage.features.planning.schemas import ExampleAnswer, ExamplePoint, ExampleSummary, GalleryAnswer
from stowage.optimizer.cache import Cache
from stowage.platform.errors import NotFound
from stowage.workloads.answer_conversion import evenly
from stowage.workloads.gallery import Example, examples
from stowage.workloads.knowledge import KnowledgeSource

_MOST_POINTS = 40
"""Points of a picture, which is a few hundred pixels wide."""
_ANSWERS: Cache[tuple[str, str, str], ExampleAnswer] = Cache(most=40)


def listed() -> GalleryAnswer:
    """Return the example workloads without their answers."""
    return GalleryAnswer(
        examples=[
            ExampleSummary(
                name=example.name,
                title=example.file.workload.name,
                sentence=example.sentence,
                workload=example.file.written(),
            )
            for example in examples()
        ]
    )


def answered(name: str, source: KnowledgeSource) -> ExampleAnswer:
    """Return the answer to an example workload, which is computed once per catalog version and process.

    Parameters
    ----------
    name : str
        Name of the example.
    source : KnowledgeSource
        Published knowledge, without any team's measurements.

    Raises
    ------
    BadInput
        No catalog is stored.
    NotFound
        There is no such example.
    """
    example = next((each for each in examples() if each.name == name), None)
    if example is None:
        raise NotFound("There is no such example.")
    knowledge = source("latest", example.file.place.region)
    key = knowledge.catalog.version, knowledge.digest, name
    # The catalog of the key, in case a newer one is loaded meanwhile.
    return _ANSWERS.get(key, lambda: _answered(example, lambda _version, _region: knowledge))


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
        catalog_version=answer.catalog_version,
        catalog_as_of=answer.catalog_as_of,
        per="month" if of_month else "run",
        deadline_s=answer.limits.deadline_s,
        configuration=None if best is None else f"{best.nodes:,} × {best.instance}",
        chosen=chosen,
        frontier=points,
    )
