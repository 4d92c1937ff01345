"""Search for plans, sweeps, reports, members, instance and volume types by name."""

from collections.abc import Sequence
from uuid import UUID

from stowage.features.activity.schemas import Hit, Kind, SearchAnswer
from stowage.features.activity.store import search as store
from stowage.features.catalog.store import catalog
from stowage.platform.access import Principal
from stowage.platform.database.database import Database
from stowage.platform.paging import words_of
from stowage.workloads.knowledge import SEARCHED

MOST_OF_A_KIND = 5


def search(database: Database, org_id: UUID, principal: Principal, text: str) -> SearchAnswer:
    """Find plans, sweeps, reports, members, instance and volume types by words in their names.

    Parameters
    ----------
    principal : Principal
        Caller of the search. Only the kinds of objects that the caller may see are searched.
    text : str
        Words that must all occur in a name. If the text has no words, the result is empty.

    Returns
    -------
    SearchAnswer
        Results in this order: names that are equal to the text, names that begin with it, names in which another word
        begins with it, and all other names.
    """
    words = words_of(text)
    if not words:
        return SearchAnswer(hits=[])
    may, most = principal.permissions, MOST_OF_A_KIND
    found: dict[Kind, tuple[store.Named, ...]] = {}
    with database.transaction(org_id) as connection:
        if "plans.read" in may:
            found["plan"] = store.saved(connection, "plan", words, most)
            found["sweep"] = store.saved(connection, "sweep", words, most)
        if "reports.read" in may:
            found["report"] = store.saved(connection, "report", words, most)
        if "catalog.read" in may:
            newest = next((each for each in catalog.versions(connection) if each.provider == SEARCHED), None)
            if newest is not None:
                found["type"] = store.types(connection, newest.hardware, words, most)
                found["volume"] = store.volumes(connection, newest.version, words, most)
        if "team.read" in may:
            found["member"] = store.members(connection, words, most)
    hits = [
        Hit(kind=kind, name=each.name, id=each.id, note=_note(each)) for kind, rows in found.items() for each in rows
    ]
    # Stable sort: within a rank, kinds and results keep the order of the queries.
    return SearchAnswer(hits=sorted(hits, key=lambda hit: _rank(hit.name, words)))


def _rank(name: str, words: Sequence[str]) -> int:
    asked, called = " ".join(words).casefold(), name.casefold()
    if called == asked:
        return 0
    if called.startswith(asked):
        return 1
    return 2 if f" {asked}" in called else 3


def _note(found: store.Named) -> str:
    made = "" if found.at is None else f"{found.at.day} {found.at:%B %Y}"
    return ", ".join(part for part in (found.note, made) if part)
