"""Near misses: the candidates closest to the limits if no candidate meets all limits.

A way is a combination of one purchase option and one durability.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from stowage.model.choice import Quotas, Selection
from stowage.model.hardware.catalog import Catalog
from stowage.model.hardware.profile import Profiles
from stowage.model.hardware.steps import Steps
from stowage.model.infeasible import Limit, feasible
from stowage.model.jobs.workload import Limits, Workload
from stowage.model.plan import Candidate, NearMiss
from stowage.model.prediction import predict
from stowage.optimizer.losses import loss_of, with_losses
from stowage.optimizer.problem import Excess, SearchProblem
from stowage.optimizer.search import STEPS, answered, candidates_of
from stowage.optimizer.space import NODES_WITHOUT_LIMIT

_LEAST = 1e-6
"""Weight of the loss probability, arbitrarily small: it has no limit to divide by."""

_ROWS_BY_LOSS = 50
"""Rows checked together against a limit on loss for replicated data: each failure costs a search."""

_WITHOUT_EXCESS: frozenset[Limit] = frozenset({"selection", "free space", "re-replication", "head node memory"})
"""Limits without a measure of excess: of candidates that violate one, the best is the nearest."""


def near_misses(
    workloads: Sequence[Workload], catalog: Catalog, profiles: Profiles, steps: Steps = STEPS
) -> tuple[NearMiss, ...]:
    """Find the smallest sets of limits whose relaxation admits a candidate.

    The result has the nearest candidate for each set. For each relaxed limit, the ratio of a candidate's value to the
    limit is computed. The nearest candidate is that whose largest ratio is smallest. If the relaxed limits have no such
    ratios, the best candidate counts as nearest. If only the limit on loss is relaxed, the nearest candidate is that
    with the lowest loss probability on the frontier.

    Parameters
    ----------
    workloads : sequence of Workload
        One workload for each combination of purchase option and durability; none has a candidate that meets the limits.
    catalog : Catalog
    profiles : Profiles
    steps : Steps
        Step sizes of the volume search.

    Returns
    -------
    tuple of NearMiss
        Empty if no relaxation admits a candidate. If no candidate could be computed because network bandwidths are
        unknown, the only near miss is the best candidate with unlimited bandwidths.

    Notes
    -----
    A set of relaxed limits that admits no candidate is extended as far as possible. The limits that are then not
    relaxed are a minimal conflict: every solution relaxes at least one of them. So only sets that have a limit of every
    known conflict are tried, the smallest sets first. Ten limits take tens of searches, not a thousand.
    **Source**: Reiter, "A theory of diagnosis from first principles", Artificial Intelligence 32, 1987.
    """
    known = (catalog, profiles, steps)
    ways = [_Way(workload, *known) for workload in workloads]
    for size in range(1, max(len(way.limits) for way in ways) + 1):
        nearest: dict[tuple[Limit, ...], tuple[tuple[float, float], Candidate]] = {}
        for way in ways:
            for relaxed, candidate in way.admitted(size):
                excess = _excess(relaxed, candidate, way)
                if relaxed not in nearest or excess < nearest[relaxed][0]:
                    nearest[relaxed] = excess, candidate
        if nearest:
            return tuple(NearMiss(relaxed, candidate) for relaxed, (_, candidate) in nearest.items())
    beyond = [found for workload in workloads if (found := _without_network(workload, *known)) is not None]
    return tuple(NearMiss(("network bandwidth unknown",), found) for found in sorted(beyond, key=_usd)[:1])


@dataclass
class _Way:
    """A workload with one purchase option and one durability.

    A conflict is a set of limits that no candidate meets together. ``conflicts`` has the conflicts found so far, each
    of which is minimal.
    """

    workload: Workload
    catalog: Catalog
    profiles: Profiles
    steps: Steps
    conflicts: list[frozenset[Limit]] = field(default_factory=list)

    @property
    def limits(self) -> tuple[Limit, ...]:
        """Return the names of the limits that the workload sets."""
        limits, quotas, selection = self.workload.limits, self.workload.quotas, self.workload.selection
        present: dict[Limit, bool] = {
            "deadline": limits.deadline_s is not None,
            "chance": limits.chance is not None,
            "budget": limits.budget_usd is not None,
            "max nodes": limits.max_nodes is not None,
            "loss": limits.loss is not None,
            "quota": quotas != Quotas(),
            "selection": selection != Selection(),
            "free space": limits.keeps_room,
            "re-replication": limits.rereplication_s is not None,
            "head node memory": bool(self.workload.head_memory_gib),
        }
        return tuple(limit for limit, is_set in present.items() if is_set)

    def admitted(self, size: int) -> Iterator[tuple[tuple[Limit, ...], Candidate]]:
        """Yield the sets of ``size`` limits whose relaxation admits a candidate.

        Each set comes with its nearest candidate. For a set that admits none, a conflict is stored.
        """
        for relaxed in combinations(self.limits, size):
            if any(conflict.isdisjoint(relaxed) for conflict in self.conflicts):
                continue
            candidate = self.nearest(frozenset(relaxed))
            if candidate is None:
                self.conflicts.append(self._conflict(frozenset(relaxed)))
            else:
                yield relaxed, candidate

    def _conflict(self, relaxed: frozenset[Limit]) -> frozenset[Limit]:
        """Return a minimal conflict without the limits in ``relaxed``.

        It is empty if there is no candidate even if all limits are relaxed.
        """
        for limit in self.limits:
            if limit not in relaxed and self.nearest(relaxed | {limit}) is None:
                relaxed |= {limit}
        return frozenset(self.limits) - relaxed

    def nearest(self, relaxed: frozenset[Limit]) -> Candidate | None:
        """Return the candidate that exceeds the relaxed limits least.

        It meets all other limits. None if there is no such candidate.
        """
        workload, limits = self.workload, self.workload.limits
        relaxation = replace(
            workload,
            limits=_kept(limits, relaxed),
            quotas=Quotas() if "quota" in relaxed else workload.quotas,
            selection=Selection() if "selection" in relaxed else workload.selection,
        )
        by_copies = workload.job.durability.replicas > 1 or workload.job.default_copies
        excess = Excess(
            # A faster candidate is more likely to meet the deadline.
            1.0 / limits.deadline_s if relaxed & {"deadline", "chance"} and limits.deadline_s else 0.0,
            1.0 / limits.budget_usd if "budget" in relaxed and limits.budget_usd else 0.0,
            1.0 / (limits.max_nodes or NODES_WITHOUT_LIMIT) if relaxed & {"max nodes", "quota"} else 0.0,
            _LEAST if "loss" in relaxed else 0.0,
            by_vcpus="quota" in relaxed and workload.quotas.vcpus is not None,
        )
        of_loss = relaxed == {"loss"} and by_copies
        last_nodes = max(limits.max_nodes or 0, NODES_WITHOUT_LIMIT)
        problem, answer = answered(
            SearchProblem(relaxation, self.catalog, self.profiles, self.steps, last_nodes),
            _ROWS_BY_LOSS if relaxation.limits.loss is not None and by_copies else 1,
            frontier=of_loss,
            counted=False,
            excess=None if relaxed <= _WITHOUT_EXCESS or of_loss else excess,
        )
        found = answer.frontier if of_loss else answer.best[answer.best["lane"] >= 0]
        if not of_loss:
            found = found[np.lexsort((found["cost9"], found["time9"], found["nodes"], found["value9"]))][:1]
        candidates = candidates_of(problem, found)
        if "loss" in relaxed:
            candidates = with_losses(candidates, {workload.place.paid_by: relaxation}, self.catalog, self.profiles)
        best = min(candidates, key=lambda candidate: (loss_of(candidate), _usd(candidate)), default=None)
        # The kernel's value is the excess here, not the monthly cost.
        return best if best is None or best.month_usd is None else replace(best, month_usd=self._month_usd(best))

    def _month_usd(self, candidate: Candidate) -> float | None:
        found = predict(candidate.configuration, self.workload, self.catalog, self.profiles, sources=False)
        return feasible(found).always_on_usd


def _kept(limits: Limits, relaxed: frozenset[Limit]) -> Limits:
    """Return a workload's limits without the relaxed limits."""
    without: Mapping[Limit, Callable[[Limits], Limits]] = {
        "deadline": lambda left: replace(left, deadline_s=None, chance=None),
        "chance": lambda left: replace(left, chance=None),
        "budget": lambda left: replace(left, budget_usd=None),
        "max nodes": lambda left: replace(left, max_nodes=None),
        "loss": lambda left: replace(left, loss=None),
        "free space": lambda left: replace(left, free_space=0.0, lost_nodes=0),
        "re-replication": lambda left: replace(left, rereplication_s=None),
        "head node memory": lambda left: replace(left, gib_per_million_blocks=0.0),
    }
    for limit in relaxed & without.keys():
        limits = without[limit](limits)
    return limits


def _excess(relaxed: tuple[Limit, ...], candidate: Candidate, way: _Way) -> tuple[float, float]:
    """Return the key by which near misses with the same relaxed limits are compared.

    The first number is the largest ratio of the candidate's value to a relaxed limit. The second number is the
    candidate's cost [USD].
    """
    limits = way.workload.limits
    vcpus = way.catalog.instance_types[candidate.configuration.instance].vcpus.value
    factors = {
        "deadline": (candidate.time_s, limits.deadline_s),
        "budget": (candidate.cost_usd, limits.budget_usd),
        "max nodes": (candidate.configuration.nodes, limits.max_nodes),
        "loss": (loss_of(candidate), limits.loss),
        "quota": (candidate.configuration.nodes * vcpus, way.workload.quotas.vcpus),
    }
    beyond = [value / bound for value, bound in (factors[one] for one in relaxed if one in factors) if bound]
    return max(beyond, default=1.0), candidate.sought_usd


def _usd(candidate: Candidate) -> float:
    return candidate.sought_usd


def _without_network(workload: Workload, catalog: Catalog, profiles: Profiles, steps: Steps) -> Candidate | None:
    """Return the best candidate with an unlimited network.

    It is the near miss if a catalog lacks network bandwidths. None if there is no candidate, or if the workload already
    assumes an unlimited network.
    """
    if workload.assume.network == "unlimited":
        return None
    boundless = replace(workload, limits=Limits(), assume=replace(workload.assume, network="unlimited"))
    return _Way(boundless, catalog, profiles, steps).nearest(frozenset())
