"""Workload documents of stored plans and sweeps; a document may have any earlier form."""

from collections.abc import Mapping
from typing import Any

from stowage.model.jobs.frameworks import IDEAL
from stowage.workloads.workload_file import OLD_CATALOG, WorkloadFile, parse_workload


def as_stored(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a stored document with explicit `assume.usual` and `workload.framework`.

    No defaults applied to documents before 2026-11-23. Before 2026-11-26, a document without a framework meant
    `ideal`, and could contain `place.catalogue` for `place.catalog`.
    """
    workload = {"framework": IDEAL.name, **document.get("workload", {})}
    assume = {"usual": "ignored", **document.get("assume", {})}
    return with_todays_names({**document, "workload": workload, "assume": assume})


def with_todays_names(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a stored document with `place.catalog` in place of the old `place.catalogue`."""
    place = document.get("place", {})
    return with_catalog(document, place[OLD_CATALOG]) if OLD_CATALOG in place else dict(document)


def with_catalog(document: Mapping[str, Any], version: str) -> dict[str, Any]:
    """Return a document with another catalog version in place of the document's own."""
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
