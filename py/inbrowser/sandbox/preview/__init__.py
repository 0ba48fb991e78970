from .compiler import Compiler, CompilerError, CompilerInput, CompilerOutput
from .entry import EntryNotFoundError
from .service import CompileResult, PreviewOutput, PreviewService

__all__ = [
    "CompileResult",
    "Compiler",
    "CompilerError",
    "CompilerInput",
    "CompilerOutput",
    "EntryNotFoundError",
    "PreviewOutput",
    "PreviewService",
]
