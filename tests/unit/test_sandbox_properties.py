"""What holds for any input, on CPython alone: hypothesis has a native part."""

import pytest
from inbrowser.sandbox.errors import InvalidPathError, PathOutsideRootError
from inbrowser.sandbox.paths import normalize
from inbrowser.sandbox.tools.matching import EditError, Replacement, apply_spans, plan_edits

pytest.importorskip("hypothesis")

from hypothesis import given, settings
from hypothesis import strategies as st

texts = st.text(alphabet="ab\n", max_size=12)
parts = st.tuples(texts, st.text(alphabet="xy\n", min_size=1, max_size=6), texts)


@settings(deadline=None)
@given(parts=parts, new=texts, crlf=st.booleans())
def test_any_text_that_occurs_once_is_replaced_and_the_rest_stays(
    parts: tuple[str, str, str], new: str, crlf: bool
) -> None:
    before, old, after = parts
    text = "".join(parts)
    ending = "\r\n" if crlf and "\n" in text else "\n"
    data = text.replace("\n", ending).encode()
    edit = Replacement(old_text=old, new_text=new)
    if old == new or sum(text.startswith(old, at) for at in range(len(text))) > 1:
        with pytest.raises(EditError):
            plan_edits(data, [edit])
    else:
        expected = (before + new + after).replace("\n", ending).encode()
        assert apply_spans(data, plan_edits(data, [edit])) == expected


@settings(deadline=None)
@given(st.lists(st.sampled_from(["a", "b", "..", ".", "", "c d"]), min_size=1, max_size=8).map("/".join))
def test_normal_forms_are_stable_and_inside(path: str) -> None:
    try:
        normal = normalize(path)
    except (PathOutsideRootError, InvalidPathError):
        return
    assert normalize(normal) == normal
    assert ".." not in normal.split("/")
    assert normal == "." or not normal.startswith(("/", "./"))
