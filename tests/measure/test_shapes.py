"""Shapes: what the regular expression matches, or nothing; and blocks that end nowhere else than lines do."""

import random
import re
from io import BytesIO
from types import ModuleType

import pytest

from mangled import FILES, MANGLES
from stowage.measure.files.documents import Text, pieces_of
from stowage.measure.files.shapes import LONGEST_BLOCK, Block, Shape, match
from stowage.measure.files.whole import Lines
from stowage.measure.monitors import sar
from stowage.measure.tools import fio_text, iperf, netperf, redis_benchmark, sysbench, testdfsio

PATTERNS = (
    r"[^\W\d][\w.-]*[:\t]? ?(?P<a>[a-c1-3, KiB]*)\D+",
    r"(?P<name>\w+): *(\d{1,3})(?:, (?P<part>[^,\n]{2}))?\n",
    r"(?:a(b|c\.)|(?P<x>[a-c]+)-?)\n(\n?)",
    r"-{2,}\n(?P<word>.*)\n+(?P<end>\S{0,3}) \n",
    r"[\d.]+ ?[KMG]?i?B(?P<rest>[^\n]*)\n",
)
ALPHABET = "abc\n\n:. ,-1234KiB\u00e9"
SAMPLES = (
    (fio_text.SHAPE, "fio/normal.txt"),
    (iperf.SHAPE, "iperf/tcp.txt"),
    (netperf.SHAPE, "netperf/tcp_stream.txt"),
    (redis_benchmark.SHAPE, "redis_benchmark/text.txt"),
    (sar.SHAPE, "sar/all.txt"),
    (sysbench.SHAPE, "sysbench/rndrw.txt"),
    (testdfsio.SHAPE, "testdfsio/hadoop-2.log"),
)


def texts(count: int) -> list[str]:
    """Return short texts, many of which nearly match a pattern."""
    chance = random.Random(5)  # noqa: S311 - no secret
    near = ("ab: 12, cc\n", "ac.-\n\n", "aab\n", "--- x\n\nab \n", "---\n\n\n \n", "12.5 KiB, x\n", "name: 123\n")
    found = []
    for _ in range(count):
        text = list(chance.choice(near))
        for _ in range(chance.randrange(3)):
            text[chance.randrange(len(text))] = chance.choice(ALPHABET)
        found.append("".join(text) + chance.choice(("", "\n", "ab: 1\n")))
    return found


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_shape_matches_what_its_regular_expression_matches(pattern: str) -> None:
    shape, expression = Shape(pattern), re.compile(pattern)
    matched = 0
    for text in texts(5_000):
        found, expected = match(shape.compiled, text, 0, 1), expression.match(text)
        if found is not None:
            matched += 1
            block, lines = found
            assert expected is not None
            assert (block.text, block.fields, lines) == (expected[0], expected.groups(), expected[0].count("\n")), text
    assert matched > 100


@pytest.mark.parametrize(("shape", "path"), SAMPLES)
def test_the_shapes_of_tools_match_their_output(shape: Shape, path: str) -> None:
    content = (FILES / path).read_bytes()
    blocks = [part for part in Lines(BytesIO(content)).blocks(shape) if isinstance(part, Block)]
    assert blocks
    assert sum(len(block.text) for block in blocks) > len(content) / 2


@pytest.mark.parametrize(
    ("tool", "name", "path"),
    [
        (iperf, "_Runs", "iperf/tcp.txt"),
        (netperf, "_Tests", "netperf/tcp_stream.txt"),
        (redis_benchmark, "_Tests", "redis_benchmark/text.txt"),
        (sysbench, "_Reader", "sysbench/rndrw.txt"),
        (testdfsio, "_Reader", "testdfsio/hadoop-2.log"),
    ],
)
def test_blocks_have_the_outcome_of_their_lines(
    tool: ModuleType, name: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, chance = (FILES / path).read_bytes(), random.Random(3)  # noqa: S311 - no secret
    contents = [original, *(chance.choice(MANGLES)(original, chance) for _ in range(150))]
    as_blocks = [list(tool.read(BytesIO(content))) for content in contents]
    monkeypatch.setattr(f"{tool.__name__}.{name}.shape", None)
    assert as_blocks == [list(tool.read(BytesIO(content))) for content in contents]


def test_a_block_has_a_bounded_number_of_texts() -> None:
    found = match(Shape(r"(?:(\d+)\n)+").compiled, "7\n" * 3_000, 0, 1)
    assert found is not None
    assert len(found[0].rows) == 2_000


def test_groups_that_may_repeat_are_rows() -> None:
    shape = Shape(r"(?P<name>\w+):(?: (?P<key>\w)=(\d+),?){1,3}(?P<rest> .*)?\n")
    assert shape.places == {"name": 0, "rest": 1}
    assert match(shape.compiled, "x\nab: c=1, d=22 e\n", 2, 7) == (
        Block(7, ("ab", " e"), ("c", "1", "d", "22"), "ab: c=1, d=22 e\n"),
        1,
    )
    assert match(shape.compiled, "ab: c=1\n", 0, 1) == (Block(1, ("ab", None), ("c", "1"), "ab: c=1\n"), 1)
    assert shape.getter("rest", "name")(("ab", " e")) == (" e", "ab")


@pytest.mark.parametrize("text", ["", "ab:", "\u00e9: c=1\n", "ab: c=1\n\u00e9", f"ab:{' c=1' * 9_000}\n"])
def test_other_text_is_no_block(text: str) -> None:
    assert match(Shape(r"\w+:(?: (\w)=(\d))*\n").compiled, text, 0, 1) is None


@pytest.mark.parametrize("position", [-1, 9])
def test_a_position_outside_the_text_is_no_block(position: int) -> None:
    assert match(Shape(r"\w+\n").compiled, "abc\n", position, 1) is None


@pytest.mark.parametrize("pattern", ["(?=a)", "(?!a)", "(?<=a)b", "(?i:a)"])
def test_other_groups_are_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="no group of a shape"):
        Shape(pattern)


def test_blocks_and_lines_are_the_whole_file() -> None:
    shape = Shape(r"(?:\d+\n)+")
    content = b"a\n1\n2\n\nb\n3\n" + b"7\n" * LONGEST_BLOCK + b"c\n4"
    parts = list(Lines(BytesIO(content)).blocks(shape))
    text = "".join(part.text if isinstance(part, Block) else f"{part.text}\n" for part in parts)
    assert text == f"{content.decode()}\n"
    assert max(len(part.text) for part in parts) == LONGEST_BLOCK
    assert [part.line for part in parts if isinstance(part, Block)][:3] == [2, 6, 6 + LONGEST_BLOCK // 2]
    assert not isinstance(parts[-1], Block)


def test_blocks_stand_between_documents() -> None:
    shape = Shape(r"(?:(\d+)\n)+")
    found = list(pieces_of(BytesIO(b'x\n 1\n1\n\n2\n3\n{"a": 1}\n4\n'), (), shape))
    blocks = [Block(3, (), ("1",), "1\n"), Block(5, (), ("2", "3"), "2\n3\n")]
    assert [each for each in found if isinstance(each, Block)] == blocks
    assert [each for each in found if isinstance(each, Text)] == [Text(1, "x"), Text(2, " 1"), Text(8, "4")]
