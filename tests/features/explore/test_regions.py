"""The regions of a catalog version: what they sell, and their price level."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from stowage.catalog.snapshot import LATEST, packaged
from stowage.model.hardware.instance import PRICE_OF

pytestmark = pytest.mark.one_team

CATALOGS = "/api/v1/catalogs"
NEWEST = packaged(LATEST)


def regions(client: TestClient, version: str = "latest") -> dict[str, Any]:
    response = client.get(f"{CATALOGS}/{version}/regions")
    assert response.status_code == 200, response.text[:500]
    found: dict[str, Any] = response.json()
    return found


def test_each_region_is_compared_by_the_same_basket(client: TestClient) -> None:
    found = regions(client)
    assert (found["version"], found["reference"]) == (LATEST, "us-east-1")
    rows = {row["name"]: row for row in found["regions"]}
    assert rows.keys() == NEWEST.regions.keys()
    for name, region in NEWEST.regions.items():
        hours = [
            (region.prices[each]["usd_per_hour"].value, NEWEST.regions["us-east-1"].prices[each]["usd_per_hour"].value)
            for each in found["basket"]
        ]
        here, there = map(sum, zip(*hours, strict=True))
        assert rows[name]["price_level"] == pytest.approx(here / there)
        assert rows[name]["basket_types"] == len(found["basket"])
    levels = [row["price_level"] for row in found["regions"]]
    assert levels == sorted(levels)
    assert rows["us-east-1"]["price_level"] == 1.0
    assert rows["sa-east-1"]["price_level"] > 1.3


def test_each_region_tells_what_it_sells_and_how_it_is_paid(client: TestClient) -> None:
    for row in regions(client)["regions"]:
        region = NEWEST.regions[row["name"]]
        assert row["instance_types"] == len(region.prices)
        assert row["volume_types"] == list(region.volume_types)
        assert row["priced"] == {
            purchase: sum(quantity in prices for prices in region.prices.values())
            for purchase, quantity in PRICE_OF.items()
        }
    rows = {row["name"]: row for row in regions(client)["regions"]}
    assert rows["us-gov-west-1"]["priced"]["spot"] == 0 < rows["us-gov-west-1"]["priced"]["1-year"]


@pytest.mark.parametrize("version", ["paper-2014", "paper-2014-gce"])
def test_without_a_type_of_the_basket_there_is_no_price_level(client: TestClient, version: str) -> None:
    found = regions(client, version)
    assert found["regions"]
    for row in found["regions"]:
        assert (row["price_level"], row["basket_types"]) == (None, 0)


def test_an_unchanged_answer_is_not_sent_again(client: TestClient) -> None:
    tag = client.get(f"{CATALOGS}/latest/regions").headers["ETag"]
    assert client.get(f"{CATALOGS}/latest/regions", headers={"If-None-Match": tag}).status_code == 304
    assert client.get(f"{CATALOGS}/paper-2014/regions", headers={"If-None-Match": tag}).status_code == 200


@pytest.mark.parametrize(("version", "status"), [("aws-1999", 404), ("a" * 65, 422), ("no%20version", 422)])
def test_an_unknown_version_is_refused(client: TestClient, version: str, status: int) -> None:
    assert client.get(f"{CATALOGS}/{version}/regions").status_code == status
