"""Random workload files as users write them: any job, limit, place and choice."""

from collections.abc import Mapping
from random import Random
from typing import Any

Document = dict[str, Any]

_FAMILIES = ("c6gd", "c6gn", "d3en", "i3", "i4i", "i8g", "im4gn", "m5", "m6gd", "r6in", "t3")
_OWN_DISKS = frozenset({"c6gd", "d3en", "i3", "i4i", "i8g", "im4gn", "m6gd"})
_KEPT: Mapping[str, tuple[str, ...]] = {
    "sort": ("none", "application", "infrastructure", "object-store", "any"),
    "mapreduce": ("none", "application", "infrastructure", "object-store", "any"),
    "hdfs-write": ("none", "application", "infrastructure"),
    "hdfs-read": ("none", "application", "infrastructure"),
    "append-log": ("none", "application", "infrastructure"),
    "random-io": ("none", "application", "infrastructure"),
    "phases": ("none", "infrastructure", "object-store"),
}
"""Durability models of each job."""
_SIZES: Mapping[str, tuple[str, ...]] = {
    "append-log": ("50 GB", "800 GB", "20 TB"),
    "random-io": ("40 GB", "500 GB", "4 TB"),
}
_LARGE = ("300 GB", "2 TB", "17 TB", "100 TB", "0.4 PB")


class _Dice:
    """Random generator that depends only on a number."""

    def __init__(self, number: int) -> None:
        self._random = Random(number)  # noqa: S311 - chance, not secrecy

    def one(self, *of: Any) -> Any:
        return self._random.choice(of)

    def some(self, of: tuple[Any, ...], most: int) -> list[Any]:
        return self._random.sample(of, self._random.randint(1, most))

    def falls(self, odds: float) -> bool:
        return self._random.random() < odds

    def maybe(self, odds: float, /, **given: Any) -> dict[str, Any]:
        """Return one of the values, or nothing."""
        return given if self.falls(odds) else {}


def question(number: int) -> Document:
    """Return a valid workload file; the same for the same number.

    Most have an answer, some have none: limits are drawn independently of what could meet them.
    """
    dice = _Dice(number)
    objective = dice.one("cost", "cost", "time", "month")
    workload = _workload(dice, number)
    if workload["job"] in {"sort", "mapreduce"}:
        # Another generator, so that the rest of a question does not change.
        workload |= _elsewhere(_Dice(number + 1_000_000))
    service = dice.one("ec2", "ec2", "ec2", "emr") if workload["job"] in {"sort", "mapreduce", "hdfs-write"} else "ec2"
    payments = ("on-demand", "1-year", "3-year") if objective == "month" else ("on-demand", "spot", "1-year", "any")
    document = {
        "workload": workload,
        "place": {
            "region": dice.one("us-east-1", "eu-west-1"),
            "purchase": dice.one("on-demand", *payments),
            "service": service,
            **dice.maybe(0.15, zones=dice.one(2, 3)),
            **dice.maybe(0.15, primary=dice.one("m5.2xlarge", "r6in.xlarge")),
        },
        "objective": objective,
        "limits": _limits(dice, is_open=workload["durability"]["model"] == "any"),
        "choose": {
            "families": _families(dice, workload),
            **dice.maybe(0.1, generation="current"),
            **dice.maybe(0.1, min_vcpus=dice.one(0.0, 8.0)),
            **dice.maybe(0.1, min_memory=dice.one("2 GiB", "32 GiB")),
        },
        **dice.maybe(0.15, credits=dice.one("empty", 0.5)),
        "assume": {
            **dice.maybe(0.2, usual="ignored"),
            **dice.maybe(0.15, launch=dice.one("counted", "billed")),
            **dice.maybe(0.1, network=dice.one("baseline", "unlimited")),
            **dice.maybe(0.1, billing="prorated"),
        },
    }
    if document["place"].get("zones"):
        document["place"]["placement_group"] = False
    return document


def _workload(dice: _Dice, number: int) -> Document:
    job = dice.one(
        "sort", "sort", "mapreduce", "mapreduce", "hdfs-write", "hdfs-read", "append-log", "random-io", "phases"
    )
    model = dice.one(*_KEPT[job])
    durability: Document = {"model": model}
    if model == "application":
        durability |= {"replicas": dice.one(2, 3)}
    said: Document = {
        "name": f"Question {number}",
        "job": job,
        "data": dice.one(*_SIZES.get(job, _LARGE)),
        "durability": durability,
        "framework": dice.one("ideal", "unknown", "hadoop-dfsio") if job != "phases" else "ideal",
        "runs_per_month": dice.one(1.0, 1.0, 4.0, 30.0, 720.0),
    }
    match job:
        case "sort":
            said |= dice.maybe(0.3, skew=dice.one(1.2, 3.0)) | dice.maybe(0.2, input="in-place", output="in-place")
        case "mapreduce":
            said |= {"map_selectivity": dice.one(0.01, 0.5, 2.0), "reduce_selectivity": dice.one(0.1, 1.0)}
        case "hdfs-write" | "hdfs-read":
            said |= dice.maybe(0.5, replication=dice.one(2, 3)) if model != "application" else {}
        case "append-log":
            said |= {"fsync": dice.one("always", "every second", "at the end"), "record": dice.one("1 KiB", "64 KiB")}
        case "random-io":
            said |= {"io": dice.one("4 KiB", "64 KiB"), "read_share": dice.one(0.0, 0.7, 1.0), "queue_depth": 16.0}
        case "phases":
            said |= {"phases": _phases(dice), **dice.maybe(0.5, intermediate="1 TB")}
    return said


def _elsewhere(dice: _Dice) -> Document:
    rates = ("200 Mbit/s", "10 Gbit/s", "2.5 GB/s", "400 Gbit/s")
    return {
        **dice.maybe(0.2, input={"elsewhere": dice.one(*rates)}),
        **dice.maybe(0.2, output={"elsewhere": dice.one(*rates)}),
    }


def _phases(dice: _Dice) -> list[Document]:
    sizes = ("200 GB", "3 TB", "12 TB")
    first = {"name": "scan", "input_read": dice.one(*sizes), **dice.maybe(0.5, cpu=dice.one(*sizes))}
    second = {"name": "exchange", "network_out": dice.one(*sizes), "network_in": dice.one(*sizes)}
    return [first, second] if dice.falls(0.6) else [first]


def _limits(dice: _Dice, *, is_open: bool) -> Document:
    deadline = dice.maybe(0.5, deadline=dice.one("10 min", "1 h", "5 h", "2 d"))
    return {
        **deadline,
        **(dice.maybe(0.4, chance=dice.one("80 %", "95 %")) if deadline else {}),
        **dice.maybe(0.25, budget=dice.one("5 USD", "80 USD", "2000 USD")),
        "max_nodes": dice.one(8, 60, 400, 1_000),
        **dice.maybe(1.0 if is_open else 0.2, loss=dice.one("0.1 %", "0.001 %")),
        **dice.maybe(0.15, free_space=dice.one("0 %", "30 %")),
        **dice.maybe(0.1, lost_nodes=dice.one(0, 2)),
    }


def _families(dice: _Dice, workload: Document) -> list[str]:
    """Select few types: a search over all takes longer, and tests no more of how answers are presented."""
    chosen = dice.some(_FAMILIES, 2)
    # A job that needs own disks and may choose among types without any would mostly have no answer.
    return (
        chosen if _OWN_DISKS & set(chosen) or workload["durability"]["model"] == "infrastructure" else [*chosen, "i4i"]
    )
