"""Sorts and MapReduce jobs.

Such a job has two phases, map and reduce, with a shuffle between them.
"""

from collections.abc import Mapping
from dataclasses import field
from datetime import date
from typing import ClassVar, Literal

import numpy as np

from stowage.frozen import frozen
from stowage.model.figure import Figure, Number, given
from stowage.model.jobs.engine import Engine, busiest
from stowage.model.jobs.flows import Durability, Nodes, Phase, Role
from stowage.model.jobs.task_slots import ONE_PER_VCPU, TaskSlots
from stowage.model.units import Quantity, longer, smaller

MERGE_FAN_IN = Number("merge_fan_in", 10.0, "1").published(
    "Hadoop, mapred-default.xml: mapreduce.task.io.sort.factor", date(2026, 11, 20)
)
"""Sorted runs that one merge pass combines."""


@frozen
class MapReduce:
    """One sort or MapReduce job."""

    kind: Literal["sort", "mapreduce"]
    data_mb: float
    """Input that is processed, uncompressed [MB], above 0."""
    map_selectivity: float = 1.0
    """Ratio of map output to input [1], above 0; 1 for a sort."""
    reduce_selectivity: float = 1.0
    """Ratio of reduce output to map output [1], above 0; 1 for a sort."""
    durability: Durability = field(default_factory=Durability)
    skew: float = 1.0
    """Data skew: data of the node with the most keys, relative to the mean of all nodes [1]; at least 1."""
    partitions: int | None = None
    """Number of partitions of the intermediate data; None for as many as memory requires."""
    compressed_to: float = 1.0
    """Bytes of intermediate data on disks and links for each byte of map output, after compression [1], above 0 and at
    most 1."""
    input_compressed_to: float = 1.0
    """Bytes of an input file in storage and on links for each byte of its data [1], above 0 and at most 1. CPUs process
    uncompressed data."""
    output_compressed_to: float = 1.0
    """Bytes of an output file in storage and on links for each byte of its data [1], above 0 and at most 1."""
    tasks: TaskSlots = ONE_PER_VCPU

    random_io_kib: ClassVar[None] = None
    default_copies: ClassVar[bool] = False
    stays: ClassVar[bool] = False

    @property
    def input_mb(self) -> float:
        """Size of the input as stored [MB]."""
        return self.data_mb * self.input_compressed_to

    @property
    def mapped_mb(self) -> float:
        """Size of the map phase's output before compression [MB]."""
        return self.data_mb * self.map_selectivity

    @property
    def intermediate_mb(self) -> float:
        """Size of the intermediate data on disks and links [MB]."""
        return self.mapped_mb * self.compressed_to

    @property
    def output_mb(self) -> float:
        """Size of one copy of the output as stored [MB]."""
        return self.mapped_mb * self.reduce_selectivity * self.output_compressed_to

    @property
    def input_output_mb(self) -> float:
        """Size of the input and of all copies of the output [MB].

        Nothing is deleted before the end of the job.
        """
        return self.input_mb + self.durability.replicas * self.output_mb

    @property
    def skewed_mb(self) -> tuple[float, float]:
        """Additional capacity that a cluster needs because of data skew [MB].

        It is the data of the node with the most keys beyond the mean, times the node count: every node has the same
        capacity, so all nodes must have room for this data. The first value is for output, the second for intermediate
        data.
        """
        return ((self.skew - 1.0) * self.output_mb, (self.skew - 1.0) * self.intermediate_mb)

    def phases(self, nodes: Nodes) -> tuple[Phase, ...]:
        """Return the phases of the job.

        Notes
        -----
        **Source**: SoCC 2015 paper, section 3.3. Eq. 1 and 3 for the two phases; Eq. 8 for the
        copies, each of which is sent to another node and written there; Eq. 10 and 11 are the
        same flows on a layout whose input and output are on EBS. Hadoop's passes: spills on the
        map side are merged once before they are served, and data that exceeds a reducer's memory is merged
        in passes of `MERGE_FAN_IN` runs (T. White, Hadoop: The Definitive Guide, 4th ed., chapter 7).
        """
        if nodes.engine.fetches_after_map:
            return self._phases_of_stages(nodes)
        count, engine = nodes.count, nodes.engine
        mapping, reducing = self._computed(nodes)
        input_mb = self.input_mb / count * busiest(engine.tasks(self.input_mb), count)
        mapped_mb = engine.stored * self.intermediate_mb / count
        received_mb = self._received(mapped_mb, nodes)
        first: dict[Role, Quantity] = _together(
            {Role.INPUT_READ: input_mb, Role.CPU: mapping},
            self._shuffled(nodes, mapped_mb, received_mb),
            {Role.INTERMEDIATE_WRITE: received_mb},
            self._read_elsewhere(nodes, input_mb),
        )
        second: dict[Role, Quantity] = _together(
            {Role.INTERMEDIATE_READ: received_mb, Role.CPU: reducing, Role.OUTPUT_WRITE: self._written(nodes)},
            self._copied(nodes),
        )
        if engine.merging == "as Hadoop":
            # Map output is spilled, merged and served from disk before it is shuffled.
            first[Role.INTERMEDIATE_WRITE] = received_mb + 2.0 * mapped_mb
            first[Role.INTERMEDIATE_READ] = 2.0 * mapped_mb
        passes = self.merge_passes(nodes)
        if not isinstance(passes, float) or passes > 0.0:
            second[Role.INTERMEDIATE_READ] = received_mb * (1.0 + passes)
            second[Role.INTERMEDIATE_WRITE] = received_mb * passes
        return (Phase("map and shuffle", first), Phase("sort and reduce", second))

    def _phases_of_stages(self, nodes: Nodes) -> tuple[Phase, ...]:
        """Return the phases of a job whose reduce tasks fetch after all map tasks.

        A reduce task fetches, then sorts and writes. The tasks of a node are not all at the same point, so a part of
        the fetching overlaps with the other work. The part that does not overlap forms two separate phases: one before
        with fetching alone, and one after with sorting and writing alone.
        """
        count, engine = nodes.count, nodes.engine
        mapping, reducing = self._computed(nodes)
        mapped_mb = engine.stored * self.intermediate_mb / count
        received_mb = self._received(mapped_mb, nodes)
        spilled_mb = received_mb * self.merge_passes(nodes)
        on_nodes = busiest(engine.tasks(self.input_mb), count)
        input_mb = self.input_mb / count * on_nodes
        stage: dict[Role, Quantity] = _together(
            {Role.INPUT_READ: input_mb, Role.CPU: mapping, Role.INTERMEDIATE_WRITE: mapped_mb * on_nodes},
            self._read_elsewhere(nodes, input_mb),
        )
        fetched: dict[Role, Quantity] = _together(
            self._shuffled(nodes, mapped_mb, received_mb), {Role.INTERMEDIATE_READ: mapped_mb}
        )
        made: dict[Role, Quantity] = _together(
            {
                Role.INTERMEDIATE_READ: spilled_mb,
                Role.INTERMEDIATE_WRITE: spilled_mb,
                Role.CPU: reducing,
                Role.OUTPUT_WRITE: self._written(nodes),
            },
            self._copied(nodes),
        )
        return (
            Phase("map", stage),
            Phase("fetch", _part(fetched, engine.serial)),
            Phase("fetch, sort and reduce", _part(_together(fetched, made), 1.0 - engine.serial)),
            Phase("sort and reduce", _part(made, engine.serial)),
        )

    def _shuffled(self, nodes: Nodes, mapped_mb: Quantity, received_mb: Quantity) -> dict[Role, Quantity]:
        """Return the flows of the shuffle on one node [MB].

        They are network traffic, and the CPU work that the traffic causes.
        """
        engine, reduces = nodes.engine, self._reduce_tasks(nodes.engine)
        fetches_mb = engine.fetches_mb(reduces)
        return _over_network(
            engine,
            engine.sent * nodes.shuffled(mapped_mb) + nodes.shuffled(fetches_mb),
            engine.sent * nodes.shuffled(received_mb) + nodes.shuffled(fetches_mb * busiest(reduces, nodes.count)),
        )

    def _read_elsewhere(self, nodes: Nodes, input_mb: Quantity) -> dict[Role, Quantity]:
        """Return the traffic of map tasks that read input from other nodes [MB].

        The result maps roles to flows. It is empty if there is no such traffic.
        """
        engine = nodes.engine
        if not engine.remote_input or self.durability.model == "object-store":
            return {}
        mean_mb = self.input_mb / nodes.count
        return _over_network(engine, engine.sent * nodes.shuffled(mean_mb), engine.sent * nodes.shuffled(input_mb))

    def _computed(self, nodes: Nodes) -> tuple[Quantity, Quantity]:
        """Return the CPU time of the busiest node in both phases, as an amount of data [MB].

        It is the data that vCPUs would process in this time at `CPU_MB_PER_S_PER_VCPU`. The first value is for the map
        phase, the second for the reduce phase. A slot is a vCPU with a task; a vCPU without a task processes nothing
        (`Inputs.processed_mb_per_s`).
        """
        engine = nodes.engine
        of_node = self.tasks.computing(nodes.vcpus, nodes.memory_mb)
        slots = nodes.count * of_node
        of_map, of_reduce = engine.cpu_weights
        maps, reduces = engine.tasks(self.input_mb), self._reduce_tasks(engine)
        uneven = self._received(self.mapped_mb / nodes.count, nodes, slots)
        return (
            of_map * (self.data_mb / nodes.count) * busiest(maps, slots)
            + engine.task_mb(maps, reduces, slots) * of_node,
            of_reduce * uneven + engine.task_mb(reduces, maps, slots) * of_node,
        )

    def _reduce_tasks(self, engine: Engine) -> float | None:
        """Return the number of reduce tasks.

        The result is None if the engine is modelled without tasks.
        """
        tasks = engine.tasks(self.input_mb)
        return tasks if tasks is None or self.partitions is None else float(self.partitions)

    def _received(self, mean_mb: Quantity, nodes: Nodes, places: Quantity | None = None) -> Quantity:
        """Return the data of the node with the most keys [MB].

        ``mean_mb`` is the mean of all nodes. If the engine is modelled with tasks, each reduce task is assigned as a
        whole to one of the nodes. If ``places`` is not None, there are this many slots instead of nodes.
        """
        tasks = self._reduce_tasks(nodes.engine)
        if tasks is None:
            return self._heaviest(mean_mb, nodes.count)
        uneven = longer(self.skew, busiest(tasks, nodes.count if places is None else places))
        return smaller(mean_mb * uneven, mean_mb * (nodes.count if places is None else places))

    def _copied(self, nodes: Nodes) -> dict[Role, Quantity]:
        """Return the network traffic of the copies of the output [MB].

        The first copy causes no traffic. The result maps roles to flows.
        """
        copies, count = self.durability.replicas, nodes.count
        if copies == 1:
            return {}
        return _over_network(
            nodes.engine,
            nodes.engine.sent * (copies - 1) * self._received(self.output_mb / count, nodes),
            nodes.engine.sent * (copies - 1) * self.output_mb / count,
        )

    def merge_passes(self, nodes: Nodes) -> Quantity:
        """Return the number of extra passes over intermediate data.

        Passes are needed if a partition exceeds the memory in which a task sorts.

        Returns
        -------
        float or array
            Passes [1]: 0 if the largest partition fits memory. In Hadoop, one merge of `MERGE_FAN_IN` runs feeds the
            reducer and costs no pass; each further factor of `MERGE_FAN_IN` costs one. Spark merges all runs at once.
        """
        engine = nodes.engine
        if self.partitions is None and not engine.knows_nodes:
            return 0.0
        room_mb = self.tasks.room_mb(nodes.vcpus, nodes.memory_mb)
        asked = self.partitions or self._reduce_tasks(engine)
        at_once = self.tasks.at_once(nodes.vcpus, nodes.memory_mb)
        partitions = nodes.count * at_once if asked is None else float(asked)
        # A partition never exceeds all data, even with very uneven keys.
        largest_mb = smaller(self.mapped_mb * self.skew / partitions, self.mapped_mb)
        runs = np.ceil(largest_mb / room_mb)
        levels = np.ceil(np.log(np.maximum(runs, 1.0)) / np.log(MERGE_FAN_IN.value) - 1e-12)
        passes: Quantity = levels
        if engine.merging == "as Hadoop":
            passes = np.maximum(levels - 1.0, 0.0)
        elif engine.merging == "once":
            passes = np.minimum(levels, 1.0)
        return passes if isinstance(passes, np.ndarray) else float(passes)

    def heaviest_output_mb(self, nodes: Nodes) -> Quantity:
        """Return the output of the node with the most keys, without copies [MB]."""
        return self._received(self.output_mb / nodes.count, nodes)

    def figures(self) -> tuple[Figure, ...]:
        """List the figures that the user gave."""
        figures = [given("workload.data", self.data_mb, "MB")]
        if self.kind == "mapreduce":
            figures.append(given("workload.map_selectivity", self.map_selectivity, "1"))
            figures.append(given("workload.reduce_selectivity", self.reduce_selectivity, "1"))
        if self.skew != 1.0:
            figures.append(given("workload.skew", self.skew, "1"))
        sizes = (
            given("workload.compressed_to", self.compressed_to, "1"),
            given("workload.input_compressed_to", self.input_compressed_to, "1"),
            given("workload.output_compressed_to", self.output_compressed_to, "1"),
        )
        figures += [size for size in sizes if size.value != 1.0]
        if self.partitions is not None:
            figures.append(given("workload.partitions", float(self.partitions), "1"))
        figures += self.tasks.figures()
        figures += self.durability.figures()
        return tuple(figures)

    def _written(self, nodes: Nodes) -> Quantity:
        """Return the data that the node with the most keys writes [MB].

        It is the node's own output, and copies of the output of other nodes.
        """
        copies, count = self.durability.replicas, nodes.count
        if self.skew == 1.0 and nodes.engine.split is None:
            return copies * self.output_mb / count
        own_mb = self._received(self.output_mb / count, nodes)
        return own_mb + (copies - 1) * (self.output_mb - own_mb) / longer(count - 1.0, 1.0)

    def _heaviest(self, mean_mb: Quantity, count: Quantity) -> Quantity:
        """Return the data of the node with the most keys [MB].

        It never exceeds the total of all nodes.
        """
        if self.partitions is None:
            return mean_mb if self.skew == 1.0 else smaller(mean_mb * self.skew, mean_mb * count)
        # A partition is on one node: with fewer partitions than nodes, some nodes have no work.
        return smaller(mean_mb * longer(self.skew, count / float(self.partitions)), mean_mb * count)


def _part(flows_mb: Mapping[Role, Quantity], share: float) -> dict[Role, Quantity]:
    return {role: share * flow_mb for role, flow_mb in flows_mb.items()}


def _over_network(engine: Engine, sent_mb: Quantity, received_mb: Quantity) -> dict[Role, Quantity]:
    of_cpu = engine.network_mb(sent_mb, received_mb)
    flows: dict[Role, Quantity] = {Role.NETWORK_OUT: sent_mb, Role.NETWORK_IN: received_mb}
    return flows if of_cpu is None else {**flows, Role.CPU: of_cpu}


def _together(*flows_mb: Mapping[Role, Quantity]) -> dict[Role, Quantity]:
    """Return the sum of several mappings from roles to flows [MB]."""
    total: dict[Role, Quantity] = {}
    for flows in flows_mb:
        for role, flow_mb in flows.items():
            total[role] = total[role] + flow_mb if role in total else flow_mb
    return total
