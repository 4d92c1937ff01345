"""Lighthouse scores of Home, the five places and a shared report: `bench/lighthouse.py [COMMAND]`.

COMMAND starts Lighthouse; by default npx fetches the version below. Each page is opened with the session of the owner
of a team with the example team's content. Prints a table in Markdown, and each audit that failed.
"""

import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
sys.path.extend(map(str, (Path(__file__).resolve().parents[1] / "tests" / "support").iterdir()))

import httpx2 as httpx

from browsing import find_browser
from process import running  # the tests' way of starting the product serves here too

LIGHTHOUSE = ("npx", "--yes", "lighthouse@13.5.0")
PAGES = {
    "Home": "/",
    "New plan": "/plans/new",
    "Plans": "/plans?team=example",
    "Scenarios": "/plans/scenarios?team=example",
    "Instances": "/catalog/instances",
    "EBS volumes": "/catalog/volumes",
    "Regions": "/catalog/regions",
    "Benchmarks": "/benchmarks?team=example",
    "Model accuracy": "/benchmarks/accuracy",
    "Reports": "/reports?team=example",
}
CATEGORIES = ("accessibility", "best-practices", "performance")
MOST_S = 180
"""Timeout of one page."""


def audited(command: Sequence[str], address: str, cookies: str) -> dict[str, Any]:
    """Return Lighthouse's report of a page."""
    with tempfile.TemporaryDirectory() as folder:
        headers, out = Path(folder, "headers.json"), Path(folder, "report.json")
        headers.write_text(json.dumps({"Cookie": cookies} if cookies else {}))
        subprocess.run(  # noqa: S603 - the command is the caller's
            [
                *command,
                address,
                "--quiet",
                "--output=json",
                f"--output-path={out}",
                f"--extra-headers={headers}",
                f"--only-categories={','.join(CATEGORIES)}",
                "--preset=desktop",
                "--chrome-flags=--headless --no-sandbox --disable-gpu",
            ],
            check=True,
            timeout=MOST_S,
            env={**os.environ, "CHROME_PATH": find_browser()},
        )
        report: dict[str, Any] = json.loads(out.read_text())
        return report


def failures(report: Mapping[str, Any]) -> Iterator[str]:
    """Yield the failed audits of accessibility and best practices, each with the first elements it names."""
    for category in CATEGORIES[:2]:
        for entry in report["categories"][category]["auditRefs"]:
            audit = report["audits"][entry["id"]]
            if entry["weight"] > 0 and audit["score"] is not None and audit["score"] < 1:
                items = audit.get("details", {}).get("items", [])[:3]
                where = "; ".join(str(each.get("node", {}).get("snippet", each))[:160] for each in items)
                yield f"{audit['title']} ({audit['id']}): {where}"


def shared_report(client: httpx.Client) -> str:
    """Publish a report of a saved plan and return the address of a link to it."""
    asked = {"workload": {"name": "Nightly sort", "data": "40 TB"}, "limits": {"deadline": "2 h"}}
    plan = client.post("/api/v1/plans", json=asked).json()["id"]
    today = {"instance": "i3.16xlarge", "nodes": 60, "storage": {"kind": "instance-store"}}
    origin = {"kind": "plan", "plan_id": plan, "ranks": [1, 2]}
    report = client.post("/api/v1/reports", json={"title": "Nightly sort", "origin": origin, "today": today}).json()
    link = client.post("/api/v1/links", json={"kind": "report", "object_id": report["id"]}).json()
    return str(link["address"])


def main() -> None:
    """Start the product on a state of its own, and audit every page."""
    command = sys.argv[1:] or LIGHTHOUSE
    with (
        tempfile.TemporaryDirectory(prefix="stowage-bench-") as home,
        running({"STOWAGE_HOME": home, "STOWAGE_EXAMPLE": "on"}) as up,
    ):
        up.wait_until_ready()
        client = up.client()
        cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in client.cookies.jar)
        pages = {name: (f"{up.address}{path}", cookies) for name, path in PAGES.items()}
        pages["Shared report"] = shared_report(client), ""
        print(f"{datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, {os.cpu_count()} cores\n")
        print(f"| page | {' | '.join(CATEGORIES)} |\n|---|{'---:|' * len(CATEGORIES)}")
        failed = {}
        for name, (address, as_whom) in pages.items():
            report = audited(command, address, as_whom)
            scores = (round(100 * (report["categories"][each]["score"] or 0)) for each in CATEGORIES)
            print(f"| {name} | {' | '.join(map(str, scores))} |", flush=True)
            failed[name] = list(failures(report))
        for name, lines in failed.items():
            for line in lines:
                print(f"\n{name}: {' '.join(line.split())}")


if __name__ == "__main__":
    main()
