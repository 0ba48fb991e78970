"""Python's own command line, as a guest reads it."""

import pytest
from inbrowser_guest.command_line import CommandLine, UsageError, parse


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], CommandLine("stdin")),
        (["-"], CommandLine("stdin")),
        (["-", "a"], CommandLine("stdin", "", ["a"])),
        (["app.py", "-c", "x"], CommandLine("script", "app.py", ["-c", "x"])),
        (["-c", "print(1)", "-x"], CommandLine("code", "print(1)", ["-x"])),
        (["-cprint(1)"], CommandLine("code", "print(1)")),
        (["-m", "pytest", "-q"], CommandLine("module", "pytest", ["-q"])),
        (["-uBm", "pytest"], CommandLine("module", "pytest", [], {"u", "B"})),
        (["-W", "error", "-Wignore", "a.py"], CommandLine("script", "a.py", [], set(), ["error", "ignore"])),
        (["-X", "dev", "--", "-odd.py"], CommandLine("script", "-odd.py")),
        (["-V"], CommandLine("version")),
        (["--version", "x"], CommandLine("version")),
    ],
)
def test_it_reads_as_cpython_does(words: list[str], expected: CommandLine) -> None:
    assert parse(words) == expected


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["-c"], "argument expected for the -c option"),
        (["-z"], "unknown option -z"),
        (["--nonsense"], "unknown option --nonsense"),
        (["-i"], "no interactive mode"),
    ],
)
def test_nonsense_is_named(words: list[str], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        parse(words)
