"""The kernel's regular expressions: linear time, and byte offsets into UTF-8."""

from typing import Any

import pytest
from inbrowser.sandbox.patterns import PatternError

pytest.importorskip("inbrowser_bridge", reason="Python's own engine serves outside the browser")


def compiled(pattern: str, ignore_case: bool = False) -> Any:
    from inbrowser.sandbox.web.regex import compile_regex

    return compile_regex(pattern, ignore_case)


@pytest.mark.parametrize(
    ("pattern", "text", "start", "found"),
    [
        ("b+", "abbc", 0, (1, 3)),
        ("b", "abab", 2, (3, 4)),
        ("é+", "aéé", 0, (1, 5)),
        ("x", "日本語x", 0, (9, 10)),
        ("x", "🎈x\n🎈x", 6, (10, 11)),
        ("^b$", "a\nb\nc", 0, (2, 3)),
        (r"\bfox", "a fox", 0, (2, 5)),
        (r"\Bx", "ax", 1, (1, 2)),
        ("z", "abc", 0, None),
        ("", "abc", 0, (0, 0)),
    ],
)
def test_matches_are_found_at_their_bytes(
    pattern: str, text: str, start: int, found: tuple[int, int] | None
) -> None:
    assert compiled(pattern).search(text.encode(), start) == found


def test_case_can_be_ignored() -> None:
    assert compiled("straße|é", ignore_case=True).search("É".encode(), 0) == (0, 2)


def test_what_is_no_utf8_is_searched_too() -> None:
    assert compiled("n.+d").search(b"\xff\xfe need\xe9", 0) == (3, 7)


def test_texts_may_alternate() -> None:
    regex = compiled("o.")
    first, second = b"foo bar", b"oz"
    for _ in range(3):
        assert regex.search(first, 0) == (1, 3)
        assert regex.search(second, 0) == (0, 2)


def test_no_pattern_can_hang() -> None:
    text = b"a" * 200_000 + b"b"
    for pattern in ("(a+)+$", "(a|aa)+$", "(.*a){30}x", "(a?){50}c"):
        assert compiled(pattern).search(text, 0) is None


@pytest.mark.parametrize(
    ("pattern", "says", "position"),
    [
        ("a[", "missing closing ]", 1),
        ("(b", "missing closing )", 0),
        ("x*(?=y)", "lookahead", 2),
        ("(?<!a)b", "lookbehind", 0),
        (r"(a)\1", "backreferences", 3),
        ("*", "missing argument to repetition operator", 0),
        ("a{2,1}", "invalid repeat count", 1),
        (r"\p{Foo}", "invalid character class range", 0),
        ("((a{100}){100}){100}", "repeat", None),
    ],
)
def test_a_wrong_pattern_is_explained(pattern: str, says: str, position: int | None) -> None:
    with pytest.raises(PatternError, match=says.replace("[", r"\[").replace(")", r"\)")) as raised:
        compiled(pattern)
    if position is not None:
        assert raised.value.position == position
    if says.startswith(("look", "back")):
        assert "RE2" in str(raised.value)
