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
        Keys of the file's first JSON document; if the document is a list, keys of its first item.
    start : bytes
        The first bytes, undecoded.
    """

    text: str
    keys: tuple[str, ...]
    start: bytes = b""
