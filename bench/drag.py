"""Time until the ranking follows a dragged deadline or budget in Chromium, and the requests made. Prints figures.

    nice -n 5 .venv/bin/python bench/drag.py

A step is a movement of the pointer to another pixel of the slider. Two times of each step are measured: from the time
stamp of the pointer event until the frame after it is drawn, and from the begin of its handling. The second leaves out
what the browser waits for the next frame before it delivers the event.
"""

import platform
import statistics
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from playwright.sync_api import CDPSession, Page, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
sys.path.extend(map(str, (Path(__file__).resolve().parents[1] / "tests" / "support").iterdir()))

from browsing import FLAGS, find_browser, requests_of
from process import as_browser, running  # the tests' way of starting the product serves here too

QUESTIONS = {
    "sort of 10 TB with Spark": "/plans/new?data=10%20TB&deadline=3%20h",
    "10 TB to HDFS on EBS": "/plans/new?job=hdfs-write&data=10%20TB&durability=infrastructure&deadline=3%20h",
}
STEPS = 150

LISTEN = """() => {
    window.steps = [];
    window.ranking = document.querySelector('[aria-labelledby="ranking"] tbody');
    window.addEventListener("pointermove", (event) => {
        const begun = performance.now();
        const before = window.ranking?.textContent;
        requestAnimationFrame(() => {
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = () => {
                const drawn = performance.now();
                const changed = window.ranking?.textContent !== before;
                window.steps.push({ event: drawn - event.timeStamp, handled: drawn - begun, changed });
            };
            port2.postMessage(null);
        });
    }, { capture: true });
}"""


def busy_ms(session: CDPSession) -> float:
    """Return the CPU time of the main thread since it began [ms]."""
    metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    return 1000.0 * float(metrics["ThreadTime"] if "ThreadTime" in metrics else metrics["TaskDuration"])


def dragged(page: Page, session: CDPSession, name: str) -> tuple[list[dict[str, Any]], list[str], float]:
    """Drag a slider there and back; return its steps, the requests during the drag, and CPU time of a step [ms]."""
    slider = page.get_by_label("Workload").get_by_role("slider", name=name)
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    if box is None:
        raise RuntimeError(f"the slider {name} is not drawn")
    y = box["y"] + box["height"] / 2
    page.evaluate("() => { window.steps.length = 0; }")
    with requests_of(page) as requests:
        page.mouse.move(box["x"] + 0.55 * box["width"], y)
        page.mouse.down()
        before_ms = busy_ms(session)
        for step in range(STEPS):
            share = 0.55 + 0.25 * abs(((step / STEPS * 4 + 1) % 4) - 2) - 0.25
            page.mouse.move(box["x"] + share * box["width"], y)
        cpu_ms = (busy_ms(session) - before_ms) / STEPS
        during = list(requests)
        page.mouse.up()
    steps = page.evaluate("() => window.steps")
    page.wait_for_timeout(1_500)
    return steps, during, cpu_ms


def line(name: str, values: list[float]) -> None:
    """Print median, p95 and largest."""
    ordered = sorted(values)
    p95 = ordered[int(0.95 * len(ordered))]
    print(f"{name:<64}{statistics.median(values):>8.1f}{p95:>8.1f}{ordered[-1]:>8.1f}")


def main() -> None:
    """Start the product on a state of its own, open the page, drag."""
    with (
        tempfile.TemporaryDirectory(prefix="stowage-bench-") as home,
        running({"STOWAGE_HOME": home}) as up,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        print(f"{datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, Chromium {browser.version}, {STEPS} steps each")
        print(f"{'[ms]':<64}{'median':>8}{'p95':>8}{'largest':>8}")
        for question, address in QUESTIONS.items():
            context = browser.new_context(**as_browser(up.client()), viewport={"width": 1440, "height": 900})
            page = context.new_page()
            session = context.new_cdp_session(page)
            session.send("Performance.enable")
            with page.expect_response(
                lambda response: (
                    response.url.endswith("/preview/limits?team=local") or "/preview/limits" in response.url
                ),
                timeout=60_000,
            ) as limits:
                page.goto(address)
            sizes = limits.value.request.sizes()
            page.wait_for_timeout(1_500)
            page.evaluate(LISTEN)
            print(f"{question}: rows under all limits, {sizes['responseBodySize']:,} bytes compressed")
            for name in ("Deadline", "Budget"):
                steps, requests, cpu_ms = dragged(page, session, name)
                changed = [step for step in steps if step["changed"]]
                print(
                    f"  {name}: {len(changed)} of {len(steps)} steps drew other rows; requests: {len(requests)}; "
                    f"CPU time of the main thread {cpu_ms:.1f} ms a step"
                )
                for shown, kept in (("all", steps), ("with other rows", changed)):
                    if kept:
                        line(f"  {name}, {shown}: event to drawn", [step["event"] for step in kept])
                        line(f"  {name}, {shown}: handling to drawn", [step["handled"] for step in kept])
            context.close()
        browser.close()


if __name__ == "__main__":
    main()
