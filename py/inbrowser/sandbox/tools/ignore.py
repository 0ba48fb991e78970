"""What .gitignore files leave out, as `git check-ignore` says."""

import re
from typing import NamedTuple, cast

from pathspec import GitIgnoreSpec

_GROUP_NAME = re.compile(r"\(\?P<\w+>")


class _Rule(NamedTuple):
    regex: "re.Pattern[str]"
    ignores: bool


def _rule(line: str) -> _Rule | None:
    if line.endswith("/**/"):
        # To git `a/**/` is every directory below a; to pathspec it is a, too.
        line += "*/"
    try:
        (pattern,) = GitIgnoreSpec.from_lines([line]).patterns
    except ValueError:
        return None
    regex = cast("re.Pattern[str] | None", pattern.regex)  # pyright: ignore[reportUnknownMemberType]
    return _Rule(regex, pattern.include) if regex and pattern.include is not None else None


class IgnoreFile:
    """The rules of one .gitignore file, for paths relative to its directory."""

    def __init__(self, text: str) -> None:
        self._rules = [rule for line in text.split("\n") if (rule := _rule(line.removesuffix("\r")))][::-1]
        # Most paths meet no rule: one search tells so for all of them.
        ignoring = [rule.regex.pattern for rule in self._rules if rule.ignores]
        self._any = re.compile("|".join(_GROUP_NAME.sub("(?:", regex) for regex in ignoring) or r"(?!)")

    def verdict(self, path: str, is_directory: bool) -> bool | None:
        """Return whether the last rule for `path` itself ignores it; None when there is none.

        What holds for a directory on the way is not asked: a walk never enters an ignored one.
        """
        for regex, ignores in self._rules:
            if _names(regex, path, is_directory):
                return ignores
        return None

    def may_ignore(self, path: str) -> bool:
        """Return False when no rule ignores `path`, a directory's ending in a slash."""
        return self._any.search(path) is not None


class IgnoreRules:
    """The rules that hold in one directory: its own and those of the directories above it."""

    def __init__(self, files: tuple[tuple[int, IgnoreFile], ...] = ()) -> None:
        self._files = files
        """Deepest first, each with the length of the prefix that its directory adds to a path."""

    def __bool__(self) -> bool:
        """Tell whether there are any rules."""
        return bool(self._files)

    def inside(self, directory: str, text: str) -> "IgnoreRules":
        """Return these rules with those of the .gitignore of `directory` added; the root is `.`."""
        prefix = 0 if directory == "." else len(directory) + 1
        return IgnoreRules(((prefix, IgnoreFile(text)), *self._files))

    def ignores(self, path: str, is_directory: bool) -> bool:
        """Tell whether a path relative to the root is left out, given that its directory is not."""
        subject = path + "/" if is_directory else path
        for prefix, file in self._files:
            if file.may_ignore(subject[prefix:]):
                return self._verdict(path, is_directory)
        return False

    def _verdict(self, path: str, is_directory: bool) -> bool:
        for prefix, file in self._files:
            verdict = file.verdict(path[prefix:], is_directory)
            if verdict is not None:
                return verdict
        return False


def _names(regex: "re.Pattern[str]", path: str, is_directory: bool) -> bool:
    """Tell whether a pattern means this very path, not one it is in.

    pathspec's patterns also match what is below a directory; its slash is then in their only group.
    """
    match = regex.search(path)
    if match and not (regex.groups and match.group(1)):
        return True
    if not is_directory or not regex.groups:
        return False
    return any(match.end(1) == len(path) + 1 for match in regex.finditer(path + "/"))
