"""llama.cpp's own server with a small real model, on this machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import build
from tests.conftest import free_port

TEMPLATE = Path(__file__).parent / "e2e" / "small_tools.jinja"
"""Makes a model of 135 million parameters call tools named write, read and bash."""


@contextmanager
def llama_server(template: Path | None = TEMPLATE) -> Iterator[str]:
    """Run the server; yields its address. Without a template the model only talks, and calls no tools."""
    import xllamacpp

    port = free_port()
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(build.MODEL)
    parameters.model_alias = {"SmolLM2-135M"}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = port
    parameters.n_ctx = 4096
    parameters.cpuparams.n_threads = 2
    parameters.sampling.temp = 0.0  # for an API in which nobody can ask for it
    if template:
        parameters.use_jinja = True
        parameters.chat_template = template.read_text()
    server = xllamacpp.Server(parameters)
    yield f"http://127.0.0.1:{port}"
    del server
