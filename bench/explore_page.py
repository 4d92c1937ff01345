"""How fast the explore page is in Chromium, with all types of us-east-1. Prints figures."""

import platform
import re
import statistics
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
sys.path.extend(map(str, (Path(__file__).resolve().parents[1] / "tests" / "support").iterdir()))

from browsing import FLAGS, find_browser
from process import as_browser, running  # the tests' way of starting the product serves here too

REPEATS = 7
PRICE_FILTERS = ["<9", "<8", "<7", "<6", "<5", "<4", "<3", "<2", "<1", "<0.5"]
SCROLLS = 120
LATE_MS = 20
"""More than a frame of 60 Hz takes."""

PAINTED = """() => ({
    first: performance.getEntriesByName("first-contentful-paint")[0].startTime,
    table: performance.now(),
})"""

# From the key to the frame after it: what the reader waits for.
FILTER = """async (text) => {
    const field = document.querySelector('[aria-label="Filter On-demand"]');
    const write = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
    const begun = performance.now();
    write.call(field, text);
    field.dispatchEvent(new Event("input", { bubbles: true }));
    const handled = performance.now() - begun;
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    return [handled, performance.now() - begun];
}"""

SCROLL = """async (steps) => {
    const scroller = document.querySelector('[data-testid="types-scroller"]');
    const frames = [];
    let most = 0;
    let before = await new Promise(requestAnimationFrame);
    for (let step = 0; step < steps; step += 1) {
        scroller.scrollTop += 360;
        const now = await new Promise(requestAnimationFrame);
        frames.push(now - before);
        before = now;
        most = Math.max(most, document.querySelectorAll("*").length);
    }
    return { frames, most };
}"""


def opened(page: Page) -> tuple[float, float]:
    """Open the page; give its first paint and when the rows are there [ms]."""
    page.goto("/catalog/instances", wait_until="commit")
    page.wait_for_selector('[role="grid"] tbody th')
    painted = page.evaluate(PAINTED)
    return painted["first"], painted["table"]


def line(name: str, values: list[float]) -> None:
    """Print median and largest."""
    print(f"{name:<58}{statistics.median(values):>9.1f}{max(values):>9.1f}")


def measured(page: Page) -> tuple[list[list[float]], list[dict[str, Any]]]:
    """Filter and scroll; give the times of each filter [ms] and the frames of each scrolling."""
    filtered = [page.evaluate(FILTER, text) for _ in range(REPEATS) for text in [*PRICE_FILTERS, ""]]
    return filtered, [page.evaluate(SCROLL, SCROLLS) for _ in range(2)]


def shown(filtered: list[list[float]], scrolls: list[dict[str, Any]], columns: str) -> None:
    """Print what was measured with so many columns."""
    frames = [frame for scroll in scrolls for frame in scroll["frames"]]
    line(f"{columns}, filter: the key is handled", [handled for handled, _ in filtered])
    line(f"{columns}, filter: until the next frame is drawn", [drawn for _, drawn in filtered])
    line(f"{columns}, scrolling: from frame to frame", frames)
    late = sum(frame > LATE_MS for frame in frames)
    most = max(scroll["most"] for scroll in scrolls)
    print(
        f"{columns}: {late} of {len(frames)} frames came after {LATE_MS} ms; at most {most:,} elements in the document"
    )


def main() -> None:
    """Start the product on a state of its own, open the page, measure."""
    with (
        tempfile.TemporaryDirectory(prefix="stowage-bench-") as home,
        running({"STOWAGE_HOME": home}) as up,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        loads = []
        for _ in range(REPEATS):
            context = browser.new_context(**as_browser(up.client()), viewport={"width": 1440, "height": 900})
            page = context.new_page()
            loads.append(opened(page))
            if len(loads) < REPEATS:
                context.close()
        page.wait_for_load_state("networkidle")
        types = int(page.get_by_role("grid").get_attribute("aria-rowcount") or 0) - 1
        filtered, scrolls = measured(page)
        page.get_by_role("button", name=re.compile("^Columns")).click()
        page.get_by_role("button", name="All", exact=True).click()
        page.keyboard.press("Escape")
        all_filtered, all_scrolls = measured(page)
        print(f"{datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, Chromium {browser.version}, {types:,} types")
        print(f"{'[ms]':<58}{'median':>9}{'largest':>9}")
        line("first paint, empty cache", [first for first, _ in loads])
        line("rows are there, empty cache", [table for _, table in loads])
        shown(filtered, scrolls, "10 columns")
        shown(all_filtered, all_scrolls, "all 25 columns")
        browser.close()


if __name__ == "__main__":
    main()
