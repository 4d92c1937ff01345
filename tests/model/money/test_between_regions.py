"""The price of moving data between regions."""

import pytest

from stowage.model.money.between_regions import OUT_USD_PER_GB, move_usd


@pytest.mark.parametrize(("data_mb", "destination"), [(1e6, "us-east-1"), (0.0, "eu-west-1")])
def test_what_is_not_moved_costs_nothing(data_mb: float, destination: str) -> None:
    assert move_usd(data_mb, "us-east-1", destination) == 0.0


def test_the_price_out_of_an_unknown_region_is_not_known() -> None:
    assert "mars-north-1" not in OUT_USD_PER_GB
    assert move_usd(1e6, "mars-north-1", "us-east-1") is None


@pytest.mark.parametrize(("origin", "destination"), [("us-gov-west-1", "us-east-1"), ("us-east-1", "us-gov-east-1")])
def test_govcloud_is_apart(origin: str, destination: str) -> None:
    assert move_usd(1e6, origin, destination) is None


def test_the_region_that_data_leaves_sets_the_price() -> None:
    there, back = move_usd(1e6, "us-east-1", "sa-east-1"), move_usd(1e6, "sa-east-1", "us-east-1")
    assert there is not None
    assert back is not None
    assert back / there == pytest.approx(OUT_USD_PER_GB["sa-east-1"] / OUT_USD_PER_GB["us-east-1"])
