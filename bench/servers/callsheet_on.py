"""Callsheet as it is."""

from __future__ import annotations

from bench.servers.callsheet import serve
from callsheet.wiring.adapters import Adapters

if __name__ == "__main__":
    serve(Adapters())
