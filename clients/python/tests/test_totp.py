"""Codes of authenticators."""

from __future__ import annotations

import base64
from datetime import datetime, timezone

import pytest

from mayfly import MayflyError, totp

DIGITS = b"1234567890"

SECRETS = {
    name: base64.b32encode((DIGITS * 7)[:length]).decode()
    for name, length in [("SHA1", 20), ("SHA256", 32), ("SHA512", 64)]
}


# The times of RFC 6238, appendix B, and the code of each algorithm.
@pytest.mark.parametrize(
    ("seconds", "codes"),
    [
        (59, ("94287082", "46119246", "90693936")),
        (1111111109, ("07081804", "68084774", "25091201")),
        (1111111111, ("14050471", "67062674", "99943326")),
        (1234567890, ("89005924", "91819424", "93441116")),
        (2000000000, ("69279037", "90698825", "38618901")),
        (20000000000, ("65353130", "77737706", "47863826")),
    ],
)
def test_a_code_is_that_of_the_rfc(seconds: int, codes: tuple[str, str, str]) -> None:
    at = datetime.fromtimestamp(seconds, tz=timezone.utc)
    for (name, secret), code in zip(SECRETS.items(), codes, strict=True):
        uri = f"otpauth://totp/App:ada?secret={secret}&algorithm={name}&digits=8"
        assert totp(uri, at=at) == code


def test_a_code_has_six_digits_for_thirty_seconds() -> None:
    at = datetime.fromtimestamp(59, tz=timezone.utc)
    assert totp("gezd gnbv gy3t qojq gezd-gnbv-gy3t-qojq", at=at) == "287082"
    assert len(totp(SECRETS["SHA1"])) == 6


@pytest.mark.parametrize(
    ("secret", "message"),
    [
        ("hunter2018", "not in Base32"),
        ("", "not in Base32"),
        ("otpauth://hotp/a?secret=GEZDGNBV", "not a URI of time-based codes"),
        ("otpauth://totp/a?secret=GEZDGNBV&digits=20", "digits must be 6 to 10"),
        ("otpauth://totp/a?secret=GEZDGNBV&period=0", "period must be a number"),
        ("otpauth://totp/a?secret=GEZDGNBV&algorithm=MD5", "algorithm must be"),
    ],
)
def test_what_is_no_secret_is_refused_without_showing_it(secret: str, message: str) -> None:
    with pytest.raises(MayflyError, match=message) as raised:
        totp(secret)
    assert "hunter" not in str(raised.value)
    assert "GEZDGNBV" not in str(raised.value)
