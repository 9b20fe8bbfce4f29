#!/bin/sh
# Set up what a make target needs: scripts/setup.sh runtime|dev|local-model|web-clients ...
# Chooses the newest Python from 3.11 to 3.13 (PYTHON=... overrides) and leaves the rest to setup.py.
set -eu
cd "$(dirname "$0")/.."

is_usable() {
    "$1" -c 'import sys, venv; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null
}
can_make_venv() {
    "$1" -c 'import ensurepip' 2>/dev/null || "$1" -m pip --version >/dev/null 2>&1
}

if [ -z "${PYTHON:-}" ] && is_usable .venv/bin/python; then
    exec .venv/bin/python scripts/setup.py "$@"
fi
for python in ${PYTHON:-python3.13 python3.12 python3.11 python3 python}; do
    if is_usable "$python" && can_make_venv "$python"; then
        exec "$python" scripts/setup.py "$@"
    fi
done
echo "No usable Python from 3.11 to 3.13 was found. Install one with its venv module" >&2
echo "(Debian: apt-get install python3 python3-venv), or name it: make PYTHON=/path/to/python3 ..." >&2
exit 1
