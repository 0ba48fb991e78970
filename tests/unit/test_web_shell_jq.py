"""jq in the browser's shell: what is jq 1.8's own, and where it meets the shell."""

import asyncio

import pytest
from inbrowser.sandbox import open_sandbox
from inbrowser.sandbox.runtime import RunResult

pytest.importorskip("inbrowser_bridge", reason="there is no shell outside the browser")


def sh(command: str, timeout: float = 30) -> RunResult:
    async def run() -> RunResult:
        sandbox = await open_sandbox()
        try:
            await sandbox.fs.write("a.json", '{"a": [1, {"b": "ü"}], "n": null}\n')
            return await sandbox.runtime.run(command, timeout=timeout)
        finally:
            await sandbox.destroy()

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("command", "stdout"),
    [
        ("jq --version", "jq-1.8.2\n"),
        (
            'jq -nc \'["  x " | trim, ltrim, trimstr(" ")], pick(.a), ([1, 2] | add(.[] * 2))\'',
            '["x","x "," x"]\n{"a":null}\n6\n',
        ),
        (
            "jq -nc '[limit(2; range(9))], [skip(7; range(9))], (\"a\" | @urid), (-1 | abs)'",
            '[0,1]\n[7,8]\n"a"\n1\n',
        ),
        (
            "jq -c . <<< '[100000000000000000001, 1.000, 12345678901234567890]'",
            "[100000000000000000001,1.000,12345678901234567890]\n",
        ),
        ('jq -n --raw-output0 \'"a", "b"\' | od -An -c', "   a  \\0   b  \\0\n"),
        ("jq -nj '\"  a\\n\\n\", 1, \"\\t\"'; echo '|'", "  a\n\n1\t|\n"),
        (
            "jq -Cc .a a.json",
            "\x1b[1;39m[\x1b[0m\x1b[0;39m1\x1b[0m\x1b[1;39m,\x1b[0m\x1b[1;39m{\x1b[0m"
            '\x1b[1;34m"b"\x1b[0m\x1b[1;39m:\x1b[0m\x1b[0;32m"ü"\x1b[0m\x1b[1;39m}\x1b[0m\x1b[1;39m]\x1b[0m\n',
        ),
        ("JQ_COLORS='0;31' jq -nC null", "\x1b[0;31mnull\x1b[0m\n"),
        ("jq -r 'input_filename, input_line_number' ./a.json", "./a.json\n1\n"),
        (
            "jq -nc '$__prog_name? // 1' 2> /dev/null; jq -nc '$ENV | has(\"LOGNAME\")'; jq -n '$ENV.PWD'",
            'false\n"/project"\n',
        ),
        (
            "mkdir d; mv a.json d; ln -s d/a.json l; cd d; jq -c .n ../l a.json ../d/./a.json /project/l",
            "null\nnull\nnull\nnull\n",
        ),
        (
            "cp a.json b.json; find . -name '*.json' -exec jq -c .n {} +; echo a.json | xargs jq '.a[0]'",
            "null\nnull\n1\n",
        ),
        (
            "mkdir .jq; echo 'def own: \"mine\";' > .jq/m.jq; jq -n 'import \"m\" as m; m::own'",
            '"mine"\n',
        ),
        ("printf '\"\\xff\"' | jq .", '"\ufffd"\n'),
        (
            'jq -n \'0 | strftime("%FT%TZ"), (localtime | mktime), strflocaltime("%H")\'',
            '"1970-01-01T00:00:00Z"\n0\n"00"\n',
        ),
    ],
)
def test_jq_is_jq_itself(command: str, stdout: str) -> None:
    result = sh(command)
    assert (result.stdout, result.stderr) == (stdout, "")


@pytest.mark.parametrize(
    ("command", "exit_code", "stderr"),
    [
        ("jq . none a.json", 2, "jq: error: Could not open file none: No such file or directory\n"),
        ("jq -n '1 +'", 3, "jq: error: syntax error, unexpected end of file"),
        ("jq .a.x a.json", 5, 'jq: error (at a.json:1): Cannot index array with string ("x")\n'),
        ("jq .a.x < a.json", 5, 'jq: error (at <stdin>:1): Cannot index array with string ("x")\n'),
        ("jq -n '{} | error'", 5, "jq: error (at <unknown>) (not a string): {}\n"),
        ("echo '{bad' | jq .", 5, "jq: parse error: Invalid "),
        ("jq -n '\"no\\n\" | halt_error(3)'", 3, "no\n"),
        ("jq -e .n a.json", 1, ""),
        ("jq -e empty a.json", 4, ""),
        ("jq --none . a.json", 2, "jq: Unknown option --none\n"),
        ("jq -n '1 | debug'", 0, '["DEBUG:",1]\n'),
        ('jq -n --arg x "$(seq 200000)" 1', 126, "jq: Argument list too long\n"),
    ],
)
def test_failures_are_told_in_jqs_words(command: str, exit_code: int, stderr: str) -> None:
    result = sh(command)
    assert result.exit_code == exit_code
    assert result.stderr.startswith(stderr) if stderr else result.stderr == ""


def test_a_program_without_an_end_ends_at_the_timeout() -> None:
    result = sh("echo before; jq -n 'last(repeat(1))'; echo after", timeout=1)
    assert (result.exit_code, result.stopped, result.stdout) == (124, "timeout", "before\n")


@pytest.mark.parametrize("program", ["[range(1e9)] | length", "def f: 1 + f; f", '"a" * 1e9'])
def test_a_jq_without_memory_says_so_and_the_next_one_works(program: str) -> None:
    result = sh(f"jq -n '{program}'; echo $?; jq -c .a a.json", timeout=60)
    assert result.stderr == "jq: error: cannot allocate memory\n"
    assert result.stdout == '134\n[1,{"b":"ü"}]\n'
