"""The paper's Compute Engine types compared with Table 6, repeated here by hand."""

import pytest

from stowage.catalog.snapshot import packaged

TABLE_6 = {
    "n1-standard-1": (1, 3.75, 0.05),
    "n1-standard-8": (8, 30, 0.40),
    "n1-highcpu-32": (32, 28.8, 1.216),
    "n1-standard-32": (32, 120, 1.60),
    "n1-highmem-32": (32, 208, 2.016),
}

GCE = packaged("paper-2014-gce")


def test_it_is_google_s_and_has_the_five_types_and_no_volumes() -> None:
    assert GCE.provider == "gce"
    catalog = GCE.in_region("us-central1")
    assert catalog.provider == "gce"
    assert catalog.instance_types.keys() == TABLE_6.keys()
    assert not catalog.volume_types
    assert not GCE.profiles.rows


@pytest.mark.parametrize("name", TABLE_6)
def test_a_row_is_as_printed(name: str) -> None:
    instance = GCE.in_region("us-central1").instance_types[name]
    price = instance.usd_per_hour
    assert price is not None
    assert (instance.vcpus.value, instance.memory_gib.value, price.value) == TABLE_6[name]
    assert {figure.kind for figure in (instance.vcpus, instance.memory_gib, price)} == {"published"}
    assert "Table 6" in price.source
    assert "prints GB" in instance.memory_gib.source
    assert instance.disk_count.value == 0
