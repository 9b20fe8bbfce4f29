"""All events of a run as one closed union, and their JSON."""

from __future__ import annotations

import msgspec

from callsheet.events.activity import ActivityShown
from callsheet.events.agent import AgentFinished, AgentStarted, HistoryCut, TaskFinished
from callsheet.events.call import AnswerFinished, LlmCallFinished, LlmCallStarted
from callsheet.events.interrupt import InterruptAnswered
from callsheet.events.output import ToolOutput
from callsheet.events.reasoning import ReasoningDelta, ReasoningEnded, ReasoningStarted
from callsheet.events.run import (
    RunCancelled,
    RunFailed,
    RunFinished,
    RunPaused,
    RunStarted,
    RunTakenOver,
)
from callsheet.events.source import SourceFound
from callsheet.events.stage import StageFinished, StageRetried, StageSkipped, StageStarted
from callsheet.events.steered import Steered
from callsheet.events.text import TextDelta, TextEnded, TextStarted
from callsheet.events.tool import (
    ToolCallArgs,
    ToolCallEnded,
    ToolCallStarted,
    ToolResult,
    ToolStarted,
)

AnyRunEvent = (
    RunStarted
    | RunTakenOver
    | RunFinished
    | RunFailed
    | RunCancelled
    | RunPaused
    | InterruptAnswered
    | Steered
    | StageStarted
    | StageFinished
    | StageSkipped
    | StageRetried
    | AgentStarted
    | AgentFinished
    | HistoryCut
    | TaskFinished
    | LlmCallStarted
    | LlmCallFinished
    | AnswerFinished
    | TextStarted
    | TextDelta
    | TextEnded
    | ReasoningStarted
    | ReasoningDelta
    | ReasoningEnded
    | ToolCallStarted
    | ToolCallArgs
    | ToolCallEnded
    | ToolStarted
    | ToolOutput
    | ActivityShown
    | SourceFound
    | ToolResult
)

TERMINAL = (RunFinished, RunFailed, RunCancelled, RunPaused)

TELLS = (ToolOutput, ActivityShown, SourceFound)
"""What a tool lets people see while it runs."""

_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[AnyRunEvent] = msgspec.json.Decoder(AnyRunEvent)


def dump_event(event: AnyRunEvent) -> bytes:
    """The event as JSON, with its `kind`."""
    return _encoder.encode(event)


def parse_event(data: bytes | str) -> AnyRunEvent:
    """The event that `data` spells; raises msgspec.ValidationError where it is none."""
    return _decoder.decode(data)
