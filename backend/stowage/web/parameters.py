"""Parameters and bodies of routes in several features."""

from typing import Annotated
from uuid import UUID

from fastapi import Header
from pydantic import BaseModel, ConfigDict, Field

from stowage.platform.written import Name

OnceOnly = Annotated[
    UUID | None,
    Header(alias="Idempotency-Key", description="Repeating a request under the same key stores nothing twice."),
]


class Renaming(BaseModel):
    """The new name of an object."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[Name, Field(min_length=1)]
