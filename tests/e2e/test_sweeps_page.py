"""Sweeps on the page: start one over two variables, watch, stop, continue, read the map, open a cell."""

import re

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from browsing import reopened

NEW = "/plans/scenarios/new?catalog=paper-2014&usual=ignored"
"""Sweep over the paper's catalog: few types, cells of milliseconds, and winners that do not change."""

LARGE = {"columns": "1 TB to 100 TB, 25 steps", "rows": "10 min to 8 h, 20 steps"}
"""Enough cells that there is time to watch."""


def start_sweep(page: Page, columns: str, rows: str, name: str = "") -> None:
    page.goto(NEW)
    page.get_by_role("textbox", name="Values of data size").fill(columns)
    page.get_by_role("textbox", name="Values of deadline").fill(rows)
    page.get_by_role("textbox", name="Name").fill(name)
    page.get_by_role("button", name="Start the sweep").click()
    page.wait_for_url(re.compile(r"/plans/scenarios/[0-9a-f-]{36}"))


def grid(page: Page) -> Locator:
    return page.get_by_role("grid")


def cell(page: Page, place: str) -> Locator:
    return page.get_by_role("gridcell", name=re.compile(f"^{re.escape(place)}: "))


def progress(page: Page) -> Locator:
    return page.get_by_role("region", name="Progress")


def done(page: Page) -> None:
    expect(progress(page)).to_contain_text(re.compile("Done: "))


@pytest.fixture
def finished(page: Page) -> str:
    """Compute a small sweep, and return its address."""
    asked = {
        "name": "Small one",
        "base": {"workload": {"data": "1 TB"}, "place": {"catalog": "paper-2014"}, "assume": {"usual": "ignored"}},
        "columns": {"quantity": "data", "values": ["10 TB", "100 TB", "900 TB"]},
        "rows": {"quantity": "deadline", "values": ["10 min", "1 h"]},
    }
    sweep = page.request.post("/api/v1/sweeps", data=asked).json()
    page.goto(f"/plans/scenarios/{sweep['id']}")
    done(page)
    expect(page.locator("[data-state=missing]")).to_have_count(0)
    return page.url


def test_the_plan_s_workload_becomes_the_base_of_a_sweep(page: Page) -> None:
    page.goto(
        "/plans/new?catalog=paper-2014&usual=ignored&data=40+TB&nodes=150"
        "&durability=application&replicas=3&row=1-i2.8xlarge-4-4"
    )
    page.get_by_role("link", name="Sweep", exact=True).click()
    page.wait_for_url(re.compile("/plans/scenarios/new"))
    expect(page.get_by_text("3 copies")).to_be_visible()
    expect(page.get_by_text("nodes up to 150")).to_be_visible()
    assert "row=" not in page.url
    # The columns vary the data size, unless they vary another quantity.
    expect(page.get_by_text("40 TB", exact=True)).to_have_count(0)
    page.get_by_role("combobox", name="From left to right").select_option("region")
    expect(page.get_by_text("40 TB", exact=True)).to_be_visible()
    page.get_by_role("link", name="Change the workload").click()
    expect(page.get_by_role("textbox", name="Data", exact=True)).to_have_value("40 TB")


def test_the_question_is_in_the_address_with_its_size_told_before_the_start(page: Page) -> None:
    page.goto(NEW)
    expect(page.get_by_text("49 cells")).to_be_visible()
    expect(page.get_by_text("judged by 3 cells of it")).to_be_visible()
    page.get_by_role("textbox", name="Values of data size").fill("1 TB to 1 PB, 4 steps")
    expect(page.get_by_text("1 TB · 10 TB · 100 TB · 1 PB")).to_be_visible()
    page.get_by_role("combobox", name="From top to bottom").select_option("replicas")
    expect(page.get_by_text("12 cells")).to_be_visible()
    reopened(page)
    expect(page.get_by_role("textbox", name="Values of data size")).to_have_value("1 TB to 1 PB, 4 steps")
    expect(page.get_by_text("12 cells")).to_be_visible()


@pytest.mark.soak("pages")
def test_a_value_that_is_not_accepted_is_told_at_its_field(page: Page) -> None:
    page.goto(NEW)
    values = page.get_by_role("textbox", name="Values of deadline")
    values.fill("30 min, 1 fortnight")
    expect(page.get_by_text("is not a unit of time")).to_be_visible()
    expect(values).to_have_attribute("aria-invalid", "true")
    values.fill("30 min, 1 h")
    expect(page.get_by_text("is not a unit of time")).to_be_hidden()
    values.fill("")
    expect(page.get_by_text("Give at least one value.")).to_be_visible()
    expect(page.get_by_role("button", name="Start the sweep")).to_be_disabled()


def test_cells_arrive_while_it_runs_and_what_is_cancelled_is_kept_and_goes_on(page: Page) -> None:
    start_sweep(page, **LARGE, name="Much")
    expect(progress(page).get_by_text(re.compile(r"^[1-9]\d* of 500 cells"))).to_be_visible(timeout=20_000)
    expect(page.locator("[data-state=value]").first).to_be_attached()
    expect(page.locator("[data-state=missing]").first).to_be_attached()
    page.get_by_role("button", name="Cancel").click()
    expect(progress(page).get_by_text("Cancelled", exact=True)).to_be_visible()
    expect(progress(page)).to_contain_text("partial")
    job = page.request.get(page.url.replace("/plans/scenarios/", "/api/v1/sweeps/")).json()["job"]
    assert 0 < job["done"] < 500
    expect(page.locator("[data-state=value], [data-state=empty]")).to_have_count(job["done"])
    page.reload()
    expect(progress(page).get_by_text("Cancelled", exact=True)).to_be_visible()
    page.get_by_role("button", name="Run the rest").click()
    # Computed cells stay, and further ones are added.
    expect(page.locator("[data-state=value], [data-state=empty]").nth(job["done"])).to_be_attached()
    page.get_by_role("button", name="Cancel").click()
    expect(progress(page).get_by_text("Cancelled", exact=True)).to_be_visible()


@pytest.mark.soak("pages")
def test_a_broken_stream_of_events_is_taken_up_again(page: Page) -> None:
    broken: list[Route] = []

    def break_twice(route: Route) -> None:
        if len(broken) < 2:
            broken.append(route)
            route.abort() if len(broken) == 1 else route.fulfill(status=502, body="Bad gateway")
        else:
            route.continue_()

    page.route("**/events*", break_twice)
    start_sweep(page, "1 TB to 100 TB, 10 steps", "10 min to 8 h, 10 steps")
    done(page)
    assert len(broken) >= 1
    expect(page.locator("[data-state=missing]")).to_have_count(0)


@pytest.mark.soak("pages")
def test_a_cell_opens_and_becomes_a_plan(page: Page, finished: str) -> None:
    expect(page.get_by_role("table", name="Who wins")).to_contain_text("i2.8xlarge")
    cell(page, "100 TB, 1 h").click()
    panel = page.get_by_role("region", name="Cell")
    expect(panel).to_contain_text("63 × i2.8xlarge on their own disks sort 100 TB")
    assert "cell=2-2" in page.url
    page.get_by_text("Cost", exact=True).first.click()
    expect(cell(page, "100 TB, 1 h")).to_contain_text("$")
    assert "show=cost" in page.url
    reopened(page)
    expect(page.get_by_role("region", name="Cell")).to_contain_text("63 × i2.8xlarge")
    expect(page.get_by_role("radio", name="Cost")).to_be_checked()
    panel.get_by_role("link", name="Open as plan").click()
    expect(page.get_by_role("textbox", name="Data", exact=True)).to_have_value("100 TB")
    expect(page.get_by_role("textbox", name="Deadline")).to_have_value("1 h")
    expect(page.get_by_test_id("sentence")).to_contain_text("63 × i2.8xlarge")
    page.go_back()
    expect(page.get_by_role("region", name="Cell")).to_contain_text("63 × i2.8xlarge")
    assert finished in page.url


@pytest.mark.usefixtures("finished")
@pytest.mark.soak("pages")
def test_the_map_by_keyboard(page: Page) -> None:
    cell(page, "10 TB, 10 min").focus()
    page.keyboard.press("ArrowRight")
    expect(cell(page, "100 TB, 10 min")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(cell(page, "100 TB, 1 h")).to_be_focused()
    page.keyboard.press("Control+End")
    expect(cell(page, "900 TB, 1 h")).to_be_focused()
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    panel = page.get_by_role("region", name="Cell")
    expect(panel.get_by_role("heading", name="10 TB, 1 h")).to_be_focused()
    page.keyboard.press("Escape")
    expect(cell(page, "10 TB, 1 h")).to_be_focused()
    expect(panel).to_contain_text("Choose a cell")
    # One cell is in the tab order, not all of them.
    page.keyboard.press("Tab")
    expect(grid(page).locator(":focus")).to_have_count(0)


@pytest.mark.usefixtures("finished")
@pytest.mark.soak("pages")
def test_the_table_is_saved_as_csv_and_copied(page: Page) -> None:
    with page.expect_download() as saving:
        page.get_by_role("button", name="Save CSV").click()
    assert saving.value.suggested_filename == "Small-one.csv"
    lines = saving.value.path().read_text("utf-8-sig").splitlines()
    assert lines[0].startswith("data,deadline,winner,nodes")
    assert len(lines) == 7
    page.get_by_role("button", name=re.compile("^Data of")).click()
    page.get_by_role("button", name="Copy table").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "10 TB\t10 min\ti2.8xlarge" in copied


@pytest.mark.soak("pages")
@pytest.mark.usefixtures("finished")
def test_running_again_starts_a_new_one_of_the_same_axes(page: Page) -> None:
    before = page.url
    page.get_by_role("button", name="Run again").click()
    page.wait_for_url(lambda url: url != before)
    done(page)
    expect(page.get_by_role("heading", name="Small one", level=1)).to_be_visible()
    expect(page.get_by_role("gridcell")).to_have_count(6)


@pytest.mark.soak("pages")
def test_sweeps_are_renamed_deleted_and_brought_back(page: Page, finished: str) -> None:
    page.goto("/plans/scenarios")
    entry = page.get_by_role("list", name="Scenarios").get_by_role("listitem").first
    expect(entry).to_contain_text("6 cells, done")
    entry.get_by_role("button", name="Rename “Small one”").click()
    name = page.get_by_role("textbox", name="New name")
    name.fill("Never mind")
    name.press("Escape")
    expect(entry.get_by_role("link", name="Small one")).to_be_visible()
    entry.get_by_role("button", name="Rename “Small one”").click()
    name.fill("Six of them")
    name.press("Enter")
    expect(entry.get_by_role("link", name="Six of them")).to_be_visible()
    entry.get_by_role("button", name="Delete “Six of them”").click()
    expect(page.get_by_role("link", name="Six of them")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("link", name="Six of them").click()
    page.wait_for_url(finished)
    page.get_by_role("button", name="Delete").click()
    page.wait_for_url(re.compile("/plans/scenarios$"))
    page.goto(finished)
    expect(page.get_by_text("There is no such sweep")).to_be_visible()


@pytest.mark.soak("pages")
def test_a_failed_sweep_says_why_and_what_was_kept(page: Page, finished: str) -> None:
    sweep_id = finished.rsplit("/", 1)[1]
    answer = page.request.get(f"/api/v1/sweeps/{sweep_id}").json()
    answer["job"] |= {
        "state": "failed",
        "done": 4,
        "reason": "A part of it took longer than it may.",
        "reference": "abc123",
    }
    answer["cells"] = answer["cells"][:4]
    page.route(f"**/api/v1/sweeps/{sweep_id}", lambda route: route.fulfill(json=answer))
    page.goto(finished)
    expect(progress(page)).to_contain_text("A part of it took longer than it may. 4 of 6 cells are kept.")
    expect(progress(page)).to_contain_text("abc123")
    expect(page.get_by_role("button", name="Try again")).to_be_visible()
    expect(page.locator("[data-state=missing]")).to_have_count(2)


@pytest.mark.soak("pages")
def test_a_sweep_without_a_worker_says_so(page: Page, finished: str) -> None:
    sweep_id = finished.rsplit("/", 1)[1]
    answer = page.request.get(f"/api/v1/sweeps/{sweep_id}").json()
    answer["job"] |= {"state": "queued", "done": 0}
    answer["cells"] = []
    silent = {"status": "ready", "parts": [{"name": "worker", "status": "note", "detail": "not seen lately"}]}
    page.route(f"**/api/v1/sweeps/{sweep_id}", lambda route: route.fulfill(json=answer))
    page.route("**/api/v1/jobs/**", lambda route: route.fulfill(json=answer["job"]))
    page.route("**/events*", lambda route: route.abort())
    page.route("**/api/v1/readiness", lambda route: route.fulfill(json=silent))
    page.goto(finished)
    expect(page.get_by_text("No worker runs now.")).to_be_visible()


@pytest.mark.soak("pages")
@pytest.mark.parametrize("search", ["?cell=99-99&show=nonsense", "?cell=%00&show=", "?cell=2-2-2&team=mars"])
@pytest.mark.usefixtures("finished")
def test_a_bad_address_shows_the_sweep_as_usual(page: Page, search: str) -> None:
    page.goto(page.url + search)
    expect(page.get_by_role("gridcell")).to_have_count(6)
    expect(page.get_by_role("region", name="Cell")).to_contain_text("Choose a cell")
