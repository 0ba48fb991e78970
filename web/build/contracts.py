"""Prints one JSON Schema that holds every type which crosses to JavaScript (see contracts.mjs)."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "py"))

from pydantic import TypeAdapter

from inbrowser.agent.events import SessionEvent
from inbrowser.sandbox.events import SandboxEvent

ROOTS = {"SandboxEvent": SandboxEvent, "SessionEvent": SessionEvent}

definitions: dict[str, object] = {}
roots = {}
for name, root in ROOTS.items():
    definition = TypeAdapter(root).json_schema(by_alias=True, mode="serialization", ref_template="#/$defs/{model}")
    definitions |= definition.pop("$defs")
    definition.pop("discriminator", None)
    definitions[name] = definition
    roots[name] = {"$ref": f"#/$defs/{name}"}


def without_titles(value: object) -> object:
    """Titles of fields would become a type each."""
    if isinstance(value, dict):
        return {key: without_titles(item) for key, item in value.items() if key != "title" or isinstance(item, dict)}
    return [without_titles(item) for item in value] if isinstance(value, list) else value


json.dump(
    without_titles({"type": "object", "properties": roots, "required": list(roots), "$defs": definitions}), sys.stdout
)
