"""Saving of a configuration against a baseline: the arithmetic, its sentence, and whether the team acted on it."""

import math
from datetime import datetime
from typing import Literal, Self

from pydantic import computed_field

from stowage.model.choice import Objective
from stowage.model.money.currency import Currency
from stowage.platform.described import Answer
from stowage.workloads import amounts, wording
from stowage.workloads.answers import ConfigurationAnswer

MONTHS = 36
"""Months of the longer period for which a saving is stated: the longest commitment that AWS sells."""

SavingState = Literal["open", "done", "dismissed"]
"""``done``: the team acted on the saving; ``dismissed``: it decided against it."""


class CostedCluster(Answer):
    """A cluster with its cost: predicted at the median, or given for a month by the user."""

    instance: str
    nodes: int
    storage_words: str
    run_usd: float
    """Share of one run in a given monthly cost; predicted if the cluster is always on."""
    month_usd: float
    """Always-on monthly cost if the objective is a month, else the cost of all runs in a month."""
    given: bool = False
    """True if the user gave the monthly cost, which is otherwise predicted."""

    @classmethod
    def of(
        cls,
        row: ConfigurationAnswer,
        objective: Objective,
        runs_per_month: float = 1.0,
        given_usd: float | None = None,
    ) -> Self:
        """Build the cluster from its prediction.

        Parameters
        ----------
        runs_per_month : float
            Runs per month of the workload, above 0; only used with `given_usd`.
        given_usd : float, optional
            Monthly cost as given by the user [USD per month], above 0. It replaces the predicted one.
        """
        always = row.cost_always_on_usd if objective == "month" else None
        month_usd = row.cost_per_month_usd.p50 if always is None else always
        if given_usd is None:
            return cls.from_fields(row, run_usd=row.cost_usd.p50, month_usd=month_usd, given=False)
        run_usd = row.cost_usd.p50 if objective == "month" else given_usd / runs_per_month
        return cls.from_fields(row, run_usd=run_usd, month_usd=given_usd, given=True)

    @property
    def name(self) -> str:
        """Name of the cluster, as in ``178 × i2.8xlarge``."""
        return f"{self.nodes:,} × {self.instance}"


class SavingAnswer(Answer):
    """Saving of a configuration against the baseline, from the medians of both predictions.

    The monthly cost of the baseline may be given by the user instead.

    Sums are below 0 if the configuration costs more than the baseline.
    """

    baseline: CostedCluster
    chosen: CostedCluster
    """The configuration that is compared with the baseline."""
    per: Literal["run", "month"]
    """Period of the sentence and the percentage: a run if the workload runs once a month, which is the default, unless
    the monthly cost of the baseline is given."""
    runs_per_month: float
    same_durability: bool
    """True if both store the data with the same durability model and number of copies."""
    price_terms: str | None = None
    """Discounts that all predicted costs include, in a few words; null for published prices."""
    currency: Currency | None = None
    """Currency in which the sentence also states the sum, at the team's rate; null for US dollars only. It is the
    current one, and not stored."""

    # mypy supports no decorators on properties (python/mypy#1362); pydantic's documentation ignores the error too.
    @computed_field  # type: ignore[prop-decorator]
    @property
    def run_usd(self) -> float:
        """Saving of a run."""
        return self.baseline.run_usd - self.chosen.run_usd

    @computed_field  # type: ignore[prop-decorator]
    @property
    def month_usd(self) -> float:
        """Saving of a month."""
        return self.baseline.month_usd - self.chosen.month_usd

    @computed_field  # type: ignore[prop-decorator]
    @property
    def three_years_usd(self) -> float:
        """Saving of 36 months at the same prices and the same amount of data."""
        return MONTHS * self.month_usd

    @computed_field  # type: ignore[prop-decorator]
    @property
    def percent(self) -> float | None:
        """Difference of the configuration's cost from the baseline's; null if the baseline costs nothing."""
        found = amounts.percent(self._chosen_usd, self._baseline_usd)
        return None if found is None else found.value

    @computed_field  # type: ignore[prop-decorator]
    @property
    def sentence(self) -> str:
        """The saving in words."""
        terms = "" if self.price_terms is None else f", incl. {self.price_terms}"
        if terms and self.baseline.given:
            terms = f"; the predicted cost incl. {self.price_terms}"
        against, apart = f"{self._against}{terms}", abs(self._baseline_usd - self._chosen_usd)
        change = amounts.percent(self._chosen_usd, self._baseline_usd)
        about = wording.about(apart, self.currency)
        beside = ", ".join(words for words in (about, "" if change is None else change.words) if words)
        words = f" ({beside})" if beside else ""
        if is_saving(self._baseline_usd, self._chosen_usd):
            return f"Saves {wording.usd(apart)} a {self.per}{self._at_runs}{words} against {against}."
        if apart <= amounts.SAME * self._baseline_usd:
            return f"Costs the same as {against}."
        return f"Costs {wording.usd(apart)} a {self.per} more{self._at_runs}{words} than {against}."

    @property
    def _at_runs(self) -> str:
        """The runs on which the cost of a month rests; empty for a run, and for an always-on cluster."""
        of_runs = math.isclose(self.chosen.month_usd, self.runs_per_month * self.chosen.run_usd, rel_tol=1e-6)
        if self.per == "run" or not of_runs:
            return ""
        runs = wording.three_digits(self.runs_per_month)
        return f" at {runs} run{'' if runs == '1' else 's'}"

    @property
    def _baseline_usd(self) -> float:
        return self.baseline.month_usd if self.per == "month" else self.baseline.run_usd

    @property
    def _chosen_usd(self) -> float:
        return self.chosen.month_usd if self.per == "month" else self.chosen.run_usd

    @property
    def _against(self) -> str:
        # Two clusters of one name differ in their storage.
        details = [self.baseline.storage_words] if self._is_alike else []
        if self.baseline.given:
            details.append(f"given: {wording.usd(self.baseline.month_usd)} a month")
        return f"{self.baseline.name} ({', '.join(details)})" if details else self.baseline.name

    @property
    def _is_alike(self) -> bool:
        return self.baseline.name == self.chosen.name


class SavingMark(Answer):
    """Mark of a saving: the team acted on it, decided against it, or neither."""

    state: SavingState = "open"
    reason: str = ""
    """Reason for the dismissal, or a note on the action taken; may be empty."""
    person: str | None = None
    """Name of the user who marked the saving, as it was then; null if it is open."""
    at: datetime | None = None
    """Time at which it was marked; null if it is open."""


def is_saving(baseline_usd: float, chosen_usd: float) -> bool:
    """Return whether a cost is lower than that of the baseline by more than a negligible difference."""
    return baseline_usd - chosen_usd > amounts.SAME * baseline_usd


def saving_of(
    baseline: ConfigurationAnswer,
    chosen: ConfigurationAnswer,
    objective: Objective,
    runs_per_month: float,
    price_terms: str | None = None,
    currency: Currency | None = None,
    given_usd: float | None = None,
) -> SavingAnswer:
    """Compute the saving of a configuration against the baseline.

    Parameters
    ----------
    baseline, chosen : ConfigurationAnswer
        Predictions of the same workload.
    objective : {"cost", "time", "month"}
        Objective of the workload: for a month, the monthly cost is that of an always-on cluster.
    runs_per_month : float
        Runs per month of the workload, above 0.
    price_terms : str, optional
        Discounts that all predicted costs include, in a few words.
    currency : Currency, optional
        Currency in which the sentence also states the sum.
    given_usd : float, optional
        Monthly cost of the baseline as given by the user [USD per month]; it replaces the predicted one.
    """
    kept = [(row.durability, row.replicas or 1) for row in (baseline, chosen)]
    return SavingAnswer(
        baseline=CostedCluster.of(baseline, objective, runs_per_month, given_usd),
        chosen=CostedCluster.of(chosen, objective),
        per="month" if objective == "month" or runs_per_month != 1.0 or given_usd is not None else "run",
        runs_per_month=runs_per_month,
        same_durability=kept[0] == kept[1],
        price_terms=price_terms,
        currency=currency,
    )
