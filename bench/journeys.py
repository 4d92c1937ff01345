"""Go two ways of a planner through the page in Chromium, count inputs and seconds, and print what the page says.

Keys are typed as fast as a practised hand does; what a person reads and thinks in between is not in it.
"""

import platform
import re
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from playwright.sync_api import Locator, Page, expect, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
sys.path.extend(map(str, (Path(__file__).resolve().parents[1] / "tests" / "support").iterdir()))

from browsing import FLAGS, find_browser
from process import as_browser, running  # the tests' way of starting the product serves here too

PATIENCE_MS = 60_000
KEY_MS = 50
"""Between two keys."""
LATE_MS = 2_000
"""After this long without another request, an answer is the one to the last input."""


class Journey:
    """A way through the page, whose inputs are counted: a field that is filled, a choice, a press."""

    def __init__(self, page: Page, name: str) -> None:
        self.page, self.inputs, self._begun, self._last = page, 0, time.monotonic(), time.monotonic()
        print(f"\n{name}")

    def fill(self, label: str, text: str) -> None:
        """Type into a field."""
        field = self.page.get_by_role("textbox", name=label, exact=True).or_(
            self.page.get_by_role("combobox", name=label, exact=True)
        )
        field.fill("")
        field.press_sequentially(text, delay=KEY_MS)
        self.inputs += 1

    def choose(self, label: str, option: str) -> None:
        """Choose from a list."""
        self.page.get_by_role("combobox", name=label, exact=True).select_option(label=option)
        self.inputs += 1

    def press(self, target: Locator) -> None:
        """Press a button or follow a link."""
        target.click()
        self.inputs += 1

    def seen(self, what: str, words: str) -> None:
        """Print how long the last inputs and their answer took, and what is read there."""
        now = time.monotonic()
        took_s, so_far_s = now - self._last, now - self._begun
        print(f"  {what}: {self.inputs} inputs so far, {took_s:.1f} s, {so_far_s:.1f} s in all: {words}")
        self._last = now

    def answered(self, holds: re.Pattern[str]) -> None:
        """Print the answer to the last input, and check that it was that."""
        said = settled(self.page, holds)
        self.seen("answer", said)
        check_last(self.page, said)
        pause_s = time.monotonic() - self._last
        self._begun += pause_s
        self._last += pause_s


def settled(page: Page, holds: re.Pattern[str]) -> str:
    """Return the sentence of an answer once it matches and no request for another one is under way."""
    sentence = page.get_by_test_id("sentence").first
    expect(sentence).to_contain_text(holds)
    expect(page.locator("[data-stale]")).to_have_count(0)
    return sentence.inner_text()


def check_last(page: Page, said: str) -> None:
    """Check, after a pause that counts for nothing, that an answer was the one to the last input."""
    page.wait_for_timeout(LATE_MS)
    if (last := page.get_by_test_id("sentence").first.inner_text()) != said:
        raise SystemExit(f"read too early: {said!r} became {last!r}")


def nightly_sort(page: Page) -> None:
    """Ask for 40 TB each night within 2 h at 95%, today on 60 x i3.4xlarge; save it, and report to a manager."""
    page.goto("/plans/new")
    settled(page, re.compile("."))
    way = Journey(page, "Nightly sort of 40 TB within 2 h at 95%, today on 60 x i3.4xlarge")
    way.fill("Data", "40 TB")
    way.fill("Deadline", "2 h")
    way.choose("Met in", "95% of all runs")
    way.press(page.get_by_role("button", name="More", exact=True))
    way.choose("How much of the bound the framework reaches", "Not known: a part, and a wide range")
    way.fill("Runs per month", "30")
    way.answered(re.compile("sort 40 TB .*95%|95%.* sort 40 TB"))
    way.fill("Instance type", "i3.4xlarge")
    way.fill("Nodes today", "60")
    expect(page.get_by_test_id("today-says")).to_contain_text("Today: ")
    way.seen("against today", page.get_by_test_id("today-says").inner_text())
    way.press(page.get_by_role("button", name="Save plan", exact=True))
    way.press(page.get_by_role("button", name="Save", exact=True))
    page.wait_for_url(re.compile("/plans/"))
    way.seen("saved", page.get_by_test_id("sentence").inner_text())
    report(way)


def hdfs(page: Page) -> None:
    """Ask for a cluster of 200 TB that stays, at the cheapest month; save and report it."""
    page.goto("/plans/new")
    settled(page, re.compile("."))
    way = Journey(page, "HDFS of 200 TB in three copies that stays, cheapest month")
    way.choose("Job", "Write to HDFS")
    way.fill("Data", "200 TB")
    way.fill("Replication", "3")
    way.choose("Find", "Cheapest month, always on")
    way.answered(re.compile("a month, always on.*writes 200 TB"))
    way.press(page.get_by_role("button", name="Save plan", exact=True))
    way.press(page.get_by_role("button", name="Save", exact=True))
    page.wait_for_url(re.compile("/plans/"))
    way.seen("saved", page.get_by_test_id("sentence").inner_text())
    report(way)


def report(way: Journey) -> None:
    """Publish a report of the plan that is open; print its first sentence and its tiles."""
    page = way.page
    way.press(page.get_by_role("link", name="Report", exact=True))
    preview = page.get_by_role("region", name="Preview")
    expect(preview.get_by_test_id("sentence")).to_be_visible()
    way.press(page.get_by_role("button", name="Publish"))
    page.wait_for_url(re.compile(r"/reports/[0-9a-f-]{36}$"))
    expect(page.get_by_test_id("sentence")).to_be_visible()
    expect(page.get_by_role("link", name="Download PDF")).to_be_visible()
    summary = " ".join(page.locator("main").inner_text().split())
    way.seen("report with its PDF", summary[:1_500])


def main() -> None:
    """Start the product on a state of its own, and go both ways."""
    expect.set_options(timeout=PATIENCE_MS)
    with (
        tempfile.TemporaryDirectory(prefix="stowage-bench-") as home,
        running({"STOWAGE_HOME": home}) as up,
        sync_playwright() as playwright,
    ):
        up.wait_until_ready()
        browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        print(f"{datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, Chromium {browser.version}")
        for journey in (nightly_sort, hdfs):
            context = browser.new_context(**as_browser(up.client()), viewport={"width": 1440, "height": 900})
            context.set_default_timeout(PATIENCE_MS)
            journey(context.new_page())
            context.close()
        browser.close()


if __name__ == "__main__":
    main()
