"""Plan the twelve workloads of `docs/expected-answers.md`, and print winner and runner-up of each.

.venv/bin/python bench/expected_answers.py
"""

from time import perf_counter
from typing import Any

from stowage.features.planning.planning import preview_plan
from stowage.workloads.answers import PlanAnswer, RankedAnswer
from stowage.workloads.knowledge import packaged_knowledge
from stowage.workloads.wording import duration, usd
from stowage.workloads.workload_file import parse_workload

_EBS = {"durability": {"model": "infrastructure"}}

WORKLOADS: tuple[tuple[str, dict[str, Any]], ...] = (
    (
        "nightly sort of 40 TB within 2 h at 95%",
        {
            "workload": {"job": "sort", "data": "40 TB", "runs_per_month": 30.0},
            "limits": {"deadline": "2 h", "chance": "95 %"},
        },
    ),
    (
        "HDFS archive of 200 TB, three copies",
        {
            "workload": {"job": "hdfs-write", "data": "200 TB", "replication": 3},
            "place": {"primary": "m6g.2xlarge"},
            "objective": "month",
        },
    ),
    (
        "log of 20 TB a day kept for 3 days, three copies in three zones",
        {
            "workload": {
                "job": "append-log",
                "data": "60 TB",
                "record": "1 MiB",
                "runs_per_month": 10.0,
                "durability": {"model": "application", "replicas": 3},
            },
            "place": {"zones": 3, "placement_group": False},
            "limits": {"deadline": "3 d"},
            "objective": "month",
        },
    ),
    (
        "backup of 10 TB a night to EBS within 4 h",
        {
            "workload": {"job": "hdfs-write", "data": "10 TB", "replication": 1, "runs_per_month": 30.0, **_EBS},
            "limits": {"deadline": "4 h"},
            "objective": "month",
        },
    ),
    (
        "genomics scratch: 20 TB, 60 TB between, 8 TB out, within 12 h",
        {
            "workload": {
                "job": "mapreduce",
                "data": "20 TB",
                "map_selectivity": 3.0,
                "reduce_selectivity": 0.1333,
                "runs_per_month": 4.3,
            },
            "limits": {"deadline": "12 h"},
        },
    ),
    (
        "sort of 1 PB within 12 h",
        {"workload": {"job": "sort", "data": "1 PB"}, "limits": {"deadline": "12 h"}},
    ),
    (
        "scan of 1 PB in S3 within 12 h",
        {
            "workload": {
                "job": "mapreduce",
                "data": "1 PB",
                "map_selectivity": 0.001,
                "durability": {"model": "object-store"},
            },
            "limits": {"deadline": "12 h"},
        },
    ),
    (
        "append-only file: 2,800 flushed writes of 4 KiB a second",
        {
            "workload": {"job": "append-log", "data": "990 GB", "record": "4 KiB", "fsync": "always", **_EBS},
            "limits": {"deadline": "1 d"},
            "objective": "month",
        },
    ),
    (
        "database: 34,000 random I/Os of 16 KiB a second over 4 TB",
        {
            "workload": {
                "job": "random-io",
                "data": "2 TB",
                "working_set": "4 TB",
                "read_share": 0.7,
                "queue_depth": 64.0,
                **_EBS,
            },
            "limits": {"deadline": "1 h", "max_nodes": 1},
            "objective": "month",
        },
    ),
    (
        "daily ETL of 10 TB on EMR within 3 h",
        {
            "workload": {
                "job": "mapreduce",
                "data": "10 TB",
                "map_selectivity": 0.5,
                "runs_per_month": 30.0,
            },
            "place": {"service": "emr", "primary": "m5.xlarge"},
            "limits": {"deadline": "3 h"},
        },
    ),
    (
        "hourly ETL of 500 GB within 20 min",
        {
            "workload": {"job": "sort", "data": "500 GB", "runs_per_month": 720.0},
            "limits": {"deadline": "20 min"},
        },
    ),
    (
        "sort of 20 TB that lies on the nodes, within 10 min at 95%",
        {
            "workload": {"job": "sort", "data": "20 TB", "input": "in-place", "output": "in-place"},
            "limits": {"deadline": "10 min", "chance": "95 %"},
            "assume": {"launch": "billed"},
        },
    ),
)


def _words(row: RankedAnswer, objective: str) -> str:
    volumes = "" if row.storage.kind != "ebs" else f" with {row.storage_words}"
    cost = f"{usd(row.cost_usd.p50)} a run"
    if objective == "month" and row.cost_always_on_usd is not None:
        cost = f"{usd(row.cost_always_on_usd)} a month"
    return f"{row.nodes:,} × {row.instance}{volumes}, {duration(row.time_s.p50)}, {cost}"


def _line(number: int, name: str, answer: PlanAnswer) -> str:
    rows = answer.configurations
    first = _words(rows[0], answer.objective) if rows else answer.sentence
    second = _words(rows[1], answer.objective) if len(rows) > 1 else ""
    limit = max(rows[0].phases, key=lambda phase: phase.time_s).bottleneck if rows else ""
    return f"| {number} | {name} | {first} | {second} | {limit} |"


def main() -> None:
    """Print the table."""
    print("| | workload | winner | runner-up | limited by |\n|---|---|---|---|---|")
    for number, (name, document) in enumerate(WORKLOADS, start=1):
        print(_line(number, name, preview_plan(parse_workload(document), packaged_knowledge, perf_counter, "none")))


if __name__ == "__main__":
    main()
