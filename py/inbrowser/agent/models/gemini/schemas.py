"""JSON Schema as Gemini takes it."""

from typing import Any, cast

_LEFT_OUT = frozenset(
    {
        "$schema",
        "$defs",
        "$id",
        "title",
        "discriminator",
        "examples",
        "default",
        "exclusiveMinimum",
        "exclusiveMaximum",
    }
)
_HOLDERS = ("properties", "patternProperties")
"""Their keys are names of a user's, not words of the language."""


def light_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return `schema` in the words that Gemini knows, with what is defined elsewhere put in its place.

    A definition that uses itself becomes an object of any shape there. Formats, which are refused, move into
    descriptions.
    """
    return _light(schema, schema.get("$defs") or {}, ())


def _light(schema: dict[str, Any], defined: dict[str, Any], within: tuple[str, ...]) -> dict[str, Any]:
    if reference := schema.get("$ref"):
        name = str(reference).removeprefix("#/$defs/")
        if name in within or name not in defined:
            return {"type": "object"}
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        return _light({**defined[name], **rest}, defined, (*within, name))
    light: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _LEFT_OUT or key == "format":
            continue
        if key == "const":
            light["enum"] = [value]
        elif key in _HOLDERS:
            light[key] = {name: _light(each, defined, within) for name, each in value.items()}
        else:
            light[key] = _value(value, defined, within)
    if format := schema.get("format"):
        light["description"] = f"{schema.get('description', '')} (format: {format})".strip()
    return light


def _value(value: Any, defined: dict[str, Any], within: tuple[str, ...]) -> Any:
    if isinstance(value, dict):
        return _light(cast("dict[str, Any]", value), defined, within)
    if isinstance(value, list):
        return [_value(each, defined, within) for each in cast("list[Any]", value)]
    return value
