"""Beginning of an uploaded file, from which readers detect whether their tool wrote the file."""

from stowage.frozen import frozen


@frozen
class Head:
    """Beginning of a file in several forms."""

    text: str
    """The first 64 KiB as text."""
    keys: tuple[str, ...]
    """Keys of the first JSON document in the file. If the document is a list, keys of its first item."""
    start: bytes = b""
    """The first bytes, undecoded."""
