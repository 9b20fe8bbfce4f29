"""Settings come from the environment over `.env`, wrong ones are named, all at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from callsheet.kit.errors import SetupError
from callsheet.llm.key import key_variable
from callsheet.settings.load import load_settings
from callsheet.settings.settings import Settings

NO_FILE = Path("/there/is/no/such/file")


def test_nothing_set_gives_the_defaults() -> None:
    loaded = load_settings({"PATH": "/bin"}, NO_FILE)
    assert loaded.settings == Settings()
    assert loaded.warnings == ()


def test_the_environment_counts_more_than_the_file(tmp_path: Path) -> None:
    env_file = tmp_path / ".env"
    env_file.write_text("CALLSHEET_SERVER__PORT=9001\nCALLSHEET_LOG__LEVEL=debug\nOTHER=1\n")
    loaded = load_settings({"CALLSHEET_SERVER__PORT": "9002"}, env_file)
    assert loaded.settings.server.port == 9002
    assert loaded.settings.log.level == "debug"
    assert len(loaded.warnings) == 1
    assert loaded.warnings[0].startswith("CALLSHEET_SERVER__PORT is *** (4 characters)")


def test_a_difference_is_masked(tmp_path: Path) -> None:
    env_file = tmp_path / ".env"
    env_file.write_text("CALLSHEET_LLM__QWEN__API_KEY=sk-first-secret-value\n")
    loaded = load_settings({"CALLSHEET_LLM__QWEN__API_KEY": "sk-other-secret-value"}, env_file)
    (warning,) = loaded.warnings
    assert "CALLSHEET_LLM__QWEN__API_KEY" in warning
    assert "secret" not in warning


@pytest.mark.parametrize("factory", ["own-vllm", "Qwen", "a__b--c", "豆包 2"])
def test_a_factorys_key_is_read_from_the_variable_that_it_is_said_to_be_in(factory: str) -> None:
    settings = load_settings({key_variable(factory): "hidden-1"}, NO_FILE).settings
    key = settings.api_key(factory)
    assert key is not None
    assert key.get_secret_value() == "hidden-1"


def test_a_key_is_found_by_its_factory_and_never_printed() -> None:
    settings = load_settings({"CALLSHEET_LLM__OWN_VLLM__API_KEY": "hidden-1"}, NO_FILE).settings
    key = settings.api_key("own-vllm")
    assert key is not None
    assert key.get_secret_value() == "hidden-1"
    assert settings.api_key("qwen") is None
    assert "hidden-1" not in repr(settings)


def test_lists_are_split_at_commas() -> None:
    settings = load_settings(
        {
            "CALLSHEET_CORS__ORIGINS": "https://a.example, http://b.example:81",
            "CALLSHEET_AUTH__API_KEYS": "ann:k1,bob:k2",
        },
        NO_FILE,
    ).settings
    assert settings.cors.origins == ("https://a.example", "http://b.example:81")
    assert [key.get_secret_value() for key in settings.auth.api_keys] == ["ann:k1", "bob:k2"]


def test_an_empty_variable_is_unset() -> None:
    settings = load_settings({"CALLSHEET_DATABASE__URL": "", "CALLSHEET_CURRENCY": ""}, NO_FILE)
    assert settings.settings == Settings()


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("CALLSHEET_SERVER__HOSTT", "did you mean CALLSHEET_SERVER__HOST?"),
        ("CALLSHEET_DATABASE_URL", "did you mean CALLSHEET_DATABASE__URL?"),
        ("CALLSHEET_ZZZ", "docs/configuration.md"),
        ("CALLSHEET_LLM____API_KEY", "did you mean"),
    ],
)
def test_an_unknown_variable_is_reported_with_the_one_that_was_meant(name: str, meant: str) -> None:
    (warning,) = load_settings({name: "x"}, NO_FILE).warnings
    assert warning.startswith(f"{name} is no setting of Callsheet")
    assert meant in warning


def test_every_wrong_value_is_named_at_once_and_none_is_shown() -> None:
    wrong = {
        "CALLSHEET_CURRENCY": "dollars",
        "CALLSHEET_SERVER__PORT": "99999",
        "CALLSHEET_LOG__LEVEL": "loud",
        "CALLSHEET_DATABASE__POOL_SIZE": "many",
    }
    with pytest.raises(SetupError) as caught:
        load_settings(wrong, NO_FILE)
    lines = str(caught.value).splitlines()
    assert sorted(line.split(":")[0] for line in lines) == sorted(wrong)
    assert "Unset it for 8000." in str(caught.value)
    assert not any(value in str(caught.value) for value in ("dollars", "99999", "loud", "many"))


@pytest.mark.parametrize("origin", ["*", "localhost:3000", "ftp://a", "https://a/b", "https://"])
def test_what_is_no_origin_is_refused(origin: str) -> None:
    with pytest.raises(SetupError, match="CALLSHEET_CORS__ORIGINS"):
        load_settings({"CALLSHEET_CORS__ORIGINS": origin}, NO_FILE)


def test_a_file_that_is_not_text_is_named(tmp_path: Path) -> None:
    env_file = tmp_path / ".env"
    env_file.write_bytes(b"CALLSHEET_CURRENCY=\xff\xfe\n")
    with pytest.raises(SetupError, match=r"\.env cannot be read"):
        load_settings({}, env_file)
