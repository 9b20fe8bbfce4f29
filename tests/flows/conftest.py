"""The running product, for every flow."""

from tests.fixtures.app import agui, app, books, deployment

__all__ = ["agui", "app", "books", "deployment"]
