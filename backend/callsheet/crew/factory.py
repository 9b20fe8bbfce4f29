"""A stage's crew, built for one run out of real CrewAI objects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from crewai import Task

from callsheet.crew.agent import agent_of
from callsheet.crew.agent_loop import AgentLoop
from callsheet.crew.budget_question import budget_question
from callsheet.crew.delegation import Delegation
from callsheet.crew.frame import Frame
from callsheet.crew.model import CrewModel
from callsheet.crew.offer import NO_TOOLS
from callsheet.crew.on_the_way import Ear
from callsheet.crew.opening import NOTHING_SAID, Conversation, Opening, open_talk
from callsheet.crew.part import Part
from callsheet.crew.performance import Performance
from callsheet.crew.scene import Delivery, Scene
from callsheet.crew.shell import Role
from callsheet.crew.speaker import Speaker
from callsheet.crew.tool_desk import ToolDesk
from callsheet.crew.tool_round import ToolRound
from callsheet.kit.deadline import Deadline
from callsheet.kit.ids import new_id
from callsheet.todos.todo_list import TOOL as TODO_LIST
from callsheet.workflows.inputs import DataBlock, ResolvedTask, resolve
from callsheet.workflows.workflow import TaskSpec

_ORDER = ResolvedTask(
    description="A coworker has asked you for something. Do what <order> says; <context> is all "
    "that you are told about it.",
    expected_output="Your best and complete answer to your coworker.",
    blocks=(),
)


class CrewFactory:
    """Casts what performs in one scene. Nothing that it casts outlives the run."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._stage = scene.work.stage

    def cast(self, performance: Performance) -> None:
        """Give every role of the crew to its part; from then on it performs.

        Raises:
            Unavailable: an agent's model is unknown or has no key; nobody has begun.
        """
        variables = self._scene.work.view.variables()
        given: list[tuple[Role, Part, ResolvedTask]] = []
        for spec in self._stage.tasks:
            resolved = resolve(spec, variables)
            part = self._part(spec, resolved)
            role = performance.role(spec.name)
            if part.speaker.frame.path not in self._scene.work.record.tasks:
                self._scene.cast.expect(str(role.task.id), part.speaker.frame)
            given.append((role, part, resolved))
        performance.announce(self._scene.cast)
        for role, part, resolved in given:
            role.give_to(part, resolved)

    async def hire(
        self, boss: Part, coworker: str, order: Sequence[DataBlock], call_id: str, by: Deadline
    ) -> Delivery:
        """Have a fresh execution of a coworker do an order, under the frame of who asked."""
        above = boss.speaker.frame
        frame = Frame(
            agent_run_id=str(new_id()),
            path=f"{above.path}/{call_id}",
            stage=above.stage,
            agent=self._stage.agents[coworker],
            task=above.task,
            visible=False,
            depth=above.depth + 1,
            parent_agent_run_id=above.agent_run_id,
            parent_tool_call_id=call_id,
        )
        spec = TaskSpec(name=above.task, description="", expected_output="", agent=coworker)
        part = self._assemble(frame, spec, _ORDER, order, by)
        agent = agent_of(frame.agent, _model_of(part))
        task = Task(
            name=spec.name,
            description=_ORDER.description,
            expected_output=_ORDER.expected_output,
            agent=agent,
        )
        self._scene.cast.expect(str(task.id), frame)
        await agent.aexecute_task(task)
        return self._scene.deliveries[frame.path]

    def _part(self, spec: TaskSpec, resolved: ResolvedTask) -> Part:
        work = self._scene.work
        frame = Frame(
            agent_run_id=str(new_id()),
            path=self._scene.path_of(spec.name),
            stage=self._stage.name,
            agent=self._stage.agents[spec.agent],
            task=spec.name,
            visible=work.visible and spec is self._stage.tasks[-1],
        )
        return self._assemble(frame, spec, resolved, (), work.deadline)

    def _assemble(
        self,
        frame: Frame,
        spec: TaskSpec,
        resolved: ResolvedTask,
        order: Sequence[DataBlock],
        deadline: Deadline,
    ) -> Part:
        scene = self._scene
        model = scene.abilities.models.get(frame.agent.default_model)
        hired: list[Part] = []

        async def hire(name: str, blocks: Sequence[DataBlock], call_id: str, by: Deadline) -> str:
            return (await self.hire(hired[0], name, blocks, call_id, by)).text

        desk = ToolDesk(
            frame,
            scene.work,
            scene.abilities,
            Delegation(self._coworkers(frame), hire),
            scene.asker,
            scene.emit,
        )
        offer = desk.offer() if model.native_tools else NO_TOOLS
        todo = scene.work.view.todo if frame.depth == 0 and offer.has(TODO_LIST) else ""
        options = scene.abilities.options

        def opening() -> Opening:
            blocks = (*resolved.blocks, *order, *self._context(spec))
            return open_talk(
                frame.agent,
                spec,
                replace(resolved, blocks=blocks),
                model=model,
                tools=offer,
                said=replace(self._said(frame), added=self._added(spec), todo=todo),
            )

        part = Part(
            scene=scene,
            task=spec,
            speaker=Speaker(
                scene.asker,
                frame,
                model,
                spec.output_schema,
                scene.work.record,
                lambda spent: budget_question(spent, scene.work, scene.abilities.clock.now()),
            ),
            loop=AgentLoop(
                frame,
                scene.emit,
                ToolRound(
                    frame, scene.emit, desk, scene.work.record, parallel=options.parallel_tools
                ),
                offer.schemas,
                failed_rounds=options.failed_rounds,
                hear=Ear(frame, scene.work, scene.emit, scene.asker.stored).hear,
            ),
            opening=opening,
            deadline=deadline,
        )
        hired.append(part)
        return part

    def _said(self, frame: Frame) -> Conversation:
        """Who sees the conversation, or writes into it, is told of the user's side too."""
        work, stage = self._scene.work, self._stage
        if frame.depth > 0 or not (stage.history or stage.visible):
            return NOTHING_SAID
        history = work.view.history if stage.history else ()
        return Conversation(history, work.view.settings.persona, work.request.context)

    def _context(self, spec: TaskSpec) -> Sequence[DataBlock]:
        return [
            DataBlock(name, self._scene.deliveries[self._scene.path_of(name)].text)
            for name in spec.context
        ]

    def _added(self, spec: TaskSpec) -> str:
        """What was said on the way to those whose work this builds on; they are done by then."""
        known = {task.name: task for task in self._stage.tasks}
        before, names = list(spec.context), set[str]()
        while before:
            name = before.pop()
            names.add(name)
            before += known[name].context
        record = self._scene.work.record
        paths = [self._scene.path_of(name) for name in known if name in names]
        return "\n\n".join(text for path in paths for text in record.steered_on(path))

    def _coworkers(self, frame: Frame) -> dict[str, str]:
        """Name and role of everybody else in the crew, where this agent may ask them."""
        deepest = self._scene.abilities.options.delegation_depth
        if not frame.agent.allow_delegation or frame.depth >= deepest:
            return {}
        return {
            name: agent.role
            for name, agent in self._stage.agents.items()
            if name != frame.agent.name
        }


def _model_of(part: Part) -> CrewModel:
    model = CrewModel(model=part.speaker.model.model_code, provider="callsheet")
    return model.speak_for(part)
