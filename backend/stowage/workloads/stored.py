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

    A document with a section that is not an object is returned unchanged; it does not conform to the schema.
    """
    if not all(isinstance(document.get(name, {}), Mapping) for name in ("workload", "assume", "limits", "place")):
        return dict(document)
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
    if not isinstance(document.get("place", {}), Mapping):
        return dict(document)
    place = {name: value for name, value in document.get("place", {}).items() if name != OLD_CATALOG}
    return {**document, "place": {**place, "catalog": version}}


def catalog_of(document: Mapping[str, Any]) -> str:
    """Return the catalog version that a stored document requests; `latest` if it names none."""
    place = document.get("place")
    asked = place.get(OLD_CATALOG, place.get("catalog")) if isinstance(place, Mapping) else None
    return str(asked or "latest")


def stored_value(document: Mapping[str, Any], path: str) -> object:
    """Return a value of a stored document by its dotted path; None if the document lacks it.

    Sections may be of any type, since the document may not conform to today's schema.
    """
    found: object = document
    for name in path.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def parse_stored_workload(document: Mapping[str, Any]) -> WorkloadFile:
    """Convert a stored document to a workload file, and check it against the schema.

    Raises
    ------
    BadInput
        The document does not conform to the schema; the error has one problem for each wrong field.
    """
    return parse_workload(as_stored(document))
