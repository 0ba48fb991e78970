from .entry import EntryNotFoundError
from .service import Compiler, CompilerError, CompileResult, PreviewOutput, PreviewService

__all__ = [
    "CompileResult",
    "Compiler",
    "CompilerError",
    "EntryNotFoundError",
    "PreviewOutput",
    "PreviewService",
]
