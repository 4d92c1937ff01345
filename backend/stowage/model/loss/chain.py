"""Markov chains of failures and repairs.

A state is a number of failed units; the last state is data loss. The module computes the chance that a chain reaches
data loss within a time.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_FINE_STEP = 1 / 128
_TERMS_BEYOND_STATES = 6
_ROWS_AT_ONCE = 24
_ELEMENTS_AT_ONCE = 1 << 17  # of the matrices of chains that are multiplied together: they fit the cache


class State(NamedTuple):
    """Transition rates from one state of a chain, with j failed units."""

    up: float
    """Rate to the state with j + 1 failed units [1/s]."""
    lost: float
    """Rate to data loss [1/s]."""
    down: float
    """Rate to the state with j - 1 failed units [1/s]."""


def chances_of_absorption(chains: Sequence[list[State]], exposures_s: Sequence[float]) -> list[float]:
    """Return the chance that each chain ends in data loss within its exposure.

    Chains of equal size and scale are computed as one batch.
    """
    alike: dict[tuple[int, int], list[tuple[int, NDArray[np.float64], float]]] = {}
    for place, (states, exposure_s) in enumerate(zip(chains, exposures_s, strict=True)):
        rates = _rates(states)
        # Twice the fastest rate keeps the diagonal at 0.5 or more, where a difference from 1 is exact.
        fastest = 2.0 * float(rates.sum(axis=1).max())
        squares = max(0, math.ceil(math.log2(fastest * exposure_s / _FINE_STEP)))
        step = rates / fastest
        np.fill_diagonal(step, 1.0 - step.sum(axis=1))
        steps = fastest * exposure_s / 2.0**squares
        alike.setdefault((len(states), squares), []).append((place, step, steps))
    chances = [0.0] * len(chains)
    for (size, squares), group in alike.items():
        most = max(1, _ELEMENTS_AT_ONCE // (size + 1) ** 2)
        for first in range(0, len(group), most):
            places, step_of, steps_of = zip(*group[first : first + most], strict=True)
            exponentials = _exponentials(np.stack(step_of), np.array(steps_of), squares)
            for place, exponential in zip(places, exponentials, strict=True):
                chances[place] = float(exponential[0, size])
    return chances


def _rates(states: list[State]) -> NDArray[np.float64]:
    """Build the matrix of transition rates between states [1/s].

    The last state is data loss.
    """
    size = len(states)
    rates = np.zeros((size + 1, size + 1))
    for failed, state in enumerate(states):
        rates[failed, failed + 1] = state.up
        rates[failed, size] += state.lost
        if failed:
            rates[failed, failed - 1] = state.down
    return rates


def _exponentials(step: NDArray[np.float64], steps: NDArray[np.float64], squares: int) -> NDArray[np.float64]:
    """Compute the transition probabilities of chains over a time.

    The result has the shape (chains, states, states). The probabilities are matrix exponentials: a power series covers
    a short time, and its result is squared repeatedly.
    """
    unit = np.eye(step.shape[-1])
    chances: NDArray[np.float64] = np.broadcast_to(unit, step.shape)
    # A path through all states takes as many terms as there are states; further terms add less than 1e-18 of it.
    for term in range(step.shape[-1] - 1 + _TERMS_BEYOND_STATES, 0, -1):
        chances = unit + (steps / term)[:, np.newaxis, np.newaxis] * _product(step, chances)
    chances /= chances.sum(axis=2, keepdims=True)
    for _ in range(squares):
        chances = _product(chances, chances)
        chances /= chances.sum(axis=2, keepdims=True)
    return chances


def _product(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Multiply matrices in pieces.

    BLAS would divide larger matrices among threads, whose synchronization takes far longer.
    """
    size = left.shape[-1]
    if size <= _ROWS_AT_ONCE:
        return left @ right
    pieces = [left[:, row : row + _ROWS_AT_ONCE] @ right for row in range(0, size, _ROWS_AT_ONCE)]
    return np.concatenate(pieces, axis=1)
