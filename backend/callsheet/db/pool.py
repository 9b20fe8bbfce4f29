"""The pool of connections, which leaves none behind when it is given up."""

from __future__ import annotations

from sqlalchemy.pool import AsyncAdaptedQueuePool, ConnectionPoolEntry


class ClosingPool(AsyncAdaptedQueuePool):
    """Closes also what comes back to it after `dispose`.

    The library's own would keep such a connection open in a pool that nobody has any more.
    """

    _given_up = False

    def dispose(self) -> None:
        self._given_up = True
        super().dispose()

    def _do_return_conn(self, record: ConnectionPoolEntry) -> None:
        if not self._given_up:
            super()._do_return_conn(record)
            return
        try:
            record.close()
        finally:
            self._dec_overflow()
