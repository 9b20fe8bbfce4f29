"""The running product, for what the documentation promises."""

from tests.fixtures.app import (
    agui,
    books,
    deployment,
    serve,
    shared_app,
    shared_database_url,
)

__all__ = ["agui", "books", "deployment", "serve", "shared_app", "shared_database_url"]
