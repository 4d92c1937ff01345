"""What is set from outside, in the environment. Read by the CLI and the API, handed inwards."""

from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """Settings of `stowage up`; every one has a default for one machine."""

    model_config = SettingsConfigDict(frozen=True, env_ignore_empty=True)

    port: Annotated[int, Field(ge=1, le=65535, validation_alias="STOWAGE_PORT")] = 8000
    home: Annotated[Path, Field(validation_alias="STOWAGE_HOME")] = Path(".stowage")
    database_url: Annotated[str | None, Field(validation_alias="DATABASE_URL")] = None
    migrations_database_url: Annotated[str | None, Field(validation_alias="MIGRATIONS_DATABASE_URL")] = None

    @model_validator(mode="after")
    def _both_roles_or_none(self) -> Self:
        if (self.database_url is None) != (self.migrations_database_url is None):
            raise ValueError(
                "DATABASE_URL (the application's role) and MIGRATIONS_DATABASE_URL (the owner's) go together; "
                "without both, Stowage starts a PostgreSQL of its own"
            )
        return self
