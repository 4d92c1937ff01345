"""Time and memory of a report's PDF: one, beside WeasyPrint, and fifty at once by two workers.

    python bench/typesetting.py [--environment FOLDER]

WeasyPrint is installed from PyPI into an environment of its own, and sets the same report in the same typefaces. The
workers are Stowage's own, with a PostgreSQL and a Redis in a temporary folder.
"""

import argparse
import json
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID, uuid4

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
sys.path.extend(map(str, (Path(__file__).resolve().parents[1] / "tests" / "support").iterdir()))

from documents.sample import full_report

WEASYPRINT = "70.0"
REPEATS = 21
AT_ONCE = 50
POLL_S = 0.05


def alone() -> dict[str, Any]:
    """Set the report again and again in this process, then that many different ones."""
    started = time.perf_counter()
    from stowage.documents.pdf import pdf, preview  # noqa: PLC0415 - what importing takes is measured

    imported_s = time.perf_counter() - started
    report = full_report()
    before_mib = memory_mib()
    times_s, cpus_s, made = [], [], b""
    for number in range(REPEATS):
        # Another title each time: what is set for the second time comes from the typesetter's own memory.
        started, worked = time.perf_counter(), time.process_time()
        made = pdf(replace(report, title=f"{report.title}, {number}"), None)
        times_s.append(time.perf_counter() - started)
        cpus_s.append(time.process_time() - worked)
    once_mib = memory_mib()
    started = time.perf_counter()
    preview(report)
    preview_s = time.perf_counter() - started
    for number in range(100):
        pdf(replace(report, title=f"{report.title} once more, {number}"), None)
    return {
        "imported_s": imported_s,
        "first_s": times_s[0],
        "median_s": statistics.median(times_s[1:]),
        "longest_s": max(times_s[1:]),
        "cpu_s": statistics.median(cpus_s[1:]),
        "before_mib": before_mib,
        "memory_mib": once_mib,
        "after_100_mib": memory_mib(),
        "preview_s": preview_s,
        "bytes": len(made),
    }


def memory_mib() -> float:
    """Return the most memory that this process has taken."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def install(folder: Path) -> Path:
    """Install WeasyPrint into an environment of its own, and give its Python."""
    here = Path(__file__).resolve().parent.parent
    uv = shutil.which("uv") or max(map(str, here.glob(".tools/uv-*/bin/uv")), default=None)
    if uv is None:
        raise SystemExit("uv is neither on PATH nor in .tools: `make setup` gets it")
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, str(folder)], check=True)  # noqa: S603 - ours
    packages = [uv, "pip", "install", "--quiet", "--python", str(python), f"weasyprint=={WEASYPRINT}"]
    subprocess.run(packages, check=True)  # noqa: S603 - ours
    return python


def beside(python: Path) -> dict[str, Any]:
    """Have WeasyPrint set the same report."""
    from stowage.documents.setting import settable  # noqa: PLC0415 - the other side is measured without it
    from stowage.documents.typeface import FONTS  # noqa: PLC0415

    asked = {"given": settable(full_report(), None), "fonts": str(FONTS), "repeats": 6}
    ended = subprocess.run(  # noqa: S603 - our own worker
        [str(python), str(Path(__file__).with_name("weasyprint_worker.py"))],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode != 0:
        raise SystemExit(f"WeasyPrint's side failed:\n{ended.stderr}")
    answer: dict[str, Any] = json.loads(ended.stdout)
    return answer


@contextmanager
def workers(count: int, servers: Mapping[str, str]) -> Iterator[list[psutil.Process]]:
    """Run workers of one process each, with the addresses of their servers."""
    environment = os.environ | dict(servers)
    command = [sys.executable, "-m", "stowage", "worker", "--queue", "quick", "--processes", "1"]
    quiet = subprocess.DEVNULL
    running = [
        subprocess.Popen(command, env=environment, stdout=quiet, stderr=quiet)  # noqa: S603 - our own command
        for _ in range(count)
    ]
    try:
        yield [psutil.Process(process.pid) for process in running]
    finally:
        for process in running:
            process.terminate()
        for process in running:
            process.wait()


def at_once() -> dict[str, Any]:
    """Publish fifty reports, and wait until two workers have made all their files."""
    from stowage.cli.server.preparation import prepare_database  # noqa: PLC0415
    from stowage.features.reports import reports  # noqa: PLC0415
    from stowage.features.reports.composing import Composed  # noqa: PLC0415
    from stowage.platform.database.database import Database  # noqa: PLC0415
    from stowage.platform.database.embedded import embedded_postgres  # noqa: PLC0415
    from stowage.platform.database.orgs import LOCAL_ORG_ID  # noqa: PLC0415
    from stowage.platform.jobs import jobs  # noqa: PLC0415
    from stowage.platform.jobs.embedded import embedded_redis  # noqa: PLC0415 - as above
    from stowage.platform.jobs.queue import Queue  # noqa: PLC0415

    with ExitStack() as stack:
        folders = [Path(stack.enter_context(TemporaryDirectory(prefix="stowage-bench-"))) for _ in range(2)]
        urls = stack.enter_context(embedded_postgres(folders[0]))
        redis_url = stack.enter_context(embedded_redis(folders[1]))
        prepare_database(urls.owner, urls.application, urls.gate)
        database = stack.enter_context(closing(Database(urls.application)))
        queue = stack.enter_context(Queue(redis_url))
        report = full_report()
        servers = {"DATABASE_URL": urls.application, "GATE_DATABASE_URL": urls.gate, "REDIS_URL": redis_url}

        def publish(count: int) -> list[UUID]:
            made: list[UUID] = []
            for _ in range(count):
                report_id, now = uuid4(), datetime.now(UTC)
                composed = Composed(replace(report, title=f"{report.title}, {report_id}"), [])
                kept = reports.keep_report(
                    database, LOCAL_ORG_ID, queue, composed, report_id=report_id, author="bench", replaces=None, now=now
                )
                made += [kept.documents.job_id] if kept.documents.job_id is not None else []
            return made

        def wait(job_ids: list[UUID]) -> None:
            for job_id in job_ids:
                while (job := jobs.read_job(database, LOCAL_ORG_ID, job_id)).state != "done":
                    if job.state not in {"queued", "running"}:
                        raise SystemExit(f"{job.state}: {job.reason}")
                    time.sleep(POLL_S)

        with workers(2, servers) as running:
            # Until both have made something, their start would be measured.
            wait(publish(6))
            started = time.perf_counter()
            ids = publish(AT_ONCE)
            published_s = time.perf_counter() - started
            wait(ids)
            done_s = time.perf_counter() - started
            resident = [
                max(each.memory_info().rss for each in (process, *process.children(recursive=True)))
                for process in running
            ]
    return {"published_s": published_s, "done_s": done_s, "memory_mib": [size / 2**20 for size in resident]}


def row(name: str, found: Mapping[str, Any]) -> None:
    """Print one line of the table."""
    times = (found["imported_s"], found["first_s"], found["median_s"], found["longest_s"], found["cpu_s"])
    cells = "".join(f"{1000 * each:>10.0f}" for each in times)
    print(f"{name:<20}{cells}{found['memory_mib']:>10.0f}{found['bytes'] / 1000:>10.0f}")


def main() -> None:
    """Print what one takes on both sides, then what fifty take two workers."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--environment", type=Path, help="where WeasyPrint is installed, and kept")
    options.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.alone:
        print(json.dumps(alone()))
        return
    command = [sys.executable, __file__, "--alone"]
    ours = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)  # noqa: S603 - this file
    given: Path | None = chosen.environment
    with TemporaryDirectory(prefix="stowage-bench-") if given is None else nullcontext(given) as folder:
        theirs = beside(install(Path(folder).absolute()))
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    print(f"{datetime.now(UTC):%Y-%m-%d}, {machine}, load {os.getloadavg()[0]:.1f}")
    print(
        f"{'':<20}{'import':>10}{'first':>10}{'median':>10}{'longest':>10}{'processor':>10}{'MiB':>10}{'kB':>10}   [ms]"
    )
    row("typst", ours)
    row(f"WeasyPrint {theirs['version']}", theirs)
    ratio, of_cpu = theirs["median_s"] / ours["median_s"], theirs["cpu_s"] / ours["cpu_s"]
    print(f"typst is {ratio:.1f} times as fast, {of_cpu:.1f} by processor time")
    print(f"its process: {ours['before_mib']:.0f} MiB before the first, {ours['after_100_mib']:.0f} after 100 more")
    print(f"a preview picture: {1000 * ours['preview_s']:.0f} ms")
    found = at_once()
    sizes = " and ".join(f"{size:.0f}" for size in found["memory_mib"])
    print(
        f"{AT_ONCE} reports by two workers: published in {found['published_s']:.2f} s, PDFs and pictures there after "
        f"{found['done_s']:.2f} s, {1000 * found['done_s'] / AT_ONCE:.0f} ms each; {sizes} MiB a worker"
    )


if __name__ == "__main__":
    main()
