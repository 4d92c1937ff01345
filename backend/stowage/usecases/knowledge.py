"""What answers rest on: one version of the catalogue with its profiles."""

from collections.abc import Callable
from dataclasses import dataclass

from stowage.catalog.snapshot import LATEST, VERSIONS, packaged
from stowage.model.catalogue import Catalogue
from stowage.model.profile import Profiles
from stowage.usecases.errors import BadInput, Problem


@dataclass(frozen=True, slots=True)
class Knowledge:
    """A catalogue and the profiles that predictions may use with it.

    Parameters
    ----------
    catalogue : Catalogue
    profiles : Profiles
    digest : str
        Of what the profiles were read from: equal digests, equal predictions.
    """

    catalogue: Catalogue
    profiles: Profiles
    digest: str


KnowledgeSource = Callable[[str], Knowledge]
"""Gives the knowledge of a catalogue version (or `latest`); raises `BadInput` where there is none."""


def packaged_knowledge(version: str) -> Knowledge:
    """Give what travels in the package, for use without a server.

    Raises
    ------
    BadInput
        There is no such version.
    """
    try:
        snapshot = packaged(LATEST if version == "latest" else version)
    except KeyError:
        raise unknown_catalogue(version, VERSIONS) from None
    return Knowledge(snapshot.catalogue, snapshot.profiles, snapshot.digest)


def unknown_catalogue(version: str, versions: tuple[str, ...]) -> BadInput:
    """Say which catalogue versions there are."""
    accepted = ", ".join(("latest", *versions))
    return BadInput([Problem("place.catalogue", f"{version!a} is not a catalogue version; accepted: {accepted}")])
