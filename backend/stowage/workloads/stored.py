"""Workload documents of stored plans and sweeps, which may be of any earlier form."""

from collections.abc import Mapping
from typing import Any

from stowage.model.jobs.frameworks import IDEAL
from stowage.workloads.workload_file import OLD_CATALOG, WorkloadFile, parse_workload


def as_stored(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a stored document in which `assume.usual` and `workload.framework` are stated.

    A document from before 2026-11-23 has no defaults; one from before 2026-11-26 without a framework means `ideal`, and
    it may write `place.catalogue` for `place.catalog`.
    """
    workload = {"framework": IDEAL.name, **document.get("workload", {})}
    assume = {"usual": "ignored", **document.get("assume", {})}
    return with_todays_names({**document, "workload": workload, "assume": assume})


def with_todays_names(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a stored document with `place.catalog` in place of the old `place.catalogue`."""
    place = document.get("place", {})
    return with_catalog(document, place[OLD_CATALOG]) if OLD_CATALOG in place else dict(document)


def with_catalog(document: Mapping[str, Any], version: str) -> dict[str, Any]:
    """Return a document that names another version of the catalog."""
    place = {name: value for name, value in document.get("place", {}).items() if name != OLD_CATALOG}
    return {**document, "place": {**place, "catalog": version}}


def parse_stored_workload(document: Mapping[str, Any]) -> WorkloadFile:
    """Check a stored document against the schema.

    Raises
    ------
    BadInput
        One problem for each field.
    """
    return parse_workload(as_stored(document))
