"""Break-even network rate of an instance type: the rate at which the type would win a plan.

The type is used with the best node count and layout at that rate. Types without a measured network are not candidates
of a plan. For such a type, this module computes the network rate that a measurement would have to show.
"""

from dataclasses import replace
from functools import partial
from typing import Literal

from stowage.frozen import frozen
from stowage.model.cluster import Configuration, Ebs, InstanceStore, Layout, ObjectStore
from stowage.model.hardware.catalog import Catalog
from stowage.model.hardware.instance import InstanceType
from stowage.model.hardware.profile import Profiles
from stowage.model.infeasible import Infeasible
from stowage.model.jobs.head import head_of
from stowage.model.jobs.workload import Workload
from stowage.model.plan import Plan, Rejection
from stowage.model.prediction import Prediction
from stowage.optimizer.outcome import Outcome, OutcomeKey, order, outcome_of
from stowage.optimizer.overturn import (
    NEVER_LIMITS,
    UNKNOWN_FROM,
    UNKNOWN_TO,
    Verdict,
    between,
    filled,
    rates_of,
    sustained_network,
    with_measured,
)
from stowage.optimizer.search import search

_LITTLE_LESS = 0.99


@frozen
class TypeOverturn:
    """Break-even network rate of one instance type: the rate at which the type would win.

    The type is used with the best node count and layout at that rate.
    """

    instance: str
    now: float | None
    """Current network rate of a node in a cluster with as many nodes as `best` [MB/s]; None if unknown."""
    needed: float | None
    """Lowest winning network rate [MB/s]; None if no rate is enough, or the type is the winner."""
    verdict: Verdict | Literal["winner"]
    best: Prediction | None = None
    """Best prediction of the type with the needed rate or, if no rate is enough, with an unlimited network."""
    assumed: tuple[str, ...] = ()
    """Names of the type's unknown rates. They are assumed never to limit. If there are any, `needed` is only a lower
    bound."""
    rejected: tuple[Rejection, ...] = ()
    """Reasons why no configuration of the type meets the limits; empty if some configuration does."""
    obstacle: Infeasible | None = None
    """Reason why the type cannot be a candidate; None if it can."""


def overturning_network(
    workload: Workload,
    type_name: str,
    winner_prediction: Prediction | None,
    catalog: Catalog,
    profiles: Profiles,
) -> TypeOverturn:
    """Compute the network rate at which an instance type would win.

    The type is used with its best node count and layout within the limits.

    Parameters
    ----------
    workload : Workload
    type_name : str
        Name of the instance type in the catalog.
    winner_prediction : Prediction or None
        The prediction to beat; None if no configuration meets the limits.
    catalog, profiles

    Returns
    -------
    TypeOverturn
        If the type's network is not measured, ``now`` is None, and a measurement would have to show at least
        ``needed``.
    """
    instance = catalog.instance_types[type_name]
    asked = _Asked(type_name, workload, winner_prediction, _narrowed(catalog, instance, workload), profiles)
    if winner_prediction is not None and winner_prediction.configuration.instance == type_name:
        now = asked.network_now(winner_prediction.configuration)
        return TypeOverturn(type_name, now, None, "winner", winner_prediction)
    if workload.selection.refuses(instance) is not None:
        return TypeOverturn(type_name, None, None, "limit", obstacle=Infeasible("selection", "it may not be chosen"))
    inputs, assumed = filled(_any_layout(instance, workload, catalog), workload, catalog, profiles)
    if isinstance(inputs, Infeasible):
        return TypeOverturn(type_name, None, None, "unknown", assumed=assumed, obstacle=inputs)
    asked = replace(asked, assumed=assumed)
    farthest = asked.best(NEVER_LIMITS)
    if not farthest.ranked:
        return TypeOverturn(type_name, None, None, "limit", assumed=assumed, rejected=_of(type_name, farthest))
    if not (asked.wins(NEVER_LIMITS) and asked.wins(UNKNOWN_TO)):
        best = farthest.ranked[0]
        return TypeOverturn(type_name, asked.network_now(best.configuration), None, "never", best, assumed)
    needed = asked.needed(farthest.ranked[0].configuration)
    best = asked.best(needed).ranked[0]
    return TypeOverturn(type_name, asked.network_now(best.configuration), needed, "found", best, assumed)


def overturning_networks(
    workload: Workload, winner: Prediction | None, catalog: Catalog, profiles: Profiles
) -> tuple[TypeOverturn, ...]:
    """Compute the network rate at which each instance type of a catalog would win.

    The results are those of `overturning_network`, sorted by type name. A first search with an unlimited network finds
    all types that cannot win at any network rate.
    """
    unlimited = replace(workload, assume=replace(workload.assume, network="unlimited"))
    plan = search(unlimited, catalog, profiles, frontier=False, curves=0)
    best: dict[str, Prediction] = {}
    for one in plan.ranked:
        best.setdefault(one.configuration.instance, one)
    found = []
    for name in sorted(catalog.instance_types):
        row: Prediction | None = best.get(name)
        if row is None and not any(rejected.limit.endswith("unknown") for rejected in _of(name, plan)):
            found.append(TypeOverturn(name, None, None, "limit", rejected=_of(name, plan)))
        elif row is None or winner is None or order(row, workload) < order(winner, workload):
            found.append(overturning_network(workload, name, winner, catalog, profiles))
        else:
            now = _Asked(name, workload, winner, catalog, profiles).network_now(row.configuration)
            is_winner = winner.configuration.instance == name
            found.append(
                TypeOverturn(name, now, None, "winner" if is_winner else "never", winner if is_winner else row)
            )
    return tuple(found)


def _of(instance: str, plan: Plan) -> tuple[Rejection, ...]:
    return tuple(row for row in plan.rejected if instance in row.instances)


@frozen
class _Asked:
    """One instance type, with the prediction that it must beat.

    The methods search the configurations of the type at a given network rate.
    """

    instance: str
    workload: Workload
    winner: Prediction | None
    catalog: Catalog
    profiles: Profiles
    assumed: tuple[str, ...] = ()

    def best(self, network_mb_per_s: float) -> Plan:
        """Return the plan with the type's best configuration at a given network rate.

        The rates named in ``assumed`` are taken to be so high that they never limit.
        """
        only = replace(self.workload, selection=replace(self.workload.selection, instances=(self.instance,)))
        asked = self._with_network(only, network_mb_per_s)
        return search(asked, self.catalog, self.profiles, 1, frontier=False, curves=0)

    def wins(self, network_mb_per_s: float) -> bool:
        """Return whether the type's best configuration at a given network rate ranks before the winner."""
        ranked = self.best(network_mb_per_s).ranked
        return bool(ranked) and self._is_before(order(ranked[0], self.workload))

    def needed(self, configuration: Configuration) -> float:
        """Return the lowest network rate at which the type wins, within one percent.

        ``configuration`` must win with an unlimited network. Its lowest winning rate is found without a search. Then a
        search at a slightly lower rate looks for another winning configuration. If there is one, the computation is
        repeated with that configuration.
        """
        while True:
            wins = partial(self._wins_as_named, configuration)
            if wins(UNKNOWN_FROM):
                return UNKNOWN_FROM
            needed = between(UNKNOWN_FROM, UNKNOWN_TO, wins, "network")
            less = self.best(_LITTLE_LESS * needed).ranked
            if not less or not self._is_before(order(less[0], self.workload)):
                return needed
            configuration = less[0].configuration

    def _wins_as_named(self, configuration: Configuration, network_mb_per_s: float) -> bool:
        workload = self._with_network(self.workload, network_mb_per_s)
        found = outcome_of(configuration, workload, self.catalog, self.profiles)
        return isinstance(found, Outcome) and not found.broken and self._is_before(order(found, self.workload))

    def _with_network(self, workload: Workload, network_mb_per_s: float) -> Workload:
        rates = dict.fromkeys(self.assumed, NEVER_LIMITS) | {"network_mb_per_s": network_mb_per_s}
        return with_measured(workload, self.instance, **rates)

    def _is_before(self, key: OutcomeKey) -> bool:
        return self.winner is None or key < order(self.winner, self.workload)

    def network_now(self, configuration: Configuration) -> float | None:
        """Return the current network rate of a node of a configuration [MB/s].

        The rate may depend on the number of nodes. None if it is unknown.
        """
        inputs, _ = filled(configuration, self.workload, self.catalog, self.profiles)
        if isinstance(inputs, Infeasible):
            return None
        return sustained_network(rates_of(inputs, configuration, self.workload))


def _narrowed(catalog: Catalog, instance: InstanceType, workload: Workload) -> Catalog:
    """Return a catalog with only those instance types that a search of one type needs.

    These are the type of the head node and all types of the same family, from which disk rates are estimated.
    """
    head = head_of(workload, instance, catalog.instance_types)
    return catalog.only({other.name for other in catalog.family(instance.family)} | {head.name})


def _any_layout(instance: InstanceType, workload: Workload, catalog: Catalog) -> Configuration:
    """Return an arbitrary configuration of an instance type that the workload allows.

    It is used to look up figures, which are the same for all of these configurations.
    """
    model = workload.job.durability.model
    layout: Layout = InstanceStore(max(1, int(instance.disk_count.value)), 0)
    if model == "object-store":
        layout = ObjectStore()
    volumes = sorted(name for name in catalog.volume_types if workload.selection.takes_volume(name))
    if model == "infrastructure" and volumes:
        layout = Ebs(volumes[0], 1, 1)
    return Configuration(instance.name, 1, layout)
