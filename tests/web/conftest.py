"""These tests look at the same fakes as those of the API, with the same short log."""

from tests.api.conftest import plain_log

__all__ = ["plain_log"]
