"""Request and answer of `POST /deployments`, the export of a configuration as infrastructure files."""

from typing import Annotated, Literal

from pydantic import Field

from stowage.documents.deploy.files import DeploymentFile, DeploymentRefusal
from stowage.model.money.price import Purchase
from stowage.platform.written import Section
from stowage.workloads.of_catalog import OfCatalog, TermsAnswer
from stowage.workloads.workload_file import WorkloadFile


class NewDeployment(Section):
    """A configuration to deploy."""

    name: Annotated[str, Field(max_length=10_000)] = ""
    """Any text; tags and file names use only the characters that they allow."""
    file: WorkloadFile
    """Includes its `cluster`."""
    purchase: Purchase | None = None
    """Overrides the file's `place.purchase`."""


class DeploymentAnswer(OfCatalog):
    """All deployment files for a configuration."""

    feasible: Literal[True]
    what: str
    """Summary of the deployment, in one line."""
    sentence: str
    """The prediction in a sentence."""
    files: list[DeploymentFile]
    refusals: list[DeploymentRefusal]
    notes: list[str]
    """Notes that apply to all files."""
    catalog_version: str
    price_terms: TermsAnswer | None = None
    """Discounts that all costs include; null for published prices."""
    model_version: str
