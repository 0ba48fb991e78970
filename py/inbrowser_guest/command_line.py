"""Python's own command line: what to run, and how."""

from dataclasses import dataclass, field
from typing import Literal

VALUE_OPTIONS = "WX"
FLAGS = "bBdEiIOPqRsStuvx"
REFUSED = {"i": "there is no interactive mode here: give a script, -c or -m"}


class UsageError(Exception):
    """The command line makes no sense; exits with 2, as CPython does."""


@dataclass(slots=True)
class CommandLine:
    """What a command line asks for."""

    kind: Literal["script", "code", "module", "stdin", "version"]
    target: str = ""
    """The path, the code or the module's name."""
    args: list[str] = field(default_factory=list[str])
    """`sys.argv` without its first."""
    flags: set[str] = field(default_factory=set[str])
    warnings: list[str] = field(default_factory=list[str])


def parse(words: list[str]) -> CommandLine:
    """Read the words after `python`. Raises UsageError."""
    flags: set[str] = set()
    warnings: list[str] = []
    rest = list(words)
    while rest and rest[0].startswith("-") and rest[0] != "-":
        word = rest.pop(0)
        if word == "--version":
            return CommandLine("version")
        if word == "--":
            break
        if word.startswith("--"):
            raise UsageError(f"unknown option {word}")
        letters = word[1:]
        while letters:
            letter, letters = letters[0], letters[1:]
            if letter == "V":
                return CommandLine("version")
            if letter in "cm" or letter in VALUE_OPTIONS:
                value = letters or (rest.pop(0) if rest else None)
                if value is None:
                    raise UsageError(f"argument expected for the -{letter} option")
                letters = ""
                if letter == "c":
                    return CommandLine("code", value, rest, flags, warnings)
                if letter == "m":
                    return CommandLine("module", value, rest, flags, warnings)
                if letter == "W":
                    warnings.append(value)
            elif letter in REFUSED:
                raise UsageError(REFUSED[letter])
            elif letter in FLAGS:
                flags.add(letter)
            else:
                raise UsageError(f"unknown option -{letter}")
    if not rest or rest[0] == "-":
        return CommandLine("stdin", "", rest[1:], flags, warnings)
    return CommandLine("script", rest[0], rest[1:], flags, warnings)
