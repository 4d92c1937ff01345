"""Hierarchical normal model: the range of a run of an unseen group (framework or source), from runs of other groups."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stowage.model.uncertainty.scale import Z90


@dataclass(frozen=True, slots=True)
class Width:
    """Predicted range of ln(time / predicted time) for one run of an unseen group.

    Parameters
    ----------
    median : float
        Median of the range [1].
    deviation : float
        Standard deviation of the normal distribution whose p10 and p90 are those of the fit [1].
    within : float
        Standard deviation between runs of one group [1].
    """

    median: float
    deviation: float
    within: float

    @property
    def range(self) -> tuple[float, float]:
        """Return p10 and p90 of the range [1]."""
        return self.median - Z90 * self.deviation, self.median + Z90 * self.deviation


def of_another(groups: Sequence[Sequence[float]], others: Sequence[Sequence[Sequence[float]]] = ()) -> Width:
    """Return the range of one run of an unseen group.

    Parameters
    ----------
    groups : sequence of sequence of float
        ln(time / predicted time) of the runs of each group [1]; at least one group.
    others : sequence of such groups
        Groups of other kinds. Each kind has its own mean, so these groups are used only to estimate the variances.
        Among all groups, at least one kind must have two groups, and at least one group two runs.

    Notes
    -----
    A hierarchical normal model: run i of group j has y_ij = mu + a_j + e_ij, where a_j varies between groups with
    variance t^2 and e_ij between runs of one group with variance s^2. With the means m_j of J groups, their mean M, and
    v the sample variance of the means around the mean of their kind (which includes t^2), a run of an unseen group has

        mean M, variance v (1 + 1/J) + s^2,

    with s^2 pooled over the groups. Since v is estimated with only f degrees of freedom (J - 1 for each kind), p10 and
    p90 are those of Student's t with f degrees of freedom.

    **Source**: Gelman et al., Bayesian Data Analysis, 3rd edition, section 5.4 (hierarchical normal model), section
    3.2 (Student's t where the variance is estimated).
    """
    # Imported here: most commands need no fit.
    from scipy.special import stdtrit  # type: ignore[import-untyped] # noqa: PLC0415 - no types; see above

    kinds = (groups, *others)
    means = [np.array([np.mean(group) for group in kind]) for kind in kinds]
    within = sum(float(np.square(np.array(group) - np.mean(group)).sum()) for kind in kinds for group in kind)
    free = sum(len(group) - 1 for kind in kinds for group in kind)
    of_means = sum(float(np.square(of_kind - of_kind.mean()).sum()) for of_kind in means)
    freedom = sum(of_kind.size - 1 for of_kind in means)
    variance = of_means / freedom * (1.0 + 1.0 / means[0].size) + within / free
    wider = float(stdtrit(float(freedom), 0.9)) / Z90
    return Width(float(np.mean(means[0])), wider * math.sqrt(variance), math.sqrt(within / free))
