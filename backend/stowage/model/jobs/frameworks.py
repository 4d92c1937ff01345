"""Built-in framework profiles, each with its figures, evidence and error."""

from collections.abc import Mapping
from datetime import date

from stowage.model.figure import Figure, Number
from stowage.model.jobs.engine import HADOOP, Engine
from stowage.model.jobs.framework import UNSEEN_PER_DOUBLING, Framework

_PAPER = date(2015, 8, 27)
_ST1_POST = date(2023, 2, 15)
_AS_OF = date(2026, 11, 26)


def _st1(quantity: str, value: float, what: str) -> Figure:
    fitted = (
        "Fitted to the six times of an AWS Storage Blog post on st1 volumes under HDFS (TestDFSIO, 5 DataNodes "
        "r5.xlarge; the cluster's replication factor is EMR's 2)"
    )
    return Figure(f"framework.hadoop-dfsio.{quantity}", value, "1", f"{fitted}: {what}", "estimated", _ST1_POST)


IDEAL = Framework(
    name="ideal",
    version="1",
    what="The physical bound: every resource at its rate, nothing else in the way",
    evidence=(
        "The bound against the paper's three evaluations: +13.7%, -11.2% and -13.2% with the paper's own bandwidths. "
        "One efficiency for all three leaves 13% either way, so none is fitted: the error says it"
    ),
    error=Number("framework.ideal.error", 0.13, "1").estimated(
        "Root mean square of ln(measured / equations) over the paper's three evaluations: "
        "888 against 1,010 s, 1,378 against 1,223 s, 2,981 against 2,588 s (sections 5.1 to 5.3)",
        _PAPER,
    ),
)

HADOOP_DFSIO = Framework(
    name="hadoop-dfsio",
    version="1",
    what="Hadoop's HDFS clients as TestDFSIO drives them, with Hadoop's spills and merges where there is a shuffle",
    evidence=(
        "Six times of one AWS post on st1 volumes: fitted within 3.4%; leaving a row out at most 5.5%, leaving a "
        "layout out at most 15%. Nothing is known on other disks, other clusters or a shuffle"
    ),
    error=Number("framework.hadoop-dfsio.error", 0.09, "1").estimated(
        "Root mean square of the six errors, each predicted from a fit without its layout (8.9%)", _ST1_POST
    ),
    read_efficiency=_st1("read_efficiency", 0.517, "reads reach this part of the volumes' burst throughput"),
    write_efficiency=_st1("write_efficiency", 0.851, "writes reach this part of the volumes' burst throughput"),
    streams=_st1(
        "streams", 17.8, "requests that a node keeps under way, by the differences between 1, 2 and 4 volumes"
    ),
    recovery="tasks",
    engine=HADOOP,
)

UNKNOWN = Framework(
    name="unknown",
    version="2",
    what="A framework of which nothing is known: a part of the bound as others reach it, and a wide range",
    evidence=(
        "Median: five efficiencies of two frameworks, Themis in the paper's three evaluations (1.14, 0.89, 0.87 of the "
        "bound) and Hadoop's reads and writes (0.52, 0.85). Width: ten measured times of three frameworks (Themis, "
        "Spark, TestDFSIO), and towards slow what hadoop-dfsio's spills and merges make of the paper's sorts. Three "
        "frameworks are few"
    ),
    error=Number("framework.unknown.error", 0.88, "1").estimated(
        "So wide that p90 holds the slowest that is known: what hadoop-dfsio makes of sorts on local disks, 3.4 to "
        "3.7 times the bound (docs/frameworks.md)",
        _ST1_POST,
    ),
    faster=Number("framework.unknown.faster", 0.37, "1").estimated(
        "Hierarchical normal model of ten measured times of three frameworks, for a framework that was not seen; "
        "Student's t with 2 degrees of freedom (docs/frameworks.md)",
        _ST1_POST,
    ),
    efficiency=Number("framework.unknown.efficiency", 0.83, "1").estimated(
        "Geometric mean of five efficiencies of two frameworks: Themis 1.14, 0.89, 0.87; TestDFSIO 0.85, 0.52",
        _ST1_POST,
    ),
)


def _of_jobs(framework: str, quantity: str, value: float, source: str, unit: str = "1") -> Figure:
    return Figure(f"framework.{framework}.{quantity}", value, unit, source, "estimated", _AS_OF)


_LABORATORY = "Runs of at most 4 nodes in the laboratory (docs/guides/laboratory.md)"
_LAST_WAVE = (
    "The last wave of each phase: on average half a task of a block (hdfs-default.xml, dfs.blocksize: 128 MiB) is "
    "waited for, however many slots there are"
)
_UNSEEN = "a source that was not seen, by a hierarchical model of the published jobs (docs/frameworks.md)"

SPARK = Framework(
    name="spark",
    version="2",
    what="Apache Spark 2 to 4 with its own shuffle: it maps, then fetches, then sorts and writes",
    evidence=(
        "CPU time of an m5 vCPU, fitted to nine jobs of two sources; format of the shuffle and what does not overlap "
        "from 50 runs in a laboratory; median and range from 25 published jobs of five sources, on 2 to 206 nodes. "
        "Each source left out in turn, half of the jobs are predicted within 47%, and the ranges hold 20 of 25. "
        "Sources differ so much because they say little of their disks and sort different records: finished jobs of "
        "your own narrow it"
    ),
    error=_of_jobs("spark", "error", 0.63, f"Deviation of a run of {_UNSEEN}: five sources"),
    efficiency=_of_jobs("spark", "efficiency", 0.70, f"Median of {_UNSEEN}: five sources take 0.8 to 2.5 times"),
    recovery="tasks",
    engine=Engine(
        merging="once",
        fetches_after_map=True,
        map_cpu=_of_jobs("spark", "map_cpu", 19.0, "Fitted to xin-2014 and will-2025 (docs/frameworks.md)", "s/GB"),
        reduce_cpu=_of_jobs(
            "spark", "reduce_cpu", 62.0, "Fitted to xin-2014 and will-2025 (docs/frameworks.md)", "s/GB"
        ),
        shuffle_size=_of_jobs("spark", "shuffle_size", 1.06, f"{_LABORATORY}: records that cannot be compressed"),
        alone=_of_jobs("spark", "alone", 0.92, f"{_LABORATORY}: reduce tasks fetch first, then sort and write"),
    ),
    start_up=_of_jobs("spark", "start_up", 8.0, f"{_LAST_WAVE}, at 19 and 62 s/GB and the median's efficiency", "s"),
    measured_nodes=(2.0, 206.0),
    extrapolation=UNSEEN_PER_DOUBLING,
)

HADOOP_MAPREDUCE = Framework(
    name="hadoop-mapreduce",
    version="2",
    what="MapReduce of Apache Hadoop 2 and 3 on YARN: spills and merges on both sides of its shuffle",
    evidence=(
        "CPU time of an m5 vCPU, fitted to 23 TeraSorts of one source, on 4 to 48 nodes with one EBS volume each, met "
        "within 15% in the median. Other clusters were not seen: how far sources differ is taken from Spark's"
    ),
    error=_of_jobs("hadoop-mapreduce", "error", 0.79, f"Deviation of a run of {_UNSEEN}: one source"),
    recovery="tasks",
    engine=Engine(
        merging="as Hadoop",
        map_cpu=_of_jobs("hadoop-mapreduce", "map_cpu", 145.0, "Fitted to hsu-2018 (docs/frameworks.md)", "s/GB"),
        reduce_cpu=_of_jobs(
            "hadoop-mapreduce", "reduce_cpu", 145.0, "As in the map phase: one source cannot tell them apart", "s/GB"
        ),
    ),
    start_up=_of_jobs("hadoop-mapreduce", "start_up", 20.0, f"{_LAST_WAVE}, at 145 s/GB", "s"),
    measured_nodes=(4.0, 48.0),
    extrapolation=UNSEEN_PER_DOUBLING,
)

_AS_SPARK = "As Spark's: no published job states it"

FLINK = Framework(
    name="flink",
    version="1",
    what="Apache Flink with a pipelined shuffle: it sends while it maps, then sorts and writes",
    evidence=(
        "How it runs a job from 31 runs in a laboratory: those on at most 4 nodes predict eight on 8 nodes within 8% "
        "in the median. No published job of it could be opened: CPU time and median are Spark's, and the range holds "
        "how much more CPU time it takes in the laboratory. Flink SQL writes its shuffle to disk first: not measured"
    ),
    error=_of_jobs(
        "flink", "error", 0.74, "Spark's 0.63, and ln(1.5): CPU time by data beside Spark's in the laboratory"
    ),
    efficiency=_of_jobs("flink", "efficiency", 0.70, _AS_SPARK),
    recovery="restart",
    engine=Engine(
        merging="once",
        map_cpu=_of_jobs("flink", "map_cpu", 19.0, _AS_SPARK, "s/GB"),
        reduce_cpu=_of_jobs("flink", "reduce_cpu", 62.0, _AS_SPARK, "s/GB"),
        shuffle_size=_of_jobs("flink", "shuffle_size", 1.12, f"{_LABORATORY}: records of 100 bytes"),
    ),
    start_up=_of_jobs("flink", "start_up", 1.8, f"{_LAST_WAVE}: of the map phase, since each slot has one sort", "s"),
    measured_nodes=(1.0, 8.0),
    extrapolation=UNSEEN_PER_DOUBLING,
)

NOT_OFFERED: Mapping[str, str] = {
    "ray": (
        "one published job of it only, and runs on at most four nodes in the laboratory miss those on eight by 37%, "
        "with transfer settings of the laboratory's own"
    ),
    "hdfs": "a profile of its clients, hadoop-dfsio",
}
"""Frameworks that users ask for, and the reason why there is no profile of that name, or its replacement."""

FRAMEWORKS: Mapping[str, Framework] = {
    framework.name: framework for framework in (SPARK, HADOOP_MAPREDUCE, FLINK, HADOOP_DFSIO, IDEAL, UNKNOWN)
}
