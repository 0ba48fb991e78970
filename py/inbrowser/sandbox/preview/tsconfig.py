"""What a preview needs of a project's tsconfig.json: import aliases, how classes and decorators compile."""

import posixpath
import re
from dataclasses import dataclass, field
from typing import Any, cast

from ... import safejson
from ..errors import SandboxError
from ..files import FileSystem

_KEPT = ("experimentalDecorators", "useDefineForClassFields")
_COMMENT = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_LAST_COMMA = re.compile(r'"(?:\\.|[^"\\])*"|,(?=\s*[}\]])', re.DOTALL)


class TsConfigError(SandboxError):
    """A tsconfig.json that cannot be read as JSON with comments."""


@dataclass
class TsConfig:
    """Import aliases and compiler options; paths are relative to the sandbox's root."""

    base_url: str | None = None
    paths: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """Patterns with at most one `*`, and where what they match may be, best first."""
    options: dict[str, bool] = field(default_factory=dict[str, bool])


async def read_tsconfig(fs: FileSystem, folder: str) -> TsConfig:
    """Read tsconfig.json or jsconfig.json in `folder`, with what it extends and refers to.

    Without one everything is left at its default. Raises TsConfigError naming the file.
    """
    for name in ("tsconfig.json", "jsconfig.json"):
        path = posixpath.join(folder, name)
        if await fs.exists(path):
            return await _read(fs, path, set())
    return TsConfig()


async def _read(fs: FileSystem, path: str, seen: set[str]) -> TsConfig:
    seen.add(path)
    content = _parse(await fs.read_text(path), path)
    folder = posixpath.dirname(path)
    config = TsConfig()
    # A later one wins, the file itself above all; referenced projects only fill in what is missing.
    for parent in _others(content.get("extends"), folder):
        if parent not in seen and await fs.exists(parent):
            _overlay(config, await _read(fs, parent, seen))
    options = content.get("compilerOptions")
    if isinstance(options, dict):
        _overlay(config, _from_options(cast(dict[str, Any], options), folder))
    references = content.get("references")
    for reference in cast(list[Any], references) if isinstance(references, list) else []:
        target = cast(dict[str, Any], reference).get("path") if isinstance(reference, dict) else None
        for other in _others(target, folder):
            if not config.paths and other not in seen and await fs.exists(other):
                _overlay(config, await _read(fs, other, seen))
    return config


def _others(value: Any, folder: str) -> list[str]:
    """Return the files that an `extends` or a reference may name; packages are none of ours."""
    names = cast(list[Any], value) if isinstance(value, list) else [value]
    found: list[str] = []
    for name in names:
        if isinstance(name, str) and name.startswith("."):
            path = posixpath.normpath(posixpath.join(folder, name))
            found.append(path if path.endswith(".json") else f"{path}.json")
            if not path.endswith(".json"):
                found.append(posixpath.join(path, "tsconfig.json"))
    return found


def _from_options(options: dict[str, Any], folder: str) -> TsConfig:
    base = options.get("baseUrl")
    base_url = posixpath.normpath(posixpath.join(folder, base)) if isinstance(base, str) else None
    paths: dict[str, list[str]] = {}
    written = options.get("paths")
    for pattern, targets in cast(dict[str, Any], written).items() if isinstance(written, dict) else ():
        if isinstance(targets, list):
            start = folder if base_url is None else base_url
            paths[pattern] = [
                posixpath.normpath(posixpath.join(start, target))
                for target in cast(list[Any], targets)
                if isinstance(target, str)
            ]
    kept = {key: value for key in _KEPT if isinstance(value := options.get(key), bool)}
    return TsConfig(base_url, paths, kept)


def _overlay(config: TsConfig, other: TsConfig) -> None:
    if other.base_url is not None:
        config.base_url = other.base_url
    config.paths = other.paths or config.paths
    config.options |= other.options


def _parse(text: str, path: str) -> dict[str, Any]:
    """Parse JSON with comments and trailing commas."""
    plain = text.removeprefix("\ufeff")
    for unwanted in (_COMMENT, _LAST_COMMA):
        plain = unwanted.sub(lambda found: found[0] if found[0].startswith('"') else " ", plain)
    try:
        content = safejson.loads(plain, what=path)
    except safejson.JsonError as error:
        raise TsConfigError(str(error)) from None
    if not isinstance(content, dict):
        raise TsConfigError(f"{path} must hold a JSON object")
    return cast(dict[str, Any], content)
