"""Flows through the resources of a node: roles, phases, and how flows depend on the nodes.

A job is a list of phases; in a phase its flows run side by side. Sorting (`mapreduce`), writing to HDFS
(`hdfs`), appending to a log (`append_log`), random I/O (`random_io`) and what the user spells out (`spelled`)
are different lists, not different code: the time of each comes from the same resources.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal

from stowage.model.jobs.engine import DIRECT, Engine
from stowage.model.units import Quantity, smaller

DurabilityModel = Literal["none", "application", "infrastructure", "object-store"]


class Role(StrEnum):
    """Role of a flow; the storage layout decides which resource of the node it uses.

    ``LOADED`` and ``UNLOADED`` are what a node fetches from the object store, and stores there, for a job whose input
    and output lie on the node's own disks or volumes. ``FETCHED`` and ``DELIVERED`` are what a node receives from
    outside AWS and sends there; ``LINK_IN`` and ``LINK_OUT`` are the totals of all nodes, which share one link.
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
"""Kinds of phases of a run: launch of the cluster, loading and unloading, the job itself, framework overhead, and the
expected rework after spot interruptions."""

MOVED = frozenset({Role.LOADED, Role.UNLOADED, Role.FETCHED, Role.DELIVERED, Role.LINK_IN, Role.LINK_OUT})
"""Roles of loading and unloading, which follow from the places of a job's data."""
READS = (Role.INPUT_READ, Role.INTERMEDIATE_READ, Role.RANDOM_READ)
WRITES = (Role.OUTPUT_WRITE, Role.INTERMEDIATE_WRITE, Role.RANDOM_WRITE)


@dataclass(frozen=True, slots=True)
class Phase:
    """A part of a job whose flows run side by side: what one node moves.

    Parameters
    ----------
    name : str
    flows_mb : Mapping[Role, float or array]
        [MB] of the node with the most to do.
    cache_mb : float or array
        Of the output, what the page cache takes before the writer waits for the disk [MB].
    kind : PhaseKind
    """

    name: str
    flows_mb: Mapping[Role, Quantity]
    cache_mb: Quantity = 0.0
    kind: PhaseKind = "work"


def with_busiest_node(phases: tuple[Phase, ...], times: Quantity | None) -> tuple[Phase, ...]:
    """Return the phases of a job in which the busiest node does more than its share.

    Parameters
    ----------
    phases : tuple of Phase
    times : float, array or None
        How many times as much it does as the phases have [1]; None for as much. Loading and unloading are not the
        framework's work and stay as they are.
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
    """The nodes that a job runs on, as far as its flows depend on them.

    Parameters
    ----------
    count : float or array
        At least 1.
    memory_mb : float or array
        Of one node [MB].
    vcpus : float or array
        Of one node.
    whole_shuffle : bool
        Send all shuffled bytes over the network, as the paper does (Eq. 1), instead of (n-1)/n.
    engine : Engine
        How the framework runs the job.
    """

    count: Quantity
    memory_mb: Quantity = 0.0
    vcpus: Quantity = 1.0
    whole_shuffle: bool = False
    engine: Engine = DIRECT

    def shuffled(self, per_node_mb: Quantity) -> Quantity:
        """Return what of its bytes a node sends to others [MB]: a single node keeps everything."""
        # Beyond a single node the paper drops the factor (n-1)/n.
        remote = smaller(self.count - 1.0, 1.0) if self.whole_shuffle else (self.count - 1.0) / self.count
        return per_node_mb * remote


@dataclass(frozen=True, slots=True)
class Durability:
    """How data is kept: copies made by the application, or by the storage below it.

    Parameters
    ----------
    model : {"none", "application", "infrastructure", "object-store"}
    replicas : int
        Copies that the application keeps on different nodes, counting the first; at least 1.
    """

    model: DurabilityModel = "none"
    replicas: int = 1
