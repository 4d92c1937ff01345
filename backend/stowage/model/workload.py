"""The job to be done, as phases of flows; durability as a change of flows."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from stowage.model.units import Quantity, smaller

JobKind = Literal["sort", "mapreduce"]
DurabilityModel = Literal["none", "application", "infrastructure"]


class Role(StrEnum):
    """What a flow does; the storage layout decides which resource of the node it meets."""

    INPUT_READ = "input read"
    OUTPUT_WRITE = "output write"
    INTERMEDIATE_WRITE = "intermediate write"
    INTERMEDIATE_READ = "intermediate read"
    NETWORK_OUT = "network out"
    NETWORK_IN = "network in"
    CPU = "cpu"


@dataclass(frozen=True, slots=True)
class Flow:
    """Bytes that a phase moves in one role, over the whole cluster.

    Parameters
    ----------
    role : Role
    data_mb : float
        [MB], at least 0.
    shuffled : bool
        Whether a node keeps its own share, so that only (n-1)/n of the bytes move.
    """

    role: Role
    data_mb: float
    shuffled: bool = False


@dataclass(frozen=True, slots=True)
class Phase:
    """A part of a job whose flows run side by side."""

    name: str
    flows: tuple[Flow, ...]

    def per_node_mb(self, nodes: Quantity, *, whole_shuffle: bool = False) -> dict[Role, Quantity]:
        """Give what each of ``nodes`` equal nodes moves [MB].

        ``whole_shuffle`` sends all shuffled bytes over the network, as the paper does (Eq. 1).
        """
        moved: dict[Role, Quantity] = {}
        for flow in self.flows:
            share = flow.data_mb / nodes
            if flow.shuffled:
                # A single node keeps everything; beyond it the paper drops the factor.
                share = share * (smaller(nodes - 1.0, 1.0) if whole_shuffle else (nodes - 1.0) / nodes)
            moved[flow.role] = share
        return moved


@dataclass(frozen=True, slots=True)
class Durability:
    """How the output is kept: copies made by the application, or by the storage below it.

    Parameters
    ----------
    model : {"none", "application", "infrastructure"}
    replicas : int
        Copies of the output that the application keeps, counting the first; at least 1.
    """

    model: DurabilityModel = "none"
    replicas: int = 1


@dataclass(frozen=True, slots=True)
class Job:
    """What is computed.

    Parameters
    ----------
    kind : {"sort", "mapreduce"}
    data_mb : float
        Input [MB], above 0.
    map_selectivity, reduce_selectivity : float
        Map output per input and reduce output per map output [1], above 0; 1 for a sort.
    durability : Durability
    """

    kind: JobKind
    data_mb: float
    map_selectivity: float = 1.0
    reduce_selectivity: float = 1.0
    durability: Durability = field(default_factory=Durability)

    @property
    def map_output_mb(self) -> float:
        """Intermediate data [MB]."""
        return self.data_mb * self.map_selectivity

    @property
    def output_mb(self) -> float:
        """One copy of the output [MB]."""
        return self.map_output_mb * self.reduce_selectivity

    @property
    def input_output_mb(self) -> float:
        """What input and all copies of the output take [MB]; nothing is deleted before the end."""
        return self.data_mb + self.durability.replicas * self.output_mb

    def phases(self) -> tuple[Phase, ...]:
        """Give the phases of the job.

        Notes
        -----
        **Source**: SoCC 2015 paper, section 3.3. Eq. 1 and 3 for the two phases; Eq. 8 for the
        copies, of which each is sent to another node and written there; Eq. 10 and 11 are the
        same flows on a layout whose input and output live on EBS.
        """
        copies = self.durability.replicas
        remote_mb = (copies - 1) * self.output_mb
        map_and_shuffle = (
            Flow(Role.INPUT_READ, self.data_mb),
            Flow(Role.CPU, self.data_mb),
            Flow(Role.NETWORK_OUT, self.map_output_mb, shuffled=True),
            Flow(Role.NETWORK_IN, self.map_output_mb, shuffled=True),
            Flow(Role.INTERMEDIATE_WRITE, self.map_output_mb),
        )
        sort_and_reduce: tuple[Flow, ...] = (
            Flow(Role.INTERMEDIATE_READ, self.map_output_mb),
            Flow(Role.CPU, self.map_output_mb),
            Flow(Role.OUTPUT_WRITE, copies * self.output_mb),
        )
        if copies > 1:
            sort_and_reduce += (Flow(Role.NETWORK_OUT, remote_mb), Flow(Role.NETWORK_IN, remote_mb))
        return (Phase("map and shuffle", map_and_shuffle), Phase("sort and reduce", sort_and_reduce))


@dataclass(frozen=True, slots=True)
class Place:
    """Where the job runs."""

    region: str = "us-east-1"
    placement_group: bool = True


@dataclass(frozen=True, slots=True)
class Limits:
    """What an answer must keep to; None where there is no limit.

    Parameters
    ----------
    deadline_s : float or None
        [s], above 0; held against the p50 of the job's time, without launch.
    budget_usd : float or None
        [USD], above 0; held against the p50 of the cost of one run.
    max_nodes : int or None
        At least 1.
    """

    deadline_s: float | None = None
    budget_usd: float | None = None
    max_nodes: int | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """Rates of a node that the user gives instead of profiles [MB/s]; used as they are, without spread.

    ``instance`` names the type they were measured on; None lets them hold for every type.
    """

    storage_mb_per_s: float | None = None
    network_mb_per_s: float | None = None
    ebs_read_mb_per_s: float | None = None
    ebs_write_mb_per_s: float | None = None
    instance: str | None = None


@dataclass(frozen=True, slots=True)
class Assumptions:
    """Effects that can be switched off, to reproduce other people's arithmetic."""

    network: Literal["measured", "baseline", "unlimited"] = "measured"
    shuffle: Literal["exact", "whole"] = "exact"
    capacity: Literal["divided", "pooled"] = "divided"
    cpu: Literal["modelled", "ignored"] = "modelled"
    spread: Literal["modelled", "ignored"] = "modelled"
    launch: Literal["billed", "ignored"] = "billed"
    billing: Literal["by-second", "prorated"] = "by-second"


@dataclass(frozen=True, slots=True)
class Workload:
    """A job with its place, its limits and what is assumed.

    Parameters
    ----------
    name : str
    job : Job
    framework : str
        Name of the efficiency profile; ``ideal`` is the physical bound.
    runs_per_month : float
        [1/month], above 0.
    place, limits, measured, assume
        See the classes.
    """

    name: str
    job: Job
    framework: str = "ideal"
    runs_per_month: float = 1.0
    place: Place = field(default_factory=Place)
    limits: Limits = field(default_factory=Limits)
    measured: Measured = field(default_factory=Measured)
    assume: Assumptions = field(default_factory=Assumptions)

    def measured_of(self, instance: str) -> Measured:
        """Give what the user measured of an instance type."""
        return self.measured if self.measured.instance in {None, instance} else Measured()
