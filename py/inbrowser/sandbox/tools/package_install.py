"""Install packages."""

from typing import TYPE_CHECKING

from pydantic import Field, JsonValue

from ...arguments import ToolArguments
from ..errors import CapabilityError
from .registry import Tool, ToolContext, ToolResult
from .wording import plural

if TYPE_CHECKING:
    from ..packages import InstallReport

_FROM = {
    "bundled": "bundled with the page",
    "index": "from the package index",
    "distribution": "from Pyodide's distribution",
    "url": "from its address",
    "file": "from a file",
}


class PackageInstallArguments(ToolArguments):
    """What to install."""

    packages: list[str] = Field(
        min_length=1,
        max_length=200,
        description='Requirements as of pip, such as "requests" or "rich>=13,<15".',
    )
    upgrade: bool = Field(default=False, description="Take the newest versions even if older ones are there.")


async def package_install(arguments: PackageInstallArguments, context: ToolContext) -> ToolResult:
    """Install and say what came of it."""
    packages = context.sandbox.services.packages
    if packages is None:
        raise CapabilityError("this sandbox has no packages")
    report = await packages.install(arguments.packages, upgrade=arguments.upgrade)
    text = "\n".join(describe(report))
    data: dict[str, JsonValue] = report.model_dump(mode="json")
    return ToolResult(ok=report.ok, summary=summarize(report), data=data | ({"text": text} if text else {}))


def summarize(report: "InstallReport") -> str:
    """Return one line."""
    if not report.ok:
        names = ", ".join(failure.requirement for failure in report.failures)
        return f"Nothing was installed: {names} cannot be"
    if report.installed:
        return "Installed " + ", ".join(f"{each.name} {each.version}" for each in report.installed)
    if report.satisfied:
        return "Already installed: " + ", ".join(report.satisfied)
    return "Nothing to install" + (
        f": {', '.join(report.builtin)} is built into Python" if report.builtin else ""
    )


def describe(report: "InstallReport") -> list[str]:
    """Return a line for each package, requirement and warning."""
    lines = [f"{failure.requirement}: {failure.message}" for failure in report.failures]
    for each in report.installed:
        replaced = f", instead of {each.replaced}" if each.replaced else ""
        lines.append(f"{each.name} {each.version}: {_FROM[each.source]}{replaced}")
    lines += [f"{name}: was installed already" for name in report.satisfied]
    lines += [f"{name}: built into Python, there is nothing to install" for name in report.builtin]
    if not report.ok and len(report.failures) > 1:
        lines.append(
            f"[{plural(len(report.failures), 'requirement')} failed; the others were left out with them]"
        )
    return lines + [f"warning: {warning}" for warning in report.warnings]


PACKAGE_INSTALL = Tool(
    name="package_install",
    description=(
        "Install Python packages for the programs of this sandbox: wheels of pure Python, or built for "
        "WebAssembly. All of them are installed, or none. pytest, requests and pydantic need no network."
    ),
    arguments=PackageInstallArguments,
    execute=package_install,
    capability="packages",
    # Downloads have limits of their own.
    timeout=None,
)
"""The tool `package_install`."""
