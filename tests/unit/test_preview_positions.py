"""Messages of the compiler and errors of running pages, told in the author's places."""

from inbrowser.sandbox.preview.diagnostics import CompilerMessage, describe, to_diagnostic
from inbrowser.sandbox.preview.positions import BuildPositions
from inbrowser.sandbox.preview.source_map import SourceMap, SourcePosition

# Made by esbuild of src/a.ts, `export function f() {\n  throw new Error("x");\n}`, and main.ts,
# `import { f } from "./src/a";\nf();`; the built lines are below.
MAP = (
    '{"version":3,"sources":["src/a.ts","main.ts"],"sourcesContent":[],"names":[],'
    '"mappings":";AAAO,SAAS,IAAI;AAClB,QAAM,IAAI,MAAM,GAAG;AACrB;;;ACDA,EAAE;"}'
)
BUILT = ["// src/a.ts", "function f() {", '  throw new Error("x");', "}", "", "// main.ts", "f();"]


def positions() -> BuildPositions:
    return BuildPositions({"main.js": SourceMap(MAP)}, {"_preview/inline-1.js": "index.html"})


def test_a_built_place_is_found_in_its_source() -> None:
    source_map = SourceMap(MAP)
    throw = BUILT[2].index("throw") + 1
    assert source_map.locate(3, throw) == SourcePosition("src/a.ts", 2, 3)
    assert source_map.locate(3, BUILT[2].index("new") + 1) == SourcePosition("src/a.ts", 2, 9)
    assert source_map.locate(7, 1) == SourcePosition("main.ts", 2, 1)


def test_a_place_outside_the_map_has_no_source() -> None:
    source_map = SourceMap(MAP)
    assert source_map.locate(1, 1) is None
    assert source_map.locate(99, 1) is None
    assert source_map.locate(0, 1) is None


def test_a_stack_trace_is_translated_and_packages_stay() -> None:
    package = "    at react (_preview/package/react.js:3:4)"
    built = f"    at f (main.js:3:9)\n    at main.js:7:1\n{package}\n    at _preview/inline-1.js:5:2"
    assert positions().translate(f"Error: x\n{built}") == (
        f"Error: x\n    at f (src/a.ts:2:9)\n    at main.ts:2:1\n{package}\n    at index.html:5:2"
    )


def test_the_first_place_of_the_author_is_where_an_error_of_a_package_came_from() -> None:
    stack = "Error\n    at react (_preview/package/react.js:3:4)\n    at main.js:7:2"
    assert positions().first_in(stack) == SourcePosition("main.ts", 2, 1)
    assert positions().first_in("Error\n    at native code") is None


def test_a_firefox_stack_is_understood() -> None:
    assert positions().translate("f@main.js:3:9\n@main.js:7:1") == "f@src/a.ts:2:9\n@main.ts:2:1"


def test_columns_count_characters_from_one() -> None:
    text = 'const s = "日本😀"; oops('
    message = CompilerMessage(
        "error", "Unexpected", "src/a.ts", line=4, column=len(text[:17].encode()), length=4, line_text=text
    )
    diagnostic = to_diagnostic(message)
    assert (diagnostic.line, diagnostic.column) == (4, text.index("oops") + 1)
    assert diagnostic.frame == f"4 | {text}\n  | {' ' * text.index('oops')}^^^^"


def test_the_marker_stands_under_tabs() -> None:
    message = CompilerMessage("error", "x", "a.ts", line=10, column=2, length=1, line_text="\t\tx")
    assert to_diagnostic(message).frame == "10 | \t\tx\n   | \t\t^"


def test_a_long_line_is_cut_around_the_place() -> None:
    text = "a" * 5000 + "HERE" + "b" * 5000
    frame = to_diagnostic(CompilerMessage("error", "x", "a.js", 1, 5000, 4, text)).frame
    assert frame is not None
    shown, marker = frame.split("\n")
    assert len(shown) < 200
    assert shown[marker.index("^") : marker.index("^") + 4] == "HERE"
    assert marker.count("^") == 4


def test_prefixes_of_the_compiler_are_removed() -> None:
    message = CompilerMessage(
        "error",
        'No matching export in "inbrowser-package:react" for import "useStat"',
        "inbrowser-inline:index.html?0",
        line=1,
        notes=["Did you mean useState?"],
        exports=["useState", "useMemo"],
    )
    diagnostic = to_diagnostic(message)
    assert diagnostic.file == "index.html"
    said = 'No matching export in "react" for import "useStat". Did you mean useState?'
    assert diagnostic.message == f"{said} It exports useState, useMemo"


def test_a_diagnostic_reads_as_one_place_and_one_sentence() -> None:
    diagnostic = to_diagnostic(CompilerMessage("warning", "odd.", "a.ts", 2, 0, 1, "x"))
    assert describe(diagnostic) == "a.ts:2:1: warning: odd\n2 | x\n  | ^"
    assert describe(to_diagnostic(CompilerMessage("error", "broken"))) == "error: broken"
