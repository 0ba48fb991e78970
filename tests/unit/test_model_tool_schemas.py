"""Each tool of a sandbox, as each API is told of it, stays within what that API takes."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from agent_fakes import ask
from inbrowser.agent.models import adapter_for, options_for
from inbrowser.agent.models.contract import ToolSpec
from inbrowser.sandbox.tools.builtin import BUILTIN_TOOLS

Json = dict[str, Any]


def words(*lines: str) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


@dataclass(frozen=True)
class Dialect:
    """What an API takes for a tool; `sent` finds (name, description, schema) of each in a request."""

    sent: Callable[[Json], list[tuple[str, str, Json]]]
    name: str
    """What names look like."""
    parameter: str
    """What names of parameters look like."""
    keywords: frozenset[str]
    """The words of JSON Schema that may be used, at any depth."""
    not_on_top: frozenset[str]
    """Words that may not stand beside the topmost `type: object`."""


# All of draft 2020-12 that describes one value, without references: not every API follows them.
JSON_SCHEMA = words(
    "type description default enum const",
    "properties required additionalProperties items minItems maxItems uniqueItems",
    "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern format",
    "anyOf oneOf allOf",
)
OPENAI = {
    "name": r"[a-zA-Z0-9_-]{1,64}",
    "parameter": r".+",
    "keywords": JSON_SCHEMA,
    "not_on_top": words("anyOf oneOf allOf enum not"),
}


def of_functions(body: Json) -> list[tuple[str, str, Json]]:
    assert all(tool["type"] == "function" for tool in body["tools"])
    functions = [tool["function"] for tool in body["tools"]]
    return [(each["name"], each["description"], each["parameters"]) for each in functions]


DIALECTS = {
    "openai-chat": Dialect(of_functions, **OPENAI),
    "openai-responses": Dialect(
        lambda body: [(each["name"], each["description"], each["parameters"]) for each in body["tools"]],
        **OPENAI,
    ),
    "anthropic": Dialect(
        lambda body: [(each["name"], each["description"], each["input_schema"]) for each in body["tools"]],
        name=r"[a-zA-Z0-9_-]{1,64}",
        parameter=r"[a-zA-Z0-9_.-]{1,64}",
        keywords=JSON_SCHEMA,
        not_on_top=words("anyOf oneOf allOf"),
    ),
    "gemini": Dialect(
        lambda body: [
            (each["name"], each["description"], each["parametersJsonSchema"])
            for each in body["tools"][0]["functionDeclarations"]
        ],
        name=r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}",
        parameter=r"[a-zA-Z_][a-zA-Z0-9_]{0,63}",
        keywords=words(
            "type description enum properties required additionalProperties items prefixItems",
            "minItems maxItems minimum maximum minLength maxLength pattern anyOf",
        ),
        not_on_top=words("anyOf enum"),
    ),
    # It shows its templates these words, and drops all others without an error.
    "ollama": Dialect(
        of_functions,
        name=r"[a-zA-Z0-9_-]{1,64}",
        parameter=r".+",
        keywords=JSON_SCHEMA,
        not_on_top=words("anyOf oneOf allOf"),
    ),
}
TYPES = words("object array string integer number boolean")

STANDARD = tuple(
    ToolSpec(name=tool.name, description=tool.description, parameters=tool.parameters)
    for tool in BUILTIN_TOOLS
)


def sent(api: str, *tools: ToolSpec) -> list[tuple[str, str, Json]]:
    adapter = adapter_for(options_for(api, {"base_url": "https://llm.test", "model": "m"}))
    return DIALECTS[api].sent(json.loads(adapter.request(ask(tools=tools)).body or b""))


def parts(schema: Json) -> Iterator[Json]:
    """A schema and all the schemas in it."""
    yield schema
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", [])]
    inner += [schema[key] for key in ("items", "additionalProperties") if isinstance(schema.get(key), dict)]
    for each in inner:
        yield from parts(each)


def complaints(dialect: Dialect, schema: Json) -> list[str]:
    """All that an API would not take of a tool's schema, or not follow."""
    found = [f"{word} on top" for word in schema.keys() & dialect.not_on_top]
    found += [] if schema.get("type") == "object" else ["not of an object"]
    for part in parts(schema):
        found += [f"unknown: {word}" for word in part.keys() - dialect.keywords]
        if str(part.get("type")) not in TYPES and "anyOf" not in part:
            found.append(f"type: {part.get('type')}")
        if part.get("type") == "array" and "items" not in part:
            found.append("a list of what?")
        properties = part.get("properties", {})
        found += [
            f"required, but not there: {name}" for name in part.get("required", []) if name not in properties
        ]
        found += [f"name: {name}" for name in properties if not re.fullmatch(dialect.parameter, name)]
    return found


@pytest.mark.parametrize("api", DIALECTS)
def test_every_standard_tool_is_told_as_the_api_takes_it(api: str) -> None:
    dialect = DIALECTS[api]
    tools = sent(api, *STANDARD)
    assert [name for name, _, _ in tools] == [tool.name for tool in STANDARD]
    for name, description, schema in tools:
        assert re.fullmatch(dialect.name, name)
        assert 0 < len(description) <= 1024, name
        assert complaints(dialect, schema) == [], name


@pytest.mark.parametrize("api", DIALECTS)
@pytest.mark.parametrize(
    "wrong",
    [
        {"type": "string"},
        {"properties": {"a": {"type": "string"}}},
        {"type": "object", "properties": {"a": {"$dynamicRef": "#a"}}},
        {"type": "object", "properties": {"a": {"type": "array"}}},
        {"type": "object", "properties": {"a": {"type": ["string", "null"]}}},
        {"type": "object", "properties": {"a": {"type": "string"}}, "anyOf": [{"required": ["a"]}]},
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["b"]},
    ],
)
def test_the_check_finds_what_is_wrong(api: str, wrong: Json) -> None:
    assert complaints(DIALECTS[api], wrong)
