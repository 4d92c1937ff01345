"""Columns of all instance types have the numbers that `gather` finds for each of them."""

from dataclasses import replace

import numpy as np
import pytest

from knowledge import AWS_2026
from stowage.catalog.snapshot import LATEST, packaged
from stowage.model.choice import Selection
from stowage.model.figure import value_of
from stowage.model.hardware.catalog import Catalog
from stowage.model.hardware.offered import OfferedTypes, prices_of
from stowage.model.hardware.steps import Steps
from stowage.model.infeasible import Infeasible
from stowage.model.inputs import Inputs, gather
from stowage.model.jobs.flows import Durability
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.workload import Place, Workload
from stowage.model.money.discounts import under_terms
from stowage.model.money.price_terms import PriceTerms
from stowage.optimizer.columns.rates import columns_of

WHOLE = packaged(LATEST)
EBS = Durability("infrastructure")
SORT, WRITE = MapReduce("sort", 1e6), Hdfs("hdfs-write", 1e6, EBS)
TERMS = PriceTerms(overall=12.0, spot=3.0, commitments=30.0, emr=5.0)

PLACES = {
    "on demand": Place(),
    "spot": Place(purchase="spot"),
    "a commitment alone": Place(purchase="1-year", commitment="alone"),
    "EMR": Place(service="emr"),
    "EMR on spot": Place(service="emr", purchase="spot"),
    "EMR, general head": Place(service="emr", head="general", purchase="3-year"),
    "a named head": Place(primary="m5.xlarge", purchase="spot", service="emr"),
}


SELECTIONS = (
    Selection(),
    Selection(instances=("i3en.metal", "m5.large", "no such type"), not_instances=("m5.large",)),
    Selection(families=("i3en", "m5"), not_families=("m5",)),
    Selection(sizes=("metal", "large"), not_sizes=("metal-48xl",)),
    Selection(not_sizes=("metal", "xlarge"), architectures=("arm64",)),
    Selection(generation="current", min_vcpus=8.0, min_memory_gib=64.0),
)


@pytest.mark.parametrize("selection", SELECTIONS, ids=range(len(SELECTIONS)))
def test_a_selection_excludes_the_same_types_of_all_as_each_alone(selection: Selection) -> None:
    columns = columns_of(Workload("", SORT), WHOLE.in_region("us-east-1"), WHOLE.profiles, Steps())
    alone = [selection.refuses(instance) is not None for instance in columns.instances]
    assert columns.refused(selection).tolist() == alone
    assert any(alone) is (selection != Selection())
    assert not all(alone)


@pytest.mark.parametrize("discounted", [False, True], ids=["published", "discounted"])
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("job", [SORT, replace(SORT, durability=EBS), WRITE], ids=["own disks", "EBS", "HDFS"])
def test_prices_of_all_types_are_those_of_each(job: MapReduce | Hdfs, place: Place, *, discounted: bool) -> None:
    published = WHOLE.in_region("us-east-1")
    catalog = under_terms(published, TERMS) if discounted else published
    assert_priced_alike(Workload("", job, place=place, runs_per_month=30.0), catalog)


def assert_priced_alike(workload: Workload, catalog: Catalog) -> None:
    columns = columns_of(workload, catalog, WHOLE.profiles, Steps())
    volume = next(iter(columns.grids.values())).volume if columns.grids else None
    assert [one.name for one in columns.instances] == sorted(catalog.instance_types)
    # Every fifth: to look up all takes seconds.
    for position, hardware in list(enumerate(columns.instances))[::5]:
        inputs = gather(catalog.instance_types[hardware.name], volume, workload, catalog, WHOLE.profiles)
        reasons = [limit for limit, which in columns.unknown.items() if which[position]]
        if isinstance(inputs, Infeasible):
            assert reasons == [inputs.limit]
            continue
        prices = columns.prices[position]
        assert (reasons, prices["usd_per_hour"]) == ([], inputs.price.value)
        assert (prices["link"], prices["emr"]) == (value_of(inputs.ebs_link_price), value_of(inputs.emr_fee))
        of_head = (float(inputs.head_price is not None), value_of(inputs.head_price), value_of(inputs.head_emr_fee))
        assert (prices["head_nodes"], prices["head"], prices["head_emr"]) == of_head


def test_regions_share_the_rates_of_their_types() -> None:
    east, tokyo = (
        columns_of(Workload("", SORT), WHOLE.in_region(region), WHOLE.profiles, Steps())
        for region in ("us-east-1", "ap-northeast-1")
    )
    assert east.hardware is tokyo.hardware
    both = {one.name for one in east.instances} & {one.name for one in tokyo.instances}
    rates = [name for name in east.lanes().dtype.names or () if name != "prices"]
    for columns in (east, tokyo):
        assert both <= {one.name for one in columns.hardware.instances}
    first, second = (
        columns.lanes(np.array([columns.position_of(name) for name in sorted(both)])) for columns in (east, tokyo)
    )
    assert all((first[name] == second[name]).all() for name in rates)
    assert (first["prices"]["usd_per_hour"] != second["prices"]["usd_per_hour"]).any()


def test_types_given_as_a_mapping_have_the_columns_of_a_region() -> None:
    region = WHOLE.in_region("us-east-1")
    given = replace(region, instance_types=dict(region.instance_types))
    ours, theirs = (columns_of(Workload("", SORT), one, WHOLE.profiles, Steps()) for one in (given, region))
    assert ours.prices.tobytes() == theirs.prices.tobytes()
    assert ours.members == theirs.members
    of_family = [one.name for one in AWS_2026.catalog.family("r5d")]
    assert set(of_family) <= set(AWS_2026.catalog.instance_types)


def test_a_relative_counts_that_the_region_does_not_offer() -> None:
    """The disks of i2.2xlarge are estimated from i2.8xlarge."""
    paper = packaged("paper-2014")
    catalog = paper.in_region("us-east-1")
    price = prices_of(catalog.instance_types["i2.8xlarge"])
    found = [
        gather(one.instance_types["i2.2xlarge"], None, Workload("", SORT), one, paper.profiles)
        for sold in (["i2.2xlarge", "i2.8xlarge"], ["i2.2xlarge"])
        for one in [replace(catalog, instance_types=OfferedTypes(catalog.hardware, dict.fromkeys(sold, price)))]
    ]
    assert found[0] == found[1]
    assert isinstance(found[0], Inputs)
    assert "i2.8xlarge" in str(found[0].storage)
