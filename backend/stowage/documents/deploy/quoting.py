"""Quoting of values in the languages of the files: any text stays a value and cannot inject code.

Names that users write reach three places only: comments, tags, and names made from their plain characters. Each place
has one function here; no other code writes a name into a file.
"""

import re
import unicodedata

LONGEST_COMMENT = 300
LONGEST_TAG = 200
"""AWS accepts 256 characters in a value; EMR and IAM count some characters differently, so the limit is lower."""

_END = "END_OF_SCRIPT"
_TAG_SIGNS = frozenset("_.:/=+-@")
_HCL = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def comment_text(text: str) -> str:
    r"""Return a text that fits into one line of a comment in any of the languages.

    Characters that are not printable (line breaks of every kind, control and bidirectional characters, zero-width
    characters) are escaped, so that the text can neither end the comment nor hide in it.

    Examples
    --------
    >>> comment_text("100 TB" + chr(10) + "rm -rf /")
    '100 TB\\u000arm -rf /'
    """
    kept = "".join(sign if sign.isprintable() else _written_out(sign) for sign in text[:LONGEST_COMMENT])
    return kept if len(text) <= LONGEST_COMMENT else f"{kept}… ({len(text):,} characters)"


def tag_value(text: str) -> str:
    """Return a tag value that every AWS service accepts: letters, digits, spaces and ``_.:/=+-@``.

    Each run of other characters becomes one ``_``, each run of white space one space; at most 200 characters.

    Examples
    --------
    >>> tag_value("Nightly sort: 100 TB, {now}")
    'Nightly sort: 100 TB_ _now_'
    """
    kept = "".join(_of_tag(sign) for sign in unicodedata.normalize("NFC", text[: 4 * LONGEST_TAG]))
    value = re.sub(r"_{2,}", "_", re.sub(r" +", " ", kept)).strip()[:LONGEST_TAG].strip()
    # Auto Scaling reserves values with this prefix for AWS, as every service does for keys.
    return re.sub(r"^(aws):_?", r"\1_", value, flags=re.IGNORECASE)


def file_stem(text: str) -> str:
    """Convert a text to a name for files and resources.

    The name has at most 40 characters: lower-case ASCII letters, digits and single hyphens.

    Examples
    --------
    >>> [file_stem(name) for name in ("Nightly sort, 100 TB", "Ubertragung -- 2", "")]
    ['nightly-sort-100-tb', 'ubertragung-2', 'cluster']
    """
    plain = unicodedata.normalize("NFKD", text[:400]).encode("ascii", "ignore").decode().lower()
    stem = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    # A security group's name must not look like a security group identifier.
    return re.sub(r"^sg(?=-|$)", "group", stem)[:40].strip("-") or "cluster"


def hcl_string(text: str) -> str:
    r"""Quote a text as a string of Terraform's language, without interpolation of ``${`` or ``%{``.

    Examples
    --------
    >>> print(hcl_string('a "${path.module}"'))
    "a \"$${path.module}\""
    """
    quoted = "".join(_HCL.get(sign) or (sign if sign.isprintable() else _written_in_hcl(sign)) for sign in text)
    return '"' + quoted.replace("${", "$${").replace("%{", "%%{") + '"'


def hcl_heredoc(text: str) -> str:
    """Quote a multi-line text as a heredoc of Terraform's language, unchanged.

    Raises
    ------
    ValueError
        A line would end the heredoc, or the text does not end with a line break.
    """
    if not text.endswith("\n") or any(line.strip() == _END for line in text.splitlines()):
        raise ValueError("the text cannot be written as a heredoc")
    body = text.replace("${", "$${").replace("%{", "%%{")
    return f"<<{_END}\n{body}{_END}"


def python_string(text: str) -> str:
    r"""Quote a text as a string of Python, in ASCII.

    Examples
    --------
    >>> print(python_string('"' + "é" + chr(10)))
    '"\xe9\n'
    """
    return ascii(text)


def _of_tag(sign: str) -> str:
    if sign.isspace():
        return " "
    return sign if sign in _TAG_SIGNS or unicodedata.category(sign)[0] in {"L", "N"} else "_"


def _written_out(sign: str) -> str:
    return f"\\u{ord(sign):04x}" if ord(sign) < 0x10000 else f"\\U{ord(sign):08x}"


def _written_in_hcl(sign: str) -> str:
    # A lone surrogate cannot be encoded in UTF-8; Terraform would reject the file.
    return "\ufffd" if 0xD800 <= ord(sign) < 0xE000 else _written_out(sign)
