"""Parameters and request bodies that routes of several features share."""

from typing import Annotated
from uuid import UUID

from fastapi import Header, Query
from pydantic import BaseModel, ConfigDict, Field

from stowage.platform.written import Name

OnceOnly = Annotated[
    UUID | None,
    Header(alias="Idempotency-Key", description="Repeating a request under the same key stores nothing twice."),
]

PageLimit = Annotated[int, Query(ge=1, le=100)]
Cursor = Annotated[str | None, Query(max_length=200)]


class Renaming(BaseModel):
    """The request to rename an object."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[Name, Field(min_length=1)]
