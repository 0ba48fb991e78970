"""Messages kept valid, and saved: every tool call has its result, directly after it, in order."""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from .. import safejson
from .errors import HistoryError
from .models.contract import AssistantMessage, Message, ToolResultMessage

INTERRUPTED = "interrupted, effects unknown"


def dump(messages: Iterable[Message]) -> str:
    """Return messages as JSON text, camelCase, for `load`."""
    return _adapter().dump_json(list(messages), by_alias=True).decode()


def load(text: str) -> list[Message]:
    """Read what `dump` wrote. Raises HistoryError."""
    try:
        return parse(safejson.loads(text, what="The history"))
    except safejson.JsonError as error:
        raise HistoryError(str(error)) from None


def parse(messages: Iterable[Message | Mapping[str, Any]]) -> list[Message]:
    """Check messages given as records or as JSON objects. Raises HistoryError naming the first bad one."""
    try:
        return _adapter().validate_python(messages if isinstance(messages, list) else list(messages))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise HistoryError(f"The history is not valid at {place or 'its start'}: {first['msg']}") from None
    except TypeError:
        raise HistoryError("The history is not a list of messages") from None


def repair(messages: Iterable[Message]) -> list[Message]:
    """Return messages that a model accepts: results moved behind their calls, missing ones filled in.

    Results without a call go; so do replies with nothing in them.
    """
    messages = list(messages)
    repaired: list[Message] = []
    for index, message in enumerate(messages):
        if isinstance(message, ToolResultMessage) or (
            isinstance(message, AssistantMessage) and not message.parts
        ):
            continue
        repaired.append(message)
        if isinstance(message, AssistantMessage) and message.calls:
            results = _results_after(messages, index)
            repaired += [
                results.get(call.id)
                or ToolResultMessage(call_id=call.id, name=call.name, text=INTERRUPTED, is_error=True)
                for call in message.calls
            ]
    return repaired


def _results_after(messages: list[Message], index: int) -> dict[str, ToolResultMessage]:
    """Return the results that stand between the reply at `index` and the next one."""
    results: dict[str, ToolResultMessage] = {}
    for message in messages[index + 1 :]:
        if isinstance(message, AssistantMessage):
            break
        if isinstance(message, ToolResultMessage):
            results.setdefault(message.call_id, message)
    return results


@cache
def _adapter() -> TypeAdapter[list[Message]]:
    return TypeAdapter(list[Message])
