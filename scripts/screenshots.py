"""Take pictures of every page of a running product: `make screenshots`; of some: `scripts/screenshots.py plan share`.

They go into build/screens, with a contact sheet; the few that documents show are copied to docs/screens.
"""

import html
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import APIRequestContext, Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
SCREENS = ROOT / "build" / "screens"
SHOWN = ROOT / "docs" / "screens"
"""What documents show: a new picture is put here by its name, once, by hand."""
TOOLS = ROOT / "tests" / "measure" / "files"
sys.path.insert(0, str(ROOT / "tests"))
sys.path.extend(map(str, (ROOT / "tests" / "support").iterdir()))

from browsing import FLAGS, find_browser  # noqa: E402 - as below
from first_look import FIRST_LOOKS, shown_at  # noqa: E402 - as below
from laboratory.pictures import shoot_live_run  # noqa: E402 - as below
from process import as_browser, running  # noqa: E402 - the tests' way of starting the product serves here too

ONLY = frozenset(sys.argv[1:])
"""Names of the views to take; all of them where it is empty."""
LIVE = "run-live"
"""Begins the names of the pictures of a benchmark run."""
SIZES = {360: 780, 1440: 900}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")

WINNER, FASTER, FASTEST = "98-i2.8xlarge-4-4", "150-i2.8xlarge-4-4", "200-i2.8xlarge-4-4"
PAPER = "/plans/new?catalog=paper-2014&usual=ignored"
PLAN = f"{PAPER}&deadline=30+min&nodes=200"
HELD = f"{PLAN}&pins={WINNER}_{FASTER}_{FASTEST}&today=120-i2.8xlarge-3-5"

EMPTY = {
    "home-empty": "/",
    "plans-empty": "/plans",
    "sweeps-empty": "/plans/scenarios",
    "measurements-empty": "/benchmarks",
    "runs-empty": "/benchmarks/runs",
    "reports-empty": "/reports",
}
"""Before anything is saved."""

FULL = {
    "home": "/",
    "home-example": "/?team=example",
    "plan": "/plans/new?data=100+TB&deadline=2+h&chance=95+%25&nodes=200",
    "compare": HELD,
    "details-time": f"{PLAN}&row={WINNER}",
    "details-money": f"{PLAN}&row={WINNER}&tab=money",
    "details-certainty": f"{PLAN}&row={WINNER}&tab=certainty",
    "details-why-not": f"{PLAN}&row={WINNER}&tab=why&why={FASTEST}",
    "plan-sliders": f"{PAPER}&data=150+TB&deadline=45+min&budget=600+USD",
    "plan-objective": "/plans/new?objective=month&deadline=1+h&chance=95+%25&purchase=any&nodes=200",
    "plan-choose": (
        "/plans/new?deadline=1+h&families=i3%2Ci4i%2Ci7i&notsizes=metal&generation=current&vcpus=2000"
        "&ceilings=i4i.16xlarge%3A20&volumequotas=gp3%3A50+TiB%3A100000"
    ),
    "why-not": f"{PLAN}&row={FASTEST}&tab=why",
    "next-dollar": f"{PLAN}&row={WINNER}&tab=money",
    "regions": "/plans/new?deadline=30+min&nodes=200&regions=open",
    "bound": f"{PAPER}&network=unlimited&capacity=pooled",
    "nothing-fits": f"{PAPER}&deadline=1+min&nodes=200",
    "field-error": f"{PAPER}&data=100+TBB",
    "today-error": f"{PLAN}&today=0-i2.8xlarge-own",
    "job-log-on-ebs": f"{PAPER}&job=append-log&data=2+TB&durability=infrastructure&network=unlimited",
    "job-hdfs": f"{PAPER}&job=hdfs-write&data=50+TB&deadline=2+h&nodes=200",
    "explore": "/catalog/instances",
    "explore-filtered": (
        "/catalog/instances?media=ssd&where=vcpus%3A%3E%3D8%3Busd_per_hour%3A%3C2&sort=-storage_mb_per_s"
    ),
    "explore-compared": (
        "/catalog/instances?name=i4i&compare=i3.8xlarge%2Ci4i.8xlarge%2Ci2.8xlarge&x=network_baseline_mb_per_s"
    ),
    "explore-published": "/catalog/instances?version=paper-2014-gce",
    "details-type": "/catalog/instances?type=i3.8xlarge",
    "volumes": "/catalog/volumes",
    "catalog-regions": "/catalog/regions",
    "volumes-advice": "/catalog/volumes?have=gp2&size=1000+GiB&lasts=4+h&instance=r5.xlarge&type=st1",
    "volumes-error": "/catalog/volumes?capacity=much",
    "plan-newest": "/plans/new?deadline=30+min&nodes=200",
    "validation": "/benchmarks/accuracy",
    "validation-misses": "/benchmarks/accuracy?misses=yes&show=ratio",
    "validation-case": "/benchmarks/accuracy?kind=fitted&case=st1-write-4",
    "plans": "/plans",
    "plans-not-found": "/plans?search=no+such+plan",
    "plans-example": "/plans?team=example",
    "sweeps": "/plans/scenarios?team=example",
    "measurements": "/benchmarks?team=example",
    "measurements-list": "/benchmarks?team=example&tab=list",
    "measurements-changes": "/benchmarks?team=example&tab=changes",
    "measurements-jobs": "/benchmarks?team=example&tab=jobs",
    "measurements-recipes": "/benchmarks?tab=recipes",
    "sweep-new": "/plans/scenarios/new",
    "sweep-new-error": "/plans/scenarios/new?row-values=30+min%2C+soon",
    "runs-new": "/benchmarks/runs/new",
    "runs-new-error": "/benchmarks/runs/new?benchmark=diskbench&storage=ebs&iops=6k&nodes=300",
    "runs-accounts-empty": "/settings/aws-accounts",
    "runs-accounts-new": "/settings/aws-accounts?account=new",
    "not-found": "/no/such/page",
    "team": "/settings/team",
    "audit-log": "/settings/audit-log",
    "account": "/settings/account",
    "alerts": "/settings/alerts",
    "price-terms": "/settings/price-terms",
    "units": "/settings/units",
    "welcome": "/welcome",
}

FIRST = {f"first{page.replace('/', '-').rstrip('-') or '-home'}": page for page in FIRST_LOOKS}
"""Every page of the navigation as far as one sees before scrolling, beside its visitor's question."""

FOR_ANYBODY = {
    "sign-in": "/plans",
    "sign-in-spent": f"/sign-in#{'a' * 43}",
    "join-over": f"/join#{'a' * 43}",
    "reset": f"/reset#{'a' * 43}",
    "shared-not-found": f"/s/{'a' * 43}",
}
"""As a guest sees them who is not signed in."""


def failed(page: Page) -> None:
    """Have the service fail as it does, with a reference."""
    problem = {
        "type": "about:blank",
        "title": "Our fault",
        "status": 500,
        "detail": "Something went wrong on our side; nothing was stored.",
        "reference": "5f0c1d2e3a4b5c6d",
    }
    body = json.dumps(problem)
    page.route("**/plans/preview*", lambda route: route.fulfill(status=500, body=body, content_type="application/json"))
    page.get_by_role("textbox", name="Data", exact=True).fill("90 TB")
    page.get_by_text("Reference").wait_for()


def offline(page: Page) -> None:
    """Have nothing answer any more."""
    page.route("**/api/**", lambda route: route.abort())
    page.get_by_role("textbox", name="Data", exact=True).fill("90 TB")
    page.get_by_text("cannot be reached").first.wait_for()


def removed(page: Page) -> None:
    """Remove a plan, and bring it back when the picture is taken."""
    page.get_by_role("button", name="Delete").first.click()
    page.get_by_role("button", name="Undo").wait_for()


def invited(page: Page) -> None:
    """Invite a person: the link is shown."""
    page.get_by_role("textbox", name="E-mail").fill("grace@example.org")
    page.get_by_role("button", name="Invite").click()
    page.get_by_role("button", name="Copy the link").wait_for()


def token_made(page: Page) -> None:
    """Make a token: it is shown."""
    page.get_by_role("textbox", name="What it is for").fill("Nightly planning")
    page.get_by_role("button", name="Make a token").click()
    page.get_by_role("button", name="Copy the token").wait_for()


def searched(page: Page) -> None:
    """Look for a name over everything."""
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Search").fill("a")
    page.get_by_role("option").first.wait_for()


def dropped(page: Page) -> None:
    """Drop what tools wrote, and wait until it is understood."""
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose files").click()
    chooser.value.set_files(
        [TOOLS / path for path in ("fio/json-normal-both.txt", "iperf3/parallel.json", "sysbench/rndrw.txt")]
    )
    page.wait_for_url("**/benchmarks/upload")
    page.get_by_role("button", name="Discard 3 files").wait_for()


def thrown_away(page: Page) -> None:
    """Leave nothing for the next picture."""
    page.get_by_role("button", name="Discard 3 files").click()
    page.get_by_role("button", name="Undo").wait_for()
    # Discarded files are deleted when the page is left.
    page.get_by_role("link", name="All results").click()
    page.wait_for_url("**/benchmarks")
    page.wait_for_load_state("networkidle")


def account_opened(page: Page) -> None:
    """Open the account's menu."""
    page.get_by_role("button", name="Account").click()
    page.get_by_role("menuitem", name="Sign out").wait_for()


def share_opened(page: Page) -> None:
    """Open a plan, and what shares it."""
    page.get_by_role("link", name="Nightly sort").first.click()
    page.get_by_role("button", name="Share", exact=True).click()
    page.get_by_role("button", name="Make a link").wait_for()


DONE_TO: dict[str, tuple[str, Callable[[Page], None]]] = {
    "plan-failed": (PLAN, failed),
    "plan-offline": (PLAN, offline),
    "plans-removed": ("/plans?search=archive", removed),
    "team-invited": ("/settings/team", invited),
    "tokens": ("/settings/tokens", token_made),
    "search": ("/plans", searched),
    "account-menu": ("/plans", account_opened),
    "share": ("/plans", share_opened),
    "measurements-dropped": ("/benchmarks", dropped),
}
IN_PART = ("first", "details", "why-not", "next-dollar", "search", "account-menu", "share")
"""What lies over the page is taken as far as one sees; names that begin so."""


def shoot(page: Page, name: str, width: int, scheme: str) -> None:
    """Wait until the page stands still, and take it whole; a drawer over the page only as far as one sees."""
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(700)
    in_part = name.startswith(IN_PART) and not name.startswith("shared")
    page.screenshot(path=SCREENS / f"{name}-{width}-{scheme}.png", full_page=not in_part)


def take(browser: Browser, like: dict[str, Any], views: dict[str, str]) -> None:
    """Take screenshots at every size, dark and light, as the user of the context."""
    for scheme in SCHEMES:
        for width, height in SIZES.items():
            context = browser.new_context(
                **like,
                viewport={"width": width, "height": height},
                color_scheme=scheme,
                reduced_motion="reduce",
            )
            for name, path in views.items():
                if ONLY and name not in ONLY:
                    continue
                page = context.new_page()
                page.goto(path)
                if name in DONE_TO:
                    page.wait_for_load_state("networkidle")
                    DONE_TO[name][1](page)
                shoot(page, name, width, scheme)
                if name == "plans-removed":
                    page.get_by_role("button", name="Undo").click()
                    page.get_by_role("button", name="Delete").first.wait_for()
                if name == "measurements-dropped":
                    thrown_away(page)
                page.close()
            context.close()


def await_sweeps(request: APIRequestContext) -> dict[str, str]:
    """Wait until the example team's sweeps are computed; give their ids by name."""
    sweeps: list[dict[str, object]] = []
    while len(sweeps) < 2 or any(sweep["job"]["state"] != "done" for sweep in sweeps):  # type: ignore[index]
        time.sleep(0.5)
        sweeps = request.get("/api/v1/sweeps?team=example").json()["sweeps"]
    return {str(sweep["name"]): str(sweep["id"]) for sweep in sweeps}


def half_a_sweep(request: APIRequestContext) -> str:
    """Start a sweep, and cancel it when some of it is there."""
    asked = {
        "name": "Cancelled on the way",
        "base": {"workload": {"data": "1 TB"}, "assume": {"network": "unlimited"}},
        "columns": {"quantity": "data", "values": [f"{size} TB" for size in (1, 2, 5, 10, 20, 50, 100, 200, 500, 900)]},
        "rows": {"quantity": "deadline", "values": [f"{minutes} min" for minutes in (10, 15, 20, 30, 45, 60, 90, 120)]},
    }
    sweep = request.post("/api/v1/sweeps", data=asked).json()
    job = f"/api/v1/jobs/{sweep['job']['id']}"
    while request.get(job).json()["done"] < 20:
        pass
    request.post(f"{job}/cancel")
    return str(sweep["id"])


def reports_made(request: APIRequestContext, plan: str) -> dict[str, str]:
    """Publish a report of a plan and a newer one in its place; give the addresses of what there is to see."""
    asked: dict[str, Any] = {
        "words": "The nightly sort has to end before the markets open.\nI ask for its budget from January.",
        "origin": {"kind": "plan", "plan_id": plan, "ranks": [1, 2, 3, 4]},
        "today": {"instance": "i3.16xlarge", "nodes": 60, "storage": {"kind": "instance-store"}},
        "outlook": {"growth_pct_per_month": 3, "months": 36},
    }
    older = request.post("/api/v1/reports", data={**asked, "title": "Nightly sort, as of March"}).json()["id"]
    recommended = {"origin": {"kind": "plan", "plan_id": plan, "ranks": [2, 1, 3]}, "replaces": older}
    newer = request.post("/api/v1/reports", data={**asked, **recommended, "title": "Nightly sort"}).json()["id"]
    for report in (older, newer):
        while request.get(f"/api/v1/reports/{report}").json()["documents"]["state"] == "making":
            pass
    return {
        "reports": "/reports",
        "report": f"/reports/{newer}",
        "report-replaced": f"/reports/{older}",
        "report-new": f"/reports/new?plan={plan}&today=60-i3.16xlarge-own&growth=3",
        "reports-compared": f"/reports/compare?old={older}&new={newer}",
    }


def shoot_on_paper(browser: Browser, like: dict[str, Any], path: str) -> None:
    """Take a screenshot of a report as printed: as wide as A4 within its margins."""
    context = browser.new_context(**like, viewport={"width": 720, "height": 1020}, reduced_motion="reduce")
    page = context.new_page()
    page.goto(path)
    page.emulate_media(media="print")
    shoot(page, "report", 720, "print")
    context.close()


def _is_of(picture: str, view: str) -> bool:
    """Return whether a picture, named by view, width and scheme, is of a view."""
    return picture.rsplit("-", 2)[0] == view


def _linked(names: Iterable[str]) -> str:
    return "\n".join(
        f'<a href="{name}"><img loading="lazy" src="{name}" alt=""><br>{name}</a>' for name in map(html.escape, names)
    )


def contact_sheet(names: list[str]) -> str:
    """Return a page of HTML with every picture, small, as a link to the whole."""
    first = "\n".join(
        f"<h2>{html.escape(FIRST_LOOKS[page].question)}</h2>"
        f"<p>{html.escape(page)}, answered by: <code>{html.escape(FIRST_LOOKS[page].words)}</code></p>"
        f"{_linked(each for each in names if _is_of(each, view))}"
        for view, page in FIRST.items()
    )
    cells = f"{first}<h2>All views</h2>{_linked(each for each in names if not each.startswith('first'))}"
    style = "a{display:inline-block;width:20rem;margin:.5rem;vertical-align:top;font:12px sans-serif}"
    sizes = "img{width:100%;height:14rem;object-fit:cover;object-position:top;border:1px solid #ccc}"
    return f"<!doctype html><meta charset=utf-8><title>Screens</title><style>{style}{sizes}</style>\n{cells}\n"


def main() -> None:
    """Start the product on a state of its own, fill it, take the pictures."""
    shutil.rmtree(SCREENS, ignore_errors=True)
    SCREENS.mkdir(parents=True)
    with (
        tempfile.TemporaryDirectory(prefix="stowage-screens-") as home,
        running({"STOWAGE_HOME": home, "STOWAGE_EXAMPLE": "on"}) as up,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        owner, anybody = as_browser(up.client()), {"base_url": up.address}
        request = browser.new_context(**owner).request
        sweeps = await_sweeps(request)
        take(browser, anybody, FOR_ANYBODY)
        take(browser, owner, EMPTY)
        saved = [
            request.post("/api/v1/plans", data={"workload": {"name": name, "data": data}}).json()["id"]
            for name, data in (("Nightly sort", "100 TB"), ("Weekly archive", "40 TB"))
        ]
        deadlines, copies = (f"/plans/scenarios/{sweeps[name]}?team=example" for name in sorted(sweeps, reverse=True))
        made = {
            "saved-plan": f"/plans/{saved[0]}",
            "sweep-winner": copies,
            "sweep-cost": f"{deadlines}&show=cost&cell=4-3",
            "sweep-time": f"{deadlines}&show=time",
            "sweep-limit": f"{copies}&show=limit",
            "sweep-cancelled": f"/plans/scenarios/{half_a_sweep(request)}",
        }
        made |= reports_made(request, saved[0])
        views = (
            FULL
            | {name: shown_at(page) for name, page in FIRST.items()}
            | made
            | {name: path for name, (path, _) in DONE_TO.items()}
        )
        take(browser, owner, views)
        links = {
            kind: request.post("/api/v1/links", data={"kind": kind, "object_id": object_id}).json()["address"]
            for kind, object_id in (
                ("plan", saved[0]),
                ("sweep", made["sweep-cancelled"].rpartition("/")[2]),
                ("report", made["report"].rpartition("/")[2]),
            )
        }
        if not ONLY:
            shoot_on_paper(browser, owner, made["report"])
        locked = {
            "kind": "report",
            "object_id": made["report"].rpartition("/")[2],
            "password": "seven paper kites over fog",
        }
        links["report-locked"] = request.post("/api/v1/links", data=locked).json()["address"]
        invitation = request.post("/api/v1/team/invitations", data={"email": "alan@example.org", "role": "viewer"})
        shared = {f"shared-{kind}": address.removeprefix(up.address) for kind, address in links.items()}
        take(browser, anybody, shared | {"join": invitation.json()["link"].removeprefix(up.address)})
        if (not ONLY or LIVE in ONLY) and (reason := shoot_live_run(browser, SCREENS)) is not None:
            print(f"no pictures of a live run: {reason}")
        browser.close()
    pictures = sorted(SCREENS.iterdir())
    if (pngquant := shutil.which("pngquant")) is not None:
        # A third of the size, and the same to the eye; without it they are only larger.
        subprocess.run([pngquant, "--force", "--skip-if-larger", "--ext", ".png", "128", *pictures], check=False)
    (SCREENS / "index.html").write_text(contact_sheet([picture.name for picture in pictures]))
    for picture in pictures:
        if (SHOWN / picture.name).exists():
            shutil.copy(picture, SHOWN)
    print(f"{len(pictures)} pictures; contact sheet: {SCREENS.relative_to(ROOT) / 'index.html'}")


if __name__ == "__main__":
    main()
