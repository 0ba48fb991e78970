"""What a preview starts from: the project's page, or the script that stands for one."""

import posixpath
from dataclasses import dataclass

from ..errors import PathNotFoundError, SandboxError
from ..files import FileSystem
from .page import PreviewPage, default_page, read_page

SCRIPTS = tuple(
    f"{stem}.{extension}"
    for stem in ("src/main", "src/index", "main", "index")
    for extension in ("tsx", "jsx", "ts", "js")
)
_PROJECT_MARKS = ("package.json", "tsconfig.json", "index.html")
_NOT_SOURCES = ("node_modules", "dist", "build", "out", "public", "src")


class EntryNotFoundError(SandboxError):
    """There is nothing to build: no page, no script under a usual name, or not the one asked for."""


@dataclass(frozen=True)
class Project:
    """A page to build and the folder that a server of the project would serve."""

    page: PreviewPage
    root: str
    """Relative to the sandbox's root, where it is ''."""


async def find_project(fs: FileSystem, entry: str | None = None) -> Project:
    """Find what to build: `entry` (a page or a script), or else what the project has.

    Without `entry` that is index.html, or one of `SCRIPTS`, at the root or in the only sub-folder that has
    one. Raises EntryNotFoundError saying where it looked.
    """
    if entry is not None:
        return await _named(fs, entry)
    if found := await _in_folder(fs, ""):
        return found
    folders = [
        stat.path
        for stat in await fs.list()
        if stat.kind == "directory" and not stat.path.startswith(".") and stat.path not in _NOT_SOURCES
    ]
    projects = [project for folder in folders if (project := await _in_folder(fs, folder))]
    if len(projects) == 1:
        return projects[0]
    if projects:
        entries = ", ".join(project.page.path for project in projects)
        raise EntryNotFoundError(f"several projects here; name one with entry: {entries}")
    raise EntryNotFoundError(
        "nothing to build: there is no index.html and no src/main, src/index, main or index "
        "(.tsx, .jsx, .ts, .js); write one of them, or name the file with entry"
    )


async def _named(fs: FileSystem, entry: str) -> Project:
    path = posixpath.normpath(entry).removeprefix("/project").lstrip("/")
    try:
        stat = await fs.stat(entry)
    except PathNotFoundError:
        raise EntryNotFoundError(f"entry {entry} does not exist") from None
    if stat.kind == "directory":
        if found := await _in_folder(fs, "" if path == "." else path):
            return found
        raise EntryNotFoundError(f"entry {entry} is a directory without index.html, src/main.tsx or the like")
    folder = posixpath.dirname(path)
    if path.endswith((".html", ".htm")):
        return Project(read_page(await fs.read_text(path), path), folder)
    while folder and not await _has_any(fs, folder, _PROJECT_MARKS):
        folder = posixpath.dirname(folder)
    return Project(default_page(path), folder)


async def _in_folder(fs: FileSystem, folder: str) -> Project | None:
    page = posixpath.join(folder, "index.html")
    if await fs.exists(page):
        return Project(read_page(await fs.read_text(page), page), folder)
    for name in SCRIPTS:
        script = posixpath.join(folder, name)
        if await fs.exists(script):
            return Project(default_page(script), folder)
    return None


async def _has_any(fs: FileSystem, folder: str, names: tuple[str, ...]) -> bool:
    for name in names:
        if await fs.exists(posixpath.join(folder, name)):
            return True
    return False
