"""Which answers are taken and which are refused, and why; pure.

All that one run waits for is answered together, or not at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from callsheet.interrupts.answer import Answer, GivenAnswer, GivenResult
from callsheet.interrupts.interrupt import InterruptRecord
from callsheet.interrupts.schema import misfit
from callsheet.kit.errors import BadInput, Conflict
from callsheet.kit.ids import parse_uuid
from callsheet.kit.json import encode

UNANSWERED: Final = Answer("cancelled")
_RESULT: Final = {
    "type": "object",
    "properties": {"content": {"type": "string"}, "isError": {"type": "boolean"}},
    "required": ["content"],
    "additionalProperties": False,
}
"""What a tool of the client gives, as a message's result or as an answer's payload."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """Everything that `run_id` waits for has its answer; `all_cancelled`: none of them says
    anything.
    """

    run_id: UUID
    answers: Mapping[UUID, Answer]
    all_cancelled: bool


@dataclass(frozen=True, slots=True)
class Repeated:
    """The same was answered before: the run that went on with it."""

    run_id: UUID


@dataclass(frozen=True, slots=True)
class Given:
    """What a request brings: answers, and results of the client's tools."""

    answers: Sequence[GivenAnswer] = ()
    results: Sequence[GivenResult] = ()

    def __bool__(self) -> bool:
        return bool(self.answers or self.results)

    def ids(self) -> list[UUID]:
        """Those of its answers that are spelled as ids at all."""
        found = (parse_uuid(given.interrupt_id) for given in self.answers)
        return [id_ for id_ in found if id_ is not None]

    def calls(self) -> list[str]:
        """The tool calls that it has results for."""
        return [given.tool_call_id for given in self.results]


NOTHING_GIVEN: Final = Given()


def judge(known: Sequence[InterruptRecord], given: Given, now: datetime) -> Accepted | Repeated:
    """What becomes of `given`; `known` are the session's interrupts, open ones and named ones.

    A call of the client's tools that is among questions to people need not have a result: not
    every client runs its tools then.

    Raises:
        BadInput: an answer to nothing, two to one, one that does not fit, or some are missing.
        Conflict: it comes too late, what it answers is closed, or was answered otherwise.
    """
    named = _named(known, given)
    first = next(iter(named.values()))[0]
    if any(record.run_id != first.run_id for record, _, _ in named.values()):
        raise BadInput(
            "The answers belong to different runs.", field="resume", code="interrupt_unknown"
        )
    if first.status == "answered" and first.answered_run_id is not None:
        return _again(known, first, first.answered_run_id, named)
    _refuse_late(first, [record for record, _, _ in named.values()], named, now)
    open_ones = [r for r in known if r.run_id == first.run_id and r.status == "open"]
    answers = _complete(open_ones, named)
    for record, answer, field in named.values():
        _check(record, answer, field)
    said = any(answer.status == "resolved" for answer in answers.values())
    return Accepted(first.run_id, answers, all_cancelled=not said)


_Named = Mapping[UUID, tuple[InterruptRecord, Answer, str]]


def _named(known: Sequence[InterruptRecord], given: Given) -> _Named:
    """Each answer with what it answers, by the interrupt's id."""
    by_id: dict[UUID | None, InterruptRecord] = {record.id: record for record in known}
    by_call = {r.tool_call_id: r for r in known if r.reason == "client_tool"}
    named: dict[UUID, tuple[InterruptRecord, Answer, str]] = {}
    pairs = [
        (by_id.get(parse_uuid(each.interrupt_id)), each.answer, each.field)
        for each in given.answers
    ]
    pairs += [(by_call.get(each.tool_call_id), _result(each), each.field) for each in given.results]
    for record, answer, field in pairs:
        if record is None:
            raise BadInput(
                f"{field}: nothing of that id was asked in this session.",
                field=field,
                code="interrupt_unknown",
            )
        if record.id in named:
            raise BadInput(
                f"{field}: it is answered twice.", field=field, code="interrupt_answered_twice"
            )
        named[record.id] = (record, answer, field)
    return named


def _result(given: GivenResult) -> Answer:
    return Answer("resolved", {"content": given.content, "isError": given.is_error})


def _again(
    known: Sequence[InterruptRecord], first: InterruptRecord, run_id: UUID, named: _Named
) -> Repeated:
    asked = [r for r in known if r.run_id == first.run_id and r.status == "answered"]
    same = all(_stood(record) == _wire(answer) for record, answer, _ in named.values())
    missing = [r for r in asked if r.id not in named and r.answer_status != "cancelled"]
    if same and not missing:
        return Repeated(run_id)
    raise Conflict(
        "It was answered before, and otherwise.",
        code="interrupt_answered",
        interruptId=str(first.id),
        runId=str(run_id),
    )


def _refuse_late(
    first: InterruptRecord, records: Sequence[InterruptRecord], named: _Named, now: datetime
) -> None:
    late = next((r for r in records if r.status == "expired" or r.expires_at <= now), None)
    is_dropped = all(answer.status == "cancelled" for _, answer, _ in named.values())
    if late is not None and not (is_dropped and late.status == "open"):
        raise Conflict(
            f"The answer comes too late: it was asked for until {late.expires_at.isoformat()}.",
            code="interrupt_expired",
            interruptId=str(late.id),
            runId=str(late.run_id),
        )
    if any(record.status == "closed" for record in records):
        raise Conflict(
            "Nobody waits for the answer any more: the run was stopped, or something else was "
            "said instead.",
            code="interrupt_closed",
            interruptId=str(first.id),
            runId=str(first.run_id),
        )


def _complete(open_ones: Sequence[InterruptRecord], named: _Named) -> dict[UUID, Answer]:
    """An answer for each; BadInput where a person's is missing, or all of the client's."""
    answers = {id_: answer for id_, (_, answer, _) in named.items()}
    missing = [record for record in open_ones if record.id not in answers]
    asks_people = any(record.reason != "client_tool" for record in open_ones)
    needed = [r for r in missing if r.reason != "client_tool" or not asks_people]
    if needed:
        raise BadInput(
            f"The run also waits for {', '.join(_name(record) for record in needed)}: all of it "
            "is answered in one request.",
            field="messages" if needed[0].reason == "client_tool" else "resume",
            code="interrupts_unanswered",
            interruptIds=[str(record.id) for record in needed],
        )
    return answers | {record.id: UNANSWERED for record in missing}


def _check(record: InterruptRecord, answer: Answer, field: str) -> None:
    schema = _RESULT if record.reason == "client_tool" else record.response_schema
    if answer.status != "resolved" or schema is None:
        return
    why = misfit(schema, answer.payload)
    if why is not None:
        raise misfitting(field, why.path, why.said)


def misfitting(field: str, path: str, said: str) -> BadInput:
    """That the payload of the answer at `field` does not fit; `path` leads to the place in it."""
    return BadInput(
        f"{field}/payload does not fit: {said}",
        field="/".join(part for part in (field, "payload", path) if part),
        code="interrupt_answer_invalid",
    )


def _name(record: InterruptRecord) -> str:
    if record.reason == "client_tool":
        return f"the result of tool call {record.tool_call_id}"
    return f"an answer to {record.id}"


def _stood(record: InterruptRecord) -> bytes:
    return encode([record.answer_status, _sorted(record.payload)])


def _wire(answer: Answer) -> bytes:
    return encode([answer.status, _sorted(answer.payload)])


def _sorted(value: Any) -> Any:
    """The value with each object's keys in one order."""
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value
