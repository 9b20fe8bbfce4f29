"""Which tools a process looks for."""

from __future__ import annotations

from pydantic import BaseModel, Field

from callsheet.settings.record import FROZEN


class ToolsSettings(BaseModel):
    """Tools: where they are looked for."""

    model_config = FROZEN

    builtins: bool = Field(
        default=True,
        description="Whether the built-in tools are there. Without them config/tools.yaml must "
        "not name them either.",
    )
    plugins: bool = Field(
        default=True, description="Whether installed packages are asked for tools."
    )
    plugin_group: str = Field(
        default="callsheet.tools",
        min_length=1,
        pattern=r"^\w+(\.\w+)*$",
        description="Group of the entry points by which packages offer tools.",
    )
    fail_fast: bool = Field(
        default=False,
        description="Refuse to start where a tool cannot be had or two have one name; else that "
        "is logged, and the others are there.",
    )
