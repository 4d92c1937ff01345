"""Benchmark runs on the page: connect an account, approve a price, watch, accept the results.

AWS is simulated; the nodes are real: their links are shaped, and they measure these links.
"""

import re
from collections.abc import Iterator
from typing import Literal

import pytest
from playwright.sync_api import Locator, Page, expect

from browsing import violations
from laboratory.account import BUCKET, ROLE
from laboratory.between import Call
from laboratory.lab import Laboratory, require

RUN_PATIENCE_MS = 240_000
"""Timeout of a run, which takes longer on a busy machine."""

NETBENCH = "/benchmarks/runs/new?instance=m5.large&nodes=4&limit=10+min&measured=4+s&warm=1+s&compare=no&group=no"

DISKBENCH = (
    "/benchmarks/runs/new?benchmark=diskbench&instance=m5.large&nodes=1&storage=ebs&size=1"
    "&limit=10+min&measured=1+s&warm=1+s"
)

LOOKS: tuple[tuple[int, Literal["light", "dark"]], ...] = ((360, "dark"), (1440, "light"))


@pytest.fixture
def lab(laboratory_or_none: Laboratory | None) -> Iterator[Laboratory]:
    """Yield the laboratory, and remove the team's account from it afterwards."""
    if laboratory_or_none is None:
        require()
    assert laboratory_or_none is not None
    yield laboratory_or_none
    laboratory_or_none.between.external_id = None


def sentence(page: Page) -> Locator:
    return page.get_by_test_id("sentence")


def external_id(page: Page) -> str:
    """Read the parameters of the account's stack where the page shows them."""
    return page.locator("dd code").first.inner_text()


@pytest.mark.soak("pages")
def test_from_an_account_to_what_was_measured(page: Page, lab: Laboratory) -> None:
    connect(page, lab)
    run(page, lab)
    take_in(page, lab)
    cancel(page, lab)
    keep_for_later(page, lab)
    compare(page)


@pytest.mark.soak("pages")
def test_runs_read_well_at_every_size_and_in_both_schemes(page: Page, lab: Laboratory) -> None:
    connect(page, lab)
    run(page, lab)
    measure_disks(page, lab)
    cancel(page, lab)
    keep_for_later(page, lab)
    page.goto("/benchmarks/runs")
    links = page.get_by_role("list", name="Runs").get_by_role("link")
    expect(links).to_have_count(4)
    for address in ["/benchmarks/runs", *(str(link.get_attribute("href")) for link in links.all())]:
        page.goto(address)
        page.wait_for_load_state("networkidle")
        for width, scheme in LOOKS:
            page.set_viewport_size({"width": width, "height": 800})
            page.emulate_media(color_scheme=scheme)
            assert violations(page) == [], (address, width, scheme)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (address, width)


def connect(page: Page, lab: Laboratory) -> None:
    page.goto("/benchmarks/runs")
    page.get_by_role("link", name="Connect an AWS account").click()
    page.get_by_role("button", name="Connect an AWS account").click()
    page.get_by_role("textbox", name="What you call it").fill("Benchmarks")
    assert violations(page) == []
    page.get_by_role("button", name="Go on").click()

    expect(page.get_by_role("region", name="Make the role")).to_contain_text("External id")
    page.get_by_role("button", name="Copy the template").click()
    template = page.evaluate("navigator.clipboard.readText()")
    assert external_id(page) in template
    assert violations(page) == []
    lab.between.external_id = external_id(page)

    page.get_by_role("textbox", name="Role ARN").fill(ROLE)
    page.get_by_role("textbox", name="Bucket").fill(BUCKET)
    page.get_by_role("button", name="Save and check").click()
    expect(page.locator("[data-state=connected]")).to_be_visible(timeout=RUN_PATIENCE_MS)
    page.get_by_text(re.compile("permissions:")).click()
    expect(page.get_by_role("list", name="What the role may do")).to_contain_text("ec2:RunInstances")
    assert violations(page) == []


def is_last_result(call: Call) -> bool:
    """Return whether a request is the first node's upload of its results; there are four nodes."""
    return call.parameters.get("Key", "").endswith("/nodes/0000/net-4.json")


def run(page: Page, lab: Laboratory) -> None:
    before = lab.billed_usd()
    page.goto(NETBENCH)
    button = page.get_by_role("button", name=re.compile(r"^Run for at most \$\d+\.\d\d$"))
    expect(button).to_be_enabled()
    agreed = float(button.inner_text().rpartition("$")[2])
    assert violations(page) == []
    # The measurement lasts until the page has shown it, even if the page is slow here.
    last_result = lab.between.fail("s3:PutObject", "hold", when=is_last_result)
    button.click()

    page.wait_for_url("**/benchmarks/runs/*-*")
    steps = page.get_by_role("list", name="Steps")
    expect(steps.locator("[aria-current=step]")).to_contain_text("Measure", timeout=RUN_PATIENCE_MS)
    nodes = page.get_by_role("list", name="Nodes", exact=True).get_by_role("listitem")
    expect(nodes).to_have_count(4)
    expect(page.get_by_role("heading", name="Now")).to_be_visible(timeout=RUN_PATIENCE_MS)
    assert violations(page) == []
    assert last_result.reached.wait(RUN_PATIENCE_MS / 1_000)
    last_result.go_on.set()

    # A page that is opened again continues with the current state of the run.
    page.reload()
    expect(sentence(page)).to_have_text(re.compile("^Done"), timeout=RUN_PATIENCE_MS)
    expect(sentence(page)).to_contain_text("nothing is left in the account")
    expect(page.get_by_role("heading", name="Over the size of the cluster")).to_be_visible()
    spent = page.get_by_role("meter", name="What it cost")
    assert float(spent.get_attribute("aria-valuemax") or "nan") == agreed
    assert lab.billed_usd() - before <= float(spent.get_attribute("aria-valuenow") or "nan") <= agreed
    assert lab.left() == {}
    assert violations(page) == []


def take_in(page: Page, lab: Laboratory) -> None:
    page.goto("/benchmarks/runs")
    page.get_by_role("link", name=re.compile("NetBench")).click()
    page.get_by_role("button", name="Accept the results").click()
    taken = page.get_by_role("region", name="Taken into the profiles")
    expect(taken).to_contain_text("kept", timeout=RUN_PATIENCE_MS)
    expect(page.get_by_role("button", name="Accept the results")).to_have_count(0)
    figure = taken.get_by_role("link", name=re.compile("m5.large")).first
    figure.click()
    page.wait_for_url("**/benchmarks/profiles/*")
    expect(sentence(page)).to_contain_text("MB/s")
    # The rate of the links, with a tolerance for what their token buckets hold at the start.
    measured = re.search(r"([\d.]+) MB/s", sentence(page).inner_text())
    assert measured is not None
    assert float(measured[1]) == pytest.approx(lab.hypervisor.mbit_per_s / 8, rel=0.3)


def measure_disks(page: Page, lab: Laboratory) -> None:
    page.goto(DISKBENCH)
    page.get_by_role("button", name=re.compile("^Run for at most")).click()
    page.wait_for_url("**/benchmarks/runs/*-*")
    expect(sentence(page)).to_have_text(re.compile("^Done.*nothing is left in the account"), timeout=RUN_PATIENCE_MS)
    results = page.get_by_role("region", name="Results")
    expect(results).to_contain_text(re.compile(r"\d (M|G)B/s"))
    expect(results.get_by_text("partial")).to_have_count(0)
    assert lab.left() == {}
    assert violations(page) == []


def cancel(page: Page, lab: Laboratory) -> None:
    page.goto(NETBENCH.replace("measured=4+s", "measured=60+s"))
    page.get_by_role("button", name=re.compile("^Run for at most")).click()
    page.wait_for_url("**/benchmarks/runs/*-*")
    expect(page.get_by_role("heading", name="4 nodes")).to_be_visible(timeout=RUN_PATIENCE_MS)
    page.get_by_role("button", name="Cancel the run").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel the run").click()
    expect(sentence(page)).to_have_text(
        re.compile("^Cancelled.*nothing is left in the account"), timeout=RUN_PATIENCE_MS
    )
    assert lab.left() == {}


def keep_for_later(page: Page, lab: Laboratory) -> None:
    launched = len(lab.account.instances())
    page.goto(NETBENCH)
    page.get_by_role("button", name="Keep it, approve later").click()
    page.wait_for_url("**/benchmarks/runs/*-*")
    expect(page.get_by_role("button", name=re.compile("^Run for at most"))).to_be_visible()
    page.get_by_role("button", name="Discard it").click()
    page.get_by_role("dialog").get_by_role("button", name="Discard it").click()
    expect(sentence(page)).to_have_text("Cancelled: nothing was launched.")
    assert len(lab.account.instances()) == launched


def compare(page: Page) -> None:
    page.goto("/benchmarks/runs")
    runs = page.get_by_role("list", name="Runs")
    for place in (0, 1):
        runs.get_by_role("checkbox").nth(place).check()
    page.get_by_role("link", name="Compare 2 runs").click()
    expect(page.get_by_role("region", name="Figures of the runs")).to_contain_text("cancelled")
    assert violations(page) == []
    page.reload()
    expect(page.get_by_role("region", name="Figures of the runs")).to_contain_text("cancelled")
