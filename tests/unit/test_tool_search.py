"""ls, find and grep: what is found, what is left out, and what it costs."""

import sys

import pytest
from conftest import Box
from inbrowser.sandbox.tools.glob import compile_glob

STRANGE = ["with space.txt", "q'uo\"te.txt", "emoji \U0001f680.txt", "new\nline.txt", "-dash.txt"]


def paths(box: Box, **arguments: object) -> object:
    result = box.call("find", **arguments)
    assert result.ok, result
    return result.data["paths"]


def files(box: Box, *names: str, content: str = "needle\n") -> None:
    for name in names:
        box.write(name, content)


def test_ls_shows_names_and_sizes(box: Box) -> None:
    files(box, "b.txt", "a/x.txt", ".env")
    assert box.ok("ls") == ".env  7\na/\nb.txt  7"
    assert box.ok("ls", path="a") == "x.txt  7"
    assert box.call("ls", path="a").summary == "a: 1 entry"


def test_ls_of_other_things_says_what_to_do(box: Box) -> None:
    files(box, "a.txt")
    assert "a.txt is a file of 7 bytes; open it with read" in box.refused("ls", path="a.txt")
    assert "did you mean a.txt?" in box.refused("ls", path="b.txt")
    box.fs("mkdir", "empty")
    assert box.call("ls", path="empty").summary == "empty: nothing"


def test_ignored_entries_are_left_out_named_and_shown_on_demand(box: Box) -> None:
    box.write(".gitignore", "dist/\n!dist/keep.txt\n*.log\n")
    box.write("sub/.gitignore", "!keep.log\n/local\n")
    files(
        box, "dist/app.js", "dist/keep.txt", "a.log", "sub/keep.log", "sub/local", "sub/other.log", "src/a.js"
    )
    listing = box.ok("ls")
    assert (
        listing
        == ".gitignore  27\nsrc/\nsub/\n[2 ignored entries not shown (a.log, dist); all=true shows them]"
    )
    assert paths(box, pattern="*") == [
        ".gitignore",
        "src/",
        "sub/",
        "src/a.js",
        "sub/.gitignore",
        "sub/keep.log",
    ]
    assert "dist/" in box.ok("ls", all=True)
    assert paths(box, pattern="*.log", all=True) == ["a.log", "sub/keep.log", "sub/other.log"]
    found = box.call("grep", pattern="needle")
    assert [match["path"] for match in found.data["matches"]] == ["src/a.js", "sub/keep.log"]  # type: ignore
    assert "[4 ignored entries not searched; all=true includes them]" in str(found.data["text"])


def test_a_path_that_is_named_wins_over_ignore_rules(box: Box) -> None:
    box.write(".gitignore", "dist/\n")
    files(box, "dist/app.js", ".github/projectflows/ci.yml", "src/a.js")
    assert paths(box, pattern="dist/*.js") == ["dist/app.js"]
    assert paths(box, pattern=".github/**/*.yml") == [".github/projectflows/ci.yml"]
    assert paths(box, pattern="**/*.js") == ["src/a.js"]
    assert "[1 ignored entry not searched; all=true includes them]" in box.ok("find", pattern="**/*.js")
    assert "dist/app.js:1:needle" in box.ok("grep", pattern="needle", path="dist")
    assert "dist/app.js:1:needle" in box.ok("grep", pattern="needle", path="dist/app.js")
    assert box.ok("ls", path="dist") == "app.js  7"


def test_node_modules_is_left_out_unless_named(box: Box) -> None:
    files(box, "node_modules/pkg/index.ts", "src/a.ts", "web/node_modules/pkg/b.ts")
    assert paths(box, pattern="**/*.ts") == ["src/a.ts"]
    assert box.ok("grep", pattern="needle") == (
        "src/a.ts:1:needle\n[2 ignored entries not searched; all=true includes them]"
    )
    assert paths(box, pattern="node_modules/**/*.ts") == ["node_modules/pkg/index.ts"]
    assert paths(box, pattern="*.ts", path="web/node_modules") == ["web/node_modules/pkg/b.ts"]
    assert box.call("grep", pattern="needle", all=True).summary == "3 matches in 3 files"


def test_git_is_never_searched_unless_named(box: Box) -> None:
    files(box, ".git/config", "a.txt")
    assert paths(box, pattern="**/*", all=True) == ["a.txt"]
    assert box.ok("grep", pattern="needle", all=True) == "a.txt:1:needle"
    assert paths(box, pattern=".git/*") == [".git/config"]
    assert ".git/" in box.ok("ls", all=True)
    assert ".git" not in box.ok("ls").partition("[")[0]


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("*.py", "a/b/c.py", True),
        ("*.py", "c.pyc", False),
        ("src/*.ts", "src/a.ts", True),
        ("src/*.ts", "src/x/a.ts", False),
        ("src/**/*.ts", "src/a.ts", True),
        ("src/**/*.ts", "src/x/y/a.ts", True),
        ("**/test_*.py", "test_a.py", True),
        ("**", "a/b", True),
        ("a/**", "a/b/c", True),
        ("a/**", "b/a", False),
        ("*.{ts,tsx}", "x/a.tsx", True),
        ("{src,lib}/**/*.{js,ts}", "lib/x/a.ts", True),
        ("{src,lib}/**/*.{js,ts}", "doc/a.ts", False),
        ("file[0-9].txt", "file7.txt", True),
        ("file[!0-9].txt", "file7.txt", False),
        ("?.md", "a.md", True),
        ("./src/a.js", "src/a.js", True),
        ("Makefile", "x/Makefile", True),
        ("a{b}c", "a{b}c", True),
    ],
)
def test_globs(pattern: str, path: str, matches: bool) -> None:
    assert compile_glob(pattern)(path) is matches


def test_no_glob_takes_long(box: Box) -> None:
    files(box, "a" * 200)
    assert paths(box, pattern="*a" * 60 + "b") == []
    assert paths(box, pattern="**/" * 40 + "x") == []
    assert "fewer braces" in box.refused("find", pattern="{a,b}" * 10)


def test_find_is_relative_to_its_path_and_takes_absolute_ones(box: Box) -> None:
    files(box, "web/src/a.ts", "src/b.ts")
    assert paths(box, pattern="src/*.ts", path="web") == ["web/src/a.ts"]
    assert paths(box, pattern="/project/src/*.ts") == ["src/b.ts"]
    assert paths(box, pattern="src", path="/project/web") == ["web/src/"]
    assert paths(box, pattern="nothing*") == []
    assert "leads out of the sandbox's root" in box.refused("find", pattern="../*")


def test_find_stops_at_its_limit_and_says_so(box: Box) -> None:
    files(box, *(f"f{n:02}.txt" for n in range(20)))
    text = box.ok("find", pattern="*.txt", limit=5)
    assert text.splitlines()[:5] == ["f00.txt", "f01.txt", "f02.txt", "f03.txt", "f04.txt"]
    assert "[only the first 5 are shown; use a narrower pattern or path]" in text


def test_strange_names_come_out_exactly(box: Box) -> None:
    files(box, *STRANGE)
    assert sorted(paths(box, pattern="*.txt")) == sorted(STRANGE)  # type: ignore
    listed = box.call("ls")
    assert sorted(entry["name"] for entry in listed.data["entries"]) == sorted(STRANGE)  # type: ignore
    assert '"new\\nline.txt"  7' in str(listed.data["text"]).splitlines()
    found = box.call("grep", pattern="needle")
    assert sorted(match["path"] for match in found.data["matches"]) == sorted(STRANGE)  # type: ignore
    for name in STRANGE:
        assert box.ok("read", path=name) == "needle\n"
        box.ok("edit", path=name, old_text="needle", new_text="thread")
        assert box.bytes(name) == b"thread\n"


def test_grep_tells_path_line_and_text(box: Box) -> None:
    box.write("src/a.py", "import os\n\n  x = os.getcwd()\n")
    box.write("b.txt", "nothing\n")
    result = box.call("grep", pattern="os")
    assert result.summary == "2 matches in 1 file"
    assert result.data["text"] == "src/a.py:1:import os\nsrc/a.py:3:  x = os.getcwd()"
    assert result.data["matches"] == [
        {"path": "src/a.py", "line": 1, "text": "import os"},
        {"path": "src/a.py", "line": 3, "text": "  x = os.getcwd()"},
    ]
    assert box.call("grep", pattern="zebra").summary == "no match for 'zebra'"


def test_grep_shows_context_without_repeating_lines(box: Box) -> None:
    box.write("f.txt", "".join(f"{n}\n" for n in "abXdXfghiXk"))
    assert box.ok("grep", pattern="X", context=1) == "\n".join(
        [
            "f.txt-2-b",
            "f.txt:3:X",
            "f.txt-4-d",
            "f.txt:5:X",
            "f.txt-6-f",
            "--",
            "f.txt-9-i",
            "f.txt:10:X",
            "f.txt-11-k",
        ]
    )


@pytest.mark.parametrize(
    ("pattern", "options", "lines"),
    [
        ("foo", {}, [1, 2]),
        ("FOO", {"ignore_case": True}, [1, 2, 3]),
        ("^foo", {}, [1]),
        ("foo$", {}, [2]),
        ("fo+", {"ignore_case": True}, [1, 2, 3]),
        ("a.c", {"literal": True}, [4]),
        ("a.c", {}, [4, 5]),
        ("\\bfoo\\b", {}, [1, 2]),
        ("\u00e9t\u00e9", {}, [6]),
        ("\u00c9T\u00c9", {"ignore_case": True}, [6]),
        ("^.t.$", {}, [6]),
        ("[\u00e8\u00e9]t", {}, [6]),
        ("(", {"literal": True}, [7]),
        ("^$", {}, [8]),
        ("x\\s*", {}, [9]),
        ("foo\\s+bar", {}, []),
        ("end", {}, [10]),
    ],
)
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_grep_matches_line_by_line(
    box: Box, pattern: str, options: dict[str, object], lines: list[int], ending: str
) -> None:
    text = ["foo 1", "bar foo", "bar Foo", "a.c", "abc", "\u00e9t\u00e9", "f(", "", "x", "end"]
    box.write("f.txt", ending.join(text))
    result = box.call("grep", pattern=pattern, **options)
    assert [match["line"] for match in result.data["matches"]] == lines  # type: ignore


def test_a_bad_pattern_is_refused_with_its_place(box: Box) -> None:
    message = box.refused("grep", pattern="a[")
    assert "'a[' is not a valid regular expression" in message
    assert "literal=true" in message
    if sys.platform != "emscripten":
        assert "at position 1" in message
    assert "line break" in box.refused("grep", pattern="a\nb")
    assert "pattern" in box.refused("grep", pattern="")


@pytest.mark.skipif(sys.platform != "emscripten", reason="CPython's own engine cannot be stopped")
def test_no_pattern_holds_up_the_search(box: Box) -> None:
    box.write("f.txt", "a" * 40_000 + "b\n")
    assert box.call("grep", pattern="(a+)+$").summary == "no match for '(a+)+$'"


def test_a_match_in_a_minified_line_is_cut_around_the_hit(box: Box) -> None:
    box.write("vendor.min.js", "x=1;" * 22_500 + "stats();" + "y=2;" * 60_000)
    box.write("src/a.py", "stats = 1\n")
    result = box.call("grep", pattern="stats")
    text = str(result.data["text"])
    assert "src/a.py:1:stats = 1" in text
    assert "stats();" in text
    assert "\u2026" in text
    assert len(text) < 1_500
    assert result.data["clipped"] is True
    assert "lines longer than 400 characters are cut around the match" in text


def test_grep_stops_at_its_limits_and_says_so(box: Box) -> None:
    box.write("f.txt", "needle\n" * 1000)
    text = box.ok("grep", pattern="needle")
    assert text.count("f.txt:") == 200
    assert "only the first 200 matching lines are shown" in text
    box.write("f.txt", ("needle" + "x" * 300 + "\n") * 1000)
    text = box.ok("grep", pattern="needle", limit=1000)
    assert len(text) < 52_000
    assert "stopped after 50 KB of matches" in text


def test_the_exact_number_of_matches_is_no_cut(box: Box) -> None:
    box.write("f.txt", "needle\n" * 3)
    assert box.ok("grep", pattern="needle", limit=3) == "f.txt:1:needle\nf.txt:2:needle\nf.txt:3:needle"


def test_files_that_are_too_large_are_named(box: Box) -> None:
    box.write("huge.log", b"needle in a log\n" * 3_200_000)
    box.write("a.txt", "needle\n")
    result = box.call("grep", pattern="needle")
    assert result.data["text"] == "a.txt:1:needle\n[1 file larger than 20 MB not searched: huge.log]"
    assert result.data["complete"] is False


def test_large_files_are_searched_to_their_end(box: Box) -> None:
    for n in range(2):
        box.write(f"f{n}.log", b"filler line\n" * 800_000 + b"before\nneedle\nafter\n")
    assert box.ok("grep", pattern="needle", context=1).splitlines() == [
        "f0.log-800001-before",
        "f0.log:800002:needle",
        "f0.log-800003-after",
        "--",
        "f1.log-800001-before",
        "f1.log:800002:needle",
        "f1.log-800003-after",
    ]


def test_binary_files_are_skipped_or_refused_by_name(box: Box) -> None:
    box.write("a.bin", b"needle\x00needle")
    box.write("late.bin", b"needle" + b" " * 4000 + b"\x00")
    box.write("b.txt", b"caf\xe9 needle\n")
    assert box.ok("grep", pattern="needle") == "b.txt:1:caf\ufffd needle"
    assert "a.bin is not text (binary file)" in box.refused("grep", pattern="needle", path="a.bin")


def test_a_glob_narrows_the_files(box: Box) -> None:
    files(box, "src/a.py", "src/sub/b.py", "src/c.txt", "d.py")
    assert box.ok("grep", pattern="needle", glob="*.py", path="src").splitlines() == [
        "src/a.py:1:needle",
        "src/sub/b.py:1:needle",
    ]
    assert box.ok("grep", pattern="needle", glob="src/*.py") == "src/a.py:1:needle"


def test_a_bom_is_neither_matched_nor_shown(box: Box) -> None:
    box.write("f.txt", b"\xef\xbb\xbfneedle\n")
    assert box.ok("grep", pattern="^needle") == "f.txt:1:needle"
