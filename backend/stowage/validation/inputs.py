"""Inputs of the validation's predictions, and short functions that predict; the physics is in the model."""

from dataclasses import dataclass, replace
from datetime import date
from typing import TypeVar

from stowage.model.cluster import Configuration, InstanceStore
from stowage.model.figure import Figure
from stowage.model.hardware.catalog import Catalog, VolumeType, volume_type
from stowage.model.hardware.instance import InstanceType
from stowage.model.hardware.profile import Profiles
from stowage.model.hardware.volume_limits import VolumeLimits, volume_limits
from stowage.model.infeasible import Infeasible
from stowage.model.jobs.workload import Assumptions, Workload
from stowage.model.prediction import Prediction, Range, predict
from stowage.validation.case import Predicted
from stowage.validation.sources import Sources

EQUATIONS = Assumptions(shuffle="whole", cpu="ignored", spread="ignored", launch="ignored", billing="prorated")
"""Assumptions of the paper's equations."""

UNBILLED_LAUNCH = Assumptions(launch="ignored", billing="prorated")
"""All effects on the time; the cost as computed by the paper."""


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PublishedInputs:
    """Published figures and measurements from which published results are predicted.

    Parameters
    ----------
    sources : Sources
    paper : Catalog
        The paper's instance types and prices.
    profiles : Profiles
        The paper's measurements of its instance types.
    """

    sources: Sources
    paper: Catalog
    profiles: Profiles

    def value(self, name: str) -> float:
        """Return the value of a published figure that is an input of predictions."""
        return self.sources.value(name)

    def count(self, name: str) -> int:
        """Return the value of a published figure that is an input of predictions and a whole number."""
        return int(self.sources.value(name))

    def actual(self, name: str) -> float:
        """Return the published value of a case."""
        return self.sources.actual(name)

    def without_profiles_of(self, *targets: str) -> Profiles:
        """Return the profiles without those of some instance types."""
        return Profiles(tuple(row for row in self.profiles.rows if row.target not in targets))

    def predict(
        self,
        configuration: Configuration,
        workload: Workload,
        profiles: Profiles | None = None,
        catalog: Catalog | None = None,
    ) -> Prediction:
        """Predict a workload on a configuration, by default with the paper's catalog and profiles."""
        answer = predict(
            configuration,
            workload,
            self.paper if catalog is None else catalog,
            self.profiles if profiles is None else profiles,
        )
        return feasible(answer)

    def volume_type(self, name: str, on: date) -> VolumeType:
        """Return a volume type with the limits that AWS set on a date, and with the prices in the sources."""
        figures = {
            quantity.removeprefix(f"{name}."): figure
            for quantity, figure in self.sources.figures.items()
            if quantity.startswith(f"{name}.")
        }
        return volume_type(name, figures, on)

    def catalog(self, instance: str, volume: str, on: date) -> Catalog:
        """Build a catalog with one instance type from the sources and one volume type, as on a date."""
        return replace(
            self.paper,
            version="validation",
            title="What a published measurement ran on",
            as_of=on,
            instance_types={instance: self.sources.instance_types[instance]},
            volume_types={volume: self.volume_type(volume, on)},
        )

    def with_ebs_link(self, instance: str, link: Figure) -> Catalog:
        """Return the paper's catalog with ``link`` as the published rate of the EBS link of one instance type."""
        changed = replace(
            self.paper.instance_types[instance],
            ebs_maximum_mb_per_s=replace(link, quantity="ebs_maximum_mb_per_s"),
            ebs_baseline_mb_per_s=replace(link, quantity="ebs_baseline_mb_per_s"),
        )
        return replace(self.paper, instance_types={**self.paper.instance_types, instance: changed})


def predict_job(workload: Workload, node: InstanceType, nodes: int) -> Prediction:
    """Predict a job on nodes with two disks; the workload states all rates."""
    catalog = Catalog("validation", "What a finished job ran on", date.min, "us-east-1", {node.name: node}, {})
    configuration = Configuration(node.name, nodes, InstanceStore(2, 0))
    return feasible(predict(configuration, workload, catalog, Profiles(()), sources=False))


def limits_of(name: str, on: date) -> VolumeLimits:
    """Return the limits of a volume type on a date; raise an error if they are unknown."""
    return feasible(volume_limits(name, on))


def feasible(answer: T | Infeasible) -> T:
    """Return the answer unchanged; raise an error if it is Infeasible, since published results were possible."""
    if isinstance(answer, Infeasible):
        raise TypeError(f"a published result cannot be impossible: {answer.reason}")
    return answer


def time_of(prediction: Prediction, *assumptions: str) -> Predicted:
    """Return the time of a prediction [s], with assumptions to be shown with it."""
    return _of(prediction.time_s, assumptions)


def cost_of(prediction: Prediction, *assumptions: str) -> Predicted:
    """Return the cost of a prediction [USD], with assumptions to be shown with it."""
    return _of(prediction.cost_usd, assumptions)


def rate_of(prediction: Prediction, amount: float) -> Predicted:
    """Return the rate at which an amount is processed in the predicted time; p90 of the time gives p10 of the rate."""
    times = prediction.time_s
    return Predicted(amount / times.p50, amount / times.p90, amount / times.p10)


def error_words(predicted: float, actual: float) -> str:
    """Format an error with its sign: ``+13.7%``."""
    return f"{100.0 * (predicted - actual) / actual:+.1f}%"


def _of(found: Range, assumptions: tuple[str, ...]) -> Predicted:
    return Predicted(found.p50, found.p10, found.p90, assumptions)
