"""Have a Docker engine answer, for the sandbox's tests.

engine.py start   starts the distribution's where none answers, and waits for it; needs root
engine.py stop    ends the one that `start` has started from this folder, and no other

Programs in the sandbox have no network: the engine makes no bridge and touches no firewall, so
that it starts in machines that allow neither. Where it cannot be had: status 1, and its own log.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "engine"
PID = FOLDER / "pid"
LOG = FOLDER / "log"
SOCKET = Path("/var/run/docker.sock")
CGROUPS = Path("/sys/fs/cgroup")
PROGRAMS = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
NO_NETWORK = ("--bridge=none", "--iptables=false", "--ip6tables=false")
# Tried in turn; the last stores every container as a whole copy, which works on any file system.
ATTEMPTS = (NO_NETWORK, (*NO_NETWORK, "--storage-driver=vfs"))
START_S = 60.0
END_S = 30.0
ANSWER_S = 30.0
LOG_LINES = 30


def main(arguments: list[str]) -> int:
    if arguments == ["start"]:
        return start()
    if arguments == ["stop"]:
        return stop()
    print(__doc__)
    return 2


def start() -> int:
    if answers():
        print("a Docker engine answers")
        return 0
    dockerd = shutil.which("dockerd", path=PROGRAMS)
    if dockerd is None:
        print("no dockerd (apt-get install docker.io)", file=sys.stderr)
        return 1
    if os.geteuid() != 0:
        print("no Docker engine answers, and only root can start one", file=sys.stderr)
        return 1
    FOLDER.mkdir(parents=True, exist_ok=True)
    mount_cgroups()
    for flags in ATTEMPTS:
        began = time.monotonic()
        if comes_up(dockerd, flags):
            print(f"started a Docker engine in {time.monotonic() - began:.1f} s")
            return 0
        stop()
    last = LOG.read_text("utf-8", "replace").splitlines()[-LOG_LINES:]
    print("\n".join(["no Docker engine came up; the end of its log:", *last]), file=sys.stderr)
    return 1


def stop() -> int:
    if not PID.exists():
        return 0
    pid = int(PID.read_text("ascii"))
    PID.unlink()
    if not is_dockerd(pid):
        return 0
    os.kill(pid, signal.SIGTERM)
    until = time.monotonic() + END_S
    while time.monotonic() < until:
        if not is_dockerd(pid):
            return 0
        time.sleep(0.1)
    os.kill(pid, signal.SIGKILL)
    return 0


def answers() -> bool:
    """Whether an engine answers where everybody looks for it."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.settimeout(ANSWER_S)  # systemd may start one for whoever connects
        try:
            client.connect(str(SOCKET))
            client.sendall(b"GET /_ping HTTP/1.0\r\nHost: docker\r\n\r\n")
            return b" 200 " in client.recv(4096)
        except OSError:
            return False


def comes_up(dockerd: str, flags: tuple[str, ...]) -> bool:
    owner = os.environ.get("SUDO_GID", str(os.getgid()))
    with LOG.open("wb") as log:
        process = subprocess.Popen(
            [dockerd, "--group", owner, *flags],
            env={"PATH": PROGRAMS, "HOME": "/root"},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    PID.write_text(str(process.pid), "ascii")
    until = time.monotonic() + START_S
    while time.monotonic() < until and process.poll() is None:
        if answers():
            return True
        time.sleep(0.1)
    return answers()  # ours has ended: somebody else's may have come up meanwhile


def is_dockerd(pid: int) -> bool:
    """Whether that process runs, and is what was started."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text("ascii", "replace")
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
    return b"dockerd" in command and ") Z " not in state


def mount_cgroups() -> None:
    """Mount what limits a container, in a machine whose start has not."""
    mounted = Path("/proc/self/mounts").read_text("utf-8")
    if any(line.split()[2] in ("cgroup", "cgroup2") for line in mounted.splitlines()):
        return
    version_1 = shutil.which("cgroupfs-mount", path=PROGRAMS)
    if version_1 and subprocess.run([version_1], check=False).returncode == 0:
        return
    subprocess.run(["mount", "-t", "cgroup2", "cgroup2", str(CGROUPS)], check=False)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
