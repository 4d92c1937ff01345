"""Resources of a node: how long moving flows through them takes."""

from collections.abc import Mapping
from dataclasses import dataclass

from stowage.model.units import Quantity, longer
from stowage.model.workload import Role


@dataclass(frozen=True, slots=True)
class Line:
    """A limit on a resource.

    Parameters
    ----------
    rate : float or array
        What the limit lets through [MB/s], above 0.
    weights : Mapping[Role, float]
        How much of the limit one MB of each flow takes [1]; flows not named take none.
    """

    rate: Quantity
    weights: Mapping[Role, float]


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource of one node: its lines all hold at once.

    Parameters
    ----------
    name : str
        As people see it where it is the bottleneck: ``network out``, ``intermediate disks``.
    lines : tuple of Line
    """

    name: str
    lines: tuple[Line, ...]

    def time_s(self, flows_mb: Mapping[Role, Quantity]) -> Quantity:
        """Say how long this resource takes to move the flows of a phase.

        Parameters
        ----------
        flows_mb : Mapping[Role, float or array]
            What one node moves [MB].

        Returns
        -------
        float or array
            max over lines of sum(weight x flow) / rate [s].

        Notes
        -----
        **Source**: the paper's Eq. 1, each of whose terms is a line with one flow.

        Examples
        --------
        >>> disk = Resource("disk", (Line(200.0, {Role.INPUT_READ: 1.0}),))
        >>> disk.time_s({Role.INPUT_READ: 1000.0, Role.NETWORK_OUT: 9e9})
        5.0
        """
        slowest: Quantity = 0.0
        for line in self.lines:
            moved: Quantity = 0.0
            for role, flow_mb in flows_mb.items():
                weight = line.weights.get(role)
                if weight is not None:
                    moved = moved + weight * flow_mb
            slowest = longer(slowest, moved / line.rate)
        return slowest
