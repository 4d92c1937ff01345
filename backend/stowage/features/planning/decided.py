"""Request types for the decisions about a plan: current cluster, pinned configurations, notes, mark of the saving."""

from typing import Annotated

from pydantic import Field, StringConstraints

from stowage.model.units import parse_money
from stowage.platform.described import RequestBody
from stowage.platform.written import LINE_BREAKS, Money, Section, plain_text
from stowage.workloads.cluster_section import ClusterSection
from stowage.workloads.job_section import OneDurability
from stowage.workloads.saving import SavingState
from stowage.workloads.workload_file import WorkloadFile

MOST_PINS = 5
LONGEST_NOTES = 2_000
LONGEST_REASON = 500


class TodayCluster(ClusterSection):
    """Current cluster, to compare with the recommendation."""

    durability: Annotated[OneDurability | None, Field(discriminator="model")] = None
    """Durability of its data. By default the plan's, if the cluster's storage supports it."""
    cost_per_month: Money | None = None
    """Actual monthly cost, if known. Savings are then computed from it instead of the predicted cost."""

    @property
    def given_usd(self) -> float | None:
        """Monthly cost as given by the user [USD per month]; None if it is predicted."""
        return None if self.cost_per_month is None else parse_money(self.cost_per_month)

    def section(self) -> ClusterSection:
        """Return the cluster as a `cluster` section of a workload file, without durability and cost."""
        return ClusterSection(instance=self.instance, nodes=self.nodes, storage=self.storage, spares=self.spares)


class PinnedFile(WorkloadFile):
    """A pinned configuration: a workload file whose `cluster` section is the pinned configuration."""

    cluster: ClusterSection


class Decided(Section):
    """Decisions of users about a plan: current cluster, pinned configurations and notes."""

    today: TodayCluster | None = None
    """Current cluster."""
    pins: Annotated[tuple[PinnedFile, ...], Field(max_length=MOST_PINS)] = ()
    """In the order of the comparison."""
    durabilities: bool = False
    """True if the comparison includes the best configuration of each durability option."""
    notes: Annotated[
        str, StringConstraints(strip_whitespace=True, max_length=LONGEST_NOTES), plain_text(LINE_BREAKS)
    ] = ""


class NewSavingMark(RequestBody):
    """Mark of a plan's saving: done or dismissed by the team; ``open`` undoes an earlier mark."""

    state: SavingState
    reason: Annotated[
        str, StringConstraints(strip_whitespace=True, max_length=LONGEST_REASON), plain_text(LINE_BREAKS)
    ] = ""
    """Required to dismiss a saving."""


class NewPlan(WorkloadFile):
    """A plan to store: its workload file and decisions."""

    decided: Decided = Decided()

    def question(self) -> WorkloadFile:
        """Return the workload file without the decisions."""
        return WorkloadFile.model_construct(**{name: getattr(self, name) for name in WorkloadFile.model_fields})
