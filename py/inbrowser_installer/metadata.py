"""What a wheel's METADATA says."""
# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false

from dataclasses import dataclass
from email.parser import HeaderParser

from micropip._vendored.packaging.src.packaging.requirements import InvalidRequirement, Requirement


@dataclass(frozen=True)
class Metadata:
    """The part of METADATA that an installation needs."""

    summary: str
    requires: tuple[str, ...]
    extras: tuple[str, ...]

    def wants(self, extras: frozenset[str], environment: dict[str, str]) -> list[Requirement]:
        """Return the requirements that hold here with some extras."""
        found = []
        for text in self.requires:
            try:
                requirement = Requirement(text)
            except InvalidRequirement:
                continue
            if holds(requirement, extras, environment):
                found.append(requirement)
        return found


def holds(requirement: Requirement, extras: frozenset[str], environment: dict[str, str]) -> bool:
    """Tell whether a requirement's marker is true here."""
    marker = requirement.marker
    return marker is None or any(marker.evaluate({**environment, "extra": extra}) for extra in extras | {""})


def parse_metadata(text: str) -> Metadata:
    """Read METADATA."""
    headers = HeaderParser().parsestr(text)
    every = lambda key: tuple(str(value).strip() for value in headers.get_all(key, []))  # noqa: E731
    return Metadata(str(headers.get("Summary", "")).strip(), every("Requires-Dist"), every("Provides-Extra"))
