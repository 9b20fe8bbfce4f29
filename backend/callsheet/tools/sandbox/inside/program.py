"""The child that becomes the user's program.

Only the standard library: this file also runs in the container.
"""

from __future__ import annotations

import ast
import atexit
import contextlib
import ctypes
import faulthandler
import io
import json
import os
import signal
import sys
import threading
import traceback
import types
import warnings
from collections.abc import Mapping
from typing import Any, Final, NoReturn

from callsheet.tools.sandbox.inside.check import findings
from callsheet.tools.sandbox.inside.wire import write_all

WORKSPACE: Final = "/workspace"
PACKAGES: Final = f"{WORKSPACE}/.packages"
TEMPORARY: Final = f"{WORKSPACE}/.tmp"
MAIN: Final = "/tmp/main.py"  # noqa: S108 - the container's own, where no other process is
_PICTURES: Final = (".png", ".jpg", ".jpeg", ".svg", ".pdf", ".gif", ".webp")
_MOST_FIGURES: Final = 20
_MOST_FDS: Final = 1024
_PR_GET_DUMPABLE: Final = 3
_PR_SET_DUMPABLE: Final = 4


def set_dumpable(value: int) -> None:
    """Whether processes of the same user may look into this one; OSError where it cannot be set."""
    libc = ctypes.CDLL(None)
    libc.prctl(_PR_SET_DUMPABLE, value, 0, 0, 0)
    if libc.prctl(_PR_GET_DUMPABLE, 0, 0, 0, 0) != value:
        raise OSError("this system does not let a process close itself to others")


def become(request: Mapping[str, Any], out: int, err: int, report: int) -> NoReturn:
    """Be the program that the request asks for; `report` takes what the look at it found."""
    status = 1
    try:
        _settle(out, err, report)
        code = _checked(str(request["code"]), request["rules"], report)
        status = 1 if code is None else _run(code)
    except BaseException:  # noqa: BLE001 - a child must never come back into the runner's loop
        with contextlib.suppress(BaseException):
            traceback.print_exc()
    finally:
        os._exit(status)


def _settle(out: int, err: int, report: int) -> None:
    """A process of its own, that holds nothing of the runner but its three streams."""
    os.setsid()
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(out, 1)
    os.dup2(err, 2)
    os.closerange(3, report)
    os.closerange(report + 1, _MOST_FDS)
    set_dumpable(1)
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")  # where memory is short, the program goes and not the runner
    os.chdir(WORKSPACE)
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), encoding="utf-8")
    sys.stdout, sys.stderr = _stream(1), _stream(2)
    vars(sys).update(__stdin__=sys.stdin, __stdout__=sys.stdout, __stderr__=sys.stderr)
    faulthandler.enable(file=2, all_threads=False)


def _stream(fd: int) -> io.TextIOWrapper:
    """Each print leaves at once, so that it is not lost when the program is stopped."""
    raw: Any = io.FileIO(fd, "w", closefd=False)
    return io.TextIOWrapper(raw, encoding="utf-8", errors="backslashreplace", write_through=True)


def _checked(source: str, rules: Mapping[str, str], report: int) -> types.CodeType | None:
    """The compiled program; None where a rule blocks it. What is no Python at all ends here."""
    with contextlib.suppress(OSError), open(MAIN, "w", encoding="utf-8") as file:
        file.write(source)
    found: list[dict[str, object]] = []
    try:
        tree = ast.parse(source, MAIN)
        found = findings(tree, rules)
        code = compile(source, MAIN, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        write_all(report, json.dumps({"findings": [], "runs": True}).encode())
        os.close(report)
        traceback.print_exception(type(error), error, None)
        os._exit(1)
    runs = all(one["action"] != "block" for one in found)
    write_all(report, json.dumps({"findings": found, "runs": runs}).encode())
    os.close(report)
    return code if runs else None


def _run(code: types.CodeType) -> int:
    main = types.ModuleType("__main__")
    main.__dict__.update(__file__=MAIN, __builtins__=__builtins__)
    for name in [name for name in sys.modules if name.partition(".")[0] == "callsheet"]:
        del sys.modules[name]
    sys.modules["__main__"] = main
    sys.argv, sys.path[:0] = [MAIN], [WORKSPACE, PACKAGES]
    warnings.filterwarnings("ignore", message=".*non-interactive.*")  # pyplot.show()
    status = 0
    try:
        exec(code, main.__dict__)  # noqa: S102 - this is what the container is for
    except SystemExit as end:
        status = _exit_status(end.code)
    except BaseException as error:  # noqa: BLE001 - whatever a program raises is its own end
        _tell(error)
        status = 130 if isinstance(error, KeyboardInterrupt) else 1
    with contextlib.suppress(BaseException):
        threading._shutdown()  # type: ignore[attr-defined]  # as the interpreter's own end does
    with contextlib.suppress(BaseException):
        _save_figures()
    with contextlib.suppress(BaseException):
        atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(BaseException):
            stream.flush()
    return status


def _exit_status(code: object) -> int:
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    sys.stderr.write(f"{code}\n")
    return 1


def _tell(error: BaseException) -> None:
    """Its traceback without our own frame, or what the program's own hook makes of it."""
    trace = error.__traceback__.tb_next if error.__traceback__ else None
    if sys.excepthook is not sys.__excepthook__:
        sys.excepthook(type(error), error, trace)
    else:
        traceback.print_exception(type(error), error, trace)


def _save_figures() -> None:
    """Figures that are still open become files, where the program saved no picture itself."""
    pyplot: Any = sys.modules.get("matplotlib.pyplot")
    if pyplot is None or not (numbers := pyplot.get_fignums()):
        return
    begun = os.stat(MAIN).st_mtime_ns
    for name in os.listdir(WORKSPACE):
        path = os.path.join(WORKSPACE, name)
        if name.lower().endswith(_PICTURES) and os.lstat(path).st_mtime_ns >= begun:
            return
    for place, number in enumerate(numbers[:_MOST_FIGURES], 1):
        pyplot.figure(number).savefig(os.path.join(WORKSPACE, f"plot-{place}.png"))
