"""The network with which an instance type would win a plan, at the node count and layout that suit it best then.

Types without a measured network are candidates of a plan only once it is measured: this says what the
measurement would have to show.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from stowage.model.cluster import Configuration, Ebs, InstanceStore, Layout, ObjectStore
from stowage.model.hardware.catalog import Catalog
from stowage.model.hardware.instance import InstanceType
from stowage.model.hardware.profile import Profiles
from stowage.model.infeasible import Infeasible
from stowage.model.jobs.head import head_of
from stowage.model.jobs.workload import Workload
from stowage.model.offer import offer_of
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
    sustained_network,
    with_measured,
)
from stowage.optimizer.search import search

_LITTLE_LESS = 0.99


@dataclass(frozen=True, slots=True)
class TypeOverturn:
    """The network with which an instance type would win, at the node count and layout that suit it best then.

    Parameters
    ----------
    instance : str
    now : float or None
        Of a node in the cluster of ``best`` [MB/s]; None where it is unknown.
    needed : float or None
        [MB/s]; None where no network helps, or the type has won.
    verdict : Verdict or "winner"
    best : Prediction or None
        What the type comes to with the network that is needed; with one that never limits, where none helps.
    assumed : tuple of str
        Unknown figures of the type, assumed never to limit: less than ``needed`` will not do.
    rejected : tuple of Rejection
        Where nothing of the type is within the limits: why.
    obstacle : Infeasible or None
        What makes the type no candidate at all.
    """

    instance: str
    now: float | None
    needed: float | None
    verdict: Verdict | Literal["winner"]
    best: Prediction | None = None
    assumed: tuple[str, ...] = ()
    rejected: tuple[Rejection, ...] = ()
    obstacle: Infeasible | None = None


def overturning_network(
    workload: Workload,
    type_name: str,
    winner_prediction: Prediction | None,
    catalog: Catalog,
    profiles: Profiles,
    most_nodes: int | None = None,
) -> TypeOverturn:
    """Compute the network with which a type would win, at its best node count and layout in the limits.

    Parameters
    ----------
    workload : Workload
    type_name : str
        Of the catalog.
    winner_prediction : Prediction or None
        What it has to be better than; None where nothing is within the limits.
    catalog, profiles
    most_nodes : int, optional
        In place of ``limits.max_nodes``.

    Returns
    -------
    TypeOverturn
        With ``now`` None where the type's network is not measured: ``needed`` is what a measurement would have to show.
    """
    if most_nodes is not None:
        workload = replace(workload, limits=replace(workload.limits, max_nodes=most_nodes))
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
    """Compute this network for every type of a catalog, by name.

    One search with a network that never limits leaves out types that cannot win with any.
    """
    unlimited = replace(workload, assume=replace(workload.assume, network="unlimited"))
    plan = search(unlimited, catalog, profiles, sources=False)
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


@dataclass(frozen=True, slots=True)
class _Asked:
    """A type, what it has to be better than, and the search of it alone."""

    instance: str
    workload: Workload
    winner: Prediction | None
    catalog: Catalog
    profiles: Profiles
    assumed: tuple[str, ...] = ()

    def best(self, network_mb_per_s: float) -> Plan:
        """Search the type with a network, and with what is assumed of it."""
        only = replace(self.workload, selection=replace(self.workload.selection, instances=(self.instance,)))
        rates = dict.fromkeys(self.assumed, NEVER_LIMITS) | {"network_mb_per_s": network_mb_per_s}
        return search(with_measured(only, self.instance, **rates), self.catalog, self.profiles, 1, sources=False)

    def wins(self, network_mb_per_s: float) -> bool:
        """Return whether the best of it with a network is before the winner."""
        ranked = self.best(network_mb_per_s).ranked
        return bool(ranked) and self._is_before(order(ranked[0], self.workload))

    def needed(self, configuration: Configuration) -> float:
        """Return the least network with which the best of it wins, to a percent, from what wins with the most.

        A configuration's own least network is found by evaluations alone; where another is better still with a little
        less, that one's is less.
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
        rates = dict.fromkeys(self.assumed, NEVER_LIMITS) | {"network_mb_per_s": network_mb_per_s}
        workload = with_measured(self.workload, self.instance, **rates)
        found = outcome_of(configuration, workload, self.catalog, self.profiles)
        return isinstance(found, Outcome) and not found.broken and self._is_before(order(found, self.workload))

    def _is_before(self, key: OutcomeKey) -> bool:
        return self.winner is None or key < order(self.winner, self.workload)

    def network_now(self, configuration: Configuration) -> float | None:
        """Return what is known of a node's network in a cluster of this size [MB/s]."""
        inputs, _ = filled(configuration, self.workload, self.catalog, self.profiles)
        if isinstance(inputs, Infeasible):
            return None
        asked, nodes = self.workload.at(configuration.nodes), float(configuration.nodes)
        return sustained_network(offer_of(inputs, configuration.layout, asked, nodes, quantile=0.5).rates)


def _narrowed(catalog: Catalog, instance: InstanceType, workload: Workload) -> Catalog:
    """Leave of a catalog what the search of one type looks at: its family, by which disks are estimated."""
    head = head_of(workload, instance, catalog.instance_types)
    names = {other.name for other in catalog.family(instance.family)} | {head.name}
    kept = {name: one for name, one in catalog.instance_types.items() if name in names}
    return replace(catalog, instance_types=kept)


def _any_layout(instance: InstanceType, workload: Workload, catalog: Catalog) -> Configuration:
    """Return any configuration that the workload allows: all of the type have the same figures."""
    model = workload.job.durability.model
    layout: Layout = InstanceStore(max(1, int(instance.disk_count.value)), 0)
    if model == "object-store":
        layout = ObjectStore()
    volumes = sorted(name for name in catalog.volume_types if workload.selection.takes_volume(name))
    if model == "infrastructure" and volumes:
        layout = Ebs(volumes[0], 1, 1)
    return Configuration(instance.name, 1, layout)
