"""Benchmark output on the page: dropped, reviewed, corrected, saved, and used in a plan."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from browsing import violations, violations_in_soak

FILES = Path(__file__).resolve().parents[1] / "measure" / "files"
LOG = FILES.parent / "event_logs" / "3.5.7-sort.jsonl"
TIMELINE = FILES / "ray" / "2.60.0-timeline.json"
DROPPED = (
    "fio/json-normal-both.txt",
    "fio/missing-directory.txt",
    "iperf3/parallel.json",
    "sysbench/rndrw.txt",
    "redis_benchmark/out.csv",
)
"""Output of tools, including one failed run."""

TYPE = "i3.8xlarge"
SLOW = [f"net {day},{TYPE},us-east-1,2,yes,2026-11-0{day}T10:00:00Z,120,{900 + day}" for day in range(1, 7)]
COLUMNS = "name,instance,region,nodes,placement_group,measured_at,duration_s,network_mb_per_s"
NETWORK = "\n".join([COLUMNS, *SLOW, ""])
"""A network slower than the published rate of the type: 1,250 MB/s."""


def sentence(page: Page) -> Locator:
    return page.get_by_test_id("sentence")


def drop(page: Page, paths: list[Path]) -> None:
    """Drop files on the page."""
    contents = [[path.name, path.read_text(encoding="utf-8", errors="surrogateescape")] for path in paths]
    data = page.evaluate_handle(
        """contents => {
            const data = new DataTransfer();
            for (const [name, text] of contents) data.items.add(new File([text], name));
            return data;
        }""",
        contents,
    )
    target = page.get_by_role("region", name="In a sentence")
    for event in ("dragenter", "dragover", "drop"):
        target.dispatch_event(event, {"dataTransfer": data})


def of_file(page: Page, file: str) -> Locator:
    return page.get_by_role("region", name=file, exact=True)


def reach(page: Page, paths: list[Path], name: str) -> None:
    """Drop files, and wait until they are parsed."""
    page.goto("/benchmarks")
    expect(sentence(page)).to_be_visible()
    drop(page, paths)
    page.wait_for_url("**/benchmarks/upload")
    expect(page.get_by_role("button", name=name)).to_be_visible(timeout=60_000)


def say_machines(page: Page) -> None:
    """Fill in what the files do not state, the same for every machine."""
    for form in page.get_by_role("group", name=re.compile("^What was measured")).all():
        form.get_by_label("Instance type").fill(TYPE)
        form.get_by_label("Region").fill("us-east-1")
        group = form.get_by_label("Placement group")
        if group.count() and not group.input_value():
            group.select_option("no")
        storage = form.get_by_label("What was read and written")
        if storage.count() and not storage.input_value():
            storage.select_option("instance-store")
        disks = form.get_by_label("Disks that took part")
        if disks.count() and not disks.input_value():
            disks.fill("4")


@pytest.mark.soak("pages", every_day=True)
def test_five_files_are_understood_mended_and_kept(page: Page) -> None:
    reach(page, [FILES / path for path in DROPPED], "Discard 5 files")
    expect(sentence(page)).to_contain_text("5 files hold")
    expect(sentence(page)).to_contain_text("of a run that failed")
    expect(of_file(page, "missing-directory.txt")).to_contain_text("The run failed")
    expect(of_file(page, "missing-directory.txt").get_by_role("checkbox")).not_to_be_checked()
    expect(page.get_by_role("region", name="rndrw.txt")).to_contain_text("IOPS")

    # Nothing is saved while the measured hardware is unknown.
    page.get_by_role("button", name=re.compile("^Keep")).click()
    expect(page.get_by_role("alert").filter(has_text="what the marked fields ask for")).to_be_visible()

    say_machines(page)

    # A number of disks that the type does not have is an error at its field, before anything is kept.
    disks = page.get_by_label("Disks that took part").first
    disks.fill("9")
    expect(page.get_by_text("9 disks are too many: i3.8xlarge has 4 of its own.")).to_be_visible()
    disks.fill("4")
    expect(page.get_by_text("9 disks are too many")).to_be_hidden()

    # The short random run is rejected: it is kept because the user asks for it.
    random = of_file(page, "rndrw.txt")
    expect(random).to_contain_text("Not kept unless you tick it.")
    random.get_by_role("checkbox").check()
    expect(random).to_contain_text("Kept for the record only")

    # One was measured on other hardware.
    fio = of_file(page, "json-normal-both.txt")
    fio.get_by_role("button", name="Measured on something else").click()
    own = fio.get_by_role("group", name=re.compile("was measured on"))
    own.get_by_label("What was read and written").select_option("ebs")
    own.get_by_label("Volume type").fill("gp3")
    own.get_by_label("IOPS of each").fill("3000")
    expect(fio).to_contain_text("3,000 IOPS")
    # Far more than the volume can deliver: something other than the volume was measured.
    expect(fio.get_by_text(re.compile("Rejected|Doubtful"))).to_be_visible()
    # A rejected measurement is kept only if the user asks for it.
    rejected = fio.get_by_role("listitem").filter(has_text="Not kept unless you tick it.")
    expect(rejected.first.get_by_role("checkbox")).not_to_be_checked()
    assert violations(page) == []

    page.get_by_role("button", name=re.compile("^Keep")).click()
    kept = page.get_by_role("region", name="Kept")
    expect(kept).to_contain_text("kept")
    expect(page.get_by_role("button", name=re.compile("^Keep"))).to_have_count(0)
    expect(page.get_by_test_id("moved")).to_have_text(re.compile("saved plans? (that|changes?)"))

    # The same file again changes nothing.
    reach(page, [FILES / "sysbench/rndrw.txt"], "Discard the file")
    expect(sentence(page)).to_contain_text("here already")
    page.get_by_role("link", name="the measurement", exact=True).first.click()
    expect(page.get_by_role("heading", name="random r/w")).to_be_visible()
    assert violations_in_soak(page) == []


@pytest.mark.soak("pages")
def test_a_dropped_event_log_shows_predicted_beside_measured_phases(page: Page) -> None:
    reach(page, [LOG], "Add 2 finished jobs")
    expect(page.get_by_test_id("log")).to_have_text(f"{LOG.name}: 2 finished jobs of Spark 3.5.7 on 2 nodes.")
    form = page.get_by_role("group", name="What the log does not say")
    page.get_by_role("checkbox", name="1-sort").uncheck()

    # A missing value is reported at its field, and an unknown one by the service.
    page.get_by_role("button", name="Add 1 finished job").click()
    expect(form).to_contain_text("Enter the EC2 type")
    form.get_by_label("Instance type").fill("i9.vast")
    form.get_by_label("Input and output").select_option("instance-store")
    page.get_by_role("button", name="Add 1 finished job").click()
    expect(form).to_contain_text("i9.vast")
    assert violations(page) == []

    form.get_by_label("Instance type").fill("i3.2xlarge")
    page.get_by_role("button", name="Add 1 finished job").click()
    page.wait_for_url("**/benchmarks/jobs/*")
    expect(sentence(page)).to_contain_text("The sort and reduce phase took")
    phases = page.get_by_role("img", name=re.compile("^map and shuffle: predicted .*, measured "))
    expect(phases).to_be_visible()
    expect(page.get_by_role("region", name="Phases", exact=True)).to_contain_text("CPU")
    assert violations(page) == []


@pytest.mark.soak("pages")
def test_a_timeline_of_ray_needs_the_kind_and_the_size_of_its_job(page: Page) -> None:
    reach(page, [TIMELINE], "Add 1 finished job")
    expect(page.get_by_test_id("log")).to_have_text(f"{TIMELINE.name}: 1 finished job of Ray on 1 node.")
    expect(page.get_by_test_id("log").locator("xpath=..")).to_contain_text("merge_part")
    form = page.get_by_role("group", name="What the log does not say")
    form.get_by_label("Instance type").fill("i3.2xlarge")
    form.get_by_label("Input and output").select_option("object-store")
    page.get_by_role("button", name="Add 1 finished job").click()
    expect(form).to_contain_text("Choose the kind of job.")
    expect(form).to_contain_text("Enter the size, such as 100 GB.")
    assert violations(page) == []
    form.get_by_label("Kind of job").select_option("sort")
    form.get_by_label("Data of each job").fill("much")
    page.get_by_role("button", name="Add 1 finished job").click()
    expect(form).to_contain_text("accepted: a size above 0")
    form.get_by_label("Data of each job").fill("100 GB")
    page.get_by_role("button", name="Add 1 finished job").click()
    page.wait_for_url("**/benchmarks/jobs/*")
    page.get_by_text("4 phases").click()
    expect(page.get_by_text("map_part")).to_be_visible()
    assert violations(page) == []


@pytest.mark.soak("pages")
def test_a_slower_network_is_a_figure_of_one_s_own_and_plans_rest_on_it(page: Page, tmp_path: Path) -> None:
    table = tmp_path / "network.csv"
    table.write_text(NETWORK)
    reach(page, [table], "Keep 6 measurements")
    page.get_by_role("button", name="Keep 6 measurements").click()
    kept = page.get_by_role("region", name="Kept")
    expect(kept).to_contain_text("6 measurements are kept")
    kept.get_by_role("link", name=re.compile("Network bandwidth")).click()
    page.wait_for_url("**/benchmarks/profiles/*")
    expect(sentence(page)).to_contain_text(re.compile("below the published 1.25 GB/s"))
    expect(page.get_by_role("img", name=re.compile("over time"))).to_be_visible()
    assert violations(page) == []

    page.goto("/benchmarks")
    expect(sentence(page)).to_contain_text("network bandwidth")
    expect(page.get_by_text(re.compile(r"^(All|\d of) \d figures? (is|are) used by plans\.$"))).to_be_visible()
    used = page.get_by_role("region", name=re.compile(f"^(?!Not used).*{re.escape(TYPE)}"))
    expect(used.get_by_role("row", name=re.compile("Network bandwidth")).first).to_be_visible()

    # With its published rate this type would win.
    page.goto(f"/plans/new?types={TYPE}%2Ci8ge.6xlarge&data=100+TB&deadline=2+h&nodes=100&usual=ignored")
    expect(page.get_by_test_id("measured")).to_contain_text("is now 2nd")
    expect(page.get_by_role("table", name=re.compile("^Ranked by")).locator("tbody th").first).to_contain_text(
        "i8ge.6x"
    )
    page.goto(f"/plans/new?types={TYPE}&nodes=100&network=measured&usual=ignored")
    told = page.get_by_test_id("measured")
    expect(told).to_contain_text("Your measurements:")
    page.get_by_text("Which figures").click()
    expect(page.get_by_role("region", name="What your measurements changed")).to_contain_text("1.25 GB/s")
    assert violations(page) == []

    # A verdict of a person excludes a measurement.
    page.goto("/benchmarks?tab=list&tool=csv")
    page.get_by_role("list", name="Measurements").get_by_role("link").first.click()
    page.get_by_role("button", name="Judge it otherwise").click()
    page.get_by_role("radio", name="Rejected").check()
    page.get_by_role("textbox", name="Why").fill("Another job ran on the machine")
    page.get_by_role("button", name="Save the verdict").click()
    expect(page.get_by_role("list", name="Verdicts of people")).to_contain_text("Another job ran on the machine")
    expect(page.get_by_role("heading", name="Rejected")).to_be_visible()


@pytest.mark.soak("pages")
def test_a_lost_connection_is_taken_up_again(page: Page) -> None:
    broken: list[Route] = []

    def break_twice(route: Route) -> None:
        if len(broken) < 2:
            broken.append(route)
            route.abort()
        else:
            route.continue_()

    page.route("**/pieces/*", break_twice)
    reach(page, [FILES / "fio/terse3.txt"], "Discard the file")
    assert len(broken) == 2
    page.get_by_role("button", name="Discard the file").click()
    expect(page.get_by_text("No file awaits review.")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Discard the file").click()
    expect(page.get_by_text("No file awaits review.")).to_be_visible()


@pytest.mark.soak("pages")
def test_what_no_tool_wrote_is_refused_in_words_and_can_be_removed(page: Page, tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear all,\nthe disks are fast.\n")
    page.goto("/benchmarks")
    expect(sentence(page)).to_be_visible()
    drop(page, [letter])
    expect(page.get_by_text("No tool is known that writes")).to_be_visible(timeout=60_000)
    page.get_by_role("button", name="Remove letter.txt").click()
    expect(page.get_by_text("No tool is known that writes")).to_be_hidden()
