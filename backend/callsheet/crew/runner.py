"""Runs the crew of one stage: the engine's `StageRunner`."""

from __future__ import annotations

import asyncio
from contextvars import copy_context

from callsheet.crew.abilities import Abilities
from callsheet.crew.asker import Asker
from callsheet.crew.cast import Cast
from callsheet.crew.factory import CrewFactory
from callsheet.crew.pace import Pace
from callsheet.crew.performance import Performance
from callsheet.crew.scene import Scene
from callsheet.crew.shell import build_shell
from callsheet.crew.stock import CrewStock
from callsheet.events.stage import EndStatus
from callsheet.kit.errors import TimedOut
from callsheet.turn.meter import Meter
from callsheet.turn.paused import Paused
from callsheet.turn.ports import Emit, StageWork
from callsheet.turn.view import StageResult
from callsheet.workflows.workflow import Stage


class CrewRunner:
    """See `StageRunner`. Import it only after `load_crewai`.

    `language` (a tag such as `en` or `zh`) chooses the agents' names for people. With `ahead`,
    crews are kicked off before they are needed; whoever asks for that calls `close` in the end.
    """

    def __init__(self, abilities: Abilities, language: str = "en", *, ahead: bool = False) -> None:
        self._abilities = abilities
        self._language = language
        self._pace = Pace()
        self._stock = CrewStock()
        self._ahead = ahead

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
        performance = self._stock.spare(work)
        if performance is None:
            await scene.pace.step()
            performance = Performance(build_shell(work.stage), work.stage.name, copy_context())
        if self._ahead:
            self._stock.refill_soon(work)
        timeout = work.deadline.timeout()
        status: EndStatus = "failed"
        try:
            async with timeout:
                await abilities.more_tools.ready(_tools_of(work.stage), work.deadline)
                CrewFactory(scene).cast(performance)
                await scene.whole(performance.end())
            status = "done"
        except Paused:
            status = "waiting"
            raise
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
            performance.stop()
            await scene.close(status)
        return _result(scene)

    def close(self) -> None:
        """No more stages will be run."""
        self._stock.close()


def _tools_of(stage: Stage) -> frozenset[str]:
    return frozenset(tool for agent in stage.agents.values() for tool in agent.tools)


def _result(scene: Scene) -> StageResult:
    """The delivery of the last task."""
    last = scene.deliveries[scene.path_of(scene.work.stage.tasks[-1].name)]
    return StageResult(
        text=last.text,
        output=last.output,
        message_id=last.message_id if last.text else None,
    )
