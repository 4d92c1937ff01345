"""Keys that encrypt secrets in the database: from the settings, or from the state folder of one machine."""

from pathlib import Path

from pydantic import SecretStr

from stowage.cli.private_file import write_private
from stowage.platform.database.keyring import Keyring, new_key
from stowage.processes.errors import StateUnusable
from stowage.settings import Settings, keys_in

FILE = "secrets.key"
"""Name of the file in the state folder, readable by its user only. One key a line: the first encrypts, all decrypt."""


def keyring_of(settings: Settings) -> Keyring | None:
    """Return the encryption keys in the settings; None if there are none."""
    return Keyring(settings.secrets_keys) if settings.secrets_keys else None


def with_local_key(settings: Settings, home: Path) -> Settings:
    """Return the settings with encryption keys.

    If the settings have no keys, those in the key file of the state folder are added. The file is created with a new
    key if it is missing.

    Parameters
    ----------
    settings : Settings
    home : Path
        State folder, locked by this process.

    Raises
    ------
    StateUnusable
        The key file cannot be read or created, or contains anything other than keys.
    """
    if settings.secrets_key is not None:
        return settings
    path = home / FILE
    try:
        if not path.exists():
            # Part of a key would be a different key.
            write_private(path, f"{new_key()}\n")
        text = path.read_text()
        keys_in(text)
    except (OSError, ValueError) as error:
        raise StateUnusable(f"{path} contains no valid key: {error}") from error
    return settings.model_copy(update={"secrets_key": SecretStr(text)})
