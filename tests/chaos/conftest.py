"""The product's processes, for whoever kills them."""

from tests.fixtures.app import deployment

__all__ = ["deployment"]
