"""What every test can ask for."""

pytest_plugins = [
    "tests.plugins.guards",
    "tests.plugins.not_run",
    "tests.fixtures.database",
    "tests.fixtures.provider",
]
