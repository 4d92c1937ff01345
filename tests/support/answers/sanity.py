"""Sanity checks of an answer by independent arithmetic: sums, quantiles, limits, and capacity of disks."""

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from stowage.catalog.snapshot import LATEST, packaged

Json = dict[str, Any]

_ROUNDED = 1e-8
"""Relative tolerance of sums and quantiles [1]: the numbers of stored answers have nine digits."""
_GB = {"GB": 1.0, "TB": 1e3, "PB": 1e6, "GiB": 1.073741824}


def time_of(row: Json) -> float:
    """Return the median time of a row [s]."""
    return float(row["time_s"]["p50"])


def money_of(row: Json, objective: str) -> float:
    """Return the cost that an objective weighs against time: the median cost of a run, or a month [USD]."""
    return float(row["cost_always_on_usd"] if objective == "month" else row["cost_usd"]["p50"])


def check_answer(answer: Json, asked: Json) -> None:
    """Check the properties of any answer.

    Parameters
    ----------
    answer : dict
        As the API returns it.
    asked : dict
        The workload file, as `questions.question` writes it.

    Raises
    ------
    AssertionError
    """
    rows, objective = answer["configurations"], answer["objective"]
    assert rows or answer["near_misses"] or answer["rejected"]
    assert [row["rank"] for row in rows] == list(range(1, len(rows) + 1))
    sought = [time_of(row) if objective == "time" else money_of(row, objective) for row in rows]
    assert all(better <= worse * (1.0 + _ROUNDED) for better, worse in pairwise(sought))
    for row in rows:
        _adds_up(row, asked)
        _keeps_to(row, answer["limits"])
        _is_large_enough(row, asked)
        _has_room(row, asked)
    _check_frontier(answer, sought)


def _adds_up(row: Json, asked: Json) -> None:
    """Check that parts sum to totals, phases to the time, runs to the month; no resource exceeds 100% utilization."""
    cost, runs = row["cost_usd"], asked["workload"]["runs_per_month"]
    assert math.isclose(sum(row["cost_parts_usd"].values()), cost["p50"], rel_tol=_ROUNDED)
    month = sum(row["cost_always_on_parts_usd"].values())
    assert math.isclose(month, row["cost_always_on_usd"], rel_tol=_ROUNDED)
    worked_s = sum(phase["time_s"] for phase in row["phases"])
    assert math.isclose(worked_s, time_of(row), rel_tol=_ROUNDED)
    for quantile in ("p10", "p50", "p90"):
        assert math.isclose(row["cost_per_month_usd"][quantile], runs * cost[quantile], rel_tol=_ROUNDED)
    for each in (row["time_s"], cost):
        # The fixed cost of a commitment is the same sum, added in different orders.
        rising = [each["p10"], each["p50"] * (1.0 + _ROUNDED), each["p90"] * (1.0 + 2.0 * _ROUNDED)]
        assert rising[0] > 0.0
        assert rising == sorted(rising)
    for phase in row["phases"]:
        busy = phase["utilization"]
        assert all(share <= 1.0 + _ROUNDED for share in busy.values()), phase
        assert not busy or busy[phase["bottleneck"]] == pytest.approx(max(busy.values())), phase


def _keeps_to(row: Json, limits: Json) -> None:
    """Check that limits are met, and that probabilities and quantiles belong to one distribution."""
    deadline_s, chance, time_s = limits["deadline_s"], row["meets_deadline"], row["time_s"]
    assert (deadline_s is None) == (chance is None)
    if deadline_s is not None:
        if limits["chance"] is None:
            assert time_of(row) <= deadline_s
        else:
            assert chance >= limits["chance"] - _ROUNDED
        assert time_s["p90"] > deadline_s or chance >= 0.9 - 1e-6
        assert time_s["p10"] <= deadline_s or chance <= 0.1 + 1e-6
    if limits["budget_usd"] is not None:
        assert row["cost_usd"]["p50"] <= limits["budget_usd"]
        assert row["meets_budget"] >= 0.5 - 1e-6
    assert limits["max_nodes"] is None or row["nodes"] <= limits["max_nodes"]
    assert limits["loss"] is None or row["loss_probability"] <= limits["loss"]


def _is_large_enough(row: Json, asked: Json) -> None:
    """Check that a node has the required or default vCPUs and memory: 4 and 8 GiB, of a server 2 and 4 GiB."""
    instance = packaged(LATEST).instance_types[row["instance"]]
    job, choose = asked["workload"]["job"], asked["choose"]
    vcpus, memory_gib = (2.0, 4.0) if job in {"append-log", "random-io"} else (4.0, 8.0)
    if job == "phases" or asked["assume"].get("usual") == "ignored":
        vcpus, memory_gib = 0.0, 0.0
    if "min_memory" in choose:
        memory_gib = float(choose["min_memory"].removesuffix(" GiB"))
    assert instance.vcpus.value >= choose.get("min_vcpus", vcpus)
    assert instance.memory_gib.value >= memory_gib


def _has_room(row: Json, asked: Json) -> None:
    """Check that the data fits with the required free space; for HDFS all copies, including those of lost nodes."""
    storage, said = row["storage"], asked["limits"]
    if storage["kind"] == "object-store":
        return
    is_hdfs = asked["workload"]["job"].startswith("hdfs")
    usual = asked["assume"].get("usual") != "ignored" and asked["workload"]["job"] != "phases"
    free = float(said["free_space"].removesuffix(" %")) / 100.0 if "free_space" in said else 0.0
    if "free_space" not in said and usual:
        free = 0.25 if is_hdfs else 0.2
    needed_gb = _gb(asked["workload"]["data"]) * (row["replicas"] if is_hdfs else 1)
    node_gb = _node_gb(row)
    assert needed_gb <= row["nodes"] * node_gb * (1.0 - free) * (1.0 + _ROUNDED)
    if is_hdfs and row["replicas"] > 1 and storage["kind"] == "instance-store":
        lost = said.get("lost_nodes", 1 if usual else 0)
        assert row["nodes"] - lost >= row["replicas"]
        assert needed_gb <= (row["nodes"] - lost) * node_gb * (1.0 + _ROUNDED)


def _node_gb(row: Json) -> float:
    storage = row["storage"]
    if storage["kind"] == "ebs":
        return float(storage["count"]) * _gb(storage["size"])
    instance = packaged(LATEST).instance_types[row["instance"]]
    return instance.disk_count.value * (0.0 if instance.disk_size_gb is None else instance.disk_size_gb.value)


def _gb(size: str) -> float:
    number, unit = size.split()
    return float(number) * _GB[unit]


def _check_frontier(answer: Json, sought: list[float]) -> None:
    """Check that slower rows are cheaper, if no other criterion counts; the winner is on the frontier."""
    frontier, objective = answer["frontier"], answer["objective"]
    money: Callable[[Json], float] = lambda point: point["cost_always_on_usd" if objective == "month" else "cost_usd"]  # noqa: E731
    is_open = answer["workload"]["workload"].get("durability", {}).get("model") == "any"
    for faster, slower in pairwise(frontier):
        assert faster["time_s"] <= slower["time_s"]
        assert is_open or money(slower) < money(faster)
    assert bool(frontier) == bool(sought)
    if sought:
        best = min(point["time_s"] if objective == "time" else money(point) for point in frontier)
        assert math.isclose(sought[0], best, rel_tol=_ROUNDED)
