"""Errors of predictions of published jobs, recomputed from the jobs themselves."""

import math
from statistics import median

from bench.laboratory.engines import FITTED_NODES
from bench.laboratory.profiles import PREDICTED, predicted
from bench.published_frameworks import errors_of, held_of, instances
from stowage.model.jobs.frameworks import FLINK, HADOOP_DFSIO, HADOOP_MAPREDUCE, IDEAL, SPARK
from stowage.validation.accuracy import accuracies
from stowage.validation.corpus import left_out, sources_of
from validation.published import GROUND

KNOWN = instances()
FOUND = accuracies(GROUND, KNOWN)


def test_every_framework_that_has_published_jobs_is_judged_and_each_job_counts_once() -> None:
    published = [row for row in FOUND if row.known != "laboratory"]
    jobs = {row.framework: sum(one.jobs for one in published if one.framework == row.framework) for row in published}
    assert jobs == {SPARK.name: 25, HADOOP_MAPREDUCE.name: 23, HADOOP_DFSIO.name: 6, IDEAL.name: 3}
    # The most common question comes first.
    assert (FOUND[0].framework, FOUND[0].kind) == (SPARK.name, "sort")


def test_errors_of_spark_are_those_of_each_source_left_out() -> None:
    errors = []
    for one in left_out(SPARK, KNOWN):
        jobs = sources_of(SPARK.name, KNOWN)[one.source]
        errors += [abs(error) for job, error in zip(jobs, errors_of(one), strict=True) if job.sorts and job.nodes <= 20]
    sorts = [row for row in FOUND if (row.framework, row.kind, row.size) == (SPARK.name, "sort", "up to 20 nodes")]
    [row] = [row for row in sorts if row.known == "left out"]
    assert row.jobs == len(errors)
    assert math.isclose(row.median_abs_error_pct, 100.0 * median(errors))
    assert math.isclose(row.largest_abs_error_pct, 100.0 * max(errors))
    held = sum(map(held_of, left_out(SPARK, KNOWN)))
    assert sum(row.held for row in FOUND if row.framework == SPARK.name and row.known == "left out") == held


def test_runs_of_the_laboratory_are_predicted_from_few_nodes() -> None:
    for name, jobs in ((SPARK.name, 18), (HADOOP_MAPREDUCE.name, 5), (FLINK.name, 8)):
        rows = [row for row in FOUND if (row.framework, row.known) == (name, "laboratory")]
        assert sum(row.jobs for row in rows) == jobs
        assert all(row.fewest_nodes > FITTED_NODES for row in rows)
    assert PREDICTED.read_text() == predicted()


def test_the_paper_s_sorts_are_those_that_the_validation_predicts() -> None:
    [row] = [row for row in FOUND if row.framework == IDEAL.name]
    assert (row.known, row.jobs, row.held) == ("predicted", 3, 3)
    assert math.isclose(row.largest_abs_error_pct, 13.3, abs_tol=0.1)
    assert (row.fewest_nodes, row.most_nodes) == (178, 330)
