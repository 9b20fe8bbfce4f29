"""Starts an MCP server in the place of itself: `python -I -S child.py <parent> <program> [arg...]`.

On Linux the kernel kills the server when the process that asked for it is gone, however that ended:
a server of ours is of no use to anybody else. Elsewhere, and for what the server starts itself, the
end of its standard input says the same. It runs alone, without the rest of the product.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Never returns: it becomes the program, or ends with status 126 or 127."""
    parent, command = int(sys.argv[1]), sys.argv[2:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it ended before the kernel was told
            os._exit(1)
    try:
        os.execvp(command[0], command)  # noqa: S606 (no shell; the operator names the program)
    except FileNotFoundError:
        os._exit(127)
    except OSError:
        os._exit(126)


if __name__ == "__main__":
    main()
