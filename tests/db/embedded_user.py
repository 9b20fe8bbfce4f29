"""A process that uses the embedded server: joins, says so, leaves when its input ends.

python embedded_user.py DATA_DIR [LARGEST_FILE_BYTES]
"""

from __future__ import annotations

import resource
import signal
import sys
from pathlib import Path

from callsheet.db.embedded.options import EmbeddedOptions
from callsheet.db.embedded.server import Server
from callsheet.kit.errors import SetupError


def main() -> None:
    if len(sys.argv) > 2:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
    server = Server(EmbeddedOptions(Path(sys.argv[1]), server_settings={"fsync": "off"}))
    print("joining", flush=True)
    try:
        server.join()
    except SetupError as error:
        print(f"refused {error}", flush=True)
        return
    print(f"joined {server.url}", flush=True)
    sys.stdin.read()
    server.leave()
    print("left", flush=True)


main()
