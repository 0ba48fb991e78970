"""The browser's own model, which takes and gives text alone: calls stand in it, between marks."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from ..adapter import described, get, given, post, steps, system_message
from ..contract import AssistantMessage, Message, ModelRequest, Stop, Text, ToolCallPart, UsageEvent
from ..options import LanguageModelOptions
from ..reader import ReplyReader
from ..transport import HttpRequest
from ..values import as_number, as_object, as_text, object_of

URL = "https://language-model.this-tab"
"""Nothing is sent there: it names the model in messages."""

BEGIN, END = "<tool_call>", "</tool_call>"
"""The marks that Hermes and Qwen models write, so that a model may have seen them."""

_ABOUT_TOOLS = """You can use these tools, one a line as JSON:
{tools}

To use one, write its name and arguments as JSON between marks, and nothing after them:
{begin}{{"name": "...", "arguments": {{...}}}}{end}
The next message brings the result. {must}"""
_MAY = "When no tool is needed, answer in plain words."
_MUST = "You must use {which} now."
_NAME = re.compile(r'"name"\s*:\s*"([^"\\]+)"')


class LanguageModelAdapter:
    """Builds requests and readers."""

    def __init__(self, options: LanguageModelOptions) -> None:
        self._options = options

    def request(self, request: ModelRequest) -> HttpRequest:
        """Return what the page asks the model; the browser knows no limit of a reply."""
        told = [request.system, _about_tools(request)]
        system = "\n\n".join(text for text in told if text)
        messages = [*system_message(system), *_messages(request.messages)]
        body = {"messages": messages, "temperature": self._options.temperature}
        return post(URL, {}, given(body) | self._options.extra)

    def reader(self, request: ModelRequest) -> "LanguageModelReader":
        """Return a reader for the answer to `request`."""
        return LanguageModelReader(URL, "language-model", request)

    def list_models(self) -> HttpRequest:
        """Return a GET for the only model."""
        return get(URL, {})


class LanguageModelReader(ReplyReader):
    """Reads events of `{"text": ...}` up to `{"done": true}`; what is between the marks becomes a call."""

    def __init__(self, url: str, provider: str, request: ModelRequest) -> None:
        super().__init__(url, provider, request)
        self._waiting = ""
        """Text that is part of a call, or may be of a mark."""
        self._in_call = False
        self._usage = UsageEvent()

    def take(self, value: dict[str, Any]) -> None:
        """Take an event."""
        if value.get("error"):
            self.fail(value)
            return
        self.start("")
        self._take_text(as_text(value.get("text")))
        if value.get("done"):
            self._take_rest()
            self._usage = UsageEvent(input_tokens=as_number(value.get("inputTokens")))
            self.reason = "stop"
            self.ended = True

    def take_whole(self, value: object) -> None:
        """Take an answer that was not streamed, which is shaped like an event."""
        self.take(as_object(value) | {"done": True})

    def finish(self) -> Stop:
        """Tell the usage."""
        self.tell_usage(self._usage)
        return "tool_use" if self.calls.all else "end"

    def _take_text(self, text: str) -> None:
        self._waiting += text
        while True:
            mark = END if self._in_call else BEGIN
            before, found, after = self._waiting.partition(mark)
            if not found:
                break
            if self._in_call:
                self._call(before)
            else:
                self.say(Text, before)
            self._in_call, self._waiting = not self._in_call, after
        if not self._in_call:
            keep = _overlap(self._waiting, BEGIN)
            self.say(Text, self._waiting[: len(self._waiting) - keep])
            self._waiting = self._waiting[len(self._waiting) - keep :]

    def _take_rest(self) -> None:
        """Take what no mark has ended."""
        if self._in_call:
            self._call(self._waiting)
        else:
            self.say(Text, self._waiting)
        self._waiting = ""

    def _call(self, text: str) -> None:
        written = object_of(text)
        if written is None:
            found = _NAME.search(text)
            name, arguments = (found[1] if found else ""), text
        else:
            name, given = as_text(written.get("name")), written.get("arguments")
            arguments = given if isinstance(given, str) else json.dumps(given or {}, ensure_ascii=False)
        if not name:
            self.say(Text, BEGIN + text + END)
            return
        call = self.begin_call("", name)
        self.say_arguments(call, arguments)
        self.end_call(call)


def _overlap(text: str, mark: str) -> int:
    """Return how many characters at the end of `text` may begin `mark`."""
    return next((size for size in range(len(mark) - 1, 0, -1) if text.endswith(mark[:size])), 0)


def _about_tools(request: ModelRequest) -> str:
    if not request.tools or request.tool_choice == "none":
        return ""
    lines = "\n".join(json.dumps(described(tool), ensure_ascii=False) for tool in request.tools)
    which = "one of the tools" if request.tool_choice == "required" else request.tool_choice
    must = _MAY if request.tool_choice == "auto" else _MUST.format(which=which)
    return _ABOUT_TOOLS.format(tools=lines, begin=BEGIN, end=END, must=must)


def _messages(messages: Iterable[Message]) -> Iterator[dict[str, Any]]:
    for step in steps(messages):
        if isinstance(step, str):
            yield {"role": "user", "content": step}
        elif isinstance(step, AssistantMessage):
            yield {"role": "assistant", "content": "\n".join([step.text, *map(_written, step.calls)]).strip()}
        else:
            results = (
                f'<tool_response name="{result.name}">\n{result.text}\n</tool_response>' for result in step
            )
            yield {"role": "user", "content": "\n".join(results)}


def _written(call: ToolCallPart) -> str:
    arguments = object_of(call.arguments) or {}
    return f"{BEGIN}{json.dumps({'name': call.name, 'arguments': arguments}, ensure_ascii=False)}{END}"
