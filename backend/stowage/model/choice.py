"""Settings of a search: allowed instance and volume types, account quotas, and the objective."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from operator import attrgetter
from typing import Any, Literal

from stowage.frozen import frozen
from stowage.model.hardware.instance import InstanceType

Objective = Literal["cost", "time", "month"]
"""The cheapest run, the fastest run, or the cheapest month of a cluster that stays."""

Architecture = Literal["x86_64", "arm64"]
Generation = Literal["any", "current"]
Rule = Literal["instance", "family", "size", "architecture", "generation", "vCPUs", "memory"]
"""Part of a selection that excludes an instance type."""


@frozen
class Selection:
    """Rules for the instance and volume types that a search may choose.

    An empty field sets no restriction. A field that begins with ``not_`` lists excluded types.

    Examples
    --------
    >>> Selection(not_sizes=("metal",), volumes=("gp3",)).takes_volume("st1")
    False
    """

    families: tuple[str, ...] = ()
    """Allowed families: parts of a type's name before the dot, such as `i3`."""
    not_families: tuple[str, ...] = ()
    """Excluded families, named as in `families`."""
    sizes: tuple[str, ...] = ()
    """Allowed sizes: parts of a type's name after the dot, such as `16xlarge`. `metal` stands for all sizes that begin
    with `metal`."""
    not_sizes: tuple[str, ...] = ()
    """Excluded sizes, named as in `sizes`."""
    instances: tuple[str, ...] = ()
    """Allowed types, by their whole names: `i3.16xlarge`."""
    not_instances: tuple[str, ...] = ()
    """Excluded types, by their whole names."""
    architectures: tuple[Architecture, ...] = ()
    """A type of unknown architecture counts as x86_64."""
    generation: Generation = "any"
    """`current` excludes the types that AWS calls a previous generation."""
    volumes: tuple[str, ...] = ()
    """Allowed EBS volume types, by name: `gp3`."""
    not_volumes: tuple[str, ...] = ()
    """Excluded EBS volume types, by name."""
    min_vcpus: float = 0.0
    """Fewest vCPUs of an instance type [1], at least 0."""
    min_memory_gib: float = 0.0
    """Least memory of an instance type [GiB], at least 0."""
    measured_only: bool = False
    """Whether to exclude types with unmeasured rates. All rates of disks, network and EBS link that the workload needs
    must then be measured or given by the user. Profiles have the measured rates, so `refuses` cannot check this."""

    def refuses(self, instance: InstanceType) -> Rule | None:
        """Return the rule that excludes an instance type.

        The result is None if no rule excludes it.
        """
        return next((rule for rule, of, takes in self.rules() if not takes(of(instance))), None)

    def rules(self) -> Iterator[tuple[Rule, Callable[[InstanceType], Any], Callable[[Any], object]]]:
        """Yield the rules that exclude instance types, each with the property that it judges, and what it accepts.

        Rules of empty fields are left out. Many types are judged fastest rule by rule.
        """
        if self.instances or self.not_instances:
            yield "instance", attrgetter("name"), _listed(self.instances, self.not_instances)
        if self.families or self.not_families:
            yield "family", attrgetter("family"), _listed(self.families, self.not_families)
        if self.sizes:
            yield "size", attrgetter("size"), lambda size: _is_among(size, self.sizes)
        if self.not_sizes:
            yield "size", attrgetter("size"), lambda size: not _is_among(size, self.not_sizes)
        if self.architectures:
            yield "architecture", attrgetter("architectures"), frozenset(self.architectures).intersection
        if self.generation == "current":
            yield "generation", attrgetter("traits"), lambda traits: "previous generation" not in traits
        if self.min_vcpus:
            yield "vCPUs", attrgetter("vcpus.value"), lambda vcpus: vcpus >= self.min_vcpus
        if self.min_memory_gib:
            yield "memory", attrgetter("memory_gib.value"), lambda memory_gib: memory_gib >= self.min_memory_gib

    def takes_volume(self, name: str) -> bool:
        """Return whether a volume type may be chosen."""
        return (not self.volumes or name in self.volumes) and name not in self.not_volumes


@frozen
class VolumeQuota:
    """Account quota for all volumes of one type together.

    A field is None if there is no such quota.
    """

    size_gib: float | None = None
    """Total size of all volumes of the type [GiB], above 0."""
    iops: float | None = None
    """Total provisioned IOPS of all volumes of the type [IOPS], above 0."""


@frozen
class Quotas:
    """Account quotas: the most resources that an account may use at once."""

    vcpus: float | None = None
    """Total vCPUs of all nodes, including head nodes [1], above 0."""
    nodes: Mapping[str, int] = field(default_factory=dict, hash=False)
    """Most nodes of each instance type, by its name; at least 1."""
    nodes_per_zone: int | None = None
    """Most nodes of one type in an availability zone, at least 1: the capacity that AWS can be expected to have there.
    """
    volumes: Mapping[str, VolumeQuota] = field(default_factory=dict, hash=False)
    """Quota of each EBS volume type, by its name."""
    nodes_per_cluster: int | None = None
    """Most nodes of a cluster, excluding head nodes, at least 1: the limit of the AWS service that runs the cluster."""

    @property
    def limit_nodes(self) -> bool:
        """Return whether any quota limits the number of nodes."""
        return bool(self.nodes) or {self.vcpus, self.nodes_per_zone, self.nodes_per_cluster} != {None}

    def most_nodes(self, instance: InstanceType, zones: int, head_vcpus: float) -> int | None:
        """Return the most nodes of a type that the quotas allow.

        The result is 0 if the quotas allow no node, and None if they set no limit.

        Parameters
        ----------
        instance : InstanceType
        zones : int
            Availability zones over which the nodes are spread evenly, at least 1.
        head_vcpus : float
            Total vCPUs of all head nodes [1].
        """
        ceilings = []
        if self.vcpus is not None:
            ceilings.append(max(0, math.floor((self.vcpus - head_vcpus) / instance.vcpus.value)))
        if instance.name in self.nodes:
            ceilings.append(self.nodes[instance.name])
        if self.nodes_per_zone is not None:
            ceilings.append(self.nodes_per_zone * zones)
        if self.nodes_per_cluster is not None:
            ceilings.append(self.nodes_per_cluster)
        return min(ceilings, default=None)


def _listed(allowed: tuple[str, ...], excluded: tuple[str, ...]) -> Callable[[str], bool]:
    """Return a function that tells whether a name is allowed: all names are if none is listed."""
    if allowed:
        return frozenset(allowed).difference(excluded).__contains__
    return lambda name: name not in excluded


def _is_among(size: str, sizes: tuple[str, ...]) -> bool:
    return size in sizes or (size.startswith("metal") and "metal" in sizes)
