"""`stowage bench`: measurement of disks and network on existing machines, by the agent that also runs on EC2."""

import json
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from stowage.cli.statuses import BAD_INPUT, failed

# Imported where it is used, so that `stowage --help` stays fast.
if TYPE_CHECKING:
    from stowage.cli.server.hosts import Host

_JSON = click.option("--json", "as_json", is_flag=True, help="Print the documents, one a line, and nothing else.")
_HOSTS = click.option(
    "--hosts",
    required=True,
    metavar="A,B,...",
    help="Names for ssh; NAME=ADDRESS if the network to measure has other addresses.",
)
_SSH = click.option(
    "--ssh", default="ssh -o BatchMode=yes", show_default=True, help="Command that runs a command line on a host."
)
_measured = partial(
    click.option, "--measured", type=click.FloatRange(1, 3600), show_default=True, help="Measured time [s]."
)
_warm_up = partial(
    click.option,
    "--warm-up",
    type=click.FloatRange(0, 600),
    show_default=True,
    help="Warm-up before the measurement [s].",
)
_CONNECTIONS = click.option(
    "--connections",
    type=click.IntRange(1, 16),
    default=1,
    show_default=True,
    help="Connections from each host to each other.",
)
_PATHS = click.option(
    "--path", "paths", multiple=True, metavar="PLACE", help="Folder, file or device; default: all unused disks."
)

GATHER_S = 30.0
"""Time for which hosts wait for each other; all are started at once [s]."""


@click.group()
def bench() -> None:
    """Measure disks and network of your own machines; `stowage measure` reads the output of --json."""


@bench.command()
@_PATHS
@click.option(
    "--mode",
    "modes",
    multiple=True,
    type=click.Choice(["read-write", "read", "write"]),
    help="Default: all three.",
)
@_measured(default=60.0, help="Measured time of each mode [s].")
@_warm_up(default=10.0)
@click.option(
    "--block", type=click.IntRange(512, 64 << 20), default=1 << 20, show_default=True, help="Size of an I/O [bytes]."
)
@click.option(
    "--size",
    type=click.IntRange(1 << 20),
    help="Size of the file in a folder [bytes]; default: twice the memory if it fits.",
)
@click.option("--destroy", is_flag=True, help="Overwrite devices that hold data.")
@_JSON
def disk(
    *,
    paths: tuple[str, ...],
    modes: tuple[str, ...],
    measured: float,
    warm_up: float,
    block: int,
    size: int | None,
    destroy: bool,
    as_json: bool,
) -> None:
    """Measure the disks of this machine.

    Half of the disks read while the other half write, then all disks read, then all disks write.
    """
    from stowage.cli.measured import show_disks
    from stowage.cli.server.hosts import here

    arguments = _disk_arguments(paths, modes, measured, warm_up, block=block, size=size, destroy=destroy)
    status, documents = here(arguments)
    if as_json:
        _print(documents)
    elif documents:
        show_disks(documents)
    sys.exit(status)


@bench.command()
@_HOSTS
@_SSH
@_measured(default=20.0)
@_warm_up(default=3.0)
@_CONNECTIONS
@click.option("--processes", type=click.IntRange(1, 60), help="Processes per host; default: by its cores and peers.")
@click.option("--compare/--no-compare", default=False, help="Also measure two of the hosts with iperf3.")
@_JSON
def net(
    *,
    hosts: str,
    ssh: str,
    measured: float,
    warm_up: float,
    connections: int,
    processes: int | None,
    compare: bool,
    as_json: bool,
) -> None:
    """Measure the network between hosts.

    Each host sends to every other host: first 2 hosts, then 4, 8, ..., then all hosts.

    Hosts need Python 3.9, and TCP ports 47000 to 47063 open to each other. Nothing is installed, and nothing remains.
    """
    from stowage.cli.measured import network_documents, show_network
    from stowage.cli.server.hosts import measure_network
    from stowage.runs.spec import NetPlan, RunSpec

    named = _hosts(hosts)
    plan = NetPlan(measured, warm_up, connections, processes, compare, GATHER_S)
    spec = RunSpec("netbench", "", len(named), "", net=plan)
    status, reports = measure_network(named, ssh, spec)
    if as_json:
        _print(network_documents(spec, reports))
    else:
        show_network(spec, reports, named)
    sys.exit(status)


@bench.command()
@_HOSTS
@_SSH
@_measured(default=20.0)
@_warm_up(default=3.0)
@_CONNECTIONS
@_PATHS
@_JSON
def screen(
    *,
    hosts: str,
    ssh: str,
    measured: float,
    warm_up: float,
    connections: int,
    paths: tuple[str, ...],
    as_json: bool,
) -> None:
    """Find hosts that are slower than others.

    Measure the network between all hosts at once, and the disks at --path.
    """
    from stowage.cli.measured import screening_document, show_screening
    from stowage.cli.server.hosts import measure_disks, measure_network
    from stowage.runs.spec import DiskPlan, NetPlan, OwnDisks, RunSpec

    named = _hosts(hosts)
    spec = RunSpec(
        "screening",
        "",
        len(named),
        "",
        storage=OwnDisks() if paths else None,
        net=NetPlan(measured, warm_up, connections, compare=False, gather_s=GATHER_S),
        disk=DiskPlan(("read-write",), measured, warm_up),
    )
    status, reports = measure_network(named, ssh, spec)
    if paths:
        arguments = _disk_arguments(paths, ("read-write",), measured, warm_up)
        disks_status, more = measure_disks(named, ssh, arguments)
        status, reports = max(status, disks_status), [*reports, *more]
    if as_json:
        click.echo(json.dumps(screening_document(spec, reports, named), indent=2))
    else:
        show_screening(spec, reports, named)
    sys.exit(status)


def _disk_arguments(
    paths: tuple[str, ...],
    modes: tuple[str, ...],
    measured: float,
    warm_up: float,
    *,
    block: int = 1 << 20,
    size: int | None = None,
    destroy: bool = False,
) -> list[str]:
    """Return the agent's command-line arguments for a disk measurement."""
    arguments = ["disk", "--measured", str(measured), "--warm-up", str(warm_up), "--block", str(block)]
    for path in paths:
        arguments += ["--path", path]
    for mode in modes:
        arguments += ["--mode", mode]
    if size is not None:
        arguments += ["--size", str(size)]
    return [*arguments, "--destroy"] if destroy else arguments


def _hosts(text: str) -> "list[Host]":
    """Return the hosts in the value of --hosts.

    If the value is invalid, the error is printed, and the program exits.
    """
    from stowage.cli.server.hosts import UnknownHost, hosts_of

    try:
        return hosts_of(text)
    except UnknownHost as error:
        sys.exit(failed(f"--hosts: {error}", BAD_INPUT))


def _print(documents: list[dict[str, Any]]) -> None:
    for document in documents:
        click.echo(json.dumps(document))
