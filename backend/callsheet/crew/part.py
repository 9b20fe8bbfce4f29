"""One agent's part in a stage: what it is told, what it may do, and what it gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from callsheet.crew.agent_loop import AgentLoop, Ask
from callsheet.crew.opening import Opening
from callsheet.crew.scene import Delivery, Scene
from callsheet.crew.speaker import Speaker
from callsheet.events.agent import HistoryCut
from callsheet.kit.deadline import Deadline
from callsheet.kit.errors import AppError
from callsheet.kit.json import decode, encode
from callsheet.turn.paused import Paused
from callsheet.workflows.output import parse_output
from callsheet.workflows.workflow import TaskSpec


@dataclass(frozen=True, slots=True)
class Part:
    """One execution: of a task of the stage, or of what an agent asked a coworker.

    `opening` is made when the part begins: by then the tasks that it builds on have delivered.
    """

    scene: Scene
    task: TaskSpec
    speaker: Speaker
    loop: AgentLoop
    opening: Callable[[], Opening]
    deadline: Deadline

    async def perform(self, ask: Ask) -> Delivery:
        """Work until there is an answer, and hand it over.

        Raises:
            TurnFailed: `invalid_output` where the task has a schema that the answer does not fit;
                else see `AgentLoop.run`.
        """
        path = self.speaker.frame.path
        try:
            async with self.scene.on_stage():
                delivery = self._stored(path) or await self._deliver(ask)
                await self.scene.pace.step()  # CrewAI's ending of the task follows
        except AppError as error:
            self.scene.cast.fail(path, str(error))
            raise
        except Paused as paused:
            if self.speaker.frame.depth == 0:  # a coworker's is in that of who asked it
                self.scene.wait_for(paused)
            raise
        self.scene.deliveries[path] = delivery
        self.scene.cast.deliver(path, delivery.text)
        return delivery

    def _stored(self, path: str) -> Delivery | None:
        """What the task gave before; None where it has not been finished."""
        record = self.scene.work.record
        done = record.tasks.get(path)
        if done is None:
            return None
        schema = self.task.output_schema
        output = None if schema is None else decode(done.output)
        return Delivery(done.output, output, record.last_message(path) or "")

    def _tell_cut(self, turns_left_out: int) -> None:
        if not turns_left_out:
            return
        frame = self.speaker.frame
        self.speaker.note(turns_left_out=turns_left_out)
        self.scene.emit(
            HistoryCut(
                agent_run_id=frame.agent_run_id, stage=frame.stage, turns_left_out=turns_left_out
            )
        )

    async def _deliver(self, ask: Ask) -> Delivery:
        opening = self.opening()
        self._tell_cut(opening.turns_left_out)
        answer = await self.loop.run(opening.messages, ask, self.deadline)
        schema = self.task.output_schema
        if schema is None:
            return Delivery(text=answer.text, output=None, message_id=answer.message_id)
        value = parse_output(answer.text, schema)
        return Delivery(text=encode(value).decode(), output=value, message_id=answer.message_id)
