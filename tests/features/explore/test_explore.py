"""The catalog through the API: versions, tables, types, histories, differences, ETags, and bad requests."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from database import opened, superuser
from stowage.catalog.snapshot import LATEST, packaged
from stowage.catalog.stats import known_by_region
from stowage.features.calibration.team_knowledge import read_place
from stowage.features.catalog.catalogs import find_place
from stowage.features.catalog.store.catalog import put_version
from stowage.model.figure import Figure
from stowage.model.hardware.catalog import CatalogVersion, Region
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import DatabaseUrls

pytestmark = pytest.mark.one_team

CATALOGS = "/api/v1/catalogs"
EAST = f"{CATALOGS}/{LATEST}/regions/us-east-1"
PAPER = f"{CATALOGS}/paper-2014/regions/us-east-1"
NEWEST = packaged(LATEST)


def table(client: TestClient, address: str = EAST, **asked: Any) -> dict[str, Any]:
    response = client.get(f"{address}/instance-types", params=asked)
    assert response.status_code == 200, response.text[:500]
    found: dict[str, Any] = response.json()
    return found


def cells(found: dict[str, Any], column: str) -> dict[str, float | None]:
    place = [each["name"] for each in found["columns"]].index(column)
    return {row["name"]: row["values"][place] for row in found["rows"]}


def problem(client: TestClient, address: str, **asked: Any) -> tuple[str, str]:
    response = client.get(address, params=asked)
    assert response.status_code == 422, response.text[:500]
    assert response.headers["content-type"] == "application/problem+json"
    [found] = response.json()["errors"]
    return found["path"], found["message"]


@pytest.fixture
def fetched(database: Database, postgres: DatabaseUrls) -> Iterator[CatalogVersion]:
    """Yield a version as a refresh creates it: some figures of us-east-1 differ."""
    east = NEWEST.regions["us-east-1"]
    prices = {name: dict(of_type) for name, of_type in east.prices.items()}
    for name, factor in (("i3.large", 0.5), ("i3.xlarge", 1.25), ("i3.2xlarge", 1.0 + 1e-12)):
        figure = prices[name]["usd_per_hour"]
        value = figure.value * factor
        prices[name]["usd_per_hour"] = replace(figure, value=value, as_of=date(2026, 11, 20))
    prices["i9.large"] = {"usd_per_hour": Figure("usd_per_hour", 1.0, "USD/h", "new", "published", date(2026, 11, 20))}
    del prices["i2.8xlarge"], prices["i3.4xlarge"]["usd_per_hour"]
    hardware = {**NEWEST.instance_types, "i9.large": replace(NEWEST.instance_types["i3.large"], name="i9.large")}
    gp3 = east.volume_types["gp3"]
    dearer = replace(gp3, usd_per_gib_month=replace(gp3.usd_per_gib_month, value=0.1))
    version = replace(
        NEWEST,
        version=f"aws-2026-11-20.{uuid4().hex[:8]}",
        as_of=date(2026, 11, 20),
        instance_types=hardware,
        regions={"us-east-1": Region("us-east-1", prices, {**east.volume_types, "gp3": dearer})},
        digest=uuid4().hex * 2,
    )
    with database.transaction(None) as connection:
        put_version(connection, version, origin="refresh")
    yield version
    with superuser(postgres) as connection:
        connection.execute("DELETE FROM plan WHERE catalog_version = %s", [version.version])
        connection.execute("DELETE FROM catalog WHERE version = %s", [version.version])


def test_versions_are_listed_newest_first_page_by_page_and_the_first_is_latest(client: TestClient) -> None:
    whole = client.get(CATALOGS).json()
    assert whole["next_cursor"] is None
    versions = [row["version"] for row in whole["catalogs"]]
    assert versions == [LATEST, "paper-2014", "paper-2014-gce"]
    latest, _, gce = whole["catalogs"]
    assert (latest["provider"], latest["origin"], latest["searchable"]) == ("aws", "package", True)
    assert (gce["provider"], gce["searchable"]) == ("gce", False)
    east = next(region for region in latest["regions"] if region["name"] == "us-east-1")
    assert east["instance_types"] == len(NEWEST.regions["us-east-1"].prices) > 1_300
    assert {region["name"] for region in latest["regions"]} == set(NEWEST.regions)
    known = known_by_region(NEWEST)
    assert {region["name"]: region["priced"] for region in latest["regions"]} == {
        name: counted.priced for name, counted in known.items()
    }
    assert client.get(f"{CATALOGS}/latest/regions/us-east-1").json()["version"] == LATEST
    pages: list[str] = []
    cursor: str | None = None
    while not pages or cursor is not None:
        page = client.get(CATALOGS, params={"limit": 1} | ({"cursor": cursor} if cursor else {})).json()
        pages += [row["version"] for row in page["catalogs"]]
        cursor = page["next_cursor"]
    assert pages == versions
    assert problem(client, CATALOGS, cursor="elsewhere") == ("cursor", "is not from a page of this list")


def test_a_region_names_what_it_sells(client: TestClient) -> None:
    region = client.get(PAPER).json()
    assert (region["version"], region["region"], len(region["instance_types"])) == ("paper-2014", "us-east-1", 17)
    assert region["volume_types"] == ["gp2"]


def test_the_table_holds_every_type_with_every_figure_and_its_source(client: TestClient) -> None:
    whole = table(client, limit=2_000)
    catalog = NEWEST.in_region("us-east-1")
    assert (whole["total"], whole["next_cursor"]) == (len(catalog.instance_types), None)
    assert [row["name"] for row in whole["rows"]] == list(catalog.instance_types)
    names = [column["name"] for column in whole["columns"]]
    for row in whole["rows"]:
        instance = catalog.instance_types[row["name"]]
        for name, value, source in zip(names, row["values"], row["sources"], strict=True):
            assert (value is None) == (source is None)
            figure = getattr(instance, name, None)
            if hasattr(instance, name):
                assert value == (None if figure is None else figure.value)
            if figure is not None:
                of = whole["sources"][source]
                assert (of["text"], of["kind"]) == (figure.source, figure.kind)
                assert of["as_of"] == (figure.as_of and figure.as_of.isoformat())


def test_derived_columns_say_how_they_were_computed(client: TestClient) -> None:
    found = table(client, PAPER, purchase="on-demand")
    i2 = "i2.8xlarge"
    assert cells(found, "capacity_gb")[i2] == 8 * 800
    rate, price = cells(found, "storage_mb_per_s")[i2], cells(found, "usd_per_hour")[i2]
    assert rate is not None
    assert price is not None
    assert cells(found, "usd_per_tb_hour")[i2] == pytest.approx(price / 6.4)
    assert cells(found, "storage_mb_per_s_per_usd")[i2] == pytest.approx(rate / price)
    row = next(row for row in found["rows"] if row["name"] == i2)
    place = [column["name"] for column in found["columns"]].index("usd_per_tb_hour")
    source = found["sources"][row["sources"][place]]
    parts = [
        found["sources"][row["sources"][[column["name"] for column in found["columns"]].index(name)]]["text"]
        for name in ("usd_per_hour", "capacity_gb")
    ]
    working = "Computed: on-demand price / capacity of the local disks. From: "
    price_text, capacity_text = parts
    assert source["text"] == f"{working}{price_text}; ({capacity_text.removeprefix('Computed: ')})"
    spot = table(client, name="i3.2xlarge", purchase="spot")
    of_spot, capacity = (cells(spot, name)["i3.2xlarge"] for name in ("spot_usd_per_hour", "capacity_gb"))
    assert of_spot is not None
    assert capacity is not None
    assert cells(spot, "usd_per_tb_hour")["i3.2xlarge"] == pytest.approx(1000 * of_spot / capacity)


def test_without_diskbench_the_slower_direction_rules(client: TestClient) -> None:
    found = table(client, limit=2_000)
    read, write, both = (cells(found, f"storage_{part}mb_per_s") for part in ("read_", "write_", ""))
    measured = [name for name in both if read[name] is not None and write[name] is not None]
    assert measured
    benched = {row.target for row in NEWEST.profiles.rows if row.metric == "storage_mb_per_s"}
    for name in measured:
        if name not in benched:
            slower = min(read[name] or 0.0, write[name] or 0.0)
            assert both[name] == pytest.approx(slower / 2)


def test_rows_are_filtered_sorted_and_cut(client: TestClient) -> None:
    whole = table(client, limit=2_000)
    vcpus, price = cells(whole, "vcpus"), cells(whole, "usd_per_hour")
    asked: dict[str, Any] = {
        "where": ["vcpus>=8", "usd_per_hour<1.5", "disk_media=ssd", "traits=nitro"],
        "sort": "-usd_per_hour",
    }
    found = table(client, limit=2_000, **asked)
    expected = {
        row["name"]
        for row in whole["rows"]
        if (vcpus[row["name"]] or 0) >= 8
        and price[row["name"]] is not None
        and (price[row["name"]] or 0) < 1.5
        and row["disk_media"] == "ssd"
        and "nitro" in row["traits"]
    }
    assert {row["name"] for row in found["rows"]} == expected
    assert found["total"] == len(expected) > 10
    prices = list(cells(found, "usd_per_hour").values())
    assert prices == sorted(prices, key=lambda value: value or 0.0, reverse=True)
    few = table(client, columns="vcpus,usd_per_hour", name="I3.", where="family=i3")
    assert [column["name"] for column in few["columns"]] == ["vcpus", "usd_per_hour"]
    assert {len(row["values"]) for row in few["rows"]} == {2}
    assert {row["family"] for row in few["rows"]} == {"i3"}


@pytest.mark.parametrize("sort", ["storage_mb_per_s", "-storage_mb_per_s"])
def test_what_is_not_known_comes_last_either_way(client: TestClient, sort: str) -> None:
    values = list(cells(table(client, limit=2_000, sort=sort), "storage_mb_per_s").values())
    known = [value for value in values if value is not None]
    assert values == known + [None] * (len(values) - len(known))
    assert known == sorted(known, reverse=sort.startswith("-"))
    assert 0 < len(known) < len(values)


def test_pages_are_the_whole_and_a_cursor_of_other_rows_is_refused(client: TestClient) -> None:
    asked = {"where": "vcpus>=64", "sort": "name"}
    whole = [row["name"] for row in table(client, limit=2_000, **asked)["rows"]]
    seen: list[str] = []
    cursor: str | None = None
    while not seen or cursor is not None:
        page = table(client, limit=100, **asked, **({"cursor": cursor} if cursor else {}))
        seen += [row["name"] for row in page["rows"]]
        cursor = page["next_cursor"]
    assert seen == whole
    cursor = table(client, limit=1, **asked)["next_cursor"]
    for other in ({"sort": "-name"}, {"where": "vcpus>=65"}, {"purchase": "spot"}):
        refused = problem(client, f"{EAST}/instance-types", limit=1, cursor=cursor, **asked | other)
        assert refused == ("cursor", "is not from a page of this list")


@pytest.mark.parametrize(
    ("asked", "path", "part"),
    [
        ({"where": "vcpus"}, "where.0", "is not a condition"),
        ({"where": ["vcpus>=8", "disks>1"]}, "where.1", "is not a column"),
        ({"where": "vcpus>=many"}, "where.0", "is not a number"),
        ({"where": "vcpus>=1e999"}, "where.0", "is not a number"),
        ({"where": "vcpus>=NaN"}, "where.0", "is not a number"),
        ({"where": "vcpus>=" + "9" * 59}, "where.0", "is not a number"),
        ({"where": "vcpus>=\u0661"}, "where.0", "is not a number"),
        ({"where": "vcpus>=8\n"}, "where.0", "is not"),
        ({"where": "vcpus>=8 OR 1=1"}, "where.0", "is not a number"),
        ({"where": "traits>=nitro"}, "where.0", "with = only"),
        ({"where": "traits=shiny"}, "where.0", "bare metal"),
        ({"where": "disk_media=tape"}, "where.0", "hdd"),
        ({"where": "rows=1"}, "where.0", "is not a column"),
        ({"where": "x" * 10_000}, "where.0", "is not a condition"),
        ({"where": ["vcpus>=8"] * 21}, "where", "at most 20"),
        ({"sort": "speed"}, "sort", "is not a column"),
        ({"sort": "--vcpus"}, "sort", "is not a column"),
        ({"columns": "vcpus,speed"}, "columns", "is not a column"),
        ({"columns": "vcpus,vcpus"}, "columns", "twice"),
        ({"columns": ","}, "columns", "is not a column"),
        ({"limit": 0}, "limit", "1"),
        ({"limit": 2_001}, "limit", "2,000"),
        ({"purchase": "barter"}, "purchase", "on-demand"),
        ({"cursor": "nonsense"}, "cursor", "is not from"),
        ({"cursor": "MDAwIC0x"}, "cursor", "is not from"),
        ({"name": "x" * 65}, "name", "64"),
    ],
)
def test_what_cannot_be_asked_of_the_table_is_told_at_its_field(
    client: TestClient, asked: dict[str, Any], path: str, part: str
) -> None:
    found = problem(client, f"{EAST}/instance-types", **asked)
    assert found[0] == path
    assert part in found[1]
    assert len(found[1]) < 1_000


TEXTS = st.text(max_size=40)
CONDITIONS = TEXTS | st.tuples(
    st.sampled_from(["vcpus", "usd_per_hour", "traits", "family", "placement_group", "name", "values"]),
    st.sampled_from(["<", "<=", "=", ">=", ">", "==", "!=", ""]),
    st.floats().map(repr) | st.integers().map(str) | st.sampled_from(["nitro", "yes", "ssd"]) | TEXTS,
).map("".join)


QUERIES = st.lists(st.tuples(st.just("where"), CONDITIONS), min_size=1, max_size=3) | st.tuples(
    st.tuples(st.sampled_from(["sort", "columns", "cursor", "name"]), TEXTS)
)


@given(asked=QUERIES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_query_is_answered_or_refused(client: TestClient, asked: Sequence[tuple[str, str]]) -> None:
    query = "&".join(f"{key}={quote(value, errors='surrogatepass')}" for key, value in asked)
    response = client.get(f"{PAPER}/instance-types?{query}")
    assert response.status_code in {200, 422}, (query, response.text[:500])


@pytest.mark.parametrize(
    ("address", "status"),
    [
        (f"{CATALOGS}/aws-1999/regions/us-east-1", 404),
        (f"{CATALOGS}/{LATEST}/regions/atlantis", 404),
        (f"{CATALOGS}/%00/regions/us-east-1", 422),
        (f"{CATALOGS}/{LATEST}/regions/%ED%A0%80", 422),
        (f"{CATALOGS}/{'x' * 65}/regions/us-east-1", 422),
        (f"{EAST}/instance-types/i9.huge", 404),
        (f"{EAST}/instance-types/%00", 422),
        (f"{EAST}/instance-types/i9.huge/prices", 404),
        (f"{EAST}/difference", 422),
        (f"{EAST}/difference?since=aws-1999", 422),
        (f"{CATALOGS}/{LATEST}/regions/eu-west-1/difference?since=paper-2014", 422),
        (f"{EAST}/difference?since=%00", 422),
    ],
)
def test_what_is_not_there_is_answered_with_its_problem(client: TestClient, address: str, status: int) -> None:
    for headers in ({}, {"If-None-Match": "*"}):
        response = client.get(address, headers=headers)
        assert response.status_code == status, response.text
        assert response.headers["content-type"] == "application/problem+json"
        assert "etag" not in response.headers


@pytest.mark.parametrize(
    "address",
    [
        CATALOGS,
        EAST,
        f"{EAST}/instance-types?limit=2000",
        f"{EAST}/instance-types/i3.large",
        f"{EAST}/instance-types/i3.large/prices",
        f"{EAST}/volume-types",
        f"{EAST}/difference?since=paper-2014",
    ],
)
def test_who_has_an_answer_is_told_so_until_another_version_comes(
    client: TestClient, address: str, request: pytest.FixtureRequest
) -> None:
    first = client.get(address)
    tag = first.headers["etag"]
    assert first.headers["cache-control"] == "private, no-cache"
    assert {"Cookie", "Authorization"} <= set(first.headers["vary"].split(", "))
    assert tag.startswith('"')
    for known in (tag, f"W/{tag}", f'"other", {tag}'):
        again = client.get(address, headers={"If-None-Match": known})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    for unknown in ('"other"', "*"):
        assert client.get(address, headers={"If-None-Match": unknown}).content == first.content
    other = f"{address}{'&' if '?' in address else '?'}team=local"
    assert client.get(other, headers={"If-None-Match": tag}).status_code == 200
    latest = address.replace(LATEST, "latest")
    known = client.get(latest).headers["etag"]
    request.getfixturevalue("fetched")
    assert client.get(latest, headers={"If-None-Match": known}).status_code == 200


def test_a_refresh_of_one_region_leaves_what_others_are_kept_under(
    database: Database, postgres: DatabaseUrls, client: TestClient
) -> None:
    """Another region of the same version and day may be replaced: ETags and cache keys identify parts."""
    name = f"aws-{uuid4().hex[:8]}"
    east, west = (NEWEST.regions[region] for region in ("us-east-1", "us-west-2"))
    fewer = replace(west, prices={sold: west.prices[sold] for sold in list(west.prices)[1:]})
    addresses = [
        f"{CATALOGS}/{name}/regions/{region}/{what}"
        for region in ("us-east-1", "us-west-2")
        for what in ("instance-types", "instance-types/m5.large", "instance-types/m5.large/prices", "volume-types")
    ]
    tags = []
    try:
        for regions, digest in (((east, west), "a" * 64), ((east, fewer), "b" * 64)):
            version = replace(NEWEST, version=name, regions={each.name: each for each in regions}, digest=digest)
            with opened(postgres.owner) as owner, owner.transaction(None) as connection:
                put_version(connection, version, origin="refresh")
            tags.append([client.get(address).headers["etag"] for address in addresses])
            place = find_place(database, name, "us-east-1")
            assert read_place(database, place).digest == digest
        before, after = tags
        assert before[:4] == after[:4]
        assert not set(before[4:]) & set(after[4:])
    finally:
        with superuser(postgres) as connection:
            connection.execute("DELETE FROM catalog WHERE version = %s", [name])


def test_one_type_is_told_with_all_its_figures(client: TestClient) -> None:
    told = client.get(f"{PAPER}/instance-types/i2.8xlarge").json()
    assert (told["family"], told["disk_media"]) == ("i2", "ssd")
    figures = {figure["quantity"]: figure for figure in told["figures"]}
    assert figures["usd_per_hour"]["value"] == 6.82
    assert figures["usd_per_hour"]["source"]
    assert "storage_mb_per_s" in {profile["quantity"] for profile in told["profiles"]}
    assert client.get(f"{PAPER}/instance-types/hs1.8xlarge").json()["gaps"]


def test_prices_of_all_versions_stand_in_one_history(client: TestClient, fetched: CatalogVersion) -> None:
    told = client.get(f"{EAST}/instance-types/i3.large/prices").json()
    on_demand = [point for point in told["points"] if point["quantity"] == "usd_per_hour"]
    assert [point["catalog_version"] for point in on_demand] == [LATEST, fetched.version]
    assert on_demand[1]["value"] == pytest.approx(on_demand[0]["value"] / 2)
    assert [point["as_of"] for point in told["points"]] == sorted(point["as_of"] for point in told["points"])
    paper = client.get(f"{PAPER}/instance-types/i2.8xlarge/prices").json()["points"]
    assert (paper[0]["as_of"], paper[0]["catalog_version"]) == ("2014-10-01", "paper-2014")


def test_volume_types_are_told_or_a_note_says_why_there_are_none(client: TestClient) -> None:
    east = client.get(f"{EAST}/volume-types").json()
    assert east["note"] is None
    gp3 = next(row for row in east["volume_types"] if row["name"] == "gp3")
    assert {"usd_per_gib_month", "included_iops", "largest_gib"} <= {figure["quantity"] for figure in gp3["figures"]}
    unpriced = next(name for name, region in NEWEST.regions.items() if not region.volume_types)
    none = client.get(f"{CATALOGS}/{LATEST}/regions/{unpriced}/volume-types").json()
    assert none["volume_types"] == []
    assert "us-east-1" in none["note"]


def test_a_difference_counts_what_changed(client: TestClient, fetched: CatalogVersion) -> None:
    told = client.get(f"{CATALOGS}/{fetched.version}/regions/us-east-1/difference", params={"since": LATEST}).json()
    assert (told["then"], told["now"], told["new"], told["gone"]) == (
        LATEST,
        fetched.version,
        ["i9.large"],
        ["i2.8xlarge"],
    )
    # A price that differs in its thirteenth digit is the same price.
    assert [change["name"] for change in told["cheaper"]] == ["i3.large"]
    assert [change["name"] for change in told["dearer"]] == ["i3.xlarge"]
    assert told["cheaper"][0]["change_pct"] == pytest.approx(-50)
    assert told["unpriced"] == ["i3.4xlarge"]
    assert [(change["name"], change["quantity"], change["now"]) for change in told["volumes"]] == [
        ("gp3", "usd_per_gib_month", 0.1)
    ]
    assert told["hardware"] == []
    assert told["sentence"] == (
        "1 type new, 1 gone, 1 cheaper, 1 dearer, 1 without a price now, 1 volume type changed."
    )
    same = client.get(f"{EAST}/difference", params={"since": LATEST}).json()
    assert same["sentence"] == "No price and no type changed."
    spot = client.get(
        f"{CATALOGS}/{fetched.version}/regions/us-east-1/difference", params={"since": LATEST, "purchase": "spot"}
    ).json()
    assert spot["cheaper"] == []


def test_a_plan_is_answered_from_the_newest_with_what_changed(client: TestClient, fetched: CatalogVersion) -> None:
    body = {"workload": {"data": "1 TB"}, "place": {"catalog": LATEST}, "limits": {"max_nodes": 10}}
    saved = client.post("/api/v1/plans", json=body).json()
    today = client.get(f"/api/v1/plans/{saved['id']}/today").json()
    assert today["answer"]["catalog_version"] == fetched.version
    assert (today["difference"]["then"], today["difference"]["now"]) == (LATEST, fetched.version)
    best = [answer["configurations"][0] for answer in (saved["answer"], today["answer"])]
    same = all(best[0][field] == best[1][field] for field in ("instance", "nodes", "storage"))
    assert today["winner"] == ("unchanged" if same else "changed")
    assert today["sentence"].startswith("1 type new, 1 gone, 1 cheaper, 1 dearer")
    assert "your winner" in today["sentence"]
    # A saved plan keeps its stored answer.
    assert client.get(f"/api/v1/plans/{saved['id']}").json()["answer"] == saved["answer"]
    impossible = client.post("/api/v1/plans", json=body | {"limits": {"deadline": "1 s", "max_nodes": 1}}).json()
    nothing = client.get(f"/api/v1/plans/{impossible['id']}/today").json()
    assert nothing["winner"] == "none"
    assert nothing["sentence"].endswith("nothing meets your limits now.")


def test_a_plan_of_another_team_has_no_today(client: TestClient, other_client: TestClient) -> None:
    saved = client.post("/api/v1/plans", json={"workload": {"data": "1 TB"}, "limits": {"max_nodes": 3}}).json()
    assert other_client.get(f"/api/v1/plans/{saved['id']}/today").status_code == 404


@pytest.mark.parametrize(
    ("place", "workload", "path", "part"),
    [
        ({"catalog": "paper-2014-gce", "region": "us-central1"}, {}, "place.catalog", "shown as published"),
        ({"region": "atlantis"}, {}, "place.region", "us-east-1"),
        ({"catalog": "paper-2014", "region": "eu-west-1"}, {}, "place.region", "accepted: us-east-1"),
        ({"catalog": "paper-2014", "purchase": "spot"}, {}, "place.purchase", "accepted: on-demand"),
        ({"region": "?"}, {"durability": {"model": "infrastructure"}}, "place.region", "us-east-1"),
    ],
)
def test_a_place_that_cannot_be_searched_is_refused(
    client: TestClient, place: dict[str, Any], workload: dict[str, Any], path: str, part: str
) -> None:
    unpriced = next(name for name, region in NEWEST.regions.items() if not region.volume_types)
    body = {
        "workload": {"data": "1 TB", **workload},
        "place": {key: unpriced if value == "?" else value for key, value in place.items()},
    }
    response = client.post("/api/v1/plans/preview", json=body)
    assert response.status_code == 422
    [found] = response.json()["errors"]
    assert found["path"] == path
    assert part in found["message"]


def test_a_sweep_may_go_through_regions(client: TestClient) -> None:
    body: dict[str, Any] = {
        "base": {"workload": {"data": "1 TB"}, "limits": {"max_nodes": 5}},
        "columns": {"quantity": "region", "values": ["us-east-1", "eu-west-1"]},
        "rows": {"quantity": "data", "values": ["1 TB"]},
    }
    started = client.post("/api/v1/sweeps", json=body)
    assert started.status_code == 201
    # Other tests' workers must not find it.
    client.post(f"/api/v1/jobs/{started.json()['job']['id']}/cancel")
    unpriced = next(name for name, region in NEWEST.regions.items() if not region.volume_types)
    body["columns"] = {"quantity": "region", "values": ["us-east-1", unpriced]}
    body["base"] = {"workload": {"data": "1 TB", "durability": {"model": "infrastructure"}}}
    response = client.post("/api/v1/sweeps", json=body)
    assert [found["path"] for found in response.json()["errors"]] == ["columns.values.1"]
