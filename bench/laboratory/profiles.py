"""What the runs of the laboratory say of each framework: engines fitted to few nodes, and how far off they are of many.

.venv/bin/python -m bench.laboratory.profiles --write     # into docs/guides/laboratory.md
"""

import argparse
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean, median

from stowage.validation.laboratory_runs import (
    FITTED_NODES,
    FRAMEWORKS,
    Compared,
    Fitted,
    Run,
    compare,
    fitted,
    fitting,
    runs_of,
)

PAGE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "laboratory.md"
BEGIN, END = "<!-- written by bench/laboratory/profiles.py -->", "<!-- to here -->"


def tables() -> str:
    """Write the runs, the engines and the comparison as tables."""
    every = [run for framework in FRAMEWORKS for run in runs_of(framework)]
    runs = runs_of("spark")
    versions = sorted({run.told["version"] for run in runs})
    of_version = {version: [run for run in runs if run.told["version"] == version] for version in versions}
    return "\n".join(
        [
            *_counted(every),
            "",
            *_engines({version: fitted(fitting(of), "spark") for version, of in of_version.items()}),
            "",
            *_held_against([one for of in of_version.values() for one in compare(of, "spark")]),
        ]
    )


def _counted(runs: Sequence[Run]) -> Iterator[str]:
    yield "| framework | nodes | runs | limited by the machine's CPU | date |"
    yield "|---|---:|---:|---:|---|"
    groups: dict[tuple[str, int], list[Run]] = {}
    for run in runs:
        groups.setdefault((f"{run.told['framework']} {run.told['version']}", run.nodes), []).append(run)
    for (framework, nodes), of in sorted(groups.items()):
        dates = ", ".join(sorted({run.told["date"] for run in of}))
        yield f"| {framework} | {nodes} | {len(of)} | {sum(not run.counts for run in of)} | {dates} |"


def _engines(found: dict[str, Fitted]) -> Iterator[str]:
    yield (
        "| framework | codec | map [CPU s/GB] | reduce [CPU s/GB] | task [CPU s] | shuffle size [1] | wire size [1] "
        "| does not overlap [1] | start-up [s] |"
    )
    yield "|---|---|---:|---:|---:|---:|---:|---:|---:|"
    for version, of_version in found.items():
        for codec, framework in of_version.frameworks.items():
            figures = {figure.quantity.rpartition(".")[2]: figure.value for figure in framework.figures()}
            names = ("map_cpu", "reduce_cpu", "task_cpu", "shuffle_size", "wire_size", "alone", "start_up")
            yield f"| Spark {version} | {codec} | {' | '.join(f'{figures[name]:.3g}' for name in names)} |"


def _held_against(found: Sequence[Compared]) -> Iterator[str]:
    off, of_ernest = [abs(one.error) for one in found], [abs(one.ernest_error) for one in found]
    held = sum(one.holds for one in found)
    few = FITTED_NODES
    yield (
        f"Of {len(found)} runs on more than {few} nodes, predicted from those on at most {few}: median error "
        f"{median(off):.1%}, p90 {_p90(off):.1%}; 80% ranges hold {held}; interval score "
        f"{mean(one.score for one in found):.2f}. Ernest's form: {median(of_ernest):.0%}, {_p90(of_ernest):.0%}, "
        f"{mean(one.ernest_score for one in found):.2f}."
    )
    yield ""
    yield "| run | measured [s] | predicted [s] | error | Ernest's | shuffle | wire | CPU of tasks |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    for one in found:
        run = one.run
        beside = (
            one.payload_mb / run.remote_mb - 1.0,
            one.wire_mb / run.number("sent_mb") - 1.0,
            one.task_cpu_s / run.task_cpu_s - 1.0,
        )
        yield (
            f"| {run.name} | {run.time_s:.1f} | {one.predicted_s:.1f} | {one.error:+.1%} | {one.ernest_error:+.0%} "
            f"| {' | '.join(f'{each:+.1%}' for each in beside)} |"
        )


def _p90(values: Sequence[float]) -> float:
    return sorted(values)[math.ceil(0.9 * len(values)) - 1]


def write(page: str, written: str) -> str:
    """Put the tables into the page's text."""
    pattern = f"{re.escape(BEGIN)}.*?{re.escape(END)}"
    return re.sub(pattern, lambda _: f"{BEGIN}\n\n{written}\n\n{END}", page, count=1, flags=re.DOTALL)


def main() -> None:
    """Print the tables, or put them into the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="put them into docs/guides/laboratory.md")
    if parser.parse_args().write:
        PAGE.write_text(write(PAGE.read_text(), tables()))
    else:
        print(tables())


if __name__ == "__main__":
    main()
