"""What is wrong with a price list beyond single values, each fault with its place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime

from callsheet.catalog.catalog import Catalog
from callsheet.catalog.price import PriceEntry, PriceList
from callsheet.catalog.timeline import FOREVER
from callsheet.kit.errors import Problem
from callsheet.kit.yaml import Document
from callsheet.kit.yaml_nodes import Place, ScalarNode, SequenceNode
from callsheet.kit.yaml_words import closest

_Placed = tuple[Place, PriceEntry]


def price_problems(
    written: Document, document: Document, prices: PriceList, catalog: Catalog | None
) -> Iterator[Problem]:
    """The problems of the list, held against the catalog where there is one.

    `document` is what is left of the `written` one without its wrong values.
    """
    placed: list[_Placed] = [(("prices", i), entry) for i, entry in enumerate(prices.prices)]
    placed += [(("unlisted", i), entry) for i, entry in enumerate(prices.unlisted)]
    entries = {written.at(place): place for place in _places(written)}
    for place, entry in placed:
        as_written = entries[document.at(place)]
        taken_out = set(written.keys(as_written)) - set(document.keys(place))
        if taken_out & {"unit", "tiers"}:
            continue  # its form is not known
        for below, message in entry.faults():
            is_gone = document.node((*place, *below)) is None
            if is_gone and written.node((*as_written, *below)) is not None:
                continue  # a wrong value, which has its own problem
            yield document.problem((*place, *below), message)
    yield from _of_windows(written, document, prices, placed)
    yield from _doubled(document, placed)
    yield from _mixed(document, placed)
    if catalog is not None:
        yield from _against_catalog(document, prices.prices, catalog)


def _places(document: Document) -> Iterator[Place]:
    for key in ("prices", "unlisted"):
        node = document.node((key,))
        for index in range(len(node.items) if isinstance(node, SequenceNode) else 0):
            yield key, index


def _of_windows(
    written: Document, document: Document, prices: PriceList, placed: Sequence[_Placed]
) -> Iterator[Problem]:
    codes: set[str] = set()
    for index, window in enumerate(prices.windows):
        place = ("windows", index)
        if window.code in codes:
            message = f"the window {window.code!r} is listed twice"
            yield document.problem((*place, "code"), message)
        codes.add(window.code)
        for below, message in window.faults():
            yield document.problem((*place, *below), message)
    named = {entry.window for _, entry in placed if entry.window is not None}
    known = codes | _unread(written, codes, named)
    for entry_place, entry in placed:
        if entry.window is not None and entry.window not in known:
            message = f"no window is called {entry.window!r}"
            suggestion = closest(entry.window, known)
            yield document.problem((*entry_place, "window"), message, suggestion)


def _unread(written: Document, read: set[str], named: set[str]) -> set[str]:
    """Which of the named windows may be ones that are written with mistakes of their own."""
    node = written.node(("windows",))
    if node is None:
        return set()
    if not isinstance(node, SequenceNode):
        return named
    codes = [written.node(("windows", index, "code")) for index in range(len(node.items))]
    texts = {code.text for code in codes if isinstance(code, ScalarNode)}
    is_nameless = any(not isinstance(code, ScalarNode) for code in codes)
    return named if is_nameless or texts - read - named else texts


def _doubled(document: Document, placed: Sequence[_Placed]) -> Iterator[Problem]:
    seen: set[tuple[object, ...]] = set()
    for place, entry in placed:
        key = (entry.factory, entry.model_code, entry.window, entry.valid_from)
        if key in seen:
            begin = f"{entry.valid_from:%Y-%m-%d %H:%M}"
            yield document.problem(place, f"{entry.name} has two prices from {begin} on")
        seen.add(key)


def _mixed(document: Document, placed: Sequence[_Placed]) -> Iterator[Problem]:
    """A window whose price is in another currency or unit than the model's price beside it."""
    lanes: defaultdict[tuple[str, str | None], list[_Placed]] = defaultdict(list)
    for each in placed:
        lanes[each[1].name, each[1].window].append(each)
    for (name, window), own in lanes.items():
        if window is None:
            continue
        for place, entry, end in _periods(own):
            for _, beside, beside_end in _periods(lanes.get((name, None), [])):
                together = beside.valid_from < end and entry.valid_from < beside_end
                if not together or (beside.currency, beside.unit) == (entry.currency, entry.unit):
                    continue
                message = f"{name} is priced per {beside.unit} in {beside.currency} at other hours"
                yield document.problem(place, message)
                break


def _periods(lane: Sequence[_Placed]) -> list[tuple[Place, PriceEntry, datetime]]:
    ordered = sorted(lane, key=lambda each: each[1].valid_from)
    ends = [*(entry.valid_from for _, entry in ordered[1:]), FOREVER]
    return [(place, entry, end) for (place, entry), end in zip(ordered, ends, strict=False)]


def _against_catalog(
    document: Document, entries: Sequence[PriceEntry], catalog: Catalog
) -> Iterator[Problem]:
    factory_of = {llm.model_code: llm.factory_id for llm in catalog.llms}
    for index, entry in enumerate(entries):
        owner = factory_of.get(entry.model_code)
        if owner is None:
            message = f"llm_catalog.yaml has no model {entry.model_code!r}"
            suggestion = closest(entry.model_code, factory_of)
            yield document.problem(("prices", index, "model_code"), message, suggestion)
        elif owner != entry.factory:
            message = f"the model {entry.model_code!r} belongs to another factory"
            yield document.problem(("prices", index, "factory"), message, owner)
