"""What a preview starts from, and which import aliases a project has."""

import asyncio
from pathlib import Path

import pytest
from inbrowser.sandbox.files import DirectoryFileSystem
from inbrowser.sandbox.preview import EntryNotFoundError
from inbrowser.sandbox.preview.entry import Project, find_project
from inbrowser.sandbox.preview.tsconfig import TsConfig, TsConfigError, read_tsconfig


def project(root: Path, *names: str) -> DirectoryFileSystem:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("")
    return DirectoryFileSystem(str(root))


def find(fs: DirectoryFileSystem, entry: str | None = None) -> Project:
    return asyncio.run(find_project(fs, entry))


def aliases(root: Path, **files: str) -> TsConfig:
    for name, text in files.items():
        (root / f"{name}.json").write_text(text)
    return asyncio.run(read_tsconfig(DirectoryFileSystem(str(root)), ""))


@pytest.mark.parametrize(
    ("files", "page"),
    [
        (["index.html", "src/main.tsx"], "index.html"),
        (["src/main.tsx", "main.js"], "src/main.tsx"),
        (["main.jsx", "index.ts"], "main.jsx"),
        (["index.js", "readme.md"], "index.js"),
        (["app/index.html", "docs/notes.md"], "app/index.html"),
        (["dist/index.html", ".git/index.html", "game/main.js"], "game/main.js"),
    ],
)
def test_a_project_is_found_by_its_usual_names(tmp_path: Path, files: list[str], page: str) -> None:
    assert find(project(tmp_path, *files)).page.path == page


def test_nothing_to_build_says_what_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(EntryNotFoundError, match=r"index\.html.*src/main"):
        find(project(tmp_path, "readme.md"))


def test_several_projects_are_listed(tmp_path: Path) -> None:
    with pytest.raises(EntryNotFoundError, match=r"one/index\.html, two/src/main\.tsx"):
        find(project(tmp_path, "one/index.html", "two/src/main.tsx"))


@pytest.mark.parametrize("entry", ["app/src/other.tsx", "/project/app/src/other.tsx", "./app/src/other.tsx"])
def test_a_named_script_belongs_to_the_project_around_it(tmp_path: Path, entry: str) -> None:
    found = find(project(tmp_path, "app/package.json", "app/src/other.tsx", "index.html"), entry)
    assert (found.page.path, found.root) == ("app/src/other.tsx", "app")


def test_a_named_folder_is_looked_into(tmp_path: Path) -> None:
    assert find(project(tmp_path, "one/index.html", "two/main.ts"), "two").page.path == "two/main.ts"


def test_a_named_entry_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(EntryNotFoundError, match=r"src/none\.tsx does not exist"):
        find(project(tmp_path, "index.html"), "src/none.tsx")


def test_tsconfig_may_have_comments_and_trailing_commas(tmp_path: Path) -> None:
    config = aliases(
        tmp_path,
        tsconfig="""\ufeff{
          // aliases, see "paths"
          "compilerOptions": { /* , } */
            "baseUrl": "./src",
            "paths": { "@/*": ["*", "../lib/*"], "url": ["http://x//y"], },
            "experimentalDecorators": true, "strict": true,
          },
        }""",
    )
    assert config.base_url == "src"
    assert config.paths["@/*"] == ["src/*", "lib/*"]
    assert config.options == {"experimentalDecorators": True}


def test_paths_of_a_referenced_or_extended_config_count(tmp_path: Path) -> None:
    config = aliases(
        tmp_path,
        tsconfig='{"files": [], "references": [{"path": "./tsconfig.node.json"}, {"path": "./app"}]}',
        app='{"extends": "./base"}',
        base='{"compilerOptions": {"paths": {"~/*": ["./src/*"]}}, "extends": "./app.json"}',
    )
    assert config.paths == {"~/*": ["src/*"]}


@pytest.mark.parametrize("text", ['{"compilerOptions": {', "[]", "[" * 5000])
def test_a_broken_tsconfig_is_named(tmp_path: Path, text: str) -> None:
    with pytest.raises(TsConfigError, match=r"tsconfig\.json"):
        aliases(tmp_path, tsconfig=text)


def test_odd_values_in_tsconfig_mean_nothing(tmp_path: Path) -> None:
    odd = (
        '{"extends": 5, "references": {}, "compilerOptions": {"baseUrl": [], "paths": {"a": "b", "c": [1]}}}'
    )
    assert aliases(tmp_path, tsconfig=odd) == TsConfig(None, {"c": []}, {})
