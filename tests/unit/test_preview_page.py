"""A project's page taken apart for the compiler and put together again over built files."""

from inbrowser.sandbox.preview.page import (
    PAGE_STYLE,
    SCRIPT,
    SCRIPT_STYLE,
    InlineScript,
    Reference,
    default_page,
    local_paths,
    read_page,
)


def urls(found: list[Reference | InlineScript]) -> list[str]:
    return [item.url if isinstance(item, Reference) else item.name for item in found]


def test_a_module_script_and_its_style_sheet_are_loaded_from_the_build() -> None:
    page = read_page(
        '<!doctype html>\n<head><title>x</title></head>\n<script type="module" src="/src/main.tsx"></script>',
        "index.html",
    )
    assert urls(page.modules) == ["/src/main.tsx"]
    html = page.render([SCRIPT, SCRIPT_STYLE], {}, {"react": "_preview/package/react.js"})
    assert html == (
        '<!doctype html>\n<head><title>x</title><link rel="stylesheet" href="./_preview/main.css">'
        '<script type="importmap">{"imports": {"react": "./_preview/package/react.js"}}</script></head>\n'
        '<script type="module" src="./_preview/main.js"></script>'
    )


def test_the_import_map_comes_before_a_module_script_in_the_head() -> None:
    page = read_page('<head><script type="module" src="a.js"></script></head>', "index.html")
    html = page.render([SCRIPT], {}, {"react": "r.js"})
    assert html.index("importmap") < html.index('type="module"')


def test_all_modules_become_one_script_in_the_place_of_the_first() -> None:
    page = read_page(
        '<body><script type="module" src="a.js"></script>\n<script type=module>import "./b.js"</script>',
        "index.html",
    )
    assert len(page.modules) == 2
    assert page.render([SCRIPT], {}, {}).count("<script") == 1


def test_linked_styles_are_collected_with_their_media() -> None:
    page = read_page(
        '<link rel="stylesheet" href="a.css">\n<LINK REL=stylesheet media="print" href="b.css" />',
        "index.html",
    )
    assert [(style.reference.url, style.media) for style in page.styles] == [
        ("a.css", ""),
        ("b.css", "print"),
    ]
    assert page.render([PAGE_STYLE], {}, {}) == '<link rel="stylesheet" href="./_preview/page.css">\n'


def test_inline_scripts_keep_their_lines_and_columns() -> None:
    page = read_page("<body>\n  <script>\nlet a;</script><script>let b</script>", "index.html")
    first, second = (script for script in page.scripts if isinstance(script, InlineScript))
    assert first.code.split("\n")[2] == "let a;"
    line = second.code.split("\n")[2]
    assert line.strip() == "let b"
    assert line.index("let b") == page.source.split("\n")[2].index("let b")


def test_an_inline_script_on_one_line_becomes_a_file() -> None:
    page = read_page("<script>document.write('<p>a b</p>')</script>c", "index.html")
    html = page.render([], {"_preview/inline-1.js": "_preview/inline-1.js"}, {})
    assert html == '<script src="./_preview/inline-1.js"></script>c'


def test_a_classic_script_keeps_its_attributes() -> None:
    page = read_page('<script defer src="/app.js" data-x="a>b"></script>', "index.html")
    assert urls(page.scripts) == ["/app.js"]
    html = page.render([], {"/app.js": "app.js"}, {})
    assert html == '<script defer src="./app.js" data-x="a&gt;b"></script>'


def test_an_image_that_does_not_exist_stays_as_written() -> None:
    source = "<img   src='logo.png' alt=\"x\">"
    page = read_page(source, "index.html")
    assert page.render([], {}, {}) == source
    assert page.render([], {"logo.png": "img/logo.png"}, {}) == '<img src="./img/logo.png" alt="x">'


def test_what_needs_a_network_is_left_out_and_told() -> None:
    page = read_page(
        '<head>\n<script src="https://cdn.example/x.js"></script>\n'
        '<link rel="stylesheet" href="//fonts.example/f.css"></head>',
        "sub/index.html",
    )
    assert "example" not in page.render([], {}, {})
    assert [(d.severity, d.file, d.line, d.column) for d in page.diagnostics] == [
        ("warning", "sub/index.html", 2, 1),
        ("warning", "sub/index.html", 3, 1),
    ]
    assert "https://cdn.example/x.js" in page.diagnostics[0].message


def test_jsx_for_a_compiler_from_a_cdn_is_an_error_that_says_what_to_do() -> None:
    page = read_page('<script type="text/babel">const a = <i/>;</script>', "index.html")
    (diagnostic,) = page.diagnostics
    assert diagnostic.severity == "error"
    assert "src/main.jsx" in diagnostic.message


def test_everything_else_stays_byte_for_byte() -> None:
    source = (
        "\ufeff<!DOCTYPE html>\r\n<HTML lang='de'><!-- <script src=x> -->\r\n"
        '<body onload="go()">&amp; &nbsp;<p>a<br/>ü 😀\u2028</p>'
        '<script type="application/json">{"a": 1}</script>'
    )
    assert read_page(source, "index.html").render([], {}, {}) == source


def test_an_import_map_cannot_end_its_own_element() -> None:
    html = default_page("main.js").render([SCRIPT], {}, {"</script>": "a.js"})
    assert html.count("</script>") == 2


def test_a_url_means_the_file_that_a_server_of_the_project_would_send() -> None:
    roots = ("app", "app/public", "")
    assert local_paths("/logo%20a.svg?v=1#x", "app/pages", roots) == [
        "app/logo a.svg",
        "app/public/logo a.svg",
        "logo a.svg",
    ]
    assert local_paths("../lib/x.js", "app/pages", roots) == ["app/lib/x.js"]
    assert local_paths("../../../../etc/passwd", "app", roots) == ["etc/passwd"]


def test_the_default_page_has_a_root_and_the_script() -> None:
    page = default_page("src/main.tsx")
    assert urls(page.modules) == ["/src/main.tsx"]
    assert '<div id="root"></div>' in page.render([SCRIPT], {}, {})
