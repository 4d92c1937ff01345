"""Quantities as users write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stowage.model.units import UnitError, parse_duration, parse_money, parse_rate, parse_size, printable


@pytest.mark.parametrize(
    ("text", "data_mb"),
    [
        ("100 TB", 100e6),
        ("100TB", 100e6),
        ("100 tb", 100e6),
        ("0.5 GB", 500.0),
        ("1,500 GB", 1.5e6),
        ("1 MiB", 1.048576),
        ("512 GiB", 512 * 1073.741824),
        ("1 TiB", 1024 * 1073.741824),
        ("2 KB", 0.002),
        ("2 KiB", 0.002048),
        ("1000000 bytes", 1.0),
        ("1e3 MB", 1000.0),
        (" 1 EB ", 1e12),
    ],
)
def test_sizes(text: str, data_mb: float) -> None:
    assert parse_size(text) == pytest.approx(data_mb, rel=1e-15)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("30 min", 1800), ("30m", 1800), ("1 h 30 min", 5400), ("1.5 hours", 5400), ("2 days", 172800), ("90 s", 90)],
)
def test_durations(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["500 USD", "$500", "500", "USD 500", "500 $", "500.00", "usd 500"])
def test_money(text: str) -> None:
    assert parse_money(text) == 500.0


@pytest.mark.parametrize(
    "text", ["1 TB 2 GB", "one TB", "1,00 TB", "1 T", "TB", "1 TB/s", "٣ TB", "--1 TB", "1e9999 TB"]
)
def test_sizes_that_are_none(text: str) -> None:
    with pytest.raises(UnitError, match=r"100 TB|range"):
        parse_size(text)


@pytest.mark.parametrize("text", ["", "min", "30", "1:30", "-1 h", "1 h -30 min -90 min", "1 fortnight"])
def test_durations_that_are_none(text: str) -> None:
    with pytest.raises(UnitError):
        parse_duration(text)


@given(st.floats(1e-3, 1e3), st.sampled_from("kMGTP"))
def test_a_binary_unit_is_larger_than_its_decimal_one(number: float, prefix: str) -> None:
    assert parse_size(f"{number!r} {prefix}iB") > parse_size(f"{number!r} {prefix}B")


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    for parse in (parse_size, parse_duration, parse_money, parse_rate):
        try:
            assert parse(text) > 0
        except UnitError as error:
            assert len(str(error)) < 300


@pytest.mark.parametrize(
    ("text", "mb_per_s"),
    [
        ("10 Gbit/s", 1_250.0),
        ("1 Tbit/s", 125_000.0),
        ("100 Mbps", 12.5),
        ("800 kbit/s", 0.1),
        ("8000000 bit/s", 1.0),
        ("1.5 GB/s", 1_500.0),
        ("3 MiB/s", 3.145728),
        ("250MB/s", 250.0),
    ],
)
def test_rates(text: str, mb_per_s: float) -> None:
    assert parse_rate(text) == pytest.approx(mb_per_s, rel=1e-15)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("fast", "is not a rate"),
        ("10", "has no unit"),
        ("10 /s", "has no unit"),
        ("10 GB", "has no time unit"),
        ("10 Gbit", "has no time unit"),
        ("10 Gb/s", "could mean bits or bytes"),
        ("10 Gbps/s", "is not a unit of size"),
        ("10 furlongs/s", "is not a unit of size"),
        ("0 MB/s", "is not above 0"),
        ("1 B/s", "out of range; accepted: 1 kB/s to 1,000 TB/s"),
        ("1000 PB/s", "out of range"),
    ],
)
def test_an_invalid_rate_is_refused_with_an_example_of_a_valid_one(text: str, said: str) -> None:
    with pytest.raises(UnitError, match=said) as refused:
        parse_rate(text)
    assert "out of range" in said or "write a rate like 10 Gbit/s or 500 MB/s" in str(refused.value)


def test_texts_that_a_page_cannot_show_are_refused() -> None:
    assert printable("Nightly sort, 100 TB") == "Nightly sort, 100 TB"
    with pytest.raises(ValueError, match="only printable characters"):
        printable("Nightly\x07sort")
