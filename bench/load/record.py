"""Results of load and chaos runs: a line each in `docs/reliability.jsonl`, and the tables of `docs/reliability.md`.

.venv/bin/python -m bench.load.record        # writes the tables again
"""

import json
import os
import platform
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.load.figures import percentile

ROOT = Path(__file__).resolve().parents[2]
RESULTS, PAGE = ROOT / "docs" / "reliability.jsonl", ROOT / "docs" / "reliability.md"
BEGIN, END = "<!-- tables: bench/load/record.py -->", "<!-- end of tables -->"


def add(kind: str, found: Mapping[str, Any]) -> None:
    """Append a line, with commit, date and machine, and write the tables again."""
    asked = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    line = {
        "kind": kind,
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "commit": asked.stdout.strip() or "unknown",
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[2]:.1f}",
        **found,
    }
    with RESULTS.open("a") as results:
        results.write(json.dumps(line) + "\n")
    write_page()


def write_page() -> None:
    """Put the tables of all results into the page."""
    text = PAGE.read_text()
    results = [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n\n" + "\n".join(tables_of(results)) + f"\n\n{END}{after}")


def tables_of(results: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the lines of all tables."""
    yield from _load([each for each in results if each["kind"] == "load"])
    yield from _hostile([each for each in results if each["kind"] == "hostile"])
    yield from _chaos([each for each in results if each["kind"] == "chaos"])


def _load(results: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield "### Load"
    yield ""
    if not results:
        yield "No run yet."
        yield ""
        return
    yield (
        "| date | commit | machine | users | minutes | requests | errors | shed | reads p50 / p95 / p99 [ms] "
        "| previews | saves | acknowledged | lost | twice | held |"
    )
    yield "|---|---|---|---:|---:|---:|---|---:|---|---|---|---:|---:|---:|---|"
    for each in results:
        errors = ", ".join(f"{name}: {count:,}" for name, count in each["errors"].items()) or "0"
        users = f"{each['users']} members" if each.get("members") else f"{each['users']}"
        held = "yes" if not each["misses"] else "no: " + "; ".join(each["misses"])
        yield (
            f"| {_where(each)} | {users} | {each['minutes']:g} | {each['requests']:,} | {errors} "
            f"| {each['shed']:,} | {_ms(each['reads_s'])} | {_ms(each['previews_s'])} | {_ms(each['saves_s'])} "
            f"| {each['acknowledged']:,} | {each['lost']} | {each['repeated']} | {held} |"
        )
    yield ""


def _hostile(results: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield "### Beside one hostile team"
    yield ""
    if not results:
        yield "No run yet."
        yield ""
        return
    yield "| date | commit | machine | users | minutes each | request | p95 without [ms] | p95 beside it [ms] | times |"
    yield "|---|---|---|---:|---:|---|---:|---:|---:|"
    for each in results:
        for kind, without_s, beside_s in each["slower"]:
            yield (
                f"| {_where(each)} | {each['users']} | {each['minutes']:g} | {kind} "
                f"| {1000 * without_s:,.0f} | {1000 * beside_s:,.0f} | {beside_s / without_s:.2f} |"
            )
    yield ""


def _chaos(results: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    faults = [fault for each in results for fault in each["faults"]]
    schedules, caused = len(results), [fault for fault in faults if not fault["fault"].startswith("none")]
    yield "### Faults"
    yield ""
    if not results:
        yield "No run yet."
        yield ""
        return
    yield (
        f"{schedules:,} schedules with {len(caused):,} faults, "
        f"on {', '.join(sorted({each['date'] for each in results}))}, "
        f"commits {', '.join(sorted({each['commit'] for each in results}))}: "
        f"{sum(each['acknowledged'] for each in results):,} acknowledged writes, "
        f"{sum(len(each['lost']) for each in results):,} lost, "
        f"{sum(len(each['repeated']) for each in results):,} duplicated, "
        f"{sum(len(each['undone']) for each in results):,} jobs not done."
    )
    yield ""
    yield "| fault | times | recovery, median [s] | longest [s] | not recovered in time |"
    yield "|---|---:|---:|---:|---:|"
    counts = Counter(fault["fault"] for fault in faults)
    for name in sorted(counts):
        took = [fault["recovered_s"] for fault in faults if fault["fault"] == name and fault["recovered_s"] is not None]
        median = percentile(took, 0.5)
        times = "- | -" if median is None else f"{median:.1f} | {max(took):.1f}"
        yield f"| {name} | {counts[name]} | {times} | {counts[name] - len(took)} |"
    skipped = Counter(line for each in results for line in each["skipped"])
    for line, count in skipped.items():
        yield ""
        yield f"Left out in {count} of {schedules}: {line}."
    yield ""


def _where(result: Mapping[str, Any]) -> str:
    return f"{result['date']} | {result['commit']} | {result['machine']}"


def _ms(times_s: Sequence[float | None]) -> str:
    return " / ".join("-" if value is None else f"{1000 * value:,.0f}" for value in times_s)


if __name__ == "__main__":
    write_page()
