"""Tokens that `stowage login` keeps on this machine: which, for which service, readable only by the user."""

import json
import os
import stat
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

_FOLDER, _FILE = "stowage", "credentials.json"
_OTHERS = 0o077


class CredentialsUnusable(Exception):
    """The token file is not readable, or readable by others; the message has the remedy."""


@dataclass(frozen=True, slots=True)
class StoredToken:
    """A token for one service.

    Parameters
    ----------
    token : str
    team, person : str
        Whose it is, by name.
    expires_at : str or None
        ISO 8601; None where the service did not say.
    """

    token: str
    team: str
    person: str
    expires_at: str | None


def kept() -> dict[str, StoredToken]:
    """Read the stored tokens, by the address of the service.

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
    """Keep a token; one that was kept for the same service is forgotten.

    Returns
    -------
    Path
        Where.

    Raises
    ------
    CredentialsUnusable
    """
    return _write({**kept(), address: token})


def forget(address: str) -> None:
    """Forget the token for a service.

    Raises
    ------
    CredentialsUnusable
    """
    others = {each: token for each, token in kept().items() if each != address}
    if len(others) != len(kept()):
        _write(others)


def _path() -> Path:
    named = Path(os.environ.get("XDG_CONFIG_HOME", ""))
    # What is not absolute does not count: so the specification has it.
    return (named if named.is_absolute() else Path.home() / ".config") / _FOLDER / _FILE


def _write(tokens: dict[str, StoredToken]) -> Path:
    path = _path()
    fresh = path.with_name(f"{_FILE}.{os.getpid()}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.parent.chmod(0o700)
        fresh.unlink(missing_ok=True)
        # Written under another name first, so that readers see all of it or nothing.
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode=0o600), "w") as file:
            json.dump({address: asdict(token) for address, token in tokens.items()}, file, indent=2)
        fresh.replace(path)
    except OSError as error:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
        raise CredentialsUnusable(f"{path} cannot be written: {error}") from error
    return path
