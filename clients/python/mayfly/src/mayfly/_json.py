"""Between the JSON of the service and the models: `createdAt` is `created_at`."""

from __future__ import annotations

import dataclasses
import re
import types
from datetime import datetime, timezone
from functools import cache
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from ._errors import MayflyError
from .models.assertions import Assertion

Model = TypeVar("Model")


def decode(model: type[Model], value: object) -> Model:
    """The model of a JSON value. Fields that the model does not know are ignored."""
    return cast("Model", _decode(model, value))


def encode(value: Any) -> Any:
    """The JSON value of a model or an option; None is left out of objects."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return encode(fields)
    if isinstance(value, dict):
        items = cast("dict[str, object]", value).items()
        return {wire_name(name): encode(item) for name, item in items if item is not None}
    if isinstance(value, (list, tuple)):
        return [encode(item) for item in cast("list[object]", value)]
    return format_time(value) if isinstance(value, datetime) else value


def json_field(value: object, name: str) -> object:
    """A field of a JSON object; None when it has none of that name."""
    return cast("dict[str, object]", value).get(name) if isinstance(value, dict) else None


def wire_name(name: str) -> str:
    """`created_at` is `createdAt`, `from_` is `from`."""
    return re.sub(r"_(\w)", lambda match: match[1].upper(), name.rstrip("_"))


def format_time(time: datetime | str) -> str:
    """A time in UTC; one without a time zone is local, as everywhere in Python."""
    if isinstance(time, str):
        return time
    in_utc = time.astimezone(timezone.utc).replace(tzinfo=None)
    return in_utc.isoformat(timespec="milliseconds") + "Z"


def parse_time(text: str) -> datetime:
    """A time of the service."""
    # Python 3.10 does not read the Z.
    return datetime.fromisoformat(re.sub(r"Z$", "+00:00", text))


@cache
def _fields(model: type) -> tuple[tuple[dataclasses.Field[Any], Any], ...]:
    hints = get_type_hints(model)
    return tuple((field, hints[field.name]) for field in dataclasses.fields(model))


def _decode(form: Any, value: Any) -> Any:
    origin = get_origin(form)
    if origin in (Union, types.UnionType):
        # Always of one form and None.
        return None if value is None else _decode(get_args(form)[0], value)
    if origin is tuple:
        return tuple(_decode(get_args(form)[0], item) for item in value)
    if form is datetime:
        return parse_time(value)
    if form is Assertion:
        form = Assertion.CLASSES.get(str(json_field(value, "type")), Assertion)
    if dataclasses.is_dataclass(form):
        return _decode_model(cast("type", form), value)
    # Not validated, as in every response: a newer service may have more values.
    return value


def _decode_model(model: type, value: Any) -> Any:
    if not isinstance(value, dict):
        raise MayflyError(f"The response is not from Mayfly: {model.__name__} is not an object.")
    arguments: dict[str, Any] = {}
    for field, form in _fields(model):
        name = wire_name(field.name)
        if field.init and name in value:
            arguments[field.name] = _decode(form, value[name])
        elif field.init and field.default is dataclasses.MISSING:
            raise MayflyError(
                f"The response has no {name} in {model.__name__}: "
                "service and client are of different versions."
            )
    return model(**arguments)
