"""What models cost in the page: reading streams, building requests, importing."""

import statistics
import subprocess
from collections.abc import Iterator

import build
from tests.bench.host import EVENTS, STREAMS, BenchHost
from tests.bench.measure import Row, compare, report

ASK = """async () => await inbrowser.runPython(`
from time import perf_counter
from inbrowser.agent.models import create_model
from inbrowser.agent.models.contract import ModelRequest, UserMessage, Text
model = create_model("%(api)s", base_url="%(url)s/%(api)s", model="m")
started = perf_counter()
length = 0
async for event in model.chat(ModelRequest(messages=(UserMessage(text="go"),))):
    if isinstance(event, Text):
        length += len(event.delta)
assert length == %(events)d * 9, length
(perf_counter() - started) * 1000
`)"""

BUILD = """async () => await inbrowser.runPython(`
from time import perf_counter
from inbrowser.agent.models import adapter_for, options_for
from inbrowser.agent.models.contract import *
history = []
for number in range(250):
    call = ToolCallPart(id=f"call_{number}", name="read", arguments='{"path": "src/main.py", "limit": 200}')
    history += [
        UserMessage(text="Look at this file, and change what is wrong in it. " * 10),
        AssistantMessage(parts=(ThinkingPart(text="Hm. " * 50), TextPart(text="I look. " * 20), call), stop="tool_use"),
        ToolResultMessage(call_id=call.id, name="read", text="    1\\tdef f(x):\\n" * 200),
        AssistantMessage(parts=(TextPart(text="It is well. " * 30),)),
    ]
request = ModelRequest(system="Be brief.", messages=tuple(history))
adapter = adapter_for(options_for("%s", {"model": "m", "base_url": "https://llm.test/v1"}))
started = perf_counter()
body = adapter.request(request).body
assert len(body) > 1_000_000, len(body)
(perf_counter() - started) * 1000
`)"""

IMPORT = """
from time import perf_counter
started = perf_counter()
import pydantic
from pydantic import BaseModel, Field, TypeAdapter
pydantic_took = perf_counter() - started
started = perf_counter()
import inbrowser.agent
from inbrowser.agent.models import adapter_for, options_for
for api in ("openai-chat", "openai-responses", "anthropic", "gemini", "ollama"):
    adapter_for(options_for(api, {"model": "m", "base_url": "https://llm.test"}))
print(perf_counter() - started, pydantic_took)
"""


def models(host: BenchHost, runs: int) -> list[Row]:
    """20,000 events through each adapter against a bare loop; a history of 1,000 messages; imports."""
    return [*_streams(host, runs), *_requests(host, runs), _imports(runs)]


def _streams(host: BenchHost, runs: int) -> Iterator[Row]:
    page = host.page()
    page.evaluate("() => { window.reader = timedWorker('bare-reader.js') }")
    for api in STREAMS:
        ours = ASK % {"api": api, "url": host.url, "events": EVENTS}
        bare = f"async () => (await reader.ask('{host.url}/{api}')).ms"
        yield compare(
            f"{EVENTS:,} events, {api}",
            lambda ours=ours: page.evaluate(ours),
            lambda bare=bare: page.evaluate(bare),
            aim=4,
            runs=runs,
        )


def _requests(host: BenchHost, runs: int) -> Iterator[Row]:
    page = host.page()
    for api in STREAMS:
        yield report(
            f"a request of 1,000 messages, {api}",
            lambda api=api: page.evaluate(BUILD % api),
            unit="ms",
            runs=runs,
        )


def _imports(runs: int) -> Row:
    """Import the agent and all adapters after pydantic, in CPython: the page has both in its snapshot."""

    def once() -> tuple[float, float]:
        command = [build.PYTHON, "-c", IMPORT]
        printed = subprocess.check_output(command, env={"PYTHONPATH": str(build.ROOT / "py")}, text=True)
        ours, theirs = map(float, printed.split())
        return ours * 1000, theirs * 1000

    once()
    pairs = [once() for _ in range(runs)]
    ours, theirs = (statistics.median(column) for column in zip(*pairs, strict=True))
    return Row("import of the agent, after pydantic", ours, "ms", theirs, ours / theirs, 0.5, runs)
