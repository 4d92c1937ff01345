"""`stowage catalog`: statistics of a catalog, and building a catalog from new data."""

import dataclasses
import gzip
import json
import sys
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stowage.cli.statuses import BAD_INPUT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stowage.catalog.build import Built
    from stowage.catalog.sanity import Refusal, Verdict
    from stowage.catalog.stats import DiskProfiles
    from stowage.model.hardware.catalog import CatalogVersion
    from stowage.model.hardware.instance import InstanceType
    from stowage.model.hardware.profile import Profile

_MOST_NAMED = 20

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_DAY = click.DateTime(["%Y-%m-%d"])


@click.group()
def catalog() -> None:
    """Show the catalog of instance types and prices, or build a new one."""


@catalog.command()
@click.option("--catalog", "--catalogue", "name", default="latest", show_default=True, help="A packaged version.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
def stats(name: str, *, as_json: bool) -> None:
    """Print for each region the number of types with known figures.

    \b
    types      sold in the region
    priced     with an on-demand price
    ebs        whose link to EBS has a known baseline
    network    whose network has a known baseline
    disks      whose local disks are known, or that are known to have none
    complete   all four known
    estimated  complete types with an estimate among these four figures
    """  # noqa: D301 - click's mark for lines that stay as they are
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from stowage.catalog import stats as counted
    from stowage.catalog.snapshot import LATEST, VERSIONS, packaged

    version_name = LATEST if name == "latest" else name
    if version_name not in VERSIONS:
        accepted = ", ".join(("latest", *VERSIONS))
        raise click.BadParameter(f"{name!a} is not a catalog version; accepted: {accepted}", param_hint="--catalog")
    version = packaged(version_name)
    regions = counted.known_by_region(version)
    disks = counted.disk_profiles(version)
    if as_json:
        document = {
            "catalog_version": version.version,
            "catalogue_version": version.version,  # its former name
            "regions": {region: dataclasses.asdict(known) for region, known in regions.items()},
            "disk_types": dataclasses.asdict(disks),
        }
        click.echo(json.dumps(document, indent=2))
        return
    console = Console(highlight=False)
    console.print(Text(f"{version.title} ({version.version})", style="bold"))
    headings = ("types", "priced", "ebs", "network", "disks", "complete", "estimated")
    table = Table(box=box.SIMPLE, collapse_padding=True, pad_edge=False)
    table.add_column("region", no_wrap=True)
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    for region, known in regions.items():
        share = f" ({known.estimated / known.complete:.0%})" if known.complete else ""
        *counts, estimated = dataclasses.astuple(known)
        table.add_row(region, *(f"{count:,}" for count in counts), f"{estimated:,}{share}")
    console.print(table)
    console.print(_disks_in_words(disks))


@catalog.command()
@click.option("--output", required=True, type=click.Path(dir_okay=False, path_type=Path), help="File to write.")
@click.option("--prices", required=True, type=_FILE, help="CSV of prices by region and type; may be compressed.")
@click.option("--disks", required=True, type=_FILE, help="CSV of measured disks.")
@click.option("--published-disks", type=_FILE, help="CSV of disk rates that AWS publishes; default: the packaged one.")
@click.option("--volumes", required=True, type=_FILE, help="YAML of EBS prices by region.")
@click.option("--region", "regions", multiple=True, help="Only these regions; default: all that have prices.")
@click.option("--endpoint-url", help="URL of a server compatible with EC2; default: AWS.")
@click.option("--described-by", default=None, help="Source of the descriptions, if not AWS.")
@click.option("--described-on", type=_DAY, help="Date of the descriptions; default: today.")
@click.option("--as-of", type=_DAY, help="Date of the newest prices; default: today.")
@click.option("--reserved-as-of", type=_DAY, help="Date of the reserved and spot prices, if different.")
@click.option("--disks-as-of", type=_DAY, help="Date of the table of disks; default: that of the prices.")
@click.option("--volumes-as-of", type=_DAY, help="Date of the table of volumes; default: that of the prices.")
@click.option("--version", "name", help="Name of the version; default: aws-DATE.")
@click.option("--title", help="Display name of the version.")
@click.option(
    "--without-price", "doubted", multiple=True, metavar="TYPE", help="Type whose price is implausible and left out."
)
@click.option(
    "--accept-uneven", multiple=True, metavar="TYPE", help="Accept a type whose price does not fit its family."
)
@click.option(
    "--accept-lost", is_flag=True, help="Accept fewer types, volumes or prices than the packaged version has."
)
@click.option(
    "--accept-jump", is_flag=True, help="Accept prices that differ by several times from the packaged version."
)
def build(
    *,
    output: Path,
    accept_uneven: tuple[str, ...],
    accept_lost: bool,
    accept_jump: bool,
    **sources: Any,  # noqa: ANN401 - the other options
) -> None:
    """Make a catalog: hardware from EC2, joined with tables of prices, volumes and disks.

    docs/guides/catalog.md describes the tables. An implausible catalog is not written (exit status 2).
    """
    from stowage.catalog import sanity, snapshot
    from stowage.features.catalog.refresh import NotAnswered

    try:
        made = _made(**sources)
    except (ValueError, NotAnswered) as error:
        click.echo(f"Not built: {error}", err=True)
        sys.exit(BAD_INPUT)
    verdict = sanity.check(made.version, _packaged_before())
    refused = [
        refusal
        for refusal in verdict.refusals
        if not (
            (refusal.fault == "lost" and accept_lost)
            or (refusal.fault == "jump" and accept_jump)
            or (refusal.fault == "proportion" and refusal.what.partition("/")[2] in accept_uneven)
        )
    ]
    if refused:
        _show_refusals(refused)
        sys.exit(BAD_INPUT)
    content = snapshot.write(made.version)
    output.write_bytes(content)
    _show_report(made, verdict, len(content), output)


def _text(file: Path) -> str:
    content = file.read_bytes()
    return (gzip.decompress(content) if file.suffix == ".gz" else content).decode()


def _packaged_before() -> "CatalogVersion | None":
    from stowage.catalog.snapshot import LATEST, packaged

    try:
        return packaged(LATEST)
    except FileNotFoundError:  # when the first catalog is built
        return None


def _show_refusals(refusals: "list[Refusal]") -> None:
    click.echo(f"Not built: {len(refusals):,} figures cannot be believed.", err=True)
    for refusal in refusals[:_MOST_NAMED]:
        click.echo(f"  {refusal.fault}: {refusal.sentence}", err=True)
    if len(refusals) > _MOST_NAMED:
        click.echo(f"  and {len(refusals) - _MOST_NAMED:,} more", err=True)
    options = {"lost": "--accept-lost", "jump": "--accept-jump", "proportion": "--accept-uneven TYPE"}
    wanted = sorted({options[refusal.fault] for refusal in refusals if refusal.fault in options})
    if wanted:
        click.echo(f"Where it is so all the same: {', '.join(wanted)}; a price alone: --without-price TYPE.", err=True)


def _show_report(made: "Built", verdict: "Verdict", size: int, output: Path) -> None:
    from stowage.catalog import stats as counted

    version = made.version
    click.echo(f"{version.version}: {len(version.instance_types):,} types, {len(version.regions):,} regions")
    for region, known in counted.known_by_region(version).items():
        of_these = f", {known.estimated / known.complete:.0%} of these with an estimate" if known.complete else ""
        click.echo(f"  {region}: {known.types:,} sold, {known.priced:,} priced, {known.complete:,} complete{of_these}")
    disks = counted.disk_profiles(version)
    click.echo(_disks_in_words(disks))
    click.echo(f"Prices estimated: {made.from_sizes:,} from other sizes, {made.from_region:,} from another region.")
    if made.left_out:
        click.echo("Left out:")
        for left in made.left_out:
            click.echo(f"  {left.what}: {left.why}")
    if verdict.uneven:
        click.echo(f"Not quite proportional: {', '.join(verdict.uneven)}")
    click.echo(f"{output}: {size:,} bytes, digest {version.digest}")


def _disks_in_words(disks: "DiskProfiles") -> str:
    if not disks.types:
        return "No type has disks of its own."

    def share(count: int) -> str:
        return f"{count:,} ({count / disks.types:.0%})"

    return (
        f"Of {disks.types:,} types with disks of their own {share(disks.measured)} have a measured bandwidth, "
        f"{share(disks.published)} a published one, {share(disks.estimated)} one estimated from their family; "
        f"of {share(disks.random_io)} the random I/Os are measured or published."
    )


def _made(  # noqa: PLR0913 - options of `build`
    *,
    prices: Path,
    disks: Path,
    published_disks: Path | None,
    volumes: Path,
    regions: tuple[str, ...],
    endpoint_url: str | None,
    described_by: str | None,
    described_on: datetime | None,
    as_of: datetime | None,
    reserved_as_of: datetime | None,
    disks_as_of: datetime | None,
    volumes_as_of: datetime | None,
    name: str | None,
    title: str | None,
    doubted: tuple[str, ...],
) -> "Built":
    """Build a catalog from the tables and EC2's instance types.

    Raises
    ------
    ValueError, NotAnswered
        A table cannot be read, or EC2 does not answer.
    """
    from stowage.catalog import snapshot
    from stowage.catalog.build import Ingredients, all_hardware
    from stowage.catalog.build import build as make
    from stowage.catalog.hardware import DESCRIBED
    from stowage.catalog.price_table import read_prices
    from stowage.catalog.volume_table import read_volumes
    from stowage_worker.aws.reader import described_types

    today = datetime.now(UTC).date()
    of = today if as_of is None else as_of.date()
    listed = read_prices(_text(prices), others_as_of=None if reserved_as_of is None else reserved_as_of.date())
    wanted = sorted({row.region for row in listed} if not regions else set(regions))
    told_volumes = read_volumes(
        _text(volumes), of, prices_as_of=None if volumes_as_of is None else volumes_as_of.date()
    )
    types, offered = described_types(wanted, endpoint_url)
    ingredients = Ingredients(
        described=types,
        described_by=described_by or DESCRIBED,
        described_on=today if described_on is None else described_on.date(),
        offered=offered,
        prices=tuple(row for row in listed if row.region in wanted),
        volumes={region: rows for region, rows in told_volumes.items() if region in wanted},
        profiles=(),
        old=snapshot.packaged("paper-2014"),
        doubted=frozenset(doubted),
    )
    measured_on = of if disks_as_of is None else disks_as_of.date()
    profiles = _disk_profiles(disks, published_disks, all_hardware(ingredients), measured_on, ingredients.described_on)
    ingredients = dataclasses.replace(ingredients, profiles=profiles)
    return make(name or f"aws-{of}", title or f"EC2 and EBS, prices of {of}", of, ingredients)


def _disk_profiles(
    disks: Path, published: Path | None, hardware: "Mapping[str, InstanceType]", measured_on: date, published_on: date
) -> "tuple[Profile, ...]":
    """Return profiles of instance-store disks: measured ones, and published ones for types without a measurement."""
    from stowage.catalog.disk_table import disk_profiles, packaged_published, published_profiles

    measured = disk_profiles(_text(disks), hardware, measured_on)
    told = packaged_published() if published is None else _text(published)
    return measured + published_profiles(told, hardware, measured, published_on)
