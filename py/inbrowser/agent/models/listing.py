"""What models a server has, and whether one answers."""

from time import perf_counter
from typing import Any

from ...records import Record
from ..errors import ModelError
from ..streams import closing
from .contract import End, ModelClient, ModelRequest, Start, UserMessage
from .failures import not_understood
from .transport import HttpRequest
from .values import as_number, as_object, as_objects, as_text
from .wire import Wire

_LENGTHS = ("context_length", "context_window", "inputTokenLimit", "max_input_tokens", "max_context_length")


class ModelInfo(Record):
    """A model that a server offers; `context` is how many tokens it reads, where that is told."""

    id: str
    name: str = ""
    context: int | None = None


class ConnectionCheck(Record):
    """Whether a model answers, and a sentence for people on that. `seconds` is the time that it took."""

    ok: bool
    message: str
    seconds: float


async def fetch_models(wire: Wire, request: HttpRequest) -> list[ModelInfo]:
    """Return the models that an answer in any of the APIs' shapes lists, by id. Raises ModelError."""
    async with wire.send(request) as answer:
        value = as_object(await answer.json())
        entries = as_objects(value.get("data") or value.get("models"))
        if not entries and "data" not in value and "models" not in value:
            raise not_understood(answer.url, "answered without a list of models")
    models = [_info(entry) for entry in entries if _can_chat(entry)]
    return sorted((model for model in models if model.id), key=lambda model: model.id)


async def check_connection(model: ModelClient) -> ConnectionCheck:
    """Ask for a word, and tell how that went; failures are told, not raised."""
    request = ModelRequest(
        system="You are being tested for your connection.",
        messages=(UserMessage(text="Answer with the single word: ready"),),
        max_tokens=256,
    )
    start = perf_counter()
    name, answered = model.id, False
    try:
        async with closing(model.chat(request)) as events:
            async for event in events:
                if isinstance(event, Start):
                    name = event.model or name
                answered = isinstance(event, End)
        text = f"{name} answered." if answered else f"{name} ended its answer early."
    except ModelError as error:
        text = str(error)
    return ConnectionCheck(ok=answered, message=text, seconds=perf_counter() - start)


def _info(entry: dict[str, Any]) -> ModelInfo:
    id = as_text(entry.get("id") or entry.get("name") or entry.get("model")).removeprefix("models/")
    name = as_text(entry.get("display_name") or entry.get("displayName") or entry.get("name"))
    told = (as_number(entry.get(length)) for length in _LENGTHS)
    trained = as_number(as_object(entry.get("meta")).get("n_ctx"))
    context = next((length for length in told if length), trained)
    return ModelInfo(id=id, name=name.removeprefix("models/"), context=context)


def _can_chat(entry: dict[str, Any]) -> bool:
    """Leave out what says of itself that it makes no text, such as Gemini's embeddings."""
    methods = entry.get("supportedGenerationMethods")
    return not isinstance(methods, list) or "generateContent" in methods
