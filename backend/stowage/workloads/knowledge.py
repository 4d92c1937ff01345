"""Knowledge behind a prediction: one region of one version of the catalog, with its profiles."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from stowage.catalog.snapshot import LATEST, VERSIONS, packaged
from stowage.model.hardware.catalog import Catalog, Provider
from stowage.model.hardware.profile import Profiles
from stowage.model.jobs.framework import Framework
from stowage.model.jobs.frameworks import FRAMEWORKS
from stowage.optimizer.cache import Cache
from stowage.platform.errors import BadInput, Problem

SEARCHED: Provider = "aws"
"""Provider whose instances are searched; instances of other providers are shown as published."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """A catalog and the profiles that predictions may use with it.

    Parameters
    ----------
    catalog : Catalog
        Catalog of one region.
    profiles : Profiles
    digest : str
        Digest of the files from which catalog and profiles were read; equal digests give equal predictions.
    regions_with_volumes : callable
        Function that lists the regions with EBS prices in the catalog version; used only for error messages.
    regions : tuple of str
        All regions of the catalog version.
    frameworks : Mapping[str, Framework]
        Efficiency profiles by name: built-in profiles, and profiles that a team has calibrated.
    """

    catalog: Catalog
    profiles: Profiles
    digest: str
    regions_with_volumes: Callable[[], tuple[str, ...]] = tuple
    regions: tuple[str, ...] = ()
    frameworks: Mapping[str, Framework] = field(default_factory=lambda: FRAMEWORKS)


KnowledgeSource = Callable[[str, str], Knowledge]
"""Returns the knowledge for a catalog version (or `latest`) and a region; raises `BadInput` where there is none."""

_PACKAGED: Cache[tuple[str, str], Knowledge] = Cache(most=64)


def packaged_knowledge(version: str, region: str) -> Knowledge:
    """Return the catalog and profiles that ship with the package, for use without a server.

    Raises
    ------
    BadInput
        The version or region does not exist, or the version is that of a provider other than AWS.
    """
    try:
        found = packaged(LATEST if version == "latest" else version)
    except KeyError:
        raise unknown_catalog(version, VERSIONS) from None
    refuse_shown(found.version, found.provider)
    if region not in found.regions:
        raise unknown_region(region, found.version, found.regions)
    return _PACKAGED.get(
        (found.digest, region),
        lambda: Knowledge(
            found.in_region(region),
            found.profiles,
            found.digest,
            lambda: tuple(name for name, each in found.regions.items() if each.volume_types),
            tuple(found.regions),
        ),
    )


def unknown_catalog(version: str, versions: Iterable[str]) -> BadInput:
    """Return the error for an unknown catalog version; its message lists the known versions."""
    accepted = ", ".join(("latest", *versions))
    return BadInput([Problem("place.catalog", f"{version!a} is not a catalog version; accepted: {accepted}")])


def unknown_region(region: str, version: str, regions: Iterable[str]) -> BadInput:
    """Return the error for a region that has no prices in a catalog version; its message lists those that have."""
    message = f"{region!a} has no prices in catalog {version}; accepted: {', '.join(regions)}"
    return BadInput([Problem("place.region", message)])


def refuse_shown(version: str, provider: Provider) -> None:
    """Check that a catalog version is that of AWS.

    Raises
    ------
    BadInput
        The version is of another provider: such versions are shown as published, but not searched.
    """
    if provider != SEARCHED:
        message = f"{version!a} is shown as published, not searched; accepted: latest, or a version of AWS"
        raise BadInput([Problem("place.catalog", message)])
