"""The list of what is installed: a pyodide-lock.json in the tree, which any program there can write, too."""

import re

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from ...safejson import JsonError, loads
from .records import Source

FOLDER = ".inbrowser"
PATH = f"{FOLDER}/pyodide-lock.json"
IGNORE = f"{FOLDER}/.gitignore"
MAX_BYTES = 4 << 20
MAX_PACKAGES = 2000

_INFO = {"arch": "wasm32", "abi_version": "2026_0", "platform": "emscripten_5_0_3", "python": "3.14.2"}


class BadLockError(Exception):
    """The text is no list of packages; the message says why."""


class Ours(BaseModel):
    """What we keep of a package beside what the format has."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    summary: str = Field(default="", max_length=2000)
    requires: list[str] = Field(default_factory=list[str], max_length=2000)
    extras: list[str] = Field(default_factory=list[str], max_length=2000)
    source: Source = "index"
    requested: bool = True
    index_urls: list[str] = Field(default_factory=list[str], max_length=20)


class Tool(BaseModel):
    """Room that the format leaves to tools."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    inbrowser: Ours = Field(default_factory=Ours)


class LockedPackage(BaseModel):
    """One installed package, as pyodide-lock.json describes it."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    name: str = Field(max_length=200)
    version: str = Field(max_length=200)
    file_name: str = Field(max_length=4000)
    """The address of the wheel; of a bundled one its name alone."""
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    install_dir: str = "site"
    package_type: str = "package"
    imports: list[str] = Field(default_factory=list[str], max_length=2000)
    depends: list[str] = Field(default_factory=list[str], max_length=2000)
    tool: Tool = Field(default_factory=Tool)

    @property
    def ours(self) -> Ours:
        """What we keep of it."""
        return self.tool.inbrowser

    @field_validator("name")
    @classmethod
    def _check_name(cls, name: str) -> str:
        if not re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?", name):
            raise ValueError(f"{name!r} is no name of a package")
        return str(canonicalize_name(name))

    @field_validator("version")
    @classmethod
    def _check_version(cls, version: str) -> str:
        try:
            return str(Version(version))
        except InvalidVersion:
            raise ValueError(f"{version!r} is no version") from None


class _Lock(BaseModel):
    model_config = ConfigDict(extra="ignore")

    packages: dict[str, LockedPackage] = Field(max_length=MAX_PACKAGES)


def read_lock(data: bytes) -> dict[str, LockedPackage]:
    """Return packages by name. Raises BadLockError; nothing in the bytes is trusted."""
    if len(data) > MAX_BYTES:
        raise BadLockError(f"it is larger than {MAX_BYTES >> 20} MB")
    try:
        lock = _Lock.model_validate(loads(data.decode(), what="it"))
    except (UnicodeDecodeError, JsonError) as error:
        raise BadLockError(str(error)) from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise BadLockError(f"{where}: {first['msg']}") from None
    return {package.name: package for package in lock.packages.values()}


def write_lock(packages: dict[str, LockedPackage]) -> str:
    """Return the text of a list of packages, sorted by name."""
    import json

    content = {
        "info": {**_INFO, "version": "314.0.7"},
        "packages": {name: packages[name].model_dump() for name in sorted(packages)},
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"
