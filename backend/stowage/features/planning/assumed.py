"""Assumptions of an answer in words: the defaults for fields that the workload file does not set."""

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from operator import attrgetter

from stowage.model.figure import Figure
from stowage.model.jobs.frameworks import HADOOP_DFSIO, SPARK
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.task_slots import SORT_MEMORY
from stowage.model.jobs.workload import Job
from stowage.model.money.cost import LAUNCH_S
from stowage.workloads.answers import AssumedAnswer
from stowage.workloads.job_section import ElsewhereSection
from stowage.workloads.limits_section import MEDIAN
from stowage.workloads.wording import duration, size, usd
from stowage.workloads.workload_file import WorkloadFile

TRAFFIC_OUT = Figure(
    "traffic_out_usd_per_gb",
    0.09,
    "USD/GB",
    "EC2 on-demand pricing page, data transfer out from us-east-1 to the internet: the first 10 TB of a month, 0.085, "
    "0.07 and 0.05 beyond 10, 50 and 150 TB; Direct Connect takes 0.02 and more; data in is free",
    "published",
    date(2026, 11, 23),
)
"""Price of data transfer out of AWS [USD/GB]; excluded from costs: it depends on region, route and volume."""

_SINCE = date(2026, 11, 23)
_FRAMEWORKS_SINCE = date(2026, 11, 26)
_USUAL_FRAMEWORK = "Assumed: what most people run such jobs with"
_CLUSTER_ENDS = "Assumed of a cluster that is launched for a job and ends with it"
_RUN_BY = {SPARK.name: "Spark runs the job", HADOOP_DFSIO.name: "HDFS writes and reads as fast as TestDFSIO does"}


_OF_A_RUN = frozenset(
    {
        *("workload.framework", "workload.input", "workload.output", "workload.output.elsewhere"),
        *("workload.tasks_per_node", "assume.launch", "credits", "place.primary"),
    }
)


def assumed_of_run(file: WorkloadFile, job: Job) -> list[AssumedAnswer]:
    """List the defaults that affect the predicted time and cost of a given cluster.

    Defaults that only restrict a search, such as limits, are left out.
    """
    return [assumed for assumed in assumed_in(file, job) if assumed.path in _OF_A_RUN]


def assumed_of_plan(file: WorkloadFile, jobs: Iterable[Job]) -> list[AssumedAnswer]:
    """List the defaults that are used for any of the jobs, each default once.

    A search considers several jobs if the workload leaves the durability open.
    """
    return list(dict.fromkeys(assumed for job in jobs for assumed in assumed_in(file, job)))


def assumed_in(file: WorkloadFile, job: Job) -> list[AssumedAnswer]:
    """List the defaults that are used for a job because its workload file does not set the fields."""
    usual = file.usual(job)
    found = []
    if usual.framework in _RUN_BY and file.workload.framework is None:
        found.append(_assumed("workload.framework", _RUN_BY[usual.framework], _USUAL_FRAMEWORK, _FRAMEWORKS_SINCE))
    if usual.input == "object-store" and file.workload.input is None:
        found.append(_assumed("workload.input", "the input is loaded from the object store"))
    if usual.output == "object-store" and file.workload.output is None:
        found.append(_assumed("workload.output", "the output is unloaded to the object store"))
    if usual.launch == "counted" and file.assume.launch is None:
        found.append(_of(LAUNCH_S, "assume.launch", "launch and set-up count in the time"))
    if isinstance(job, MapReduce) and isinstance(file.workload.output, ElsewhereSection):
        found.append(_traffic_out(job))
    if file.workload.memory_per_task is not None:
        found.append(_fewer_tasks(file.workload.memory_per_task))
    # The quantity of a default is the path of the field that would set it.
    silent = (figure for figure in usual.figures if attrgetter(figure.quantity)(file) is None)
    return [*found, *(_of(figure, figure.quantity, _WORDS[figure.quantity](figure.value)) for figure in silent)]


def _traffic_out(job: MapReduce) -> AssumedAnswer:
    """Return the note that the cost excludes data transfer out of AWS.

    It is excluded because catalogs have no prices for it.
    """
    words = f"data transfer out of AWS ({size(job.output_mb)}) is not included in the cost"
    return _of(
        TRAFFIC_OUT,
        "workload.output.elsewhere",
        f"{words}: AWS charges {usd(TRAFFIC_OUT.value)} per GB to the internet, less beyond 10 TB a month or over "
        "Direct Connect",
    )


def _fewer_tasks(each: str) -> AssumedAnswer:
    """Return the note that a node's memory limits how many tasks it runs at once.

    YARN starts only as many tasks as fit in the memory. `each` is the memory of one task.
    """
    held = f"a node runs at most as many tasks at once as {SORT_MEMORY.value:.0%} of its memory holds"
    return _of(SORT_MEMORY, "workload.tasks_per_node", f"{held}, {each} each")


_WORDS: Mapping[str, Callable[[float], str]] = {
    "limits.free_space": lambda value: f"{100.0 * value:g}% of disks and volumes stay free",
    "limits.lost_nodes": lambda value: f"there is room for the loss of {value:g} node{'s' if value > 1.0 else ''}",
    "limits.rereplication": lambda value: f"the copies of a failed node exist again within {duration(value)}",
    "limits.deadline": lambda value: f"the cluster is filled within {duration(value)}",
    "limits.chance": lambda value: (
        f"the deadline is met in {value:.0%} of runs"
        if value > MEDIAN
        else "the median meets the deadline, because slow nodes are assumed"
    ),
    "place.primary": lambda _: (
        "the head node is the smallest general-purpose type, from m5.xlarge up, that holds the blocks"
    ),
    "quotas.nodes_per_cluster": lambda value: f"a cluster of EMR has at most {value:,.0f} nodes beside its primary",
    "limits.namenode_memory": lambda value: f"the head node has {value:g} GiB of memory for each million blocks",
    "credits": lambda _: "burst buckets are empty at the start",
    "choose.min_vcpus": lambda value: f"a node has {value:g} vCPUs or more",
    "choose.min_memory": lambda value: f"a node has {value:g} GiB of memory or more",
}
"""Words for the value of each default."""


def _of(figure: Figure, path: str, words: str) -> AssumedAnswer:
    return AssumedAnswer(path=path, words=words, source=figure.source, kind=figure.kind, as_of=figure.as_of or _SINCE)


def _assumed(path: str, words: str, source: str = _CLUSTER_ENDS, as_of: date = _SINCE) -> AssumedAnswer:
    return AssumedAnswer(path=path, words=words, source=source, kind="estimated", as_of=as_of)
