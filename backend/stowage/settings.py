"""Settings from the environment and from files of secrets, read by the API, the CLI and the worker."""

import json
import os
import re
from dataclasses import fields, replace
from math import inf
from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from stowage.model.units import parse_duration
from stowage.runs.pace import Pace

SECRETS = Path("/run/secrets")
"""Where containers find files of secrets; one named as a setting holds its value."""

LogFormat = Literal["text", "json"]

THIS_MACHINE = frozenset({"127.0.0.1", "localhost", "::1"})
"""Hosts of this machine, to which an unencrypted connection is safe."""

_SHORTEST_REFRESH_S = 3600.0
"""Spot prices move all the time, so that nearly every refresh makes a version."""
_LONGEST_INSTRUCT_S = 1500.0
"""Presigned addresses are good for an hour at most, and a role that is about to end for less."""


def _often_enough(value: str) -> str:
    if parse_duration(value) < _SHORTEST_REFRESH_S:
        raise ValueError(f"{value!r} is too often: 1 h at least")
    return value


def _from_json(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError as error:
        raise ValueError(f'{value!r} is no JSON ({error}); accepted: {{"look_s": 10}}') from None


def _known_paces(value: dict[str, float]) -> dict[str, float]:
    known = {field.name for field in fields(Pace)}
    for name, given in value.items():
        if name not in known or not 0 < given < inf:
            raise ValueError(f"{name} = {given} is not accepted: above 0, one of {', '.join(sorted(known))}")
        if isinstance(getattr(Pace(), name), int) and given != int(given):
            raise ValueError(f"{name} = {given} is not accepted: a whole number, as it counts looks")
    if value.get("instruct_s", 0.0) > _LONGEST_INSTRUCT_S:
        raise ValueError(f"instruct_s is above {_LONGEST_INSTRUCT_S:g}: the addresses in orders last no longer")
    return value


def _of_postgresql(value: str) -> str:
    # Messages about servers do not repeat the value: it may hold a password.
    if not re.match(r"postgres(ql)?(\+\w+)?://", value):
        raise ValueError("not the URL of a PostgreSQL database; accepted: postgresql://role:password@host:5432/stowage")
    return value


def _of_redis(value: str) -> str:
    if not value.startswith(("redis://", "rediss://", "unix://")):
        raise ValueError("not the URL of a Redis server; accepted: redis://host:6379/0, rediss://... or unix://...")
    return value


def _https_url(value: str) -> str:
    address = urlsplit(value)
    safe = address.scheme == "https" or (address.scheme == "http" and address.hostname in THIS_MACHINE)
    if not (safe and address.hostname) or address.username or address.query or address.fragment:
        raise ValueError(f"{value!r} is not accepted: https://host, or http:// on this machine only")
    return value.rstrip("/")


def _origin(value: str) -> str:
    # Without the default port: providers compare addresses letter by letter.
    written = value.removesuffix({"https": ":443", "http": ":80"}[urlsplit(value).scheme])
    if urlsplit(written).path:
        raise ValueError(f"{written!r} has a path; the page is at the top of its host")
    return written


def _unless_blank(value: object) -> object:
    # An unfilled line of a file of secrets counts as unset.
    return None if isinstance(value, str) and not value.strip() else value


def _mail_server(value: SecretStr) -> SecretStr:
    address = urlsplit(value.get_secret_value())
    if address.scheme not in {"smtp", "smtps"} or not address.hostname:
        raise ValueError("accepted: smtp://user:password@host:587 or smtps://user:password@host:465")
    return value


def _secrets_keys(value: SecretStr) -> SecretStr:
    keys_in(value.get_secret_value())
    return value


def _sender(value: str) -> str:
    if "@" not in value or not value.isprintable():
        raise ValueError(f"{value!r} is no sender; one looks like Stowage <stowage@example.org>")
    return value


def _separated_by_commas(value: object) -> object:
    return tuple(name.strip() for name in value.split(",") if name.strip()) if isinstance(value, str) else value


DatabaseUrl = Annotated[str, AfterValidator(_of_postgresql)]
Secret = Annotated[SecretStr | None, BeforeValidator(_unless_blank)]
HttpsUrl = Annotated[str, AfterValidator(_https_url)]
Names = Annotated[tuple[str, ...], NoDecode, Field(min_length=1), BeforeValidator(_separated_by_commas)]
"""Names that the environment separates by commas."""


class Settings(BaseSettings):
    """Settings of all commands.

    The default of every setting suits an installation on one machine. A value in the environment overrides a value in a
    file of secrets.
    """

    model_config = SettingsConfigDict(
        frozen=True, env_ignore_empty=True, secrets_dir=SECRETS if SECRETS.is_dir() else None
    )

    port: Annotated[int, Field(ge=1, le=65535, validation_alias="STOWAGE_PORT")] = 8000
    bind: Annotated[str, Field(min_length=1, validation_alias="STOWAGE_BIND")] = "127.0.0.1"
    """Address that is listened on; a container takes 0.0.0.0 behind its proxy."""
    hosts: Annotated[Names, Field(validation_alias="STOWAGE_HOSTS")] = ("127.0.0.1", "localhost")
    """Names by which requests may address the service, separated by commas."""
    home: Annotated[Path, Field(validation_alias="STOWAGE_HOME")] = Path(".stowage")
    example: Annotated[Literal["on", "off"], Field(validation_alias="STOWAGE_EXAMPLE")] = "on"
    """Whether the first `stowage up` on an empty database loads the example team."""
    database_url: Annotated[DatabaseUrl | None, Field(validation_alias="DATABASE_URL")] = None
    gate_database_url: Annotated[DatabaseUrl | None, Field(validation_alias="GATE_DATABASE_URL")] = None
    migrations_database_url: Annotated[DatabaseUrl | None, Field(validation_alias="MIGRATIONS_DATABASE_URL")] = None
    redis_url: Annotated[Annotated[str, AfterValidator(_of_redis)] | None, Field(validation_alias="REDIS_URL")] = None
    processes: Annotated[int, Field(ge=1, le=256, validation_alias="STOWAGE_PROCESSES")] = os.cpu_count() or 1
    """How many chunks of sweeps one worker computes at once."""
    api_processes: Annotated[int, Field(ge=1, le=64, validation_alias="STOWAGE_API_PROCESSES")] = min(
        2, os.cpu_count() or 1
    )
    """How many processes answer requests, on as many cores: Python runs one thread of a process at a time."""
    refresh_every: Annotated[
        Annotated[str, AfterValidator(_often_enough)] | None, Field(validation_alias="STOWAGE_REFRESH_EVERY")
    ] = None
    """How often the catalog is refreshed from AWS unasked: a duration like 24 h; never unless it is set."""
    refresh_regions: Annotated[Names, Field(validation_alias="STOWAGE_REFRESH_REGIONS")] = ("us-east-1",)
    """Regions of a scheduled refresh, and of one that names none; separated by commas."""
    aws_principal: Annotated[
        str | None,
        Field(
            pattern=r"^arn:aws[a-z-]*:(iam|sts)::[0-9]{12}:[A-Za-z0-9+=,.@_/:-]+$",
            validation_alias="STOWAGE_AWS_PRINCIPAL",
        ),
    ] = None
    """ARN of whom the worker for runs is to AWS: the template that connects an account lets it assume the role."""
    runs_pace: Annotated[
        dict[str, float],
        NoDecode,
        BeforeValidator(_from_json),
        AfterValidator(_known_paces),
        Field(validation_alias="STOWAGE_RUNS_PACE"),
    ] = {}
    """How long benchmark runs wait for what, where that is not what `runs.pace.Pace` says: {"look_s": 10}."""
    public_url: Annotated[
        Annotated[HttpsUrl, AfterValidator(_origin)] | None, Field(validation_alias="STOWAGE_PUBLIC_URL")
    ] = None
    """Where people reach the page: what links in mails begin with. Never taken from what a request claims."""
    oidc_issuer: Annotated[HttpsUrl | None, Field(validation_alias="STOWAGE_OIDC_ISSUER")] = None
    """The OpenID provider at which people may sign in; none unless it is set."""
    oidc_client_id: Annotated[str | None, Field(validation_alias="STOWAGE_OIDC_CLIENT_ID")] = None
    oidc_client_secret: Annotated[Secret, Field(validation_alias="STOWAGE_OIDC_CLIENT_SECRET")] = None
    oidc_name: Annotated[str, Field(min_length=1, max_length=60, validation_alias="STOWAGE_OIDC_NAME")] = "OpenID"
    """What the button calls the provider."""
    oidc_refresh: Annotated[Literal["on", "off"], Field(validation_alias="STOWAGE_OIDC_REFRESH")] = "on"
    """Whether refresh tokens are requested of a provider that lists their scope, to check accounts every hour."""
    passwords: Annotated[Literal["on", "off"], Field(validation_alias="STOWAGE_PASSWORDS")] = "on"
    """Whether passwords are accepted; with `off` people sign in at the provider or with links of the operator."""
    smtp_url: Annotated[
        Annotated[SecretStr, AfterValidator(_mail_server)] | None,
        BeforeValidator(_unless_blank),
        Field(validation_alias="STOWAGE_SMTP_URL"),
    ] = None
    """Who takes mail: smtp://user:password@host:587 (STARTTLS) or smtps://...; without it links are shown to owners."""
    mail_from: Annotated[
        Annotated[str, Field(max_length=254), AfterValidator(_sender)] | None,
        Field(validation_alias="STOWAGE_MAIL_FROM"),
    ] = None
    url: Annotated[str | None, Field(validation_alias="STOWAGE_URL")] = None
    """The service that commands with a token ask; unless it is set, the one that runs here."""
    secrets_key: Annotated[
        Annotated[SecretStr, AfterValidator(_secrets_keys)] | None,
        BeforeValidator(_unless_blank),
        Field(validation_alias="STOWAGE_SECRETS_KEY"),
    ] = None
    """Keys that encrypt secrets in the database: 32 bytes each in URL-safe base64, separated by commas or lines. The
    first encrypts, all decrypt. Unless it is set, `stowage up` creates a key."""
    token: Annotated[Secret, Field(validation_alias="STOWAGE_TOKEN")] = None
    """By which they ask it; unless it is set, the one that `stowage login` keeps."""
    log: Annotated[LogFormat, Field(validation_alias="STOWAGE_LOG")] = "text"

    @property
    def refresh_every_s(self) -> float | None:
        """Return the interval between the starts of catalog refreshes [s]; None if catalogs are never refreshed."""
        return None if self.refresh_every is None else parse_duration(self.refresh_every)

    @property
    def secrets_keys(self) -> tuple[str, ...]:
        """Return the keys for secrets in the database; empty if none are set.

        The first key encrypts, and all of them decrypt.
        """
        return () if self.secrets_key is None else keys_in(self.secrets_key.get_secret_value())

    @property
    def pace(self) -> Pace:
        """Return the poll interval and timeouts of benchmark runs.

        They are the defaults, except those that the settings replace.
        """
        usual = Pace()
        return replace(usual, **{name: type(getattr(usual, name))(value) for name, value in self.runs_pace.items()})

    @model_validator(mode="after")
    def _owner_beside_application(self) -> Self:
        for name, role in (("MIGRATIONS_DATABASE_URL", "owner"), ("GATE_DATABASE_URL", "gate")):
            if getattr(self, name.lower()) is not None and self.database_url is None:
                raise ValueError(
                    f"{name} (the {role}'s role) needs DATABASE_URL (the application's) beside it; "
                    "without both, Stowage starts a PostgreSQL of its own"
                )
        return self

    @model_validator(mode="after")
    def _all_that_signing_in_needs(self) -> Self:
        if (self.oidc_issuer is None) != (self.oidc_client_id is None):
            raise ValueError("STOWAGE_OIDC_ISSUER and STOWAGE_OIDC_CLIENT_ID are set together or not at all")
        if self.oidc_client_secret is not None and self.oidc_issuer is None:
            raise ValueError("STOWAGE_OIDC_CLIENT_SECRET needs STOWAGE_OIDC_ISSUER")
        if self.passwords == "off" and self.oidc_issuer is None:
            raise ValueError("STOWAGE_PASSWORDS=off needs STOWAGE_OIDC_ISSUER, at which people sign in instead")
        if self.smtp_url is not None and (self.mail_from is None or self.public_url is None):
            raise ValueError(
                "STOWAGE_SMTP_URL needs STOWAGE_MAIL_FROM (the sender) and STOWAGE_PUBLIC_URL (where links lead)"
            )
        return self


def keys_in(text: str) -> tuple[str, ...]:
    """Return the encryption keys in the text of a setting or a key file.

    Raises
    ------
    ValueError
        A key is invalid; the message does not contain it.
    """
    keys = tuple(re.split(r"[,\s]+", text.strip()))
    for number, key in enumerate(keys, start=1):
        if not re.fullmatch(r"[A-Za-z0-9_-]{43}=", key):
            raise ValueError(
                f"key {number} of {len(keys)} is not accepted; accepted: 32 bytes in URL-safe base64, as printed by "
                "`head -c 32 /dev/urandom | base64 | tr +/ -_`"
            )
    return keys
