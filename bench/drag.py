"""Time until the ranking follows a dragged deadline or budget in Chromium, and the requests made. Prints figures.

    nice -n 5 .venv/bin/python bench/drag.py

The pointer is a mouse that reports its place 125 times a second, whether or not the page has drawn the last one. (If a
movement waited for the page, the figures would tell how long the driver of the browser takes.) Two times of each step:
from the time stamp of the pointer event until the frame after it is drawn, and of this the work: to handle the event
and to make the frame. The rest is the wait for the next frame, up to 16.7 ms with 60 frames a second for any page.

The ranking is below the window, as it is where the page opens, or scrolled into sight while the slider is held.
"""

import asyncio
import platform
import statistics
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, CDPSession, Page, ViewportSize, async_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
sys.path.extend(map(str, (Path(__file__).resolve().parents[1] / "tests" / "support").iterdir()))

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
    let before, begun;
    window.addEventListener("pointermove", () => {
        before = window.ranking?.textContent;
        begun = performance.now();
    }, { capture: true });
    window.addEventListener("pointermove", (event) => {
        const handling = performance.now() - begun;
        const changed = window.ranking?.textContent !== before;
        requestAnimationFrame(() => {
            const framed = performance.now();
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = () => {
                const drawn = performance.now();
                window.steps.push({ event: drawn - event.timeStamp, work: handling + drawn - framed, changed });
            };
            port2.postMessage(null);
        });
    });
}"""


async def busy_ms(session: CDPSession) -> float:
    """Return the CPU time of the main thread since it began [ms]."""
    metrics = {one["name"]: one["value"] for one in (await session.send("Performance.getMetrics"))["metrics"]}
    return 1000.0 * float(metrics["ThreadTime"] if "ThreadTime" in metrics else metrics["TaskDuration"])


async def dragged(
    page: Page, session: CDPSession, name: str, *, in_sight: bool
) -> tuple[list[dict[str, Any]], list[str], float]:
    """Drag a slider there and back; return its steps, the requests during the drag, and CPU time of a step [ms]."""
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
    before_ms = await busy_ms(session)
    reports = SECONDS * REPORTS_PER_S
    clock = asyncio.get_running_loop().time
    begun_s, sent = clock(), []
    for report in range(reports):
        await asyncio.sleep(max(0.0, begun_s + report / REPORTS_PER_S - clock()))
        share = 0.55 + 0.25 * abs(((report / reports * 4 + 1) % 4) - 2) - 0.25
        place = {"x": left + share * width, "y": y, "button": "left", "buttons": 1}
        sent.append(asyncio.ensure_future(session.send("Input.dispatchMouseEvent", {"type": "mouseMoved", **place})))
    await asyncio.gather(*sent)
    cpu_ms = await busy_ms(session) - before_ms
    during = list(requests)
    await page.mouse.up()
    steps = await page.evaluate("() => window.steps")
    await page.wait_for_timeout(1_500)
    return steps, during, cpu_ms / len(steps)


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
    await session.send("Performance.enable")
    async with page.expect_response(lambda response: "/preview/limits" in response.url, timeout=60_000) as limits:
        await page.goto(QUESTIONS[question])
    sizes = await (await limits.value).request.sizes()
    await page.wait_for_timeout(1_500)
    await page.evaluate(LISTEN)
    print(f"{question}: rows under all limits, {sizes['responseBodySize']:,} bytes compressed")
    for name in ("Deadline", "Budget"):
        for in_sight in (True, False):
            steps, requests, cpu_ms = await dragged(page, session, name, in_sight=in_sight)
            print(
                f"  {name}, ranking {'in' if in_sight else 'out of'} sight: "
                f"{sum(step['changed'] for step in steps)} of {len(steps)} steps drew other rows; "
                f"requests: {len(requests)}; CPU time of the main thread {cpu_ms:.1f} ms a step"
            )
            line("    event to drawn", [step["event"] for step in steps])
            line("    of it work", [step["work"] for step in steps])
    await context.close()


async def drag(up: Running) -> None:
    """Drag the limits of each question."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        print(f"{datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, Chromium {browser.version}, {SECONDS} s each")
        print(f"{'[ms]':<64}{'median':>8}{'p95':>8}{'largest':>8}")
        for question in QUESTIONS:
            await measure(browser, up, question)
        await browser.close()


def main() -> None:
    """Start the product on a state of its own, open the page, drag."""
    with tempfile.TemporaryDirectory(prefix="stowage-bench-") as home, running({"STOWAGE_HOME": home}) as up:
        asyncio.run(drag(up))


if __name__ == "__main__":
    main()
