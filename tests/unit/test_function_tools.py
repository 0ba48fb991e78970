"""Functions as tools: of a session alone, over a sandbox's tools, and of a sandbox."""

import asyncio
from typing import Annotated, Any, Literal

import pytest
from agent_fakes import run, scripted, session_of
from conftest import Box
from inbrowser.agent import ToolCall, ToolContext, ToolOutput, ToolSet
from inbrowser.agent.errors import ToolsConflictError, UnknownToolError
from inbrowser.agent.models.contract import ToolSpec
from inbrowser.agent.sandbox import create_sandbox_agent_tools
from inbrowser.sandbox import Tool
from inbrowser.sandbox import ToolContext as SandboxContext
from inbrowser.sandbox.errors import ToolExistsError
from inbrowser.sandbox.errors import UnknownToolError as NoSuchTool
from pydantic import Field


async def forecast(
    city: Annotated[str, Field(description="where")], unit: Literal["C", "F"] = "C", days: int = 1
) -> dict[str, Any]:
    """Tell the weather
    of the next days.

    It is always fine.
    """
    return {"city": city, "unit": unit, "days": days}


def who(context: ToolContext) -> str:
    """Tell who asks."""
    return context.session_id


def call(tools: Any, name: str, **arguments: Any) -> ToolOutput:
    context = ToolContext("s1")
    return asyncio.run(tools.execute(ToolCall(id="1", name=name, arguments=arguments), context))


def test_a_function_describes_itself() -> None:
    [spec, other] = ToolSet([forecast, who]).list()
    assert (spec.name, spec.description) == ("forecast", "Tell the weather of the next days.")
    assert spec.parameters == {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "where"},
            "unit": {"type": "string", "enum": ["C", "F"], "default": "C"},
            "days": {"type": "integer", "default": 1},
        },
        "required": ["city"],
    }
    assert other.parameters.get("properties", {}) == {}


def test_a_function_is_called_with_values_of_its_types() -> None:
    tools = ToolSet([forecast, who])
    assert call(tools, "forecast", city="Rome", days="3").text == '{"city": "Rome", "unit": "C", "days": 3}'
    assert call(tools, "who").text == "s1"
    assert "[unknown arguments were ignored: x]" in call(tools, "who", x=1).text


def test_a_session_tells_the_model_what_was_wrong() -> None:
    llm = scripted(
        {"tool_calls": [{"name": "forecast", "arguments": {"unit": "K"}}]},
        {"text": "Sorry."},
    )
    events = asyncio.run(run(session_of(llm, tools=ToolSet([forecast]))))
    [finished] = [event for event in events if event.kind == "tool_finished"]
    assert not finished.ok
    assert "city is missing" in finished.text
    assert "It takes city (string)" in finished.text


@pytest.mark.parametrize("wrong", [lambda x: x, lambda *things: things])
def test_a_function_that_cannot_be_a_tool(wrong: Any) -> None:
    with pytest.raises(TypeError, match="parameter"):
        ToolSet([wrong])


def test_a_set_can_be_changed_and_its_fork_alone() -> None:
    tools = ToolSet([forecast, who])
    with pytest.raises(ToolsConflictError, match="'who' already"):
        tools.register(who)
    fork = tools.fork()
    fork.unregister("who")
    with pytest.raises(UnknownToolError, match=r"no tool 'who'\. Tools: forecast"):
        fork.unregister("who")
    with pytest.raises(UnknownToolError):
        call(fork, "who")

    async def execute(call: ToolCall, context: ToolContext) -> str:
        return f"{call.arguments} for {context.session_id}"

    fork.replace(ToolSpec(name="forecast"), execute)
    assert call(fork, "forecast", a=1).text == "{'a': 1} for s1"
    assert [spec.name for spec in fork.list()] == ["forecast"]
    assert [spec.name for spec in tools.list()] == ["forecast", "who"]
    with pytest.raises(ToolsConflictError, match="nothing that runs it"):
        tools.register(ToolSpec(name="x"))


def test_own_tools_beside_a_sandboxs(box: Box) -> None:
    below = create_sandbox_agent_tools(box.sandbox, names=["read", "write", "ls"])
    tools = ToolSet([forecast], base=below)
    tools.unregister("ls")
    assert [spec.name for spec in tools.list()] == ["read", "write", "forecast"]
    assert call(tools, "write", path="a.txt", content="hi").is_error is False
    assert box.bytes("a.txt") == b"hi"
    with pytest.raises(UnknownToolError):
        call(tools, "ls")


def test_a_function_as_a_tool_of_a_sandbox(box: Box) -> None:
    async def count(path: str, context: SandboxContext) -> str:
        """Count the bytes of a file."""
        return f"{(await context.sandbox.fs.stat(path)).size} bytes"

    def nothing() -> str:
        return "nothing"

    registry = box.sandbox.tools
    registry.register(count)
    result = box.call("write", path="a.txt", content="12345")
    assert result.ok
    assert box.call("count", path="a.txt").summary == "5 bytes"
    with pytest.raises(ToolExistsError, match="'count' already"):
        registry.register(count)
    fork = registry.fork()
    fork.unregister("count")
    fork.replace(Tool.of(nothing, name="read", pure=True))
    with pytest.raises(NoSuchTool):
        fork.replace(count)
    assert asyncio.run(fork.run("read")).summary == "nothing"
    assert "no such tool" in asyncio.run(fork.run("count", {"path": "a.txt"})).summary
    assert box.call("count", path="a.txt").ok
