"""JSON that is nested too deeply is refused before a parser or a writer sees it."""

import json
from typing import Any

import pytest
from inbrowser.agent.models.sse import parse_all
from inbrowser.agent.tools import to_output
from inbrowser.safejson import MAX_DEPTH, JsonError, check, dumps, loads, nesting
from inbrowser.sandbox.tools.registry import to_result

DEEP = 10_000


def nested(levels: int) -> Any:
    value: Any = "x"
    for level in range(levels):
        value = [value] if level % 2 else {"a": value}
    return value


def taken_apart(value: Any) -> None:
    """Free a deep value level by level: all at once would need the stack that it was kept from."""
    while isinstance(value, dict | list):
        value = value.pop("a") if isinstance(value, dict) else value.pop()


@pytest.mark.parametrize("text", ["[" * DEEP, "[" * DEEP + "]" * DEEP, '{"a":' * DEEP, '[{"a":' * DEEP])
@pytest.mark.parametrize("form", [str, str.encode])
def test_what_is_too_deep_is_refused_with_its_depth(text: str, form: Any) -> None:
    depth = text.count("[") + text.count("{")
    problem = rf"^the reply is nested more than 200 levels deep \({depth:,}\); send a flatter value$"
    with pytest.raises(JsonError, match=problem):
        loads(form(text), what="the reply")


def test_the_limit_itself_is_allowed() -> None:
    text = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert json.dumps(loads(text)) == text
    with pytest.raises(JsonError, match=r"levels deep \(201\)"):
        loads(f"[{text}]")


@pytest.mark.parametrize(
    ("text", "depth"),
    [
        ('"' + "[" * 500 + '"', 0),
        ('["' + "]" * 500 + '",' + "[" * 300, 301),
        (r'["\"' + "[" * 500 + '"]', 1),
        (r'["\\",' + "[" * 500, 501),
        (r'["\\\"' + "[" * 500 + '"]', 1),
        ("[]" * 500, 1),
        ("[" * 300 + '"' + "]" * 300, 300),
    ],
)
def test_brackets_in_strings_do_not_count(text: str, depth: int) -> None:
    assert nesting(text) == depth


@pytest.mark.parametrize(
    ("text", "problem"),
    [("{", "Expecting property name"), (b'"\xff"', "byte 1 is not UTF-8"), ("[1 2]", "line 1 column 4")],
)
def test_what_is_no_json_is_told(text: str | bytes, problem: str) -> None:
    with pytest.raises(JsonError, match=rf"^JSON is not valid JSON: .*{problem}"):
        loads(text)


def test_values_that_are_too_deep_are_not_written() -> None:
    value = nested(DEEP)
    try:
        with pytest.raises(JsonError, match=r"^the answer is nested more than 200 levels deep"):
            dumps(value, what="the answer")
        assert to_output(value).text == "(a value nested more than 200 levels deep)"
        assert to_result(value).summary == "(a value nested more than 200 levels deep)"
    finally:
        taken_apart(value)
    assert dumps(nested(MAX_DEPTH)) == json.dumps(nested(MAX_DEPTH))


def test_a_value_that_holds_itself_or_branches_without_end_is_checked_in_no_time() -> None:
    circle: list[Any] = []
    circle.append(circle)
    with pytest.raises(JsonError, match="nested more than"):
        check(circle)
    bush: Any = "leaf"
    for _ in range(MAX_DEPTH):
        bush = [bush, bush]
    check(bush)


def test_events_that_are_deep_only_together_are_parsed_one_by_one() -> None:
    results = parse_all(["[" * 150 + "0"] * 200)
    assert len(results) == 200
    assert all(isinstance(result, JsonError) for result in results)
