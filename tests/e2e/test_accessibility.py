"""Accessibility of every page and state, dark and light, wide and narrow: no axe violation, no sideways scrolling.

Everyday runs check one state of each page that no other test file checks with axe, either narrow and dark or wide
and light; the slice `pages` checks all states, in every size and in both schemes.
"""

import re
from collections.abc import Callable, Collection, Iterable
from typing import Literal

import pytest
from _pytest.mark import ParameterSet
from playwright.sync_api import Page, ViewportSize, expect

from browsing import violations

PAPER = "/plans/new?catalog=paper-2014&usual=ignored"

PAGES = {
    "home": "/",
    "answer": "/plans/new",
    "one row open": "/plans/new?nodes=200&deadline=30+min&row=open",
    "nothing fits": "/plans/new?deadline=1+s&nodes=20",
    "field error": "/plans/new?data=100+TBB",
    "eight types": f"{PAPER}&network=unlimited&capacity=pooled",
    "everything chosen": (
        "/plans/new?job=mapreduce&map=0.5&durability=application&replicas=3&budget=%24900&runs=30&cpu=ignored"
    ),
    "fastest with a chance": f"{PAPER}&deadline=30+min&nodes=200&objective=time&chance=80+%25&find=i2&regions=open",
    "what may be chosen": (
        f"{PAPER}&families=i2&nottypes=i2.xlarge&measured=yes&vcpus=9000"
        "&ceilings=i2.8xlarge%3A150&volumequotas=gp2%3A50+TiB%3A"
    ),
    "a bound on loss": f"{PAPER}&durability=any&loss=0.1+%25&purchase=any",
    "the next dollar": f"{PAPER}&deadline=30+min&nodes=200&row=98-i2.8xlarge-4-4&tab=money",
    "why it lost": f"{PAPER}&deadline=30+min&nodes=200&row=150-i2.8xlarge-4-4&tab=why",
    "saved plans": "/plans",
    "no plan found": "/plans?search=no+such+plan+at+all",
    "the example team's plans": "/plans?team=example",
    "sweeps": "/plans/scenarios",
    "new sweep": "/plans/scenarios/new",
    "new sweep that cannot be asked": "/plans/scenarios/new?column-values=&rows=data",
    "explore": "/catalog/instances",
    "types compared": "/catalog/instances?where=vcpus%3A%3E%3D8&compare=i3.8xlarge%2Ci2.8xlarge&sort=-usd_per_hour",
    "no type passes": "/catalog/instances?where=vcpus%3A%3E%3D100000",
    "one type open": "/catalog/instances?type=i3.8xlarge",
    "volumes": "/catalog/volumes",
    "regions": "/catalog/regions",
    "volumes with advice": "/catalog/volumes?have=gp2&size=1000+GiB&lasts=4+h&instance=r5.xlarge&type=st1",
    "validation": "/benchmarks/accuracy?misses=yes",
    "one case open": "/benchmarks/accuracy?kind=fitted&case=st1-write-4&show=ratio",
    "a log on EBS": f"{PAPER}&job=append-log&data=2+TB&durability=infrastructure&network=unlimited&credits=empty",
    "measurements": "/benchmarks",
    "measurements listed": "/benchmarks?tab=list&verdict=good",
    "changes for the worse": "/benchmarks?tab=changes&only=regressions",
    "finished jobs": "/benchmarks?tab=jobs",
    "how to measure": "/benchmarks?tab=recipes&instance=r5.xlarge",
    "nothing waits to be looked at": "/benchmarks/upload",
    "runs": "/benchmarks/runs",
    "runs of one state": "/benchmarks/runs?state=failed",
    "new run": "/benchmarks/runs/new",
    "new run that cannot be asked": (
        "/benchmarks/runs/new?benchmark=diskbench&storage=ebs&iops=6k&market=spot&nodes=300"
    ),
    "no runs to compare": "/benchmarks/runs/compare",
    "watched volumes": "/benchmarks/monitored",
    "a volume to be watched": "/benchmarks/monitored?add=yes",
    "AWS accounts": "/settings/aws-accounts",
    "an account to be connected": "/settings/aws-accounts?account=new",
    "reports": "/reports",
    "no report found": "/reports?search=no+such+report+at+all",
    "new report": "/reports/new",
    "new report that cannot be read": "/reports/new?plan=00000000-0000-4000-8000-000000000000&growth=lots",
    "no reports to compare": "/reports/compare",
    "not found": "/no/such/page",
    "welcome": "/welcome",
    "team": "/settings/team",
    "record": "/settings/audit-log",
    "nothing recorded": "/settings/audit-log?search=no+such+event+at+all",
    "account": "/settings/account",
    "tokens": "/settings/tokens",
    "alerts": "/settings/alerts",
}

FOR_ANYBODY = {
    "sign-in": "/settings/team",
    "sign-in given up": "/sign-in?problem=refused",
    "sign-in by a spent link": f"/sign-in#{'a' * 43}",
    "invitation over": f"/join#{'a' * 43}",
    "new password": f"/reset#{'a' * 43}",
    "nothing shared": f"/s/{'a' * 43}",
}
"""Pages as a guest sees them who is not signed in."""

EVERY_DAY = {
    "answer",
    "new sweep",
    "one type open",
    "measurements",
    "new run that cannot be asked",
    "sign-in",
}
"""States that show most components of all pages."""
assert PAGES.keys() | FOR_ANYBODY.keys() >= EVERY_DAY

Scheme = Literal["light", "dark"]
Look = tuple[ViewportSize, tuple[Scheme, ...]]

NARROW: list[Look] = [({"width": 360, "height": 780}, ("dark",))]
WIDE: list[Look] = [({"width": 1440, "height": 900}, ("light",))]
ALL: list[Look] = [
    ({"width": width, "height": height}, ("light", "dark")) for width, height in ((360, 780), (1440, 900), (1920, 1080))
]


def each(cases: Iterable[str], every_day: Collection[str] = EVERY_DAY) -> list[ParameterSet]:
    """Return the everyday cases, alternately narrow and wide; and for the soak every size of every state."""
    chosen = [case for case in cases if case in every_day]
    one = [pytest.param(case, (NARROW, WIDE)[turn % 2], id=case) for turn, case in enumerate(chosen)]
    return one + [pytest.param(case, ALL, id=f"{case}, every look", marks=pytest.mark.soak("pages")) for case in cases]


@pytest.mark.parametrize(("case", "looks"), each(PAGES))
def test_no_axe_violation_and_nothing_scrolls_sideways(page: Page, case: str, looks: list[Look]) -> None:
    look_at(page, PAGES[case], looks)


@pytest.mark.parametrize(("case", "looks"), each(FOR_ANYBODY))
def test_what_anybody_sees_is_as_accessible(stranger: Page, case: str, looks: list[Look]) -> None:
    look_at(stranger, FOR_ANYBODY[case], looks)


def look_at(page: Page, address: str, looks: list[Look]) -> None:
    for size, schemes in looks:
        page.set_viewport_size(size)
        show(page, address)
        assert_looks(page, size, schemes)


def look_around(page: Page, looks: list[Look]) -> None:
    """Check the current page in every requested size."""
    for size, schemes in looks:
        page.set_viewport_size(size)
        assert_looks(page, size, schemes)


def assert_looks(page: Page, size: ViewportSize, schemes: Iterable[Scheme]) -> None:
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)
        assert violations(page) == [], (size, scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"], size


SWEEPS = ["", "?show=cost&cell=2-1", "?show=time&cell=3-1", "?show=limit"]


@pytest.mark.parametrize(("search", "looks"), each(SWEEPS, ()))
def test_a_sweep_is_as_accessible(page: Page, search: str, looks: list[Look]) -> None:
    axes = {
        "columns": {"quantity": "data", "values": ["1 TB", "100 TB", "900 TB"]},
        "rows": {"quantity": "deadline", "values": ["10 min", "1 h"]},
    }
    asked = {
        "name": "For axe",
        "base": {"workload": {"data": "1 TB"}, "place": {"catalog": "paper-2014"}, "assume": {"usual": "ignored"}},
        **axes,
    }
    sweep = page.request.post("/api/v1/sweeps", data=asked).json()
    page.goto(f"/plans/scenarios/{sweep['id']}{search}")
    expect(page.get_by_text("Done", exact=True)).to_be_visible()
    expect(page.locator("[data-state=missing]")).to_have_count(0)
    look_around(page, looks)


@pytest.mark.parametrize(("action", "looks"), each(["rename", "delete"], ["delete"]))
def test_what_can_be_done_to_a_plan_is_as_accessible(page: Page, action: str, looks: list[Look]) -> None:
    saved = page.request.post("/api/v1/plans", data={"workload": {"name": "Soon gone", "data": "1 TB"}})
    assert saved.ok
    page.goto("/plans" if action == "rename" else f"/plans/{saved.json()['id']}")
    if action == "delete":
        page.get_by_role("button", name="More", exact=True).click()
        page.get_by_role("menuitem", name="Delete").click()
    else:
        page.get_by_role("button", name="Rename").first.click()
    undo, field = page.get_by_role("button", name="Undo"), page.get_by_role("textbox", name="New name")
    expect(field if action == "rename" else undo).to_be_visible()
    look_around(page, looks)


def show(page: Page, address: str) -> None:
    """Open an address and wait for its answer, and for its plot if it has one."""
    if address.endswith("row=open"):
        page.goto(address.removesuffix("&row=open"))
        page.get_by_role("button", name=re.compile("Details of")).first.click()
        beside = page.get_by_role("complementary", name="Details")
        expect(beside.or_(page.get_by_role("dialog"))).to_be_visible()
    else:
        page.goto(address)
    expect(page.get_by_role("main")).to_be_visible()
    page.wait_for_load_state("networkidle")


@pytest.mark.parametrize(("part", "looks"), each(["reader", "composer", "plan"], ["composer", "plan"]))
def test_what_is_kept_is_as_accessible(page: Page, part: str, looks: list[Look]) -> None:
    page.goto(PARTS[part](page))
    expect(page.get_by_test_id("sentence")).to_be_visible()
    for fold in page.get_by_role("button", expanded=False).all():
        if part == "reader":
            fold.click()
    page.wait_for_load_state("networkidle")
    look_around(page, looks)


def published_report(page: Page) -> str:
    asked = {"title": "For axe", "words": "We decide on Monday.", "origin": {"kind": "validation"}, "outlook": None}
    return f"/reports/{page.request.post('/api/v1/reports', data=asked).json()['id']}"


def saved_plan(page: Page) -> str:
    asked = {"workload": {"name": "For axe", "data": "20 TB"}}
    return f"/plans/{page.request.post('/api/v1/plans', data=asked).json()['id']}"


PARTS: dict[str, Callable[[Page], str]] = {
    "reader": published_report,
    "composer": lambda _: "/reports/new?validation=published",
    "plan": saved_plan,
}
