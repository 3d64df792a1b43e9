"""Reads `text/event-stream`."""

from __future__ import annotations

import json

from ._json import decode
from .models.events import EVENT_CLASSES, AccountEvent, UnknownEvent


class EventParser:
    """Turns lines into events."""

    def __init__(self) -> None:
        self._fields: dict[str, str] = {}

    def feed(self, line: str) -> AccountEvent | None:
        """The event that ends with this line, if one does."""
        if line == "":
            fields, self._fields = self._fields, {}
            return _event(fields)
        name, separator, value = line.partition(":")
        if name and separator:
            self._fields[name] = value.removeprefix(" ")
        return None


def _event(fields: dict[str, str]) -> AccountEvent | None:
    if not {"event", "id", "data"} <= fields.keys():
        return None
    kind, id, data = fields["event"], fields["id"], json.loads(fields["data"])
    model = EVENT_CLASSES.get(kind)
    return UnknownEvent(id, kind, data) if model is None else decode(model, {**data, "id": id})
