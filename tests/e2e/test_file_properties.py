"""Any sequence of changes in the browser comes out as a plain dictionary says: the tree, the events, and all that is kept."""

from typing import Any

from hypothesis import HealthCheck, given, settings
from playwright.sync_api import Page

from tests.conftest import TESTS
from tests.unit.file_operations import Model
from tests.unit.file_strategies import operations

PLAY = """
from inbrowser.sandbox import delete_sandbox
result = await play(operations, id="any", storage="indexeddb")
again = await open_sandbox("any", storage="indexeddb")
result["again"] = tree_of(again._parts.fs.root)
await again.destroy()
await delete_sandbox("any")
result
"""


def test_a_kept_sandbox_comes_out_as_the_model_says(embedded: Page) -> None:
    source = (TESTS / "unit" / "file_operations.py").read_text()
    embedded.evaluate("(code) => inbrowser.runPython(code)", f"{source}\nNone")

    # One page serves all examples.
    @settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
    @given(operations)
    def check(sequence: list[Any]) -> None:
        model = Model()
        outcomes = [model.play(*operation) for operation in sequence]
        code = f"operations = {sequence!r}\n{PLAY}"
        played = embedded.evaluate("(code) => inbrowser.runPython(code)", code)
        assert played["outcomes"] == outcomes
        assert played["tree"] == played["again"] == model.tree
        assert played["told"] == sorted(model.tree)

    check()
