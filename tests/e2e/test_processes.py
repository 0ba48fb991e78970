"""Processes of Python, each in an isolated guest, as a user of the shell meets them."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from tests.e2e.commands import open_sandbox, output, read, run, write


@pytest.fixture
def embedded(kernel_page: Page) -> Iterator[Page]:
    open_sandbox(kernel_page)
    yield kernel_page
    kernel_page.evaluate("() => sandbox.destroy()")


class TestCommandLine:
    @pytest.mark.parametrize(
        ("command", "printed"),
        [
            ("python -c 'import sys; print(sys.argv)' a 'b c'", "['-c', 'a', 'b c']\n"),
            ("python - x <<< 'import sys; print(sys.argv, __name__)'", "['-', 'x'] __main__\n"),
            ("echo 'print(6 * 7)' | python", "42\n"),
            ("echo '[1]' | python3 -m json.tool --compact", "[1]\n"),
            ("python --version | cut -d. -f1-2", "Python 3.14\n"),
            ("python -W error -c 'import warnings; warnings.warn(\"w\")' 2>&1 | tail -1", "UserWarning: w\n"),
            ("/usr/bin/python3 -c 'import sys; print(sys.executable)'", "/usr/bin/python3\n"),
            ("A=1 python -c 'import os; print(os.environ[\"A\"], os.getcwd())'", "1 /project\n"),
            ("mkdir -p sub && cd sub && python -c 'import os; print(os.getcwd())'", "/project/sub\n"),
            ("python -c 'import sys; sys.exit(7)'; echo $?", "7\n"),
            ("python -c 'import sys; sys.exit(\"no\")' 2>&1; echo $?", "no\n1\n"),
            ("python nosuch.py 2>/dev/null; echo $?", "2\n"),
            ("python -m nosuch 2>&1; echo $?", "/usr/bin/python3: No module named nosuch\n1\n"),
            ('python -c \'import atexit; atexit.register(print, "bye"); print("hi")\'', "hi\nbye\n"),
            ("python -c 'import asyncio; asyncio.run(asyncio.sleep(0.01)); print(\"slept\")'", "slept\n"),
            ("python -c 'print(\"\\u00e9 \\u2713\")'", "é ✓\n"),
        ],
    )
    def test_what_it_prints(self, embedded: Page, command: str, printed: str) -> None:
        assert output(embedded, command) == printed

    def test_scripts_modules_packages_and_shebangs(self, embedded: Page) -> None:
        write(
            embedded,
            "lib/tool.py",
            "#!/usr/bin/env python3\nimport sys, other\nprint(__file__, sys.path[0], sys.argv[1:])\n",
        )
        write(embedded, "lib/other.py", "")
        write(embedded, "pkg/__main__.py", "print('main of', __package__)\n")
        write(embedded, "pkg/__init__.py", "")
        place = "/project/lib/tool.py /project/lib ['x']\n"
        assert output(embedded, "python lib/tool.py x") == place
        assert output(embedded, "chmod +x lib/tool.py; lib/tool.py x") == place
        assert output(embedded, "python -m pkg") == "main of pkg\n"

    def test_tracebacks_have_the_authors_files_and_nothing_of_ours(self, embedded: Page) -> None:
        write(embedded, "app.py", "def f(x):\n    return 1 / x\n\nf(0)\n")
        result = run(embedded, "python app.py")
        assert result["exitCode"] == 1
        assert result["stderr"] == (
            "Traceback (most recent call last):\n"
            '  File "/project/app.py", line 4, in <module>\n    f(0)\n    ~^^^\n'
            '  File "/project/app.py", line 2, in f\n    return 1 / x\n           ~~^~~\n'
            "ZeroDivisionError: division by zero\n"
        )

    def test_each_is_a_fresh_process(self, embedded: Page) -> None:
        output(
            embedded, 'python -c \'import json, os; json.x = 1; os.environ["LEAK"] = "1"; os.chdir("/tmp")\''
        )
        check = "import json, os; print(hasattr(json, 'x'), 'LEAK' in os.environ, os.getcwd())"
        assert output(embedded, f'python -c "{check}"') == "False False /project\n"
        numbers = output(embedded, "for i in 1 2; do python -c 'import random; print(random.random())'; done")
        first, second = numbers.split()
        assert first != second

    def test_bytes_survive_pipes_and_redirections(self, embedded: Page) -> None:
        everything = "import sys; sys.stdout.buffer.write(bytes(range(256)))"
        check = "import sys; print(sys.stdin.buffer.read() == bytes(range(256)))"
        assert (
            output(embedded, f"python -c '{everything}' > all.bin; python -c '{check}' < all.bin") == "True\n"
        )
        assert output(embedded, f"python -c '{everything}' | python -c '{check}'") == "True\n"


class TestInput:
    def test_input_comes_from_a_pipe(self, embedded: Page) -> None:
        assert output(embedded, 'echo Ada | python -c \'print("hi", input("name? "))\'') == "name? hi Ada\n"

    def test_input_that_will_never_come_ends_with_a_hint(self, embedded: Page) -> None:
        result = run(embedded, "python -c 'input()'")
        assert result["exitCode"] == 1
        assert "EOFError" in result["stderr"]
        assert "it asked for input and there is none" in result["stderr"]


class TestOutput:
    def test_it_comes_as_it_is_printed(self, embedded: Page) -> None:
        pieces = embedded.evaluate(
            """async () => {
              const seen = [];
              const first = Promise.withResolvers();
              const run = sandbox.runtime.run(
                `python -c 'import sys, time; print("one"); print("two", file=sys.stderr); time.sleep(60)'`,
                { onOutput: (stream, text) => { seen.push([stream, text]); if (seen.length === 2) first.resolve() },
                  signal: (window.stop = new AbortController()).signal });
              await first.promise;
              window.stop.abort();
              await run.catch(() => {});
              return seen;
            }"""
        )
        assert pieces == [["stdout", "one\n"], ["stderr", "two\n"]]

    def test_too_much_of_it_ends_the_process(self, embedded: Page) -> None:
        open_sandbox(embedded, processes={"output": 100_000})
        result = run(embedded, "python -c 'while True: print(\"x\" * 99)'")
        assert result["exitCode"] == 137
        assert "the limit (output)" in result["stderr"]
        assert result["stdout"].startswith("x" * 99 + "\n")


class TestEnds:
    @pytest.mark.parametrize(
        "code",
        [
            "while True: pass",
            "sum(range(10**10))",
            "import time; time.sleep(100)",
            "while True:\n  try:\n    while True: pass\n  except BaseException: pass",
            "import re; re.match('(a+)+$', 'a' * 40 + 'b')",
        ],
    )
    def test_one_that_does_not_end_is_ended_at_the_timeout(self, embedded: Page, code: str) -> None:
        write(embedded, "loop.py", f"print('started')\n{code}\n")
        result = run(embedded, "python loop.py", timeoutMs=1500)
        assert (result["exitCode"], result["stopped"]) == (124, "timeout")
        assert output(embedded, "echo still here") == "still here\n"

    def test_what_was_written_before_the_end_is_there_and_nothing_half(self, embedded: Page) -> None:
        write(embedded, "kept.txt", "old")
        write(
            embedded,
            "writer.py",
            "open('done.txt', 'w').write('whole')\nf = open('kept.txt', 'w')\nf.write('x' * 100_000)\nf.flush()\n"
            "print('written', flush=True)\nwhile True: pass\n",
        )
        result = run(embedded, "python writer.py", timeoutMs=3000)
        assert result["stdout"] == "written\n"
        assert read(embedded, "done.txt") == "whole"
        assert read(embedded, "kept.txt") == "old"

    def test_fsync_tells_of_an_open_file(self, embedded: Page) -> None:
        write(
            embedded,
            "log.py",
            "import os\nf = open('log', 'w')\nf.write('x')\nf.flush()\nos.fsync(f.fileno())\nwhile True: pass\n",
        )
        run(embedded, "python log.py", timeoutMs=2000)
        assert read(embedded, "log") == "x"

    def test_a_crash_of_the_interpreter_is_one_line_and_the_next_runs(self, embedded: Page) -> None:
        result = run(
            embedded, "python -c 'import json; json.loads(\"[\" * 100000)'; echo $?; python -c 'print(1)'"
        )
        assert result["stdout"].endswith("139\n1\n")
        assert "python: the interpreter crashed" in result["stderr"]

    def test_memory_has_a_limit_that_is_named(self, embedded: Page) -> None:
        open_sandbox(embedded, processes={"memory": 200 << 20})
        result = run(embedded, "python -c 'x = bytearray(500_000_000)'")
        assert result["exitCode"] == 1
        assert "MemoryError" in result["stderr"]
        assert "a process may use 200 MB of memory" in result["stderr"]

    def test_files_have_a_limit_that_is_named(self, embedded: Page) -> None:
        open_sandbox(embedded, processes={"files": 2 << 20})
        result = run(embedded, 'python -c \'open("big", "wb").write(bytes(3 << 20))\'')
        assert result["exitCode"] == 1
        assert "the files of a process may take 2 MB" in result["stderr"]

    def test_processes_that_start_processes_come_to_an_end(self, embedded: Page) -> None:
        open_sandbox(embedded, processes={"processes": 3})
        write(
            embedded,
            "fork.py",
            "import subprocess, sys\nsys.exit(subprocess.run([sys.executable, 'fork.py']).returncode)\n",
        )
        result = run(embedded, "python fork.py")
        assert result["exitCode"] == 126
        assert "3 processes run already, which is the limit (processes)" in result["stderr"]

    @pytest.mark.parametrize(
        ("code", "says"),
        [
            ("import threading; threading.Thread(target=print).start()", "there are no threads"),
            ("import socket; socket.create_connection(('x', 80))", "there are no sockets in a browser"),
            ("import urllib.request; urllib.request.urlopen('https://example.com')", "network policy"),
        ],
    )
    def test_what_cannot_be_says_so(self, embedded: Page, code: str, says: str) -> None:
        result = run(embedded, f'python -c "{code}"')
        assert result["exitCode"] == 1
        assert says in result["stderr"].splitlines()[-1]


class TestFiles:
    def test_changes_of_every_kind_arrive(self, embedded: Page) -> None:
        write(embedded, "old/a.txt", "a")
        write(embedded, "gone.txt", "g")
        write(
            embedded,
            "change.py",
            "import os, pathlib\n"
            "os.rename('old', 'new'); os.remove('gone.txt'); os.makedirs('x/y'); os.symlink('../a.txt', 'new/link')\n"
            "pathlib.Path('new/a.txt').write_text('changed'); os.chmod('new/a.txt', 0o755)\n"
            "with open('new/a.txt', 'a') as f: f.write('!')\n",
        )
        assert output(
            embedded,
            "python change.py; find . -not -name change.py | sort; cat new/a.txt; stat -c %a new/a.txt",
        ) == (".\n./new\n./new/a.txt\n./new/link\n./x\n./x/y\nchanged!755\n")

    def test_several_processes_write_at_once(self, embedded: Page) -> None:
        write(
            embedded,
            "many.py",
            "import sys\nn = sys.argv[1]\nfor i in range(50):\n"
            "    open(f'{n}-{i}', 'w').write(n)\n    open('same', 'w').write(n * 5000)\n",
        )
        output(
            embedded, "python many.py a & python many.py b & for i in $(seq 50); do echo c > c-$i; done; wait"
        )
        assert output(embedded, "ls [abc]-* | wc -l") == "150\n"
        assert read(embedded, "same") in ("a" * 5000, "b" * 5000)

    def test_locks_hold_in_processes(self, embedded: Page) -> None:
        write(embedded, "locked.txt", "as it was")
        embedded.evaluate("() => sandbox.locks.add('locked.txt')")
        result = run(embedded, 'python -c \'open("locked.txt", "w")\'')
        assert "PermissionError" in result["stderr"]
        assert read(embedded, "locked.txt") == "as it was"

    def test_tmp_is_shared_by_shells_and_processes_and_not_a_part_of_the_project(
        self, embedded: Page
    ) -> None:
        output(
            embedded,
            'echo shell > /tmp/a; python -c \'open("/tmp/b", "w").write(open("/tmp/a").read() + "python")\'',
        )
        assert output(embedded, "cat /tmp/b") == "shell\npython"
        assert output(embedded, "ls -A") == ""

    def test_a_running_shell_sees_what_its_processes_write(self, embedded: Page) -> None:
        write(embedded, "serve.py", "import time\nopen('ready', 'w').write('yes')\ntime.sleep(60)\n")
        command = "python serve.py & until [ -s ready ]; do sleep 0.05; done; cat ready; kill $!"
        assert output(embedded, command) == "yes"


class TestChildren:
    @pytest.mark.parametrize(
        ("code", "printed"),
        [
            ("print(subprocess.run(['echo', 'a b'], capture_output=True, text=True).stdout)", "a b\n\n"),
            ("subprocess.run('echo out; echo err >&2; exit 3', shell=True); print('then')", "out\nthen\n"),
            ("print(subprocess.run('exit 3', shell=True).returncode)", "3\n"),
            ("print(subprocess.check_output(['tr', 'a', 'b'], input=b'banana'))", "b'bbnbnb'\n"),
            (
                "p = subprocess.Popen('cat', stdin=-1, stdout=-1, text=True); print(p.communicate('in'))",
                "('in', None)\n",
            ),
            ("print(os.system('exit 4') >> 8, os.popen('echo pop').read())", "4 pop\n\n"),
            (
                "open('f', 'w').write('x'); print(subprocess.getoutput('cat f; echo y > f'), open('f').read())",
                "x y\n\n",
            ),
            (
                "try: subprocess.run(['sleep', '9'], timeout=0.2)\nexcept subprocess.TimeoutExpired as e: print(e.timeout)",
                "0.2\n",
            ),
            (
                "print(subprocess.run([sys.executable, '-c', 'print(1)'], capture_output=True).stdout)",
                "b'1\\n'\n",
            ),
        ],
    )
    def test_commands_go_to_the_sandboxs_shell(self, embedded: Page, code: str, printed: str) -> None:
        write(embedded, "child.py", f"import os, subprocess, sys\n{code}\n")
        assert output(embedded, "python child.py") == printed
