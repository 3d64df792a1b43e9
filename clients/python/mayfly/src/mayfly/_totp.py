"""Codes of authenticators (RFC 6238)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
import time
from collections.abc import Mapping
from datetime import datetime
from urllib.parse import parse_qsl, urlsplit

from ._errors import MayflyError

_HASHES = {"SHA1": hashlib.sha1, "SHA256": hashlib.sha256, "SHA512": hashlib.sha512}

_EXPECTED = (
    "Pass the secret in Base32, as shown for manual entry, "
    "or the otpauth://totp/… URI of the QR code."
)


def totp(secret_or_uri: str, *, at: datetime | None = None) -> str:
    """The code that an authenticator shows now, or at a time.

    Of a secret in Base32, or of the `otpauth://totp/…` URI of a QR code. It is computed here; the
    secret is neither sent nor stored.
    """
    text = secret_or_uri.strip()
    if not text.lower().startswith("otpauth:"):
        return _code(text, {}, at)
    uri = urlsplit(text)
    if uri.netloc.lower() != "totp":
        raise MayflyError(f"This is not a URI of time-based codes. {_EXPECTED}")
    parameters = dict(parse_qsl(uri.query))
    return _code(parameters.get("secret", ""), parameters, at)


def _code(secret: str, parameters: Mapping[str, str], at: datetime | None) -> str:
    name = parameters.get("algorithm", "SHA1").upper().replace("-", "")
    if name not in _HASHES:
        raise MayflyError("algorithm must be SHA1, SHA256 or SHA512.")
    digits = parameters.get("digits", "6")
    if digits not in ("6", "7", "8", "9", "10"):
        raise MayflyError("digits must be 6 to 10.")
    period = parameters.get("period", "30")
    if not re.fullmatch(r"[1-9][0-9]{0,8}", period):
        raise MayflyError("period must be a number of seconds.")
    seconds = time.time() if at is None else at.timestamp()
    counter = int(seconds) // int(period)
    digest = hmac.new(_decode(secret), counter.to_bytes(8, "big"), _HASHES[name]).digest()
    # The last four bits say where the number begins, whose first bit is left out (RFC 4226, 5.3).
    begin = digest[-1] & 0xF
    number = int.from_bytes(digest[begin : begin + 4], "big") & 0x7FFFFFFF
    return str(number % 10 ** int(digits)).zfill(int(digits))


def _decode(secret: str) -> bytes:
    letters = re.sub(r"[\s-]|=+$", "", secret).upper()
    try:
        if not 2 <= len(letters) <= 1024:
            raise binascii.Error
        return base64.b32decode(letters + "=" * (-len(letters) % 8))
    except (binascii.Error, ValueError):
        # The text itself is not quoted: it is a secret.
        message = f"The secret is not in Base32 (letters and 2 to 7). {_EXPECTED}"
    raise MayflyError(message)
