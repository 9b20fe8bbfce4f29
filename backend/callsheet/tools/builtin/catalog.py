"""The tools that ship with the product."""

from __future__ import annotations

from callsheet.tools.builtin.ask_user import AskUser
from callsheet.tools.builtin.calculator import Calculator
from callsheet.tools.builtin.current_time import CurrentTime
from callsheet.tools.builtin.ports import BuiltinPorts
from callsheet.tools.builtin.send_mail import SendMail
from callsheet.tools.tool import Tool


def builtin_tools(ports: BuiltinPorts) -> tuple[Tool, ...]:
    """One of each."""
    return (Calculator(), CurrentTime(), AskUser(), SendMail(ports.post))
