"""Callsheet with a journal and a ledger that store nothing."""

from __future__ import annotations

from bench.servers.callsheet import serve
from bench.servers.null_journal import NullJournal
from callsheet.wiring.adapters import Adapters

if __name__ == "__main__":
    serve(Adapters(journal=lambda connection, currency, budgets: NullJournal()))
