"""The volumes page: enter requirements, read the daily chart, and the advice for existing volumes."""

import re

import pytest
from playwright.sync_api import Page, expect


def test_answers_follow_what_is_written_and_the_address_keeps_it(page: Page) -> None:
    page.goto("/catalog/volumes")
    sentence = page.get_by_test_id("sentence")
    expect(sentence).to_contain_text("gp3")
    page.get_by_label("Capacity").fill("500 GiB")
    page.get_by_label("IOPS", exact=True).fill("")
    page.get_by_label("Throughput").fill("250 MB/s")
    page.get_by_label("Hours per day at peak").fill("4 h")
    page.get_by_label("Pattern").select_option("sequential")
    expect(sentence).to_contain_text("$40 a month")
    page.get_by_role("button", name=re.compile("× st1 of")).click()
    expect(page.get_by_role("heading", name=re.compile("The burst over the day: 1 × st1"))).to_be_visible()
    expect(page).to_have_url(re.compile("type=st1"))
    page.goto(page.url)
    expect(page.get_by_label("Throughput")).to_have_value("250 MB/s")
    expect(page.get_by_role("heading", name=re.compile("The burst over the day: 1 × st1"))).to_be_visible()


def test_a_figure_opens_its_source_by_keyboard(page: Page) -> None:
    page.goto("/catalog/volumes")
    page.get_by_role("button", name="sources of the price of gp3").focus()
    page.keyboard.press("Enter")
    sources = page.get_by_role("dialog", name="Sources of the price of gp3")
    expect(sources).to_contain_text("gp3.usd_per_gib_month")
    expect(sources).to_contain_text("2026")
    page.keyboard.press("Escape")
    expect(sources).to_be_hidden()


def test_advice_is_about_what_is_there(page: Page) -> None:
    page.goto("/catalog/volumes?capacity=1000+GiB&iops=3%2C000")
    page.get_by_label("Type", exact=True).select_option("gp2")
    page.get_by_label("Of", exact=True).fill("1000 GiB")
    card = page.get_by_role("listitem").filter(has_text="gp2 to gp3")
    expect(card).to_contain_text("Saves $15 a month (15%)")
    expect(card).to_contain_text("in place")


@pytest.mark.soak("pages")
def test_new_volumes_are_advised_where_no_change_in_place_is_as_cheap(page: Page) -> None:
    asked = "capacity=1+TiB&iops=&throughput=1+GB%2Fs&pattern=sequential"
    page.goto(f"/catalog/volumes?{asked}&have=st1&size=500+GiB&count=20")
    card = page.get_by_role("listitem").filter(has=page.get_by_role("heading", name="on new volumes"))
    expect(card).to_contain_text("Saves $368 a month (81.8%)")
    expect(card).to_contain_text("It takes a copy")
    page.get_by_label("Volumes", exact=True).fill("-1")
    expect(page.get_by_text("-1 is too little; accepted: 1 or more")).to_be_visible()


@pytest.mark.soak("pages")
def test_what_can_be_had_is_what_the_region_sells(page: Page) -> None:
    page.goto("/catalog/volumes")
    have = page.get_by_label("Type", exact=True)
    have.select_option("io1")
    expect(page.get_by_label("IOPS each")).to_have_value("1,000")
    have.select_option("gp3")
    expect(page.get_by_label("IOPS each")).to_have_attribute("placeholder", "3,000")
    expect(page.get_by_label("MiB/s each")).to_have_attribute("placeholder", "125")
    have.select_option("st1")
    expect(page.get_by_label("IOPS each")).to_have_count(0)


@pytest.mark.soak("pages")
def test_a_link_that_throttles_is_said_with_types_that_do_not(page: Page) -> None:
    page.goto("/catalog/volumes?capacity=500+GiB&iops=&throughput=250+MB%2Fs&pattern=sequential&lasts=4+h")
    page.get_by_label("Instance type").fill("r5.xlarge")
    expect(page.get_by_test_id("sentence")).to_contain_text("r5.xlarge's link sustains 144 of 250 MB/s; the")
    expect(page.get_by_text("The cheapest types whose baseline meets the requirement all day")).to_be_visible()


@pytest.mark.soak("pages")
def test_a_field_that_cannot_be_read_is_marked_and_the_last_answer_stays(page: Page) -> None:
    page.goto("/catalog/volumes")
    expect(page.get_by_test_id("sentence")).to_contain_text("gp3")
    page.get_by_label("Capacity").fill("1 TiBB")
    expect(page.get_by_text("is not a unit of size")).to_be_visible()
    expect(page.get_by_text("The answer below belongs to the earlier input")).to_be_visible()
    expect(page.get_by_test_id("sentence")).to_contain_text("gp3")
