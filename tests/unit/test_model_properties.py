"""What holds for any stream, on CPython alone: hypothesis has a native part."""

import pytest
from inbrowser.agent.models.sse import SseDecoder

pytest.importorskip("hypothesis")

from hypothesis import given
from hypothesis import strategies as st


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r\n")), max_size=6), st.data())
def test_where_the_bytes_are_cut_makes_no_difference(texts: list[str], data: st.DataObject) -> None:
    end = data.draw(st.sampled_from(["\n", "\r\n", "\r"]))
    body = "".join(f"data: {text}{end}{end}" for text in texts).encode()
    places = sorted(data.draw(st.lists(st.integers(0, len(body)), max_size=8)))
    decoder = SseDecoder()
    pieces = [body[start:stop] for start, stop in zip([0, *places], [*places, len(body)], strict=True)]
    events = [event for piece in pieces for event in decoder.feed(piece)] + decoder.close()
    assert events == [("", text) for text in texts]
