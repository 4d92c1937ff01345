"""Explanations of a configuration: its bottlenecks, the cost of each bottleneck, and why it won or did not win.

The winner is the best configuration that a search finds. All numbers come from the model: each is the result of a
prediction with one changed input.
"""

from dataclasses import replace
from functools import partial
from typing import Literal, get_args

from stowage.frozen import frozen
from stowage.model.cluster import Configuration, Ebs
from stowage.model.hardware.catalog import Catalog
from stowage.model.hardware.profile import Profiles, ScalingCurve
from stowage.model.infeasible import Infeasible, feasible
from stowage.model.jobs.workload import Limits, Workload
from stowage.model.prediction import Prediction, predict
from stowage.model.rates import channel
from stowage.model.units import SECONDS_PER_HOUR
from stowage.optimizer.outcome import Outcome, inputs_of, order, outcome_from, outcome_of
from stowage.optimizer.overturn import NEVER_LIMITS, Overturn, margins, overturns, with_measured
from stowage.optimizer.search import search

Network = Literal["infinite", "ideal", "observed"]
Rated = Literal["network", "storage", "EBS link", "EBS volumes", "object store", "CPU", "data link"]
"""Channels with a rate that could be higher."""
Bought = Literal["deadline", "budget"] | Rated

MORE = 0.1
"""Relative change of one quantity in a cost sensitivity [1]."""

_SHOWN: tuple[Rated, ...] = get_args(Rated)


@frozen
class Bottleneck:
    """Bottleneck of one phase of a job: the resource that limits the phase."""

    phase: str
    resource: str
    time_s: float
    """Time of the phase [s]."""
    share: float
    """Time of the phase as a share of the time of all phases [1]."""


@frozen
class NetworkCase:
    """Time and cost of a configuration with one kind of network."""

    network: Network
    """`infinite`: a network that never limits. `ideal`: a network with the same rate at every cluster size, that of the
    smallest measured cluster. `observed`: the network with its known rates."""
    time_s: float
    """Median time of a run [s]."""
    cost_usd: float
    """Median cost of a run [USD]."""


@frozen
class NextDollar:
    """Effect of a small change of one limit or resource.

    If a limit is changed, the result is that of the new best configuration. If a resource is changed, the result is
    that of the explained configuration.
    """

    what: Bought
    """Changed limit or resource."""
    change: float
    """Relative change [1]: 0.1 for a tenth more."""
    time_s: float | None
    """Time after the change [s]; None if no configuration meets the changed limits."""
    cost_usd: float | None
    """Cost after the change [USD]; None if no configuration meets the changed limits."""
    saved_s: float | None
    """Time that the change saves [s]; below 0 if it makes the time worse. None if there is no configuration to
    compare."""
    saved_usd: float | None
    """Cost that the change saves [USD]; below 0 if it makes the cost worse. None if there is no configuration to
    compare."""
    price: float | None
    """For a deadline, the value of one minute [USD/min]. For a resource, the extra price per node-hour at which the
    change breaks even [USD/h]. None for a budget."""
    configuration: Configuration | None = None
    """Best configuration under the changed limit; None for a resource."""


@frozen
class Against:
    """Comparison of one phase of a configuration with the same phase of the winner."""

    phase: str
    resource: str
    """Bottleneck of the phase in the configuration."""
    winner_resource: str
    """Bottleneck of the phase in the winner."""
    time_s: float
    """Time of the phase in the configuration [s]."""
    winner_time_s: float
    """Time of the phase in the winner [s]."""

    @property
    def factor(self) -> float | None:
        """Return the time of the phase relative to its time in the winner [1].

        None if the winner's time is zero.
        """
        return self.time_s / self.winner_time_s if self.winner_time_s > 0.0 else None


@frozen
class Explanation:
    """Explanation of why one configuration wins a search or does not win it."""

    configuration: Configuration
    outcome: Outcome | Infeasible
    """Outcome of the configuration, or the reason why it is impossible."""
    winner: Outcome | None
    """Outcome of the winner; None if no configuration meets the limits."""
    is_winner: bool
    """Whether the explained configuration is the winner itself."""
    wins: bool
    """Whether the configuration meets the limits and ranks before every configuration that was found. This can also be
    true for configurations that a search does not try."""
    bottlenecks: tuple[Bottleneck, ...] = ()
    """Bottleneck of each phase."""
    network: tuple[NetworkCase, ...] = ()
    """Time and cost with each kind of network."""
    next_dollar: tuple[NextDollar, ...] = ()
    """Effects of small changes of limits and resources."""
    against: tuple[Against, ...] = ()
    """Comparison of each phase with the winner's; empty for the winner."""
    overturn: tuple[Overturn, ...] = ()
    """For each quantity, the value at which the configuration would win; empty if it wins."""
    margins: tuple[Overturn, ...] = ()
    """For a winner: how much worse each quantity may get before another configuration wins. Empty for other
    configurations."""
    own_best: Prediction | None = None
    """The best configuration with the same instance type, kind of storage and volume type; None if that is the
    explained configuration, or if no such configuration meets the limits."""
    runner_up: Prediction | None = None
    """For a winner: the best configuration of all other instance types."""


def explain(
    workload: Workload,
    configuration: Configuration,
    winner: Configuration | None,
    catalog: Catalog,
    profiles: Profiles,
    *,
    winner_workload: Workload | None = None,
) -> Explanation:
    """Explain why a configuration wins a search or does not win it.

    This takes one search for each changed limit, one more search, and a few hundred evaluations of the model.

    Parameters
    ----------
    workload : Workload
    configuration : Configuration
        Its instance and volume type must be in the catalog.
    winner : Configuration or None
        Best configuration that a search finds; None if no configuration meets the limits.
    catalog, profiles
    winner_workload : Workload, optional
        Workload with the winner's durability and purchase option, if the user leaves these open. It is used for
        searches with a changed limit, and for searches among other types.

    Returns
    -------
    Explanation
    """
    searched = winner_workload or replace(workload, spares=0)
    best = None if winner is None else _winning(winner, searched, catalog, profiles)
    key = None if best is None else order(best, workload)
    is_winner = winner == configuration and winner_workload in (None, workload) and workload.spares == 0
    refused = _refused(configuration, workload, catalog, profiles)
    found = refused if isinstance(refused, Infeasible) else outcome_of(configuration, workload, catalog, profiles)
    limits = _of_limits(best, searched, catalog, profiles)
    described = partial(Explanation, configuration, found, best)
    if isinstance(found, Infeasible):
        return described(
            is_winner=False,
            wins=False,
            network=_networks(None, configuration, workload, catalog, profiles),
            next_dollar=limits,
            overturn=overturns(configuration, workload, key, catalog, profiles) if found.is_unknown_rate else (),
        )
    wins = not found.broken and (key is None or order(found, workload) <= key)
    runner_up = _best_of_others(configuration, searched, catalog, profiles) if wins else None
    last = None if runner_up is None else order(runner_up, workload)
    return described(
        is_winner=is_winner,
        wins=wins,
        bottlenecks=_bottlenecks(found),
        network=_networks(found, configuration, workload, catalog, profiles),
        next_dollar=(*limits, *_of_resources(found, configuration, workload, catalog, profiles)),
        against=() if best is None or is_winner else _against(found, best),
        overturn=() if wins else overturns(configuration, workload, key, catalog, profiles),
        margins=margins(configuration, workload, last, catalog, profiles) if wins else (),
        runner_up=runner_up,
        own_best=None if wins else _own_best(configuration, replace(workload, spares=0), catalog, profiles),
    )


def _refused(
    configuration: Configuration, workload: Workload, catalog: Catalog, profiles: Profiles
) -> Infeasible | None:
    """Return the reason why a configuration is impossible.

    None if it is possible. A limit that is broken even with unlimited rates is reported before an unknown rate.
    """
    rates = ("network_mb_per_s", "storage_mb_per_s", "storage_iops", "ebs_read_mb_per_s", "ebs_write_mb_per_s")
    known = with_measured(workload, configuration.instance, **dict.fromkeys(rates, NEVER_LIMITS))
    for asked in (known, workload):
        answer = predict(configuration, asked, catalog, profiles, sources=False)
        if isinstance(answer, Infeasible):
            return answer
    return None


def _winning(winner: Configuration, workload: Workload, catalog: Catalog, profiles: Profiles) -> Outcome:
    found = outcome_of(winner, workload, catalog, profiles)
    if isinstance(found, Infeasible):
        raise ValueError(f"the winner is none: {found.reason}")  # noqa: TRY004 - a fault of the caller's, not of a type
    return found


def _bottlenecks(outcome: Outcome) -> tuple[Bottleneck, ...]:
    whole_s = sum(float(phase.time_s) for phase in outcome.phases)
    return tuple(
        Bottleneck(
            phase.name, phase.bottleneck, float(phase.time_s), float(phase.time_s) / whole_s if whole_s > 0.0 else 0.0
        )
        for phase in outcome.phases
    )


def _networks(
    observed: Outcome | None,
    configuration: Configuration,
    workload: Workload,
    catalog: Catalog,
    profiles: Profiles,
) -> tuple[NetworkCase, ...]:
    """Return time and cost of a configuration with each kind of network.

    The kinds are the infinite, the ideal and the observed network, as in the paper's Figure 9. Kinds for which figures
    are unknown are left out.
    """
    at = workload.at(configuration.nodes)
    unlimited = replace(at, assume=replace(at.assume, network="unlimited"))
    if isinstance(predict(configuration, unlimited, catalog, profiles, sources=False), Infeasible):
        return ()
    known = feasible(inputs_of(configuration, unlimited, catalog, profiles))
    infinite = outcome_from(known, configuration, unlimited, catalog)
    rows = [NetworkCase("infinite", infinite.time_s, infinite.cost_usd)]
    if observed is not None:
        inputs, ideal = feasible(inputs_of(configuration, at, catalog, profiles)), observed
        if isinstance(inputs.network, ScalingCurve):
            kept = replace(inputs, network=inputs.network.points[0].figure(), extrapolation=None)
            ideal = outcome_from(kept, configuration, at, catalog)
        rows.append(NetworkCase("ideal", ideal.time_s, ideal.cost_usd))
        rows.append(NetworkCase("observed", observed.time_s, observed.cost_usd))
    return tuple(rows)


def _of_resources(
    outcome: Outcome, configuration: Configuration, workload: Workload, catalog: Catalog, profiles: Profiles
) -> tuple[NextDollar, ...]:
    """Compute the effect of making one resource a tenth faster.

    The result has one element for each resource of the nodes.
    """
    at = workload.at(configuration.nodes)
    inputs = feasible(inputs_of(configuration, at, catalog, profiles))
    there = {channel(name) for phase in outcome.phases for name, _ in phase.resource_times_s}
    rows = []
    for name in _SHOWN:
        if name in there:
            then = outcome_from(inputs, configuration, at, catalog, faster=(name, 1.0 + MORE))
            saved_usd = outcome.cost_usd - then.cost_usd
            # The faster resource reduces the node-hours that are paid for.
            hours = configuration.nodes * then.billed_s / SECONDS_PER_HOUR
            worth = saved_usd / hours if hours > 0.0 else None
            rows.append(
                NextDollar(name, MORE, then.time_s, then.cost_usd, outcome.time_s - then.time_s, saved_usd, worth)
            )
    return tuple(rows)


def _of_limits(
    winner: Outcome | None, workload: Workload, catalog: Catalog, profiles: Profiles
) -> tuple[NextDollar, ...]:
    """Compute the effect of a changed deadline or budget.

    Each of them is raised and lowered by a tenth, and a search finds the new best configuration. The budget is changed
    only if time is the objective.
    """
    limits, rows = workload.limits, []
    moved: list[tuple[Bought, float, Limits]] = []
    for change in (MORE, -MORE):
        if limits.deadline_s is not None:
            moved.append(("deadline", change, replace(limits, deadline_s=limits.deadline_s * (1.0 + change))))
        if limits.budget_usd is not None and workload.objective == "time":
            moved.append(("budget", change, replace(limits, budget_usd=limits.budget_usd * (1.0 + change))))
    for what, change, relaxed in moved:
        plan = search(replace(workload, limits=relaxed), catalog, profiles, 1, frontier=False, curves=0)
        if not plan.ranked:
            rows.append(NextDollar(what, change, None, None, None, None, None))
            continue
        then = plan.ranked[0]
        saved_s = saved_usd = price = None
        if winner is not None:
            saved_s, saved_usd = winner.time_s - then.time_s.p50, winner.cost_usd - then.cost_usd.p50
            if what == "deadline" and limits.deadline_s is not None:
                price = saved_usd / (change * limits.deadline_s / 60.0)
        rows.append(
            NextDollar(what, change, then.time_s.p50, then.cost_usd.p50, saved_s, saved_usd, price, then.configuration)
        )
    return tuple(rows)


def _best_of_others(
    configuration: Configuration, workload: Workload, catalog: Catalog, profiles: Profiles
) -> Prediction | None:
    """Return the best configuration with another instance type.

    None if no such configuration meets the limits.
    """
    selection = workload.selection
    without = replace(selection, not_instances=(*selection.not_instances, configuration.instance))
    others = replace(workload, selection=without)
    return next(iter(search(others, catalog, profiles, 1, frontier=False, curves=0).ranked), None)


def _against(outcome: Outcome, winner: Outcome) -> tuple[Against, ...]:
    return tuple(
        Against(mine.name, mine.bottleneck, its.bottleneck, float(mine.time_s), float(its.time_s))
        for mine, its in zip(outcome.phases, winner.phases, strict=False)
    )


def _own_best(
    configuration: Configuration, workload: Workload, catalog: Catalog, profiles: Profiles
) -> Prediction | None:
    """Return the best configuration with the instance type of ``configuration``.

    On EBS, it also has the same volume type. The result is None if no such configuration meets the limits, or if
    ``configuration`` is the best of them.
    """
    layout, selection = configuration.layout, workload.selection
    if selection.refuses(catalog.instance_types[configuration.instance]) is not None:
        return None
    only = replace(selection, instances=(configuration.instance,))
    if isinstance(layout, Ebs):
        if not selection.takes_volume(layout.volume_type):
            return None
        only = replace(only, volumes=(layout.volume_type,))
    alike = replace(workload, selection=only)
    ranked = search(alike, catalog, profiles, 1, frontier=False, curves=0).ranked
    if not ranked or ranked[0].configuration == configuration:
        return None
    return ranked[0]
