"""Default limits of a job, and the default places of its data.

A careful operator would set these limits. Each default is an assumption with a source, and a result lists the defaults
that it depends on. `assume.usual: ignored` switches all defaults off; a value that the user gives replaces the default.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date

from stowage.frozen import frozen
from stowage.model.choice import Objective
from stowage.model.figure import Figure, Number
from stowage.model.jobs.frameworks import HADOOP_DFSIO, HADOOP_MAPREDUCE, IDEAL, SPARK
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.head import GENERAL_HEAD
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.spelled import FreePhases
from stowage.model.jobs.workload import DataPlace, Head, Job, Launch, Service
from stowage.model.units import SECONDS_PER_HOUR

_AS_OF = date(2026, 11, 23)


FREE_SPACE = Number("limits.free_space", 0.20, "1").estimated(
    "Assumed: file systems are run at most 80% full, above which ext4 fragments and alarms are usually set", _AS_OF
)
"""Free space: share of the data disks and volumes that stays empty [1]."""

FREE_SPACE_OF_HDFS = Number("limits.free_space", 0.25, "1").estimated(
    "Assumed: operators of HDFS keep a quarter for intermediate data and growth; HDFS itself reserves nothing "
    "(hdfs-default.xml, dfs.datanode.du.reserved is 0)",
    _AS_OF,
)

LOST_NODES = Number("limits.lost_nodes", 1.0, "1").estimated(
    "Assumed: a cluster that stays copies again what a failed node held, for which the others need room", _AS_OF
)
"""Number of nodes whose loss must leave room for all copies."""

DEADLINE_OF_FILLING = Number("limits.deadline", 7.0 * 24.0 * SECONDS_PER_HOUR, "s").estimated(
    "Assumed: a cluster is filled within a week of its launch, before which it serves no users and is paid for", _AS_OF
)
"""Time to write files to a cluster that stays, which is its initial load [s]."""

REREPLICATION = Number("limits.rereplication", 24.0 * SECONDS_PER_HOUR, "s").estimated(
    "Assumed: operators want all copies back within a day, before the next working day's failure", _AS_OF
)
"""Time from the failure of a node until all copies are re-created [s]."""

CREDITS_OF_WHAT_STAYS = Number("credits", 0.0, "1").estimated(
    "Assumed: what stays works for longer than bursts last, and holds what it can with empty buckets", _AS_OF
)
"""Fill level of burst buckets at the start of a job whose data stays [1]."""

FULL_CREDITS = Number("credits", 1.0, "1").estimated(
    "Assumed unless given: EBS volumes and links that were idle have full burst buckets", _AS_OF
)
"""Fill level of burst buckets at the start of a job that pauses or ends [1]."""

MOST_NODES_OF_EMR = Number("quotas.nodes_per_cluster", 2_000.0, "1").published(
    "AWS Service Quotas, Amazon EMR, L-77B909B1: active instances per instance group, 2,000 unless AWS raises it; all "
    "core nodes of one type are a group",
    _AS_OF,
)
"""Most nodes of an EMR cluster, excluding its primary node."""

MEMORY_OF_NAMENODE = Number("limits.namenode_memory", 1.0, "GiB").published(
    "Cloudera, HDFS overview, Disk space versus namespace (CDP Private Cloud Base 7.1.8): 1 GB of heap for every "
    "million blocks",
    _AS_OF,
)
"""Memory of HDFS' NameNode for each million blocks, not counting copies [GiB]."""

CONFIDENCE = Number("limits.chance", 0.95, "1").estimated(
    "Assumed: a deadline that matters is missed in one of 20 runs at most; the median would miss it in every other run",
    date(2026, 11, 28),
)
"""Minimum confidence of meeting a deadline [1]."""

CONFIDENCE_WITH_SLOW_NODES = Number("limits.chance", 0.5, "1").estimated(
    "With slow nodes (assume.stragglers) a search compares medians with the deadline; each row states its own risk",
    date(2026, 11, 28),
)
"""Minimum confidence where the workload assumes slow nodes: that of the median [1]."""

MIN_VCPUS = Number("choose.min_vcpus", 4.0, "1").estimated(
    "Assumed: below 4 vCPUs the operating system and the framework's daemons take half of a node", _AS_OF
)
"""Fewest vCPUs of a node of a distributed job."""

MIN_MEMORY = Number("choose.min_memory", 8.0, "GiB").estimated(
    "Apache Spark, hardware provisioning: 8 GiB a machine and more, of which Spark takes three quarters at most", _AS_OF
)
"""Least memory of a node of a distributed job [GiB]."""

MIN_MEMORY_OF_HADOOP = Number("choose.min_memory", 16.0, "GiB").estimated(
    "Assumed of DataNode and NodeManager beside tasks: Cloudera's reference architecture keeps 4 GB of each node "
    "for the operating system alone",
    _AS_OF,
)

MIN_VCPUS_OF_SERVER = Number("choose.min_vcpus", 2.0, "1").estimated(
    "Assumed of a log or a database: one vCPU serves, one is left to the system", _AS_OF
)
"""Fewest vCPUs of a node of a job that runs one program on each node."""

MIN_MEMORY_OF_SERVER = Number("choose.min_memory", 4.0, "GiB").estimated(
    "Assumed of a log or a database: its buffers and the system; its data set may need more", _AS_OF
)
"""Least memory of such a node [GiB]."""

_MEMORY_OF: Mapping[str, Figure] = dict.fromkeys((HADOOP_DFSIO.name, HADOOP_MAPREDUCE.name), MIN_MEMORY_OF_HADOOP)


@frozen
class Usual:
    """Default limits and other defaults of one job."""

    input: DataPlace = "in-place"
    """Default place of the input: the object store, for a cluster that ends after the job."""
    output: DataPlace = "in-place"
    """Default place of the output: the object store, for a cluster that ends after the job."""
    launch: Launch = "billed"
    """Whether the time of a run includes the launch."""
    head: Head = "workers"
    """Type of the head node: that of the workers, or a general-purpose type."""
    framework: str = IDEAL.name
    """Name of the default framework: Spark for sorts and MapReduce, TestDFSIO for HDFS. For logs, random I/O and phases
    that the user specifies, it is the ideal framework, which reaches the limits of the hardware."""
    figures: tuple[Figure, ...] = ()
    """Default limits; the quantity of each figure is the path of its field in a workload file."""

    @property
    def credits(self) -> Figure:
        """Return the assumed fill level of burst buckets at the start, with its source [1]."""
        return next((figure for figure in self.figures if figure.quantity == "credits"), FULL_CREDITS)

    def value(self, quantity: str, default: float = 0.0) -> float:
        """Return the assumed value of a field.

        The result is ``default`` if no value is assumed.
        """
        return next((figure.value for figure in self.figures if figure.quantity == quantity), default)

    def with_confidence(self, *, slow_nodes: bool) -> "Usual":
        """Return the defaults with the confidence of meeting a deadline, for a workload that has a deadline.

        With ``slow_nodes`` it is that of the median, because a search for another one is not supported.
        """
        return replace(self, figures=(*self.figures, CONFIDENCE_WITH_SLOW_NODES if slow_nodes else CONFIDENCE))


NOTHING_USUAL = Usual()
"""No default limits."""


def usual_framework(job: Job) -> str:
    """Return the name of the framework with which most users run a job."""
    if isinstance(job, MapReduce):
        return SPARK.name
    return HADOOP_DFSIO.name if isinstance(job, Hdfs) else IDEAL.name


def usual_of(
    job: Job, framework: str | None, objective: Objective, runs_per_month: float = 1.0, service: Service = "ec2"
) -> Usual:
    """Return the defaults of a job.

    Parameters
    ----------
    job : Job
    framework : str or None
        Name of the framework, whose daemons set the minimum memory; None for the default framework.
    objective : {"cost", "time", "month"}
        ``month`` is the cost of an always-on cluster for a month.
    runs_per_month : float
        Number of runs in a month [1/month], above 0. An HDFS job with more than one run a month pauses between runs, so
        burst buckets refill before each run, and no run is the initial load of a cluster. Logs and databases never
        pause.
    service : {"ec2", "emr"}
        EMR limits the number of nodes.

    Returns
    -------
    Usual
        The defaults assume that a sort or MapReduce job is run by a distributed framework, and that its cluster ends
        after the job unless the objective is ``month``. Files in HDFS and logs stay after their job. For phases that
        the user specifies, only the launch is assumed.
    """
    framework = framework or usual_framework(job)
    stays = job.stays or objective == "month"
    launch: Launch = "billed" if stays else "counted"
    of_service = [MOST_NODES_OF_EMR] if service == "emr" else []
    has_head = service == "emr" or isinstance(job, Hdfs)
    head: Head = "general" if has_head else "workers"
    if has_head:
        of_service.append(GENERAL_HEAD)
    if isinstance(job, FreePhases):
        return Usual(launch=launch, head=head, framework=framework, figures=tuple(of_service))
    figures = [*of_service, FREE_SPACE_OF_HDFS if isinstance(job, Hdfs) else FREE_SPACE]
    keeps_copies = job.durability.replicas > 1 or job.default_copies
    if job.stays and keeps_copies and job.durability.model != "infrastructure":
        figures += [LOST_NODES, REREPLICATION]
    if isinstance(job, Hdfs):
        figures.append(MEMORY_OF_NAMENODE)
    pauses = isinstance(job, Hdfs) and runs_per_month > 1.0
    if job.kind == "hdfs-write" and not pauses:
        figures.append(DEADLINE_OF_FILLING)
    if job.stays and not pauses:
        figures.append(CREDITS_OF_WHAT_STAYS)
    if isinstance(job, MapReduce | Hdfs):
        figures += [MIN_VCPUS, _MEMORY_OF.get(framework, MIN_MEMORY)]
    else:
        figures += [MIN_VCPUS_OF_SERVER, MIN_MEMORY_OF_SERVER]
    copied = isinstance(job, MapReduce) and not stays and job.durability.model != "object-store"
    place: DataPlace = "object-store" if copied else "in-place"
    return Usual(place, place, launch, head, framework, tuple(figures))
