"""File in which `stowage login` stores one token per service; only the user can read it."""

import json
import os
import stat
from dataclasses import asdict
from pathlib import Path

from stowage.cli.private_file import write_private
from stowage.frozen import frozen

_FOLDER, _FILE = "stowage", "credentials.json"
_OTHERS = 0o077


class CredentialsUnusable(Exception):
    """The token file is accessible to other users or unreadable; the message names the remedy."""


@frozen
class StoredToken:
    """A token for one service."""

    token: str
    team: str
    """Name of the token's team."""
    person: str
    """Name of the token's person."""
    expires_at: str | None
    """ISO 8601; None if unknown."""


def kept() -> dict[str, StoredToken]:
    """Return the stored tokens, keyed by the address of the service.

    Raises
    ------
    CredentialsUnusable
    """
    path = _path()
    try:
        with path.open("rb") as file:
            found = os.fstat(file.fileno())
            if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & _OTHERS:
                raise CredentialsUnusable(
                    f"{path} can be read by others: take back the tokens in it (Account, Tokens), and remove it"
                )
            written = json.load(file)
        return {address: StoredToken(**each) for address, each in written.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise CredentialsUnusable(f"{path} cannot be read ({error}): mend or remove it") from error


def keep(address: str, token: StoredToken) -> Path:
    """Store a token for a service, in place of an earlier token for it.

    Returns
    -------
    Path
        The token file.

    Raises
    ------
    CredentialsUnusable
    """
    return _write({**kept(), address: token})


def forget(address: str) -> None:
    """Delete the token of a service.

    Raises
    ------
    CredentialsUnusable
    """
    others = {each: token for each, token in kept().items() if each != address}
    if len(others) != len(kept()):
        _write(others)


def _path() -> Path:
    named = Path(os.environ.get("XDG_CONFIG_HOME", ""))
    # Relative paths are ignored, as the XDG specification requires.
    return (named if named.is_absolute() else Path.home() / ".config") / _FOLDER / _FILE


def _write(tokens: dict[str, StoredToken]) -> Path:
    path = _path()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.parent.chmod(0o700)
        write_private(path, json.dumps({address: asdict(token) for address, token in tokens.items()}, indent=2))
    except OSError as error:
        raise CredentialsUnusable(f"{path} cannot be written: {error}") from error
    return path
