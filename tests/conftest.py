"""What every test can ask for."""

pytest_plugins = ["tests.fixtures.database", "tests.plugins.not_run"]
