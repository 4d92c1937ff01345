"""Probabilities that candidates lose data, computed for many candidates at once."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from stowage.model.cluster import Configuration, Ebs, Layout
from stowage.model.hardware.catalog import Catalog
from stowage.model.hardware.profile import Profiles
from stowage.model.infeasible import feasible
from stowage.model.inputs import Inputs
from stowage.model.jobs.workload import Workload
from stowage.model.loss.exposure import loss_probabilities
from stowage.model.money.price import Purchase
from stowage.model.offer import offer_of
from stowage.model.plan import Candidate
from stowage.model.units import Quantity
from stowage.optimizer.outcome import inputs_of


def loss_of(candidate: Candidate) -> float:
    """Return the probability that a candidate loses data [1].

    It is 0 if it was not computed.
    """
    return 0.0 if candidate.loss is None else candidate.loss


def with_losses(
    candidates: Sequence[Candidate], paid: Mapping[Purchase, Workload], catalog: Catalog, profiles: Profiles
) -> list[Candidate]:
    """Return candidates with their loss probabilities filled in.

    All candidates must have the same durability. The model's inputs and rates are computed only once for each instance
    type and layout.

    Parameters
    ----------
    candidates : sequence of Candidate
    paid : Mapping[str, Workload]
        Workload for each purchase option.
    catalog : Catalog
    profiles : Profiles
    """
    alike: dict[tuple[str, str | Layout, Purchase], list[int]] = {}
    for place, candidate in enumerate(candidates):
        layout = candidate.configuration.layout
        # Size and provisioned performance of a volume do not change its failure rate.
        of_layout = layout.volume_type if isinstance(layout, Ebs) else layout
        alike.setdefault((candidate.configuration.instance, of_layout, candidate.purchase), []).append(place)
    exposed: dict[int, _Exposed] = {}
    for (_, _, purchase), places in alike.items():
        workload = paid[purchase]
        inputs = feasible(inputs_of(candidates[places[0]].configuration, workload, catalog, profiles))
        exposed |= zip(places, _exposed([candidates[place] for place in places], inputs, workload), strict=True)
    losses = dict(zip(exposed, loss_probabilities(list(exposed.values())), strict=True))
    return [replace(candidate, loss=losses[place]) for place, candidate in enumerate(candidates)]


_Exposed: TypeAlias = tuple[Inputs, Quantity, Configuration, Workload, float]
"""Arguments of `loss_probability`."""


def _exposed(candidates: Sequence[Candidate], inputs: Inputs, workload: Workload) -> Iterator[_Exposed]:
    """Yield the arguments of `loss_probability` for each candidate.

    All candidates must have the same instance type and layout.
    """
    nodes = np.array([float(candidate.configuration.nodes) for candidate in candidates])
    offered = offer_of(inputs, candidates[0].configuration.layout, workload, nodes, quantile=0.5)
    repair_mb_per_s = np.broadcast_to(offered.repair_mb_per_s, nodes.shape).tolist()
    for candidate, rate in zip(candidates, repair_mb_per_s, strict=True):
        configuration = candidate.configuration
        yield inputs, rate, configuration, workload.at(configuration.nodes), workload.exposure_s(candidate.time_s)
