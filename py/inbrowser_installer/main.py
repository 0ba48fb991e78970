"""One installation: what it is asked for, and what it answers; both are JSON.

The request has `requirements` (each `text` and `hashes`), `installed` and `bundled` (each `name`, `version`,
`sha256`, `requires`, `extras`), `indexUrls`, `distributionUrl`, `patience` (seconds), `upgrade`,
`dependencies`, `prereleases`.
The reply has `packages` (to be installed from packs), `bundled`, `satisfied` and `builtin` (names),
`problems` (`requirement`, `kind`, `message`; if there are any there is nothing else) and `warnings`. Posted
meanwhile are `progress` (`package`, `phase`, `loaded`, `total`) and `pack` (`sha256`) with the pack's bytes.
"""
# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false

import asyncio
import hashlib
import json
from collections.abc import Callable
from typing import Any

from micropip._vendored.packaging.src.packaging.requirements import InvalidRequirement, Requirement
from micropip._vendored.packaging.src.packaging.utils import canonicalize_name
from micropip._vendored.packaging.src.packaging.version import Version

from .fetching import Downloads, FetchError
from .index import File, Index
from .metadata import Metadata, parse_metadata
from .packing import BadWheelError, make_pack
from .resolving import Known, Plan, Resolver, Root
from .wheels import Wheels

Post = Callable[[str, bytes | None], None]


async def main(request: str, post: Post) -> str:
    """Do what `request` asks for; nothing is posted as a pack before all is resolved and downloaded."""
    asked = json.loads(request)
    problems: list[dict[str, str]] = []
    roots = [root for each in asked["requirements"] if (root := _root(each, problems))]
    if problems:
        return json.dumps({"problems": problems})

    def on_progress(package: str, phase: str, loaded: int, total: int | None) -> None:
        message = {"type": "progress", "package": package, "phase": phase, "loaded": loaded, "total": total}
        post(json.dumps(message), None)

    downloads = Downloads(asked.get("patience", 60))
    index = Index(downloads, asked.get("indexUrls"), asked.get("distributionUrl"))
    wheels = Wheels(downloads, on_progress)
    resolver = Resolver(
        index,
        wheels,
        {each["name"]: _known(each, is_installed=True) for each in asked["installed"]},
        {each["name"]: _known(each, is_installed=False) for each in asked["bundled"]},
        upgrade=asked.get("upgrade", False),
        with_dependencies=asked.get("dependencies", True),
        prereleases=asked.get("prereleases", False),
    )
    plan = await resolver.resolve(roots)
    if plan.problems:
        found = {}
        for root, problem in plan.problems:
            message = problem.message
            if str(canonicalize_name(Requirement(_bare(root)).name)) != problem.name:
                message = f"it needs {problem.name}: {message}"
            found[root, message] = {"requirement": root, "kind": problem.kind, "message": message}
        return json.dumps({"problems": list(found.values())})
    return await _finish(plan, index, wheels, roots, post, on_progress)


async def _finish(
    plan: Plan, index: Index, wheels: Wheels, roots: list[Root], post: Post, on_progress: Any
) -> str:
    files = [choice for choice in plan.choices.values() if isinstance(choice, File)]
    libraries = {name: index.library(name) for file in files for name in file.depends}
    files += [library for library in libraries.values() if library]
    required = {
        name: {each for wish in wishes for each in wish.hashes} for name, wishes in plan.wishes.items()
    }
    results = await asyncio.gather(*(wheels.data(file) for file in files), return_exceptions=True)
    problems, packages = [], []
    for file, data in zip(files, results, strict=True):
        root = _root_of(plan, file.name)
        if isinstance(data, (FetchError, BadWheelError)):
            problems.append({"requirement": root, "kind": _kind(data), "message": str(data)})
        elif isinstance(data, BaseException):
            raise data
        elif (hashes := required.get(file.name)) and (
            actual := hashlib.sha256(data).hexdigest()
        ) not in hashes:
            message = f"{file.filename} has sha256 {actual}, which is none of the hashes that are required"
            problems.append({"requirement": root, "kind": "hash", "message": message})
    if problems:
        return json.dumps({"problems": problems})
    packs = []
    asked_for = {str(canonicalize_name(root.requirement.name)) for root in roots}
    for file, data in zip(files, results, strict=True):
        assert isinstance(data, bytes)
        on_progress(file.name, "unpack", len(data), len(data))
        await asyncio.sleep(0)
        try:
            pack = make_pack(data, file.filename)
        except BadWheelError as error:
            root = _root_of(plan, file.name)
            return json.dumps({"problems": [{"requirement": root, "kind": "wheel", "message": str(error)}]})
        digest = hashlib.sha256(data).hexdigest()
        metadata = parse_metadata(pack.metadata)
        packs.append((digest, pack.data))
        packages.append(_described(file, digest, metadata, pack.imports, file.name in asked_for, len(data)))
    for digest, data in packs:
        post(json.dumps({"type": "pack", "sha256": digest}), data)
    known = [choice for choice in plan.choices.values() if isinstance(choice, Known)]
    return json.dumps(
        {
            "packages": packages,
            "bundled": [each.name for each in known if not each.is_installed],
            "satisfied": [each.name for each in known if each.is_installed],
            "builtin": [
                name for name, choice in plan.choices.items() if choice is None and name in asked_for
            ],
            "warnings": plan.warnings,
        }
    )


def _described(
    file: File, digest: str, metadata: Metadata, imports: list[str], requested: bool, size: int
) -> dict[str, Any]:
    return {
        "name": file.name,
        "version": str(file.version),
        "filename": file.filename,
        "url": file.url,
        "sha256": digest,
        "source": file.source,
        "summary": metadata.summary,
        "requires": list(metadata.requires),
        "extras": list(metadata.extras),
        "imports": imports,
        "libraries": list(file.depends),
        "requested": requested,
        "size": size,
    }


def _root(each: dict[str, Any], problems: list[dict[str, str]]) -> Root | None:
    text = each["text"]
    try:
        return Root(text, Requirement(_bare(text)), tuple(each.get("hashes", ())))
    except (InvalidRequirement, BadWheelError) as error:
        problems.append({"requirement": text, "kind": "invalid", "message": f"it cannot be read: {error}"})
        return None


def _bare(text: str) -> str:
    """Return a requirement; an address alone gets the name that its file has."""
    if "://" in text and " @ " not in text and text.partition("#")[0].endswith(".whl"):
        filename = text.partition("#")[0].rpartition("/")[2]
        return f"{filename.partition('-')[0]} @ {text}"
    return text


def _known(each: dict[str, Any], *, is_installed: bool) -> Known:
    metadata = Metadata("", tuple(each["requires"]), tuple(each.get("extras", ())))
    return Known(each["name"], Version(each["version"]), metadata, each["sha256"], is_installed)


def _root_of(plan: Plan, name: str) -> str:
    return next((wish.root for wish in plan.wishes.get(name, [])), name)


def _kind(error: BaseException) -> str:
    return ("offline" if error.offline else "download") if isinstance(error, FetchError) else "wheel"
