"""Price columns: prices of nodes and head nodes for all instance types of a region at once.

They are those of `stowage.model.inputs.gather`, number by number.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from stowage.frozen import frozen
from stowage.model.hardware.catalog import Catalog
from stowage.model.hardware.instance import PRICE_OF, InstanceType
from stowage.model.infeasible import Infeasible
from stowage.model.inputs import head_price
from stowage.model.jobs.head import shared_head
from stowage.model.jobs.workload import Workload
from stowage.model.money.price import SECONDS_PER_MONTH, usual_emr_usd_per_hour
from stowage.model.units import Quantity
from stowage.optimizer.arrays import Flags, Floats


@frozen
class PriceColumns:
    """Prices of nodes and head nodes for all instance types of a region."""

    columns: Mapping[str, Quantity]
    """Fields of `kernel.PRICES`: one number for each type, or one for all; NaN where a price is unknown."""
    known: Flags
    """Whether all prices of each type are known."""
    head: InstanceType | None
    """Type of the head node; None if there is no head node, or if it has the type of the workers."""


def price_columns(workload: Workload, catalog: Catalog, names: Sequence[str], link_gap: Flags | None) -> PriceColumns:
    """Return the prices of nodes and head nodes.

    Parameters
    ----------
    workload : Workload
    catalog : Catalog
    names : sequence of str
        Names of the instance types, in the order of the result.
    link_gap : array of bool, shape (types,), or None
        Whether the EBS link of each type costs extra; None if data is not on EBS.
    """
    place = workload.place
    order = {name: position for position, name in enumerate(catalog.instance_types)}
    positions = np.array([order[name] for name in names], np.int64)

    def usd(quantity: str) -> Floats:
        return catalog.usd(quantity)[positions]

    node, on_demand = usd(PRICE_OF[place.paid_by]), usd("usd_per_hour")
    head = shared_head(workload, catalog.instance_types) if workload.head_nodes else None
    of_head: Quantity = 0.0
    if head is not None:
        found = head_price(head, workload)
        of_head = np.nan if isinstance(found, Infeasible) else found.value
    elif workload.head_nodes:
        # An interrupted head node ends the whole cluster: it is never a spot instance.
        of_head = on_demand if place.purchase == "spot" else node
    emr: Quantity = 0.0
    of_head_emr: Quantity = 0.0
    if place.service == "emr":
        listed = np.array([fee.value if (fee := catalog.emr_fees.get(name)) else np.nan for name in names])
        emr = np.where(np.isnan(listed), usual_emr_usd_per_hour(on_demand), listed)
        fee = None if head is None else catalog.emr_fees.get(head.name)
        if head is None:
            of_head_emr = np.where(np.isnan(listed), usual_emr_usd_per_hour(of_head), listed)
        else:
            of_head_emr = usual_emr_usd_per_hour(of_head) if fee is None else fee.value
    link: Quantity = 0.0
    if link_gap is not None:
        surcharge = usd("ebs_usd_per_hour")
        # Old catalogs list no surcharge.
        link = np.where(np.isnan(surcharge) & ~link_gap, 0.0, surcharge)
    known = ~np.isnan(node + of_head + emr + of_head_emr + link)
    return PriceColumns(
        columns={
            "usd_per_hour": node,
            "month_usd_per_hour": node,
            "link": link,
            "emr": emr,
            "head_nodes": float(workload.head_nodes),
            "head": of_head,
            "head_emr": of_head_emr,
            "committed_s": SECONDS_PER_MONTH / workload.runs_per_month if workload.bears_commitment else 0.0,
        },
        known=known,
        head=head,
    )
