"""Question of a plan as a sentence: the job, its data, durability, limits and objective."""

from stowage.workloads import wording
from stowage.workloads.workload_file import WorkloadFile

_OBJECTIVES = {
    "cost": "at the lowest cost of a run",
    "time": "in the shortest time",
    "month": "at the lowest monthly cost, always on",
}
_FRAMEWORKS = {
    "spark": " with Spark",
    "hadoop-mapreduce": " with Hadoop MapReduce",
    "flink": " with Flink",
    "hadoop-dfsio": "",
    "ideal": " at the hardware's limit",
    "unknown": "",
}
_DURABILITIES = {
    "none": "no replication",
    "infrastructure": "data on Amazon EBS",
    "object-store": "data in Amazon S3",
    "any": "any durability",
}
_PAYMENTS = {"any": "any purchase option", "spot": "Spot", "1-year": "1-year commitment", "3-year": "3-year commitment"}


def question_sentence(file: WorkloadFile) -> str:
    """Return the question of a workload file as a sentence, without its cluster.

    Examples
    --------
    >>> from stowage.workloads.workload_file import parse_workload
    >>> workload = {"data": "100 TB", "runs_per_month": 30.0}
    >>> question_sentence(parse_workload({"workload": workload, "limits": {"deadline": "30 min", "max_nodes": 200}}))
    'Sort 100 TB from and to the object store with Spark in us-east-1 at the lowest cost of a run: no replication, \
30 runs a month, within 30 min with 95% confidence, on at most 200 nodes, with 20% of the disks free.'
    """
    workload = file.to_workload()
    task = wording.task_words(workload)
    framework = _FRAMEWORKS.get(workload.framework, f" with {workload.framework}")
    conditions = [durability_words(file)]
    if workload.runs_per_month != 1.0:
        conditions.append(f"{wording.three_digits(workload.runs_per_month)} runs a month")
    if file.place.purchase != "on-demand":
        conditions.append(_PAYMENTS[file.place.purchase])
    conditions += [words for words in (wording.limits_words(workload),) if words]
    asked = f"{task[0].upper()}{task[1:]}{framework} in {file.place.region} {_OBJECTIVES[file.objective]}"
    return f"{asked}: {', '.join(conditions)}."


def short_question(file: WorkloadFile) -> str:
    """Return the question of a workload file in a few words, as the name of a plan that got none.

    Examples
    --------
    >>> from stowage.workloads.workload_file import parse_workload
    >>> short_question(parse_workload({"workload": {"data": "100 TB"}, "limits": {"deadline": "30 min"}}))
    'Sort 100 TB from and to the object store within 30 min'
    """
    workload = file.to_workload()
    task, deadline_s = wording.task_words(workload), workload.limits.deadline_s
    within = "" if deadline_s is None else f" within {wording.duration(deadline_s)}"
    return f"{task[0].upper()}{task[1:]}{within}"


def durability_words(file: WorkloadFile) -> str:
    """Return the requested durability in words, as in `no replication` or `2 copies`."""
    job = file.workload
    if job.durability.model == "application":
        return f"{job.durability.replicas} copies (application-level replication)"
    if job.replication is not None:
        return f"{job.replication} copies (HDFS)"
    return _DURABILITIES[job.durability.model]
