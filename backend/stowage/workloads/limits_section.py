"""Limits of a workload file, and their conversion to the limits of the model."""

from typing import Annotated

from pydantic import Field, ValidationInfo, field_validator

from stowage.model.jobs.usual import Usual
from stowage.model.jobs.workload import Limits
from stowage.model.sizes import MB_PER_GIB
from stowage.model.units import parse_money, parse_size
from stowage.platform.written import (
    Chance,
    Count,
    FreeSpace,
    Loss,
    Money,
    Section,
    Size,
    TimeLimit,
    limit_s,
    share_of_one,
)

MEDIAN = 0.5
"""Confidence of meeting a deadline that the median just meets [1]."""


class LimitsSection(Section):
    """Limits that a configuration must meet. Each limit is optional."""

    deadline: TimeLimit | None = None
    """Unless given, the job's default; `none` removes it."""
    budget: Money | None = None
    """Compared with the median cost of one run."""
    max_nodes: Count | None = None
    chance: Chance | None = None
    """Minimum probability of meeting the deadline. 50 % compares the median time with it. Unless given, 95 %; with
    `assume.usual: ignored` and with slow nodes, 50 %."""
    loss: Loss | None = None
    """Maximum probability of losing data while it is exposed."""
    free_space: FreeSpace | None = None
    """Share of the disks and volumes that hold the data which stays free; unless given, the job's default."""
    lost_nodes: Annotated[int, Field(ge=0, le=100, strict=True)] | None = None
    """Number of lost nodes after which all application-level copies must still fit; unless given, the job's default."""
    rereplication: TimeLimit | None = None
    """Maximum time from the failure of a node until all copies of its data exist again, for data that stays. Unless
    given, the job's default; `none` removes the limit."""
    namenode_memory: Size | None = None
    """Memory that HDFS' NameNode needs for each million blocks; unless given, the job's default."""

    @field_validator("chance")
    @classmethod
    def _of_a_deadline(cls, value: str | None, info: ValidationInfo) -> str | None:
        asks = value is not None and share_of_one(value) != MEDIAN
        if asks and "deadline" in info.data and limit_s(info.data["deadline"] or "none") is None:
            raise ValueError("is the chance to meet a deadline, and there is none; give limits.deadline")
        return value

    def to_limits(self, usual: Usual) -> Limits:
        """Convert the section to the model's limits, with the defaults ``usual`` for missing fields."""
        return Limits(
            deadline_s=time_limit_s(self.deadline, usual.value("limits.deadline")),
            budget_usd=None if self.budget is None else parse_money(self.budget),
            max_nodes=self.max_nodes,
            chance=_chance(self.chance, usual.value("limits.chance", MEDIAN)),
            loss=None if self.loss is None else share_of_one(self.loss),
            free_space=usual.value("limits.free_space") if self.free_space is None else share_of_one(self.free_space),
            lost_nodes=int(usual.value("limits.lost_nodes")) if self.lost_nodes is None else self.lost_nodes,
            gib_per_million_blocks=usual.value("limits.namenode_memory")
            if self.namenode_memory is None
            else gib_of(self.namenode_memory),
            rereplication_s=time_limit_s(self.rereplication, usual.value("limits.rereplication")),
        )


def gib_of(size: str) -> float:
    """Return a size in GiB. Sizes are parsed as MB: rounding restores whole GiB, which a limit must meet exactly."""
    return round(parse_size(size) / MB_PER_GIB, 6)


def _chance(written: str | None, usual: float) -> float | None:
    """Return the written or else the default confidence [1]; None for that of the median."""
    chance = usual if written is None else share_of_one(written)
    return None if chance == MEDIAN else chance


def time_limit_s(written: str | None, usual_s: float) -> float | None:
    """Return the written time limit, or else the default [s]; None if there is no limit."""
    return (usual_s or None) if written is None else limit_s(written)
