"""What is set from outside, in the environment or in files of secrets. Read by the API, the CLI and the worker."""

import os
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

SECRETS = Path("/run/secrets")
"""Where containers find files of secrets; one named as a setting holds its value."""

LogFormat = Literal["text", "json"]


class Settings(BaseSettings):
    """Settings of every command; each has a default for one machine.

    The environment goes before a file of secrets.
    """

    model_config = SettingsConfigDict(
        frozen=True, env_ignore_empty=True, secrets_dir=SECRETS if SECRETS.is_dir() else None
    )

    port: Annotated[int, Field(ge=1, le=65535, validation_alias="STOWAGE_PORT")] = 8000
    bind: Annotated[str, Field(min_length=1, validation_alias="STOWAGE_BIND")] = "127.0.0.1"
    """Address that is listened on; a container takes 0.0.0.0 behind its proxy."""
    hosts: Annotated[tuple[str, ...], NoDecode, Field(min_length=1, validation_alias="STOWAGE_HOSTS")] = (
        "127.0.0.1",
        "localhost",
    )
    """Names by which requests may address the service, separated by commas."""
    home: Annotated[Path, Field(validation_alias="STOWAGE_HOME")] = Path(".stowage")
    database_url: Annotated[str | None, Field(validation_alias="DATABASE_URL")] = None
    migrations_database_url: Annotated[str | None, Field(validation_alias="MIGRATIONS_DATABASE_URL")] = None
    redis_url: Annotated[str | None, Field(validation_alias="REDIS_URL")] = None
    processes: Annotated[int, Field(ge=1, le=256, validation_alias="STOWAGE_PROCESSES")] = os.cpu_count() or 1
    """How many chunks of sweeps one worker computes at once."""
    log: Annotated[LogFormat, Field(validation_alias="STOWAGE_LOG")] = "text"

    @field_validator("hosts", mode="before")
    @classmethod
    def _separated_by_commas(cls, value: object) -> object:
        return tuple(name.strip() for name in value.split(",") if name.strip()) if isinstance(value, str) else value

    @model_validator(mode="after")
    def _owner_beside_application(self) -> Self:
        if self.migrations_database_url is not None and self.database_url is None:
            raise ValueError(
                "MIGRATIONS_DATABASE_URL (the owner's role) needs DATABASE_URL (the application's) beside it; "
                "without both, Stowage starts a PostgreSQL of its own"
            )
        return self
