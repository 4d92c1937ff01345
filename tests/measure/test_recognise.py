"""Recognition of tools by content; output of unknown tools is refused with a reason."""

import contextlib
from io import BytesIO
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stowage.measure.errors import Unreadable
from stowage.measure.logs.logged_jobs import LogKind
from stowage.measure.reading import MOST_REMARKS, Reading, Remark
from stowage.measure.recognise import HEAD_BYTES, READERS, read, recognise
from stowage.measure.tool import Tool

_FILES = Path(__file__).parent / "files"
_TOOLS = {reader.tool for reader in READERS}
_DIRECTORIES = {
    "spark": "../event_logs",
    "mapreduce": "../job_histories",
    "csv": "csv_template",
    "memtier_benchmark": "memtier",
    "redis-benchmark": "redis_benchmark",
}
# Files beside the outputs: their origin, job files, and sysstat's binary file, which is refused.
_BESIDE = {".md", ".fio", ".sa", ".xml"}
_EXAMPLES = [
    (tool, path)
    for tool in sorted(_TOOLS)
    for path in sorted((_FILES / _DIRECTORIES.get(tool, tool)).glob("*"))
    if path.suffix not in _BESIDE
]


def test_every_tool_that_is_promised_has_a_reader() -> None:
    assert {*get_args(Tool), *get_args(LogKind)} == _TOOLS


@pytest.mark.parametrize(("tool", "path"), _EXAMPLES, ids=[f"{tool}/{path.name}" for tool, path in _EXAMPLES])
def test_the_tool_of_each_example_is_recognised_by_its_content(tool: str, path: Path) -> None:
    with path.open("rb") as stream:
        assert recognise(stream)[0].tool == tool


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
@pytest.mark.parametrize("tool", ["fio", "sysbench"])
def test_a_file_of_another_encoding_is_the_same_file(tool: str, encoding: str) -> None:
    for name, path in _EXAMPLES:
        if name == tool:
            content = path.read_bytes()
            again = list(read(BytesIO(content.decode().replace("\n", "\r\n").encode(encoding))))
            assert again == list(read(BytesIO(content)))


def test_reading_begins_at_the_beginning_although_it_was_looked_at() -> None:
    content = b"fio-3.33\n" + b"x\n" * HEAD_BYTES
    _, whole = recognise(BytesIO(b"fio: bad\n" + content))
    assert whole.read(9) == b"fio: bad\n"
    assert whole.read(-1) == content


@pytest.mark.parametrize(
    "content", [b"", b"\n \n", b"\0\0\0", b"\x7fELF\x02\x01", b"a,b\n1,2\n", b'{"a": 1}', b"%PDF-1.7"]
)
def test_what_no_tool_wrote_is_refused_and_those_known_are_named(content: bytes) -> None:
    with pytest.raises(Unreadable) as refused:
        list(read(BytesIO(content)))
    assert "fio" in refused.value.message
    assert "sysbench" in refused.value.message


def test_remarks_are_bounded_and_the_last_says_how_many_there_are_besides() -> None:
    content = b"fio-3.33\nfio: first\n" + b"what is this\n" * 1000
    found = list(read(BytesIO(content)))
    remarks = [each for each in found if isinstance(each, Remark)]
    assert len(remarks) == MOST_REMARKS
    assert remarks[-1].message == "And 802 more lines that were not understood"
    assert [each.status for each in found if isinstance(each, Reading)] == ["failed"]


@given(st.sampled_from(_EXAMPLES), st.data())
def test_any_bytes_put_anywhere_are_read_or_refused_in_words(example: tuple[str, Path], data: st.DataObject) -> None:
    content = example[1].read_bytes()
    place = data.draw(st.integers(0, min(len(content), 4000)))
    gone = data.draw(st.integers(0, 50))
    changed = content[:place] + data.draw(st.binary(max_size=30)) + content[place + gone :]
    with contextlib.suppress(Unreadable):
        list(read(BytesIO(changed)))
