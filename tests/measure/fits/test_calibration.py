"""Calibration on simulated clusters: recovered parameters, their accuracy, and the stated accuracy."""

import importlib.util
import json
import math
import sys
from dataclasses import replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from soaking import everyday
from stowage.measure.fits.calibration import POOR_PCT, Calibration
from stowage.measure.fits.calibration_fit import FEWEST_RUNS, fit
from stowage.measure.judging.run_physics import COEFFICIENTS, EFFICIENCIES, Part, Physics, Run
from stowage.model.figure import given
from stowage.model.jobs.engine import DIRECT, HADOOP
from stowage.model.jobs.frameworks import HADOOP_DFSIO, IDEAL

ROOT = Path(__file__).resolve().parents[3]
TODAY = date(2026, 11, 21)
CLUSTERS, RUNS = 25, 16
"""Clusters that several tests simulate once, and their runs."""
NO_TRUTH = (0.0, 0.0, 1.0, 1e9, 1.0, 0.0)


@cache
def bench() -> Any:
    """Load the simulation, which prints its figures elsewhere."""
    spec = importlib.util.spec_from_file_location("calibration_bench", ROOT / "bench" / "calibration.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def random_of(*seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def plain_cluster(seed: int) -> Any:
    """Build a cluster without noise and with only those effects that the fit models."""
    cluster = bench().a_cluster(random_of(seed))
    return type(cluster)(cluster.rates, cluster.job, cluster.framework, bench().Truth(*NO_TRUTH))


@cache
def calibrated(seed: int = 1, count: int = 12, wrong: float = 1.0) -> Calibration:
    random = random_of(seed, count)
    cluster = bench().a_cluster(random)
    found: Calibration = fit("ours", bench().runs_of(cluster, count, random, wrong), TODAY)
    return found


def test_runs_without_noise_are_predicted_from_the_others() -> None:
    for seed in range(5):
        runs = bench().runs_of(plain_cluster(seed), 24, random_of(seed, 9))
        assert fit("ours", runs, TODAY).median_error_pct < 1.5


@cache
def simulated(clusters: int, count: int, wrong: float) -> Any:
    return bench().simulate(clusters, count, wrong=wrong)


def test_runs_on_up_to_20_nodes_predict_100_although_the_truth_has_more_in_it() -> None:
    """Skew, slow nodes, a step in the network rate, noise: the fit models none of them."""
    found = simulated(CLUSTERS, RUNS, 1.0)
    assert np.median(np.abs(found.errors)) <= 0.10
    # Of 25 intervals with a coverage of 80%, this many hold the truth 95 times in 100.
    assert 0.64 <= np.mean(found.held) <= 0.96


@pytest.mark.soak("spaces")
def test_so_do_more_clusters_and_other_numbers_of_runs() -> None:
    for count in (12, 20, 40):
        found = bench().simulate(500, count, seed=2)
        assert np.median(np.abs(found.errors)) <= 0.10
        # Intervals with a coverage of 70 to 90%: of 500, this many hold the truth 95 times in 100.
        assert 0.66 <= np.mean(found.held) <= 0.926


@pytest.mark.parametrize("wrong", [3.0, 1.0 / 3.0])
@pytest.mark.parametrize("clusters", everyday((10,), (10, 200), "spaces"))
def test_one_run_that_is_wrong_by_three_spoils_nothing(clusters: int, wrong: float) -> None:
    right, spoilt = (simulated(max(clusters, CLUSTERS), RUNS, 1.0).first(clusters), simulated(clusters, RUNS, wrong))
    # Growth with nodes is fitted from the same runs: one wrong run on many nodes tilts it a little.
    assert np.median(np.abs(spoilt.errors)) <= np.median(np.abs(right.errors)) + 0.015
    moved = [abs(math.log((1 + one) / (1 + other))) for one, other in zip(right.errors, spoilt.errors, strict=True)]
    assert np.median(moved) < 0.03


def test_a_run_that_is_wrong_is_named() -> None:
    found = calibrated(count=16, wrong=3.0)
    assert min(found.runs, key=lambda run: run.weight).name == "run 9"
    assert "run 9" in found.doubted
    assert f"Hardly counted, since they fit to no others: {', '.join(found.doubted)}" in found.evidence
    assert "run 9" not in calibrated(count=16).doubted


def test_runs_that_beat_physics_are_named() -> None:
    """Burst credit, a cache, or a figure that is too low: the note on an efficiency above 1 names possible causes."""
    found = calibrated()
    assert not found.faster
    runs = (replace(found.runs[0], bound_s=2.0 * found.runs[0].measured_s), *found.runs[1:])
    quick = replace(found, runs=runs)
    assert quick.faster == (found.runs[0].name,)
    assert f"Faster than physics allows, by what is published and without credit: {quick.faster[0]};" in quick.evidence


@pytest.mark.parametrize("clusters", everyday((8,), (8, 100), "spaces"))
def test_more_runs_narrow_the_interval(clusters: int) -> None:
    counts = (5, RUNS) if clusters == 8 else (5, RUNS, 40)
    widths = [
        np.median(simulated(max(clusters, CLUSTERS) if count == RUNS else clusters, count, 1.0).first(clusters).widths)
        for count in counts
    ]
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < 0.9 * widths[0]


def test_the_interval_widens_away_from_the_runs_and_it_is_said() -> None:
    found = calibrated()
    cluster = bench().a_cluster(random_of(1, 12))
    near, far, farther = (found.expect(cluster.physics(nodes, nodes * 100e3)) for nodes in (16, 100, 1_000))
    assert near.log_deviation < far.log_deviation < farther.log_deviation
    assert near.beyond == ()
    assert "100 nodes are 5 times as many as the largest run had (20)" in far.beyond[0]
    assert "fewer than" in found.beyond(found.fewest_nodes / 2)[0]


def test_no_coefficient_is_negative() -> None:
    for seed in range(12):
        for coefficient in calibrated(seed, 6).coefficients:
            assert 0.0 <= coefficient.low <= coefficient.value <= coefficient.high


def test_what_no_run_says_anything_of_is_said_to_be_as_the_others_of_the_framework() -> None:
    found = calibrated()
    unseen = {one.name: one for one in found.coefficients if not one.seen}
    seen = [one.value for one in found.coefficients if one.seen and one.name in EFFICIENCIES]
    assert min(seen) < unseen["object_store_efficiency"].value < max(seen)
    assert "object store efficiency" in found.evidence
    [figure] = [each for each in found.to_framework().figures() if each.quantity.endswith("object_store_efficiency")]
    assert "as the framework's other efficiencies" in figure.source


def test_the_profile_predicts_what_the_calibration_does() -> None:
    found, cluster = calibrated(), bench().a_cluster(random_of(1, 12))
    framework = found.to_framework()
    for nodes in (3, 20, 100):
        data_mb = nodes * 70e3
        phases = cluster.phases(nodes, data_mb, framework)
        time_s = sum(phase.time_s for phase in phases) + framework.overhead_s(float(nodes))
        assert found.expect(cluster.physics(nodes, data_mb)).time_s == pytest.approx(time_s)
    assert framework.error_at(100.0) > framework.error_at(20.0) == found.error
    assert found.to_framework().measured_nodes == (found.fewest_nodes, found.most_nodes)


def test_a_framework_that_is_known_is_where_the_fit_begins() -> None:
    runs = bench().runs_of(plain_cluster(3), FEWEST_RUNS, random_of(3))
    like = fit("ours", runs, TODAY, like="hadoop-dfsio")
    assert like.to_framework().engine is HADOOP
    assert like.to_framework().streams == HADOOP_DFSIO.streams
    assert fit("ours", runs, TODAY).to_framework().engine is DIRECT
    ratio = {one.name: one.value for one in like.coefficients}
    plain = {one.name: one.value for one in fit("ours", runs, TODAY).coefficients}
    assert ratio["read_efficiency"] / ratio["write_efficiency"] < plain["read_efficiency"] / plain["write_efficiency"]


def test_too_few_runs_are_refused() -> None:
    runs = bench().runs_of(plain_cluster(3), FEWEST_RUNS - 1, random_of(3))
    with pytest.raises(ValueError, match="a calibration needs 3"):
        fit("ours", runs, TODAY)


def test_runs_that_are_all_alike_can_be_fitted() -> None:
    physics = plain_cluster(3).physics(4, 400e3)
    found = fit("ours", [Run(f"run {i}", 2.0 * physics.bound_s, physics) for i in range(4)], TODAY)
    assert found.expect(physics).time_s == pytest.approx(2.0 * physics.bound_s, rel=0.1)
    assert found.median_error_before_pct == pytest.approx(50.0)


def test_the_next_run_that_teaches_most_is_the_one_after_which_the_interval_is_narrowest() -> None:
    random = random_of(5)
    cluster = bench().a_cluster(random)
    runs = bench().runs_of(cluster, 8, random)
    found = fit("ours", runs, TODAY)
    asked = cluster.physics(100, 100 * 100e3)
    candidates = [(f"{nodes} nodes", cluster.physics(nodes, nodes * 100e3)) for nodes in (2, 10, 20, 60)]
    ranked = found.teaches(candidates, asked)
    before = found.expect(asked).log_deviation
    after = {}
    for name, physics in candidates:
        more = fit("ours", [*runs, Run(name, found.expect(physics).time_s, physics)], TODAY)
        after[name] = more.expect(asked).log_deviation
    assert ranked[0].name == min(after, key=lambda name: after[name]) == "60 nodes"
    assert [run.narrows_pct for run in ranked] == sorted((run.narrows_pct for run in ranked), reverse=True)
    assert 1.0 - after["60 nodes"] / before == pytest.approx(ranked[0].narrows_pct / 100.0, abs=0.15)


def test_a_calibration_comes_back_from_json() -> None:
    found = calibrated()
    assert Calibration.from_dict(json.loads(json.dumps(found.to_dict()))) == found


def of_one_size(seed: int, count: int, noise: float) -> tuple[list[Run], float, float]:
    """Simulate runs of one job on one cluster, by a framework of unknown level; return its time and another run [s]."""
    random = random_of(seed, count, round(1e3 * noise))
    cluster = bench().a_cluster(random)
    level = float(random.uniform(0.2, 1.6))
    reached: dict[str, Any] = {
        name: given(name, math.exp(-level - float(random.normal(0.0, 0.15))), "1")
        for name in ("network_efficiency", "read_efficiency", "write_efficiency", "cpu_efficiency")
    }
    framework = replace(IDEAL, **reached, start_up=given("start_up", float(random.uniform(5.0, 60.0)), "s"))
    exact = replace(cluster, framework=framework, truth=bench().Truth(*NO_TRUTH))
    nodes = int(random.integers(5, 60))
    physics, true_s = exact.physics(nodes, nodes * 200e3), exact.run_s(nodes, nodes * 200e3, random)
    times = true_s * np.exp(random.normal(0.0, noise, count + 1))
    return [Run(f"run {i}", float(time_s), physics) for i, time_s in enumerate(times[:-1])], true_s, float(times[-1])


@cache
def fitted_to_one_size(seed: int, count: int) -> tuple[list[Run], float, Calibration]:
    runs, true_s, _ = of_one_size(seed, count, 0.05)
    return runs, true_s, fit("ours", runs, TODAY)


@pytest.mark.parametrize("count", [4, 7])
def test_few_runs_that_agree_are_believed(count: int) -> None:
    """At every level, 1.2 to 5 times the bound, the error of the fit is within the runs' own spread."""
    off = []
    for seed in range(40):
        runs, true_s, found = fitted_to_one_size(seed, count)
        logs = np.log([run.measured_s for run in runs])
        found_log = math.log(found.expect(runs[0].physics).time_s)
        assert min(logs) <= found_log <= max(logs)
        assert abs(found_log - float(np.mean(logs))) < np.std(logs, ddof=1)
        off.append(found_log - math.log(true_s))
    # The mean of as many runs has this error; the fit loses a little because it allows for outliers.
    assert np.sqrt(np.mean(np.square(off))) < 1.3 * 0.05 / math.sqrt(count)


def test_seven_runs_leave_a_residual_near_their_own_scatter() -> None:
    left, scatter = [], []
    for seed in range(40):
        runs, _, found = fitted_to_one_size(seed, 7)
        left += [math.log(run.measured_s / run.predicted_s) for run in found.runs]
        mean = np.mean([math.log(run.measured_s) for run in runs])
        scatter += [math.log(run.measured_s) - mean for run in runs]
    assert np.std(left) == pytest.approx(np.std(scatter), rel=0.05)


@pytest.mark.parametrize(
    ("count", "clusters", "fewest", "most"),
    [
        (4, 50, 32, 47),
        *(pytest.param(count, 150, 107, 133, marks=pytest.mark.soak("spaces")) for count in (4, 7)),
    ],
)
def test_four_in_five_further_runs_lie_within_the_interval_of_few(
    count: int, clusters: int, fewest: int, most: int
) -> None:
    held = []
    for seed in range(clusters):
        runs, _, next_s = of_one_size(seed, count, 0.08)
        found = fit("ours", runs, TODAY).expect(runs[0].physics)
        held.append(found.low_s <= next_s <= found.high_s)
    # Of intervals with a coverage of 80%, so many hold the next run 99 times in 100.
    assert fewest <= sum(held) <= most


def test_what_the_runs_show_of_one_resource_is_expected_of_the_others() -> None:
    runs, _, _ = of_one_size(3, 4, 0.05)
    coefficients = fit("ours", runs, TODAY).coefficients
    level = float(np.mean([math.log(one.value) for one in coefficients if one.seen and one.name in EFFICIENCIES]))
    for one in coefficients:
        if one.name in EFFICIENCIES and not one.seen:
            assert math.log(one.value) == pytest.approx(level, abs=0.35)
            assert one.low < one.value < one.high


def with_phases(count: int, *, known: bool) -> list[Run]:
    """Build runs of one size: first the network is the bottleneck, at half its rate, then the disks, at full rate."""

    def part(name: str, efficiency: str, time_s: float) -> Part:
        return Part(name, 0.0, tuple(time_s if each == efficiency else 0.0 for each in EFFICIENCIES))

    shuffled = part("network in", "network_efficiency", 100.0), part("disks", "read_efficiency", 40.0)
    physics = Physics(
        8.0, (("map and shuffle", shuffled), ("sort and reduce", (part("disks", "read_efficiency", 100.0),)))
    )
    phases_s = ((("map and shuffle",), 200.0), (("sort and reduce",), 100.0)) if known else ()
    return [Run(f"run {i}", 330.0, physics, phases_s) for i in range(count)]


def test_phases_tell_apart_what_the_whole_time_does_not() -> None:
    told, untold = (
        {one.name: one.value for one in fit("ours", with_phases(6, known=known), TODAY).coefficients}
        for known in (True, False)
    )
    assert told["network_efficiency"] == pytest.approx(0.5, rel=0.05)
    assert told["read_efficiency"] == pytest.approx(1.0, rel=0.05)
    overhead_s = told["start_up_s"] + told["log_nodes_s"] * math.log(8.0) + told["per_node_s"] * 8.0
    assert overhead_s == pytest.approx(30.0, abs=3.0)
    assert abs(untold["network_efficiency"] - untold["read_efficiency"]) < 0.1
    found = fit("ours", with_phases(6, known=True), TODAY)
    assert "Of 6 the phases were fitted one by one" in found.evidence
    assert "phases were fitted" not in fit("ours", with_phases(6, known=False), TODAY).evidence
    assert found.expect(with_phases(1, known=True)[0].physics).time_s == pytest.approx(330.0, rel=0.02)


def test_phases_that_overlap_in_time_are_not_fitted() -> None:
    """Together they take longer than the run."""
    [run] = with_phases(1, known=True)
    assert len(run.observations) == 3
    assert replace(run, measured_s=290.0).observations == replace(run, measured_s=290.0, phases_s=()).observations


def test_what_was_stored_before_there_was_growth_predicts_what_it_did() -> None:
    found = calibrated()
    stored = json.loads(json.dumps(found.to_dict()))
    del stored["with_phases"]
    stored["coefficients"] = [each for each in stored["coefficients"] if each["name"] != "growth"]
    stored["covariance"] = [row[:-1] for row in stored["covariance"][:-1]]
    before = Calibration.from_dict(stored)
    assert before.to_framework().growth is not None
    assert before.to_framework().grown(500.0) == 1.0
    assert [one for one in before.coefficients if one.name != "growth"] == list(found.coefficients[:-1])
    cluster = bench().a_cluster(random_of(1, 12))
    assert before.expect(cluster.physics(100, 1e7)).time_s < found.expect(cluster.physics(100, 1e7)).time_s


def test_a_poor_fit_says_so() -> None:
    """Runs of one size that contradict each other: no line fits them."""
    physics = plain_cluster(3).physics(4, 400e3)
    times = (1.0, 2.2, 5.0, 2.0, 4.4, 1.1)
    found = fit("ours", [Run(f"run {i}", each * physics.bound_s, physics) for i, each in enumerate(times)], TODAY)
    assert found.poor is not None
    assert "A poor fit: runs that are left out are off by" in found.evidence
    assert found.median_error_pct > POOR_PCT
    assert calibrated(count=16).poor is None


def test_it_does_not_matter_in_which_order_runs_come() -> None:
    random = random_of(8)
    runs = bench().runs_of(bench().a_cluster(random), 10, random)
    one, other = fit("ours", runs, TODAY), fit("ours", runs[::-1], TODAY)
    for first, second in zip(one.coefficients, other.coefficients, strict=True):
        assert first.value == pytest.approx(second.value, rel=1e-3, abs=1e-2)


def test_physics_that_is_taken_apart_adds_up() -> None:
    cluster = bench().a_cluster(random_of(4))
    physics = cluster.physics(7, 500e3)
    assert physics.bound_s == pytest.approx(sum(phase.time_s for phase in cluster.phases(7, 500e3, IDEAL)))
    assert [name for name, _ in physics.phases] == ["map and shuffle", "sort and reduce"]
    assert list(COEFFICIENTS)[: len(EFFICIENCIES)] == list(EFFICIENCIES)
