"""What holds of every usage object, sound or not, in every dialect."""

from __future__ import annotations

from functools import reduce
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from callsheet.events.usage import Usage
from callsheet.llm.usage.fold import folded
from callsheet.llm.usage.metered import metered
from callsheet.llm.usage.registry import FORMS
from tests.llm.usage.cases import ESTIMATE

COUNTS = st.one_of(
    st.integers(min_value=0, max_value=2_000_000_000),
    st.integers(),
    st.floats(),
    st.booleans(),
    st.none(),
    st.text(max_size=3),
)
PATHS = sorted({path for form in FORMS.values() for path in form.paths()})
DIALECTS = st.sampled_from(sorted(FORMS))


def _nested(flat: dict[str, Any]) -> dict[str, Any]:
    raw: dict[str, Any] = {}
    for path, value in flat.items():
        *objects, key = path.split(".")
        within = raw
        for name in objects:
            below = within.get(name)
            if not isinstance(below, dict):
                below = within[name] = {}
            within = below
        within[key] = value
    return raw


OBJECTS = st.dictionaries(st.sampled_from(PATHS), COUNTS, max_size=8).map(_nested)
ANYTHING = st.one_of(
    OBJECTS, st.none(), st.recursive(COUNTS, lambda below: st.lists(below, max_size=3))
)


@st.composite
def estimates(draw: st.DrawFn) -> Usage:
    inputs, outputs = draw(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)))
    reasoning = draw(st.integers(0, outputs))
    return Usage(input_tokens=inputs, output_tokens=outputs, reasoning_tokens=reasoning)


@given(ANYTHING, DIALECTS, estimates(), st.booleans())
def test_parts_never_exceed_their_whole_and_nothing_is_negative(
    raw: Any,
    dialect: Any,
    estimate: Usage,
    final: bool,
) -> None:
    counted = metered(raw, estimate, dialect, final=final)
    usage = counted.usage

    assert min(usage.cached_tokens, usage.cache_write_tokens, usage.reasoning_tokens) >= 0
    assert usage.cached_tokens + usage.cache_write_tokens <= usage.input_tokens <= 10**9
    assert usage.reasoning_tokens <= usage.output_tokens <= 10**9
    assert (counted.method is None) == (counted.source == "provider")
    assert (counted.cache_type is None) == (usage.cached_tokens + usage.cache_write_tokens == 0)


@given(ANYTHING, DIALECTS)
def test_reading_twice_gives_the_same(raw: Any, dialect: Any) -> None:
    once = metered(raw, ESTIMATE, dialect)

    assert metered(once.raw, ESTIMATE, dialect).usage == once.usage


@given(st.integers(0, 10**9), st.integers(1, 10**9), DIALECTS)
def test_sound_counts_are_never_replaced_by_an_estimate(
    inputs: int, outputs: int, dialect: Any
) -> None:
    form = FORMS[dialect]
    names = [one for one in form.inputs if isinstance(one, str)]
    counted = metered({names[0]: inputs, form.outputs[0]: outputs}, ESTIMATE, dialect)

    assert (counted.source, counted.usage.input_tokens) == ("provider", inputs)
    assert counted.usage.output_tokens == outputs


OBJECTS_IN_ORDER = st.lists(st.one_of(st.none(), OBJECTS), max_size=6)


@given(OBJECTS_IN_ORDER)
def test_an_object_that_comes_again_changes_nothing(chunks: list[Any]) -> None:
    known = reduce(folded, chunks, None)

    assert repr(folded(known, known)) == repr(known)
    if chunks:
        assert repr(folded(known, chunks[-1])) == repr(known)


@given(OBJECTS_IN_ORDER, st.data())
def test_null_chunks_may_stand_anywhere(chunks: list[Any], data: st.DataObject) -> None:
    more = list(chunks)
    for at in data.draw(st.lists(st.integers(0, len(chunks)), max_size=3)):
        more.insert(at, None)

    assert repr(reduce(folded, more, None)) == repr(reduce(folded, chunks, None))


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), min_size=1, max_size=30))
def test_sums_so_far_are_folded_to_the_last_and_never_added(sums: list[tuple[int, int]]) -> None:
    chunks = [{"prompt_tokens": one, "completion_tokens": two} for one, two in sums]
    known = reduce(folded, chunks, None)

    assert (known["prompt_tokens"], known["completion_tokens"]) == sums[-1]


@given(ANYTHING, st.text(max_size=5), OBJECTS)
def test_what_is_no_object_does_not_hide_one(before: Any, nonsense: str, raw: Any) -> None:
    known = folded(before, raw)

    assert repr(folded(known, nonsense)) == repr(known)
