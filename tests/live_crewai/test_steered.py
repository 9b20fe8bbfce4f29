"""A real crew that is told something while it works."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from callsheet.events.steered import Steered
from callsheet.events.union import AnyRunEvent
from callsheet.llm.chat import ChatRequest
from callsheet.turn.ports import OnTheWay, StageWork
from callsheet.turn.record import fold
from tests.fakes.chat import Script, ScriptedChat, text
from tests.fakes.stage import agent, stage_work, task
from tests.live_crewai.playing import Play
from tests.live_crewai.test_resume import RECORDED, Counting, rounds


@dataclass
class Steering:
    """Gives each text once, to whoever asks when so many models were asked."""

    chat: ScriptedChat
    after: dict[int, str] = field(default_factory=dict)

    async def __call__(self) -> Sequence[OnTheWay]:
        due = [asked for asked in self.after if len(self.chat.requests) >= asked]
        said = [self.after.pop(asked) for asked in due]
        return [OnTheWay(run_id=each, message_id=each, text=each) for each in said]


@dataclass
class Played:
    text: str
    events: Sequence[AnyRunEvent]
    requests: Sequence[ChatRequest]

    @property
    def steered(self) -> list[tuple[str, str, int]]:
        said = [event for event in self.events if isinstance(event, Steered)]
        return [(each.text, each.path, each.iteration) for each in said]


async def play(
    work: StageWork,
    choose: Callable[[ChatRequest], Script],
    after: dict[int, str],
    past: Sequence[AnyRunEvent] = (),
) -> Played:
    chat = ScriptedChat(choose=choose)
    record = fold(past)
    playing = Play.of(chat, tools=[Counting()])
    playing.recording.carry(record.asked())
    steered = replace(work, record=record, steering=Steering(chat, dict(after)))
    result = await playing.run(steered)
    return Played(result.text, playing.recording.events, chat.requests)


def said_in(request: ChatRequest) -> str:
    return json.dumps(list(request.messages))


async def test_the_next_question_of_the_agent_has_it_and_a_later_start_too() -> None:
    work = stage_work([agent(tools=("double",))])
    after = {1: "Rather in French", 2: "And short"}
    whole = await play(work, rounds, after)
    path = "execution#1/write"
    assert whole.steered == [("Rather in French", path, 1), ("And short", path, 2)]
    assert [said_in(each).count("Rather in French") for each in whole.requests] == [0, 1, 1]
    last_said = max(n for n, event in enumerate(whole.events) if isinstance(event, Steered))
    for last, event in enumerate(whole.events):
        if last == last_said or (last > last_said and isinstance(event, RECORDED)):
            again = await play(work, rounds, {}, whole.events[: last + 1])
            assert again.text == whole.text  # which depends on all that the model was told
            assert again.steered == []


async def test_agents_side_by_side_hear_each_message_once() -> None:
    tasks = [
        task("first", "a", async_execution=True),
        task("second", "b", async_execution=True),
        task("third", "a", context=("first", "second")),
    ]
    work = stage_work([agent("a"), agent("b")], tasks)
    whole = await play(work, lambda _: text("Done."), {0: "Rather in French"})
    [(_, path, _)] = whole.steered
    assert path in ("execution#1/first", "execution#1/second")
    told = [said_in(each).count("Rather in French") for each in whole.requests]
    assert sorted(told[:2]) == [0, 1]
    assert told[2] == 1  # it builds on the work of who heard it
    assert "In <afterthought> stands" in said_in(whole.requests[2])
