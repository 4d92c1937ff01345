"""Search time with the packaged frameworks beside `ideal`. Prints a table.

    python -m bench.search_frameworks

The questions are those of `search_speed.py`, each asked with every framework in turn, so that what disturbs the
machine disturbs all of them alike. Times are of the thread.
"""

import argparse
import random
import statistics
import time
from dataclasses import replace

from bench.search_speed import KINDS, REGION, ROWS
from stowage.catalog.snapshot import LATEST, packaged
from stowage.model.hardware.steps import Steps
from stowage.model.jobs.frameworks import HADOOP_DFSIO, HADOOP_MAPREDUCE, IDEAL, SPARK
from stowage.optimizer.problem import SearchProblem
from stowage.optimizer.search import search

SORTED_WITH, WRITTEN_WITH = (IDEAL, SPARK, HADOOP_MAPREDUCE), (IDEAL, HADOOP_DFSIO)


def main() -> None:
    """Ask every question with every framework of its job."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=8)
    repeats = parser.parse_args().repeats
    known = packaged(LATEST)
    catalog, profiles = known.in_region(REGION), known.profiles
    print("| workload | framework | computed | boxes | core p50 [ms] | times | search p50 [ms] | times |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    for kind in KINDS:
        frameworks = SORTED_WITH if kind.name.startswith("sort") else WRITTEN_WITH
        if not kind.name.startswith(("sort", "HDFS")):
            continue
        asked = kind.drawn(random.Random(kind.name))  # noqa: S311 - workloads, no secret
        cores: dict[str, list[float]] = {framework.name: [] for framework in frameworks}
        searches: dict[str, list[float]] = {framework.name: [] for framework in frameworks}
        counted: dict[str, list[tuple[int, int]]] = {framework.name: [] for framework in frameworks}
        for number in range(repeats + 2):
            drawn = next(asked)
            for framework in frameworks:
                workload = replace(drawn, framework=framework.name)
                question = SearchProblem(workload, catalog, profiles, Steps())
                started = time.thread_time()
                answer = question.answer(ROWS)
                answered = time.thread_time()
                search(workload, catalog, profiles, ROWS)
                done = time.thread_time()
                if number >= 2:
                    cores[framework.name].append(answered - started)
                    searches[framework.name].append(done - answered)
                    counted[framework.name].append((answer.computed, answer.boxes))
        first = frameworks[0].name
        for framework in frameworks:
            name = framework.name
            computed, boxes = (statistics.median(values) for values in zip(*counted[name], strict=True))
            core, whole = statistics.median(cores[name]), statistics.median(searches[name])
            print(
                f"| {kind.name} | {name} | {computed:,.0f} | {boxes:,.0f} | {1000 * core:.1f} "
                f"| {core / statistics.median(cores[first]):.2f} | {1000 * whole:.0f} "
                f"| {whole / statistics.median(searches[first]):.2f} |"
            )


if __name__ == "__main__":
    main()
