"""What a configuration costs for a duration, part by part."""

from dataclasses import dataclass
from datetime import date

from stowage.model.figure import Figure
from stowage.model.units import HOURS_PER_MONTH, SECONDS_PER_HOUR, Quantity, longer

LAUNCH_S = Figure(
    quantity="launch_s",
    value=180.0,
    unit="s",
    source="Default for launch and set-up of a cluster: instances are billed from start-up on, before the job runs",
    kind="estimated",
    as_of=date(2026, 11, 20),
)

MINIMUM_BILLED_S = Figure(
    quantity="minimum_billed_s",
    value=60.0,
    unit="s",
    source="AWS bills instances and EBS volumes by the second, at least 60 s (pricing pages); taken over on this day",
    kind="published",
    as_of=date(2026, 11, 20),
)


@dataclass(frozen=True, slots=True)
class Prices:
    """What one node costs; every price 0 where it does not apply.

    Parameters
    ----------
    usd_per_hour : float
        The instance [USD/h].
    ebs_link_usd_per_hour : float
        Its dedicated EBS link, where that is charged for [USD/h].
    volume_usd_per_gib_month : float
        [USD per GiB and month of 730 h].
    launch_s : float
        Billed before the job starts [s].
    minimum_billed_s : float
        Billed in any case [s].
    """

    usd_per_hour: float
    ebs_link_usd_per_hour: float
    volume_usd_per_gib_month: float
    launch_s: float
    minimum_billed_s: float


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of one run by part [USD].

    Parameters
    ----------
    instances, launch, ebs_link, ebs_volumes : float or array
        ``launch`` is what is billed beyond the job's own time.
    """

    instances: Quantity
    launch: Quantity
    ebs_link: Quantity
    ebs_volumes: Quantity

    @property
    def total(self) -> Quantity:
        """Sum of the parts [USD]."""
        return self.instances + self.launch + self.ebs_link + self.ebs_volumes


def run_cost(prices: Prices, nodes: Quantity, ebs_gib_per_node: Quantity, duration_s: Quantity) -> Cost:
    """Cost one run.

    Parameters
    ----------
    prices : Prices
    nodes : float or array
    ebs_gib_per_node : float or array
        EBS capacity attached to each node [GiB].
    duration_s : float or array
        The job's own time [s].

    Returns
    -------
    Cost

    Notes
    -----
    **Source**: SoCC 2015 paper, Eq. 7, with launch time and volumes added.

    Examples
    --------
    >>> prices = Prices(6.82, 0.0, 0.0, launch_s=0.0, minimum_billed_s=0.0)
    >>> round(run_cost(prices, 178.0, 0.0, 888.0).total, 2)
    299.44
    """
    billed_s = billed(prices, duration_s)
    instances = nodes * prices.usd_per_hour * duration_s / SECONDS_PER_HOUR
    launch = nodes * prices.usd_per_hour * (billed_s - duration_s) / SECONDS_PER_HOUR
    ebs_link = nodes * prices.ebs_link_usd_per_hour * billed_s / SECONDS_PER_HOUR
    usd_per_gib_s = prices.volume_usd_per_gib_month / (HOURS_PER_MONTH * SECONDS_PER_HOUR)
    ebs_volumes = nodes * ebs_gib_per_node * usd_per_gib_s * billed_s
    return Cost(instances, launch, ebs_link, ebs_volumes)


def billed(prices: Prices, duration_s: Quantity) -> Quantity:
    """Give what is billed for a job of some duration [s]: launch included, the minimum at least."""
    return longer(duration_s + prices.launch_s, prices.minimum_billed_s)
