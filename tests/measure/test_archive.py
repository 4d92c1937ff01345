import gzip
import hashlib
import io
import stat
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from steps import at_most
from stowage.measure.errors import BadArchive
from stowage.measure.files import tarball
from stowage.measure.files.archive import LIMITS, Limits, files_of

FILES = {"results/fio.json": b'{"fio version": "fio-3.33"}', "log.txt": b"iperf Done.\n" * 3_000, "empty.csv": b""}


def zipped(files: dict[str, bytes] = FILES, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return packed.getvalue()


def tarred(files: dict[str, bytes] = FILES, form: int = tarfile.PAX_FORMAT) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=form) as archive:
        for path, content in files.items():
            member = tarfile.TarInfo(path)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def zstd(content: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(content)


def tar_with(member: tarfile.TarInfo) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        archive.addfile(member)
    return packed.getvalue()


def noise(size: int) -> bytes:
    """No packer produces this."""
    return hashlib.shake_128(b"1").digest(size)


def unpacked(content: bytes, name: str = "upload", limits: Limits = LIMITS) -> dict[str, bytes]:
    return {path: stream.read() for path, stream in files_of(io.BytesIO(content), name, limits)}


PACKERS: dict[str, Callable[[], bytes]] = {
    "zip": zipped,
    "zip, stored": lambda: zipped(method=zipfile.ZIP_STORED),
    "tar": tarred,
    "tar, GNU": lambda: tarred(form=tarfile.GNU_FORMAT),
    "tar, ustar": lambda: tarred(form=tarfile.USTAR_FORMAT),
    "tar.gz": lambda: gzip.compress(tarred()),
    "tar.zst": lambda: zstd(tarred()),
}


@pytest.mark.parametrize("packer", PACKERS)
def test_every_kind_of_archive_gives_its_files_byte_for_byte(packer: str) -> None:
    assert unpacked(PACKERS[packer](), "no extension tells") == FILES


@pytest.mark.parametrize(("name", "pack"), [("a.log.gz", gzip.compress), ("a.log.ZST", zstd), ("a.log", lambda x: x)])
def test_a_single_file_keeps_its_name_and_loses_the_packers(name: str, pack: Callable[[bytes], bytes]) -> None:
    assert unpacked(pack(b"iperf Done.\n"), name) == {"a.log": b"iperf Done.\n"}


def test_what_it_is_shows_in_its_bytes_not_in_its_name() -> None:
    assert unpacked(zipped(), "report.json") == FILES
    assert unpacked(b"fio: error\n", "report.zip") == {"report.zip": b"fio: error\n"}


def test_several_gzip_members_and_several_frames_are_one_file() -> None:
    assert unpacked(gzip.compress(b"a") + gzip.compress(b"b"), "x.gz") == {"x": b"ab"}
    assert unpacked(zstd(b"a") + zstd(b"b"), "x.zst") == {"x": b"ab"}


def test_long_paths_and_what_macos_packs_beside_are_understood() -> None:
    path = "/".join(["directory"] * 40) + "/fio.json"
    for form in (tarfile.PAX_FORMAT, tarfile.GNU_FORMAT):
        assert unpacked(tarred({path: b"1"}, form)) == {path: b"1"}
    assert unpacked(zipped({"fio.json": b"1", "__MACOSX/._fio.json": b"2", "a/.DS_Store": b"3"})) == {"fio.json": b"1"}


def test_a_member_may_be_left_unread() -> None:
    assert [path for path, _ in files_of(io.BytesIO(gzip.compress(tarred())), "x")] == list(FILES)


def refusal(content: bytes, limits: Limits = LIMITS) -> str:
    with pytest.raises(BadArchive) as refused:
        unpacked(content, "upload", limits)
    return refused.value.message


@pytest.mark.parametrize("pack", [gzip.compress, zstd, lambda zeros: zipped({"a": zeros})])
def test_a_bomb_is_refused_at_its_first_mib(pack: Callable[[bytes], bytes]) -> None:
    assert "expands more than 200-fold" in refusal(pack(bytes(20 << 20)))


def test_a_bomb_of_many_members_is_refused_by_all_of_them_together() -> None:
    content = noise(700_000)
    for pack in (zipped, tarred):
        packed = pack({f"{number}": content for number in range(9)})
        assert "more than 5,000,000 bytes" in refusal(packed, Limits(total_bytes=5_000_000))


def test_overlapping_members_of_a_zip_are_refused() -> None:
    content = bytearray(zipped({"a": noise(3_000), "b": b"1"}))
    directory = content.rindex(b"PK\x01\x02")
    content[directory + 20 : directory + 24] = (3_000).to_bytes(4, "little")
    assert "overlap" in refusal(bytes(content))


def test_too_many_members_are_refused() -> None:
    many = {f"{number}.json": b"1" for number in range(1_001)}
    assert "1,001 members" in refusal(zipped(many))
    assert "more than 1,000 members" in refusal(tarred(many))


PATHS = (
    "/etc/passwd",
    "../../etc/passwd",
    "a/../../b",
    "..\\windows",
    "C:\\x",
    "\\\\host\\share",
    "a\x1b[2J",
    "a\u202eb",
)


@pytest.mark.parametrize("path", [*PATHS, "x" * 501])
def test_a_path_that_leads_out_or_lies_is_refused(path: str) -> None:
    words = ("leads out", "control characters", "501 characters")
    assert any(word in refusal(zipped({path: b"1"})) for word in words)
    assert any(word in refusal(tarred({path: b"1"})) for word in words)


@pytest.mark.parametrize(
    "kind",
    [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.GNUTYPE_SPARSE],
)
def test_links_devices_and_files_with_holes_in_a_tar_are_refused(kind: bytes) -> None:
    member = tarfile.TarInfo("a")
    member.type = kind
    member.linkname = "/etc/passwd"
    assert "files are accepted" in refusal(tar_with(member))


def extended(header: bytes) -> bytes:
    """Return a tar with the given extended header, followed by a file."""
    member = tarfile.TarInfo("PaxHeaders/fio.json")
    member.type, member.size = tarfile.XHDTYPE, len(header)
    return member.tobuf(tarfile.USTAR_FORMAT) + header + bytes(-len(header) % 512) + tarred(form=tarfile.USTAR_FORMAT)


@pytest.mark.parametrize(
    "header",
    [
        *(b"0 a=b\n", b"x a=b\n", b"1 a=b\n", b"3 a=b\n", b"7 a=b\n", b"5 a=b\n", b"-6 a=b\n", b"+6 a=b\n", b"6 ab\n"),
        *(b" 6 a=b\n", b"00000000 a=b\n", b"99999999999999999999 a=b\n", b"\xb2 a=b\n", b"6 a=b", b"6 a=b\n0 c=d\n"),
    ],
)
def test_a_pax_record_with_an_invalid_length_is_refused(header: bytes) -> None:
    with at_most(1_000, tarball), pytest.raises(BadArchive, match="an extended header is not made of records"):
        unpacked(extended(header))


def test_a_header_of_many_records_is_parsed_in_linear_time_and_its_last_path_holds() -> None:
    longest = b"".join(b"17 path=%08d\n" % number for number in range(3_000))
    with at_most(30_000, tarball):
        assert "00002999" in unpacked(extended(longest))


def test_a_link_in_a_zip_is_refused() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        link = zipfile.ZipInfo("a")
        link.create_system = 3
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    assert "link or a device" in refusal(packed.getvalue())


COMPRESSED = [pytest.param(pack, id=name) for name, pack in (("gzip", gzip.compress), ("zstd", zstd))]


@pytest.mark.parametrize("inner", [zipped(), tarred()], ids=["zip", "tar"])
def test_an_archive_inside_an_archive_is_refused(inner: bytes) -> None:
    for outer in (zipped({"a": inner}), tarred({"a": inner}), gzip.compress(tarred({"a": inner}))):
        assert "archive inside" in refusal(outer)
    if inner != tarred():
        assert "archive inside" in refusal(gzip.compress(inner))


@pytest.mark.parametrize("pack", COMPRESSED)
def test_a_compressed_file_of_an_archive_is_unpacked_once(pack: Callable[[bytes], bytes]) -> None:
    content = b"iperf Done.\n" * 3_000
    for outer in (zipped, tarred, lambda files: gzip.compress(tarred(files))):
        assert unpacked(outer({"a": pack(content), "b": content})) == {"a": content, "b": content}
        for inner in (pack(pack(content)), pack(zipped()), pack(tarred())):
            assert "archive inside" in refusal(outer({"a": inner}))
    assert "archive inside" in refusal(pack(pack(content)))


@pytest.mark.parametrize("pack", COMPRESSED)
@pytest.mark.parametrize("outer", [zipped, tarred, lambda files: zstd(tarred(files))], ids=["zip", "tar", "tar.zst"])
def test_a_compressed_bomb_in_an_archive_is_refused_at_its_first_mib(
    outer: Callable[[dict[str, bytes]], bytes], pack: Callable[[bytes], bytes]
) -> None:
    assert "expands more than 200-fold" in refusal(outer({"a": pack(bytes(20 << 20))}))
    whole = outer({"a": pack(noise(100_000))})
    assert "ends in the middle" in refusal(outer({"a": pack(noise(100_000))[:-2_000]}))
    assert len(unpacked(whole)["a"]) == 100_000


def test_an_encrypted_zip_and_rare_methods_are_refused_with_what_would_do() -> None:
    content = bytearray(zipped({"a": b"1"}, zipfile.ZIP_STORED))
    directory = content.index(b"PK\x01\x02")
    content[directory + 8] |= 1
    assert "without a password" in refusal(bytes(content))
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        assert "stored and deflate" in refusal(zipped({"a": b"1"}, method))
    for magic in (b"BZh91AY&SY", b"\xfd7zXZ\x00", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07\x00"):
        assert "accepted is" in refusal(magic + bytes(100))


def test_what_holds_nothing_is_refused() -> None:
    assert "empty" in refusal(b"")
    assert "no file" in refusal(zipped({}))
    directory = tarfile.TarInfo("a")
    directory.type = tarfile.DIRTYPE
    assert "no file" in refusal(tar_with(directory))


def test_a_header_that_claims_a_gigabyte_takes_no_memory() -> None:
    member = tarfile.TarInfo("a")
    member.type = tarfile.XHDTYPE
    member.size = 1 << 30
    assert "at most 65,536" in refusal(member.tobuf())
    content = bytearray(zipped())
    end = content.rindex(b"PK\x05\x06")
    content[end + 12 : end + 16] = (1 << 30).to_bytes(4, "little")
    assert refusal(bytes(content))


@pytest.mark.parametrize("pack", [gzip.compress, zstd, lambda content: zipped({"a": content}), lambda content: content])
def test_a_large_file_passes_in_little_memory(pack: Callable[[bytes], bytes]) -> None:
    content = pack(noise(1 << 20) * 24)
    stream = io.BytesIO(content)
    tracemalloc.start()
    try:
        for _, member in files_of(stream, "x"):
            while member.read(1 << 16):
                pass
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 6 << 20


@pytest.mark.parametrize("packer", PACKERS)
def test_an_archive_cut_anywhere_is_refused_or_was_whole_before(packer: str) -> None:
    whole = PACKERS[packer]()
    for cut in {*range(1, len(whole), max(1, len(whole) // 300)), len(whole) - 1}:
        try:
            files = unpacked(whole[:cut], "cut")
        except BadArchive:
            continue
        # A tar ends with many empty blocks without content; an archive of a few bytes is no known kind.
        assert files == FILES or (list(files) == ["cut"] and cut < 512)


@given(st.data())
def test_no_bytes_make_it_do_anything_but_refuse(data: st.DataObject) -> None:
    content = bytearray(data.draw(st.sampled_from([PACKERS[name]() for name in PACKERS])))
    for _ in range(data.draw(st.integers(1, 8))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        unpacked(bytes(content))
    except BadArchive as refused:
        assert refused.message
