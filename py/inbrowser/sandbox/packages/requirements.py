"""Requirements as people write them: on a command line, in requirements files."""

import re
import shlex
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from urllib.parse import unquote

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import InvalidWheelFilename, parse_wheel_filename
from packaging.version import InvalidVersion

from .records import Failure

MAX_DEPTH = 10
_HASH = re.compile(r"\s+--hash[= ]sha256:([0-9a-fA-F]{64})\b")
_OTHER_HASH = re.compile(r"\s+--hash[= ]\S+")
_ADDRESS = re.compile(r"^[a-z][a-z0-9+.-]*://", re.IGNORECASE)


@dataclass(frozen=True)
class Wanted:
    """One requirement that was asked for."""

    text: str
    """As it was written, hashes left out."""
    requirement: Requirement
    hashes: tuple[str, ...] = ()
    path: str | None = None
    """The wheel's path in the tree, of one that is there."""


@dataclass
class RequirementsFile:
    """What a requirements file holds."""

    requirements: list[str] = field(default_factory=list[str])
    index_url: str | None = None
    extra_index_urls: list[str] = field(default_factory=list[str])
    require_hashes: bool = False
    prereleases: bool = False


def parse_requirement(text: str) -> "Wanted | Failure":
    """Read one requirement, with its hashes; a failure says what is wrong with it."""
    hashes = tuple(digest.lower() for digest in _HASH.findall(text))
    bare = _HASH.sub("", text).strip()
    if _OTHER_HASH.search(bare):
        return Failure(requirement=text, kind="invalid", message="only --hash=sha256:... is supported")
    if bare.startswith(("git+", "hg+", "svn+", "bzr+")) or " @ git+" in bare:
        return Failure(
            requirement=bare,
            kind="invalid",
            message="there is no way to build from a repository here; give a wheel",
        )
    if re.search(r"\.(tar\.gz|zip|tar\.bz2)(#|$)", bare):
        return Failure(
            requirement=bare,
            kind="invalid",
            message="it is a source archive, which cannot be built here; give a wheel",
        )
    path = None
    line = bare
    if bare.partition("#")[0].endswith(".whl") and " @ " not in bare:
        filename = unquote(bare.partition("#")[0].rpartition("/")[2])
        try:
            name = parse_wheel_filename(filename)[0]
        except (InvalidWheelFilename, InvalidVersion) as error:
            return Failure(requirement=bare, kind="invalid", message=str(error))
        if not _ADDRESS.match(bare):
            path = bare
            line = f"{name} @ file:///wheels/{filename}"
        else:
            line = f"{name} @ {bare}"
    elif bare in (".", "..") or bare.startswith(("./", "../", "/")):
        message = "a directory cannot be built here; its modules can be imported from the project's root"
        return Failure(requirement=bare, kind="invalid", message=message)
    try:
        requirement = Requirement(line)
    except InvalidRequirement as error:
        return Failure(
            requirement=bare, kind="invalid", message=f"it cannot be read: {str(error).splitlines()[0]}"
        )
    return Wanted(bare, requirement, hashes, path)


async def read_requirements_file(
    path: str, read: Callable[[str], Awaitable[str]], into: RequirementsFile | None = None, depth: int = 0
) -> RequirementsFile:
    """Read a requirements file and those it names.

    Raises ValueError with the line at fault, and what `read` raises.
    """
    found = into or RequirementsFile()
    if depth > MAX_DEPTH:
        raise ValueError(f"{path}: requirements files that name each other, more than {MAX_DEPTH} deep")
    text = re.sub(r"\\\r?\n", " ", await read(path))
    for number, raw in enumerate(text.splitlines(), 1):
        line = re.sub(r"(^|\s)#.*$", "", raw).strip()
        if not line:
            continue
        if not line.startswith("-"):
            found.requirements.append(line)
            continue
        option, _, value = (
            shlex.join(shlex.split(line)).partition(" ") if " " in line else line.partition("=")
        )
        value = value.strip().strip("'\"")
        match option:
            case "-r" | "--requirement":
                folder = path.rpartition("/")[0]
                await read_requirements_file(f"{folder}/{value}" if folder else value, read, found, depth + 1)
            case "-i" | "--index-url":
                found.index_url = value
            case "--extra-index-url":
                found.extra_index_urls.append(value)
            case "--require-hashes":
                found.require_hashes = True
            case "--pre":
                found.prereleases = True
            case "--no-binary" | "--only-binary" | "--prefer-binary" | "--trusted-host":
                pass
            case _:
                raise ValueError(f"{path}, line {number}: {option} is not supported here")
    return found
