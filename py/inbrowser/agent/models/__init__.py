"""Models: one contract, one adapter an API."""

from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ..errors import ModelOptionsError
from .contract import ModelClient
from .openai_chat import create_openai_chat
from .options import ModelOptions, ScriptedOptions
from .scripted import ScriptedModel
from .transport import Transport


def create_model(api: str, *, transport: Transport | None = None, **options: Any) -> ModelClient:
    """Return a model that speaks `api`: "openai-chat" or "scripted".

    The options of each are the fields of its record in `models.options`, in snake_case or camelCase.
    `transport` sends the requests; left out, it is the browser's fetch. Raises ModelOptionsError.
    """
    try:
        checked = _adapter().validate_python({"api": api, **options})
    except ValidationError as error:
        raise ModelOptionsError(_problems(error)) from None
    if isinstance(checked, ScriptedOptions):
        return ScriptedModel(checked.script)
    return create_openai_chat(checked, transport or _fetch())


def _fetch() -> Transport:
    try:
        from ..web.transport import FetchTransport  # JavaScript is there only when the page runs
    except ImportError:
        raise ModelOptionsError("There is no fetch outside a browser; give a transport=") from None
    return FetchTransport()


def _problems(error: ValidationError) -> str:
    """Every problem in one line, without the values: one of them may be a key."""
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    told = (f"{'.'.join(str(part) for part in one['loc'][1:]) or 'api'}: {one['msg']}" for one in problems)
    return f"The model's options are not valid. {'; '.join(told)}"


@cache
def _adapter() -> TypeAdapter[ModelOptions]:
    return TypeAdapter(ModelOptions)
