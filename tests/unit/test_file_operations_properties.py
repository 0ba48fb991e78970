"""Any sequence of changes: a directory and a plain dictionary agree, and so do events and checkpoints."""

import asyncio
from typing import Any

import pytest
from file_operations import Model, play

pytest.importorskip("hypothesis")

from file_strategies import operations
from hypothesis import given, settings


@settings(deadline=None, max_examples=60)
@given(operations)
def test_a_sandbox_comes_out_as_the_model_says(sequence: list[Any]) -> None:
    model = Model()
    outcomes = [model.play(*operation) for operation in sequence]
    played = asyncio.run(play(sequence))
    assert played["outcomes"] == outcomes
    assert played["tree"] == model.tree
    assert played["told"] == sorted(model.tree)
