"""Texts of a mail in a sentence of ours."""

from __future__ import annotations

import re

_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]+")
"""Control characters, which move the cursor, and marks that reorder or hide text."""

_QUOTED_LENGTH_MAX = 100
"""Longest quoted text in a sentence."""

_PLAIN_LENGTH_MAX = 300
"""Longest plain text: one long line."""


def plain(text: str, length_max: int = _PLAIN_LENGTH_MAX) -> str:
    """A text of a mail on one line, without characters that control a terminal."""
    visible = _UNSAFE.sub(" ", text)
    return f"{visible[:length_max]}…" if len(visible) > length_max else visible


def quote(text: str | None) -> str:
    """A text of a mail in quotes."""
    return "(none)" if text is None else f'"{plain(text, _QUOTED_LENGTH_MAX)}"'
