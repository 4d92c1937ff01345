"""Inputs of answers computed now (catalog, the team's own data, model), compared with those of a stored answer."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import UTC, datetime
from typing import Any

from stowage.features.calibration.store import standing as standing_store
from stowage.features.calibration.store.standing import History, Standing, StandingPart
from stowage.features.calibration.team_knowledge import digest_of
from stowage.features.catalog.store import catalog as catalog_store
from stowage.features.planning.schemas import ChangeAnswer
from stowage.features.planning.store import PlanSummary
from stowage.frozen import frozen
from stowage.model import MODEL_VERSION
from stowage.platform.database.database import Connection
from stowage.platform.database.rows import CompiledQuery, Queries, rows_together, together
from stowage.workloads import wording
from stowage.workloads.knowledge import SEARCHED
from stowage.workloads.stored import catalog_of

_MOST_STATES = 500
"""Maximum number of states of a team's measurements to search for that of an answer: the newest before it."""


@frozen
class Since:
    """Changes of the inputs since a plan was answered, and the price terms of its answer."""

    changes: list[ChangeAnswer]
    """Inputs that differ between the plan and an answer computed now: catalog, measurements, price terms and model."""
    price_terms: str | None
    """Short description of the price terms of the plan; None if it has published prices."""


@frozen
class Today:
    """Catalog versions and team data that an answer computed now depends on."""

    newest: str | None
    """The newest catalog version that searches use."""
    digests: Mapping[str, str]
    """Digest of the published content of each catalog version."""
    history: History
    """The team's own measurements and calibrations over time."""
    _known: dict[tuple[object, ...], Since] = field(default_factory=dict, init=False, repr=False, compare=False)
    """Results of `since` by all that they depend on, which the plans of a list have in common."""

    def since(self, plan: PlanSummary) -> Since:
        """Return what has changed since a plan was answered, and its price terms."""
        changed, asks_for = self.history.changes_until(plan.created_at), catalog_of(plan.workload)
        key = asks_for, plan.catalog_version, plan.profiles_digest, plan.model_version, changed
        if key not in self._known:
            then = self.history.at(self.known_at(plan.catalog_version, plan.profiles_digest, plan.created_at))
            terms = None if then.terms is None else then.terms.name
            self._known[key] = Since(self._changes(plan, asks_for, then), terms)
        return self._known[key]

    def _changes(self, plan: PlanSummary, asks_for: str, then: Standing) -> list[ChangeAnswer]:
        changes = []
        version, now = plan.catalog_version, self.history.at(None)
        published = self.digests.get(version)
        if asks_for == "latest" and self.newest is not None and self.newest != version:
            changes.append(ChangeAnswer(what="catalog", then=version, now=self.newest))
        elif published is not None and digest_of(published, then.digest) != plan.profiles_digest:
            today = digest_of(published, now.digest)
            if today != plan.profiles_digest:
                changes.append(ChangeAnswer(what="profiles", then=plan.profiles_digest[:12], now=today[:12]))
            # Listed already, or the answer uses the current measurements, which were stored at the same moment.
            then = now
        if then.measured_digest != now.measured_digest:
            words = _of(then.newest), _of(now.newest)
            if words[0] == words[1]:
                # Both times are within the same minute.
                words = f"{words[0]} ({then.measured_digest[:8]})", f"{words[1]} ({now.measured_digest[:8]})"
            changes.append(ChangeAnswer(what="profiles", then=words[0], now=words[1]))
        if then.terms != now.terms:
            changes.append(ChangeAnswer(what="price terms", then=_terms(then.terms), now=_terms(now.terms)))
        if plan.model_version != MODEL_VERSION:
            changes.append(ChangeAnswer(what="model", then=plan.model_version, now=MODEL_VERSION))
        return changes

    def known_at(self, version: str, digest: str, stored_at: datetime) -> datetime:
        """Return a time at which the team had the data with which a stored answer was computed.

        Usually, it is the time at which the answer was stored. For a copy of a plan it is earlier, because the answer
        was computed for the original plan.

        Parameters
        ----------
        version : str
            Catalog version of the answer.
        digest : str
            Digest of the catalog content and the team's data with which the answer was computed.
        stored_at : datetime
            Time at which the answer was stored.
        """
        published = self.digests.get(version, "")
        if digest_of(published, self.history.at(stored_at).digest) == digest:
            return stored_at
        before = sorted({moment for moment in self.history.moments if moment <= stored_at}, reverse=True)[:_MOST_STATES]
        for moment in (*before, datetime.min.replace(tzinfo=UTC)):
            if digest_of(published, self.history.at(moment).digest) == digest:
                return moment
        return stored_at


QUERIES: Queries = {
    "versions": (catalog_store.NEWEST_FIRST, catalog_store.StoredVersion),
    "parts": (standing_store.PARTS, standing_store.StandingPart),
}
"""Queries of what answers depend on now, for `rows.together`."""
_TOGETHER = CompiledQuery(together(QUERIES))


def of(connection: Connection) -> Today:
    """Load the names of the catalog versions and the digests of the team's data that answers depend on now."""
    return today_of(rows_together(QUERIES, _TOGETHER.run(connection)))


def today_of(found: Mapping[str, tuple[Any, ...]]) -> Today:
    """Return the results of `QUERIES` as what answers depend on now."""
    versions: Sequence[catalog_store.StoredVersion] = found["versions"]
    searched = [row.version for row in versions if row.provider == SEARCHED]
    digests = {row.version: row.digest for row in versions}
    return Today(searched[0] if searched else None, digests, standing_store.history_of(found["parts"]))


def _terms(terms: StandingPart | None) -> str:
    return "no discount" if terms is None else f"{terms.name} of {wording.moment(terms.created_at)}"


def _of(moment: datetime | None) -> str:
    return "published figures only" if moment is None else f"yours of {wording.moment(moment)}"
