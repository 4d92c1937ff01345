"""Comparison of regions: the best configuration for a workload in each region of a catalog version."""

from collections.abc import Callable

from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.random_io import RandomIo
from stowage.model.jobs.workload import Workload
from stowage.model.money import between_regions
from stowage.model.money.price import MB_PER_BILLED_GB
from stowage.model.plan import Plan, rank_key
from stowage.model.prediction import Prediction
from stowage.optimizer.merge import search_open
from stowage.platform.errors import BadInput
from stowage.workloads import wording
from stowage.workloads.answer_conversion import storage_fields
from stowage.workloads.answers import RegionBestAnswer, RegionPlanAnswer, RegionsAnswer
from stowage.workloads.knowledge import KnowledgeSource
from stowage.workloads.measured_today import framework_of
from stowage.workloads.of_catalog import TermsAnswer
from stowage.workloads.refusals import possible_workloads, refuse_unknown
from stowage.workloads.workload_file import WorkloadFile

MOST_SEARCHES = 34
"""Searches of a comparison: one for each region of the packaged catalog version."""


def compare_regions(file: WorkloadFile, source: KnowledgeSource, clock: Callable[[], float]) -> RegionsAnswer:
    """Find the best configuration for a workload in each region.

    Parameters
    ----------
    file : WorkloadFile
        Instance and volume types are checked in the file's region; all regions of its catalog version are searched.
    clock : callable
        Monotonic seconds.

    Raises
    ------
    BadInput
        As for `planning.preview_plan`, for the region of the file.
    """
    started = clock()
    here = source(file.place.catalog, file.place.region)
    refuse_unknown(file, here)
    # The framework calibration comes from the current cluster, which runs in the file's region.
    reached = framework_of(file, here)
    moved_mb = _input_mb(possible_workloads(file, here, reached)[0])
    best: list[tuple[tuple[object, ...], RegionPlanAnswer]] = []
    without = []
    for region in here.regions:
        # Name the version, in case another one is loaded between two regions.
        move_usd = between_regions.move_usd(moved_mb, file.place.region, region)
        place = file.place.model_copy(update={"region": region, "catalog": here.catalog.version})
        there = file.model_copy(update={"place": place})
        try:
            knowledge = source(here.catalog.version, region)
            workloads = possible_workloads(there, knowledge, reached)
        except BadInput as error:
            # A type that is not sold or priced in the region is an answer for that region, not an invalid request.
            message = error.problems[0].message
            without.append(RegionPlanAnswer(region=region, best=None, move_usd=move_usd, sentence=message))
            continue
        plan = search_open(workloads, knowledge.catalog, knowledge.profiles, 1, frontier=False, curves=0)
        # A prediction is built whenever it is accessed.
        first = plan.ranked[0] if plan.ranked else None
        answer = _answer(region, workloads[0], plan, first, move_usd)
        if first is None:
            without.append(answer)
        else:
            best.append(((*rank_key(first, file.objective), region), answer))
    best.sort(key=lambda ranked: ranked[0])
    without.sort(key=lambda answer: answer.region)
    return RegionsAnswer(
        objective=file.objective,
        regions=[*(answer for _, answer in best), *without],
        moved_gb=moved_mb / MB_PER_BILLED_GB,
        move_source=between_regions.SOURCE,
        move_as_of=between_regions.AS_OF,
        catalog_version=here.catalog.version,
        price_terms=TermsAnswer.of(here.catalog.price_terms),
        elapsed_s=clock() - started,
    )


def _input_mb(workload: Workload) -> float:
    """Return the data that a job reads, and that is in its region already [MB].

    For random I/O, this is the stored data over which the I/Os are spread. It is 0 for jobs that write new data, and
    for input that comes from outside AWS.
    """
    job = workload.job
    if job.kind in {"append-log", "hdfs-write"} or workload.link_in_mb_per_s is not None:
        return 0.0
    if isinstance(job, RandomIo):
        return job.working_set_mb
    return job.input_mb if isinstance(job, MapReduce) else job.data_mb


def _answer(
    region: str, workload: Workload, plan: Plan, best: Prediction | None, move_usd: float | None
) -> RegionPlanAnswer:
    return RegionPlanAnswer(
        region=region,
        best=None
        if best is None
        else RegionBestAnswer(
            instance=best.configuration.instance,
            nodes=best.configuration.nodes,
            **storage_fields(best.configuration),
            time_s=best.time_s.p50,
            cost_usd=best.cost_usd.p50,
            cost_always_on_usd=best.always_on_usd,
            meets_deadline=best.meets_deadline,
            purchase=best.purchase,
            durability=best.durability.model,
            replicas=best.durability.replicas,
            loss_probability=best.loss_probability,
        ),
        move_usd=move_usd,
        sentence=wording.plan_sentence(workload, plan),
    )
