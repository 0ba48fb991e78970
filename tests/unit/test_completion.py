"""Completion at a prompt, and knowing when a command is whole."""

import asyncio

import pytest
from inbrowser.sandbox.command_lines import MAX_TEXT, needs_more
from inbrowser.sandbox.completion import Completion, complete
from inbrowser.sandbox.files import DirectoryFileSystem

COMMANDS = ["cat", "cd", "chmod", "echo", "my fun", "python", "python3"]
FILES = [
    "a b.txt",
    "src/main.tsx",
    "src/mail.ts",
    "src/lib/x.ts",
    ".hidden",
    "it's",
    'say "hi"',
    "$1",
    "été.md",
    "😀.txt",
]


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> dict[str, DirectoryFileSystem]:
    project, scratch = tmp_path_factory.mktemp("project"), tmp_path_factory.mktemp("tmp")
    for name in FILES:
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text("")
    (project / "linked").symlink_to("src")
    (project / "out").symlink_to("/etc")
    (scratch / "notes.txt").write_text("")
    return {"/project": DirectoryFileSystem(str(project)), "/tmp": DirectoryFileSystem(str(scratch))}


def ask(
    trees: dict[str, DirectoryFileSystem], line: str, cursor: int | None = None, cwd: str = "/project"
) -> Completion:
    async def commands() -> list[str]:
        return COMMANDS

    return asyncio.run(complete(line, cursor, cwd=cwd, trees=trees, commands=commands))


def completed(trees: dict[str, DirectoryFileSystem], line: str, cwd: str = "/project") -> str:
    """The line after Tab at its end."""
    found = ask(trees, line, cwd=cwd)
    return line[: found.start] + found.common + line[found.end :]


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("ech", "echo "),
        ("py", "python"),
        ("my", "my\\ fun "),
        ("ls | ec", "ls | echo "),
        ("true && ec", "true && echo "),
        ("true; ec", "true; echo "),
        ("echo $(ec", "echo $(echo "),
        ('echo "$(cat sr', 'echo "$(cat src/'),
        ("echo `ec", "echo `echo "),
        ("( ec", "( echo "),
        ("if ec", "if echo "),
        ("for x in a; do ec", "for x in a; do echo "),
        ("A=1 ec", "A=1 echo "),
        ("command ec", "command echo "),
        ("echo a\nec", "echo a\necho "),
        ("cat a", "cat a\\ b.txt "),
        ("cat 'a", "cat 'a b.txt' "),
        ('cat "a', 'cat "a b.txt" '),
        ("cat a\\ ", "cat a\\ b.txt "),
        ("cat a' ", "cat 'a b.txt' "),
        ("cat it", "cat it\\'s "),
        ("cat 'it", "cat 'it'\\''s' "),
        ("cat say", 'cat say\\ \\"hi\\" '),
        ('cat "say', 'cat "say \\"hi\\"" '),
        ("cat '$", "cat '$1' "),
        ("cat ét", "cat été.md "),
        ("echo '😀' 😀", "echo '😀' 😀.txt "),
        ("cat sr", "cat src/"),
        ("cat src/ma", "cat src/mai"),
        ("cat src/mail", "cat src/mail.ts "),
        ("cat ./src/mail", "cat ./src/mail.ts "),
        ("cat src/../src/mail", "cat src/../src/mail.ts "),
        ('cat "src/mail', 'cat "src/mail.ts" '),
        ("cat src/'mail", "cat src/'mail.ts' "),
        ("cat /project/src/mail", "cat /project/src/mail.ts "),
        ("cat /tmp/no", "cat /tmp/notes.txt "),
        ("cat /pro", "cat /project/"),
        ("cat .h", "cat .hidden "),
        ("echo >src/mail", "echo >src/mail.ts "),
        ("tool --file=src/mail", "tool --file=src/mail.ts "),
        ("A=src/mail", "A=src/mail.ts "),
        ("src/mail", "src/mail.ts "),
        ("cd src/l", "cd src/lib/"),
        ("cd lin", "cd linked/"),
        ("ls linked/mail", "ls linked/mail.ts "),
    ],
)
def test_what_is_unique_is_put_in_whole(trees: dict[str, DirectoryFileSystem], line: str, after: str) -> None:
    assert completed(trees, line) == after


@pytest.mark.parametrize(
    "line",
    [
        "cat nothing",
        "cat ~/s",
        "cat $HOME/s",
        "cat ${A",
        "cat $((s",
        "cat /etc/pass",
        "cat ../../etc/pass",
        "cat out/pass",
        "cd src/mail",
        "echo # sr",
        "cat <<E\nsr",
        "cat $'sr",
        "src/none/x",
        "cat " + "x" * MAX_TEXT + " sr",
    ],
)
def test_elsewhere_nothing_is_put_in(trees: dict[str, DirectoryFileSystem], line: str) -> None:
    found = ask(trees, line)
    assert (found.start, found.end) == (len(line), len(line))
    assert found.candidates == []
    assert found.common == ""


def test_several_are_listed_by_name(trees: dict[str, DirectoryFileSystem]) -> None:
    assert ask(trees, "cat src/ma").candidates == ["mail.ts", "main.tsx"]
    assert ask(trees, "py").candidates == ["python", "python3"]
    assert ask(trees, "cd ").candidates == ["linked/", "src/"]
    assert ".hidden" not in ask(trees, "cat ").candidates
    assert ask(trees, "ls /").candidates == ["project/", "tmp/"]


def test_what_is_behind_the_cursor_stays(trees: dict[str, DirectoryFileSystem]) -> None:
    found = ask(trees, "cat sr | wc", 6)
    assert (found.start, found.end, found.common) == (4, 6, "src/")


def test_paths_are_relative_to_the_shells_directory(trees: dict[str, DirectoryFileSystem]) -> None:
    assert completed(trees, "cat mail", cwd="/project/src") == "cat mail.ts "
    assert completed(trees, "cat ../a", cwd="/project/src") == "cat ../a\\ b.txt "
    assert completed(trees, "cat no", cwd="/tmp") == "cat notes.txt "


@pytest.mark.parametrize(
    "text",
    [
        "echo 'a",
        'echo "a',
        "echo \\",
        "a |",
        "a &&",
        "a ||\n",
        "cat <<E",
        "cat <<E\nx",
        "cat <<A <<B\n1\nA\n2",
        "python3 - <<'PY'\nprint('''a\nPY ",
        "if true; then",
        "if true; then a; else",
        "for x in a b",
        "while read x; do",
        "case x in a) echo;;",
        "{ echo a",
        "( echo",
        "echo $(ls",
        "echo `ls",
        "echo ${x",
        "echo $((1+",
        "f() {",
        "function f {",
        "a=(1 2",
        "[[ a = b",
        "echo \"$(cat 'x'\"",
        'echo "a\\"',
        "echo $'a\\'",
    ],
)
def test_more_is_to_come(text: str) -> None:
    assert needs_more(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "echo a",
        "a;",
        "a &",
        "echo 'a\nb'",
        "cat <<E\nx\nE",
        "cat <<-'E'\nx\n\tE\n",
        "cat <<A <<B\n1\nA\n2\nB",
        "cat <<<x",
        "if a\nthen b\nfi",
        "for x in a; do echo $x; done",
        "for ((i=0;i<3;i++)); do echo; done",
        "case x in (a) echo;; b) ;; esac",
        "{ echo a; }",
        "echo $(case x in a) echo;; esac)",
        "echo ${x//\\}/a}",
        "f() { echo; }",
        "function f { echo; }",
        "a=(1\n2)",
        "[[ a == (x|y) && b < c ]]",
        "echo a#'b'",
        "echo # 'x",
        "echo if",
        "fi",
        "diff <(ls a) <(ls b)",
        "a &>f 2>&1",
        "echo $'a\\''",
        "'" * (MAX_TEXT + 1),
    ],
)
def test_a_whole_command_is_whole(text: str) -> None:
    assert not needs_more(text)
