"""Time from navigation to the first answer of the plan page, with an empty cache in Chromium. Prints figures.

Each visit varies the deadline, so that no answer is repeated. A visit ends in the frame after the ranking's first row.
"""

import platform
import statistics
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
sys.path.extend(map(str, (Path(__file__).resolve().parents[1] / "tests" / "support").iterdir()))

from browsing import FLAGS, find_browser
from process import Running, as_browser, running  # the tests' way of starting the product serves here too

VISITS = 9
ROW = "table tbody tr, [role=row] [role=rowheader]"

STAMPS = """async () => {
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const answered = performance.now();
    const entries = performance.getEntriesByType("resource");
    const of = (part) => entries.find((each) => each.name.includes(part));
    const scripts = entries.filter((each) => /\\.(js|css)$/.test(new URL(each.name).pathname));
    return {
        "first contentful paint": performance.getEntriesByName("first-contentful-paint")[0].startTime,
        "session read": of("/api/v1/session").responseEnd,
        "preview sent": of("/plans/preview").startTime,
        "preview received": of("/plans/preview").responseEnd,
        "first answer drawn": answered,
        "scripts and styles [kB]": scripts.reduce((sum, each) => sum + each.transferSize, 0) / 1000,
        "scripts and styles [files]": scripts.length,
    };
}"""


def visit(browser: Browser, up: Running, deadline_min: int) -> dict[str, float]:
    """Open the plan page in a new context; return the time of each event [ms]."""
    context = browser.new_context(**as_browser(up.client()), viewport={"width": 1440, "height": 900})
    page = context.new_page()
    devtools = context.new_cdp_session(page)
    devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.goto(f"/plans/new?deadline={deadline_min}+min&nodes=1000", wait_until="commit")
    page.wait_for_selector(ROW)
    stamps: dict[str, float] = page.evaluate(STAMPS)
    metrics = {each["name"]: each["value"] for each in devtools.send("Performance.getMetrics")["metrics"]}
    stamps["main thread [CPU ms]"] = 1000 * metrics["TaskDuration"]
    context.close()
    return stamps


def main() -> None:
    """Start the product on a state of its own, visit the page, print the median and the largest of each event."""
    with (
        tempfile.TemporaryDirectory(prefix="stowage-bench-") as home,
        running({"STOWAGE_HOME": home}) as up,
        sync_playwright() as playwright,
    ):
        up.wait_until_ready()
        browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        visits = [visit(browser, up, 90 + 7 * number) for number in range(VISITS + 1)][1:]
        print(f"{datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, Chromium {browser.version}, {VISITS} visits\n")
        print("| [ms] | median | largest |\n|---|---:|---:|")
        for name in visits[0]:
            values = [each[name] for each in visits]
            print(f"| {name} | {statistics.median(values):.0f} | {max(values):.0f} |")
        browser.close()


if __name__ == "__main__":
    main()
