"""What the routers need from the services behind them. `main` hands one of each in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from callsheet.agui.run_input import ContinuationInput, RunInput
from callsheet.agui.show import SHOW_EVERYTHING, ShowOptions
from callsheet.api.artifact_ports import Artifacts
from callsheet.api.price_ports import Prices
from callsheet.api.quota_ports import UserQuotas
from callsheet.api.session_ports import Sessions, Titles
from callsheet.api.todo_ports import Todos
from callsheet.api.tool_ports import ToolList
from callsheet.api.usage_ports import UsageReports
from callsheet.auth.principal import Principal
from callsheet.interrupts.interrupt import InterruptRecord
from callsheet.kit.errors import Problem
from callsheet.kit.pages import Page, PageRequest
from callsheet.kit.readiness import Part
from callsheet.ledger.report.billing import ModelBilling
from callsheet.llm.model import Model
from callsheet.runs.run import RunRecord
from callsheet.runs.started import StartedRun
from callsheet.runs.watched import WatchedRun
from callsheet.workflows.workflow import Workflow


class Identities(Protocol):
    """Tells who makes a request."""

    async def authenticate(self, authorization: str | None) -> Principal:
        """The user that the Authorization header names; raises Unauthorized, Unavailable."""
        ...


class Chat(Protocol):
    """Starts turns."""

    async def start(
        self, principal: Principal, workflow: str | None, request: RunInput, trace_id: str
    ) -> StartedRun:
        """Let the turn in and start it, or attach to the run of that id that this user has.

        `workflow` None: the default one.

        Raises:
            NotFound: no such workflow, or the session, run or message is another user's.
            Conflict: the session has an active run (`extra["runId"]` names it).
            Refused: rate, quota or money; Unavailable: the database, or the server shuts down.
        """
        ...


class Continuations(Protocol):
    """Goes on where runs broke off."""

    async def start(
        self, principal: Principal, run_id: UUID, asked: ContinuationInput, trace_id: str
    ) -> tuple[RunRecord, StartedRun]:
        """The run that is gone on from, and the one that does; attached to where it is there.

        Raises:
            NotFound: no such run of this user.
            Conflict: `run_active`, `run_not_over`, `run_not_last`.
            TurnFailed: `revision_gone`; Refused, Unavailable: as in `Chat.start`.
        """
        ...


class Runs(Protocol):
    """Reads and stops runs. A run of another user is NotFound."""

    async def get(self, principal: Principal, run_id: UUID) -> RunRecord: ...

    async def watch(self, principal: Principal, run_id: UUID) -> WatchedRun:
        """The run with its entries from seq 1 on."""
        ...

    async def cancel(self, principal: Principal, run_id: UUID) -> RunRecord:
        """Stop it and return it as it is once it has ended; one that has ended is only returned."""
        ...

    async def of_session(
        self, principal: Principal, session_id: UUID, page: PageRequest
    ) -> Page[RunRecord]:
        """The session's runs, newest first."""
        ...

    async def cancel_session(self, principal: Principal, session_id: UUID) -> RunRecord | None:
        """Stop the session's active run; None where there is none."""
        ...


class Interrupts(Protocol):
    """What runs wait for. Another user's interrupt is NotFound."""

    async def open(
        self, principal: Principal, session_id: UUID | None, page: PageRequest
    ) -> Page[InterruptRecord]:
        """Those that are open, newest first; of one session, or of all."""
        ...

    async def get(self, principal: Principal, interrupt_id: UUID) -> InterruptRecord: ...


class WorkflowCatalog(Protocol):
    """The workflows that are active, and what is wrong with edits that are not."""

    @property
    def default(self) -> str:
        """The name that `/v1/agent-chat` runs."""
        ...

    async def refresh(self) -> None:
        """Take in what was edited on disk; the rest only reads memory."""
        ...

    def names(self) -> Sequence[str]: ...

    def get(self, name: str) -> Workflow: ...

    def problems(self) -> Sequence[Problem]:
        """Why the files on disk are not what runs; empty where they are."""
        ...


class ModelCatalog(Protocol):
    """The models that can be called now."""

    def all(self) -> Mapping[str, Model]: ...


class Health(Protocol):
    """Whether turns can be served."""

    async def parts(self) -> Sequence[Part]:
        """Every part that a turn needs, asked now; answers within a second or two."""
        ...

    def billing(self) -> Sequence[ModelBilling]:
        """Every model that an active workflow names; Unavailable before prices are loaded."""
        ...


class Metrics(Protocol):
    """The numbers of this process for a scraper."""

    @property
    def content_type(self) -> str: ...

    def text(self) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Services:
    """All that the routers talk to."""

    identities: Identities
    chat: Chat
    runs: Runs
    continuations: Continuations
    sessions: Sessions
    titles: Titles
    interrupts: Interrupts
    artifacts: Artifacts
    todos: Todos
    workflows: WorkflowCatalog
    models: ModelCatalog
    tools: ToolList
    prices: Prices
    usage: UsageReports
    quotas: UserQuotas
    health: Health
    metrics: Metrics


@dataclass(frozen=True, slots=True)
class ApiOptions:
    """How the API behaves.

    `own_hosts`: the Host headers that are answered, empty: any (a server with keys may sit behind
    any name). `own_hosts` set is the keyless local server: foreign Origins and bodies that are
    not JSON are then refused too. `allowed_origins`: browsers' origins that may read answers.
    `body_within_s`: how long the whole body may take to come. `show`: what of models and money is
    in any answer. `open_metrics`: `/metrics` asks for no admin. `language`: that of
    labels, where a caller names none.
    """

    own_hosts: frozenset[str] = frozenset()
    allowed_origins: frozenset[str] = frozenset()
    max_body_bytes: int = 10_000_000
    max_message_chars: int = 100_000
    body_within_s: float = 60.0
    ping_after_s: float = 12.0
    show: ShowOptions = SHOW_EVERYTHING
    open_metrics: bool = False
    language: str = "en"
