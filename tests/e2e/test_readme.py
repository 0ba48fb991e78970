"""README's examples run as they are printed."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page

README = (Path(__file__).parents[2] / "README.md").read_text()


def example(language: str) -> str:
    blocks = re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)
    assert len(blocks) == 1
    return blocks[0]


def test_the_python_example_runs_in_the_kernel(embedded: Page) -> None:
    printed: list[str] = []
    embedded.on("console", lambda message: printed.append(message.text))
    embedded.evaluate("(code) => inbrowser.runPython(code)", example("python"))
    assert any("One line prints." in text for text in printed)


def test_the_javascript_example_runs_in_a_page(page: Page, site: str) -> None:
    html = f"<!doctype html><link rel=icon href='data:,'><script type=module>{example('js')}\nwindow.done = true</script>"
    page.route("**/example.html", lambda route: route.fulfill(body=html, content_type="text/html"))
    printed: list[str] = []
    page.on("console", lambda message: printed.append(message.text))
    page.goto(f"{site}/example.html")
    page.wait_for_function("window.done")
    page.evaluate("console.log('end')")  # Comes after all that was printed before.
    assert any("tool_finished" in text for text in printed)
    assert any("It prints hi." in text for text in printed)


@pytest.mark.cpython
def test_the_commands_are_the_ones_that_exist() -> None:
    build = (Path(__file__).parents[2] / "build.py").read_text()
    for command in re.findall(r"python build\.py (\w+)", README):
        assert f'"{command}"' in build
