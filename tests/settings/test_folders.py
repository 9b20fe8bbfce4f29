"""Folders: what is named, else what lies here, else what ships."""

from __future__ import annotations

from pathlib import Path

import pytest

from callsheet.kit.errors import SetupError
from callsheet.kit.places import shipped
from callsheet.settings.folders import folders_of
from callsheet.settings.settings import Settings


def test_without_anything_the_shipped_folders_are_used(tmp_path: Path) -> None:
    folders = folders_of(Settings(), start=tmp_path)
    assert folders.config == shipped("config")
    assert folders.crews == shipped("crews")
    assert folders.data.is_absolute()


def test_a_folder_here_is_used_only_when_it_is_ours(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "crews" / "chat").mkdir(parents=True)
    assert folders_of(Settings(), start=tmp_path).config == shipped("config")
    (tmp_path / "config" / "llm_catalog.yaml").touch()
    (tmp_path / "crews" / "chat" / "workflow.yaml").touch()
    folders = folders_of(Settings(), start=tmp_path)
    assert (folders.config, folders.crews) == (tmp_path / "config", tmp_path / "crews")


def test_a_named_folder_counts_and_must_exist(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    settings = Settings(data_dir=Path("state"), crews_dir=Path("mine"))
    folders = folders_of(settings, start=tmp_path)
    assert (folders.data, folders.crews) == (tmp_path / "state", tmp_path / "mine")
    with pytest.raises(SetupError, match="CALLSHEET_CONFIG_DIR names"):
        folders_of(Settings(config_dir=Path("nowhere")), start=tmp_path)
