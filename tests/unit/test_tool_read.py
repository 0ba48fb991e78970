"""read and write: pages, caps, and files that are not what they seem."""

import base64
import re

import pytest
from conftest import Box

NUMBERED = "".join(f"line {n}\n" for n in range(1, 10_001))


def test_a_file_is_read_as_it_is(box: Box) -> None:
    box.write("a.py", "def f():\n\treturn 1  \n")
    result = box.call("read", path="a.py")
    assert result.summary == "Read a.py (2 lines)"
    assert result.data["text"] == "def f():\n\treturn 1  \n"
    assert result.data["total_lines"] == 2
    assert "next_offset" not in result.data


def test_a_long_file_is_cut_after_two_thousand_lines_and_says_how_to_go_on(box: Box) -> None:
    box.write("big.txt", NUMBERED)
    result = box.call("read", path="big.txt")
    lines = str(result.data["text"]).splitlines()
    assert lines[:2000] == NUMBERED.splitlines()[:2000]
    assert lines[2000:] == ["[lines 1-2000 of 10000; read on with offset=2001]"]
    assert result.data["next_offset"] == 2001


def test_an_offset_and_a_limit_choose_the_lines(box: Box) -> None:
    box.write("big.txt", NUMBERED)
    text = box.ok("read", path="big.txt", offset=9_998, limit=2)
    assert text == "line 9998\nline 9999\n[lines 9998-9999 of 10000; read on with offset=10000]"
    assert box.ok("read", path="big.txt", offset=10_000) == "line 10000\n[lines 10000-10000 of 10000]"


@pytest.mark.parametrize("ending", ["\n", ""])
def test_pages_join_to_the_whole_file(box: Box, ending: str) -> None:
    whole = "\n".join(f"{n:04} " + "x" * 195 for n in range(1, 501)) + ending
    box.write("f.txt", whole)
    pages: list[str] = []
    offset: object = 1
    while offset:
        result = box.call("read", path="f.txt", offset=offset)
        text = str(result.data["text"])
        page, footer = text.rsplit("[", 1)
        first, last = map(int, re.findall(r"\d+", footer)[:2])
        assert page.splitlines() == whole.splitlines()[first - 1 : last]
        assert len(page) <= 50 * 1024
        pages.append(page)
        offset = result.data.get("next_offset")
    assert len(pages) > 1
    assert "".join(pages).rstrip("\n") == whole.rstrip("\n")


def test_an_offset_past_the_end_is_refused_with_the_number_of_lines(box: Box) -> None:
    box.write("f.txt", "a\nb\nc")
    assert "f.txt has 3 lines; 9 is past its end" in box.refused("read", path="f.txt", offset=9)
    assert "has 3 lines" in box.refused("read", path="f.txt", offset=4)
    assert box.ok("read", path="f.txt", offset=3) == "c\n[lines 3-3 of 3]"


def test_a_line_longer_than_the_cap_is_cut_with_its_length(box: Box) -> None:
    box.write("one.txt", "\u00e9" * 1_500_000)
    result = box.call("read", path="one.txt")
    text, note = str(result.data["text"]).rsplit("\n", 1)
    assert text == "\u00e9" * 25_600
    assert note == "[line 1 is 3,000,000 bytes long; its first 51,200 are shown]"
    box.write("two.txt", "x" * 60_000 + "\nnext\n")
    assert box.ok("read", path="two.txt").endswith("are shown; read on with offset=2]")
    assert box.ok("read", path="two.txt", offset=2) == "next\n[lines 2-2 of 2]"


def test_lines_are_never_cut_when_one_fits(box: Box) -> None:
    box.write("f.txt", ("x" * 30_000 + "\n") * 3)
    assert box.ok("read", path="f.txt") == "x" * 30_000 + "\n[lines 1-1 of 3; read on with offset=2]"


def test_a_huge_file_is_read_at_its_end(box: Box) -> None:
    box.write("huge.log", b"a line of a log\n" * 3_200_000)
    text = box.ok("read", path="huge.log", offset=3_199_999)
    assert text == "a line of a log\na line of a log\n[lines 3199999-3200000 of 3200000]"
    assert "has 3,200,000 lines" in box.refused("read", path="huge.log", offset=4_000_000)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(20), "PNG image"),
        (b"\x00asm\x01\x00\x00\x00", "WebAssembly module"),
        (b"SQLite format 3\x00" + bytes(100), "SQLite database"),
        (b"%PDF-1.7\n...", "PDF document"),
        (b"PK\x03\x04\x14", "zip archive"),
        ("text".encode("utf-16"), "UTF-16 text"),
        (b"some\x00bytes", "binary file"),
    ],
)
def test_a_binary_file_is_named_with_its_kind_and_size(box: Box, content: bytes, kind: str) -> None:
    box.write("f.bin", content)
    result = box.call("read", path="f.bin")
    assert result.ok
    assert kind in result.summary
    assert f"{len(content)} bytes" in result.summary
    assert "text" not in result.data


def test_an_empty_file_is_named(box: Box) -> None:
    box.write("f.txt", "")
    assert box.call("read", path="f.txt").summary == "f.txt is an empty file"


def test_a_bom_is_not_shown(box: Box) -> None:
    box.write("f.py", b"\xef\xbb\xbfprint(1)\n")
    assert box.ok("read", path="f.py") == "print(1)\n"


def test_text_that_is_not_utf8_is_named(box: Box) -> None:
    box.write("f.txt", b"caf\xe9\n")
    assert box.ok("read", path="f.txt").startswith("caf\ufffd\n[not UTF-8: ")


def test_unreadable_paths_each_say_what_to_do(box: Box) -> None:
    box.write("src/main.py", "x\n")
    assert "the path is empty" in box.refused("read", path="")
    assert "src/mian.py does not exist; did you mean src/main.py?" in box.refused("read", path="src/mian.py")
    assert "did you mean src?" in box.refused("read", path="srx/main.py")
    assert "look around with ls or find" in box.refused("read", path="zzz.txt")
    assert "src is a directory, not a file; list it with ls" in box.refused("read", path="src")
    assert "src/main.py is a file" in box.refused("read", path="src/main.py/x")


def test_write_says_created_or_overwritten_and_bytes(box: Box) -> None:
    created = box.call("write", path="a/b/hello.txt", content="hi")
    assert created.summary == "Wrote 2 bytes to a/b/hello.txt (created)"
    assert box.bytes("a/b/hello.txt") == b"hi"
    assert box.call("write", path="a/b/hello.txt", content="\u00e9").summary == (
        "Wrote 2 bytes to a/b/hello.txt (overwritten)"
    )


def test_write_makes_the_file_exactly_the_content(box: Box) -> None:
    box.write("f.txt", b"\xef\xbb\xbfold\r\n")
    box.ok("write", path="f.txt", content="new\n")
    assert box.bytes("f.txt") == b"new\n"


def test_a_much_shorter_file_is_marked(box: Box) -> None:
    box.write("f.py", "x\n" * 2000)
    assert box.call("write", path="f.py", content="x\n" * 500).summary == (
        "Wrote 1,000 bytes to f.py (overwritten, 2000 -> 500 lines)"
    )


def test_write_takes_bytes_as_base64(box: Box) -> None:
    content = bytes(range(256))
    box.ok("write", path="f.bin", content=base64.encodebytes(content).decode(), encoding="base64")
    assert box.bytes("f.bin") == content
    assert "not valid base64" in box.refused("write", path="f.bin", content="a$b", encoding="base64")
    assert box.bytes("f.bin") == content


def test_write_does_not_replace_a_directory_or_go_through_a_file(box: Box) -> None:
    box.write("d/f.txt", "x")
    assert "d is a directory" in box.refused("write", path="d", content="")
    assert "d/f.txt is a file" in box.refused("write", path="d/f.txt/g", content="")
    assert "surrogate" in box.refused("write", path="s.txt", content="\udc00")


def test_content_that_looks_like_json_stays_text(box: Box) -> None:
    box.ok("write", path="a.json", content='["a"]')
    box.ok("write", path="b.txt", content=1.0)
    assert box.bytes("a.json") == b'["a"]'
    assert box.bytes("b.txt") == b"1.0"
