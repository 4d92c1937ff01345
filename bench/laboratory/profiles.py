"""Framework profiles from laboratory runs: engines fitted to few nodes, and their errors on many.

.venv/bin/python -m bench.laboratory.profiles --write     # into docs/guides/laboratory.md
"""

import argparse
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean, median

from scipy.stats import binomtest  # type: ignore[import-untyped]

from bench.laboratory.comparison import Compared, compare
from bench.laboratory.engines import FITTED_NODES, Fitted, fitted, fitting
from bench.laboratory.recorded import FRAMEWORKS, Run, runs_of
from bench.laboratory.recorded_hdfs import hdfs_runs, sent_by_many
from stowage import validation

PAGE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "laboratory.md"
PREDICTED = Path(validation.__file__).with_name("laboratory_predicted.csv")
BEGIN, END = "<!-- written by bench/laboratory/profiles.py -->", "<!-- to here -->"


def tables() -> str:
    """Write the runs, the engines and the comparison as tables."""
    every = [run for framework in FRAMEWORKS for run in runs_of(framework)]
    shuffling = [(name, found) for name in FRAMEWORKS for found in _by_version(name)]
    engines = [(found[0], fitted(fitting(found), name)) for name, found in shuffling]
    held_out = [
        line
        for (name, found), (_, own) in zip(shuffling, engines, strict=True)
        for line in _of_framework(found, name, own)
    ]
    return "\n".join([*_counted(every), "", *_engines(engines), *held_out, "", *_of_hdfs()])


def _by_version(framework: str) -> Iterator[list[Run]]:
    """Yield the runs with a shuffle of each version."""
    runs = [run for run in runs_of(framework) if run.shuffles]
    for version in sorted({run.told["version"] for run in runs}):
        yield [run for run in runs if run.told["version"] == version]


def _counted(runs: Sequence[Run]) -> Iterator[str]:
    yield "| framework | nodes | runs | limited by the machine's CPU | of these beside other programs | date |"
    yield "|---|---:|---:|---:|---:|---|"
    groups: dict[tuple[str, int], list[Run]] = {}
    for run in runs:
        groups.setdefault((f"{run.told['framework']} {run.told['version']}", run.nodes), []).append(run)
    for (framework, nodes), of in sorted(groups.items()):
        dates = ", ".join(sorted({run.told["date"] for run in of}))
        limited = [run for run in of if not run.counts]
        disturbed = sum(run.beside_others for run in limited)
        yield f"| {framework} | {nodes} | {len(of)} | {len(limited)} | {disturbed} | {dates} |"


def _engines(found: Sequence[tuple[Run, Fitted]]) -> Iterator[str]:
    yield (
        "| framework | codec | map [CPU s/GB] | reduce [CPU s/GB] | task [CPU s] | block [CPU ms] | sent [CPU s/GB] "
        "| shuffle size [1] | wire size [1] | fetch [kB] | does not overlap [1] | start-up [s] |"
    )
    yield "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    for run, of_version in found:
        for codec, framework in of_version.frameworks.items():
            figures = {figure.quantity.rpartition(".")[2]: figure.value for figure in framework.figures()}
            columns = (f"{figures[name] * factor:.3g}" for name, factor in _COLUMNS.items())
            yield f"| {_named(run)} | {codec} | {' | '.join(columns)} |"


_COLUMNS = {
    "map_cpu": 1.0,
    "reduce_cpu": 1.0,
    "task_cpu": 1.0,
    "block_cpu": 1e3,
    "sent_cpu": 1.0,
    "shuffle_size": 1.0,
    "wire_size": 1.0,
    "fetch_mb": 1e3,
    "alone": 1.0,
    "start_up": 1.0,
}
"""Figures of an engine, and how many of the table's unit are one of the model's."""


def _named(run: Run) -> str:
    return f"{run.told['framework']} {run.told['version']}"


def _of_framework(runs: Sequence[Run], name: str, own: Fitted) -> Iterator[str]:
    """Write how far off the runs of more nodes are."""
    for limited in (False, True):
        found = compare(runs, name, limited=limited, own=own)
        if found:
            yield ""
            yield from _held_against(found, limited=limited)


def _held_against(found: Sequence[Compared], *, limited: bool) -> Iterator[str]:
    off, of_ernest = [abs(one.error) for one in found], [abs(one.ernest_error) for one in found]
    held = sum(one.holds for one in found)
    wire = [abs(one.sent_mb / one.run.sent_mb - 1.0) for one in found]
    cpu = [abs(one.cpu_s / one.run.cpu_s - 1.0) for one in found]
    tasks = [abs(one.task_cpu_s / one.run.task_cpu_s - 1.0) for one in found if one.task_cpu_s is not None]
    few, first = FITTED_NODES, found[0].run
    yield (
        f"**{_named(first)}.** Of {len(found)} runs on more than {few} nodes"
        f"{', all limited by CPUs of the machine,' if limited else ''} predicted from those on at most {few}: median "
        f"error {median(off):.1%}, p90 {_p90(off):.1%}; 80% ranges hold {held} "
        f"({_binomial(held, len(found))}); interval score "
        f"{mean(one.score for one in found):.2f}. Ernest's form: {median(of_ernest):.0%}, {_p90(of_ernest):.0%}, "
        f"{mean(one.ernest_score for one in found):.2f}. Wire bytes: median {median(wire):.1%}, largest "
        f"{max(wire):.1%}. {_of_cpu('CPU time of the nodes', cpu)}{_of_cpu('; of tasks', tasks)}."
    )
    yield ""
    yield "| run | measured [s] | predicted [s] | error | Ernest's | shuffle | wire | CPU | CPU of tasks |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    for one in found:
        run = one.run
        beside = (
            None if run.remote_mb is None else one.payload_mb / run.remote_mb - 1.0,
            one.sent_mb / run.sent_mb - 1.0,
            one.cpu_s / run.cpu_s - 1.0,
            None if one.task_cpu_s is None else one.task_cpu_s / run.task_cpu_s - 1.0,
        )
        yield (
            f"| {run.name} | {run.time_s:.1f} | {one.predicted_s:.1f} | {one.error:+.1%} | {one.ernest_error:+.0%} "
            f"| {' | '.join('' if each is None else f'{each:+.1%}' for each in beside)} |"
        )


def _of_hdfs() -> Iterator[str]:
    (wire_size, task_mb), found = sent_by_many(hdfs_runs())
    yield (
        f"**hdfs.** TestDFSIO on at most {FITTED_NODES} nodes sends {wire_size:.2f} bytes over the links for each byte "
        f"of a copy or of a block read elsewhere, and {task_mb:.2f} MB for each task. Times are not predicted."
    )
    yield ""
    yield "| run | of other nodes [MB] | measured over the links [MB] | predicted [MB] | error |"
    yield "|---|---:|---:|---:|---:|"
    for one in found:
        yield (
            f"| {one.run.name} | {one.payload_mb:.1f} | {one.run.sent_mb:.1f} | {one.sent_mb:.1f} | {one.error:+.1%} |"
        )


CPU_GOAL = 0.15
"""How far off CPU time may be [1]."""


def _of_cpu(what: str, off: Sequence[float]) -> str:
    within = sum(each <= CPU_GOAL for each in off)
    return f"{what}: median {median(off):.1%}, {within} within {CPU_GOAL:.0%}" if off else ""


def _binomial(held: int, of: int) -> str:
    """Write in which part of all runs a range may hold that held some of them, with 95% (Clopper and Pearson 1934)."""
    interval = binomtest(held, of).proportion_ci(0.95, "exact")
    return f"{interval.low:.0%} to {interval.high:.0%} of all, with 95%"


def _p90(values: Sequence[float]) -> float:
    return sorted(values)[math.ceil(0.9 * len(values)) - 1]


def write(page: str, written: str) -> str:
    """Put the tables into the page's text."""
    pattern = f"{re.escape(BEGIN)}.*?{re.escape(END)}"
    return re.sub(pattern, lambda _: f"{BEGIN}\n\n{written}\n\n{END}", page, count=1, flags=re.DOTALL)


def predicted() -> str:
    """Write the runs on more nodes beside their predictions, as CSV for the page about accuracy."""
    lines = ["framework,run,kind,nodes,time_s,predicted_s,held"]
    for name in FRAMEWORKS:
        for found in _by_version(name):
            for one in compare(found, name):
                kind, held = one.run.told["job"], "yes" if one.holds else "no"
                times = f"{one.run.time_s:.2f},{one.predicted_s:.2f}"
                lines.append(f"{one.run.told['framework']},{one.run.name},{kind},{one.run.nodes},{times},{held}")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Print the tables, or put them into the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="into docs/guides/laboratory.md, and the CSV")
    if parser.parse_args().write:
        PAGE.write_text(write(PAGE.read_text(), tables()))
        PREDICTED.write_text(predicted())
    else:
        print(tables())


if __name__ == "__main__":
    main()
