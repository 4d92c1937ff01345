"""Screenshots of a run in progress, of the real product on the simulated AWS."""

import json
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import APIRequestContext, Browser, Page

from laboratory.account import BUCKET, ROLE
from laboratory.lab import Laboratory, hindrance, laboratory
from process import as_browser, running

PACE = {"look_s": 1, "settle_s": 3, "settle_looks": 3, "stop_s": 5, "collect_s": 10, "unseen_s": 5}
SPEC = {
    "benchmark": "netbench",
    "instance": "m5.large",
    "nodes": 4,
    "region": "us-east-1",
    "time_limit_s": 900.0,
    "net": {"measured_s": 25.0, "warm_up_s": 1.0, "compare": False},
}
PATIENCE_S = 240.0
LOOKS: tuple[tuple[Literal["light", "dark"], int, int], ...] = (
    ("light", 1440, 900),
    ("dark", 1440, 900),
    ("light", 360, 780),
    ("dark", 360, 780),
)

Run = Mapping[str, Any]


def shoot_live_run(browser: Browser, folder: Path) -> str | None:
    """Connect an account, measure the network of four nodes, and take a screenshot of each step in every size.

    Parameters
    ----------
    browser : Browser
    folder : Path
        Folder of the screenshots.

    Returns
    -------
    str or None
        Reason why this machine cannot take them.
    """
    if (reason := hindrance()) is not None:
        return reason
    with (
        laboratory() as lab,
        tempfile.TemporaryDirectory(prefix="stowage-screens-") as home,
        running({"STOWAGE_HOME": home, "STOWAGE_RUNS_PACE": json.dumps(PACE), **lab.environment()}) as up,
    ):
        like = as_browser(up.client())
        contexts = [
            browser.new_context(
                **like,
                viewport={"width": width, "height": height},
                color_scheme=scheme,
                reduced_motion="reduce",
            )
            for scheme, width, height in LOOKS
        ]
        pages = [context.new_page() for context in contexts]
        _shoot(lab, contexts[0].request, pages, folder)
        for context in contexts:
            context.close()
    return None


def _shoot(lab: Laboratory, request: APIRequestContext, pages: list[Page], folder: Path) -> None:
    account = _account(lab, request)

    def take(name: str, path: str | None = None) -> None:
        for page in pages:
            if path is not None:
                page.goto(path)
                page.wait_for_load_state("networkidle")
        # Charts are drawn when their data has arrived.
        pages[0].wait_for_timeout(700)
        for page, (scheme, width, _) in zip(pages, LOOKS, strict=True):
            page.screenshot(path=folder / f"{name}-{width}-{scheme}.png", full_page=True)

    take("runs-accounts", f"/settings/aws-accounts?account={account}")
    asked = {"name": "Network before the sale", "account_id": account, "spec": SPEC}
    run = request.post("/api/v1/runs", data=asked).json()
    address = f"/api/v1/runs/{run['id']}"
    for page in pages:
        page.goto(f"/benchmarks/runs/{run['id']}")
    take("run-quoted")
    request.post(f"{address}/approve", data={"agreed_usd": run["quoted_usd"]})
    _await(request, address, lambda now: now["state"] == "running")
    take("run-begun")
    _await(request, address, _is_all_at_work)
    pages[0].wait_for_timeout(15_000)
    take("run-live")
    _await(request, address, lambda now: now["state"] == "tearing-down")
    take("run-tearing-down")
    _await(request, address, lambda now: now["state"] == "done")
    take("run-done")
    request.post(f"{address}/accept")
    take("run-accepted", f"/benchmarks/runs/{run['id']}")
    other = request.post("/api/v1/runs", data=asked | {"name": "Network after the sale"}).json()
    take("runs", "/benchmarks/runs")
    take("runs-compared", f"/benchmarks/runs/compare?ids={run['id']},{other['id']}")


def _is_all_at_work(run: Run) -> bool:
    """Return whether every node reports its received rate."""
    return all((node["live"] or {}).get("received_mb_per_s") is not None for node in run["nodes"])


def _account(lab: Laboratory, request: APIRequestContext) -> str:
    """Connect the simulated account, and wait until it is checked; return the connection's id."""
    account = request.post("/api/v1/aws-accounts", data={"name": "Benchmarks"}).json()
    lab.between.external_id = account["external_id"]
    address = f"/api/v1/aws-accounts/{account['id']}"
    request.patch(address, data={"role_arn": ROLE, "bucket": BUCKET})
    request.post(f"{address}/check")
    _await(request, address, lambda now: now["state"] == "connected")
    return str(account["id"])


def _await(request: APIRequestContext, address: str, come: Callable[[Run], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not come(now := request.get(address).json()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{address} stands still: {now['state']}")
        time.sleep(0.3)
