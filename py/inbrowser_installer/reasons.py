"""Says in plain words why a requirement cannot be met."""
# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false

from .index import Project

ALTERNATIVES = {
    "httptools": "h11",
    "lxml": "xml.etree.ElementTree, or beautifulsoup4 with html.parser",
    "mysqlclient": "sqlite3, as there are no sockets to a database server",
    "orjson": "json",
    "psycopg": "sqlite3, as there are no sockets to a database server",
    "psycopg2": "sqlite3, as there are no sockets to a database server",
    "psycopg2-binary": "sqlite3, as there are no sockets to a database server",
    "python-rapidjson": "json",
    "sklearn": "scikit-learn",
    "ruff": "pyflakes and pycodestyle",
    "tensorflow": "numpy or scikit-learn",
    "torch": "numpy or scikit-learn",
    "ujson": "json",
    "uvloop": "asyncio's own event loop",
}
"""What can be had instead of packages that have no build for WebAssembly."""


def missing(name: str, hosts: str) -> str:
    """Nobody knows the name."""
    return f"there is no package {name!r} on {hosts}: check how it is spelled"


def unsatisfied(name: str, specifier: str, project: Project) -> str:
    """There are builds, but none of a version that fits."""
    versions = sorted({file.version for file in project.files if not file.yanked})
    fitting = [version for version in project.others if version in _set(specifier)]
    newest = f"the newest that runs here is {versions[-1]}" if versions else "no version of it runs here"
    if fitting:
        why = "it needs a C extension, or comes as source only"
        return f"{name}{specifier} has no build for WebAssembly ({why}); {newest}"
    if any(version in _set(specifier) for version in project.too_new):
        wanted = next(w for v, w in project.too_new.items() if v in _set(specifier))
        return f"{name}{specifier} asks for Python {wanted}, and this is 3.14; {newest}"
    return f"no version of {name} satisfies {specifier or 'this'}; {newest}"


def no_build(name: str, project: Project) -> str:
    """No version has a build that fits."""
    if project.too_new and not project.others:
        version, wanted = max(project.too_new.items())
        return f"{name} {version} asks for Python {wanted}, and this is 3.14"
    instead = f"; use {ALTERNATIVES[name]} instead" if name in ALTERNATIVES else ""
    return f"{name} needs a C extension, or comes as source only, and has no build for WebAssembly{instead}"


def _set(specifier: str):
    from micropip._vendored.packaging.src.packaging.specifiers import SpecifierSet

    return SpecifierSet(specifier, prereleases=True)
