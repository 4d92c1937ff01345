"""What answers rest on: one region of one version of the catalogue, with its profiles."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from stowage.catalog.snapshot import LATEST, VERSIONS, packaged
from stowage.model.hardware.catalogue import Catalogue, Provider
from stowage.model.hardware.profile import Profiles
from stowage.model.jobs.framework import Framework
from stowage.model.jobs.frameworks import FRAMEWORKS
from stowage.optimizer.kept import Kept
from stowage.platform.errors import BadInput, Problem

SEARCHED: Provider = "aws"
"""Whose instances are searched; what others sold is shown as it was published."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """A catalogue and the profiles that predictions may use with it.

    Parameters
    ----------
    catalogue : Catalogue
        Of one region.
    profiles : Profiles
    digest : str
        Of what version and profiles were read from: equal digests, equal predictions.
    regions_with_volumes : callable
        Lists the regions of the same version of which prices of EBS are known; only messages ask for them.
    regions : tuple of str
        All regions of the same version.
    frameworks : Mapping[str, Framework]
        Efficiency profiles by name: ours, and those that a team has calibrated.
    """

    catalogue: Catalogue
    profiles: Profiles
    digest: str
    regions_with_volumes: Callable[[], tuple[str, ...]] = tuple
    regions: tuple[str, ...] = ()
    frameworks: Mapping[str, Framework] = field(default_factory=lambda: FRAMEWORKS)


KnowledgeSource = Callable[[str, str], Knowledge]
"""Gives the knowledge of a catalogue version (or `latest`) and a region; raises `BadInput` where there is none."""

_PACKAGED: Kept[tuple[str, str], Knowledge] = Kept(most=64)


def packaged_knowledge(version: str, region: str) -> Knowledge:
    """Give what travels in the package, for use without a server.

    Raises
    ------
    BadInput
        There is no such version or region, or another provider sold it.
    """
    try:
        found = packaged(LATEST if version == "latest" else version)
    except KeyError:
        raise unknown_catalogue(version, VERSIONS) from None
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


def unknown_catalogue(version: str, versions: Iterable[str]) -> BadInput:
    """Say which catalogue versions there are."""
    accepted = ", ".join(("latest", *versions))
    return BadInput([Problem("place.catalogue", f"{version!a} is not a catalogue version; accepted: {accepted}")])


def unknown_region(region: str, version: str, regions: Iterable[str]) -> BadInput:
    """Say which regions a version has prices of."""
    message = f"{region!a} has no prices in catalogue {version}; accepted: {', '.join(regions)}"
    return BadInput([Problem("place.region", message)])


def refuse_shown(version: str, provider: Provider) -> None:
    """Refuse a version of what another provider than AWS sold.

    Raises
    ------
    BadInput
        It is one.
    """
    if provider != SEARCHED:
        message = f"{version!a} is shown as published, not searched; accepted: latest, or a version of AWS"
        raise BadInput([Problem("place.catalogue", message)])
