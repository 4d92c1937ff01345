"""Inputs of the validation's predictions, with functions that make predictions from them.

All equations are in the model.
"""

from dataclasses import replace
from datetime import date

from stowage.frozen import frozen
from stowage.model.cluster import Configuration, InstanceStore
from stowage.model.figure import Figure
from stowage.model.hardware.catalog import Catalog, VolumeType, volume_type
from stowage.model.hardware.instance import InstanceType
from stowage.model.hardware.profile import Profiles
from stowage.model.hardware.volume_limits import VolumeLimits, volume_limits
from stowage.model.infeasible import feasible
from stowage.model.jobs.workload import Assumptions, Workload
from stowage.model.prediction import Prediction, Range, predict
from stowage.validation.case import Predicted
from stowage.validation.sources import Sources

EQUATIONS = Assumptions(shuffle="whole", cpu="ignored", spread="ignored", launch="ignored", billing="prorated")
"""Assumptions of the paper's equations."""

UNBILLED_LAUNCH = Assumptions(launch="ignored", billing="prorated")
"""All effects on the time; the cost as computed by the paper."""

_IMPOSSIBLE = "a published result cannot be impossible"


@frozen
class PublishedInputs:
    """Published figures and measurements, from which other published figures are predicted."""

    sources: Sources
    paper: Catalog
    """The paper's instance types and prices."""
    profiles: Profiles
    """The paper's measurements of its instance types."""

    def value(self, name: str) -> float:
        """Return the value of a published figure, for use as an input of predictions."""
        return self.sources.value(name)

    def count(self, name: str) -> int:
        """Return the value of a published figure as a whole number, for use as an input of predictions."""
        return int(self.sources.value(name))

    def actual(self, name: str) -> float:
        """Return the published value of the case with this id."""
        return self.sources.actual(name)

    def without_profiles_of(self, *targets: str) -> Profiles:
        """Return the profiles of all instance types except some.

        ``targets`` has the names of these instance types.
        """
        return Profiles(tuple(row for row in self.profiles.rows if row.target not in targets))

    def predict(
        self,
        configuration: Configuration,
        workload: Workload,
        profiles: Profiles | None = None,
        catalog: Catalog | None = None,
    ) -> Prediction:
        """Predict a workload on a configuration.

        By default, the paper's catalog and profiles are used.
        """
        answer = predict(
            configuration,
            workload,
            self.paper if catalog is None else catalog,
            self.profiles if profiles is None else profiles,
        )
        return feasible(answer, _IMPOSSIBLE)

    def volume_type(self, name: str, on: date) -> VolumeType:
        """Return a volume type as it was on a date.

        Its limits are those that AWS set on the date. Its prices are those in the published sources.
        """
        figures = {
            quantity.removeprefix(f"{name}."): figure
            for quantity, figure in self.sources.figures.items()
            if quantity.startswith(f"{name}.")
        }
        return volume_type(name, figures, on)

    def catalog(self, instance: str, volume: str, on: date) -> Catalog:
        """Build a catalog with one instance type and one volume type.

        The instance type comes from the published sources. The volume type is as it was on the date ``on``.
        """
        return replace(
            self.paper,
            version="validation",
            title="What a published measurement ran on",
            as_of=on,
            instance_types={instance: self.sources.instance_types[instance]},
            volume_types={volume: self.volume_type(volume, on)},
        )

    def with_ebs_link(self, instance: str, link: Figure) -> Catalog:
        """Return the paper's catalog with another EBS link rate for one instance type.

        ``link`` replaces the published rate.
        """
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
    return feasible(predict(configuration, workload, catalog, Profiles(()), sources=False), _IMPOSSIBLE)


def limits_of(name: str, on: date) -> VolumeLimits:
    """Return the limits of a volume type on a date.

    Raises
    ------
    RuntimeError
        The limits are unknown.
    """
    return feasible(volume_limits(name, on), _IMPOSSIBLE)


def time_of(prediction: Prediction, *assumptions: str) -> Predicted:
    """Return the time of a prediction [s].

    ``assumptions`` are to be shown with the prediction.
    """
    return _of(prediction.time_s, assumptions)


def cost_of(prediction: Prediction, *assumptions: str) -> Predicted:
    """Return the cost of a prediction [USD].

    ``assumptions`` are to be shown with the prediction.
    """
    return _of(prediction.cost_usd, assumptions)


def rate_of(prediction: Prediction, amount: float) -> Predicted:
    """Return the rate at which an amount is processed in the predicted time.

    p90 of the time gives p10 of the rate, and p10 of the time gives p90 of the rate.
    """
    times = prediction.time_s
    return Predicted(amount / times.p50, amount / times.p90, amount / times.p10)


def error_words(predicted: float, actual: float) -> str:
    """Format the relative error of a prediction with its sign, e.g. ``+13.7%``."""
    return f"{100.0 * (predicted - actual) / actual:+.1f}%"


def _of(found: Range, assumptions: tuple[str, ...]) -> Predicted:
    return Predicted(found.p50, found.p10, found.p90, assumptions)
