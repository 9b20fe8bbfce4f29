"""The tools that ship with the product."""

from __future__ import annotations

from callsheet.tools.builtin.ask_user import AskUser
from callsheet.tools.builtin.calculator import Calculator
from callsheet.tools.builtin.current_time import CurrentTime
from callsheet.tools.builtin.send_mail import Post, SendMail
from callsheet.tools.tool import Tool


def builtin_tools(post: Post) -> tuple[Tool, ...]:
    """One of each; mails go to `post`."""
    return (Calculator(), CurrentTime(), AskUser(), SendMail(post))
