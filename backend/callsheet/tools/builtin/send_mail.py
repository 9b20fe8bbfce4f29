"""The tool that has a mail sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar

from pydantic import BaseModel, Field, StringConstraints

from callsheet.tools.builtin.ports import BuiltinPorts
from callsheet.tools.builtin.post import Post
from callsheet.tools.context import ToolContext
from callsheet.tools.tool import Tool

Address = Annotated[
    str, StringConstraints(pattern=r"^[^@\s<>,;\x00-\x1f]+@[^@\s<>,;\x00-\x1f]+$", max_length=254)
]


class SendMailArgs(BaseModel):
    """The mail."""

    to: list[Address] = Field(min_length=1, max_length=20, description="Addresses.")
    # One line: whoever sends the mail writes it into a header, where a break would begin another.
    subject: str = Field(
        min_length=1,
        max_length=200,
        pattern=r"^[^\x00-\x1f\x7f\u0085\u2028\u2029]+$",
        description="One line.",
    )
    body: str = Field(min_length=1, max_length=20_000, description="Plain text.")


class SendMail:
    """Puts a mail into the outbox, from where the deployment sends it."""

    name: ClassVar[str] = "send_mail"
    description: ClassVar[str] = (
        "Send a mail in the user's name. The user sees and approves it first."
    )
    Args: type[BaseModel] = SendMailArgs
    group: ClassVar[str] = "mail"
    label: ClassVar[Mapping[str, str]] = {"en": "Send a mail", "zh": "发送邮件"}
    summary: ClassVar[str] = "Writes a mail and puts it into the outbox."
    side_effect: ClassVar[str | None] = "A mail is sent in the user's name."
    requires_approval: ClassVar[bool] = True
    idempotent: ClassVar[bool] = True  # one mail for each call id

    def __init__(self, post: Post) -> None:
        self._post = post

    async def run(self, args: SendMailArgs, ctx: ToolContext) -> str:
        """Says to whom it will go."""
        await self._post.put(ctx, tuple(args.to), args.subject, args.body)
        return f"The mail to {', '.join(args.to)} was put into the outbox."


def offer(ports: BuiltinPorts) -> Sequence[Tool]:
    """The tool of this module."""
    return (SendMail(ports.post),)
