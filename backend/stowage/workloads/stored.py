"""Conversion of stored workload documents to the form of this version.

The documents are those of plans and sweeps. They may have the form of any earlier version.
"""

from collections.abc import Mapping
from typing import Any

from stowage.model.jobs.frameworks import IDEAL
from stowage.workloads.limits_section import MEDIAN
from stowage.workloads.workload_file import OLD_CATALOG, WorkloadFile, parse_workload


def as_stored(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a stored document with explicit values of `assume.usual`, `workload.framework` and `limits.chance`.

    Documents from before 2026-11-23 had no defaults. In documents from before 2026-11-26, a missing framework means
    `ideal`; in those from before 2026-11-28, a missing confidence means the median. Their `place.catalog` may have its
    old name `place.catalogue`.
    """
    workload = {"framework": IDEAL.name, **document.get("workload", {})}
    assume = {"usual": "ignored", **document.get("assume", {})}
    found = {**document, "workload": workload, "assume": assume}
    if assume["usual"] == "applied":
        found["limits"] = {"chance": f"{100.0 * MEDIAN:g} %", **document.get("limits", {})}
    return with_todays_names(found)


def with_todays_names(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a stored document in which the old field `place.catalogue` is renamed to `place.catalog`."""
    place = document.get("place", {})
    return with_catalog(document, place[OLD_CATALOG]) if OLD_CATALOG in place else dict(document)


def with_catalog(document: Mapping[str, Any], version: str) -> dict[str, Any]:
    """Return a document with its catalog version replaced with ``version``."""
    place = {name: value for name, value in document.get("place", {}).items() if name != OLD_CATALOG}
    return {**document, "place": {**place, "catalog": version}}


def parse_stored_workload(document: Mapping[str, Any]) -> WorkloadFile:
    """Convert a stored document to a workload file, and check it against the schema.

    Raises
    ------
    BadInput
        The document does not conform to the schema; the error has one problem for each wrong field.
    """
    return parse_workload(as_stored(document))
