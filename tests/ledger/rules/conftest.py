"""The running product, for the rules of calls."""

from tests.fixtures.app import (
    agui,
    books,
    deployment,
    serve,
    shared_app,
    shared_database_url,
)

__all__ = ["agui", "books", "deployment", "serve", "shared_app", "shared_database_url"]
