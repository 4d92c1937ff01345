"""Five tasks in Chromium, each with the mouse and by keyboard alone: `bench/journeys.py [TASK ...]`.

Counts steps, fields, keystrokes and the time spent waiting for the page. Time for typing, reading and thinking is not
counted. By keyboard, every target is reached with Tab, as a person without a mouse does.
"""

import platform
import re
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, get_args

import httpx2 as httpx
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
sys.path.extend(map(str, (Path(__file__).resolve().parents[1] / "tests" / "support").iterdir()))

from browsing import FLAGS, find_browser
from process import CSRF, Running, as_browser, running  # the tests' way of starting the product serves here too

PATIENCE_MS = 60_000
MOST_TABS = 300
"""Presses of Tab after which a target counts as unreachable."""
FILES = Path(__file__).resolve().parents[1] / "tests" / "measure" / "files"

FOCUSED = "element => element === document.activeElement"
BEFORE = """element => {
    const from = document.activeElement;
    return from !== null && (element.compareDocumentPosition(from) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
}"""
"""Whether an element stands before the focused one in the document."""

Device = Literal["mouse", "keyboard"]


class Way:
    """One way through the page, by mouse or by keyboard alone."""

    def __init__(self, page: Page, device: Device) -> None:
        self.page, self.device = page, device
        self.steps = self.fields = self.keystrokes = 0
        self.waited_s = 0.0
        self.seen: list[str] = []

    def fill(self, field: Locator, text: str) -> None:
        """Type into a field in place of its content."""
        self._reach(field)
        self._press("Control+a")
        self.page.keyboard.type(text)
        self.keystrokes += len(text)
        self.fields += 1
        self.steps += 1

    def choose(self, field: Locator, option: str) -> None:
        """Choose an option of a native list."""
        if self.device == "mouse":
            field.select_option(label=option)
        else:
            self._reach(field)
            # A list jumps to the option that begins with the typed letters.
            self.page.keyboard.type(option)
            self.keystrokes += len(option)
        self.fields += 1
        self.steps += 1

    def press(self, target: Locator) -> None:
        """Press a button or follow a link."""
        if self.device == "mouse":
            target.click()
        else:
            self._reach(target)
            self._press("Enter")
        self.steps += 1

    def drop(self, button: Locator, files: list[Path]) -> None:
        """Choose files in the dialog that a button opens."""
        with self.page.expect_file_chooser() as chooser:
            self.press(button)
        chooser.value.set_files(files)

    def wait(self, seen: Locator, words: re.Pattern[str] | str) -> None:
        """Wait until an element shows words, and remember what it says."""
        begun = time.monotonic()
        expect(seen).to_contain_text(words)
        self.waited_s += time.monotonic() - begun
        self.seen.append(" ".join(seen.inner_text().split()))

    def _reach(self, target: Locator) -> None:
        """Focus an element: by a click, or with Tab in the direction in which it stands."""
        expect(target).to_be_visible()
        if self.device == "mouse":
            target.click()
            return
        for _ in range(MOST_TABS):
            if target.evaluate(FOCUSED):
                return
            self._press("Shift+Tab" if target.evaluate(BEFORE) else "Tab")
        raise SystemExit(f"not reached with Tab: {target}")

    def _press(self, key: str) -> None:
        if self.device == "keyboard" or key != "Control+a":
            self.keystrokes += 1
        self.page.keyboard.press(key)


def planner(way: Way) -> None:
    """Plan a nightly sort of 40 TB within two hours at 95%, and save it with its baseline."""
    page = way.page
    page.goto("/")
    way.press(page.get_by_role("main").get_by_role("link", name="New plan").first)
    way.wait(page.get_by_test_id("sentence").first, "sort")
    way.fill(page.get_by_role("textbox", name="Data", exact=True), "40 TB")
    way.fill(page.get_by_role("textbox", name="Deadline", exact=True), "2 h")
    baseline = page.get_by_role("group", name="What do you run today?")
    way.fill(baseline.get_by_label("Instance type"), "i3.4xlarge")
    way.fill(baseline.get_by_label("Nodes today"), "60")
    way.wait(page.get_by_test_id("sentence").first, re.compile(r"^Saves .* 60 × i3\.4xlarge.*40 TB"))
    way.press(page.get_by_role("button", name="Save plan", exact=True))
    way.press(page.get_by_role("dialog").get_by_role("button", name="Save", exact=True))
    page.wait_for_url(re.compile("/plans/[0-9a-f-]{36}"))
    expect(page.get_by_role("button", name="Make a report")).to_be_visible()
    way.wait(page.get_by_role("main"), re.compile("Saves .* against 60 × i3.4xlarge"))


def engineer(way: Way) -> None:
    """Upload output of fio, and see what it changes."""
    page = way.page
    page.goto("/")
    way.press(page.get_by_role("main").get_by_role("link", name="Upload benchmark results").first)
    way.drop(page.get_by_role("button", name="Choose files"), [FILES / "fio" / "json-normal-both.txt"])
    way.wait(page.get_by_test_id("sentence"), "1 file")
    way.fill(page.get_by_label("Instance type").first, "i3.8xlarge")
    way.fill(page.get_by_label("Region").first, "us-east-1")
    way.choose(page.get_by_label("What was read and written").first, "The instance's own disks")
    way.fill(page.get_by_label("Disks that took part").first, "4")
    way.press(page.get_by_role("button", name=re.compile("^Keep")))
    way.wait(page.get_by_role("region", name="Kept"), "kept")


def manager(way: Way) -> None:
    """Read a shared report on a phone: the saving, the risk and the approval."""
    page = way.page
    for words in (re.compile("Saves|saves"), re.compile("[Rr]isk"), "Approved by Grace"):
        way.wait(page.get_by_role("main"), words)
    tall = page.evaluate("document.documentElement.scrollHeight / innerHeight")
    print(f"  the report is {tall:.1f} screens tall")


def operator(way: Way) -> None:
    """Invite a person, lower a quota, and see the load."""
    page = way.page
    page.goto("/settings/team")
    way.fill(page.get_by_role("textbox", name="E-mail"), "grace@example.org")
    way.press(page.get_by_role("button", name="Invite"))
    way.wait(page.get_by_role("region", name="Invitation for grace@example.org"), "grace@example.org")
    way.press(page.get_by_role("button", name="Change the limit of Saved plans"))
    way.fill(page.get_by_role("textbox", name="Limit of Saved plans"), "100")
    way.press(page.get_by_role("button", name="Set limit"))
    way.wait(page.get_by_role("table", name="Quotas"), "set by your team")
    way.wait(page.get_by_role("region", name="Load"), "background job")


def newcomer(way: Way) -> None:
    """Open the link of the first start, and get an answer for 12 TB within an hour."""
    page = way.page
    way.press(page.get_by_role("button", name="Begin"))
    way.press(page.get_by_role("main").get_by_role("link", name="New plan").first)
    way.fill(page.get_by_role("textbox", name="Data", exact=True), "12 TB")
    way.fill(page.get_by_role("textbox", name="Deadline", exact=True), "1 h")
    way.wait(page.get_by_test_id("sentence").first, re.compile("sorts? 12 TB"))


TASKS: Mapping[str, Callable[[Way], None]] = {
    each.__name__: each for each in (planner, engineer, manager, operator, newcomer)
}
ON_A_PHONE = {"manager"}


def colleague(up: Running, owner: httpx.Client) -> httpx.Client:
    """Invite a planner, and return a client signed in as the planner."""
    invited = owner.post("/api/v1/team/invitations", json={"email": "grace@example.org", "role": "planner"}).json()
    client = httpx.Client(base_url=up.address)
    join = {"secret": invited["link"].rpartition("#")[2], "name": "Grace", "password": "seven paper kites over fog"}
    answer = client.post("/api/v1/invitations/accept", json=join)
    client.headers[CSRF] = answer.json()["csrf"]
    return client


def shared_report(up: Running) -> str:
    """Publish a report of a plan with a baseline, approve it, and return the address of a link to it."""
    client = up.client()
    today = {"instance": "i3.4xlarge", "nodes": 60, "storage": {"kind": "instance-store"}}
    asked = {
        "workload": {"name": "Nightly sort", "data": "40 TB", "runs_per_month": 30},
        "limits": {"deadline": "2 h"},
        "decided": {"today": today},
    }
    plan = client.post("/api/v1/plans", json=asked).json()["id"]
    new = {"title": "Nightly sort", "origin": {"kind": "plan", "plan_id": plan, "ranks": [1, 2]}, "today": today}
    report = client.post("/api/v1/reports", json=new).json()["id"]
    approval = f"/api/v1/reports/{report}/approval"
    approver = colleague(up, client)
    person = approver.get("/api/v1/me").json()["person"]["person_id"]
    client.post(approval, json={"person_id": person}).raise_for_status()
    approver.put(approval, json={"state": "approved"}).raise_for_status()
    link = client.post("/api/v1/links", json={"kind": "report", "object_id": report}).json()
    return str(link["address"])


def go(browser: Browser, name: str, device: Device) -> None:
    """Start the product on a state of its own, do one task, and print what it took."""
    with tempfile.TemporaryDirectory(prefix="stowage-bench-") as home, running({"STOWAGE_HOME": home}) as up:
        up.wait_until_ready()
        size: ViewportSize = {"width": 1440, "height": 900}
        if name in ON_A_PHONE:
            size = {"width": 360, "height": 780}
        signed_in = {} if name in {"manager", "newcomer"} else as_browser(up.client())
        context = browser.new_context(**{"base_url": up.address, **signed_in}, viewport=size, reduced_motion="reduce")
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        if name == "manager":
            page.goto(shared_report(up))
        elif name == "newcomer":
            page.goto(up.link)
        way, begun = Way(page, device), time.monotonic()
        TASKS[name](way)
        took_s = time.monotonic() - begun
        cells = (name, device, way.steps, way.fields, way.keystrokes, f"{way.waited_s:.1f}", f"{took_s:.1f}")
        print(f"| {' | '.join(map(str, cells))} |", flush=True)
        for words in way.seen:
            print(f"<!-- {words[:300]} -->")
        context.close()


def main() -> None:
    """Do the tasks that are named, or all, with the mouse and by keyboard."""
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        print(f"{datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, Chromium {browser.version}\n")
        print("| task | by | steps | fields | keystrokes | waiting [s] | all [s] |\n|---|---|---:|---:|---:|---:|---:|")
        for name in sys.argv[1:] or TASKS:
            for device in get_args(Device):
                go(browser, name, device)
        browser.close()


if __name__ == "__main__":
    main()
