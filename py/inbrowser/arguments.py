"""A tool's arguments: declared as a pydantic model, described as plain JSON Schema, read leniently."""

import functools
import inspect
import json
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from pydantic import AliasChoices, BaseModel, ConfigDict, ValidationError, create_model
from pydantic.alias_generators import to_camel, to_snake
from pydantic_core import ErrorDetails

from .errors import InBrowserError
from .safejson import JsonError, loads

Json = dict[str, Any]


class InvalidArgumentsError(InBrowserError):
    """Arguments that a tool cannot be run with; the message lists all that is wrong with them."""


class ToolArguments(BaseModel):
    """Base of argument models: either spelling of a key is read, unknown keys are left out.

    Values are coerced where there is no doubt: "5" is a number, 1.0 is text where text is wanted.
    """

    model_config = ConfigDict(
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        coerce_numbers_to_str=True,
        extra="ignore",
        frozen=True,
    )

    @classmethod
    def adapt(cls, raw: Json) -> Json:
        """Return arguments of another shape, where there is no doubt what they mean, in the declared one."""
        return raw


A = TypeVar("A", bound=ToolArguments)


@dataclass(frozen=True)
class TypedFunction:
    """What a function's name, annotations and docstring say of it as a tool.

    Its parameters become the arguments, described where an annotation has a pydantic `Field` with a
    description; the first paragraph of the docstring is what a model reads. The parameter whose annotation is
    `context`, where there is one, is given the call's context.
    """

    name: str
    description: str
    arguments: type[ToolArguments]
    context: str | None
    function: Callable[..., Any]

    @classmethod
    def of(cls, function: Callable[..., Any], context: type) -> "TypedFunction":
        """Read a function. Raises TypeError for a parameter that has no annotation, or no name of its own."""
        name = function.__name__
        hints = get_type_hints(function, include_extras=True)
        fields: dict[str, Any] = {}
        given = None
        for parameter in inspect.signature(function).parameters.values():
            if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
                raise TypeError(f"{name}: a tool cannot have the parameter {parameter}")
            if parameter.name not in hints:
                raise TypeError(f"{name}: annotate the parameter {parameter.name} with its type")
            if hints[parameter.name] is context:
                given = parameter.name
            else:
                default = ... if parameter.default is parameter.empty else parameter.default
                fields[parameter.name] = (hints[parameter.name], default)
        description = " ".join((inspect.getdoc(function) or "").split("\n\n")[0].split())
        arguments = create_model(name, __base__=ToolArguments, **fields)
        return cls(name, description, arguments, given, function)

    async def call(self, arguments: ToolArguments, context: object) -> Any:
        """Call it, and await what it returns if need be."""
        values = {name: getattr(arguments, name) for name in type(arguments).model_fields}
        if self.context:
            values[self.context] = context
        result = self.function(**values)
        return await result if inspect.isawaitable(result) else result


def parse_arguments(model: type[A], raw: Json | None) -> tuple[A, list[str]]:
    """Return the arguments, and the keys that mean nothing to the tool.

    Null stands for the default of an optional argument; JSON text and a single object are taken where a list
    is wanted. Raises InvalidArgumentsError.
    """
    if raw is None:
        raw = {}
    if not isinstance(raw, dict):  # pyright: ignore[reportUnnecessaryIsInstance] - it comes from a model
        raise InvalidArgumentsError(f"the arguments must be an object, not {_received(raw)}")
    raw = model.adapt(raw)
    names = _names(model)
    values: Json = {}
    ignored: list[str] = []
    for key, value in raw.items():
        name = names.get(key)
        if name is None:
            ignored.append(key)
        elif value is not None or model.model_fields[name].is_required():
            values[name] = _as_list(name, value) if name in _lists(model) else value
    try:
        return model.model_validate(values), ignored
    except ValidationError as error:
        problems = [_problem(details) for details in error.errors(include_url=False, include_context=False)]
        unknown = f"; unknown: {', '.join(ignored)}" if ignored else ""
        raise InvalidArgumentsError(f"{'; '.join(problems)}{unknown}. It takes {_signature(model)}") from None


@functools.cache
def plain_schema(model: type[BaseModel]) -> Json:
    """Return the JSON Schema of a model: snake_case keys, no references, no titles, no null branches."""
    schema = model.model_json_schema(by_alias=False)
    plain = _plain(schema, schema.pop("$defs", {}))
    plain.pop("description", None)
    return plain


def _plain(schema: Json, definitions: dict[str, Json]) -> Json:
    if reference := schema.pop("$ref", None):
        schema = {**definitions[reference.rpartition("/")[2]], **schema}
        # The docstring of a nested model is for us, not for models.
        schema.pop("description", None)
    branches = [branch for branch in schema.get("anyOf", []) if branch != {"type": "null"}]
    if len(branches) == 1:
        schema = {**branches[0], **{key: value for key, value in schema.items() if key != "anyOf"}}
        return _plain(schema, definitions)
    plain: Json = {}
    for key, value in schema.items():
        if key == "properties":
            plain[key] = {name: _plain(dict(entry), definitions) for name, entry in value.items()}
        elif key == "items":
            plain[key] = _plain(dict(value), definitions)
        elif key == "anyOf":
            plain[key] = [_plain(dict(branch), definitions) for branch in branches]
        elif key != "title" and not (key == "default" and value is None):
            plain[key] = value
    return plain


@functools.cache
def _names(model: type[BaseModel]) -> dict[str, str]:
    """Return the field that each accepted key means."""
    names: dict[str, str] = {}
    for name, field in model.model_fields.items():
        aliases = field.validation_alias
        choices = aliases.choices if isinstance(aliases, AliasChoices) else [to_camel(name)]
        names |= {key: name for key in choices if isinstance(key, str)}
        names[name] = name
    return names


@functools.cache
def _lists(model: type[BaseModel]) -> frozenset[str]:
    return frozenset(name for name, field in model.model_fields.items() if _is_list(field.annotation))


def _is_list(annotation: object) -> bool:
    if get_origin(annotation) in (Union, types.UnionType):
        return any(map(_is_list, get_args(annotation)))
    return annotation is list or get_origin(annotation) is list


def _as_list(name: str, value: object) -> object:
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        try:
            value = loads(value, what=name)
        except JsonError as error:
            raise InvalidArgumentsError(str(error)) from None
    return [cast("object", value)] if isinstance(value, dict) else value


def _problem(details: ErrorDetails) -> str:
    place = ""
    for part in details["loc"]:
        place += f"[{part}]" if isinstance(part, int) else f"{'.' if place else ''}{to_snake(part)}"
    if details["type"] == "missing":
        return f"{place} is missing"
    reason = "Input should be an object" if details["type"] == "model_type" else details["msg"]
    return f"{place}: {reason[0].lower()}{reason[1:]} (got {_received(details['input'])})"


def _received(value: object) -> str:
    """Name a value without walking into it: it may be nested deeply enough to break the interpreter."""
    if isinstance(value, str):
        return json.dumps(value if len(value) <= 60 else value[:60] + "…", ensure_ascii=False)
    if isinstance(value, list):
        return f"a list of {len(cast('list[object]', value))}"
    if isinstance(value, dict):
        return "an object"
    return json.dumps(value) if isinstance(value, int | float | None) else type(value).__name__


def _signature(model: type[BaseModel]) -> str:
    schema = plain_schema(model)
    required = schema.get("required", [])
    return (
        ", ".join(
            f"{name} ({entry.get('type', 'any')}{'' if name in required else ', optional'})"
            for name, entry in schema.get("properties", {}).items()
        )
        or "no arguments"
    )
