"""Prints the JSON Schema of each type that crosses to JavaScript (see contracts.mjs)."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "py"))

from inbrowser.agent.events import SessionEvent
from inbrowser.sandbox import Checkpoint, CheckpointDiff, Restored
from inbrowser.sandbox.events import SandboxEvent
from inbrowser.sandbox.locks import Lock
from inbrowser.sandbox.replay import ReplayProgress, ReplayReport
from inbrowser.sandbox.storage import KeptSandbox, StorageEstimate
from pydantic import TypeAdapter

ROOTS = {
    "Checkpoint": Checkpoint,
    "CheckpointDiff": CheckpointDiff,
    "KeptSandbox": KeptSandbox,
    "Lock": Lock,
    "ReplayProgress": ReplayProgress,
    "ReplayReport": ReplayReport,
    "Restored": Restored,
    "SandboxEvent": SandboxEvent,
    "SessionEvent": SessionEvent,
    "StorageEstimate": StorageEstimate,
}


def tidy(value: object) -> object:
    """Drop titles, of which every field would become a type, and require what is always sent."""
    if isinstance(value, list):
        return [tidy(item) for item in value]
    if not isinstance(value, dict):
        return value
    tidied = {key: tidy(item) for key, item in value.items() if key != "title" or isinstance(item, dict)}
    if isinstance(tidied.get("properties"), dict):
        tidied["required"] = list(tidied["properties"])
    tidied.pop("discriminator", None)
    return tidied


json.dump(
    {
        name: tidy(TypeAdapter(root).json_schema(by_alias=True, mode="serialization"))
        for name, root in ROOTS.items()
    },
    sys.stdout,
)
