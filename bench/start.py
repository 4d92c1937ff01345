"""How long a command takes from its start to its end: fresh processes, with their files in the page cache.

Run: python bench/start.py [--repeats 10]
Wall time is what a user waits for; CPU time (user and system) depends less on what else the machine does. Sources
must be compiled and parts of the snapshot be there (`scripts/setup` sees to both).
"""

import argparse
import os
import statistics
import sys
import sysconfig
import time
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples"
COMMANDS = {
    "--version": ("--version",),
    "--help": ("--help",),
    "plan table2": ("plan", "table2.yaml"),
    "plan table2 --json": ("plan", "table2.yaml", "--json"),
    "plan hdfs-write (us-east-1, own disks)": ("plan", "hdfs-write.yaml"),
    "plan log-on-gp2 (us-east-1, EBS)": ("plan", "log-on-gp2.yaml"),
    "plan log-on-gp2 --json, with sources": ("plan", "log-on-gp2.yaml", "--json"),
    "predict figure9-i2": ("predict", "figure9-i2.yaml"),
}


@dataclass(frozen=True, slots=True)
class Start:
    """One process: from its start to its end, its CPU time, and the most memory that it held."""

    wall_s: float
    cpu_s: float
    peak_mb: float


def start(program: Path, arguments: tuple[str, ...]) -> Start:
    """Run a command once, its output thrown away."""
    begun = time.perf_counter()
    silent = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    pid = os.posix_spawn(program, [str(program), *arguments], os.environ, file_actions=silent)
    _, status, used = os.wait4(pid, 0)
    if status != 0:
        sys.exit(f"stowage {' '.join(arguments)} ended with status {os.waitstatus_to_exitcode(status)}")
    return Start(time.perf_counter() - begun, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def main() -> None:
    """Print medians of wall and CPU time, the range of the wall time, and memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=10)
    repeats = parser.parse_args().repeats
    if not list(Path(str(resources.files("stowage.catalog") / "snapshots")).glob("*.parts")):
        print("No parts of the snapshot: scripts/setup packages makes them.")
    program = Path(sysconfig.get_path("scripts")) / "stowage"
    os.chdir(EXAMPLES)
    print(f"load {os.getloadavg()[0]:.1f}; medians of {repeats}, after one that is not counted")
    print("| command | wall [s] | fastest to slowest [s] | CPU [s] | peak [MB] |\n|---|---:|---:|---:|---:|")
    for name, arguments in COMMANDS.items():
        start(program, arguments)
        found = [start(program, arguments) for _ in range(repeats)]
        wall, cpu = ([getattr(one, figure) for one in found] for figure in ("wall_s", "cpu_s"))
        print(
            f"| {name} | {statistics.median(wall):.2f} | {min(wall):.2f} to {max(wall):.2f} "
            f"| {statistics.median(cpu):.2f} | {max(one.peak_mb for one in found):.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
