"""The loss probability against closed forms, exact fractions and a hundred digits, and its general properties."""

import math
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from soaking import everyday
from stowage.model.loss.durability import (
    FAILURE_DETECTION_S,
    MOST_STATES,
    MOST_UNITS,
    NODE_FAILURES_PER_YEAR,
    OBJECT_LOSS_PER_YEAR,
    CopiedData,
    Repairs,
    chance_of_loss,
    chance_of_object_loss,
    chances_of_loss,
    mean_time_to_loss_s,
    repair_time_s,
    sets_of_blocks,
)
from stowage.model.units import SECONDS_PER_YEAR

YEAR = SECONDS_PER_YEAR
HOUR = 3_600.0
BOTH: tuple[Repairs, ...] = ("parallel", "serial")


def kept(
    units: int, copies: int, ratio: float, *, repairs: Repairs = "parallel", blocks: int | None = None
) -> CopiedData:
    """Build copies with one failure a year and repairs of ``ratio`` years."""
    sets = None if blocks is None else float(exact_sets(units, copies, blocks))
    return CopiedData(units, copies, 1.0, ratio * YEAR, repairs, sets)


def exact_sets(units: int, copies: int, blocks: int) -> Fraction:
    every = math.comb(units, copies)
    return every * (1 - (1 - Fraction(1, every)) ** blocks)


def exact_rates(data: CopiedData, blocks: int | None) -> list[tuple[Fraction, Fraction, Fraction]]:
    """List (up, lost, down) [1/a] of every state, without omissions; the definition, written with binomials."""
    mu = Fraction(YEAR) / Fraction(data.repair_s)
    every = math.comb(data.units, data.copies)
    survived = [
        Fraction(failed < data.copies)
        if blocks is None
        else (1 - Fraction(math.comb(failed, data.copies), every)) ** blocks
        for failed in range(data.units + 1)
    ]
    rates = []
    for failed in range(data.units):
        if survived[failed] == 0:
            break
        fails = (data.units - failed) * Fraction(data.failures_per_year)
        stays = survived[failed + 1] / survived[failed]
        down = mu * (failed if data.repairs == "parallel" else min(failed, 1))
        rates.append((fails * stays, fails * (1 - stays), down))
    return rates


def exact_mean_s(data: CopiedData, blocks: int | None) -> float:
    """Solve the first-step equations (up + lost + down) t = 1 + up t' + down t'' by elimination on fractions."""
    rates = exact_rates(data, blocks)
    size = len(rates)
    rows = [[Fraction(0)] * size + [Fraction(1)] for _ in rates]
    for failed, (up, lost, down) in enumerate(rates):
        rows[failed][failed] = up + lost + down
        if failed + 1 < size:
            rows[failed][failed + 1] = -up
        if failed:
            rows[failed][failed - 1] = -down
    for pivot in reversed(range(1, size)):
        factor = rows[pivot - 1][pivot] / rows[pivot][pivot]
        rows[pivot - 1] = [above - factor * below for above, below in zip(rows[pivot - 1], rows[pivot], strict=True)]
    return float(rows[0][-1] / rows[0][0] * Fraction(YEAR))


def exact_chance(data: CopiedData, blocks: int | None, exposure_s: float) -> float:
    """Exponentiate the generator matrix, negative entries included, with a hundred digits."""
    with localcontext() as context:
        context.prec = 100
        rates = [[Decimal(r.numerator) / Decimal(r.denominator) for r in row] for row in exact_rates(data, blocks)]
        size = len(rates)
        years = Decimal(exposure_s) / Decimal(YEAR)
        halvings = max(0, int((sum(rates[-1]) + sum(rates[0])) * 4 * years).bit_length())
        step = years / 2**halvings
        generator = [[Decimal(0)] * (size + 1) for _ in range(size + 1)]
        for failed, (up, lost, down) in enumerate(rates):
            generator[failed][failed] = -(up + lost + down) * step
            generator[failed][failed + 1] += up * step
            generator[failed][size] += lost * step
            if failed:
                generator[failed][failed - 1] = down * step
        identity = [[Decimal(i == j) for j in range(size + 1)] for i in range(size + 1)]
        found = identity
        for term in range(90, 0, -1):
            product = times(generator, found)
            found = [[identity[i][j] + product[i][j] / term for j in range(size + 1)] for i in range(size + 1)]
        for _ in range(halvings):
            found = times(found, found)
        return float(found[0][size])


def times(left: list[list[Decimal]], right: list[list[Decimal]]) -> list[list[Decimal]]:
    columns = list(zip(*right, strict=True))
    return [[sum((a * b for a, b in zip(row, column, strict=True)), Decimal(0)) for column in columns] for row in left]


def binomial_tail(units: int, copies: int, chance: Fraction) -> Fraction:
    return sum(
        (Fraction(math.comb(units, k)) * chance**k * (1 - chance) ** (units - k) for k in range(copies, units + 1)),
        Fraction(0),
    )


# No repairs


@pytest.mark.parametrize(
    ("units", "copies"), [(units, copies) for units in (1, 2, 5, 40, 178) for copies in (1, 2, 3) if copies <= units]
)
@pytest.mark.parametrize("hazard", [1e-9, 1e-3, 0.1, 2.0])
def test_chance_without_repair_is_the_binomial_tail(units: int, copies: int, hazard: float) -> None:
    chance = Fraction(-math.expm1(-hazard))
    exact = pytest.approx(float(binomial_tail(units, copies, chance)), rel=1e-12)
    assert chance_of_loss(CopiedData(units, copies, hazard), YEAR) == exact


@pytest.mark.parametrize(
    ("units", "copies", "blocks"), [(5, 2, 3), (12, 3, 40), (40, 3, 1), (40, 2, 2_000), (60, 30, 9)]
)
@pytest.mark.parametrize("hazard", [1e-9, 1e-3, 0.3, 3.0, 50.0, 800.0])
def test_few_sets_without_repair_are_lost_where_all_failed_units_hold_one(
    units: int, copies: int, blocks: int, hazard: float
) -> None:
    chance = Fraction(-math.expm1(-hazard))
    exact = Fraction(0)
    for k in range(copies, units + 1):
        lost = 1 - (1 - Fraction(math.comb(k, copies), math.comb(units, copies))) ** blocks
        exact += math.comb(units, k) * chance**k * (1 - chance) ** (units - k) * lost
    data = CopiedData(units, copies, hazard, sets=float(exact_sets(units, copies, blocks)))
    assert chance_of_loss(data, YEAR) == pytest.approx(float(exact), rel=1e-12)


def test_one_set_without_repair_is_lost_where_each_of_its_units_fails() -> None:
    for units in (3, 50, MOST_UNITS, MOST_UNITS + 1, 10**12):
        chance = chance_of_loss(CopiedData(units, 3, 0.1, sets=1.0), YEAR)
        assert chance == pytest.approx((-math.expm1(-0.1)) ** 3, rel=1e-10)


def test_very_slow_repair_is_no_repair() -> None:
    for blocks in (None, 30):
        slow, never = (replace(kept(12, 3, 1.0, blocks=blocks), repair_s=repair_s) for repair_s in (1e30, math.inf))
        assert chance_of_loss(slow, YEAR) == pytest.approx(chance_of_loss(never, YEAR), rel=1e-12)
        assert mean_time_to_loss_s(slow) == pytest.approx(mean_time_to_loss_s(never), rel=1e-12)


def test_mean_time_without_repair_is_the_sum_of_the_gaps() -> None:
    data = CopiedData(40, 3, 0.5)
    assert mean_time_to_loss_s(data) == pytest.approx(2 * YEAR * (1 / 40 + 1 / 39 + 1 / 38), rel=1e-14)


def test_many_at_once_give_what_each_gives_alone_bit_for_bit() -> None:
    """Formulas and chains of many sizes and time scales, each several times, in random order."""
    data = [
        CopiedData(units, copies, 0.08, repair_s, repairs, sets)
        for units in (3, 7, 40, 178, 2_000)
        for copies in (1, 2, 3)
        for repair_s in (math.inf, 1e-3, HOUR, 20 * HOUR, 0.1 * YEAR)
        for repairs in BOTH
        for sets in (None, sets_of_blocks(units, copies, 1e4))
    ]
    pairs = [(each, exposure_s) for exposure_s in (0.0, HOUR, YEAR) for each in (*data, *data[::-7])]
    assert chances_of_loss(pairs) == [chance_of_loss(*pair) for pair in pairs]
    assert len(set(chances_of_loss(pairs))) > 200
    assert chances_of_loss([]) == []


def test_nothing_fails_in_no_time() -> None:
    assert chance_of_loss(CopiedData(178, 1, 0.08), 0.0) == 0.0
    assert chance_of_loss(CopiedData(178, 3, 0.0, HOUR), YEAR) == 0.0
    assert mean_time_to_loss_s(CopiedData(178, 3, 0.0, HOUR)) == math.inf


def test_everything_fails_in_the_end() -> None:
    for repair_s in (math.inf, HOUR):
        assert chance_of_loss(CopiedData(178, 3, 1e6, repair_s), YEAR) == pytest.approx(1.0)


# One copy


@pytest.mark.parametrize("repair_s", [HOUR, math.inf])
def test_one_copy_is_lost_with_the_first_unit_that_holds_data(repair_s: float) -> None:
    volumes = CopiedData(48, 1, 0.002, repair_s)
    assert chance_of_loss(volumes, YEAR) == -math.expm1(-48 * 0.002)
    assert mean_time_to_loss_s(volumes) == pytest.approx(YEAR / (48 * 0.002))
    few = replace(volumes, sets=5.0)
    assert chance_of_loss(few, YEAR) == -math.expm1(-5 * 0.002)
    assert mean_time_to_loss_s(few) == pytest.approx(YEAR / (5 * 0.002))


# Mean time to loss


RATIOS = [1e-9, 1e-4, 0.3, 1.0, 1e3]


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("repairs", BOTH)
@pytest.mark.parametrize("units", [2, 3, 178, 100_000])
def test_mean_time_of_two_copies_is_the_closed_form(units: int, repairs: Repairs, ratio: float) -> None:
    lam, mu = 1.0, 1.0 / ratio
    exact = (mu + (2 * units - 1) * lam) / (units * (units - 1) * lam**2)
    assert mean_time_to_loss_s(kept(units, 2, ratio, repairs=repairs)) / YEAR == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("ratio", RATIOS)
def test_mean_time_of_three_units_with_three_copies_is_the_closed_form(ratio: float) -> None:
    lam, mu = 1.0, 1.0 / ratio
    parallel = (11 * lam**2 + 7 * lam * mu + 2 * mu**2) / (6 * lam**3)
    serial = (11 * lam**2 + 4 * lam * mu + mu**2) / (6 * lam**3)
    assert mean_time_to_loss_s(kept(3, 3, ratio)) / YEAR == pytest.approx(parallel, rel=1e-12)
    assert mean_time_to_loss_s(kept(3, 3, ratio, repairs="serial")) / YEAR == pytest.approx(serial, rel=1e-12)


CHAINS = [(2, 2, None), (6, 3, None), (50, 4, None), (5, 2, 2), (6, 3, 4), (8, 3, 40), (7, 7, 2)]


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("repairs", BOTH)
@pytest.mark.parametrize(("units", "copies", "blocks"), [*CHAINS, (20, 3, 5), (20, 3, 90)])
def test_mean_time_solves_the_first_step_equations(
    units: int, copies: int, blocks: int | None, repairs: Repairs, ratio: float
) -> None:
    data = kept(units, copies, ratio, repairs=repairs, blocks=blocks)
    assert mean_time_to_loss_s(data) == pytest.approx(exact_mean_s(data, blocks), rel=1e-12)


def test_mean_time_beyond_the_largest_float_is_infinite() -> None:
    data = CopiedData(100, 100, 1e-3, 1.0)
    assert mean_time_to_loss_s(data) == math.inf
    assert chance_of_loss(data, YEAR) == 0.0


# Chance of loss


@pytest.mark.parametrize("exposure_s", everyday((HOUR, 100 * YEAR), (HOUR, YEAR, 100 * YEAR), "spaces"))
@pytest.mark.parametrize("ratio", everyday((1e-9, 0.3, 1e3), RATIOS, "spaces"))
@pytest.mark.parametrize("repairs", BOTH)
@pytest.mark.parametrize(("units", "copies", "blocks"), CHAINS)
def test_chance_is_that_of_a_hundred_digits(
    units: int, copies: int, blocks: int | None, repairs: Repairs, ratio: float, exposure_s: float
) -> None:
    data = kept(units, copies, ratio, repairs=repairs, blocks=blocks)
    assert chance_of_loss(data, exposure_s) == pytest.approx(exact_chance(data, blocks, exposure_s), rel=1e-12, abs=0)


def test_chance_below_1e_30_keeps_its_digits() -> None:
    data = kept(6, 5, 1e-9)
    exact = exact_chance(data, None, YEAR)
    assert 1e-36 < exact < 1e-30
    assert chance_of_loss(data, YEAR) == pytest.approx(exact, rel=1e-12, abs=0)


@pytest.mark.parametrize("repairs", BOTH)
def test_states_left_out_do_not_show(repairs: Repairs) -> None:
    """The oracle has all 24 states; if repairs are a thousand times as frequent as failures few matter."""
    data = kept(24, 2, 1e-3, repairs=repairs, blocks=7)
    assert chance_of_loss(data, YEAR / 100) == pytest.approx(exact_chance(data, 7, YEAR / 100), rel=1e-12)


def test_in_a_short_time_nothing_is_repaired() -> None:
    """The first term: C(n, r) sets, of which each unit fails within the time."""
    for copies in (2, 3, 4):
        short_s = 1e-3
        chance = chance_of_loss(kept(40, copies, 1e-3), short_s)
        assert chance == pytest.approx(math.comb(40, copies) * (short_s / YEAR) ** copies, rel=1e-5)


def test_loss_of_what_is_rarely_lost_is_exponential() -> None:
    data = kept(178, 3, 1e-5)
    for exposure_s in (YEAR, 100 * YEAR, 1e5 * YEAR):
        expected = -math.expm1(-exposure_s / mean_time_to_loss_s(data))
        assert chance_of_loss(data, exposure_s) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("repairs", BOTH)
def test_one_hundred_copies_are_computed(repairs: Repairs) -> None:
    data = kept(1_000, 100, 0.1, repairs=repairs)
    never = replace(data, repair_s=math.inf)
    assert 0.0 < chance_of_loss(data, YEAR / 10) <= chance_of_loss(never, YEAR / 10)


# More states than are computed


def test_many_states_are_estimated_from_above() -> None:
    """With one set and parallel repair the units of the set are a chain of their own, exact for any others."""
    data, own = CopiedData(2_000, 3, 1.0, YEAR, sets=1.0), kept(3, 3, 1.0)
    for exposure_s in (YEAR / 1000, YEAR / 10, YEAR / 2):
        exact = chance_of_loss(own, exposure_s)
        assert exact <= chance_of_loss(data, exposure_s) <= 2.0 * exact
    assert chance_of_loss(data, 100 * YEAR) == 1.0


def test_the_estimate_from_above_joins_on() -> None:
    """Around the largest chain that is computed, the value just above it is not below its own."""
    computed, estimated = (CopiedData(units, 2, 1.0, YEAR, sets=1.0) for units in (MOST_STATES, MOST_STATES + 10))
    for exposure_s in (YEAR / 1000, YEAR / 10, YEAR, 10 * YEAR):
        chance = chance_of_loss(computed, exposure_s)
        assert 0.99 * chance <= chance_of_loss(estimated, exposure_s) <= 1.6 * chance


# Sets of copies


@pytest.mark.parametrize(("units", "copies"), [(2, 2), (10, 2), (10, 3), (200, 3)])
@pytest.mark.parametrize("blocks", [1, 2, 50, 3_000])
def test_sets_of_blocks_are_the_occupied_ones(units: int, copies: int, blocks: int) -> None:
    assert sets_of_blocks(units, copies, blocks) == pytest.approx(float(exact_sets(units, copies, blocks)), rel=1e-13)


def test_sets_do_not_overflow() -> None:
    assert sets_of_blocks(100_000, 7, 1e12) == pytest.approx(1e12, rel=1e-12)  # C is about 2e31
    assert sets_of_blocks(100_000, 100, 1e12) == 1e12  # C is about 1e342
    assert sets_of_blocks(100_000, 2, 1e12) == pytest.approx(math.comb(100_000, 2), rel=1e-12)
    rare = CopiedData(100_000, 100, 1.0, YEAR, sets=1e12)
    assert 0.0 <= chance_of_loss(rare, YEAR / 100) <= 1.0


def test_all_sets_by_number_are_all_sets() -> None:
    data = kept(12, 3, 0.1)
    assert chance_of_loss(replace(data, sets=float(math.comb(12, 3))), YEAR) == chance_of_loss(data, YEAR)


def test_fewer_sets_lose_as_much_less() -> None:
    data = kept(1_000, 3, 1e-6)
    share = 1e4 / math.comb(1_000, 3)
    few = chance_of_loss(replace(data, sets=1e4), YEAR)
    assert few == pytest.approx(share * chance_of_loss(data, YEAR), rel=0.01)


# Repair times


def test_repair_takes_detection_and_the_copying() -> None:
    spread = repair_time_s(1e6, 11, 100.0, detection_s=30.0)
    assert spread == 30.0 + 1e6 / 1_000.0
    assert repair_time_s(0.0, 11, 100.0) == FAILURE_DETECTION_S.value == 2 * 300 + 10 * 3
    assert repair_time_s(1e6, 1, 100.0) == math.inf


def test_repair_at_once_leaves_no_loss() -> None:
    assert chance_of_loss(CopiedData(10, 3, 0.08, 0.0), YEAR) < 1e-20


# Object store


def test_object_store_loses_as_published() -> None:
    assert chance_of_object_loss(1, YEAR) == pytest.approx(1e-11, rel=1e-12)
    assert chance_of_object_loss(1e13, YEAR) == pytest.approx(-math.expm1(-100.0), rel=1e-12)
    assert chance_of_object_loss(1e6, HOUR) == pytest.approx(1e6 * 1e-11 * HOUR / YEAR, rel=1e-7)
    assert chance_of_object_loss(0, YEAR) == 0.0
    assert chance_of_object_loss(3, YEAR, 0.5) == pytest.approx(1 - 0.5**3)


def test_figures_say_where_they_come_from() -> None:
    for figure in (NODE_FAILURES_PER_YEAR, FAILURE_DETECTION_S, OBJECT_LOSS_PER_YEAR):
        assert figure.source
        assert figure.as_of is not None
    assert (FAILURE_DETECTION_S.kind, OBJECT_LOSS_PER_YEAR.kind) == ("published", "published")


# General properties


@st.composite
def datas(draw: st.DrawFn) -> CopiedData:
    copies = draw(st.integers(2, 6))
    units = copies + draw(st.integers(0, 60) | st.integers(0, 100_000))
    ratio = 10.0 ** draw(st.floats(-9.0, 3.0))
    failures_per_year = 10.0 ** draw(st.floats(-4.0, 2.0))
    return CopiedData(units, copies, failures_per_year, ratio * YEAR / failures_per_year, draw(st.sampled_from(BOTH)))


exposures = st.floats(0.0, 9.5).map(lambda power: 10.0**power)
factors = st.floats(1.0, 1e6)
shares = st.floats(-12.0, 0.0).map(lambda power: 10.0**power)


def at_most(smaller: float, larger: float) -> bool:
    """Compare probabilities within their own accuracy."""
    return 0.0 <= smaller <= 1.0 and 0.0 <= larger <= 1.0 and smaller <= larger * (1.0 + 1e-12)


@given(datas(), exposures, shares, factors)
def test_longer_exposure_is_never_safer(data: CopiedData, exposure_s: float, share: float, factor: float) -> None:
    few = replace(data, sets=max(1.0, share * math.comb(data.units, data.copies)))
    for each in (data, few):
        assert at_most(chance_of_loss(each, exposure_s), chance_of_loss(each, exposure_s * factor))


@given(datas(), exposures)
def test_more_copies_are_never_riskier(data: CopiedData, exposure_s: float) -> None:
    more = replace(data, copies=min(data.units, data.copies + 1))
    fewer = replace(data, copies=data.copies - 1)
    assert at_most(chance_of_loss(more, exposure_s), chance_of_loss(data, exposure_s))
    assert at_most(chance_of_loss(data, exposure_s), chance_of_loss(fewer, exposure_s))
    assert mean_time_to_loss_s(fewer) <= mean_time_to_loss_s(data) <= mean_time_to_loss_s(more)


@given(datas(), exposures, factors)
def test_faster_repair_is_never_riskier(data: CopiedData, exposure_s: float, factor: float) -> None:
    faster, never = replace(data, repair_s=data.repair_s / factor), replace(data, repair_s=math.inf)
    assert at_most(chance_of_loss(faster, exposure_s), chance_of_loss(data, exposure_s))
    assert at_most(chance_of_loss(data, exposure_s), chance_of_loss(never, exposure_s))
    assert at_most(chance_of_loss(replace(data, repairs="parallel"), exposure_s), chance_of_loss(data, exposure_s))
    assert mean_time_to_loss_s(never) <= mean_time_to_loss_s(data) * (1 + 1e-12)


@given(datas().filter(lambda data: data.units <= MOST_STATES), exposures, shares, shares)
@example(CopiedData(60, 3, 1.0, YEAR), YEAR, 1e-4, 0.1)
def test_more_sets_are_never_safer(data: CopiedData, exposure_s: float, share: float, part: float) -> None:
    every = math.comb(data.units, data.copies)
    some, fewer = (replace(data, sets=max(1.0, each * every)) for each in (share, share * part))
    assert at_most(chance_of_loss(some, exposure_s), chance_of_loss(data, exposure_s))
    assert at_most(chance_of_loss(fewer, exposure_s), chance_of_loss(some, exposure_s))
    assert mean_time_to_loss_s(data) <= mean_time_to_loss_s(some) * (1 + 1e-12)


@given(datas(), exposures)
def test_time_to_loss_is_new_better_than_used(data: CopiedData, exposure_s: float) -> None:
    """The bound on which the estimate for many states is based."""
    assert at_most(chance_of_loss(data, exposure_s), min(1.0, exposure_s / mean_time_to_loss_s(data)))
