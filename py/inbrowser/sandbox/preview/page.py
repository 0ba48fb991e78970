"""The HTML page of a preview: what it loads, and the same page loading what was built."""

import html
import json
import posixpath
import re
from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Literal
from urllib.parse import unquote, urlsplit

from ..events import Diagnostic

BUILD_FOLDER = "_preview"
"""Where built files live among the page's own; a name that projects do not use."""

SCRIPT = f"{BUILD_FOLDER}/main.js"
SCRIPT_STYLE = f"{BUILD_FOLDER}/main.css"
PAGE_STYLE = f"{BUILD_FOLDER}/page.css"


@dataclass(frozen=True)
class Reference:
    """A file that the page names: its URL as written, and where in the page (both counted from 1)."""

    url: str
    line: int
    column: int


@dataclass(frozen=True)
class InlineScript:
    """A script written in the page itself; `code` keeps the page's line and column numbers."""

    name: str
    code: str


@dataclass(frozen=True)
class StyleSheet:
    """A linked style sheet and the media query it applies to, or ''."""

    reference: Reference
    media: str


@dataclass
class PreviewPage:
    """A page taken apart: modules and style sheets go to the compiler, the rest is loaded as it is."""

    path: str
    """Relative to the sandbox's root; positions in diagnostics refer to it."""
    source: str
    modules: list[Reference | InlineScript] = field(default_factory=list[Reference | InlineScript])
    styles: list[StyleSheet] = field(default_factory=list[StyleSheet])
    scripts: list[Reference | InlineScript] = field(default_factory=list[Reference | InlineScript])
    """Classic scripts; the inline ones become files too, so that their errors have a place."""
    assets: list[Reference] = field(default_factory=list[Reference])
    """Images and the like."""
    diagnostics: list[Diagnostic] = field(default_factory=list[Diagnostic])
    edits: list["Edit"] = field(default_factory=list["Edit"])
    head_end: int = 0
    """The offset before which no module script stands: the import map's place."""

    def render(self, built: Collection[str], names: dict[str, str], imports: dict[str, str]) -> str:
        """Return the page's HTML over built files.

        `built` are the files in the build folder; `names` has the file of each script and asset by its URL as
        written, those without one stay as they were; `imports` is the import map: a file by each bare name.
        """
        head = f'<link rel="stylesheet" href="./{SCRIPT_STYLE}">' if SCRIPT_STYLE in built else ""
        head += _import_map(imports) if imports else ""
        pieces: list[str] = []
        position = 0
        for edit in sorted([*self.edits, Edit(self.head_end, self.head_end, head)], key=Edit.order):
            pieces += self.source[position : edit.start], edit.replacement(built, names)
            position = edit.end
        return "".join(pieces) + self.source[position:]


@dataclass(frozen=True)
class Edit:
    """What to put in the place of one tag."""

    start: int
    end: int
    text: str = ""
    needs: str | None = None
    """The built file without which nothing is put here."""
    url: str | None = None
    """The URL in the tag; `text` is the tag as written, and stays so when there is no file for the URL."""
    attribute: str = ""
    attributes: tuple[tuple[str, str | None], ...] = ()

    def order(self) -> tuple[int, int]:
        """Sort by place; an insertion comes before a replacement that starts there."""
        return self.start, self.end

    def replacement(self, built: Collection[str], names: dict[str, str]) -> str:
        """Return the new text."""
        if self.needs is not None and self.needs not in built:
            return ""
        if self.url is None or self.url not in names:
            return self.text
        attributes = {**dict(self.attributes), self.attribute: f"./{names[self.url]}"}
        tag = re.split(r"[\s/>]", self.text[1:], maxsplit=1)[0].lower()
        for key, value in attributes.items():
            tag += f" {key}" if value is None else f' {key}="{html.escape(value)}"'
        return f"<{tag}>" + ("</script>" if tag.startswith("script ") else "")


def read_page(source: str, path: str) -> PreviewPage:
    """Take the page at `path` apart."""
    parser = _Parser(PreviewPage(path, source))
    parser.feed(source)
    parser.close()
    return parser.page


def default_page(module: str) -> PreviewPage:
    """Return the page of a project without one: an element with the id `root`, and `module` as its script."""
    script = html.escape(f"/{module}")
    return read_page(
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>Preview</title>\n'
        '</head>\n<body>\n<div id="root"></div>\n'
        f'<script type="module" src="{script}"></script>\n</body>\n</html>\n',
        module,
    )


def at_reference(
    severity: Literal["error", "warning"], message: str, file: str, place: Reference
) -> Diagnostic:
    """Return a diagnostic about a reference of the page `file`."""
    return Diagnostic(severity=severity, message=message, file=file, line=place.line, column=place.column)


def is_remote(url: str) -> bool:
    """Tell whether a URL needs a network."""
    return url.startswith("//") or urlsplit(url).scheme in ("http", "https")


def local_paths(url: str, folder: str, roots: Sequence[str]) -> list[str]:
    """Return what a URL on a page in `folder` may mean, best first; `/x` is looked for in `roots`."""
    path = unquote(urlsplit(url).path)
    if path.startswith("/"):
        return [_clean(posixpath.join(root, path.lstrip("/"))) for root in roots]
    return [_clean(posixpath.join(folder, path))]


def _clean(path: str) -> str:
    # As in browsers, '..' stops at the root.
    return posixpath.normpath(f"/{path}").lstrip("/")


def _import_map(imports: dict[str, str]) -> str:
    text = json.dumps({"imports": {name: f"./{path}" for name, path in imports.items()}})
    # Escaped so that no name can end the element.
    return '<script type="importmap">' + text.replace("<", "\\u003c") + "</script>"


_CLASSIC = ("", "text/javascript", "application/javascript", "text/ecmascript")
_COMPILED_BY_A_CDN = ("text/babel", "text/jsx", "text/typescript")
_HINTS = {"preload", "modulepreload", "prefetch", "preconnect", "dns-prefetch"}
_NO_USE_HERE = _HINTS | {"icon", "apple-touch-icon", "manifest"}
_ASSETS = {"img": "src", "source": "src", "video": "src", "audio": "src", "track": "src", "input": "src"}


class _Parser(HTMLParser):
    """Notes what is to be replaced; everything else stays as written, byte for byte."""

    def __init__(self, page: PreviewPage) -> None:
        super().__init__(convert_charrefs=False)
        self.page = page
        self._line_starts = [0]
        for line in page.source.split("\n"):
            self._line_starts.append(self._line_starts[-1] + len(line) + 1)
        self._script: tuple[int, str, dict[str, str | None]] | None = None
        self._head_ended = False
        self._placed: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        start, text, attributes = self._offset(), self.get_starttag_text() or "", dict(attrs)
        if tag == "script":
            self._script = start, text, attributes
        elif tag == "link":
            self._link(start, text, attributes)
        elif tag == "base":
            self._edit(Edit(start, start + len(text)))
        elif tag == "body":
            self._end_head(start)
        elif tag in _ASSETS:
            self._asset(start, text, _ASSETS[tag], attributes)

    def handle_endtag(self, tag: str) -> None:
        if tag == "head":
            self._end_head(self._offset())
        elif tag == "script" and self._script:
            end = self.page.source.find(">", self._offset()) + 1
            self._add_script(*self._script, end or len(self.page.source))
            self._script = None

    def _add_script(self, start: int, tag: str, attributes: dict[str, str | None], end: int) -> None:
        kind, url = (attributes.get("type") or "").strip().lower(), attributes.get("src")
        place = self._reference(url or "", start)
        if kind == "importmap":
            self._edit(Edit(start, end))
        elif kind in _COMPILED_BY_A_CDN:
            advice = "move the code to src/main.jsx and load that with <script type=module src=/src/main.jsx>"
            self._complain("error", place, f'type="{kind}" is not compiled here; {advice}')
        elif kind != "module" and kind not in _CLASSIC:
            return
        elif url and is_remote(url):
            self._remote(place, start, end)
        elif kind == "module":
            self.page.modules.append(place if url else self._inline(start, tag))
            self._end_head(start)
            self._edit_once(start, end, f'<script type="module" src="./{SCRIPT}"></script>', SCRIPT)
        else:
            script = place if url else self._inline(start, tag)
            name = script.url if isinstance(script, Reference) else script.name
            self.page.scripts.append(script)
            text = self.page.source[start:end]
            self._edit(Edit(start, end, text, None, name, "src", tuple(attributes.items())))

    def _link(self, start: int, tag: str, attributes: dict[str, str | None]) -> None:
        relations = (attributes.get("rel") or "").lower().split()
        place, end = self._reference(attributes.get("href") or "", start), start + len(tag)
        if "stylesheet" in relations and is_remote(place.url):
            self._remote(place, start, end)
        elif "stylesheet" in relations:
            self.page.styles.append(StyleSheet(place, attributes.get("media") or ""))
            self._edit_once(start, end, f'<link rel="stylesheet" href="./{PAGE_STYLE}">', PAGE_STYLE)
        elif _NO_USE_HERE.intersection(relations):
            self._edit(Edit(start, end))

    def _asset(self, start: int, tag: str, attribute: str, attributes: dict[str, str | None]) -> None:
        url = attributes.get(attribute) or ""
        place = self._reference(url, start)
        if is_remote(url):
            self._complain("warning", place, f"{url} is not loaded: a preview has no network")
        elif url and not urlsplit(url).scheme:
            self.page.assets.append(place)
            self._edit(Edit(start, start + len(tag), tag, None, url, attribute, tuple(attributes.items())))

    def _inline(self, start: int, tag: str) -> InlineScript:
        text_start = start + len(tag)
        line, column = self._position(text_start)
        code = "\n" * (line - 1) + " " * (column - 1) + self.page.source[text_start : self._offset()]
        number = len(self.page.scripts) + len(self.page.modules) + 1
        return InlineScript(f"{BUILD_FOLDER}/inline-{number}.js", code)

    def _remote(self, place: Reference, start: int, end: int) -> None:
        self._complain("warning", place, f"{place.url} is not loaded: a preview has no network")
        self._edit(Edit(start, end))

    def _complain(self, severity: Literal["error", "warning"], place: Reference, message: str) -> None:
        self.page.diagnostics.append(at_reference(severity, message, self.page.path, place))

    def _edit(self, edit: Edit) -> None:
        self.page.edits.append(edit)

    def _edit_once(self, start: int, end: int, text: str, needs: str) -> None:
        # All modules become one file, and so do all style sheets: it goes where the first of them was.
        self._edit(Edit(start, end) if needs in self._placed else Edit(start, end, text, needs))
        self._placed.add(needs)

    def _end_head(self, offset: int) -> None:
        if not self._head_ended:
            self.page.head_end, self._head_ended = offset, True

    def _offset(self) -> int:
        line, column = self.getpos()
        return self._line_starts[line - 1] + column

    def _position(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def _reference(self, url: str, start: int) -> Reference:
        return Reference(url.strip(), *self._position(start))
