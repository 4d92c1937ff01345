"""Charts of every kind, with sensible and absurd values."""

from hypothesis import strategies as st

from documents.sample import HOSTILE
from stowage.model.report import Axis, Chart, ChartKind, Drawn, Limit, Point, Scale, Series

KINDS: tuple[ChartKind, ...] = ("scatter", "stacked", "bars", "lines", "grid")
DRAWN: tuple[Drawn, ...] = ("points", "line", "step", "band", "bars")
UNITS = ("s", "USD", "USD/month", "1", "%", "months", "nodes", "MB/s", "")
RESOURCES = (
    None,
    "network",
    "local disk",
    "EBS link",
    "EBS volumes",
    "object store",
    "CPU",
    "data link",
    "launch",
    "loading",
    "other",
    "no team's",
)

finite = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(0.0, 1e6),
    st.sampled_from([0.0, -0.0, 1.0, 5e-324, 1e-300, 1.7e308, -1.7e308, 1e15, 1e15 + 1]),
)
words = st.one_of(st.sampled_from(list(HOSTILE.values())), st.text(max_size=40), st.sampled_from(["network", "a b c"]))
# The index of a category is a point's position on its axis; other axes have none.
numbers = st.one_of(finite, st.integers(0, 5).map(float))
points = st.builds(
    Point,
    numbers,
    numbers,
    low=st.none() | numbers,
    high=st.none() | numbers,
    label=st.none() | words,
    value=st.none() | finite,
    ringed=st.booleans(),
    near_tie=st.booleans(),
)
series = st.builds(
    Series,
    words,
    st.lists(points, max_size=8).map(tuple),
    st.sampled_from(DRAWN),
    st.sampled_from(RESOURCES),
    st.booleans(),
    st.sampled_from(["steps", "ratios"]),
    st.none() | st.integers(0, 20),
    st.floats(0.0, 1.0),
)
SCALES: tuple[Scale, ...] = ("linear", "log", "categories")
axes = st.builds(Axis, words, st.sampled_from(UNITS), st.sampled_from(SCALES), st.lists(words, max_size=6).map(tuple))
limits = st.builds(Limit, st.sampled_from(["x", "y"]), finite, words)


def charts(kinds: tuple[ChartKind, ...] = KINDS) -> st.SearchStrategy[Chart]:
    """Return charts with arbitrary content."""
    return st.builds(
        Chart,
        st.just("chart"),
        words,
        words,
        st.sampled_from(kinds),
        axes,
        axes,
        st.lists(series, max_size=8).map(tuple),
        st.lists(limits, max_size=4).map(tuple),
    )
