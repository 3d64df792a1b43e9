"""Which mail clients support the HTML of a message."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class SupportShares:
    """How much of what a mail uses is supported, in percent."""

    supported: float
    partial: float
    unsupported: float


@dataclass(frozen=True)
class ClientSupport(SupportShares):
    """The same of one mail client, such as `outlook.windows`."""

    client: str
    name: str


@dataclass(frozen=True)
class HtmlWarningResult:
    """How a mail client shows a feature that it does not support."""

    client: str
    version: str
    support: Literal["partial", "unsupported"]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class HtmlWarning:
    """A feature that a mail uses, `found` times, and that a client does not support."""

    slug: str
    title: str
    description: str
    url: str
    category: str
    found: int
    results: tuple[HtmlWarningResult, ...]


@dataclass(frozen=True)
class HtmlCheck:
    """Which mail clients support the HTML of a message, by the data of caniemail.com."""

    has_html: bool
    data_date: str
    element_count: int
    feature_count: int
    support: SupportShares | None
    clients: tuple[ClientSupport, ...]
    warnings: tuple[HtmlWarning, ...]
