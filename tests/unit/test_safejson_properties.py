"""The depth that is found is the depth that there is, on CPython alone: hypothesis has a native part."""

import json
from typing import Any

import pytest
from inbrowser.safejson import MAX_DEPTH, loads, nesting

pytest.importorskip("hypothesis")

from hypothesis import given
from hypothesis import strategies as st


@given(
    st.recursive(
        st.none() | st.text(alphabet='[]{}"\\\u00e9') | st.integers(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(alphabet='[]{}"\\'), inner),
        max_leaves=60,
    ),
    st.booleans(),
)
def test_no_depth_is_missed(value: Any, ascii_only: bool) -> None:
    def depth(value: Any) -> int:
        if isinstance(value, dict):
            value = list(value.values())
        return 1 + max(map(depth, value), default=0) if isinstance(value, list) else 0

    # More brackets than the limit, so that they are looked at.
    text = json.dumps([value, "[" * (MAX_DEPTH + 1)], ensure_ascii=ascii_only)
    assert nesting(text) == 1 + depth(value) or depth(value) == 0
    assert loads(text) == loads(text.encode()) == [value, "[" * (MAX_DEPTH + 1)]
