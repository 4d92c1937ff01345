"""Runs real frameworks on shaped nodes of this machine and adds what it measured to a table.

    .venv/bin/python -m bench.laboratory.tools                       # what it needs, once
    .venv/bin/python -m bench.laboratory spark --nodes 1 2 4 8       # Spark 3.5: sort, MapReduce with skew, scan
    .venv/bin/python -m bench.laboratory hadoop --nodes 1 2 4 8      # MapReduce's TeraSort, and TestDFSIO on HDFS
    .venv/bin/python -m bench.laboratory flink --nodes 1 2 4 8
    .venv/bin/python -m bench.laboratory ray --nodes 1 2 4 8         # by Ray's tasks, and sorts by Ray Data

Root only: nodes are network namespaces. Runs that the table already holds are left out, so an interrupted series goes
on where it ended. A series takes minutes a node count.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from bench.laboratory import hadoop, runs
from bench.laboratory.measure import Table, machine
from bench.laboratory.recorded import TABLES
from bench.laboratory.series import Series

MBIT_PER_S = {1: 10.0, 2: 10.0, 4: 10.0, 8: 10.0, 12: 6.0, 16: 5.0}
"""Rate of each node's link by node count [Mbit/s]: at most 10 MB/s over all nodes, so that links are the limit."""

PROGRAMS = {"ray": ("ray", "ray-data")}
"""What runs the jobs of a framework where there are several; each has a table of its own."""


def main() -> int:
    """Run what the command line asks for."""
    options = _options()
    TABLES.mkdir(exist_ok=True)
    tables = {name: Table(TABLES / f"{name}.csv") for name in PROGRAMS.get(options.framework, (options.framework,))}
    now = datetime.now(UTC)
    for nodes in options.nodes:
        rate = options.mbit_per_s or MBIT_PER_S.get(nodes, 80.0 / nodes)
        with tempfile.TemporaryDirectory(prefix="stowage-laboratory-") as name:
            folder = Path(name)
            folder.chmod(0o755)
            for framework, table in tables.items():
                series = Series(nodes, rate, folder, table, {"date": f"{now:%Y-%m-%d}", "machine": machine()})
                if framework == "hadoop":
                    hadoop.run(series, options.seed)
                else:
                    runs.run(series, framework, options.versions or runs.VERSIONS[framework], options.seed)
    return 0


def _options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.laboratory", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("framework", choices=("spark", "hadoop", "flink", "ray"))
    parser.add_argument("--nodes", type=int, nargs="+", default=[1, 2, 4, 8], help="workers")
    parser.add_argument("--mbit-per-s", type=float, help="rate of each node's link; by default by node count")
    parser.add_argument("--versions", nargs="+", help="of the framework; by default all that the laboratory has")
    parser.add_argument("--seed", type=int, default=1, help="of the order of the runs")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
