"""Services without crews or database: they keep what they are told in memory."""

from __future__ import annotations

from callsheet.api.ports import ApiOptions, Services
from callsheet.api.price_ports import Prices
from callsheet.api.quota_ports import UserQuotas
from callsheet.api.usage_ports import UsageReports
from callsheet.auth.api_keys import ApiKeys
from callsheet.auth.bearer import Bearer
from tests.api.fake_artifacts import FakeArtifacts
from tests.api.fake_catalog import FakeHealth, FakeModels, FakeWorkflows
from tests.api.fake_chat import FakeChat, FakeContinuations
from tests.api.fake_interrupts import FakeInterrupts
from tests.api.fake_prices import FakePrices
from tests.api.fake_quotas import FakeQuotas
from tests.api.fake_records import FakeRuns, FakeSessions
from tests.api.fake_todos import FakeTodos
from tests.api.fake_tools import FakeTools
from tests.api.fake_usage import FakeUsage

ORIGIN = "http://app.example:3000"
ALICE, BOB = {"Authorization": "Bearer sk-alice"}, {"Authorization": "Bearer sk-bob-2"}


class FakeMetrics:
    """One number."""

    content_type = "text/plain; version=0.0.4; charset=utf-8"

    def text(self) -> bytes:
        return b"callsheet_llm_calls_total 7\n"


class World:
    """All fakes together."""

    def __init__(self) -> None:
        self.chat = FakeChat()
        self.sessions = FakeSessions(self.chat.streamed)
        self.runs = FakeRuns(self.sessions)
        self.artifacts = FakeArtifacts(self.sessions)
        self.todos = FakeTodos(self.sessions)
        self.interrupts = FakeInterrupts()
        self.continuations = FakeContinuations(self.chat, self.runs)
        self.prices: Prices = FakePrices()
        self.usage: UsageReports = FakeUsage()
        self.quotas: UserQuotas = FakeQuotas()
        self.health = FakeHealth()

    def services(self) -> Services:
        """What the application is made on."""
        return Services(
            identities=Bearer([ApiKeys(["alice:sk-alice", "bob:sk-bob-2"])]),
            chat=self.chat,
            runs=self.runs,
            continuations=self.continuations,
            sessions=self.sessions,
            titles=self.sessions,
            artifacts=self.artifacts,
            todos=self.todos,
            interrupts=self.interrupts,
            workflows=FakeWorkflows(),
            models=FakeModels(),
            tools=FakeTools(self.sessions),
            prices=self.prices,
            usage=self.usage,
            quotas=self.quotas,
            health=self.health,
            metrics=FakeMetrics(),
        )


OPTIONS = ApiOptions(
    allowed_origins=frozenset({ORIGIN}),
    max_body_bytes=20_000,
    max_message_chars=1_000,
    ping_after_s=0.05,
)
