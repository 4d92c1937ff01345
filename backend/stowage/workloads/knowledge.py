"""Knowledge, i.e. the data behind a prediction: the catalog of one region, and measured and framework profiles."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from functools import cache
from typing import Any

from stowage.catalog.snapshot import LATEST, VERSIONS, packaged
from stowage.frozen import frozen
from stowage.model import MODEL_VERSION
from stowage.model.hardware.catalog import Catalog, Provider
from stowage.model.hardware.profile import Profiles
from stowage.model.jobs.framework import Framework
from stowage.model.jobs.frameworks import FRAMEWORKS
from stowage.model.money.discounts import under_terms
from stowage.model.money.price_terms import PriceTerms
from stowage.optimizer.cache import Cache
from stowage.platform.errors import BadInput, Problem
from stowage.workloads.of_catalog import TermsAnswer

SEARCHED: Provider = "aws"
"""Provider whose instances are searched; instances of other providers are shown as published."""


@frozen
class Knowledge:
    """Data behind predictions: one region of a catalog version, and profiles."""

    catalog: Catalog
    """Catalog of one region."""
    profiles: Profiles
    digest: str
    """Digest of the files from which catalog and profiles were read. If it is equal, predictions are equal."""
    regions_with_volumes: Callable[[], tuple[str, ...]] = tuple
    """Function that lists the regions with EBS prices in the catalog version; used only for error messages."""
    regions: tuple[str, ...] = ()
    """All regions of the catalog version."""
    frameworks: Mapping[str, Framework] = field(default_factory=lambda: FRAMEWORKS)
    """Efficiency profiles by name: built-in profiles, and profiles that a team has calibrated."""

    @property
    def versions(self) -> dict[str, Any]:
        """Versions of catalog, model and profiles, as fields of a stored object."""
        return {
            "catalog_version": self.catalog.version,
            "model_version": MODEL_VERSION,
            "profiles_digest": self.digest,
        }

    @property
    def answer_fields(self) -> dict[str, Any]:
        """Versions and price terms, as fields of an answer."""
        return {**self.versions, "price_terms": TermsAnswer.of(self.catalog.price_terms)}


KnowledgeSource = Callable[[str, str], Knowledge]
"""Returns the knowledge for a catalog version (or `latest`) and a region; raises `BadInput` where there is none."""


def with_price_terms(source: KnowledgeSource, terms: PriceTerms) -> KnowledgeSource:
    """Return a source whose catalogs have prices after discounts."""

    @cache
    def discounted(version: str, region: str) -> Knowledge:
        known = source(version, region)
        digest = hashlib.sha256(f"{known.digest} {terms}".encode()).hexdigest() if terms.discounts else known.digest
        return replace(known, catalog=under_terms(known.catalog, terms), digest=digest)

    return discounted


_PACKAGED: Cache[tuple[str, str], Knowledge] = Cache(most=64)


def packaged_knowledge(version: str, region: str) -> Knowledge:
    """Return the catalog and the profiles that ship with the package.

    They are used without a server.

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
    """Return the error for an unknown catalog version.

    Its message lists the known versions.
    """
    accepted = ", ".join(("latest", *versions))
    return BadInput([Problem("place.catalog", f"{version!a} is not a catalog version; accepted: {accepted}")])


def unknown_region(region: str, version: str, regions: Iterable[str]) -> BadInput:
    """Return the error for a region without prices in a catalog version.

    Its message lists the regions that have prices.
    """
    message = f"{region!a} has no prices in catalog {version}; accepted: {', '.join(regions)}"
    return BadInput([Problem("place.region", message)])


def refuse_shown(version: str, provider: Provider) -> None:
    """Check that a catalog version is one of AWS, and so can be searched.

    Raises
    ------
    BadInput
        The version is of another provider. Versions of other providers are shown as published, but cannot be searched.
    """
    if provider != SEARCHED:
        message = f"{version!a} is shown as published, not searched; accepted: latest, or a version of AWS"
        raise BadInput([Problem("place.catalog", message)])
