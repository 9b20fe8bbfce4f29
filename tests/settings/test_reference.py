"""The documents about settings say what the settings are."""

from __future__ import annotations

from callsheet.settings.names import variables
from callsheet.settings.reference import configuration_page, env_example
from tests.architecture.sources import ROOT

RENEW = "python -m callsheet.settings.reference"


def test_the_configuration_page_is_what_the_settings_say() -> None:
    page = (ROOT / "docs" / "configuration.md").read_text("utf-8")
    assert page == configuration_page(), RENEW
    assert all(f"`{variable.name}`" in page for variable in variables())


def test_the_env_example_is_what_the_settings_say() -> None:
    assert (ROOT / ".env.example").read_text("utf-8") == env_example(), RENEW


def test_every_setting_says_what_it_means() -> None:
    assert [each.name for each in variables() if not each.field.description] == []
