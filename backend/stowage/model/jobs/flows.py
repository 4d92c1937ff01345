"""Flows through the resources of a node: roles, phases, and their dependence on the nodes.

A job is a list of phases; the flows of a phase run at the same time. Sorting (`mapreduce`), writing to HDFS (`hdfs`),
appending to a log (`append_log`), random I/O (`random_io`) and phases that the user specifies (`spelled`) differ only
in their lists, not in code: the same resources determine the time of every job.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal

from stowage.model.jobs.engine import DIRECT, Engine
from stowage.model.units import Quantity, smaller

DurabilityModel = Literal["none", "application", "infrastructure", "object-store"]


class Role(StrEnum):
    """Role of a flow; it determines, together with the storage layout, which resource of the node the flow uses.

    ``LOADED`` and ``UNLOADED``: data that a node reads from the object store and writes to it, for a job whose input
    and output are on the node's own disks or volumes. ``FETCHED`` and ``DELIVERED``: data that a node receives from
    outside AWS and sends there. ``LINK_IN`` and ``LINK_OUT``: the totals of all nodes, which share one link.
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


@dataclass(frozen=True, slots=True)
class Phase:
    """A part of a job whose flows run at the same time; each flow is the data that one node moves.

    Parameters
    ----------
    name : str
    flows_mb : Mapping[Role, float or array]
        Data that the busiest node moves in each role [MB].
    cache_mb : float or array
        Amount of output that the page cache takes before the writer waits for the disk [MB].
    kind : PhaseKind
    """

    name: str
    flows_mb: Mapping[Role, Quantity]
    cache_mb: Quantity = 0.0
    kind: PhaseKind = "work"


def with_busiest_node(phases: tuple[Phase, ...], times: Quantity | None) -> tuple[Phase, ...]:
    """Return the phases of a job with the flows of its busiest node.

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


@dataclass(frozen=True, slots=True)
class Nodes:
    """Properties of the nodes that a job's flows depend on.

    Parameters
    ----------
    count : float or array
        Number of nodes, at least 1.
    memory_mb : float or array
        Memory of one node [MB].
    vcpus : float or array
        vCPUs of one node [1].
    whole_shuffle : bool
        Whether all shuffled bytes cross the network, as in the paper (Eq. 1), instead of the share (n-1)/n.
    engine : Engine
        Execution of the job by its framework.
    """

    count: Quantity
    memory_mb: Quantity = 0.0
    vcpus: Quantity = 1.0
    whole_shuffle: bool = False
    engine: Engine = DIRECT

    def shuffled(self, per_node_mb: Quantity) -> Quantity:
        """Return how much of ``per_node_mb`` a node sends to other nodes in a shuffle [MB]; 0 for a single node."""
        # For more than one node the paper drops the factor (n-1)/n.
        remote = smaller(self.count - 1.0, 1.0) if self.whole_shuffle else (self.count - 1.0) / self.count
        return per_node_mb * remote


@dataclass(frozen=True, slots=True)
class Durability:
    """Durability of data: replication by the application, by the storage service, or none.

    Parameters
    ----------
    model : {"none", "application", "infrastructure", "object-store"}
    replicas : int
        Copies that the application stores on different nodes, including the first; at least 1.
    """

    model: DurabilityModel = "none"
    replicas: int = 1
