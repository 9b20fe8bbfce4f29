"""Runs the crew of one stage: the engine's `StageRunner`."""

from __future__ import annotations

import asyncio
from typing import Final

from crewai import Crew
from crewai.events.stream_context import add_stream_sink
from crewai.utilities.env import _env_context_emitted

from callsheet.crew.abilities import Abilities
from callsheet.crew.asker import Asker
from callsheet.crew.cast import Cast
from callsheet.crew.factory import CrewFactory
from callsheet.crew.pace import Pace
from callsheet.crew.scene import Scene
from callsheet.crew.sink import LifecycleSink
from callsheet.crew.stock import CrewStock
from callsheet.events.stage import EndStatus
from callsheet.kit.errors import TimedOut
from callsheet.turn.meter import Meter
from callsheet.turn.ports import Emit, StageWork
from callsheet.turn.view import StageResult

_MOMENT_S: Final = 0.001


class CrewRunner:
    """See `StageRunner`. Import it only after `load_crewai`.

    `language` (a tag such as `en` or `zh`) chooses the agents' names for people.
    """

    def __init__(self, abilities: Abilities, language: str = "en") -> None:
        self._abilities = abilities
        self._language = language
        self._pace = Pace()
        self._stock = CrewStock()

    async def run(self, work: StageWork, emit: Emit, meter: Meter) -> StageResult:
        """Run the stage's crew to its result; see `StageRunner.run`."""
        abilities = self._abilities
        scene = Scene(
            work=work,
            emit=emit,
            asker=Asker(
                abilities.client,
                meter,
                emit,
                abilities.clock,
                abilities.retry,
                abilities.rates.of_run(work.request.user_id, work.request.run_id),
            ),
            cast=Cast(emit, self._language),
            abilities=abilities,
            pace=self._pace,
        )
        await scene.pace.step()
        crew = CrewFactory(scene, self._stock).crew()
        timeout = work.deadline.timeout()
        status: EndStatus = "failed"
        try:
            async with timeout:
                await _perform(crew, scene, self._stock)
            status = "done"
        except TimeoutError as error:
            if not timeout.expired():
                raise
            raise TimedOut(
                f"The stage {work.stage.name!r} ran out of its time.", code="stage_timeout"
            ) from error
        except asyncio.CancelledError:
            status = "cancelled"
            raise
        finally:
            await scene.close(status)
        return _result(scene)


async def _perform(crew: Crew, scene: Scene, stock: CrewStock) -> None:
    """Kick the crew off in an asyncio task of its own: CrewAI leaves its context behind in one.

    What fails inside is raised here as it was.
    """
    failures: list[Exception] = []

    async def kickoff() -> None:
        _env_context_emitted.set(True)  # it would look for coding assistants, each time
        add_stream_sink(LifecycleSink(scene.cast, asyncio.get_running_loop()))
        try:
            await scene.pace.step()
            await crew.akickoff()
        except Exception as error:  # noqa: BLE001 - a border: raised again below, outside the group
            failures.append(error)
        finally:
            scene.begin()

    async def restock() -> None:
        await scene.begun()
        await asyncio.sleep(_MOMENT_S)  # its first model call is being opened: nothing else to do
        await scene.pace.step()
        stock.refill(scene.work)

    async with asyncio.TaskGroup() as group:
        group.create_task(kickoff(), name=f"crew:{scene.work.stage.name}")
        group.create_task(restock(), name=f"stock:{scene.work.stage.name}")
    if failures:
        raise failures[0]


def _result(scene: Scene) -> StageResult:
    """The delivery of the last task."""
    last = scene.deliveries[scene.path_of(scene.work.stage.tasks[-1].name)]
    return StageResult(
        text=last.text,
        output=last.output,
        message_id=last.message_id if last.text else None,
    )
