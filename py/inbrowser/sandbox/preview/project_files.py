"""Find the files that a project's page names."""

import posixpath
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from ..errors import SandboxError
from ..events import Diagnostic
from ..files import FileSystem
from .compiler import CompilerInput
from .entry import Project
from .page import InlineScript, Reference, at_reference, local_paths
from .tsconfig import TsConfig, TsConfigError, read_tsconfig


@dataclass(frozen=True)
class ProjectFiles:
    """What a page names: modules and style sheets for the compiler, everything else as it is."""

    entry: str
    """The page's one module, or else the page."""
    source: CompilerInput
    files: dict[str, bytes]
    """What the page loads as it is."""
    names: dict[str, str]
    """The file of each URL of the page."""
    copies: dict[str, str]
    """The author's file of each of `files` that is a script."""
    diagnostics: list[Diagnostic]


async def collect(fs: FileSystem, project: Project) -> ProjectFiles:
    """Find the files that the page names; a missing script or style sheet is an error, an image a warning."""
    page = project.page
    folder = posixpath.dirname(page.path) if page.path.endswith((".html", ".htm")) else project.root
    roots = (project.root, posixpath.join(project.root, "public"), "")
    diagnostics = list(page.diagnostics)

    async def find(reference: Reference, severity: Literal["error", "warning"] = "error") -> str | None:
        for path in local_paths(reference.url, folder, roots):
            # A name that no file can have, or a link out of the project, is a file that does not exist.
            with suppress(SandboxError):
                if (await fs.stat(path)).kind == "file":
                    return path
        diagnostics.append(at_reference(severity, f"{reference.url} does not exist", page.path, reference))
        return None

    try:
        tsconfig = await read_tsconfig(fs, project.root)
    except TsConfigError as error:
        tsconfig = TsConfig()
        diagnostics.append(Diagnostic(severity="error", message=str(error)))
    source = CompilerInput(project.root, [], [], [], tsconfig)
    files: dict[str, bytes] = {}
    names: dict[str, str] = {}
    copies: dict[str, str] = {}
    for module in page.modules:
        if isinstance(module, InlineScript):
            source.modules.append({"page": page.path, "code": module.code})
        elif path := await find(module):
            source.modules.append({"path": path})
    for style in page.styles:
        if path := await find(style.reference):
            source.styles.append({"path": path, "media": style.media})
    for script in page.scripts:
        if isinstance(script, InlineScript):
            name, code, origin = script.name, script.code.encode(), page.path
            names[name] = name
        elif path := await find(script):
            name, code, origin = path, await fs.read_bytes(path), path
            names[script.url] = path
        else:
            continue
        files[name] = code
        copies[name] = origin
        source.scripts.append({"file": origin, "code": code.decode(errors="replace")})
    for asset in page.assets:
        if path := await find(asset, "warning"):
            files[path] = await fs.read_bytes(path)
            names[asset.url] = path
    entry = source.modules[0].get("path") if len(page.modules) == len(source.modules) == 1 else None
    return ProjectFiles(entry or page.path, source, files, names, copies, diagnostics)
