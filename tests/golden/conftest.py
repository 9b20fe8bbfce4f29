"""The running product, for every recording."""

from tests.fixtures.app import agui, books, shared_app, shared_database_url

__all__ = ["agui", "books", "shared_app", "shared_database_url"]
