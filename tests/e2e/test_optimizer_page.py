"""The optimizer on the page: sliders, objectives, choices, and explanations."""

import csv
import io
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from browsing import reopened, requests_of, soaked

PAPER = "/plans/new?catalog=paper-2014&usual=ignored"
ASKED = f"{PAPER}&deadline=30+min&nodes=200"
WINNER, FASTER = "98-i2.8xlarge-4-4", "150-i2.8xlarge-4-4"


def slider(page: Page, name: str) -> Locator:
    return page.get_by_role("form", name="Workload").get_by_role("slider", name=name)


def press(page: Page, handle: Locator, share: float) -> tuple[float, float]:
    """Press a slider at a fraction of its track, and return the position."""
    box = handle.bounding_box()
    assert box is not None
    assert box["height"] >= 24
    x, y = box["x"] + share * box["width"], box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    return x, y


def sentence(page: Page) -> Locator:
    return page.get_by_test_id("sentence")


def details(page: Page) -> Locator:
    return page.get_by_role("complementary", name="Details").or_(page.get_by_role("dialog"))


def names(page: Page) -> list[str]:
    rows = page.get_by_role("table", name=re.compile("^Ranked by")).locator("tbody th")
    return [text.split("\n")[0] for text in rows.all_inner_texts()]


@pytest.mark.soak("pages")
def test_the_ranking_follows_a_hand_on_a_slider_and_the_address_where_it_ends(page: Page) -> None:
    page.goto(ASKED)
    expect(sentence(page)).to_contain_text("98 × i2.8xlarge")
    data = page.get_by_role("textbox", name="Data", exact=True)
    x, y = press(page, slider(page, "Data"), 0.5)
    page.mouse.move(x + 10, y, steps=3)
    # The drag has not ended, and the field may lag behind: both are read at once.
    expect(data).not_to_have_value("100 TB")
    page.wait_for_function(
        "([field, told]) => told.textContent.includes(`sort ${field.value} in`)",
        arg=[data.element_handle(), sentence(page).element_handle()],
    )
    page.mouse.move(x - 20, y, steps=6)
    page.mouse.up()
    chosen = data.input_value()
    assert re.fullmatch(r"\d{1,3}(\.\d{1,2})? [GTP]B", chosen), chosen
    expect(sentence(page)).to_contain_text(f"sort {chosen} in")
    expect(page).to_have_url(re.compile(f"data={chosen.replace(' ', '[+]')}(&|$)"))
    expect(slider(page, "Data")).to_have_attribute("aria-valuetext", chosen)
    page.go_back()
    expect(data).to_have_value("100 TB")
    expect(sentence(page)).to_contain_text("sort 100 TB in")


@pytest.mark.soak("pages")
def test_a_slider_of_a_limit_goes_by_keys_and_its_far_end_takes_the_limit_away(page: Page) -> None:
    page.goto(ASKED)
    expect(sentence(page)).to_contain_text("98 × i2.8xlarge")
    deadline = slider(page, "Deadline")
    deadline.focus()
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("textbox", name="Deadline")).to_have_value("25 min")
    expect(page).to_have_url(re.compile(r"deadline=25\+min"))
    expect(sentence(page)).not_to_contain_text("98 x")
    page.keyboard.press("End")
    expect(page).not_to_have_url(re.compile("deadline="))
    expect(deadline).to_have_attribute("aria-valuetext", "no deadline")
    page.keyboard.press("Escape")
    expect(page.get_by_role("textbox", name="Deadline")).to_have_value("30 min")
    expect(page).to_have_url(re.compile(r"deadline=30\+min"))


@pytest.mark.soak("pages")
def test_choosing_an_objective_ranks_again(page: Page) -> None:
    page.goto(f"{PAPER}&nodes=200&network=unlimited")
    expect(page.get_by_role("table", name="Ranked by cost")).to_be_visible()
    page.get_by_role("combobox", name="Find").select_option("Fastest run")
    expect(page.get_by_role("table", name="Ranked by time")).to_be_visible()
    expect(page).to_have_url(re.compile("objective=time"))
    expect(page.get_by_role("columnheader", name="Time")).to_have_attribute("aria-sort", "ascending")
    fastest = names(page)
    # A click on a header sorts by it; another button ranks by it.
    page.get_by_role("columnheader", name="Cost").get_by_role("button").click()
    expect(page).to_have_url(re.compile("sort=cost"))
    page.get_by_role("button", name="Rank by cost").click()
    expect(page.get_by_role("table", name="Ranked by cost")).to_be_visible()
    expect(page).not_to_have_url(re.compile("objective=|sort="))
    assert names(page) != fastest
    page.get_by_role("combobox", name="Find").select_option("Lowest monthly cost (24x7)")
    expect(page.get_by_role("columnheader", name="Month")).to_have_attribute("aria-sort", "ascending")


@pytest.mark.soak("pages")
def test_a_month_is_one_figure_in_sentence_chart_ranking_and_details(page: Page) -> None:
    page.goto(
        "/plans/new?data=200+TB&job=hdfs-write&durability=application&replicas=3&objective=month&primary=m6g.xlarge"
    )
    expect(sentence(page)).to_contain_text("and 1 × m6g.xlarge as NameNode")
    found = re.search(r"(\S+) × (\S+) and .* costs? (\$\S+) a month", sentence(page).inner_text())
    assert found is not None
    nodes, instance, month = found.groups()
    chart = page.get_by_role("region", name="Monthly cost against time")
    expect(chart).to_contain_text(f"for {month} a month ({nodes} × {instance}).")
    expect(chart).to_contain_text("Costs include 1 × m6g.xlarge as NameNode.")
    first = page.get_by_role("table", name="Ranked by monthly cost").get_by_role("row").nth(1)
    expect(first).to_contain_text(f"{nodes} × {instance}")
    expect(first).to_contain_text(month)
    first.get_by_role("button", name="Details of").click()
    expect(details(page)).to_contain_text(re.compile(r"(\d+) of \1 on the frontier"))
    details(page).get_by_role("tab", name="Money").click()
    expect(details(page).get_by_role("row", name=f"Worker nodes, {nodes} × {instance}")).to_be_visible()
    expect(details(page).get_by_role("row", name="NameNode, 1 × m6g.xlarge")).to_be_visible()
    always_on = details(page).get_by_text("Always-on monthly cost")
    expect(always_on.locator("xpath=ancestor::dt/following-sibling::dd[1]")).to_contain_text(month)


@pytest.mark.soak("pages")
def test_a_chance_to_meet_the_deadline_is_a_choice(page: Page) -> None:
    page.goto(ASKED)
    answer = page.get_by_role("region", name="Answer")
    expect(answer).to_contain_text("It meets 30 min in 53% of runs (high risk).")
    expect(answer).to_contain_text("risk of missing the deadline: ▲ 47% high")
    page.get_by_role("combobox", name="Confidence").select_option("95%")
    expect(answer).to_contain_text("% low")
    expect(page).to_have_url(re.compile(r"chance=95\+%25"))
    page.reload()
    expect(page.get_by_role("combobox", name="Confidence")).to_have_value("95 %")
    expect(answer).to_contain_text("% low")
    page.get_by_role("button", name="50% saves").click()
    expect(page).to_have_url(re.compile(r"chance=50\+%25"))
    expect(answer).to_contain_text("▲ 47% high")
    expect(page.get_by_role("button", name="95% costs")).to_be_visible()


@pytest.mark.soak("pages")
def test_what_may_be_chosen_is_picked_from_what_is_sold_and_comes_back_from_the_address(page: Page) -> None:
    page.goto(f"{PAPER}&network=unlimited&nodes=600")
    expect(page.get_by_role("table", name="Ranked by cost")).to_be_visible()
    page.get_by_text("Which types").click()
    families = page.get_by_role("combobox", name="only these families")
    families.fill("i2")
    page.get_by_role("option", name="i2", exact=True).click()
    expect(page).to_have_url(re.compile("families=i2"))
    page.keyboard.press("Escape")
    expect(page.get_by_role("table", name="Ranked by cost")).not_to_contain_text("m1.")
    assert {name.split(" × ")[1].split(".")[0] for name in names(page)} == {"i2"}
    page.get_by_text("Quotas", exact=True).click()
    page.get_by_role("textbox", name="vCPUs in all").fill("2000")
    page.get_by_role("combobox", name="Type to limit", exact=True).fill("i2.8xlarge")
    page.get_by_role("button", name="Add").first.click()
    page.get_by_role("textbox", name="Nodes of i2.8xlarge").fill("70")
    expect(page).to_have_url(re.compile(r"vcpus=2000.*ceilings=i2\.8xlarge%3A70"))
    expect(sentence(page)).to_contain_text("i2")
    said = sentence(page).inner_text()
    reopened(page)
    expect(page.get_by_role("textbox", name="Nodes of i2.8xlarge")).to_have_value("70")
    expect(sentence(page)).to_have_text(said)


@pytest.mark.parametrize(
    ("search", "message"),
    [
        soaked("families=i99", "is not"),
        ("ceilings=i2.8xlarge%3Amany", "is not a whole number"),
        soaked("vcpus=-1", "is too little"),
        soaked("deadline=1+h&chance=120+%25", "is not a share"),
        soaked("durability=any", "loss"),
    ],
)
def test_what_cannot_be_chosen_is_told_at_its_field(page: Page, search: str, message: str) -> None:
    page.goto(f"{PAPER}&{search}")
    form = page.get_by_role("form", name="Workload")
    expect(form.get_by_text(re.compile(message)).first).to_be_visible()


def test_the_explanation_says_why_it_lost_and_what_the_next_dollar_buys(page: Page) -> None:
    page.goto(f"{ASKED}&row={FASTER}&tab=why")
    panel = details(page)
    expect(panel.get_by_test_id("explained")).to_contain_text("the winner, 98 × i2.8xlarge")
    expect(panel.get_by_role("row", name=re.compile("map and shuffle"))).to_contain_text("the cost")
    expect(panel.get_by_test_id("overturn").get_by_role("listitem").first).to_contain_text("would have to be")
    panel.get_by_role("tab", name="Money").click()
    bought = panel.get_by_role("region", name="Cost sensitivity")
    expect(bought.get_by_role("img")).to_have_attribute("aria-label", re.compile(r"network \+10%: saves \$\d"))
    expect(panel.get_by_test_id("next-dollar")).to_contain_text("Network 10% faster would save")
    network = panel.get_by_role("region", name="What the network costs")
    bars = re.compile("infinitely fast network: .*network that scales ideally: .*network as it was observed: ")
    expect(network.get_by_role("img")).to_have_attribute("aria-label", bars)
    network.get_by_role("button", name=re.compile("^Data of")).click()
    expect(network.get_by_role("table").get_by_role("row")).to_have_count(4)


@pytest.mark.soak("pages")
def test_what_a_row_beyond_the_first_rests_on_comes_when_it_is_opened(page: Page) -> None:
    page.goto(f"{PAPER}&network=unlimited&nodes=600")
    with requests_of(page) as asked:
        page.get_by_role("button", name=re.compile("^Details of")).nth(1).click()
        details(page).get_by_role("tab", name="Sources").click()
        expect(details(page).get_by_text("Sources & assumptions")).to_be_visible()
        expect(details(page).get_by_text(re.compile("Table 2, DiskBench")).first).to_be_visible()
    assert any(url.endswith("/predictions") for url in asked)


@pytest.mark.soak("pages")
def test_what_other_regions_answer_comes_on_demand(page: Page) -> None:
    page.goto("/plans/new?deadline=30+min&nodes=200")
    expect(sentence(page)).to_be_visible()
    page.get_by_text("In other regions").click()
    expect(page).to_have_url(re.compile("regions=open"))
    table = page.get_by_role("table", name="The best configuration of each region")
    expect(table.get_by_role("row", name=re.compile("^us-east-1"))).to_be_visible()
    there = table.get_by_role("button", name=re.compile("^Plan in ")).first
    region = (there.get_attribute("aria-label") or "").removeprefix("Plan in ")
    there.click()
    expect(page.get_by_role("combobox", name="Region")).to_have_value(region)
    expect(page).to_have_url(re.compile(f"region={region}"))


@pytest.mark.soak("pages")
def test_the_file_of_the_ranking_holds_what_is_on_the_screen(page: Page) -> None:
    page.goto(f"{PAPER}&network=unlimited&nodes=600")
    page.get_by_role("searchbox", name="Filter the ranking").fill("i2")
    expect(page.get_by_role("table", name="Ranked by cost")).not_to_contain_text("m1.")
    expect(page).to_have_url(re.compile("find=i2"))
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as CSV").click()
    text = Path(download.value.path()).read_text(encoding="utf-8-sig")
    lines = list(csv.DictReader(io.StringIO(text)))
    assert [f"{line['nodes']} × {line['instance']}" for line in lines] == names(page)
    assert all(len(line["cost_p50_usd"]) > 6 for line in lines)


@pytest.mark.soak("pages")
def test_nothing_fits_offers_each_limit_as_a_button(page: Page) -> None:
    page.goto(f"{PAPER}&deadline=30+min&vcpus=64")
    nothing = page.get_by_test_id("nothing-fits")
    expect(nothing).to_contain_text("Your quotas")
    nothing.get_by_role("button", name="Remove limits").click()
    expect(page).not_to_have_url(re.compile("vcpus="))
    expect(sentence(page)).to_contain_text("× i2.8xlarge")


@pytest.mark.soak("pages")
def test_what_lives_on_bursts_says_so_with_what_it_costs_without(page: Page) -> None:
    page.goto("/plans/new?data=1+TB&durability=infrastructure&framework=ideal")
    expect(page.get_by_text(re.compile(r"lives on bursts, else .* for \$")).first).to_be_visible()
    expect(sentence(page)).to_contain_text(re.compile(r"lives on burst credits: started with empty ones .* costs \$"))
    page.get_by_role("button", name="Rank with empty buckets").click()
    expect(page).to_have_url(re.compile("credits=empty"))
    expect(sentence(page)).not_to_contain_text("lives on burst credits")
