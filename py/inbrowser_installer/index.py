"""What package indexes and the Pyodide distribution have of a package."""
# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false

import asyncio
import json
import platform
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from micropip._utils import best_compatible_tag_index
from micropip._vendored.mousebender.simple import from_project_details_html
from micropip._vendored.packaging.src.packaging.specifiers import InvalidSpecifier, SpecifierSet
from micropip._vendored.packaging.src.packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    canonicalize_name,
    parse_sdist_filename,
    parse_wheel_filename,
)
from micropip._vendored.packaging.src.packaging.version import InvalidVersion, Version
from micropip.package_index import DEFAULT_INDEX_URLS

from .fetching import Downloads, FetchError

ACCEPT = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.01"
PYTHON = Version(platform.python_version())


@dataclass(frozen=True)
class File:
    """One wheel that fits this interpreter."""

    name: str
    version: Version
    filename: str
    url: str
    sha256: str | None
    rank: int
    """Smaller is better."""
    source: str
    """`index`, `distribution`, `url` or `file`."""
    yanked: bool = False
    metadata: bool = False
    """Whether METADATA can be had apart from the wheel."""
    depends: tuple[str, ...] = ()
    """Of the distribution alone: names of shared libraries it needs."""


@dataclass
class Project:
    """All that is there of one package."""

    name: str
    files: list[File] = field(default_factory=list)
    others: list[Version] = field(default_factory=list)
    """Versions with files, none of which fits."""
    found: bool = False
    """Whether anybody knows the name."""
    too_new: dict[Version, str] = field(default_factory=dict)
    """Versions that fit but for the version of Python they ask for."""


class Index:
    """Package indexes, asked once for each name."""

    def __init__(self, downloads: Downloads, urls: list[str] | None, distribution_url: str | None) -> None:
        self._downloads = downloads
        self.urls = [url.rstrip("/") for url in urls or DEFAULT_INDEX_URLS]
        self._distribution_url = distribution_url
        self._origins = {
            _origin(url) for url in [*self.urls, distribution_url or _distribution_default() or ""]
        }
        self._projects: dict[str, asyncio.Task[Project]] = {}

    @property
    def host(self) -> str:
        """The first index, for messages."""
        return urlsplit(self.urls[0]).netloc

    async def project(self, name: str) -> Project:
        """Return what there is of a package. Raises FetchError when an index cannot be asked."""
        task = self._projects.get(name)
        if task is None:
            task = self._projects[name] = asyncio.ensure_future(self._project(name))
        return await task

    def allows(self, url: str) -> bool:
        """Tell whether files may come from there: over https, or from a configured index itself."""
        return url.startswith("https://") or _origin(url) in self._origins

    async def _project(self, name: str) -> Project:
        project = Project(name)
        for answer in await asyncio.gather(*(self._ask(url, name) for url in self.urls)):
            if answer:
                project.found = True
                self._take(project, answer)
        self._add_distribution(project)
        fits = {file.version for file in project.files}
        project.others = sorted(set(project.others) - fits)
        project.files.sort(key=lambda file: (file.version, -file.rank), reverse=True)
        return project

    async def _ask(self, url: str, name: str) -> list[dict[str, Any]] | None:
        address = url.format(package_name=name) if "{package_name}" in url else f"{url}/{name}/"
        try:
            answer = await self._downloads.fetch(address, accept=ACCEPT)
        except FetchError as error:
            if error.status in (404, 410, 403):
                return None
            raise
        text = answer.data.decode("utf-8", "replace")
        try:
            if answer.content_type.endswith("json"):
                content = json.loads(text)
                files = content.get("files") or [
                    {**each, "hashes": each.get("digests", {})}
                    for release in content.get("releases", {}).values()
                    for each in release
                ]
            else:
                files = from_project_details_html(text, name)["files"]
            return [{**each, "url": urljoin(answer.url, each["url"])} for each in files]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise FetchError(
                f"{urlsplit(url).netloc} is not a package index: {address} has no list of files"
            ) from None

    def _take(self, project: Project, entries: list[dict[str, Any]]) -> None:
        for entry in entries:
            filename = str(entry.get("filename", ""))
            try:
                if not filename.endswith(".whl"):
                    project.others.append(parse_sdist_filename(filename)[1])
                    continue
                name, version, _, tags = parse_wheel_filename(filename)
            except (InvalidSdistFilename, InvalidWheelFilename, InvalidVersion):
                continue
            rank = best_compatible_tag_index(tags)
            if rank is None or not self.allows(entry["url"]) or canonicalize_name(name) != project.name:
                project.others.append(version)
            elif wanted := _other_python(entry.get("requires-python") or entry.get("requires_python")):
                project.too_new[version] = wanted
            else:
                metadata = entry.get("core-metadata", entry.get("data-dist-info-metadata"))
                digest = (entry.get("hashes") or {}).get("sha256")
                project.files.append(
                    File(
                        project.name,
                        version,
                        filename,
                        entry["url"],
                        digest,
                        rank,
                        "index",
                        yanked=entry.get("yanked", False) not in (False, None),
                        metadata=bool(metadata),
                    )
                )

    def _add_distribution(self, project: Project) -> None:
        entry = distribution().get(project.name)
        base = self._distribution_url or _distribution_default()
        if entry and base:
            project.found = True
            project.files.append(distributed(entry, base))

    def library(self, name: str) -> File | None:
        """Return a shared library of the distribution."""
        entry = distribution().get(name)
        base = self._distribution_url or _distribution_default()
        return distributed(entry, base) if entry and base else None


def distributed(entry: dict[str, Any], base: str) -> File:
    """Return a file of the distribution."""
    try:
        version = Version(entry["version"])
    except InvalidVersion:
        version = Version("0")
    libraries = tuple(n for n in entry["depends"] if distribution().get(n, {}).get("install_dir") == "dynlib")
    url = urljoin(base.rstrip("/") + "/", entry["file_name"])
    name = str(canonicalize_name(entry["name"]))
    return File(
        name, version, entry["file_name"], url, entry["sha256"], 1_000_000, "distribution", depends=libraries
    )


@cache
def distribution() -> dict[str, dict[str, Any]]:
    """Return the packages of the Pyodide distribution by name."""
    try:
        text = (Path(__file__).parent / "distribution.json").read_text()
    except OSError:
        return {}
    return {str(canonicalize_name(name)): entry for name, entry in json.loads(text).items()}


def _distribution_default() -> str | None:
    """Return where Pyodide itself looks for its distribution."""
    import pyodide_js

    return getattr(pyodide_js._api.config, "cdnUrl", None)


def _other_python(wanted: Any) -> str:
    try:
        return "" if not wanted or SpecifierSet(str(wanted)).contains(PYTHON) else str(wanted)
    except InvalidSpecifier:
        return ""


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
