"""What a caller of the wiring may put in place of a part: the model's edge, the journal, the clock.

A deployment never does; tests put fakes at the outermost edge and the bench measures a turn
without the journal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from callsheet.db.driver import DriverConnection
from callsheet.journal.budgets import Budgets
from callsheet.journal.postgres import PostgresJournal
from callsheet.journal.writer import JournalStore
from callsheet.kit.clock import Clock, SystemClock
from callsheet.llm.protocol import ChatClient


@dataclass(frozen=True, slots=True)
class Adapters:
    """`journal` gets the journal's connection, the accounting currency and the budgets.

    `chat_client` None: the real one. `drain_s`: seconds that runs under way are given to end when
    the process is asked to stop.
    """

    clock: Clock = field(default_factory=SystemClock)
    journal: Callable[[DriverConnection, str, Budgets], JournalStore] = PostgresJournal
    chat_client: ChatClient | None = None
    drain_s: float = 20.0
