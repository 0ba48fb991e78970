"""edit: what is matched, what is refused, and that nothing else ever changes."""

import pytest
from conftest import Box

BOM = b"\xef\xbb\xbf"


def change(box: Box, path: str, old: str, new: str, **options: object) -> str:
    return box.ok("edit", path=path, edits=[{"old_text": old, "new_text": new, **options}])


def refuse(box: Box, path: str, old: str, new: str = "no", **options: object) -> str:
    before = box.bytes(path)
    message = box.refused("edit", path=path, edits=[{"old_text": old, "new_text": new, **options}])
    assert box.bytes(path) == before
    return message


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        pytest.param(b"a\r\nb\r\nc\r\n", "a\nb", "x\ny", b"x\r\ny\r\nc\r\n", id="LF-meets-CRLF"),
        pytest.param(
            b"def a():\r\n    return 1\r\n\r\ndef b():\r\n    return 2\r\n",
            "def a():\n    return 1\n",
            "def a():\n    return 10\n",
            b"def a():\r\n    return 10\r\n\r\ndef b():\r\n    return 2\r\n",
            id="CRLF-stays",
        ),
        pytest.param(b"a\nb\nc\n", "a\r\nb\r\n", "x\r\ny\r\n", b"x\ny\nc\n", id="CRLF-meets-LF"),
        pytest.param(b"a\r\nb\nc\r\n", "b", "B", b"a\r\nB\nc\r\n", id="mixed-endings"),
        pytest.param(b"a\r\nb\nc\r\nd\n", "b", "B", b"a\r\nB\nc\r\nd\n", id="mixed-endings-longer"),
        pytest.param(b"a\r\nb\nc\r\n", "a\nb\nc", "1\n2\n3", b"1\r\n2\n3\r\n", id="mixed-endings-matched"),
        pytest.param(b"a\r\nb\r\n", "b", "b\nnew", b"a\r\nb\r\nnew\r\n", id="new-lines-get-CRLF"),
        pytest.param(b"x\r\nlast", "last", "last\nnew", b"x\r\nlast\r\nnew", id="new-lines-as-those-before"),
        pytest.param(b"a\r\nb\r\nc", "\nb\n", "\n", b"a\r\nc", id="a-line-removed-from-CRLF"),
        pytest.param(BOM + b"print(1)\n", "print(1)", "print(2)", BOM + b"print(2)\n", id="BOM-stays"),
        pytest.param(BOM + b"a\n", "\ufeffa", "\ufeffb", BOM + b"b\n", id="BOM-sent-along"),
        pytest.param(b"hello\n", "hello", "hi", b"hi\n", id="no-BOM-made"),
        pytest.param(b"end", "end", "END", b"END", id="no-final-newline"),
        pytest.param(b"a\nend\n", "end\n", "end", b"a\nend", id="final-newline-removed-when-meant"),
        pytest.param(b"caf\xe9 one\n", "one", "two", b"caf\xe9 two\n", id="latin-1-survives"),
        pytest.param(b"\x00\xffone\x00", "one", "two", b"\x00\xfftwo\x00", id="binary-survives"),
        pytest.param(
            b"head\nTARGET\ntail\n",
            "TARGET",
            "$& $` $' $$ $1 \\1 \\g<0>",
            b"head\n$& $` $' $$ $1 \\1 \\g<0>\ntail\n",
            id="nothing-is-expanded",
        ),
        pytest.param(b"a.c\nabc\n", "a.c", "x", b"x\nabc\n", id="not-a-pattern"),
        pytest.param("ä\u0308\n".encode(), "ä\u0308", "o", b"o\n", id="unicode"),
        pytest.param(b"keep\ngone\nkeep\n", "gone\n", "", b"keep\nkeep\n", id="deletion"),
    ],
)
def test_edits_change_the_matched_bytes_alone(
    box: Box, before: bytes, old: str, new: str, after: bytes
) -> None:
    box.write("f.txt", before)
    change(box, "f.txt", old, new)
    assert box.bytes("f.txt") == after


def test_a_text_that_occurs_twice_is_refused_with_its_lines(box: Box) -> None:
    box.write("f.txt", "foo()\nbar()\nfoo()\n")
    assert "old_text occurs 2 times, on lines 1, 3;" in refuse(box, "f.txt", "foo()")


def test_replace_all_replaces_every_occurrence_and_says_how_many(box: Box) -> None:
    box.write("f.txt", "x = 1\n# a\nx = 1\n# b\n")
    assert "on lines 1, 3" in refuse(box, "f.txt", "x = 1", "x = 2")
    result = box.call(
        "edit", path="f.txt", edits=[{"old_text": "x = 1", "new_text": "x = 2", "replace_all": True}]
    )
    assert result.summary == "Edited f.txt: 2 replacements, +2 -2 lines"
    assert box.bytes("f.txt") == b"x = 2\n# a\nx = 2\n# b\n"


def test_replace_all_finds_both_kinds_of_line_ending(box: Box) -> None:
    box.write("f.txt", b"a\r\nb\r\n-\na\nb\n")
    change(box, "f.txt", "a\nb\n", "x\ny\n", replace_all=True)
    assert box.bytes("f.txt") == b"x\r\ny\r\n-\nx\ny\n"


def test_overlapping_occurrences_count_as_two(box: Box) -> None:
    box.write("f.txt", "k\nk\nk\n")
    assert "occurs 2 times, on lines 1, 2;" in refuse(box, "f.txt", "k\nk\n", "z\n")


def test_curly_quotes_are_named(box: Box) -> None:
    box.write("f.py", 'x = "it\u2019s"\nprint("ok")  \n')
    message = refuse(box, "f.py", 'x = "it\'s"', 'x = "no"')
    assert "quotes differ on line 1" in message
    assert "\u2019 (U+2019)" in message


def test_every_lookalike_is_named_and_shown(box: Box) -> None:
    box.write("f.py", "msg = \u201cIt\u2019s\u00a0ok \u2013 yes\u201d\nother = \u201cz\u201d\n")
    message = refuse(box, "f.py", 'msg = "It\'s ok - yes"', 'msg = "done"')
    assert "quotes differ on line 1, dashes differ on line 1" in message
    assert "special blanks differ on line 1" in message
    assert "\u201c (U+201C)" in message
    assert "\\u00a0 (U+00A0)" in message
    assert "It\u2019s\\u00a0ok \u2013 yes" in message


def test_indentation_is_named_with_tabs_shown(box: Box) -> None:
    box.write("f.py", "\tif x:\n\t\ty()\n")
    message = refuse(box, "f.py", "    if x:\n        y()")
    assert "indentation differs on lines 1, 2" in message
    assert "     2 | \\t\\ty()" in message


def test_blanks_at_the_end_are_named_and_shown(box: Box) -> None:
    box.write("f.py", "if x:   \n\treturn 1\n")
    message = refuse(box, "f.py", "if x:\n    return 1\n")
    assert "blanks at the end differ on line 1" in message
    assert "indentation differs on line 2" in message
    assert "     1 | if x:\u00b7\u00b7\u00b7\n     2 | \\treturn 1" in message


def test_letter_case_is_named(box: Box) -> None:
    box.write("f.py", "def Load():\n")
    assert "letter case differs on line 1" in refuse(box, "f.py", "def load():")


@pytest.mark.parametrize("old", ["     1\ta", "1\t| a", "  1: a", "1| a", "   1\u2192a"])
def test_pasted_line_numbers_are_named(box: Box, old: str) -> None:
    box.write("f.txt", "a\n")
    assert "line numbers were pasted along" in refuse(box, "f.txt", old)


def test_text_escaped_twice_is_named(box: Box) -> None:
    box.write("f.py", 'a("x")\nb()\n')
    assert "escaped once too often" in refuse(box, "f.py", 'a(\\"x\\")\\nb()')


def test_the_nearest_lines_are_shown_when_more_than_details_differ(box: Box) -> None:
    box.write("f.py", "import os\n\n\ndef load(path):\n    data = read(path)\n    return parse(data)\n")
    message = refuse(box, "f.py", "def load(path):\n    data = fetch(path)\n    return parse(data)\n")
    assert "the nearest text is on lines 4-6" in message
    assert "     5 |     data = read(path)" in message
    assert "     5 |     data = fetch(path)" in message
    assert "     5 | " in message.partition("where old_text has:")[2]
    assert "     4 | " not in message.partition("where old_text has:")[2]


def test_nothing_like_it_says_so(box: Box) -> None:
    box.write("f.py", "import os\n")
    assert "nor anything like it" in refuse(box, "f.py", "zebra crossing quietly")
    box.write("empty.py", "")
    assert "the file is empty" in refuse(box, "empty.py", "x")


def test_edits_are_all_made_or_none(box: Box) -> None:
    box.write("f.txt", "a\nb\nc\n")
    edits = [
        {"old_text": "a", "new_text": "1"},
        {"old_text": "b", "new_text": "2"},
        {"old_text": "x", "new_text": "3"},
    ]
    assert "edit 3 of 3: old_text was not found" in box.refused("edit", path="f.txt", edits=edits)
    assert box.bytes("f.txt") == b"a\nb\nc\n"


def test_every_edit_is_matched_against_the_file_as_it_was(box: Box) -> None:
    box.write("f.txt", "a\nb\n")
    box.ok(
        "edit", path="f.txt", edits=[{"old_text": "a", "new_text": "b"}, {"old_text": "b", "new_text": "c"}]
    )
    assert box.bytes("f.txt") == b"b\nc\n"


def test_overlapping_edits_are_refused(box: Box) -> None:
    box.write("f.txt", "one\ntwo\nthree\n")
    edits = [{"old_text": "two\nthree", "new_text": "x"}, {"old_text": "one\ntwo", "new_text": "y"}]
    assert "edits 2 and 1 overlap on line 2" in box.refused("edit", path="f.txt", edits=edits)
    assert box.bytes("f.txt") == b"one\ntwo\nthree\n"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("", "x", "old_text is empty"),
        ("a", "a", "nothing would change"),
        ("a\n", "a\r\n", "line endings only"),
        ("a", "\ud800", "half of a surrogate pair"),
    ],
)
def test_edits_that_make_no_sense_are_refused(box: Box, old: str, new: str, message: str) -> None:
    box.write("f.txt", "a\n")
    assert message in refuse(box, "f.txt", old, new)


def test_a_change_by_someone_else_is_told_when_the_edit_still_fits(box: Box) -> None:
    box.write("f.py", "a = 1\nb = 2\n")
    box.ok("read", path="f.py")
    box.write("f.py", "a = 1\nb = 3\n")
    result = box.call("edit", path="./f.py", edits=[{"old_text": "a = 1", "new_text": "a = 9"}])
    assert result.ok
    assert "the file had changed since you last read or wrote it" in result.summary
    assert box.bytes("f.py") == b"a = 9\nb = 3\n"
    again = box.call("edit", path="/project/f.py", edits=[{"old_text": "a = 9", "new_text": "a = 8"}])
    assert "had changed" not in again.summary


def test_the_result_carries_a_unified_diff(box: Box) -> None:
    box.write("src/f.py", "".join(f"line {n}\n" for n in range(1, 31)))
    result = box.call(
        "edit",
        path="src/f.py",
        edits=[
            {"old_text": "line 5\n", "new_text": "five\nfive and a half\n"},
            {"old_text": "line 20\n", "new_text": ""},
        ],
    )
    assert (result.data["added"], result.data["removed"], result.data["replacements"]) == (2, 2, 2)
    assert result.data["diff"] == "\n".join(
        [
            "--- a/src/f.py",
            "+++ b/src/f.py",
            "@@ -2,7 +2,8 @@",
            " line 2",
            " line 3",
            " line 4",
            "-line 5",
            "+five",
            "+five and a half",
            " line 6",
            " line 7",
            " line 8",
            "@@ -17,7 +18,6 @@",
            " line 17",
            " line 18",
            " line 19",
            "-line 20",
            " line 21",
            " line 22",
            " line 23",
        ]
    )


def test_the_diff_tells_of_a_missing_final_newline(box: Box) -> None:
    box.write("f.txt", "a\nend")
    assert change(box, "f.txt", "end", "END").endswith(
        "-end\n\\ No newline at end of file\n+END\n\\ No newline at end of file"
    )


def test_five_megabytes_on_one_line_are_edited_in_the_middle(box: Box) -> None:
    half = b"ab" * 1_250_000
    box.write("min.js", half + b"<here>" + half)
    text = change(box, "min.js", "<here>", "<there>")
    assert box.bytes("min.js") == half + b"<there>" + half
    assert len(text) < 2_000
    assert "was not found" in refuse(box, "min.js", "ba" * 1000 + "!")


def test_one_replacement_may_stand_beside_the_path(box: Box) -> None:
    box.write("f.txt", "a\n")
    box.ok("edit", path="f.txt", old_text="a", new_text="b")
    assert box.bytes("f.txt") == b"b\n"


def test_edits_may_be_json_text_and_have_short_names(box: Box) -> None:
    box.write("f.txt", "a\n")
    box.ok("edit", path="f.txt", edits='[{"old":"a","new":"b"}]')
    assert box.bytes("f.txt") == b"b\n"


def test_missing_files_and_directories_are_explained(box: Box) -> None:
    box.write("src/main.py", "x\n")
    edits = [{"old_text": "a", "new_text": "b"}]
    assert "did you mean src/main.py?" in box.refused("edit", path="src/mian.py", edits=edits)
    assert "src is a directory, not a file" in box.refused("edit", path="src", edits=edits)
    assert "edits" in box.refused("edit", path="src/main.py", edits=[])
