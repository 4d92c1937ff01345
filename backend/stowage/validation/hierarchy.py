"""Hierarchical normal model, which predicts the range of times of a run from an unseen group.

A group is the runs of one framework, or the runs from one published source. The range is predicted from the runs of
other groups.
"""

import math
from collections.abc import Sequence

import numpy as np

from stowage.frozen import frozen
from stowage.model.uncertainty.scale import Z90


@frozen
class Width:
    """Predicted range of ln(time / predicted time) for one run of an unseen group."""

    median: float
    """Median of the range [1]."""
    deviation: float
    """Standard deviation of the normal distribution that has the same p10 and p90 as the fit [1]."""
    within: float
    """Standard deviation between runs of one group [1]."""

    @property
    def range(self) -> tuple[float, float]:
        """Return p10 and p90 of the range [1]."""
        return self.median - Z90 * self.deviation, self.median + Z90 * self.deviation


def of_another(groups: Sequence[Sequence[float]], others: Sequence[Sequence[Sequence[float]]] = ()) -> Width:
    """Return the range of one run from an unseen group.

    Parameters
    ----------
    groups : sequence of sequence of float
        ln(time / predicted time) of the runs of each group [1]; at least one group.
    others : sequence of sequence of sequence of float
        Groups of each other kind. Each kind has its own mean, so these groups are used only to estimate the variances.
        Among all kinds, including that of ``groups``, at least one must have two groups. At least one group must have
        two runs.

    Notes
    -----
    In a hierarchical normal model, run i of group j has y_ij = mu + a_j + e_ij. Here a_j varies between groups with
    variance t^2, and e_ij varies between runs of one group with variance s^2. Let M be the mean of the means of J
    groups. Let v be the sample variance of these means around the mean of their kind; it includes t^2. A run from an
    unseen group has

        mean M, variance v (1 + 1/J) + s^2,

    with s^2 pooled over the groups. The variance v is estimated with only f degrees of freedom (J - 1 for each kind).
    So p10 and p90 are those of Student's t with f degrees of freedom.

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
