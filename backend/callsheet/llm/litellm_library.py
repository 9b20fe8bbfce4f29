"""LiteLLM, imported on first use: it costs eight seconds of CPU and 200 MiB."""

from __future__ import annotations

import importlib.util
import os
import threading
import warnings
from typing import Any, Final

# Read by LiteLLM while it is imported: without it, it asks the network for its price list.
_SWITCHES: Final = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_MODE": "PRODUCTION"}

# Held while LiteLLM is imported: two threads may ask for it at once.
_lock: Final = threading.Lock()
_loaded: Final[list[Any]] = []


def is_installed() -> bool:
    """Whether the extra `litellm` is there; imports nothing."""
    return importlib.util.find_spec("litellm") is not None


def load_litellm() -> Any:
    """The module, quiet and without telemetry. Blocks while it is imported: call it in a thread."""
    with _lock:
        if _loaded:
            return _loaded[0]
        os.environ.update(_SWITCHES)  # noqa: TID251  LiteLLM has no other way to be told
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its imports warn about each other
            import litellm  # noqa: PLC0415  an optional extra, and too dear to import at start

            litellm.telemetry = False
            litellm.suppress_debug_info = True
            litellm.drop_params = True
        warnings.filterwarnings("ignore", message=".*using the `ReadOnly` qualifier.*")
        _loaded.append(litellm)
        return litellm
