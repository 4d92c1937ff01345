"""Flows through the resources of a node: roles, phases, and the nodes that flows depend on.

A flow is data that a node moves. A job is a list of phases; the flows of a phase run at the same time. Jobs differ only
in their lists of phases; the same resources determine the time of every job. There are sorts (`mapreduce`), writing to
HDFS (`hdfs`), appending to a log (`append_log`), random I/O (`random_io`) and phases of the user (`spelled`).
"""

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Literal

from stowage.frozen import frozen
from stowage.model.figure import Figure, given
from stowage.model.jobs.engine import DIRECT, Engine
from stowage.model.units import Quantity, smaller

DurabilityModel = Literal["none", "application", "infrastructure", "object-store"]


class Role(StrEnum):
    """Role of a flow, such as reading the input or sending over the network.

    Together with the storage layout, the role determines which resource of the node the flow uses. ``LOADED`` and
    ``UNLOADED``: data that a node reads from the object store and writes to it, for a job whose input and output are on
    the node's own disks or volumes. ``FETCHED`` and ``DELIVERED``: data that a node receives from outside AWS and sends
    there. ``LINK_IN`` and ``LINK_OUT``: the totals of all nodes, which share one link.
    """

    INPUT_READ = "input read"
    OUTPUT_WRITE = "output write"
    INTERMEDIATE_WRITE = "intermediate write"
    INTERMEDIATE_READ = "intermediate read"
    RANDOM_READ = "random read"
    RANDOM_WRITE = "random write"
    NETWORK_OUT = "network out"
    NETWORK_IN = "network in"
    CPU = "cpu"
    LOADED = "loaded"
    UNLOADED = "unloaded"
    FETCHED = "fetched"
    DELIVERED = "delivered"
    LINK_IN = "link in"
    LINK_OUT = "link out"


INTERMEDIATE = (Role.INTERMEDIATE_READ, Role.INTERMEDIATE_WRITE)
PhaseKind = Literal["launch", "load", "work", "unload", "start-up", "rework"]
"""Kind of a phase of a run: launch of the cluster, loading and unloading, the job itself, framework overhead, or the
expected rework after spot interruptions."""

MOVED = frozenset({Role.LOADED, Role.UNLOADED, Role.FETCHED, Role.DELIVERED, Role.LINK_IN, Role.LINK_OUT})
"""Roles of loading and unloading, which depend on the places of a job's data."""
READS = (Role.INPUT_READ, Role.INTERMEDIATE_READ, Role.RANDOM_READ)
WRITES = (Role.OUTPUT_WRITE, Role.INTERMEDIATE_WRITE, Role.RANDOM_WRITE)


@frozen
class Phase:
    """One part of a job, whose flows run at the same time.

    Each flow is data that one node moves.
    """

    name: str
    flows_mb: Mapping[Role, Quantity]
    """Data that the busiest node moves in each role [MB]."""
    cache_mb: Quantity = 0.0
    """Amount of output that the page cache takes before the writer waits for the disk [MB]."""
    kind: PhaseKind = "work"


def with_busiest_node(phases: tuple[Phase, ...], times: Quantity | None) -> tuple[Phase, ...]:
    """Return the phases of a job with the flows of its busiest node.

    The busiest node determines the time of a phase, because all other nodes wait for it.

    Parameters
    ----------
    phases : tuple of Phase
    times : float, array or None
        Factor by which the flows of the busiest node exceed those of the phases [1]; None for 1. The flows of loading
        and unloading do not change, as they are not the framework's work.
    """
    if times is None:
        return phases
    return tuple(
        replace(phase, flows_mb={role: flow * times for role, flow in phase.flows_mb.items()})
        if phase.kind == "work"
        else phase
        for phase in phases
    )


@frozen
class Nodes:
    """Properties of the nodes of a cluster, on which the flows of a job depend."""

    count: Quantity
    """Number of nodes, at least 1."""
    memory_mb: Quantity = 0.0
    """Memory of one node [MB]."""
    vcpus: Quantity = 1.0
    """vCPUs of one node [1]."""
    whole_shuffle: bool = False
    """Whether all shuffled bytes cross the network, as in the paper (Eq. 1), instead of the share (n-1)/n."""
    engine: Engine = DIRECT
    """Execution of the job by its framework."""

    def shuffled(self, per_node_mb: Quantity) -> Quantity:
        """Return how much data a node sends to other nodes in a shuffle [MB].

        ``per_node_mb`` is the data of the node that is shuffled. The result is 0 for a single node.
        """
        # For more than one node the paper drops the factor (n-1)/n.
        remote = smaller(self.count - 1.0, 1.0) if self.whole_shuffle else (self.count - 1.0) / self.count
        return per_node_mb * remote


@frozen
class Durability:
    """Protection of data against loss: by the application, by the storage service, or none."""

    model: DurabilityModel = "none"
    replicas: int = 1
    """Copies that the application stores on different nodes, including the first; at least 1."""

    def figures(self) -> tuple[Figure, ...]:
        """List the figures that the user gave."""
        if self.model != "application":
            return ()
        return (given("workload.durability.replicas", float(self.replicas), "1"),)
