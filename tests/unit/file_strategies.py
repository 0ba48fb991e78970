"""Sequences of changes of files, as hypothesis draws them."""

from hypothesis import strategies as st

names = st.sampled_from(["a", "b", "c d", "é"])
paths = st.lists(names, min_size=1, max_size=3).map("/".join)
texts = st.text("xyz\n", max_size=5)
operations = st.lists(
    st.one_of(
        st.tuples(st.just("write"), paths, texts),
        st.tuples(st.just("append"), paths, texts),
        st.tuples(st.just("truncate"), paths, st.integers(0, 8)),
        st.tuples(st.just("chmod"), paths, st.sampled_from([0o600, 0o755])),
        st.tuples(st.just("mkdir"), paths),
        st.tuples(st.just("mkdir"), paths),
        st.tuples(st.just("link"), paths, names),
        st.tuples(st.just("rename"), paths, paths),
        st.tuples(st.just("rename"), paths, paths),
        st.tuples(st.just("remove"), paths),
        st.tuples(st.just("checkpoint")),
        st.tuples(st.just("restore"), st.integers(0, 3)),
        st.tuples(st.just("look")),
    ),
    max_size=25,
)
