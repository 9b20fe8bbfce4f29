"""The small model behind an OpenAI-compatible address, in this process."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from callsheet.llm.local.weights import CONTEXT_TOKENS, MODEL_CODE

HOST: Final = "127.0.0.1"
_SILENT: Final = -1


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A running server; it stops with the process. `url` ends in /v1."""

    url: str
    engine: Any


def start(weights: Path, *, port: int, threads: int) -> LocalModel:
    """Load the weights and listen; blocks until requests are answered. Port 0: any free one.

    Requests are answered one after another. One thread is enough for this model, and more of
    them only wait for each other on a busy machine.
    """
    import xllamacpp  # noqa: PLC0415  an optional extra of 100 MB

    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.model_alias = {MODEL_CODE}
    params.hostnames = [HOST]
    params.port = port
    params.n_ctx = CONTEXT_TOKENS
    params.n_parallel = 1
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    params.ui = False
    params.offline = True
    params.endpoint_slots = False
    params.verbosity = _SILENT
    server = xllamacpp.Server(params)
    return LocalModel(f"{server.listening_address}/v1", server)
