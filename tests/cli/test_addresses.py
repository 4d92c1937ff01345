"""Addresses of services: normalized to one form, so that a stored token is found again."""

import pytest

from stowage.cli.addresses import accepted_address, address_of, is_this_machine


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("https://stowage.example.org", "https://stowage.example.org"),
        (" https://Stowage.Example.org:443/ ", "https://stowage.example.org"),
        ("https://stowage.example.org:8443", "https://stowage.example.org:8443"),
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000"),
        ("http://localhost:80", "http://localhost"),
        ("http://[::1]:8000", "http://[::1]:8000"),
    ],
)
def test_one_service_has_one_address(typed: str, written: str) -> None:
    assert accepted_address(typed) == written
    assert accepted_address(written) == written


@pytest.mark.parametrize("text", ["", "localhost:8000", "https://", "https://[::1", "https://a.example/#b", "http://a"])
def test_what_is_none_is_told_with_what_was_typed(text: str) -> None:
    with pytest.raises(ValueError, match=r"is no address|is not behind TLS"):
        accepted_address(text)


def test_what_listens_everywhere_is_reached_within_this_machine() -> None:
    everywhere = {address_of(bind, 8000) for bind in ("0.0.0.0", "127.0.0.1")}  # noqa: S104 - as users write it
    assert everywhere == {"http://127.0.0.1:8000"}
    for bind in ("::", "::1"):
        assert address_of(bind, 8000) == "http://[::1]:8000"
        assert is_this_machine(address_of(bind, 8000))
    assert not is_this_machine("https://stowage.example.org")
