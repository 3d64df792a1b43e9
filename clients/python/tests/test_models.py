"""The models have the fields of openapi.json, in both directions."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

import mayfly
from mayfly._json import decode, encode, format_time, parse_time, wire_name
from mayfly.models.events import EVENT_CLASSES
from mayfly.models.messages import MessageAuth

OPENAPI = Path(__file__).parents[3] / "docs" / "openapi.json"
DOCUMENT: dict[str, Any] = json.loads(OPENAPI.read_text(encoding="utf-8"))

RENAMED = {
    "Inbox": mayfly.InboxRecord,
    "MailAddress": mayfly.Address,
    "MessageAuth": MessageAuth,
    "OtpPresentAssertion": mayfly.OtpPresent,
    "ContainsTextAssertion": mayfly.ContainsText,
    "LinkRespondsAssertion": mayfly.LinkResponds,
    "AuthAssertion": mayfly.SenderAuth,
    "HtmlSupportAssertion": mayfly.HtmlSupport,
}
NO_MODEL = {"Error", "Assertion", "AssertionInput"}


@pytest.mark.parametrize("name", list(DOCUMENT["components"]["schemas"]))
def test_schema_has_a_model_with_its_fields(name: str) -> None:
    if name in NO_MODEL:
        return
    schema = DOCUMENT["components"]["schemas"][name]
    model = RENAMED.get(name.removesuffix("Input")) or getattr(mayfly, name)
    assert {wire_name(field.name) for field in dataclasses.fields(model)} == set(
        schema["properties"]
    )


def test_events_of_the_stream_have_a_class() -> None:
    description = DOCUMENT["paths"]["/v1/events"]["get"]["description"]
    named = {
        part.strip().strip("`")
        for line in description.splitlines()
        if line.startswith("| `")
        for part in line.split("|")[1].split(",")
    }
    assert set(EVENT_CLASSES) == named


def test_assertions_of_a_scenario_are_read_back_as_they_were() -> None:
    assertions = [
        mayfly.OtpPresent(),
        mayfly.ContainsText("Welcome"),
        mayfly.LinkResponds(url_contains="/verify"),
        mayfly.SenderAuth("dkim", expect="fail"),
        mayfly.HtmlSupport(90, clients=("gmail", "outlook.windows")),
    ]
    saved = {
        "id": "scn_1",
        "name": "sign-up",
        "assertions": encode(assertions),
        "timeoutSeconds": 30,
        "createdAt": "2026-01-31T09:30:00.000Z",
        "addedByANewerService": True,
    }
    assert decode(mayfly.Scenario, saved).assertions == tuple(assertions)


def test_a_missing_field_is_named() -> None:
    with pytest.raises(mayfly.MayflyError, match="no confidence in Otp"):
        decode(mayfly.Otp, {"value": "481516"})


def test_times_keep_their_milliseconds() -> None:
    assert format_time(parse_time("2026-01-31T09:30:00.123Z")) == "2026-01-31T09:30:00.123Z"
