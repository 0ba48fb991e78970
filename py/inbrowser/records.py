"""Data that crosses a border: pydantic records, snake_case in Python and camelCase in JavaScript."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer
from pydantic.alias_generators import to_camel

Duration = Annotated[float, PlainSerializer(lambda seconds: round(seconds * 1000, 3), when_used="json")]
"""Seconds in Python, milliseconds in JSON; declare it with `duration_field()` so that the key says so."""


def duration_field(default: float = 0.0, description: str | None = None) -> float:
    """Return a field for a `duration: Duration`, named `durationMs` in JavaScript."""
    return Field(default=default, serialization_alias="durationMs", description=description)


class Record(BaseModel):
    """An immutable value whose JSON form uses camelCase keys; either spelling is accepted as input.

    Descriptions meant for a model go into `Field(description=...)`: the page ships compiled modules only, so
    docstrings under fields cannot be read back from source there.
    """

    model_config = ConfigDict(
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        frozen=True,
        extra="forbid",
        defer_build=True,
    )

    def to_wire(self) -> str:
        """Return the record as JSON text for JavaScript: camelCase keys, durations in milliseconds."""
        return self.model_dump_json(by_alias=True)
