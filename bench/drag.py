"""Time until the ranking follows a dragged deadline or budget in Chromium, and the requests made. Prints figures.

    sudo .venv/bin/python bench/drag.py

The pointer is a mouse that reports its place 125 times a second, whether or not the page has drawn the last one. (If a
movement waited for the page, the figures would tell how long the driver of the browser takes.) A step is a frame that
draws a movement. Two times of each: from the time stamp of the last report that it draws until it is drawn, and of this
the work: to handle the reports and to make the frame. The rest is the wait for the frame.

The browser and its driver run at real-time priority if this process may set it (Linux, `CAP_SYS_NICE`): the browser's
main thread, compositor, rasterizer and display take two cores in turn, and each waits for other programs. The time that
the main thread waits for a core is printed.

The ranking is below the window, as it is where the page opens, or scrolled into sight while the slider is held.
"""

import asyncio
import os
import platform
import statistics
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, CDPSession, Page, ViewportSize, async_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
sys.path.extend(map(str, (Path(__file__).resolve().parents[1] / "tests" / "support").iterdir()))

from bench.api_latency import fixed_loop_s
from browsing import FLAGS, find_browser
from process import Running, as_browser, running  # the tests' way of starting the product serves here too

QUESTIONS = {
    "sort of 10 TB with Spark": "/plans/new?data=10%20TB&deadline=3%20h",
    "10 TB to HDFS on EBS": "/plans/new?job=hdfs-write&data=10%20TB&durability=infrastructure&deadline=3%20h",
}
WINDOW: ViewportSize = {"width": 1440, "height": 900}
REPORTS_PER_S = 125
SECONDS = 3

LISTEN = """() => {
    window.steps = [];
    window.ranking = document.querySelector('[aria-labelledby="ranking"] tbody');
    let before = window.ranking?.textContent;
    let begun, reports = 0, handling = 0, last;
    window.addEventListener("pointermove", (event) => {
        begun = performance.now();
        last = event.timeStamp;
        if (reports++ > 0) return;
        requestAnimationFrame(() => {
            const framed = performance.now();
            const step = { reports, handling, last };
            reports = handling = 0;
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = () => {
                const drawn = performance.now();
                const text = window.ranking?.textContent;
                const work = step.handling + drawn - framed;
                window.steps.push({ reports: step.reports, event: drawn - step.last, work, changed: text !== before });
                before = text;
            };
            port2.postMessage(null);
        });
    }, { capture: true });
    window.addEventListener("pointermove", () => { handling += performance.now() - begun; });
}"""


@dataclass(frozen=True, slots=True)
class Dragged:
    """Steps of one drag, its requests, and the times of the main thread."""

    steps: list[dict[str, Any]]
    requests: list[str]
    """Addresses requested during the drag."""
    cpu_ms: float
    """CPU time of the main thread, a step."""
    queued_ms: float
    """Time that the main thread waited for a core, a step."""


async def main_thread(browser: Browser) -> Path:
    """Return the file with the CPU time of the page's main thread and its wait for a core [ns]."""
    session = await browser.new_browser_cdp_session()
    processes = (await session.send("SystemInfo.getProcessInfo"))["processInfo"]
    await session.detach()
    page = max((one for one in processes if one["type"] == "renderer"), key=lambda one: one["cpuTime"])
    return Path(f"/proc/{page['id']}/schedstat")


def milliseconds(thread: Path) -> tuple[float, float]:
    """Return the CPU time of a thread and its wait for a core since it began [ms]."""
    cpu, queued, _ = thread.read_text().split()
    return int(cpu) / 1e6, int(queued) / 1e6


async def dragged(page: Page, session: CDPSession, thread: Path, name: str, *, in_sight: bool) -> Dragged:
    """Drag a slider there and back."""
    slider = page.get_by_label("Workload").get_by_role("slider", name=name)
    await slider.scroll_into_view_if_needed()
    box = await slider.bounding_box()
    if box is None:
        raise RuntimeError(f"the slider {name} is not drawn")
    left, width, y = box["x"], box["width"], box["y"] + box["height"] / 2
    requests: list[str] = []
    await page.mouse.move(left + 0.55 * width, y)
    await page.mouse.down()
    if in_sight:
        await page.evaluate("() => window.ranking.scrollIntoView()")
        y = WINDOW["height"] / 2
    await page.wait_for_timeout(500)
    await page.evaluate("() => { window.steps.length = 0; }")
    page.on("request", lambda request: requests.append(request.url))
    cpu_ms, queued_ms = milliseconds(thread)
    reports = SECONDS * REPORTS_PER_S
    clock = asyncio.get_running_loop().time
    begun_s, sent = clock(), []
    for report in range(reports):
        await asyncio.sleep(max(0.0, begun_s + report / REPORTS_PER_S - clock()))
        share = 0.55 + 0.25 * abs(((report / reports * 4 + 1) % 4) - 2) - 0.25
        place = {"x": left + share * width, "y": y, "button": "left", "buttons": 1}
        sent.append(asyncio.ensure_future(session.send("Input.dispatchMouseEvent", {"type": "mouseMoved", **place})))
    await asyncio.gather(*sent)
    after_cpu_ms, after_queued_ms = milliseconds(thread)
    during = list(requests)
    # Drawn before the release, which renders the whole page.
    await page.wait_for_timeout(100)
    await page.mouse.up()
    steps = await page.evaluate("() => window.steps")
    await page.wait_for_timeout(1_500)
    return Dragged(steps, during, (after_cpu_ms - cpu_ms) / len(steps), (after_queued_ms - queued_ms) / len(steps))


def line(name: str, values: list[float]) -> None:
    """Print median, p95 and largest."""
    ordered = sorted(values)
    p95 = ordered[int(0.95 * len(ordered))]
    print(f"{name:<64}{statistics.median(values):>8.1f}{p95:>8.1f}{ordered[-1]:>8.1f}")


async def measure(browser: Browser, up: Running, question: str) -> None:
    """Open a question, drag both limits, and print the figures."""
    context = await browser.new_context(**as_browser(up.client()), viewport=WINDOW)
    page = await context.new_page()
    session = await context.new_cdp_session(page)
    async with page.expect_response(lambda response: "/preview/limits" in response.url, timeout=60_000) as limits:
        await page.goto(QUESTIONS[question])
    sizes = await (await limits.value).request.sizes()
    await page.wait_for_timeout(1_500)
    await page.evaluate(LISTEN)
    thread = await main_thread(browser)
    print(f"{question}: rows under all limits, {sizes['responseBodySize']:,} bytes compressed")
    for name in ("Deadline", "Budget"):
        for in_sight in (True, False):
            found = await dragged(page, session, thread, name, in_sight=in_sight)
            steps = found.steps
            print(
                f"  {name}, ranking {'in' if in_sight else 'out of'} sight: {len(steps)} steps of "
                f"{statistics.mean(step['reports'] for step in steps):.1f} reports, "
                f"{sum(step['changed'] for step in steps)} with other rows; requests: {len(found.requests)}; "
                f"main thread, a step: {found.cpu_ms:.1f} ms of CPU time, {found.queued_ms:.1f} ms waiting for a core"
            )
            line("    last report to drawn", [step["event"] for step in steps])
            line("    of it work", [step["work"] for step in steps])
    await context.close()


async def drag(up: Running) -> None:
    """Drag the limits of each question."""
    # Inherited by the browser and its driver, not by the product, which runs already.
    with suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        priority = "real-time" if os.sched_getscheduler(0) == os.SCHED_RR else "usual"
        print(
            f"{datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, Chromium {browser.version}, {SECONDS} s each, "
            f"{priority} priority, load {os.getloadavg()[0]:.1f}"
        )
        print(f"{'[ms]':<64}{'median':>8}{'p95':>8}{'largest':>8}")
        for question in QUESTIONS:
            await measure(browser, up, question)
        await browser.close()
    print(f"a fixed loop of Python beside it: {1_000.0 * min(fixed_loop_s() for _ in range(5)):.0f} ms of CPU time")


def main() -> None:
    """Start the product on a state of its own, open the page, drag."""
    with tempfile.TemporaryDirectory(prefix="stowage-bench-") as home, running({"STOWAGE_HOME": home}) as up:
        asyncio.run(drag(up))


if __name__ == "__main__":
    main()
