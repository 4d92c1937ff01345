"""Sorts and MapReduce jobs: a shuffle between two phases."""

from dataclasses import dataclass, field
from datetime import date
from typing import ClassVar, Literal

import numpy as np

from stowage.model.figure import Figure, given
from stowage.model.flows import Durability, Nodes, Phase, Role
from stowage.model.units import Quantity, longer, smaller

MERGE_FAN_IN = Figure(
    quantity="merge_fan_in",
    value=10.0,
    unit="1",
    source="Hadoop, mapred-default.xml: mapreduce.task.io.sort.factor",
    kind="published",
    as_of=date(2026, 11, 20),
)
"""Sorted runs that one merge pass takes together."""


SORT_MEMORY = Figure(
    quantity="sort_memory",
    value=0.5,
    unit="1",
    source="Assumed: half of a node's memory holds the partitions being sorted; the rest is the system's and buffers",
    kind="estimated",
    as_of=date(2026, 11, 20),
)
"""Share of a node's memory in which partitions are sorted."""


@dataclass(frozen=True, slots=True)
class MapReduce:
    """A sort, or a map and a reduce with a shuffle between them.

    Parameters
    ----------
    kind : {"sort", "mapreduce"}
    data_mb : float
        Input [MB], above 0.
    map_selectivity, reduce_selectivity : float
        Map output per input and reduce output per map output [1], above 0; 1 for a sort.
    durability : Durability
    skew : float
        What the node with the most keys receives, in shares of the mean [1]; at least 1.
    partitions : int or None
        Into how many parts the intermediate data is cut; None for as many as memory asks for.
    """

    kind: Literal["sort", "mapreduce"]
    data_mb: float
    map_selectivity: float = 1.0
    reduce_selectivity: float = 1.0
    durability: Durability = field(default_factory=Durability)
    skew: float = 1.0
    partitions: int | None = None

    random_io_kib: ClassVar[None] = None
    default_copies: ClassVar[bool] = False
    stays: ClassVar[bool] = False

    @property
    def intermediate_mb(self) -> float:
        """Intermediate data [MB]."""
        return self.data_mb * self.map_selectivity

    @property
    def output_mb(self) -> float:
        """One copy of the output [MB]."""
        return self.intermediate_mb * self.reduce_selectivity

    @property
    def input_output_mb(self) -> float:
        """What input and all copies of the output take [MB]; nothing is deleted before the end."""
        return self.data_mb + self.durability.replicas * self.output_mb

    @property
    def skewed_mb(self) -> tuple[float, float]:
        """What skew adds to output and to intermediate data on one node, times the nodes [MB]."""
        return ((self.skew - 1.0) * self.output_mb, (self.skew - 1.0) * self.intermediate_mb)

    def phases(self, nodes: Nodes) -> tuple[Phase, ...]:
        """Give the phases of the job.

        Notes
        -----
        **Source**: SoCC 2015 paper, section 3.3. Eq. 1 and 3 for the two phases; Eq. 8 for the
        copies, of which each is sent to another node and written there; Eq. 10 and 11 are the
        same flows on a layout whose input and output live on EBS. Hadoop's passes: spills on the
        map side are merged once before they are served, and what a reducer cannot hold is merged
        in passes of `MERGE_FAN_IN` runs (T. White, Hadoop: The Definitive Guide, 4th ed., chapter 7).
        """
        count, copies = nodes.count, self.durability.replicas
        input_mb = self.data_mb / count
        mapped_mb = self.intermediate_mb / count
        received_mb = self._heaviest(mapped_mb, count)
        sent_mb = nodes.shuffled(mapped_mb)
        first: dict[Role, Quantity] = {
            Role.INPUT_READ: input_mb,
            Role.CPU: input_mb,
            Role.NETWORK_OUT: sent_mb,
            Role.NETWORK_IN: sent_mb if received_mb is mapped_mb else nodes.shuffled(received_mb),
            Role.INTERMEDIATE_WRITE: received_mb,
        }
        second: dict[Role, Quantity] = {
            Role.INTERMEDIATE_READ: received_mb,
            Role.CPU: received_mb,
            Role.OUTPUT_WRITE: self._written(copies, count),
        }
        if copies > 1:
            sent_copies_mb = (copies - 1) * self._heaviest(self.output_mb / count, count)
            received_copies_mb = (copies - 1) * self.output_mb / count
            second |= {Role.NETWORK_OUT: sent_copies_mb, Role.NETWORK_IN: received_copies_mb}
        passes = self.merge_passes(nodes)
        if nodes.spills:
            # Map output is spilled, merged and served from disk before it is shuffled.
            first[Role.INTERMEDIATE_WRITE] = received_mb + 2.0 * mapped_mb
            first[Role.INTERMEDIATE_READ] = 2.0 * mapped_mb
        if not isinstance(passes, float) or passes > 0.0:
            second[Role.INTERMEDIATE_READ] = received_mb * (1.0 + passes)
            second[Role.INTERMEDIATE_WRITE] = received_mb * passes
        return (Phase("map and shuffle", first), Phase("sort and reduce", second))

    def merge_passes(self, nodes: Nodes) -> Quantity:
        """Say how often intermediate data is read and written once more because a partition exceeds memory.

        Returns
        -------
        float or array
            Passes [1]: 0 where the largest partition fits. With Hadoop one merge of `MERGE_FAN_IN` runs
            feeds the reducer and is free; each further factor costs a pass.
        """
        if self.partitions is None and not nodes.spills:
            return 0.0
        room_mb = nodes.memory_mb * SORT_MEMORY.value / nodes.vcpus
        partitions = float(self.partitions) if self.partitions is not None else nodes.count * nodes.vcpus
        # However uneven the keys, a partition never has more than there is.
        largest_mb = smaller(self.intermediate_mb * self.skew / partitions, self.intermediate_mb)
        runs = np.ceil(largest_mb / room_mb)
        levels = np.ceil(np.log(np.maximum(runs, 1.0)) / np.log(MERGE_FAN_IN.value) - 1e-12)
        passes: Quantity = np.maximum(levels - 1.0, 0.0) if nodes.spills else levels
        return passes if isinstance(passes, np.ndarray) else float(passes)

    def heaviest_output_mb(self, nodes: Nodes) -> Quantity:
        """Return one copy of what the node with the most keys writes [MB]."""
        return self._heaviest(self.output_mb / nodes.count, nodes.count)

    def figures(self) -> tuple[Figure, ...]:
        """List what the user gave."""
        figures = [given("workload.data", self.data_mb, "MB")]
        if self.kind == "mapreduce":
            figures.append(given("workload.map_selectivity", self.map_selectivity, "1"))
            figures.append(given("workload.reduce_selectivity", self.reduce_selectivity, "1"))
        if self.skew != 1.0:
            figures.append(given("workload.skew", self.skew, "1"))
        if self.partitions is not None:
            figures.append(given("workload.partitions", float(self.partitions), "1"))
        if self.durability.model == "application":
            figures.append(given("workload.durability.replicas", float(self.durability.replicas), "1"))
        return tuple(figures)

    def _written(self, copies: int, count: Quantity) -> Quantity:
        """Give what the node with the most keys writes [MB]: its own output, and its part of the others' copies."""
        mean_mb = self.output_mb / count
        if self.skew == 1.0:
            return copies * self.output_mb / count
        own_mb = self._heaviest(mean_mb, count)
        return own_mb + (copies - 1) * (self.output_mb - own_mb) / longer(count - 1.0, 1.0)

    def _heaviest(self, mean_mb: Quantity, count: Quantity) -> Quantity:
        """Give what the node with the most keys has [MB]: never more than there is in all."""
        if self.partitions is None:
            return mean_mb if self.skew == 1.0 else smaller(mean_mb * self.skew, mean_mb * count)
        # A partition lies on one node: fewer of them than nodes leave some without work.
        return smaller(mean_mb * longer(self.skew, count / float(self.partitions)), mean_mb * count)
