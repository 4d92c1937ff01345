"""Volumes of a node as they are bought: their limits and their price."""

from stowage.frozen import frozen
from stowage.model.cluster import Ebs, Layout, ordered
from stowage.model.hardware.resource import Line
from stowage.model.hardware.volume import lines
from stowage.model.inputs import Inputs
from stowage.model.jobs.flows import INTERMEDIATE
from stowage.model.jobs.workload import Workload
from stowage.model.money.price import volume_usd_per_month
from stowage.model.units import Quantity, quantity_of


@frozen
class Bought:
    """All volumes of one node."""

    lines: tuple[Line, ...]
    """Limits of the volumes, without slow nodes."""
    usd_per_month: Quantity
    """Price of the volumes [USD/month]."""


def volumes_of(inputs: Inputs, layout: Layout, workload: Workload, volume_gib: Quantity | None = None) -> Bought | None:
    """Return the volumes of a node; None if the layout has none.

    Everything that an offer has of the limits of a volume type is in the result.

    Parameters
    ----------
    inputs : Inputs
    layout : Layout
        Layout, which must fit the instance type.
    workload : Workload
    volume_gib : float or array, shape (n,), optional
        Size of each volume [GiB]; None for the size in the layout.
    """
    if not isinstance(layout, Ebs) or inputs.volume is None:
        return None
    volume = ordered(inputs.volume, layout, nitro=inputs.instance.on_nitro, size_gib=volume_gib)
    found = lines(
        volume,
        quantity_of(layout.count),
        credit_level=workload.credits,
        random_io_kib=16.0 if workload.job.random_io_kib is None else workload.job.random_io_kib,
        first_read_mib_per_s=layout.first_read_mib_per_s,
    )
    usd = volume_usd_per_month(
        inputs.volume.prices(), volume.size_gib, _or(volume.iops, 0.0), _or(volume.throughput_mib_per_s, 0.0)
    )
    return Bought(tuple(_without_intermediate(line) for line in found), layout.count * usd)


def _without_intermediate(line: Line) -> Line:
    """Return the line (limit) of a volume without the flows of intermediate data.

    Intermediate data is never on EBS volumes.
    """
    weights = {role: weight for role, weight in line.weights.items() if role not in INTERMEDIATE}
    return Line(line.rate, weights, line.credit, line.full)


def _or(quantity: Quantity | None, default: float) -> Quantity:
    return default if quantity is None else quantity
