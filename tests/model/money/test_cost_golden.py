"""Published costs, and prices of the facts, compared with the model's results."""

from dataclasses import replace

import pytest

from stowage.model.hardware.instance import InstanceType
from stowage.model.infeasible import Infeasible
from stowage.model.money.cost import Prices, always_on_cost, run_cost
from stowage.model.money.price import (
    BETWEEN_ZONES_USD_PER_GB,
    INTERRUPTIONS_PER_HOUR,
    MB_PER_BILLED_GB,
    SECONDS_PER_MONTH,
    ObjectStorePrices,
    Tier,
    VolumePrices,
    emr_fee,
    interruption_rate,
    requests_usd,
    stored_usd,
    tiered,
    traffic_usd,
    volume_io_usd,
    volume_usd_per_month,
)

# us-east-1, EBS and S3 pricing pages (facts of 2026)
GP3 = VolumePrices(0.08, (Tier(80_000.0, 0.005),), 3000.0, 0.04, 125.0)
GP2 = VolumePrices(0.10)
IO1 = VolumePrices(0.125, (Tier(64_000.0, 0.065),))
IO2 = VolumePrices(0.125, (Tier(32_000.0, 0.065), Tier(64_000.0, 0.0455), Tier(256_000.0, 0.03185)))
ST1 = VolumePrices(0.045)
STANDARD = VolumePrices(0.05, usd_per_million_io=0.05)
S3 = ObjectStorePrices((Tier(51_200.0, 0.023), Tier(512_000.0, 0.022), Tier(float("inf"), 0.021)), 0.005, 0.0004)

MONTH = SECONDS_PER_MONTH
GB = MB_PER_BILLED_GB


@pytest.mark.parametrize(
    ("prices", "size_gib", "iops", "mib_per_s", "usd"),
    [
        # cloudonaut 2021, comparison of gp3 and io2
        (GP3, 1000.0, 3000.0, 125.0, 80.0),
        (GP3, 2000.0, 6000.0, 250.0, 180.0),
        (GP3, 2000.0, 12_000.0, 500.0, 220.0),
        (IO2, 1000.0, 3000.0, 0.0, 320.0),
        (IO2, 2000.0, 6000.0, 0.0, 640.0),
        (IO2, 2000.0, 12_000.0, 0.0, 1030.0),
        # the st1 blog's 90 USD are those of one DataNode
        (ST1, 2000.0, 0.0, 0.0, 90.0),
        (GP2, 1080.0, 0.0, 0.0, 108.0),
        (IO1, 1000.0, 3000.0, 0.0, 320.0),
        # io2's tiers, at their ends
        (IO2, 4.0, 32_000.0, 0.0, 0.5 + 2080.0),
        (IO2, 4.0, 64_000.0, 0.0, 0.5 + 2080.0 + 1456.0),
        (IO2, 4.0, 256_000.0, 0.0, 0.5 + 2080.0 + 1456.0 + 6115.2),
        # included performance costs nothing, and lower settings are not cheaper
        (GP3, 1000.0, 0.0, 0.0, 80.0),
    ],
)
def test_a_volume_costs_a_month_what_the_price_list_says(
    prices: VolumePrices, size_gib: float, iops: float, mib_per_s: float, usd: float
) -> None:
    assert volume_usd_per_month(prices, size_gib, iops, mib_per_s) == pytest.approx(usd, rel=1e-12)


def test_the_last_tier_goes_on() -> None:
    assert tiered(300_000.0, IO2.iops_month) - tiered(256_000.0, IO2.iops_month) == pytest.approx(44_000 * 0.03185)


@pytest.mark.parametrize(
    ("nodes", "measured_s", "usd", "printed_usd"), [(178.0, 888.0, 299.44, 299.45), (186.0, 1378.0, 485.56, 485.56)]
)
def test_the_paper_s_clusters_cost_what_it_paid(
    nodes: float, measured_s: float, usd: float, printed_usd: float
) -> None:
    total = float(run_cost(Prices(6.82, 0.0, 0.0, 0.0), nodes, measured_s).total)
    assert round(total, 2) == usd
    assert total == pytest.approx(printed_usd, abs=0.011)


def test_the_paper_s_ebs_cluster_costs_what_it_paid_by_its_month_of_720_hours() -> None:
    """330 x (1.40 + 0.10 + volumes) USD/h for 2,981 s: by 720 h a month 450.88, by 730 h 450.31; 450.84 is printed."""
    by_730_h = run_cost(Prices(1.40, 0.10, 0.0, 0.0, 1080.0 * 0.10), 330.0, 2981.0)
    by_720_h = run_cost(Prices(1.40, 0.10, 0.0, 0.0, 1080.0 * 0.10 * 730 / 720), 330.0, 2981.0)
    assert float(by_730_h.total) == pytest.approx(330 * (1.40 + 0.10 + 1080 * 0.10 / 730) * 2981 / 3600)
    assert (round(float(by_730_h.total), 2), round(float(by_720_h.total), 2)) == (450.31, 450.88)
    # 450.84 is 1.65 USD an hour and node for 2,980.8 s, printed as 2,981: half a second is 0.08 USD.
    assert float(by_720_h.total) == pytest.approx(450.84, abs=0.08)
    assert by_730_h.ebs_link == pytest.approx(330 * 0.10 * 2981 / 3600)


def test_the_st1_cluster_costs_a_month_five_times_what_its_blog_prints() -> None:
    cost = always_on_cost(Prices(0.0, 0.0, 180.0, 60.0, 2048.0 * ST1.usd_per_gib_month), 5.0)
    assert cost.ebs_volumes == pytest.approx(460.80)


@pytest.mark.parametrize(
    ("held_gb", "usd"),
    [(100.0, 2.30), (51_200.0, 1177.60), (512_000.0, 1177.60 + 10_137.60), (1_000_000.0, 11_315.20 + 10_248.0)],
)
def test_an_object_store_costs_by_tiers_of_what_is_held(held_gb: float, usd: float) -> None:
    assert stored_usd(S3, held_gb * GB, MONTH) == pytest.approx(usd)
    # Stored for half a month it is half the GB-months, stored for three months three times as many.
    assert stored_usd(S3, 2 * held_gb * GB, MONTH / 2) == pytest.approx(usd)
    assert stored_usd(S3, held_gb * GB, 3 * MONTH) == pytest.approx(3 * usd)


def test_many_runs_share_the_tiers_of_what_they_hold_together() -> None:
    # 30 runs a month, each leaving 10,000 GB for two months: 600,000 GB are held.
    share = stored_usd(S3, 10_000.0 * GB, 2 * MONTH, runs_per_month=30.0)
    assert float(share) * 30 == pytest.approx(11_315.20 + 88_000 * 0.021)
    assert stored_usd(S3, 0.0, MONTH) == stored_usd(S3, GB, 0.0) == 0.0


def test_requests_are_whole() -> None:
    assert requests_usd(S3, 1_000_000.0, 0.0, 128.0) == pytest.approx(7813 / 1000 * 0.005)
    assert requests_usd(S3, 0.0, 1_000_000.0, 128.0) == pytest.approx(7813 / 1000 * 0.0004)


def test_traffic_between_zones_is_paid_in_each_direction() -> None:
    assert BETWEEN_ZONES_USD_PER_GB.kind == "published"
    assert traffic_usd(3000.0 * GB, 2 / 3) == pytest.approx(2000 * 0.02)
    assert traffic_usd(0.0, 1.0) == traffic_usd(1.0, 0.0) == 0.0


def test_operations_are_charged_where_a_type_charges_for_them() -> None:
    assert volume_io_usd(STANDARD, 40e6) == pytest.approx(2.0)
    assert volume_io_usd(GP3, 40e6) == 0.0


def test_what_is_estimated_says_so() -> None:
    fee, rate = emr_fee(0.192), interruption_rate(0.05)
    assert (fee.value, emr_fee(6.82).value) == (0.048, 0.27)  # m5.xlarge's published fee is 0.048 USD/h
    assert {fee.kind, rate.kind, INTERRUPTIONS_PER_HOUR.kind} == {"estimated"}
    # Over a month of 730 h the result is the share that was entered.
    assert 1 - 2.718281828459045 ** (-rate.value * 730) == pytest.approx(0.05)


def test_a_price_that_is_not_known_is_not_possible() -> None:
    fee = emr_fee(1.0)
    unpriced = InstanceType(
        "m5.xlarge", fee, fee, fee, None, None, placement_group=True, usd_per_hour=None, ebs_usd_per_hour=None, gaps={}
    )
    sold = replace(unpriced, usd_per_hour=fee, one_year_usd_per_hour=fee)
    assert sold.price("on-demand") is sold.price("1-year") is fee
    refused = sold.price("spot")
    assert isinstance(refused, Infeasible)
    assert refused.nearest == "on-demand, 1-year"
    nothing = unpriced.price("3-year")
    assert isinstance(nothing, Infeasible)
    assert nothing.nearest is None
