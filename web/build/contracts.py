"""Prints the JSON Schema of each type that crosses to JavaScript (see contracts.mjs)."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "py"))

from inbrowser.agent.events import SessionEvent
from inbrowser.agent.models.listing import ConnectionCheck, ModelInfo
from inbrowser.agent.models.options import ModelOptions
from inbrowser.agent.models.providers import Provider
from inbrowser.sandbox import Checkpoint, CheckpointDiff, Restored
from inbrowser.sandbox.events import SandboxEvent
from inbrowser.sandbox.locks import Lock
from inbrowser.sandbox.replay import ReplayProgress, ReplayReport
from inbrowser.sandbox.storage import KeptSandbox, StorageEstimate
from pydantic import TypeAdapter

GIVEN = {"ModelOptions": ModelOptions}
"""What a host writes; the rest is what it is given."""

ROOTS = {
    "Checkpoint": Checkpoint,
    "CheckpointDiff": CheckpointDiff,
    "ConnectionCheck": ConnectionCheck,
    "KeptSandbox": KeptSandbox,
    "Lock": Lock,
    "ModelInfo": ModelInfo,
    "Provider": Provider,
    "ReplayProgress": ReplayProgress,
    "ReplayReport": ReplayReport,
    "Restored": Restored,
    "SandboxEvent": SandboxEvent,
    "SessionEvent": SessionEvent,
    "StorageEstimate": StorageEstimate,
}


def tidy(value: object, whole: bool) -> object:
    """Drop titles, of which every field would become a type; what is `whole` always has all its fields."""
    if isinstance(value, list):
        return [tidy(item, whole) for item in value]
    if not isinstance(value, dict):
        return value
    tidied = {
        key: tidy(item, whole) for key, item in value.items() if key != "title" or isinstance(item, dict)
    }
    if whole and isinstance(tidied.get("properties"), dict):
        tidied["required"] = list(tidied["properties"])
    tidied.pop("discriminator", None)
    return tidied


given = {
    name: tidy(TypeAdapter(root).json_schema(by_alias=True), whole=False) for name, root in GIVEN.items()
}
told = {
    name: tidy(TypeAdapter(root).json_schema(by_alias=True, mode="serialization"), whole=True)
    for name, root in ROOTS.items()
}
json.dump(given | told, sys.stdout)
