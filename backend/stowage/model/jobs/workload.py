"""Workloads: a job with its place, limits and assumptions."""

from collections.abc import Iterator
from dataclasses import field, replace
from typing import Literal

from stowage.frozen import frozen
from stowage.model.choice import Objective, Quotas, Selection
from stowage.model.figure import Figure
from stowage.model.infeasible import Broken
from stowage.model.jobs.append_log import AppendLog
from stowage.model.jobs.flows import Nodes, Phase, Role
from stowage.model.jobs.framework import Framework
from stowage.model.jobs.frameworks import FRAMEWORKS
from stowage.model.jobs.hdfs import EMR_REPLICATION, Hdfs, default_replication
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.random_io import RandomIo
from stowage.model.jobs.spelled import FreePhases
from stowage.model.jobs.task_slots import ONE_PER_VCPU, TaskSlots
from stowage.model.money.price import Purchase
from stowage.model.uncertainty.straggler import Stragglers
from stowage.model.units import SECONDS_PER_YEAR, Quantity

JobName = Literal["sort", "mapreduce", "hdfs-write", "hdfs-read", "append-log", "random-io", "phases"]
Job = MapReduce | Hdfs | AppendLog | RandomIo | FreePhases
Service = Literal["ec2", "emr"]
Payment = Literal["on-demand", "spot", "1-year", "3-year", "any"]
"""Purchase option of instances; with `any` the search tries each."""
Commitment = Literal["used", "alone"]
Launch = Literal["counted", "billed", "ignored"]
"""Whether the launch of a cluster counts in the time of a run and is billed, is only billed, or neither."""


@frozen
class Elsewhere:
    """One place outside AWS, such as a data center of the user or another cloud.

    All nodes share one link to it.
    """

    link_mb_per_s: float
    """Rate of the link in the direction of the transfer [MB/s], above 0."""


NamedPlace = Literal["in-place", "object-store"]
DataPlace = NamedPlace | Elsewhere
"""Place of data before or after a job: the cluster's own storage, the object store, or elsewhere at a rate."""
Head = Literal["workers", "general"]
"""Kind of the head node's type: that of the workers, or a small general-purpose one (`head`)."""
HeadRole = Literal["NameNode", "EMR primary"]
"""Role of the head node, which holds no data."""


LOADING, UNLOADING = "load from the object store", "unload to the object store"
FETCHING, DELIVERING = "load from elsewhere", "unload to elsewhere"
"""Names of the phases before and after a job."""


@frozen
class Place:
    """Region, service and purchase option of the cluster that runs the job."""

    region: str = "us-east-1"
    placement_group: bool = True
    service: Service = "ec2"
    """EMR charges a fee for each node, and adds a primary node."""
    primary: str | None = None
    """Instance type of the head node (EMR's primary, HDFS' NameNode); None to derive it from `head`."""
    head: Head = "workers"
    """Type of the head node if `primary` is None: that of the workers, or a general-purpose type."""
    purchase: Payment = "on-demand"
    """With `any` the search tries each option (`optimizer.merge`); a prediction needs one of the other values."""
    zones: int = 1
    """Availability zones over which the nodes are spread evenly; at least 1."""
    commitment: Commitment = "used"
    """`used`: the job pays for the hours of a commitment that it uses, since other jobs use the rest. `alone`: the
    commitment is for this job only, so the job pays for all hours of the month."""

    @property
    def paid_by(self) -> Purchase:
        """Return the purchase option for a prediction, which needs exactly one option.

        Raises
        ------
        ValueError
            The purchase option is ``any``.
        """
        if self.purchase == "any":
            raise ValueError("a prediction needs one way to pay; the search tries each")
        return self.purchase


@frozen
class Limits:
    """Limits that a result must meet.

    A field is None if there is no such limit.
    """

    deadline_s: float | None = None
    """Longest time of a run [s], above 0. It limits the p50 of the time; if `chance` is set, a run must meet it with
    that chance instead. The time includes the launch if `Assumptions.launch` counts it."""
    budget_usd: float | None = None
    """Highest cost [USD], above 0; compared with the p50 of the cost of one run."""
    max_nodes: int | None = None
    """Most nodes, at least 1."""
    chance: float | None = None
    """Minimum chance to meet the deadline [1], in (0, 1); None if the median is enough, as for a chance of 0.5."""
    loss: float | None = None
    """Maximum chance that data is lost while it is exposed [1]."""
    free_space: float = 0.0
    """Share of the data disks and volumes that stays empty [1], 0 to below 1."""
    lost_nodes: int = 0
    """Number of lost nodes after which all copies must still fit on the other nodes, at least 0. It has no effect on a
    single copy, which is lost with its node, and on EBS volumes, which outlive their node."""
    rereplication_s: float | None = None
    """Maximum time from the failure of a node until all copies are re-created [s], above 0. It has no effect where
    `lost_nodes` has none, and on scratch data, whose copies are not re-created."""
    gib_per_million_blocks: float = 0.0
    """Memory that HDFS' NameNode needs for each million blocks [GiB], at least 0."""

    @property
    def keeps_room(self) -> bool:
        """Return whether the workload requires free space, or space for the data of lost nodes."""
        return self.free_space > 0.0 or self.lost_nodes > 0

    def judge(
        self,
        *,
        time_s: float | None = None,
        cost_usd: float | None = None,
        nodes: int | None = None,
        chance: float | None = None,
        loss: float | None = None,
    ) -> Iterator[Broken]:
        """Yield the limits that a result breaks.

        Values that are not given are not compared with their limits.

        Parameters
        ----------
        time_s, cost_usd : float, optional
            Median time [s] and median cost [USD] of a run. If the deadline must be met with a minimum chance,
            ``chance`` is compared instead of the time.
        nodes : int, optional
        chance : float, optional
            Chance to meet the deadline [1].
        loss : float, optional
            Chance that data is lost while it is exposed [1].
        """
        if self.deadline_s is not None and self.chance is None and time_s is not None and time_s > self.deadline_s:
            yield Broken("deadline", time_s, self.deadline_s)
        if self.deadline_s is not None and self.chance is not None and chance is not None and chance < self.chance:
            yield Broken("chance", chance, self.chance)
        if self.budget_usd is not None and cost_usd is not None and cost_usd > self.budget_usd:
            yield Broken("budget", cost_usd, self.budget_usd)
        if self.max_nodes is not None and nodes is not None and nodes > self.max_nodes:
            yield Broken("max nodes", float(nodes), float(self.max_nodes))
        if self.loss is not None and loss is not None and loss > self.loss:
            yield Broken("loss", loss, self.loss)


@frozen
class Measured:
    """Rates of a node that the user gives.

    They replace the rates of profiles, and have no node-to-node spread.
    """

    storage_mb_per_s: float | None = None
    """DiskBench's rate: half of the disks read at this rate while the other half write at it [MB/s]."""
    network_mb_per_s: float | None = None
    """Network rate of a node [MB/s], above 0."""
    ebs_read_mb_per_s: float | None = None
    """Read rate of the EBS link [MB/s], above 0."""
    ebs_write_mb_per_s: float | None = None
    """Write rate of the EBS link [MB/s], above 0."""
    instance: str | None = None
    """Instance type on which the rates were measured; None applies the rates to every type."""
    object_store_mb_per_s: float | None = None
    """Rate between a node and the object store [MB/s], above 0."""
    storage_iops: float | None = None
    """Random IOPS of a node's own disks [1/s]."""
    network_credit_mb: float | None = None
    """Data that a node can send above its network baseline before its rate falls back to the baseline [MB]; AWS
    publishes no figure."""
    cpu_mb_per_s_per_vcpu: float | None = None
    """Rate at which one vCPU of a node processes the job's data [MB/s per vCPU]."""


@frozen
class Assumptions:
    """Effects of the model that can be switched off, to reproduce the arithmetic of other authors.

    With ``launch="counted"`` the launch of a cluster is a phase of the run, and counts against its deadline.
    """

    network: Literal["measured", "baseline", "unlimited"] = "measured"
    shuffle: Literal["exact", "whole"] = "exact"
    capacity: Literal["divided", "pooled"] = "divided"
    cpu: Literal["modelled", "ignored"] = "modelled"
    spread: Literal["modelled", "ignored"] = "modelled"
    launch: Launch = "billed"
    billing: Literal["by-second", "prorated"] = "by-second"


@frozen
class Workload:
    """A job with its place, limits and assumptions."""

    name: str
    job: Job
    framework: str = "ideal"
    """Name of the efficiency profile; `ideal` is the physical bound."""
    runs_per_month: float = 1.0
    """Number of runs in a month [1/month], above 0."""
    place: Place = field(default_factory=Place)
    """See the class `Place`."""
    limits: Limits = field(default_factory=Limits)
    """See the class `Limits`."""
    measured: Measured = field(default_factory=Measured)
    """See the class `Measured`."""
    assume: Assumptions = field(default_factory=Assumptions)
    """See the class `Assumptions`."""
    credits: float = 1.0
    """Fill level of burst buckets at the start [1], 0 to 1."""
    credits_assumed: Figure | None = None
    """Fill level with its source, if the user did not give the level."""
    kept_s: float | None = None
    """Exposure window of the data [s]; None for the default of the job (`exposure_s`)."""
    stragglers: Stragglers | None = None
    """Share of the nodes or volumes that are slow by a factor, in addition to the usual spread between nodes."""
    straggling: Literal["nodes", "volumes"] = "nodes"
    """Whether `stragglers` is a share of the nodes or of the volumes."""
    spares: int = 0
    """Nodes that are launched in addition to the workers; the slowest are released after a measurement."""
    objective: Objective = "cost"
    """Quantity that a search minimizes."""
    selection: Selection = field(default_factory=Selection)
    """Instance and volume types that a search may choose."""
    quotas: Quotas = field(default_factory=Quotas)
    """Account quotas for nodes and volumes."""
    calibrated: Framework | None = None
    """A team's own profile with the name `framework`; None for a profile of `frameworks.FRAMEWORKS`."""
    input: DataPlace = "in-place"
    """Place of a sort's or MapReduce job's input before the run. A job that itself reads and writes the object store
    (durability "object-store") has "in-place" data in the object store."""
    output: DataPlace = "in-place"
    """Place of a sort's or MapReduce job's output after the run; "in-place" as for `input`."""

    @property
    def reached(self) -> Framework:
        """Return the framework profile for predictions.

        It is the calibrated profile, or else the profile named ``framework``.

        Raises
        ------
        KeyError
            There is no framework profile of that name.
        """
        return FRAMEWORKS[self.framework] if self.calibrated is None else self.calibrated

    def measured_of(self, instance: str) -> Measured:
        """Return the user's measurements of an instance type."""
        return self.measured if self.measured.instance in {None, instance} else Measured()

    def exposure_s(self, duration_s: float) -> float:
        """Return the exposure window of the data [s].

        By default, it is a year for data that stays, and the time of the job for other data.
        """
        if self.kept_s is not None:
            return self.kept_s
        return SECONDS_PER_YEAR if self.job.stays else duration_s

    def by_replication(self, last_nodes: int) -> tuple[tuple["Workload", int, int], ...]:
        """Return the ranges of node counts in which the replication factor is constant.

        Returns
        -------
        tuple of (Workload, int, int)
            The workload with its replication factor, and the first and last node count of the range. There is more
            than one range only if EMR sets the replication factor.
        """
        job = self.job
        if not isinstance(job, Hdfs) or not job.default_copies:
            return ((self, 1, last_nodes),)
        starts = [fewest for fewest, _ in EMR_REPLICATION]
        ends = [*(fewest - 1 for fewest in starts[1:]), max(last_nodes, starts[-1])]
        return tuple(
            (self._with_copies(job, copies), first, min(last, max(last_nodes, first)))
            for (first, copies), last in zip(EMR_REPLICATION, ends, strict=True)
            if first <= last_nodes
        )

    def at(self, nodes: int) -> "Workload":
        """Return the workload with the replication factor that applies at a node count."""
        job = self.job
        if not isinstance(job, Hdfs) or not job.default_copies:
            return self
        return self._with_copies(job, default_replication(nodes))

    def _with_copies(self, job: Hdfs, copies: int) -> "Workload":
        return replace(self, job=replace(job, durability=replace(job.durability, replicas=copies)))

    @property
    def survived_losses(self) -> int:
        """Return the number of failed nodes after which all copies must still fit on the remaining nodes.

        The number is 0 on EBS, as a volume outlives its node.
        """
        return self.limits.lost_nodes if self._copied_on_nodes else 0

    @property
    def repairs(self) -> bool:
        """Return whether lost copies are re-created, as they are for data that stays."""
        return self.job.stays or self.kept_s is not None

    @property
    def rereplicated_within_s(self) -> float | None:
        """Return the longest time for re-creating the copies of a failed node [s], or None for no limit."""
        on_nodes = self._copied_on_nodes and self.job.durability.model != "object-store"
        return self.limits.rereplication_s if on_nodes and self.repairs else None

    @property
    def _copied_on_nodes(self) -> bool:
        durability = self.job.durability
        return durability.replicas > 1 and durability.model != "infrastructure"

    @property
    def loaded_from(self) -> DataPlace:
        """Return the place from which the input is loaded before the job, or "in-place"."""
        return self._copied(self.input)

    @property
    def unloaded_to(self) -> DataPlace:
        """Return the place to which the output is unloaded after the job, or "in-place"."""
        return self._copied(self.output)

    def _copied(self, place: DataPlace) -> DataPlace:
        if not isinstance(self.job, MapReduce):
            return "in-place"
        there_already = place == "object-store" and self.job.durability.model == "object-store"
        return "in-place" if there_already else place

    @property
    def uses_object_store(self) -> bool:
        """Return whether any node reads from the object store or writes to it."""
        return self.job.durability.model == "object-store" or "object-store" in (self.loaded_from, self.unloaded_to)

    @property
    def link_in_mb_per_s(self) -> float | None:
        """Return the total rate at which nodes load data from outside AWS [MB/s], or None if they load none."""
        return self.loaded_from.link_mb_per_s if isinstance(self.loaded_from, Elsewhere) else None

    @property
    def link_out_mb_per_s(self) -> float | None:
        """Return the total rate at which nodes unload data to outside AWS [MB/s], or None if they unload none."""
        return self.unloaded_to.link_mb_per_s if isinstance(self.unloaded_to, Elsewhere) else None

    @property
    def talks_elsewhere(self) -> bool:
        """Return whether nodes move data from or to a place outside AWS."""
        return self.link_in_mb_per_s is not None or self.link_out_mb_per_s is not None

    @property
    def object_roles(self) -> tuple[Role, Role]:
        """Return the roles of the two flows that read from the object store and write to it."""
        itself = self.job.durability.model == "object-store"
        return (Role.INPUT_READ, Role.OUTPUT_WRITE) if itself else (Role.LOADED, Role.UNLOADED)

    @property
    def talks_outside(self) -> bool:
        """Return whether even a single node needs the network.

        It needs the network for clients, for the object store, or for data outside AWS.
        """
        return self.job.kind == "append-log" or self.uses_object_store or self.talks_elsewhere

    def phases(self, nodes: Nodes) -> tuple[Phase, ...]:
        """Return the phases of a run.

        They are the loading of the input, the phases of the job, and the unloading of the output. Loading writes each
        byte of the input once. Unloading reads one copy of the output; it ends when the node with the most output has
        finished. All bytes from or to a place outside AWS go through one shared link.
        """
        job = self.job
        phases = job.phases(nodes)
        if not isinstance(job, MapReduce):
            return phases
        if self.loaded_from != "in-place":
            each_mb = job.input_mb / nodes.count
            written: dict[Role, Quantity] = {Role.OUTPUT_WRITE: each_mb}
            if self.loaded_from == "object-store":
                loading = Phase(LOADING, {Role.LOADED: each_mb} | written, kind="load")
            else:
                moved: dict[Role, Quantity] = {Role.LINK_IN: job.input_mb, Role.FETCHED: each_mb}
                loading = Phase(FETCHING, moved | written, kind="load")
            phases = (loading, *phases)
        if self.unloaded_to != "in-place":
            each_mb = job.heaviest_output_mb(nodes)
            read: dict[Role, Quantity] = {Role.INPUT_READ: each_mb}
            if self.unloaded_to == "object-store":
                unloading = Phase(UNLOADING, {Role.UNLOADED: each_mb} | read, kind="unload")
            else:
                moved = {Role.LINK_OUT: job.output_mb, Role.DELIVERED: each_mb}
                unloading = Phase(DELIVERING, moved | read, kind="unload")
            phases = (*phases, unloading)
        return phases

    @property
    def tasks(self) -> TaskSlots:
        """Return the task slots of a node.

        Jobs without tasks have one slot on each vCPU.
        """
        return self.job.tasks if isinstance(self.job, MapReduce) else ONE_PER_VCPU

    @property
    def bears_commitment(self) -> bool:
        """Return whether the runs of this workload together pay for all hours of a commitment."""
        return self.place.commitment == "alone" and self.place.purchase in {"1-year", "3-year"}

    @property
    def head_role(self) -> HeadRole | None:
        """Role of the head node, or None if the cluster has no head node.

        The head node stores no data. EMR's primary node is also the NameNode.
        """
        if self.place.service == "emr":
            return "EMR primary"
        return "NameNode" if self.job.kind in {"hdfs-write", "hdfs-read"} else None

    @property
    def head_memory_gib(self) -> float:
        """Return the minimum memory of the head node, for the metadata of all blocks in HDFS [GiB]."""
        return self.limits.gib_per_million_blocks * self.job.blocks / 1e6 if isinstance(self.job, Hdfs) else 0.0

    @property
    def head_nodes(self) -> int:
        """Number of head nodes (HDFS' NameNode or EMR's primary), which store no data."""
        return int(self.head_role is not None)
