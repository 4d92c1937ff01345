"""`POST /deployments`: request and answer."""

from typing import Annotated, Literal

from pydantic import Field

from stowage.documents.deploy.files import Format, Language
from stowage.model.money.price import Purchase
from stowage.platform.described import Answer
from stowage.platform.written import Section
from stowage.workloads.of_catalog import OfCatalog
from stowage.workloads.workload_file import WorkloadFile


class NewDeployment(Section):
    """A configuration that is to be deployed."""

    name: Annotated[str, Field(max_length=10_000)] = ""
    """Any text; tags and file names are made from what of it they take."""
    file: WorkloadFile
    """A workload with its `cluster`."""
    purchase: Purchase | None = None
    """Instead of the file's `place.purchase`."""


class DeploymentFileAnswer(Answer):
    """One file that builds the configuration, or checks it."""

    format: Format
    title: str
    name: str
    """Of the file."""
    language: Language
    text: str
    notes: list[str]
    """What is to know of this format alone."""


class DeploymentRefusalAnswer(Answer):
    """A file that is not made."""

    format: Format
    title: str
    reason: str


class DeploymentAnswer(OfCatalog):
    """Every file that builds a configuration."""

    feasible: Literal[True]
    what: str
    """What is built, in a line."""
    sentence: str
    """What is predicted of it."""
    files: list[DeploymentFileAnswer]
    refusals: list[DeploymentRefusalAnswer]
    notes: list[str]
    """What holds for all files."""
    catalog_version: str
    model_version: str
