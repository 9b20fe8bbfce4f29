"""The models that can be called now, by model code."""

from __future__ import annotations

from collections.abc import Mapping

from callsheet.kit.errors import Unavailable
from callsheet.llm.model import Model


class ConfiguredModels:
    """Implements `llm.registry.Models`.

    `rehearsal` set: there is no key at all, and it answers in the place of every model that
    would need one.
    """

    def __init__(
        self,
        models: Mapping[str, Model],
        missing_keys: Mapping[str, str],
        rehearsal: Model | None,
    ) -> None:
        self._models = dict(models)
        self._missing_keys = dict(missing_keys)
        self._rehearsal = rehearsal

    def is_played(self, model_code: str) -> bool:
        """Whether the rehearsal answers in the place of this model."""
        if self._rehearsal is None:
            return False
        return model_code == self._rehearsal.model_code or model_code in self._missing_keys

    def get(self, model_code: str) -> Model:
        """The model; raises Unavailable where it is unknown or its key is missing."""
        model = self._models.get(model_code)
        if model is not None:
            return model
        if self._rehearsal is not None and model_code in self._missing_keys:
            return self._rehearsal
        variable = self._missing_keys.get(model_code)
        if variable is not None:
            raise Unavailable(
                f"Model {model_code!r} needs a key: set {variable}.", code="model_without_key"
            )
        raise Unavailable(
            f"Model {model_code!r} is not in config/models.yaml.", code="model_unknown"
        )

    def all(self) -> Mapping[str, Model]:
        """Every model that can be called now, by model code."""
        return dict(self._models)
