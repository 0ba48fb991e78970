"""What holds for any value and any damaged log, on CPython alone: hypothesis has a native part."""

import asyncio
import json
import math
from typing import Any

import pytest
from inbrowser.safejson import nesting
from inbrowser.sandbox.replay import ReplayError
from inbrowser.sandbox.replay.log import CallEntry, Header, NoteEntry, ResultEntry, line_of, read_log
from inbrowser.sandbox.replay.values import decode, encode

pytest.importorskip("hypothesis")

from hypothesis import given, settings
from hypothesis import strategies as st

keys = st.text(max_size=4) | st.sampled_from(["$", "$$", "$bytes", "$$set", "$map"])
hashable: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.binary(max_size=8)
    | st.dates() | st.datetimes() | st.floats(allow_nan=False),
    lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
values: Any = st.recursive(
    hashable,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4)
    | st.dictionaries(hashable, inner, max_size=3) | st.tuples(inner) | st.sets(hashable, max_size=3),
    max_leaves=20,
)  # fmt: skip


def alike(one: object, other: object) -> bool:
    """Equal, with types and the signs of zeros told apart."""
    if type(one) is not type(other):
        return False
    if isinstance(one, float) and isinstance(other, float):
        return one == other and math.copysign(1, one) == math.copysign(1, other)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(alike, one, other))
    return one == other


@settings(deadline=None)
@given(values)
def test_any_value_survives_as_one_line_of_json(value: Any) -> None:
    line = line_of(NoteEntry(name="n", data=value))
    assert line.endswith("\n")
    assert "\n" not in line[:-1]
    assert line.isascii()
    assert alike(decode(json.loads(line))["data"], value)
    assert alike(decode(json.loads(json.dumps(encode(value)))), value)


@settings(deadline=None)
@given(
    st.integers(1, 400),
    st.sampled_from([lambda v: [v], lambda v: (v,), lambda v: {1: v}, lambda v: {"$": v}]),
)
def test_any_depth_makes_a_log_that_can_be_read(depth: int, wrap: Any) -> None:
    value: Any = "core"
    for _ in range(depth):
        value = wrap(value)
    line = line_of(NoteEntry(name="n", data=value))
    assert nesting(line) <= 200
    back = decode(json.loads(line))["data"]
    assert "core" in str(back) or "nested too deeply" in str(back)


LOG = "".join(
    map(
        line_of,
        [
            Header(sandbox="s", time=1.0, inbrowser="0"),
            CallEntry(
                call=1, kind="tool", name="ls", arguments={"path": b"x"}, origin="host", shell="host",
                cwd="/project", time=2.0,
            ),
            ResultEntry(call=1, outcome={"ok": True, "summary": "", "data": {}}, files=[]),
        ],
    )
)  # fmt: skip


@settings(deadline=None, max_examples=300)
@given(at=st.integers(0, len(LOG)), size=st.integers(0, 30), put=st.text(alphabet='{}[]":,1a$\n', max_size=6))
def test_a_damaged_log_is_read_or_refused_in_one_line(at: int, size: int, put: str) -> None:
    message = ""
    try:
        asyncio.run(read_log(LOG[:at] + put + LOG[at + size :]))
    except ReplayError as error:
        message = str(error)
    assert "\n" not in message
    assert not message or "line " in message
