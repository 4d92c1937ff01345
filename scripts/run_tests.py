"""Run the tests, one process a folder, and print what each cost beside its budget.

A process of its own for each folder collects only its own tests, and the kernel counts all that it and its descendants
used. Folders, and the processor time that each may take, are the table in CONTRIBUTING.md; slices of the soak and the
paths that they cover are `tests/slices.py`.
"""

import argparse
import os
import platform
import re
import shlex
import signal
import subprocess
import sys
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from threading import Timer
from xml.etree import ElementTree as ET

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))
sys.path.extend(map(str, (ROOT / "tests" / "support").iterdir()))

import shared_postgres  # noqa: E402 - found by the line above
from slices import SLICES  # noqa: E402

OUTPUT = ROOT / "build" / "tests"
BUDGETS = ROOT / "CONTRIBUTING.md"
SOAKED = ROOT / "docs" / "soak.md"
FAMILY = ROOT / "scripts" / "family.py"

AT_ONCE = (os.cpu_count() or 1) + 1
"""Folders that run concurrently. Some wait for services and browsers: one more than the cores keeps the cores busy; two
more take a sixth more CPU time and are no faster."""

ENDS_WITHIN_S = 1800.0
"""A folder whose processes do not end has failed; a single test that hangs ends earlier (pyproject.toml)."""

SLICE_ENDS_WITHIN_S = 900.0
SETUP, CHECKS, PAGE = "set-up", "static checks", "page tests"
NO_TESTS = 5
"""Exit status of pytest where it found no test."""


@dataclass(frozen=True, slots=True)
class Job:
    """One process: a folder of tests, or another command."""

    name: str
    """As in the table of budgets."""
    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    """Added to the environment of this process."""
    ends_within_s: float = ENDS_WITHIN_S
    """It is interrupted after this long, and has failed [s]."""

    @property
    def log(self) -> Path:
        """File of its output."""
        return _output(self.name, "log")


@dataclass(frozen=True, slots=True)
class Outcome:
    """Results of a job."""

    job: str
    passed: int
    """Number of passed tests."""
    skipped: int
    """Number of skipped tests."""
    failed: tuple[str, ...]
    """Names of tests; the job's own where it failed without one."""
    wall_s: float
    """Wall-clock time of the process and all its descendants [s]."""
    cpu_s: float
    """CPU time of the process and all its descendants [s]."""


def main() -> int:
    """Run what the command line asks for; the exit status is 0 where nothing failed."""
    parser = argparse.ArgumentParser(prog="scripts/test", description="Run the tests.")
    parser.add_argument("--set-up", default="", help="Wall seconds and processor time of the set-up, as `times` prints")
    kinds = parser.add_subparsers(dest="kind", required=True)
    everyday = kinds.add_parser("everyday")
    everyday.add_argument("--times", type=int, default=1, help="Repeat all of it, and count failures by test.")
    soak = kinds.add_parser("soak")
    soak.add_argument("slices", nargs="*", metavar="SLICE", help=f"of {', '.join(SLICES)}; all unless named")
    asked = parser.parse_args()
    OUTPUT.mkdir(parents=True, exist_ok=True)
    # A handler is the default again in what this process starts; "ignored", as under nohup, would be inherited.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if asked.kind == "everyday":
        return _everyday(asked.times, _set_up(asked.set_up))
    if unknown := set(asked.slices) - set(SLICES):
        parser.error(f"no slice {', '.join(sorted(unknown))}: one of {', '.join(SLICES)}")
    return _soak(asked.slices or list(SLICES))


def _everyday(times: int, set_up: list[Outcome]) -> int:
    budgets = budgets_in(BUDGETS.read_text())
    failures: Counter[str] = Counter()
    for number in range(1, times + 1):
        began = time.monotonic()
        outcomes = _run(list(_everyday_jobs(budgets)))
        wall_s = time.monotonic() - began
        failures.update(name for outcome in outcomes for name in outcome.failed)
        costs = [*set_up, *outcomes]
        print(f"\nrun {number} of {times}")
        for line in table_of(costs, budgets, sum(each.wall_s for each in set_up) + wall_s):
            print(line)
        set_up = []
    for name, count in failures.most_common():
        print(f"failed in {count} of {times}: {name}")
    for line in stale(SOAKED.read_text() if SOAKED.exists() else "", _changed_since):
        print(line)
    passed, failed, skipped = (
        sum(each.passed for each in outcomes),
        sum(len(each.failed) for each in outcomes),
        sum(each.skipped for each in outcomes),
    )
    # Also what a CI server reads.
    print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
    return 1 if failures else 0


def _everyday_jobs(budgets: Mapping[str, float]) -> Iterator[Job]:
    """Yield a job for each line of the table, in its order: longest first, so that all lanes end at about one time."""
    listed = {folder for name in budgets for folder in name.split()}
    for test in sorted((ROOT / "tests").rglob("test_*.py")):
        path = test.relative_to(ROOT)
        if not any(str(part) in listed for part in (path, *path.parents)):
            raise SystemExit(f"{path} has no budget: add it or its folder to the table in CONTRIBUTING.md")
    for name in (each for each in budgets if each != SETUP):
        if name == CHECKS:
            yield Job(name, ("make", "--no-print-directory", "check"))
        elif name == PAGE:
            reporters = ("--reporter=default", "--reporter=junit", f"--outputFile.junit={_output(name, 'xml')}")
            yield Job(name, ("npm", "--prefix", "frontend", "run", "--silent", "test", "--", *reporters))
        else:
            yield _pytest(name, name.split())


def _pytest(name: str, folders: Sequence[str], soak: str = "") -> Job:
    results = (f"--junitxml={_output(name, 'xml')}", "-o", "junit_family=xunit1")
    doctests = ("--doctest-modules",) if folders[0].startswith("backend/") else ()
    limit = ("-o", f"faulthandler_timeout={SLICE_ENDS_WITHIN_S}") if soak else ()
    command = (sys.executable, "-m", "pytest", "-q", *results, *doctests, *limit, *folders)
    return Job(name, command, {"STOWAGE_SOAK": soak}, SLICE_ENDS_WITHIN_S if soak else ENDS_WITHIN_S)


def _soak(names: Sequence[str]) -> int:
    """Run slices one after the other, the folders of each side by side, and add what they came to to the page."""
    lines: list[str] = []
    all_failures: list[str] = []
    for name in names:
        began = time.monotonic()
        folders = [_pytest(f"{name} {each}", shlex.split(each), name) for each in SLICES[name].folders]
        commands = [
            Job(f"{name} {' '.join(each)}", each, ends_within_s=SLICE_ENDS_WITHIN_S) for each in SLICES[name].commands
        ]
        outcomes = _run(folders + commands)
        failures = [each for outcome in outcomes for each in outcome.failed]
        passed, cpu_s = sum(each.passed for each in outcomes), sum(each.cpu_s for each in outcomes)
        told = (
            f"- {name}: {passed} passed, {len(failures)} failed in {time.monotonic() - began:.0f} s, CPU {cpu_s:.0f} s"
        )
        print(told, flush=True)
        lines += [told, *(f"  - failed: `{each}`" for each in failures)]
        all_failures += failures
    head = f"## {datetime.now(UTC):%Y-%m-%d}, commit {_commit()}, {platform.machine()}, {os.cpu_count()} cores"
    SOAKED.write_text(with_section(SOAKED.read_text() if SOAKED.exists() else "", "\n".join([head, "", *lines])))
    return 1 if all_failures else 0


def _run(jobs: Sequence[Job]) -> list[Outcome]:
    """Run jobs side by side; print a line for each as it ends, and the output of those that fail."""
    outcomes: dict[str, Outcome] = {}
    running: set[subprocess.Popen[bytes]] = set()
    with shared_postgres.served(), ThreadPoolExecutor(AT_ONCE) as lanes:
        try:
            for ended in as_completed([lanes.submit(_ended, job, running) for job in jobs]):
                job, outcome = ended.result()
                outcomes[job.name] = outcome
                print(f"{'FAILED' if outcome.failed else 'passed'}  {job.name}: {outcome.wall_s:.0f} s", flush=True)
                if outcome.failed:
                    print(job.log.read_text(errors="replace")[-20_000:], flush=True)
        except KeyboardInterrupt:
            lanes.shutdown(wait=False, cancel_futures=True)
            for process in running:
                process.send_signal(signal.SIGINT)
            raise
    return [outcomes[job.name] for job in jobs]


def _ended(job: Job, running: set[subprocess.Popen[bytes]]) -> tuple[Job, Outcome]:
    """Run a job to its end."""
    results = _output(job.name, "xml")
    results.unlink(missing_ok=True)
    began = time.monotonic()
    # Compiled tests are kept, also against the machine's settings: each folder would compile shared ones again.
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", **job.environment}
    with job.log.open("wb") as log:
        process = subprocess.Popen(
            (sys.executable, FAMILY, *job.command),
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=environment,
        )
    running.add(process)
    # An interrupted pytest stops what its tests have started.
    watchdog = Timer(job.ends_within_s, process.send_signal, [signal.SIGINT])
    watchdog.start()
    _, status, used = os.wait4(process.pid, 0)
    watchdog.cancel()
    running.discard(process)
    process.returncode = os.waitstatus_to_exitcode(status)
    passed, skipped, failed = _results(results)
    if process.returncode not in {0, NO_TESTS} and not failed:
        failed = (f"{job.name} (exit status {process.returncode})",)
    cpu_s = used.ru_utime + used.ru_stime
    return job, Outcome(job.name, passed, skipped, failed, time.monotonic() - began, cpu_s)


def _results(path: Path) -> tuple[int, int, tuple[str, ...]]:
    """Read how many tests passed, how many were skipped, and the names of those that failed."""
    if not path.exists() or not path.stat().st_size:
        # A run that was killed leaves no results.
        return 0, 0, ()
    cases = list(ET.parse(path).iter("testcase"))  # noqa: S314 - written by our own test runs
    failed = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
    skipped = [case for case in cases if case.find("skipped") is not None]
    names = dict.fromkeys(f"{case.get('file') or case.get('classname')}::{case.get('name')}" for case in failed)
    return len(cases) - len(failed) - len(skipped), len(skipped), tuple(names)


def budgets_in(text: str) -> dict[str, float]:
    r"""Read the table of budgets: processor time by folders [s].

    >>> budgets_in("| folder | CPU s |\n|---|---|\n| `tests/api` | 90 |")
    {'tests/api': 90.0}
    """
    rows = re.findall(r"^\| `?([^|`]+?)`? \| (\d+) \|$", text, re.MULTILINE)
    return {name: float(budget_s) for name, budget_s in rows}


def table_of(outcomes: Sequence[Outcome], budgets: Mapping[str, float], wall_s: float) -> Iterator[str]:
    """Yield the lines of a table: tests, wall time, processor time and budget of each folder, and their sums."""
    yield f"{'folder':<44}{'tests':>7}{'wall s':>8}{'CPU s':>8}{'budget':>8}"
    for each in outcomes:
        over = "  over" if each.cpu_s > budgets[each.job] else ""
        tests = each.passed + len(each.failed)
        yield f"{each.job:<44}{tests:>7}{each.wall_s:>8.0f}{each.cpu_s:>8.0f}{budgets[each.job]:>8.0f}{over}"
    tests, cpu_s = sum(each.passed + len(each.failed) for each in outcomes), sum(each.cpu_s for each in outcomes)
    yield f"{'together':<44}{tests:>7}{wall_s:>8.0f}{cpu_s:>8.0f}{sum(budgets.values()):>8.0f}"


def stale(soaked: str, changed_since: Callable[[str, Sequence[str]], bool]) -> Iterator[str]:
    """Yield a line for each slice of the soak whose last green run is older than the last commit to what it covers.

    Parameters
    ----------
    soaked : str
        The page of soak runs, newest first.
    changed_since : callable
        Called with a commit and paths; says whether a later commit changed one of them.
    """
    green: dict[str, str] = {}
    commit = ""
    for line in soaked.splitlines():
        if head := re.match(r"## \S+, commit (\w+)", line):
            commit = head[1]
        elif ended := re.match(r"- (\w+): \d+ passed, 0 failed", line):
            green.setdefault(ended[1], commit)
    for name, part in SLICES.items():
        if name not in green:
            yield f"soak: {name} has not been green yet: make soak SLICE={name}"
        elif changed_since(green[name], part.covers):
            yield f"soak: {name} was last green at {green[name]}, what it covers changed: make soak SLICE={name}"


def with_section(text: str, section: str) -> str:
    """Return the page of soak runs with a section put above the others."""
    preface, mark, rest = text.partition("\n## ")
    return f"{preface.rstrip()}\n\n{section}\n{mark}{rest}" if mark else f"{preface.rstrip()}\n\n{section}\n"


def _changed_since(commit: str, paths: Sequence[str]) -> bool:
    command = ["git", "rev-list", "--max-count=1", f"{commit}..HEAD", "--", *paths]
    asked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    # A commit that is not in this clone is taken for an old one.
    return asked.returncode != 0 or bool(asked.stdout.strip())


def _commit() -> str:
    command = ["git", "rev-parse", "--short", "HEAD"]
    asked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return asked.stdout.strip() or "unknown"


def _output(name: str, ending: str) -> Path:
    # A line of the table may name more paths than the name of a file holds.
    short = re.sub(r"[^a-z_]+", "-", name)[:120]
    return OUTPUT / f"{short}-{zlib.crc32(name.encode()):08x}.{ending}"


def _set_up(told: str) -> list[Outcome]:
    """Read what the set-up took: wall seconds, then user and system time of its children (``9 0m7.1s 0m1.2s``)."""
    if not told:
        return []
    wall_s, *spent = told.split()
    cpu_s = sum(
        60.0 * float(minutes) + float(seconds) for minutes, seconds in (re.findall(r"[\d.]+", each) for each in spent)
    )
    return [Outcome(SETUP, 0, 0, (), float(wall_s), cpu_s)]


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
