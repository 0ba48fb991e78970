"""The preview compiler of the browser: esbuild, behind the kernel's bridge."""
# pyright: basic

import json
from dataclasses import asdict
from typing import Any

from inbrowser_bridge import createCompiler  # pyright: ignore
from pyodide.ffi import JsException  # pyright: ignore

from ..preview import CompilerError, CompilerInput, CompilerOutput
from ..preview.diagnostics import CompilerMessage


class EsbuildCompiler:
    """Compiles what is in `tree`, a mounted tree of the bridge; esbuild is loaded with the first build."""

    def __init__(self, tree: Any) -> None:
        self._compiler: Any = createCompiler(tree)

    async def build(self, source: CompilerInput) -> CompilerOutput:
        """Build. Raises CompilerError when esbuild cannot be loaded, or stopped answering."""
        config = source.tsconfig
        request = asdict(source) | {
            "tsconfig": {"baseUrl": config.base_url, "paths": config.paths, "options": config.options}
        }
        try:
            reply: Any = await self._compiler.build(json.dumps(request))
        except JsException as error:
            raise CompilerError(f"the preview compiler failed: {error.message}") from None
        content: dict[str, Any] = json.loads(reply.json)
        messages = [CompilerMessage(**message) for message in content.pop("messages")]
        files: dict[str, bytes] = {name: data.to_bytes() for name, data in reply.files.object_entries()}
        return CompilerOutput(messages=messages, files=files, **content)

    def close(self) -> None:
        """Free what esbuild keeps of this sandbox."""
        self._compiler.close()
