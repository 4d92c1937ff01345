"""HTTP responses that deliver report files.

Files have portable names. They are sent as attachments, which browsers download instead of rendering.
"""

import re
import unicodedata
from typing import Any
from urllib.parse import quote

from fastapi import Response

from stowage.features.reports.files import ReadyFile
from stowage.features.reports.schemas import FileFormat
from stowage.web.etags import Tagged

MEDIA_TYPES: dict[FileFormat, str] = {
    "pdf": "application/pdf",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "png": "image/png",
}
_BINARY = {"schema": {"type": "string", "format": "binary"}}
AS_FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {kind.partition(";")[0]: _BINARY for kind in MEDIA_TYPES.values()}
        | {MEDIA_TYPES["json"]: {"schema": {"type": "object"}}},
        "description": "The file",
    }
}

_LONGEST_NAME = 80
_APART = re.compile(r"[^A-Za-z0-9]+")
_UNWELCOME = re.compile(r'[\\/:*?"<>|]+')


def file_response(ready: ReadyFile, tag: Tagged) -> Response:
    """Return the HTTP response that delivers a report file for download."""
    headers = tag.headers | {"Content-Disposition": _disposition(ready.title, ready.format)}
    return Response(ready.content, media_type=MEDIA_TYPES[ready.format], headers=headers)


def _disposition(title: str, ending: str) -> str:
    r"""Return the Content-Disposition header, which names the file in plain ASCII and by its full title.

    >>> _disposition("Größe: 1/2 \u202egpj", "pdf")
    'attachment; filename="grosse-1-2-gpj.pdf"; filename*=UTF-8\'\'Gr%C3%B6%C3%9Fe%201%202%20gpj.pdf'
    """
    # An invisible character could disguise the extension.
    seen = "".join(sign for sign in title if unicodedata.category(sign)[0] not in "CZ" or sign == " ")
    named = " ".join(_UNWELCOME.sub(" ", seen).split()).strip(". ")[:_LONGEST_NAME].strip() or "report"
    letters = unicodedata.normalize("NFKD", seen.casefold()).encode("ascii", "ignore").decode()
    plain = _APART.sub("-", letters).strip("-")[:_LONGEST_NAME].strip("-") or "report"
    return f"attachment; filename=\"{plain}.{ending}\"; filename*=UTF-8''{quote(named, safe='')}.{ending}"
