"""The slices of `make soak`: what each shows, and the paths whose changes require it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Slice:
    """One run of exhaustive tests, at most 15 minutes long."""

    shows: str
    folders: tuple[str, ...]
    """Folders or files with tests of this slice (`pytest.mark.soak("name")`); those in one text run sequentially, the
    texts in parallel. `-k 'EXPRESSION'` or `--ignore FILE` at the end of a text selects a part of their tests."""
    covers: tuple[str, ...]
    """Paths; a commit to one of them makes the last green run stale."""
    commands: tuple[tuple[str, ...], ...] = ()
    """Further commands, run from the repository's root."""


MODEL_TO_ITS_LAST_BRANCH = (
    *(".venv/bin/python", "-m", "pytest", "-q", "--doctest-modules", "tests/model", "backend/stowage/model"),
    *("--cov", "stowage.model", "--cov-branch", "--cov-fail-under", "100", "--cov-report", "term:skip-covered"),
)
"""The everyday tests of the model with branch coverage: three times the processor time."""

EVERY_PROPERTY_ANEW = (
    *(".venv/bin/python", "-m", "pytest", "-q", "-m", "hypothesis", "--hypothesis-profile", "soak", "tests"),
)
"""The everyday tests of properties over a hundred new examples each, instead of the same thirty."""

BENCHMARK_RUNS = (
    "backend/stowage/runs",
    "worker/stowage_worker/aws",
    "worker/stowage_worker/agent",
    "tests/laboratory",
)
"""Paths that both slices of benchmark runs cover."""

_SLOW_OF_THE_OPTIMIZER = tuple(f"tests/optimizer/test_{name}.py" for name in ("exact", "calibrated", "pruning"))
"""Tests of the optimizer that are parts of their own, as each takes minutes."""

SLICES = {
    "faults": Slice(
        "a benchmark run survives every fault of AWS and of the network, and leaves nothing behind",
        (
            "tests/laboratory/test_survived_faults.py -k 'not restarted'",
            "tests/laboratory/test_survived_faults.py -k restarted",
            "tests/laboratory/test_faults.py -k 'not last'",
            "tests/laboratory/test_faults.py -k last",
            "tests/runs",
        ),
        BENCHMARK_RUNS,
    ),
    "aws": Slice(
        "nodes that fall silent are found, what is measured is what was shaped, work for one AWS account is bounded",
        (
            "tests/laboratory/test_silent_nodes.py",
            "tests/laboratory/test_runs.py tests/laboratory/test_between.py tests/laboratory/test_hypervisor.py",
            "tests/worker",
        ),
        BENCHMARK_RUNS,
    ),
    "pages": Slice(
        "every page in every state passes axe in dark and light, wide and narrow",
        (
            "tests/e2e/test_accessibility.py tests/e2e/test_every_page.py",
            "tests/e2e --ignore tests/e2e/test_accessibility.py --ignore tests/e2e/test_every_page.py",
        ),
        ("frontend/src", "tests/e2e"),
    ),
    "fuzz": Slice(
        "hundreds of thousands of hostile files, requests and documents are answered or refused",
        (
            *("tests/measure/test_fuzz.py", "tests/measure/test_sandbox_fuzz.py"),
            *("tests/api", "tests/features/reports", "tests/catalog"),
        ),
        ("backend/stowage/measure", "backend/stowage/api", "backend/stowage/features"),
        (EVERY_PROPERTY_ANEW,),
    ),
    "spaces": Slice(
        "the search equals a plain loop on hundreds of random spaces; the model to its last branch; all outputs agree",
        (
            *_SLOW_OF_THE_OPTIMIZER,
            " --ignore ".join(("tests/optimizer", *_SLOW_OF_THE_OPTIMIZER)),
            *("tests/api/test_one_truth.py -k 'not odd'", "tests/api/test_one_truth.py -k odd"),
            *("tests/model", "tests/measure", "tests/features/planning"),
        ),
        (
            "backend/stowage/optimizer",
            "backend/stowage/model",
            "backend/stowage/features/planning/limits.py",
            "tests/model",
            "tests/optimizer",
            "tests/support/answers/questions.py",
            "tests/api/test_one_truth.py",
        ),
        (MODEL_TO_ITS_LAST_BRANCH,),
    ),
    "tools": Slice(
        "what we write for other tools is accepted by them: CloudFormation, Terraform, compose, the image, wheels, fio",
        ("tests/documents", "tests/compose", "tests/agent", "tests/cli", "tests/worker/test_policy.py"),
        (
            "backend/stowage/documents/deploy",
            "docker-compose.yml",
            "backend/stowage/cli",
            "backend/stowage/example.py",
            "infra",
            "worker/stowage_worker/agent",
            "hatch_build.py",
            "pyproject.toml",
        ),
    ),
    "kills": Slice(
        "after a kill of any process at any moment, no job is lost and nothing is left running",
        (
            "tests/worker/test_crashes.py -k odd",
            "tests/worker/test_crashes.py -k 'not odd'",
            "tests/worker --ignore tests/worker/test_crashes.py",
            "tests/cli",
            "tests/platform",
        ),
        ("backend/stowage/platform", "backend/stowage/processes", "backend/stowage/cli", "worker/stowage_worker"),
    ),
    "load": Slice(
        "users of 200 teams work for minutes, also beside a hostile team: nothing acknowledged is lost or there twice",
        ("tests/load/test_load.py",),
        ("backend/stowage/api", "backend/stowage/platform", "bench/load"),
    ),
    "chaos": Slice(
        "whichever fault comes under load, the service recovers, and nothing acknowledged is lost or there twice",
        ("tests/load/test_chaos.py",),
        (
            *("backend/stowage/platform", "backend/stowage/processes", "backend/stowage/cli"),
            *("worker/stowage_worker", "bench/load"),
        ),
    ),
}
