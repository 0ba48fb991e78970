"""Installing packages in a real browser, from an index of the tests' own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page

import build
from tests.e2e.commands import errors, open_sandbox, output, run, write
from tests.package_index import PackageIndex

EVENTS = "() => { window.events = []; sandbox.on((event) => events.push(event)) }"
# What no browser lets its pages reach (a port of mail).
UNREACHABLE = "http://127.0.0.1:25/simple"


def native_wheel() -> Path:
    """A wheel of PyPI that is built for WebAssembly."""
    wheels = build.CACHE / "native-wheels"
    wanted = [*build.WHEEL_TARGET, "--only-binary=:all:", "msgpack==1.2.4"]
    build.step(
        "a native wheel for the tests",
        wanted,
        [wheels],
        lambda: build.pip("download", "--no-deps", *wanted, "-d", wheels),
    )
    return next(wheels.glob("*_wasm32.whl"))


@pytest.fixture
def page(kernel_page: Page, index: PackageIndex) -> Iterator[Page]:
    """A sandbox whose packages come from `index`."""
    open_sandbox(kernel_page, packages={"indexUrls": [index.simple]})
    yield kernel_page
    kernel_page.evaluate("() => sandbox.destroy()")


class TestInstall:
    def test_what_was_asked_for_and_what_that_needs_is_there_for_every_later_process(
        self, page: Page, index: PackageIndex
    ) -> None:
        index.add("top", "1.0", "low>=1", "more; extra == 'big'", extras=["big"])
        index.add("top", "2.0")
        index.add("low", "1.5")
        index.add("more")
        index.add("other", "3.0")
        write(page, "sub/more.txt", "other  # by the file that names it\n")
        write(page, "sub/requirements.txt", "-r more.txt\nlow \\\n  >=1\n")
        output(page, "pip install 'top[big]<2' -r sub/requirements.txt")
        check = "import top, low, more, other; print(top.VERSION, low.VERSION, other.VERSION)"
        for _ in range(2):
            assert output(page, f"python -c '{check}'") == "1.0 1.5 3.0\n"
        assert output(page, "pip freeze") == "low==1.5\nmore==1.0\nother==3.0\ntop==1.0\n"
        assert output(page, "pip list").splitlines()[2:] == [
            "low     1.5",
            "more    1.0",
            "other   3.0",
            "top     1.0",
        ]
        shown = output(page, "pip show low")
        assert "Version: 1.5\nSummary: The low of tests\n" in shown
        assert "Required-by: top\n" in shown
        output(page, "pip uninstall -y top other")
        assert output(page, "pip freeze") == "low==1.5\nmore==1.0\n"
        assert "No module named 'top'" in errors(page, "python -c 'import low, top'")

    @pytest.mark.parametrize("form", ["simple", "html"])
    def test_an_index_that_a_command_or_a_file_names_comes_first(
        self, page: Page, index: PackageIndex, form: str
    ) -> None:
        index.add("named")
        open_sandbox(page, packages={"indexUrls": [UNREACHABLE]})
        write(page, "requirements.txt", f"-i {index.url}/{form}\nnamed\n")
        option = f"--index-url {index.url}/{form} named" if form == "html" else "-r requirements.txt"
        assert "Successfully installed named-1.0" in output(page, f"pip install {option}")
        assert f"/{form}/named/" in index.asked

    def test_an_index_without_an_address_is_refused(self, page: Page) -> None:
        message = page.evaluate(
            "() => inbrowser.openSandbox({ packages: { indexUrls: ['pypi'] } }).catch((e) => e.message)"
        )
        assert "'pypi' is no address" in message

    def test_other_bytes_than_those_that_were_promised_are_refused(
        self, page: Page, index: PackageIndex
    ) -> None:
        index.add("swapped")
        index.wrong_hashes.add("swapped-1.0-py3-none-any.whl")
        assert "was expected: it was damaged on its way, or replaced" in errors(page, "pip install swapped")
        index.add("pinned")
        write(page, "requirements.txt", f"pinned --hash=sha256:{'1' * 64}\n")
        refused = errors(page, "pip install -r requirements.txt")
        assert "none of the hashes that are required" in refused
        assert output(page, "pip freeze") == ""

    def test_one_of_several_that_cannot_be_had_leaves_all_of_them_out_and_is_named(
        self, page: Page, index: PackageIndex
    ) -> None:
        for name in ("one", "two", "three", "four"):
            index.add(name)
        index.add("native", "2.0", tag="cp314-cp314-manylinux_2_17_x86_64")
        index.add("shared", "1.0")
        index.add("shared", "2.0")
        index.add("x", "1.0", "shared<2")
        index.add("y", "1.0", "shared>=2")
        why = errors(page, "pip install one two native three four")
        assert why == (
            "ERROR: native: native needs a C extension, or comes as source only, and has no build for "
            "WebAssembly\nERROR: nothing was installed\n"
        )
        assert "there is no package 'nosuch' on 127.0.0.1" in errors(page, "pip install one nosuch")
        assert "no version of one satisfies >=2; the newest that runs here is 1.0" in errors(
            page, "pip install 'one>=2'"
        )
        assert "x needs shared<2; y needs shared>=2" in errors(page, "pip install x y")
        assert output(page, "pip freeze; python -c 'import json'") == ""
        assert "No module named 'one'" in errors(page, "python -c 'import one'")

    def test_what_is_built_in_is_said_to_be_and_never_asked_for(
        self, page: Page, index: PackageIndex
    ) -> None:
        index.add("json")
        assert "json is part of Python's standard library" in output(page, "pip install json")
        assert index.asked == []

    def test_progress_has_bytes(self, page: Page, index: PackageIndex) -> None:
        index.add("seen")
        page.evaluate(EVENTS)
        output(page, "pip install seen")
        told = page.evaluate("() => events.filter((e) => e.type === 'package:progress')")
        size = len(index.files["seen"]["seen-1.0-py3-none-any.whl"])
        steps = [(each["package"], each["phase"], each["loadedBytes"]) for each in told]
        assert steps[0] == ("seen", "resolve", 0)
        assert ("seen", "download", size) in steps
        assert steps[-1] == ("seen", "done", size)

    def test_the_tool_installs_too_and_says_what_came(self, page: Page, index: PackageIndex) -> None:
        index.add("tooled")
        tool = "(packages) => sandbox.tools.run('package_install', { packages })"
        assert page.evaluate(tool, ["tooled"])["summary"] == "Installed tooled 1.0"
        failed = page.evaluate(tool, ["nosuch"])
        assert (failed["ok"], failed["summary"]) == (False, "Nothing was installed: nosuch cannot be")


class TestNative:
    def test_a_wheel_with_native_code_works_in_every_later_process(
        self, page: Page, index: PackageIndex
    ) -> None:
        index.add_file("msgpack", native_wheel())
        output(page, "pip install msgpack")
        write(
            page,
            "native.py",
            "import msgpack, msgpack._cmsgpack as native\n"
            "data = {'a': [1, 2.5, None, 'é'], 'b': bytes(100_000)}\n"
            "assert msgpack.Packer is native.Packer\n"
            "print(native.__file__.endswith('.so'), msgpack.unpackb(msgpack.packb(data)) == data)\n"
            "try: msgpack.unpackb(b'\\xc1')\nexcept msgpack.FormatError as error: print(type(error).__name__)\n",
        )
        for _ in range(2):
            assert output(page, "python native.py") == "True True\nFormatError\n"


class TestKept:
    def test_they_belong_to_checkpoints_and_forks(self, page: Page, index: PackageIndex) -> None:
        index.add("later")
        page.evaluate("async () => { window.before = await sandbox.checkpoints.create() }")
        output(page, "pip install later")
        page.evaluate("async () => { window.after = await sandbox.checkpoints.create() }")
        page.evaluate("() => sandbox.checkpoints.restore(before.id)")
        assert "No module named 'later'" in errors(page, "python -c 'import later'")
        page.evaluate("() => sandbox.checkpoints.restore(after.id)")
        assert output(page, "python -c 'import later; print(later.VERSION)'") == "1.0\n"
        index.add("own")
        installed = page.evaluate(
            """async () => {
              const fork = await sandbox.fork(after.id);
              const result = await fork.runtime.run("pip install -q own; pip freeze");
              await fork.destroy();
              return result.stdout;
            }"""
        )
        assert installed == "later==1.0\nown==1.0\n"
        assert output(page, "pip freeze") == "later==1.0\n"


class TestOffline:
    def test_what_was_installed_and_what_comes_with_the_page_need_no_network(
        self, context: BrowserContext, site: str, index: PackageIndex
    ) -> None:
        index.add("stays")
        index.add("elsewhere")
        options = {"id": "kept", "storage": "indexeddb", "packages": {"indexUrls": [index.simple]}}
        page = context.new_page()

        def visit() -> None:
            page.goto(f"{site}/")
            page.evaluate("async () => { window.inbrowser = await import('./inbrowser.js') }")
            open_sandbox(page, **options)

        visit()
        output(page, "pip install stays")
        page.evaluate("() => sandbox.flush()")
        page.wait_for_function("navigator.serviceWorker.ready.then((r) => r.active.state === 'activated')")
        context.set_offline(True)
        asked = list(index.asked)
        visit()
        output(page, "pip install pytest requests")
        write(page, "test_it.py", "def test_it(): import requests, stays\n")
        assert "1 passed" in output(page, "python -m pytest -q")
        why = errors(page, "pip install elsewhere")
        assert "elsewhere: 127.0.0.1" in why
        assert "cannot be reached: the browser is offline" in why
        assert index.asked == asked

    def test_an_index_that_cannot_be_reached_is_named(self, page: Page) -> None:
        why = errors(page, f"pip install -i {UNREACHABLE} any")
        assert "any: 127.0.0.1:25 cannot be reached" in why


class TestTime:
    def test_a_download_takes_nothing_of_the_time_that_a_command_has(
        self, page: Page, index: PackageIndex
    ) -> None:
        index.add("slow")
        index.pieces["slow-1.0-py3-none-any.whl"] = 12
        write(
            page,
            "outer.py",
            "import subprocess, sys\nsubprocess.run([sys.executable, '-m', 'pip', 'install', 'slow'])\n",
        )
        output(page, "python -c pass")
        result = run(page, "python outer.py && python -c 'import slow; print(slow.VERSION)'", timeoutMs=4000)
        assert result["exitCode"] == 0, result
        assert result["durationMs"] > 4000
        assert "Downloading slow" in result["stdout"]
        assert result["stdout"].endswith("1.0\n")
        # The clock goes on where it stood.
        result = run(page, "pip install json; while true; do :; done", timeoutMs=500)
        assert (result["exitCode"], result["stopped"]) == (124, "timeout")

    def test_a_download_that_does_not_go_on_is_given_up_and_named(
        self, page: Page, index: PackageIndex
    ) -> None:
        url = index.add("stuck")
        name = url.rpartition("/")[2]
        index.pieces[name] = 2
        index.stalled.add(name)
        open_sandbox(page, packages={"indexUrls": [index.simple], "patienceMs": 500})
        result = run(page, "pip install stuck", timeoutMs=300)
        assert result["exitCode"] == 1
        assert f"stuck: the download of {url} stalled: 127.0.0.1" in result["stderr"]

    def test_a_download_can_be_stopped_and_is_in_nobodys_way(self, page: Page, index: PackageIndex) -> None:
        index.add("next")
        name = index.add("endless").rpartition("/")[2]
        index.pieces[name] = 2
        index.stalled.add(name)
        stopped = page.evaluate(
            """async () => {
              const stop = new AbortController();
              sandbox.on((event) => { if (event.phase === "download") stop.abort() });
              const run = sandbox.runtime.run("pip install endless", { signal: stop.signal });
              return run.then(() => "ended", (error) => error.name);
            }"""
        )
        assert stopped == "CancelledError"
        assert output(page, "timeout 1 pip install -q endless; echo $?; pip freeze") == "124\n"
        output(page, "pip install next")
        assert output(page, "pip freeze") == "next==1.0\n"


class TestImports:
    @pytest.mark.parametrize(
        ("module", "package"),
        [("yaml", "pyyaml"), ("bs4", "beautifulsoup4"), ("cv2", "opencv-python"), ("numpy", "numpy")],
    )
    def test_a_module_that_is_missing_says_what_brings_it_and_nothing_is_installed_unasked(
        self, page: Page, index: PackageIndex, module: str, package: str
    ) -> None:
        index.add(package)
        said = errors(page, f"python -c 'import {module}'").splitlines()
        assert said[-2:] == [
            f"ModuleNotFoundError: No module named '{module}'",
            f"{module} is not part of Python: it comes with a package, `pip install {package}`",
        ]
        assert index.asked == []

    def test_modules_of_ones_own_and_misspelled_ones_get_no_such_advice(
        self, page: Page, index: PackageIndex
    ) -> None:
        write(page, "yaml/__init__.py", "import helper\n")
        said = errors(page, "python -c 'import yaml'").splitlines()
        assert said[-1] == "ModuleNotFoundError: No module named 'helper'"
        assert index.asked == []
