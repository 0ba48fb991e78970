"""Server-sent events, however the bytes are framed and cut."""

import pytest
from agent_fakes import CUTS
from inbrowser.agent.models.sse import SseDecoder, parse_all
from inbrowser.safejson import JsonError


def decode(body: bytes, cut: int | None = None) -> list[tuple[str, str]]:
    decoder = SseDecoder()
    size = cut or max(len(body), 1)
    events = [event for at in range(0, len(body), size) for event in decoder.feed(body[at : at + size])]
    return events + decoder.close()


FRAMINGS = {
    "LF": (b"data: a\n\ndata: b\n\n", [("", "a"), ("", "b")]),
    "CRLF": (b"data: a\r\n\r\ndata: b\r\n\r\n", [("", "a"), ("", "b")]),
    "CR": (b"data: a\r\rdata: b\r\r", [("", "a"), ("", "b")]),
    "mixed line ends": (b"data: a\r\n\ndata: b\n\r\n", [("", "a"), ("", "b")]),
    "comments": (b": hello\n\n: again\ndata: a\n\n:\n\n", [("", "a")]),
    "an event name": (b"event: error\ndata: a\n\n", [("error", "a")]),
    "a name after the data": (b"data: a\nevent: error\n\n", [("error", "a")]),
    "several data lines": (b"data: a\ndata: b\ndata:\n\n", [("", "a\nb\n")]),
    "no space after the colon": (b"data:a\n\n", [("", "a")]),
    "only one space is taken": (b"data:  a\n\n", [("", " a")]),
    "fields of no use": (b"id: 7\nretry: 10\ndata: a\nfoo\n\n", [("", "a")]),
    "a name without data": (b"event: ping\n\ndata: a\n\n", [("", "a")]),
    "no final blank line": (b"data: a\n\ndata: b\n", [("", "a"), ("", "b")]),
    "no final newline": (b"data: a\n\ndata: b", [("", "a"), ("", "b")]),
    "a byte order mark": (b"\xef\xbb\xbfdata: a\n\n", [("", "a")]),
    "characters of several bytes": ("data: héß→😀\n\n".encode(), [("", "héß→😀")]),
    "bytes that are no UTF-8": (b"data: a\xffb\n\n", [("", "a\ufffdb")]),
    "many blank lines": (b"\n\n\ndata: a\n\n\n\n\ndata: b\n\n", [("", "a"), ("", "b")]),
    "nothing": (b"", []),
    "comments alone": (b": keep\n\n: keep\n\n", []),
}


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("name", FRAMINGS)
def test_a_framing_is_understood(name: str, cut: int | None) -> None:
    body, events = FRAMINGS[name]
    assert decode(body, cut) == events


def test_an_event_comes_as_soon_as_its_blank_line_is_there() -> None:
    decoder = SseDecoder()
    assert decoder.feed(b"data: a\n") == []
    assert decoder.feed(b"\n") == [("", "a")]
    assert decoder.feed(b"data: b\r\n\r") == []
    assert decoder.feed(b"\n") == [("", "b")]


def test_an_event_of_many_megabytes_in_small_pieces_is_joined_once() -> None:
    decoder = SseDecoder()
    assert decoder.feed(b"data: ") == []
    for _ in range(50_000):
        assert decoder.feed(b"x" * 64) == []
    assert decoder.feed(b"\n\n") == [("", "x" * 3_200_000)]


def test_json_is_parsed_together_and_faults_stay_where_they_are() -> None:
    assert parse_all(['{"a":1}', "[2]"]) == [{"a": 1}, [2]]
    assert parse_all([]) == []
    values = parse_all(['{"a":1}', "{", "[" * 10_000, "3"])
    assert values[0] == {"a": 1}
    assert values[3] == 3
    assert isinstance(values[1], JsonError)
    assert isinstance(values[2], JsonError)


def test_two_halves_of_an_object_are_two_faults() -> None:
    assert all(isinstance(value, JsonError) for value in parse_all(['{"a":1', '"b":2}']))
