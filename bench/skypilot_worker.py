"""The side of `bench/skypilot.py` that runs where SkyPilot is installed: one JSON document in, one out.

It imports nothing of ours. What is patched so that SkyPilot's optimizer runs without a network is said in
`bench/skypilot.py`, and done in `take_offline`.
"""

import json
import os
import random
import socket
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

import pandas as pd  # type: ignore[import-untyped]
import sky  # type: ignore[import-not-found]
from sky import check, clouds, exceptions
from sky.catalog import common as sky_catalog  # type: ignore[import-not-found]
from sky.optimizer import Optimizer  # type: ignore[import-not-found]

REGION = "us-east-1"

refused: list[str] = []
"""Connections that were asked for; each was refused."""


def refuse(*address: object, **_: object) -> NoReturn:
    """Stand in for what opens connections."""
    refused.append(repr(address[-1]))
    raise OSError("this benchmark has no network")


def without_identity() -> NoReturn:
    """Stand in for the look-up of the AWS account, as where there are no credentials."""
    raise exceptions.CloudUserIdentityError("no account")


def take_offline(vms_csv: str) -> None:
    """Write SkyPilot's catalog of AWS, and take the place of what asks the network."""
    aws = clouds.AWS()
    check.get_cached_enabled_clouds_or_refresh = lambda *_, **__: [aws]
    clouds.AWS.get_active_user_identity = without_identity
    vars(socket)["getaddrinfo"] = refuse
    vars(socket)["create_connection"] = refuse
    type.__setattr__(socket.socket, "connect", refuse)
    path = Path(sky_catalog.get_catalog_path("aws/vms.csv"))
    if not path.is_relative_to(Path.home()):
        raise RuntimeError(f"SkyPilot looks for its catalog outside of {Path.home()}")
    path.parent.mkdir(parents=True)
    path.write_text(vms_csv)


def optimize(types: list[str], seconds: dict[str, float], nodes: int) -> tuple[float, str]:
    """Return how long one optimization takes [s], and the type that it chooses.

    Making the task and its resources is not counted. They are made again each time, as for each job.
    """
    with sky.Dag() as dag:
        task = sky.Task(num_nodes=nodes)
        # A list would be tried in its order at any cost: only a set is optimized.
        task.set_resources({sky.Resources(cloud=clouds.AWS(), instance_type=name, region=REGION) for name in types})
        task.set_time_estimator(lambda resources: seconds[resources.instance_type])
    started = time.perf_counter()
    Optimizer.optimize(dag, minimize=sky.OptimizeTarget.COST, quiet=True)
    return time.perf_counter() - started, str(task.best_resources.instance_type)


def cost_usd(name: str, seconds: float, nodes: int) -> float:
    """Return what SkyPilot reckons for one candidate, as its optimizer does [USD]."""
    return float(sky.Resources(cloud=clouds.AWS(), instance_type=name, region=REGION).get_cost(seconds)) * nodes


def measure(case: dict[str, Any], nodes: int, shuffle: random.Random) -> dict[str, Any]:
    """Run one case: the candidates in their order and in another, in turn."""
    types, seconds = list(case["types"]), case["seconds"]
    runs = []
    for number in range(case["repeats"]):
        shuffled = number % 2 == 1
        order = shuffle.sample(types, len(types)) if shuffled else types
        taken_s, winner = optimize(order, seconds, nodes)
        runs.append({"shuffled": shuffled, "taken_s": taken_s, "winner": winner})
    return {"runs": runs, "cost_usd": {name: cost_usd(name, seconds[name], nodes) for name in types}}


def main() -> None:
    """Read the cases, and write what was measured."""
    answer = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    # SkyPilot writes its progress there.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    asked = json.load(sys.stdin)
    take_offline(asked["vms_csv"])
    nodes, cases = asked["nodes"], asked["cases"]
    # The first reads the catalog and fills the caches.
    first_s, _ = optimize(cases[0]["types"], cases[0]["seconds"], nodes)
    shuffle = random.Random(asked["seed"])  # noqa: S311 - an order, no secret
    measured = [measure(case, nodes, shuffle) for case in cases]
    versions = {"skypilot": sky.__version__, "pandas": pd.__version__}
    with answer:
        json.dump({"versions": versions, "first_s": first_s, "refused": refused, "cases": measured}, answer)


if __name__ == "__main__":
    main()
