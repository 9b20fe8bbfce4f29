"""Callsheet with its journal and without its ledger."""

from __future__ import annotations

from bench.servers.callsheet import serve
from bench.servers.no_ledger import NoLedger
from callsheet.wiring.adapters import Adapters

if __name__ == "__main__":
    serve(Adapters(journal=NoLedger))
