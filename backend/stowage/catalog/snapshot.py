"""Packaged catalogs, and the compact file format of a catalog of all regions."""

import gzip
import hashlib
import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from pydantic_core import from_json

from stowage.catalog import handwritten, parts
from stowage.catalog.units import INSTANCE_UNITS, VOLUME_UNITS
from stowage.model.figure import Figure, Kind, figures_of
from stowage.model.hardware.catalog import CatalogVersion, Region, VolumeType, instance_type, volume_type
from stowage.model.hardware.instance import InstanceType
from stowage.model.hardware.offered import PriceColumns
from stowage.model.hardware.profile import Profile, Profiles
from stowage.model.hardware.volume_limits import volume_limits
from stowage.model.infeasible import Infeasible
from stowage.model.lazy import Lazy

LATEST = "aws-2026-07-06"
"""Meaning of `latest` without a server: the newest packaged version."""

VERSIONS = (LATEST, "paper-2014", "paper-2014-gce")
"""Newest first, AWS before other providers."""

_FORMAT = 1
_COMPACT, _HANDWRITTEN = ".json.gz", ".yaml"


@lru_cache
def packaged(version: str) -> CatalogVersion:
    """Load a packaged version.

    Parameters
    ----------
    version : str
        One of `VERSIONS`.

    Raises
    ------
    KeyError
        There is no such version.
    """
    return load(version, _folder_of(version))


def packaged_digest(version: str) -> str:
    """Return the digest of a packaged version without loading its figures; raise the errors of `packaged`."""
    folder = _folder_of(version)
    compact = folder / f"{version}{_COMPACT}"
    if compact.is_file():
        return hashlib.sha256(gzip.decompress(compact.read_bytes())).hexdigest()
    return hashlib.sha256((folder / f"{version}{_HANDWRITTEN}").read_bytes()).hexdigest()


def load(version: str, folder: Traversable) -> CatalogVersion:
    """Load a version from a folder: from the snapshot's parts, the snapshot itself, or a handwritten file."""
    compact = folder / f"{version}{_COMPACT}"
    if not compact.is_file():
        return handwritten.read((folder / f"{version}{_HANDWRITTEN}").read_bytes())
    content, beside = compact.read_bytes(), folder / f"{version}{parts.SUFFIX}"
    found = parts.read(beside.read_bytes(), content) if beside.is_file() else None
    if found is None:
        return read(content)
    rows = Lazy(found.regions, lambda _, row: from_json(zlib.decompress(row)))
    return _version(found.document, rows, found.digest)


def _folder_of(version: str) -> Traversable:
    if version not in VERSIONS:
        raise KeyError(version)
    return resources.files("stowage.catalog") / "snapshots"


def write(version: CatalogVersion) -> bytes:
    """Convert a version to a compact file.

    Equal versions give equal bytes, even if their `digest` fields differ. The format is JSON compressed with gzip. Each
    figure is [value, index of the source] under the name of the quantity; the module `units` has the units.

    Raises
    ------
    ValueError
        A figure has the wrong quantity or unit for its field, no date, or no finite value; or the limits of a volume
        type (other than its smallest and largest size) differ from AWS' documentation.
    """
    return gzip.compress(_text(version), compresslevel=9, mtime=0)


def read(content: bytes) -> CatalogVersion:
    """Parse a file that `write` produced.

    The version's digest is computed from the uncompressed text, so that it does not depend on the compressor. A
    region's prices are converted to figures on first access: a command needs one of thirty-four regions.

    Raises
    ------
    ValueError
        The content has another format, or a later version of this format.
    """
    try:
        text = gzip.decompress(content)
        document = json.loads(text)
    except (OSError, EOFError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ValueError(f"no catalog file: {error}") from error
    if not isinstance(document, dict) or document.get("format") != _FORMAT:
        raise ValueError(f"a catalog file of another format than {_FORMAT}")
    regions = Lazy(document["regions"], lambda _, row: parts.by_column(row))
    return _version(document, regions, hashlib.sha256(text).hexdigest())


def _version(document: Mapping[str, Any], regions: Mapping[str, Any], digest: str) -> CatalogVersion:
    figures = _Figures(document["sources"])
    as_of = date.fromisoformat(document["as_of"])
    return CatalogVersion(
        version=document["version"],
        title=document["title"],
        as_of=as_of,
        provider=document["provider"],
        instance_types=Lazy(document["instance_types"], lambda name, row: _read_hardware(name, row, figures)),
        regions=Lazy(regions, lambda name, row: _read_region(name, row, figures, as_of)),
        profiles=Profiles(tuple(_read_profile(row, figures) for row in document["profiles"])),
        digest=digest,
    )


def with_digest(version: CatalogVersion) -> CatalogVersion:
    """Return a version with the digest that `read` would compute from the version's file."""
    return replace(version, digest=hashlib.sha256(_text(version)).hexdigest())


class _Figures:
    """Converts [value, index of source] to figures; equal figures are one object."""

    def __init__(self, sources: Iterable[tuple[str, Kind, str]]) -> None:
        self.sources = [(text, kind, date.fromisoformat(as_of)) for text, kind, as_of in sources]
        self._made: dict[tuple[str, float, int], Figure] = {}

    def named(self, row: Mapping[str, tuple[float, int]], units: Mapping[str, str]) -> dict[str, Figure]:
        made, found = self._made, {}
        for quantity, (value, source) in row.items():
            key = (quantity, value, source)
            figure = made.get(key)
            if figure is None:
                figure = made[key] = Figure(quantity, float(value), units[quantity], *self.sources[source])
            found[quantity] = figure
        return found


def _read_region(name: str, row: Mapping[str, Any], figures: _Figures, as_of: date) -> Region:
    def volume(kind: str, told: Mapping[str, Any]) -> VolumeType:
        return volume_type(kind, figures.named(told, VOLUME_UNITS), as_of)

    prices = PriceColumns(row["instance_types"], row["prices"], figures.sources)
    return Region(name, prices, Lazy(row["volume_types"], volume))


def _read_hardware(name: str, row: Mapping[str, Any], figures: _Figures) -> InstanceType:
    return instance_type(
        name,
        figures.named(row["figures"], INSTANCE_UNITS),
        disk_media=row.get("disk_media"),
        placement_group=row["placement_group"],
        gaps=row.get("gaps", {}),
        traits=frozenset(row.get("traits", ())),
    )


_PROFILE_FIELDS = ("target", "metric", "mean", "spread", "count", "cluster_nodes", "statistic", "placement_group")


def _read_profile(row: list[Any], figures: _Figures) -> Profile:
    measured = dict(zip(_PROFILE_FIELDS, row[:-1], strict=True))
    measured["mean"] = float(measured["mean"])
    text, kind, as_of = figures.sources[row[-1]]
    return Profile(**measured, source=text, kind=kind, as_of=as_of)


def _text(version: CatalogVersion) -> bytes:
    sources = _Sources(version)
    document = {
        "format": _FORMAT,
        "version": version.version,
        "title": version.title,
        "as_of": version.as_of.isoformat(),
        "provider": version.provider,
        "sources": sources.listed(),
        "instance_types": {
            name: _hardware_row(version.instance_types[name], sources) for name in sorted(version.instance_types)
        },
        "regions": {
            name: {
                "prices": {
                    sold: sources.cells(prices, INSTANCE_UNITS)
                    for sold, prices in sorted(version.regions[name].prices.items())
                },
                "volume_types": {
                    volume: sources.cells(_volume_figures(told, version.as_of), VOLUME_UNITS)
                    for volume, told in sorted(version.regions[name].volume_types.items())
                },
            }
            for name in sorted(version.regions)
        },
        "profiles": [
            [
                *(_plain(getattr(row, name)) for name in _PROFILE_FIELDS),
                sources.index(row.source, row.kind, row.as_of),
            ]
            for row in version.profiles.rows
        ],
    }
    return json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


class _Sources:
    """The sources of a catalog version, sorted and numbered."""

    def __init__(self, version: CatalogVersion) -> None:
        found = {(row.source, row.kind, row.as_of) for row in version.profiles.rows}
        for hardware in version.instance_types.values():
            found |= {_source_of(figure) for figure in figures_of(hardware).values()}
        for region in version.regions.values():
            for prices in region.prices.values():
                found |= {_source_of(figure) for figure in prices.values()}
            for volume in region.volume_types.values():
                found |= {_source_of(figure) for figure in _volume_figures(volume, version.as_of).values()}
        self._numbers = {source: number for number, source in enumerate(sorted(found))}

    def listed(self) -> list[tuple[str, Kind, str]]:
        return [(text, kind, as_of.isoformat()) for text, kind, as_of in self._numbers]

    def index(self, text: str, kind: Kind, as_of: date) -> int:
        return self._numbers[text, kind, as_of]

    def cells(self, figures: Mapping[str, Figure], units: Mapping[str, str]) -> dict[str, list[float | int]]:
        for name, figure in figures.items():
            if figure.quantity != name or figure.unit != units[name]:
                raise ValueError(f"{name} is given as {figure.quantity} in {figure.unit}, not in {units[name]}")
        return {
            name: [_plain(figures[name].value), self._numbers[_source_of(figures[name])]]
            for name in units
            if name in figures
        }


def _source_of(figure: Figure) -> tuple[str, Kind, date]:
    if figure.as_of is None:
        raise ValueError(f"{figure.quantity} has no date ({figure.source})")
    return figure.source, figure.kind, figure.as_of


def _hardware_row(hardware: InstanceType, sources: _Sources) -> dict[str, Any]:
    row: dict[str, Any] = {
        "figures": sources.cells(figures_of(hardware), INSTANCE_UNITS),
        "placement_group": hardware.placement_group,
    }
    if hardware.disk_media is not None:
        row["disk_media"] = hardware.disk_media
    if hardware.gaps:
        row["gaps"] = dict(sorted(hardware.gaps.items()))
    if hardware.traits:
        row["traits"] = sorted(hardware.traits)
    return row


def _volume_figures(volume: VolumeType, as_of: date) -> dict[str, Figure]:
    """Return the figures that define a volume type, and its size limits if they are not the defaults."""
    limits = volume_limits(volume.name, as_of)
    if isinstance(limits, Infeasible):
        raise ValueError(limits.reason)  # noqa: TRY004 - the value, not the type, is what is wrong
    sizes = {
        name: getattr(volume.limits, name)
        for name in ("smallest_gib", "largest_gib")
        if getattr(volume.limits, name) != getattr(limits, name)
    }
    if replace(limits, **sizes) != volume.limits:
        raise ValueError(f"the limits of {volume.name} are not those of {as_of}")
    return figures_of(volume) | sizes


def _plain(value: Any) -> Any:  # noqa: ANN401 - what JSON takes
    """Convert a whole float to an integer, which is shorter in JSON and is read back as the same float."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
