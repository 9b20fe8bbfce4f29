"""A tool as a class."""

from collections.abc import Mapping
from typing import ClassVar

from pydantic import BaseModel, Field

from callsheet.kit.errors import ToolRetry
from callsheet.tools.context import ToolContext

# Yours would ask a database or a service.
PIECES = {"A-1042": 7, "A-1043": 0}


class StockArgs(BaseModel):
    """What the model has to give."""

    article: str = Field(description="Article number, e.g. A-1042.", pattern=r"^A-\d+$")


class Stock:
    """How many pieces of an article are there."""

    name: ClassVar[str] = "stock"
    description: ClassVar[str] = "How many pieces of an article are in the warehouse."
    Args: type[BaseModel] = StockArgs

    # For people. All of these may be left out.
    group: ClassVar[str] = "warehouse"
    label: ClassVar[Mapping[str, str]] = {"en": "Stock", "zh": "库存"}
    summary: ClassVar[str] = "Looks up how many pieces of an article are there."
    # A call may be made twice: it only reads.
    idempotent: ClassVar[bool] = True

    async def run(self, args: StockArgs, ctx: ToolContext) -> dict[str, int]:
        """What the model gets as the result."""
        del ctx  # knows who asks (`ctx.user_id`) and how much time is left (`ctx.deadline`)
        if args.article not in PIECES:
            raise ToolRetry(f"There is no article {args.article}; ask the user for its number.")
        return {"pieces": PIECES[args.article]}
