"""Cost of a configuration, divided into parts.

The cost is that of one run, of a month of runs, or of a month of an always-on cluster.
"""

from dataclasses import replace
from datetime import date
from functools import reduce

import numpy as np

from stowage.frozen import frozen
from stowage.model.figure import Number
from stowage.model.money.price import SECONDS_PER_MONTH, absent, plus
from stowage.model.money.terms import DERIVED, TERMS
from stowage.model.units import SECONDS_PER_HOUR, Quantity, longer, plain, smaller

LAUNCH_S = Number("launch_s", 180.0, "s").estimated(
    "Default for launch and set-up of a cluster: instances are billed from start-up on, before the job runs",
    date(2026, 11, 20),
)

BARE_METAL_LAUNCH_S = replace(
    LAUNCH_S,
    value=1_200.0,
    source=(
        "EC2 user guide, launching bare metal instances: it boots the underlying server, and can take 20 minutes until "
        "the instance is available over the network"
    ),
    kind="published",
)

MINIMUM_BILLED_S = Number("minimum_billed_s", 60.0, "s").published(
    "AWS bills instances and EBS volumes by the second, at least 60 s (pricing pages); taken over on this day",
    date(2026, 11, 20),
)

_LEAST = 1e-200  # stands for 0 in a divisor


@frozen
class Prices:
    """Prices of one node.

    A price that does not apply is 0.
    """

    usd_per_hour: Quantity
    """Price of the instance under its purchase option [USD/h]."""
    ebs_link_usd_per_hour: Quantity
    """Price of the dedicated EBS link, if AWS charges for it [USD/h]."""
    launch_s: float
    """Time that is billed before the job starts [s]."""
    minimum_billed_s: float
    """Minimum billed time [s]."""
    volumes_usd_per_month: Quantity = 0.0
    """Price of all volumes of one node: `price.volume_usd_per_month` times their number [USD/month]."""
    emr_usd_per_hour: Quantity = 0.0
    """EMR fee for each node [USD/h]."""
    head_nodes: Quantity = 0.0
    """Number of head nodes (NameNode, EMR primary), which store no data, in addition to the other nodes [1]."""
    head_usd_per_hour: Quantity = 0.0
    """Price of one head node [USD/h]."""
    head_emr_usd_per_hour: Quantity = 0.0
    """EMR fee for one head node [USD/h]."""
    committed_s: float = 0.0
    """Minimum time for which each run pays the instances [s]. For a commitment of this job alone, it is a month divided
    by the number of runs in a month."""


@frozen
class Charges:
    """Charges of one run that are not billed by the second.

    Examples are charges for moved and stored data. A charge that does not apply is 0.
    """

    object_store: Quantity = 0.0
    """Charges for the object store: `price.stored_usd` and `price.requests_usd` [USD]."""
    traffic: Quantity = 0.0
    """Charges for traffic between availability zones: `price.traffic_usd` [USD]."""
    volume_io: Quantity = 0.0
    """Charges for I/O operations of volumes: `price.volume_io_usd` [USD]."""
    screening: Quantity = 0.0
    """Cost of launching, measuring and releasing spare nodes, plus the cost of the other nodes during that measurement
    [USD]; see `terms.SCREENING`."""


NO_CHARGES = Charges()


@frozen
class Cost:
    """One cost, divided into parts [USD].

    `terms.TERMS` declares the parts, in the same order.
    """

    instances: Quantity
    """Cost of instances for the job's own time [USD]."""
    launch: Quantity = 0.0
    """Cost of instances for the time that is billed beyond the job's own time [USD]."""
    idle_commitment: Quantity = 0.0
    """Cost of committed instances while no run needs them [USD]; the float 0.0 if it does not apply, even if the other
    parts are arrays."""
    screening: Quantity = 0.0
    """Cost of measuring spare nodes, as in `Charges` [USD]; the float 0.0 if it does not apply."""
    ebs_link: Quantity = 0.0
    """Cost of the dedicated EBS link [USD]."""
    ebs_volumes: Quantity = 0.0
    """Cost of the EBS volumes [USD]."""
    volume_io: Quantity = 0.0
    """Charges for I/O operations of volumes [USD]; the float 0.0 if they do not apply."""
    object_store: Quantity = 0.0
    """Charges for the object store [USD]; the float 0.0 if they do not apply."""
    head_nodes: Quantity = 0.0
    """Cost of the head nodes [USD]; the float 0.0 if it does not apply."""
    emr_fee: Quantity = 0.0
    """EMR fee [USD]; the float 0.0 if it does not apply."""
    traffic: Quantity = 0.0
    """Charges for traffic between availability zones [USD]; the float 0.0 if they do not apply."""
    rework: Quantity = 0.0
    """Cost of the time that interruptions add [USD]; the float 0.0 if it does not apply."""

    @property
    def parts(self) -> tuple[Quantity, ...]:
        """Cost of each part [USD], in the order of the fields."""
        return tuple(getattr(self, term.part) for term in TERMS)

    @property
    def total(self) -> Quantity:
        """Sum of the parts [USD]."""
        return reduce(plus, self.parts)


def run_cost(
    prices: Prices,
    nodes: Quantity,
    duration_s: Quantity,
    charges: Charges = NO_CHARGES,
    rework_s: Quantity = 0.0,
) -> Cost:
    """Compute the cost of one run.

    Parameters
    ----------
    prices : Prices
    nodes : float or array
    duration_s : float or array
        The job's own time [s].
    charges : Charges
        Charges of this run. A charge that is due again after an interruption is counted once.
    rework_s : float or array
        Time that interruptions are expected to add [s]: `Spot.expected_s` minus ``duration_s``.

    Returns
    -------
    Cost

    Notes
    -----
    **Source**: SoCC 2015 paper, Eq. 7, with launch time and volumes added.

    Examples
    --------
    >>> prices = Prices(6.82, 0.0, launch_s=0.0, minimum_billed_s=0.0)
    >>> round(run_cost(prices, 178.0, 888.0).total, 2)
    299.44
    """
    inputs = _inputs(prices, nodes) | {"work_s": duration_s, "rework_s": rework_s}
    for name, line in DERIVED.items():
        # Only rework needs the price of a second, which takes longest to compute.
        inputs[name] = 0.0 if name == "usd_per_s" and absent(rework_s) else line.value(inputs)
    return Cost(
        **{term.part: getattr(charges, term.part) if term.line is None else term.line.value(inputs) for term in TERMS}
    )


def always_on_cost(
    prices: Prices,
    nodes: Quantity,
    charges: Charges = NO_CHARGES,
    runs_per_month: Quantity = 1.0,
) -> Cost:
    """Compute the cost of an always-on cluster for a month.

    An example is an HDFS cluster.

    Parameters
    ----------
    prices, nodes
        As for `run_cost`. All hours of a commitment are paid for, so `Prices.committed_s` has no effect. The launch and
        the minimum billed time have no effect either. Spot prices have no meaning here, as AWS would reclaim the nodes.
    charges : Charges
        Charges that each run adds. Storage in an object store must be priced for this number of runs
        (``runs_per_month`` of `price.stored_usd`), as a single run reaches other price tiers.
    runs_per_month : float or array
        Number of runs in a month [1].

    Returns
    -------
    Cost
        Cost of 730 hours.

    Examples
    --------
    >>> prices = Prices(0.10, 0.0, launch_s=180.0, minimum_billed_s=60.0, volumes_usd_per_month=90.0)
    >>> cost = always_on_cost(prices, 5.0)
    >>> round(cost.instances, 9), round(cost.ebs_volumes, 9)
    (365.0, 450.0)
    """
    kept = replace(prices, launch_s=0.0, minimum_billed_s=0.0, committed_s=0.0)
    month = (charges.object_store, charges.traffic, charges.volume_io)
    of_runs = Charges(*(0.0 if absent(usd) else usd * runs_per_month for usd in month))
    return run_cost(kept, nodes, SECONDS_PER_MONTH, of_runs)


@frozen
class Tariff:
    """Cost of one run as a function of its billed time.

    The function is a straight line, with a kink where a commitment is used up. The cost never falls as the job's own
    time grows. So ``usd`` converts the quantiles of time to those of cost. The chance to meet a budget is the chance
    that the job takes no longer than ``longest_s`` of the budget.

    On spot instances, `Spot.expected_s` converts a job's own time to its expected time for ``usd``. The quantiles of
    cost then include the expected interruptions, but not the spread between runs with more or fewer interruptions.
    """

    usd_per_s: Quantity
    """Cost of everything that is billed by the second, except for instances under a commitment [USD/s]."""
    fixed_usd: Quantity
    """All other cost [USD]."""
    launch_s: float
    """Time that is billed before the job starts [s], at least 0."""
    minimum_billed_s: float
    """Minimum billed time [s], at least 0."""
    committed_usd_per_s: Quantity = 0.0
    """Cost of instances under a commitment [USD/s]."""
    committed_s: float = 0.0
    """Minimum time for which instances under a commitment are paid [s]."""

    def usd(self, duration_s: Quantity) -> Quantity:
        """Return the cost of a job that takes ``duration_s`` without launch [USD]."""
        billed_s = longer(duration_s + self.launch_s, self.minimum_billed_s)
        usd = self.fixed_usd + self.usd_per_s * billed_s
        if absent(self.committed_usd_per_s):
            return usd
        return usd + self.committed_usd_per_s * longer(billed_s, self.committed_s)

    def longest_s(self, budget_usd: Quantity) -> Quantity:
        """Return the longest time of a job, without launch, that a budget pays for [s].

        The result is 0 if the budget is too small.
        """
        left_usd = budget_usd - self.fixed_usd
        if absent(self.committed_usd_per_s):
            billed_s = left_usd / longer(self.usd_per_s, _LEAST)
        else:
            # The cost is the larger of two lines: with the whole commitment, and with instances by the second.
            idle_usd = left_usd - self.committed_usd_per_s * self.committed_s
            within_s = idle_usd / longer(self.usd_per_s, _LEAST)
            # If nothing else is billed by the second, a budget for the commitment pays for any time within it.
            free = np.logical_and(np.equal(self.usd_per_s, 0.0), np.greater_equal(idle_usd, 0.0))
            within_s = plain(np.where(free, np.inf, within_s))
            beyond_s = left_usd / longer(self.usd_per_s + self.committed_usd_per_s, _LEAST)
            billed_s = smaller(within_s, beyond_s)
        own_s = longer(billed_s - self.launch_s, 0.0)
        if isinstance(billed_s, float):
            return own_s if billed_s >= self.minimum_billed_s else 0.0
        return np.where(billed_s >= self.minimum_billed_s, own_s, 0.0)


def tariff(prices: Prices, nodes: Quantity, charges: Charges = NO_CHARGES) -> Tariff:
    """Build the cost of a run as a function of its time.

    The costs equal those of `run_cost` except for rounding.

    Examples
    --------
    >>> sort = tariff(Prices(6.82, 0.0, launch_s=0.0, minimum_billed_s=60.0), 178.0)
    >>> round(sort.usd(888.0), 2), round(sort.longest_s(299.4435), 1)
    (299.44, 888.0)
    """
    fixed_usd = plus(plus(plus(charges.object_store, charges.traffic), charges.volume_io), charges.screening)
    committed_usd_per_s: Quantity = 0.0
    by_second = prices
    if prices.committed_s > 0.0:
        committed_usd_per_s = nodes * prices.usd_per_hour / SECONDS_PER_HOUR
        by_second = replace(prices, usd_per_hour=0.0)
    return Tariff(
        DERIVED["usd_per_s"].value(_inputs(by_second, nodes)),
        fixed_usd,
        prices.launch_s,
        prices.minimum_billed_s,
        committed_usd_per_s,
        prices.committed_s,
    )


def _inputs(prices: Prices, nodes: Quantity) -> dict[str, Quantity]:
    """Return the inputs of cost terms that do not depend on the time of a run.

    The result maps the names of inputs to their values.
    """
    return {
        "nodes": nodes,
        "usd_per_hour": prices.usd_per_hour,
        "ebs_link_usd_per_hour": prices.ebs_link_usd_per_hour,
        "emr_usd_per_hour": prices.emr_usd_per_hour,
        "volumes_usd_per_month": prices.volumes_usd_per_month,
        "head_nodes": prices.head_nodes,
        "head_usd_per_hour": prices.head_usd_per_hour,
        "head_emr_usd_per_hour": prices.head_emr_usd_per_hour,
        "launch_s": prices.launch_s,
        "minimum_billed_s": prices.minimum_billed_s,
        "committed_s": prices.committed_s,
    }
