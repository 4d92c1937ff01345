"""Spark's codecs lz4, snappy and lzf: Spark's output is decoded byte for byte, and damaged data is refused."""

import io
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stowage.measure.errors import BadArchive
from stowage.measure.files.archive import LIMITS, Limits, files_of

HERE = Path(__file__).parents[1]
WANTED = (HERE / "event_logs" / "3.5.7-sort.jsonl").read_bytes()
PACKED = {path.suffix[1:]: path.read_bytes() for path in (HERE / "files" / "history_server").glob("3.5.7-sort.*")}
SNAPPY = b"\x82SNAPPY\x00" + bytes(8)


def unpacked(content: bytes, name: str = "log", limits: Limits = LIMITS) -> dict[str, bytes]:
    return {path: stream.read() for path, stream in files_of(io.BytesIO(content), name, limits)}


def lz4(block: bytes, size: int, method: int = 2) -> bytes:
    lengths = len(block).to_bytes(4, "little") + size.to_bytes(4, "little")
    return b"LZ4Block" + bytes([method << 4 | 5]) + lengths + bytes(4) + block


LZ4_END = lz4(b"", 0, 1)


def snappy(block: bytes) -> bytes:
    return SNAPPY + len(block).to_bytes(4, "big") + block


def lzf(block: bytes, size: int) -> bytes:
    return b"ZV\x01" + len(block).to_bytes(2, "big") + size.to_bytes(2, "big") + block


def test_each_codec_of_spark_has_a_file() -> None:
    assert set(PACKED) == {"lz4", "snappy", "lzf"}


@pytest.mark.parametrize("codec", sorted(PACKED))
def test_a_log_of_spark_comes_out_byte_for_byte(codec: str) -> None:
    assert unpacked(PACKED[codec], f"app-1.{codec}") == {"app-1": WANTED}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(f"app-1.{codec}", PACKED[codec])
    assert unpacked(packed.getvalue()) == {f"app-1.{codec}": WANTED}


def test_blocks_that_a_log_has_not_are_decoded() -> None:
    long = bytes(range(256)) * 2
    # Stored blocks; lengths that continue in further bytes; copies that overlap their own output.
    assert unpacked(lz4(b"stored", 6, 1) + LZ4_END) == {"log": b"stored"}
    literal = b"\xf0\xff\xf2" + long
    assert unpacked(lz4(literal, 512) + LZ4_END) == {"log": long}
    assert unpacked(lz4(b"\x1fa\x01\x00\xff\x02\x10b", 278) + LZ4_END) == {"log": b"a" * 277 + b"b"}
    assert unpacked(snappy(b"\x80\x04" + b"\xf4\xff\x01" + long)) == {"log": long}
    for copy in (b"\x11\x01", b"\x1e\x01\x00", b"\x1f\x01\x00\x00\x00"):
        assert unpacked(snappy(b"\x09\x00a" + copy)) == {"log": b"a" * 9}
    assert unpacked(b"ZV\x00\x00\x03abc") == {"log": b"abc"}
    assert unpacked(lzf(b"\x00a\xe0\x07\x00", 17)) == {"log": b"a" * 17}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (lz4(b"\x10a\x02\x00\x10b", 6) + LZ4_END, "refers beyond itself"),
        (lz4(b"\x10a\x00\x00\x10b", 6) + LZ4_END, "refers beyond itself"),
        (lz4(b"\x10a", 2) + LZ4_END, "a block of 1 bytes that should have 2"),
        (lz4(b"\x20a", 2) + LZ4_END, "refers beyond itself"),
        (lz4(b"\x10a", 1 << 30), "A block of 1,073,741,824 bytes"),
        (lz4(b"a", 1, 3), "without the beginning of one"),
        (lz4(b"a", 1, 1) + b"x" * 30, "without the beginning of one"),
        (lz4(b"a", 1, 1), "ends in the middle"),
        (lz4(b"a", 1, 1)[:-1], "ends in the middle"),
        (snappy(b"\x02\x00a\x02\x09\x00"), "refers beyond itself"),
        (snappy(b"\xff\xff\xff\xff\x0f"), "A block of 4,294,967,295 bytes"),
        (snappy(b"\xff\xff\xff\xff\xff"), "without its length"),
        (snappy(b"\x01\x00a") + b"\0\0", "ends in the middle"),
        (SNAPPY[:12], "ends in the middle"),
        (lzf(b"\x00a\x20\x05", 4), "refers beyond itself"),
        (lzf(b"\x00a", 2), "a block of 1 bytes that should have 2"),
        (lzf(b"\x00a", 1) + b"no block", "without the beginning of one"),
        (b"ZV\x00\x00\x09abc", "ends in the middle"),
    ],
)
def test_a_damaged_stream_is_refused_with_what_is_wrong(content: bytes, said: str) -> None:
    with pytest.raises(BadArchive, match=said):
        unpacked(content)


def test_a_bomb_is_refused_at_its_first_mib() -> None:
    many = lz4(b"\x1fa\x01\x00" + b"\xff" * 4_000 + b"\x00", 1 + 19 + 255 * 4_000)
    with pytest.raises(BadArchive, match="expands more than 200-fold"):
        unpacked(many * 20 + LZ4_END)


@pytest.mark.parametrize("codec", sorted(PACKED))
@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_any_bytes_are_unpacked_or_refused(codec: str, data: st.DataObject) -> None:
    content = bytearray(PACKED[codec][:8_000])
    for _ in range(data.draw(st.integers(1, 20))):
        content[data.draw(st.integers(9, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        assert len(unpacked(bytes(content))["log"]) < 1 << 20
    except BadArchive as error:
        assert error.message
