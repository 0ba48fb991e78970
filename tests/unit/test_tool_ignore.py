"""Ignore rules against git's own."""

import os
import random
import subprocess
from pathlib import Path

import pytest
from inbrowser.sandbox.tools.ignore import IgnoreRules

ATOMS = [
    "é f",
    *[
        "a",
        "b",
        "foo",
        "*",
        "**",
        "*.py",
        "*.log",
        "build",
        "?",
        "[ab]",
        "x.*",
        "é*",
        "fo*o",
        "\\[z\\]",
        "[z]",
    ],
]
DIRECTORIES = ["a", "b", "foo", "build", "\u00e9 f", "x.py"]
NAMES = [*DIRECTORIES, "y.log", "[z]", "#c", "!d"]


def pattern(chance: random.Random) -> str:
    text = "/".join(chance.choice(ATOMS) for _ in range(chance.choice([1, 1, 1, 2, 2, 3])))
    text = ("/" if chance.random() < 0.2 else "") + text + ("/" if chance.random() < 0.3 else "")
    return chance.choice(["", "", "", "!", "# "]) + text


def plant(root: Path, chance: random.Random) -> dict[str, str]:
    """Make a tree with some .gitignore files; returns their text by directory."""
    directories = [""]
    for _ in range(8):
        directories.append(os.path.join(chance.choice(directories), chance.choice(DIRECTORIES)))
    for directory in directories:
        (root / directory).mkdir(parents=True, exist_ok=True)
    for directory in directories:
        for name in chance.sample(NAMES, 4):
            if not (root / directory / name).exists():
                (root / directory / name).touch()
    ignoring = {"", *chance.sample(sorted(set(directories)), 2)}
    texts = {at: "\n".join(pattern(chance) for _ in range(chance.randint(1, 5))) + "\n" for at in ignoring}
    for directory, text in texts.items():
        (root / directory / ".gitignore").write_text(text)
    return texts


def ours(root: Path, texts: dict[str, str]) -> dict[str, bool]:
    found: dict[str, bool] = {}

    def walk(directory: str, rules: IgnoreRules) -> None:
        if directory in texts:
            rules = rules.inside(directory or ".", texts[directory])
        for entry in os.scandir(root / directory):
            if entry.name != ".git":
                path = os.path.join(directory, entry.name)
                found[path] = rules.ignores(path, entry.is_dir())
                if entry.is_dir() and not found[path]:
                    walk(path, rules)

    walk("", IgnoreRules())
    return found


def gits(root: Path, paths: list[str]) -> dict[str, bool]:
    command = ["git", "-C", str(root), "check-ignore", "--no-index", "-v", "-n", "-z", "--stdin"]
    answer = subprocess.run(
        command, input="\0".join(paths) + "\0", capture_output=True, text=True, check=False
    )
    fields = answer.stdout.split("\0")
    return {
        path: bool(rule) and not rule.startswith("!")
        for rule, path in zip(fields[2::4], fields[3::4], strict=False)
    }


@pytest.mark.cpython
@pytest.mark.parametrize("seed", range(25))
def test_any_rules_mean_what_they_mean_to_git(tmp_path: Path, seed: int) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    texts = plant(tmp_path, random.Random(seed))
    found = ours(tmp_path, texts)
    assert found == gits(tmp_path, list(found)), texts


@pytest.mark.parametrize(
    "text", ["[", "!", "/", "//", "\\", "a\\", "\x00", "[a-", "\udcff", " ", "!!a", "a/**b"]
)
def test_odd_lines_break_nothing(text: str) -> None:
    rules = IgnoreRules().inside(".", f"{text}\n*.log\r\n")
    assert rules.ignores("x.log", is_directory=False)
    assert not rules.ignores("plain", is_directory=False)
