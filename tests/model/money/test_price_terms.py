"""Price terms: the discount of each service, applied to all prices of a catalog, and the search under them."""

from dataclasses import fields, replace
from datetime import date
from typing import Any

import pytest

from optimizer.certificate import assert_equal
from optimizer.oracle import enumerate_all
from optimizer.spaces import space
from soaking import everyday
from stowage.catalog.snapshot import LATEST, packaged
from stowage.model.cluster import Configuration, Ebs, InstanceStore, ObjectStore
from stowage.model.figure import Figure
from stowage.model.hardware.catalog import Catalog, VolumeType
from stowage.model.hardware.instance import InstanceType
from stowage.model.infeasible import feasible
from stowage.model.jobs.flows import Durability, DurabilityModel
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.workload import Place, Workload
from stowage.model.money.discounts import under_terms
from stowage.model.money.price_terms import SERVICES, PriceTerms, Service, without_published_price
from stowage.model.money.terms import TERMS
from stowage.model.prediction import predict
from stowage.optimizer.search import search

KNOWLEDGE = packaged(LATEST)
CATALOG = KNOWLEDGE.in_region("us-east-1")
ALL_DIFFERENT = PriceTerms(
    on_demand=10.0,
    spot=20.0,
    commitments=30.0,
    ebs=40.0,
    s3=50.0,
    data_transfer=60.0,
    emr=70.0,
    since=date(2026, 11, 28),
)


def sort(storage: str, **place: Any) -> Workload:
    models: dict[str, DurabilityModel] = {"own": "none", "ebs": "infrastructure", "s3": "object-store"}
    durability = models[storage]
    return Workload("", MapReduce("sort", 8e6, durability=Durability(durability)), place=Place(**place))


def parts(workload: Workload, configuration: Configuration, catalog: Catalog) -> dict[str, float]:
    found = feasible(predict(configuration, workload, catalog, KNOWLEDGE.profiles), "it fits")
    return {term.part: float(getattr(found.cost, term.part)) for term in TERMS}


OWN = Configuration("i3.8xlarge", 10, InstanceStore(2, 2))
CASES = {
    "on demand, EBS": (sort("ebs"), Configuration("m5d.4xlarge", 20, Ebs("gp3", 500, 2))),
    "spot": (sort("own", purchase="spot"), OWN),
    "committed": (sort("own", purchase="1-year"), OWN),
    "S3, two zones, EMR": (sort("s3", zones=2, service="emr"), Configuration("i3.8xlarge", 10, ObjectStore())),
}
SERVICE_OF_PART: dict[str, Service] = {
    "ebs_link": "on_demand",
    "ebs_volumes": "ebs",
    "volume_io": "ebs",
    "object_store": "s3",
    "emr_fee": "emr",
    "traffic": "data_transfer",
}


@pytest.mark.parametrize("case", CASES)
def test_each_part_of_a_cost_has_the_discount_of_its_service(case: str) -> None:
    workload, configuration = CASES[case]
    paid: dict[str, Service] = {"spot": "spot", "1-year": "commitments"}
    of_instances = paid.get(workload.place.purchase, "on_demand")
    published = parts(workload, configuration, CATALOG)
    discounted = parts(workload, configuration, under_terms(CATALOG, ALL_DIFFERENT))
    for part, usd in published.items():
        # EMR's primary is never a spot instance.
        service = "on_demand" if part == "head_nodes" else SERVICE_OF_PART.get(part, of_instances)
        assert discounted[part] == pytest.approx(usd * (1.0 - ALL_DIFFERENT.percent(service) / 100.0)), part


def test_the_cases_have_every_service() -> None:
    charged = {part for case in CASES.values() for part, usd in parts(*case, CATALOG).items() if usd}
    assert {SERVICE_OF_PART.get(part, "on_demand") for part in charged} >= {
        "on_demand",
        "ebs",
        "s3",
        "emr",
        "data_transfer",
    }


def test_every_price_of_a_catalog_is_discounted_once() -> None:
    """A catalog in which every price is 1 shows any price that a discount misses."""
    discounted = under_terms(CATALOG, replace(ALL_DIFFERENT))
    pairs: list[tuple[InstanceType | VolumeType, InstanceType | VolumeType]] = [
        *((CATALOG.instance_types[name], each) for name, each in discounted.instance_types.items()),
        *((CATALOG.volume_types[name], each) for name, each in discounted.volume_types.items()),
    ]
    for before, after in pairs:
        for field in fields(before):
            old, new = getattr(before, field.name), getattr(after, field.name)
            if isinstance(old, Figure) and "usd" in field.name:
                assert new.value < old.value or old.value == 0.0, (before.name, field.name)
                assert (new.kind, new.as_of) == ("given", old.as_of)
                assert f"{old.kind} {old.value:.10g} {old.unit}, less " in new.source
                assert "by the team's price terms of 2026-11-28; " in new.source
                assert new.source.endswith(old.source)
                assert without_published_price(new.source).startswith("less ")
            else:
                assert new == old
    with pytest.raises(ValueError, match="already discounted"):
        under_terms(discounted, ALL_DIFFERENT)


def test_without_a_discount_the_catalog_is_the_same_object() -> None:
    assert under_terms(CATALOG, PriceTerms()) is CATALOG
    nowhere: dict[str, Any] = dict.fromkeys(SERVICES, 0.0)
    assert under_terms(CATALOG, PriceTerms(overall=12.0, **nowhere)) is CATALOG


@pytest.mark.parametrize("first", everyday((0,), range(0, 80, 20), "spaces"))
def test_a_search_under_price_terms_finds_what_a_loop_over_every_candidate_does(first: int) -> None:
    for number in range(first, first + 20):
        of = space(number, wild=number % 2 == 0)
        terms = PriceTerms(overall=12.0, ebs=40.0 if number % 3 else None, spot=5.0 if number % 4 == 0 else None)
        catalog = under_terms(of.catalog, terms)
        expected = enumerate_all(of.workload, catalog, of.profiles, of.steps, at_once=True)
        assert_equal(search(of.workload, catalog, of.profiles, steps=of.steps), expected)


def test_spot_is_discounted_only_where_the_terms_say_so() -> None:
    assert PriceTerms(overall=12.0).percent("spot") == 0.0
    assert PriceTerms(overall=12.0, spot=3.0).percent("spot") == 3.0


@pytest.mark.parametrize("percent", [-0.1, 95.1, float("nan"), float("inf")])
def test_a_discount_is_from_0_to_95_percent(percent: float) -> None:
    with pytest.raises(ValueError, match="from 0 to 95 percent"):
        PriceTerms(overall=percent)
    with pytest.raises(ValueError, match="ebs"):
        PriceTerms(ebs=percent)
