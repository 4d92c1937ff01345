"""The beginning of a file, used to detect the tool that wrote it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Head:
    """First bytes of a file.

    Parameters
    ----------
    text : str
        The first 64 KiB as text.
    keys : tuple of str
        Keys of its first JSON document, or of that document's first item if it is a list.
    start : bytes
        The first bytes, undecoded.
    """

    text: str
    keys: tuple[str, ...]
    start: bytes = b""
