"""The distribution's nginx, with its own settings, in front of an address."""

from __future__ import annotations

import getpass
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from tests.fakes.ports import free_port

_SETTINGS = Path("/etc/nginx/nginx.conf")
_START_S = 20.0


@contextmanager
def nginx_before(address: str, folder: Path, *, more: str = "") -> Iterator[str]:
    """The address of the proxy. `more` are settings beside `proxy_pass`; the rest is as shipped."""
    port = free_port()
    settings = folder / "nginx.conf"
    settings.write_text(_settings(folder, port, urlsplit(address).netloc, more), "utf-8")
    server = subprocess.Popen(
        [str(nginx()), "-p", str(folder), "-c", str(settings), "-e", str(folder / "error.log")],
        stderr=subprocess.PIPE,
    )
    try:
        _wait_for(port, server)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.communicate(timeout=_START_S)


def nginx() -> str | None:
    """The program, which Debian keeps out of a user's PATH."""
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/sbin")


def _settings(folder: Path, port: int, upstream: str, more: str) -> str:
    """As the package ships it, with its files in `folder` and one site."""
    shipped = _SETTINGS.read_text("utf-8").splitlines()
    kept = [
        line
        for line in shipped
        if line.split()[:1] not in (["user"], ["pid"], ["error_log"], ["access_log"])
        and "sites-enabled" not in line
        and "conf.d" not in line
        and "modules-enabled" not in line
    ]
    site = f"""
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        location / {{ proxy_pass http://{upstream}; {more} }}
    }}
    """
    text = "\n".join(kept)
    head, _, rest = text.partition("http {")
    user = f"user {getpass.getuser()};\n" if getpass.getuser() == "root" else ""
    own = f"{user}daemon off; pid {folder}/pid; error_log {folder}/error.log;\n"
    return f"{own}{head}http {{{site}{rest}"


def _wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise AssertionError(f"nginx ended: {server.communicate()[1].decode()}")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise AssertionError("nginx does not listen")
