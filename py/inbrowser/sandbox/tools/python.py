"""python: a program in a fresh process of its own."""

import shlex

from pydantic import Field, model_validator

from ...arguments import ToolArguments
from .registry import Tool, ToolContext, ToolResult
from .running import DEFAULT_TIMEOUT, MAX_TIMEOUT, run_command


class PythonArguments(ToolArguments):
    """Arguments of `python`: code or a file."""

    code: str | None = Field(default=None, description="Python source to run.")
    file: str | None = Field(default=None, description="Path of a Python file to run, instead of code.")
    args: list[str] = Field(default=[], description="Arguments: sys.argv[1:].")
    stdin: str | None = Field(default=None, description="What input() and sys.stdin read; empty by default.")
    timeout: float = Field(
        default=DEFAULT_TIMEOUT, gt=0, le=MAX_TIMEOUT, description="Seconds after which it is stopped."
    )

    @model_validator(mode="after")
    def _one_of_both(self) -> "PythonArguments":
        if (self.code is None) == (self.file is None):
            raise ValueError("give either code or file")
        return self


async def _python(arguments: PythonArguments, context: ToolContext) -> ToolResult:
    if arguments.file is not None:
        # A name that begins with a dash is no option.
        path = f"./{arguments.file}" if arguments.file.startswith("-") else arguments.file
        words = ["python", path, *arguments.args]
    else:
        words = ["python", "-c", arguments.code or "", *arguments.args]
    return await run_command(
        context, shlex.join(words), cwd=None, timeout=arguments.timeout, stdin=arguments.stdin
    )


PYTHON = Tool(
    name="python",
    description=(
        "Run Python code, or a Python file, in a fresh process: nothing but files lasts from one call to the "
        "next. Starts where the last command of bash ended. Print what you want to see."
    ),
    arguments=PythonArguments,
    execute=_python,
    takes_turns=False,
    capability="run",
    timeout=None,
)
