"""Commands of `stowage`.

A command imports its modules when it runs, so that startup stays fast.
"""

import atexit
import gc
import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

import click

import stowage
from stowage.cli.bench import bench
from stowage.cli.catalog import catalog
from stowage.cli.statuses import BAD_INPUT, FAILED, NOTHING_FITS

if TYPE_CHECKING:
    from pydantic import BaseModel

    from stowage.cli.server.alive import PartName
    from stowage.model.choice import Objective
    from stowage.platform.jobs.queue import QueueName
    from stowage.workloads.knowledge import KnowledgeSource
    from stowage.workloads.workload_file import WorkloadFile

OBJECTIVES: "tuple[Objective, ...]" = ("cost", "time", "month")
QUEUES: "tuple[QueueName, ...]" = ("periodic", "quick", "sweeps", "uploads", "refresh", "runs", "alerts")
PARTS: "tuple[PartName, ...]" = ("api", "sweeps", "periodic", "quick", "refresh", "runs", "alerts", "scheduler")

FILE = click.argument("file", type=click.File("rb"))
JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")

DISCOUNTS = "Discount on published prices: 12% for all services except Spot, or ebs=20% for one (repeatable)."
DISCOUNT = click.option("--discount", "discounts", multiple=True, metavar="PERCENT", help=DISCOUNTS)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(stowage.__version__, prog_name="stowage")
def cli() -> None:
    """Ranked AWS configurations for I/O-bound data jobs.

    FILE is a workload file in YAML or JSON (`-` for standard input); `stowage schema workload` describes it.
    """


@cli.command()
@FILE
@JSON
@click.option("--objective", type=click.Choice(OBJECTIVES), help="Objective; overrides the file.")
@click.option("--regions", "in_regions", is_flag=True, help="The best configuration of every region.")
@click.option("--save", "to_save", is_flag=True, help="Rank and save the plan on the service of `stowage login`.")
@DISCOUNT
def plan(
    file: BinaryIO,
    *,
    as_json: bool,
    objective: "Objective | None",
    in_regions: bool,
    to_save: bool,
    discounts: tuple[str, ...],
) -> None:
    """Rank configurations for a workload."""
    if in_regions and to_save:
        raise click.UsageError("--save keeps a plan, and --regions makes none: leave one of them out")
    if discounts and to_save:
        raise click.UsageError("--save uses the price terms of the team: leave out --discount")
    from stowage.cli.discounts import discounted_source
    from stowage.features.planning.confidence import compare_confidences
    from stowage.features.planning.planning import preview_plan
    from stowage.workloads.workload_file import parse_workload

    with _bad_input_answered(as_json=as_json):
        asked, source = _read(file), discounted_source(discounts)
        if objective is not None:
            asked = parse_workload({**asked.written(), "objective": objective})
        if in_regions:
            _show_regions(asked, source, as_json=as_json)
            return
        if to_save:
            from stowage.cli.saving import save

            sys.exit(save(asked, as_json=as_json))
        answer = preview_plan(asked, source, time.perf_counter, "all" if as_json else "none")
    if as_json:
        _print_json(answer)
    else:
        from stowage.cli.screen import show_plan

        confidences = compare_confidences(asked, source, time.perf_counter).others
        show_plan(answer, [other.sentence for other in confidences])
    if not answer.configurations:
        sys.exit(NOTHING_FITS)


@cli.command()
@FILE
@JSON
@click.option("--calibration", type=click.File("rb"), help="Output of `stowage calibrate --json`.")
@DISCOUNT
def predict(file: BinaryIO, *, as_json: bool, calibration: BinaryIO | None, discounts: tuple[str, ...]) -> None:
    """Predict a workload on the cluster that its file describes."""
    from stowage.cli.discounts import discounted_source
    from stowage.features.planning.planning import predict_cluster
    from stowage.workloads.answers import InfeasibleAnswer

    with _bad_input_answered(as_json=as_json):
        asked, source = _read(file), discounted_source(discounts)
        if calibration is not None:
            from stowage.cli.calibrate import with_calibration

            asked, source = with_calibration(asked, calibration, source)
        answer = predict_cluster(asked, source)
    if as_json:
        _print_json(answer)
    else:
        from stowage.cli import screen

        if isinstance(answer, InfeasibleAnswer):
            screen.show_infeasible(answer)
        else:
            screen.show_prediction(answer, asked.objective)
    if isinstance(answer, InfeasibleAnswer):
        sys.exit(NOTHING_FITS)


@cli.command()
@FILE
@JSON
@click.option("--types", is_flag=True, help="For every other type, the network rate with which it would win.")
@DISCOUNT
def explain(file: BinaryIO, *, as_json: bool, types: bool, discounts: tuple[str, ...]) -> None:
    """Explain how the cluster of a file compares with the best configuration that a search finds."""
    from stowage.cli.discounts import discounted_source
    from stowage.cli.explain import run

    with _bad_input_answered(as_json=as_json):
        status = run(_read(file), discounted_source(discounts), types=types, as_json=as_json)
    sys.exit(status)


@cli.command()
@click.argument("runs", type=click.File("rb"))
@JSON
def calibrate(runs: BinaryIO, *, as_json: bool) -> None:
    """Fit a framework's efficiency to finished jobs.

    RUNS is a CSV file with the columns name, job, framework, instance, nodes, data, input_output, measured_s.
    """
    from stowage.cli.calibrate import run, show

    with _bad_input_answered(as_json=as_json):
        answer = run(runs)
    if as_json:
        _print_json(answer)
    else:
        show(answer)


@cli.command("finished-jobs")
@click.argument("logs", type=click.Path(exists=True, allow_dash=True), nargs=-1, required=True, metavar="LOG...")
@click.option("--instance", required=True, help="EC2 instance type of the nodes, as in i3.2xlarge.")
@click.option("--input-output", required=True, help="As in instance-store, object-store or '8 × gp3 500 GiB'.")
@click.option("--framework", default="", help="Name of the calibration; default: spark, hadoop-mapreduce or ray.")
@click.option("--replicas", type=click.IntRange(1, 10), default=1, show_default=True, help="Copies of the output.")
@click.option("--region", help="As in us-east-1; default: from the host names, if they show it.")
@click.option("--nodes", type=click.IntRange(1, 100_000), help="Nodes that stored data; default: the hosts in the log.")
@click.option(
    "--job",
    type=click.Choice(["sort", "mapreduce", "hdfs-write", "hdfs-read"]),
    help="Kind of jobs for which the log has times only.",
)
@click.option("--data", help="Data of jobs for which the log has times only, as in '100 GB'.")
def finished_jobs(logs: tuple[str, ...], **said: Any) -> None:  # noqa: ANN401 - click's
    """Write the jobs of logs as CSV for `stowage calibrate`.

    LOG is an event log of Spark (also rolled, or the History Server's zip), a job history of MapReduce (.jhist, or the
    History Server's JSON), YARN's JSON of applications, a syslog or controller of an EMR step, or a timeline of Ray:
    plain, compressed, in a zip or tar, or a folder of such files.
    """
    from stowage.cli.calibrate import write_jobs

    with _bad_input_answered(as_json=False):
        write_jobs(logs, sys.stdout, sys.stderr, **said)


@cli.command()
@click.argument("files", type=click.File("rb"), nargs=-1, required=True, metavar="FILE...")
@JSON
@click.option("--dry-run", is_flag=True, help="Show the results on this machine, without an upload.")
@click.option("--instance", help="EC2 instance type that was measured, as in i4i.4xlarge.")
@click.option("--region", help="As in us-east-1.")
@click.option("--zone", help="Availability zone, as in us-east-1a.")
@click.option("--storage", help="As in 'gp3 500 GiB 6,000 IOPS x 4', or '2 own disks'.")
@click.option("--nodes", type=click.IntRange(1, 100_000), help="Number of machines measured at the same time.")
@click.option(
    "--placement-group/--no-placement-group", default=None, help="Whether they were in a cluster placement group."
)
def measure(files: tuple[BinaryIO, ...], *, as_json: bool, dry_run: bool, **said: str | int | bool | None) -> None:
    """Read the output of benchmark tools, show the results, and upload them.

    FILE is the output of a tool, or an archive of such files. Options add facts about the machines that files lack.
    """
    from stowage.cli.measure import run

    with _bad_input_answered(as_json=as_json):
        status = run(files, said, dry_run=dry_run, as_json=as_json)
    sys.exit(status)


@cli.command()
@JSON
def validate(*, as_json: bool) -> None:
    """Compare every published result with the model's prediction."""
    from stowage.features.calibration.validation import validate as compare
    from stowage.workloads.knowledge import packaged_knowledge

    answer = compare(packaged_knowledge)
    if as_json:
        _print_json(answer)
    else:
        from stowage.cli.validation_screen import show_validation

        show_validation(answer)


SCHEMAS = {
    "workload": "workloads.workload_file:WorkloadFile",
    "plan": "workloads.answers:PlanAnswer",
    "prediction": "workloads.answers:PredictionAnswer",
    "explanation": "features.planning.explanation.schemas:ExplanationAnswer",
    "regions": "workloads.answers:RegionsAnswer",
    "validation": "features.calibration.validation:ValidationAnswer",
}
"""Class of `stowage` that describes each kind of file or answer."""


@cli.command()
@click.argument("name", type=click.Choice([*SCHEMAS, "openapi"]))
def schema(name: str) -> None:
    """Print the JSON Schema of a workload file or of an answer, or the OpenAPI description."""
    if name == "openapi":
        from stowage.api.app import describe

        document: dict[str, Any] = describe()
    else:
        from pkgutil import resolve_name

        from stowage.platform.described import describe_dataclasses

        described: type[BaseModel] = resolve_name(f"stowage.{SCHEMAS[name]}")
        document = described.model_json_schema(mode="validation" if name == "workload" else "serialization")
        describe_dataclasses(document.get("$defs", {}))
    click.echo(json.dumps(document, indent=2))


@cli.command()
def up() -> None:
    """Start everything on this machine: PostgreSQL, the API and the page."""
    # Collections during the imports would free nothing and take a fifth of the start-up time.
    gc.disable()
    from stowage.cli.server.up import run

    sys.exit(run())


@cli.command()
@click.option("--email", help="E-mail of the person; default: the local owner.")
def link(email: str | None) -> None:
    """Print a one-time sign-in link for a service.

    It is the service with the databases DATABASE_URL and GATE_DATABASE_URL if these are set, else the service on this
    machine.
    """
    from stowage.cli.link import link as run

    sys.exit(run(email))


@cli.command("verify-email")
@click.argument("email")
def verify_email(email: str) -> None:
    """Mark the e-mail address of an account as verified, for services that send no mail."""
    from stowage.cli.link import verify_email as run

    sys.exit(run(email))


@cli.command("reset-second-factor")
@click.argument("email", required=False)
def reset_second_factor(email: str | None) -> None:
    """Remove the second factor of EMAIL, or of the local owner, when the app and the recovery codes are lost."""
    from stowage.cli.link import reset_second_factor as run

    sys.exit(run(email))


@cli.group()
def team() -> None:
    """Manage the teams of the service, as its operator."""


@team.command("create")
@click.argument("name")
@click.option("--owner", required=True, metavar="EMAIL", help="E-mail of the owner to invite.")
def create_team(name: str, owner: str) -> None:
    """Create a team, and print the invitation link of its owner."""
    from stowage.cli.link import create_team as run

    sys.exit(run(name, owner))


ADDRESS = click.argument("address", required=False)


@cli.command()
@ADDRESS
@click.option("--token-file", type=click.File("rb"), help="Read the token from a file (`-`: from standard input).")
def login(address: str | None, token_file: BinaryIO | None) -> None:
    """Store a token for the service at ADDRESS.

    Without ADDRESS, it is the service on this machine, else that at http://127.0.0.1:8000.
    """
    from stowage.cli.login import login as run

    sys.exit(run(address, token_file))


@cli.command()
@ADDRESS
def logout(address: str | None) -> None:
    """Revoke the stored token of a service, and delete it."""
    from stowage.cli.login import logout as run

    sys.exit(run(address))


@cli.command()
@JSON
def doctor(*, as_json: bool) -> None:
    """Report what is installed and running, and how to fix problems."""
    from stowage.cli.server.doctor import run

    sys.exit(run(as_json=as_json))


@cli.command()
def api() -> None:
    """Serve the API and the page with existing servers (DATABASE_URL, GATE_DATABASE_URL, REDIS_URL)."""
    from stowage.cli.server.serve import serve

    sys.exit(serve())


@cli.command()
def migrate() -> None:
    """Migrate the database to this program's version (MIGRATIONS_DATABASE_URL, DATABASE_URL, GATE_DATABASE_URL)."""
    from stowage.cli.server.serve import migrate as run

    sys.exit(run())


@cli.command()
@click.option(
    "--queue",
    "queues",
    multiple=True,
    type=click.Choice(QUEUES),
    help="Default: all queues.",
)
@click.option(
    "--processes", type=click.IntRange(1, 256), help="Number of parts in progress at once (STOWAGE_PROCESSES)."
)
def worker(queues: "tuple[QueueName, ...]", processes: int | None) -> None:
    """Work on jobs in the background (DATABASE_URL, REDIS_URL)."""
    from stowage.cli.server.background import work

    sys.exit(work(queues, processes))


@cli.command()
def scheduler() -> None:
    """Send the messages that start periodic work (REDIS_URL).

    One scheduler is enough for a service.
    """
    from stowage.cli.server.background import schedule

    sys.exit(schedule())


@cli.command()
@click.argument("team", required=False)
@click.option("--set", "changes", multiple=True, metavar="NAME=LIMIT", help="Set a quota of the team.")
@click.option("--reset", "resets", multiple=True, metavar="NAME", help="Reset a quota of the team to its default.")
def quotas(team: str | None, changes: tuple[str, ...], resets: tuple[str, ...]) -> None:
    """List and set the quotas of TEAM, which is a name or an id.

    Without TEAM, the default quotas are listed.
    """
    from stowage.cli.link import quotas as run

    limits: dict[str, int | None] = dict.fromkeys(resets)
    for change in changes:
        name, _, limit = change.partition("=")
        if not (limit.isascii() and limit.isdigit()):
            raise click.BadParameter(f"{change!r} is not NAME=LIMIT with a whole number", param_hint="--set")
        limits[name] = int(limit)
    if limits and team is None:
        raise click.UsageError("--set and --reset need a TEAM: defaults are part of the program and cannot be set")
    sys.exit(run(team, limits))


@cli.command()
@click.argument("action", type=click.Choice(["load", "remove", "reset"]))
def demo(action: Literal["load", "remove", "reset"]) -> None:
    """Load, remove or reset the example team, which has measurements, plans, sweeps and a report."""
    from stowage.cli.demo import run

    sys.exit(run(action))


@cli.command()
@click.argument("part", type=click.Choice(PARTS))
def alive(part: "PartName") -> None:
    """Check the health of the API, a worker or the scheduler, for use in containers."""
    from stowage.cli.server.alive import alive as ask

    sys.exit(ask(part))


cli.add_command(catalog)
cli.add_command(bench)


def main() -> None:
    """Run the command in the arguments of the program.

    An internal error prints one line instead of a traceback, and exits with status 1.
    """
    if sys.argv[1:2] in (["plan"], ["predict"]):
        # A short-lived process does not need garbage collection, not even at exit.
        gc.disable()
        atexit.register(gc.freeze)
    try:
        cli.main(prog_name="stowage")
    except Exception as error:  # noqa: BLE001 - the last line of defence
        if os.environ.get("STOWAGE_TRACE"):
            import traceback

            traceback.print_exc()
        message = f"stowage: internal error: {type(error).__name__}: {error} (STOWAGE_TRACE=1 shows where)"
        click.echo(message, err=True)
        sys.exit(FAILED)


def _show_regions(asked: "WorkloadFile", source: "KnowledgeSource", *, as_json: bool) -> None:
    from stowage.features.planning.regions import compare_regions

    answer = compare_regions(asked, source, time.perf_counter)
    if as_json:
        _print_json(answer)
    else:
        from stowage.cli.screen import show_regions

        show_regions(answer)
    if all(region.best is None for region in answer.regions):
        sys.exit(NOTHING_FITS)


def _read(file: BinaryIO) -> "WorkloadFile":
    from stowage.workloads.workload_file import LARGEST_FILE_BYTES, read_workload_file

    return read_workload_file(file.read(LARGEST_FILE_BYTES + 1))


@contextmanager
def _bad_input_answered(*, as_json: bool) -> Iterator[None]:
    """Print a message about each invalid field if the block raises `BadInput`, and exit with status 2."""
    from stowage.platform.errors import BadInput

    try:
        yield
    except BadInput as error:
        for problem in error.problems:
            click.echo(f"stowage: {problem.path or 'the file'}: {problem.message}", err=True)
        if as_json:
            errors = [{"path": problem.path, "message": problem.message} for problem in error.problems]
            click.echo(json.dumps({"errors": errors}, indent=2))
        sys.exit(BAD_INPUT)


def _print_json(answer: "BaseModel") -> None:
    click.echo(answer.model_dump_json(indent=2))
