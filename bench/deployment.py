"""The configuration and the crews that the Callsheet server of the bench runs with."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from bench.process import ROOT
from bench.servers.prompts import STAGES

MODEL = "bench"


def write_deployment(folder: Path, provider: str) -> dict[str, str]:
    """Write both folders and give the variables that name them."""
    config, crews = folder / "config", folder / "crews"
    config.mkdir(parents=True)
    shutil.copy(ROOT / "config" / "tools.yaml", config)
    _write(
        config / "llm_catalog.yaml",
        {
            "factories": [{"name": MODEL, "request_url": provider}],
            "llms": [{"model_code": MODEL, "factory_id": MODEL}],
        },
    )
    _write(config / "models.yaml", {"models": {MODEL: {"auth": "none"}}})
    price = {
        "factory": MODEL,
        "model_code": MODEL,
        "currency": "USD",
        "valid_from": "2026-01-01T00:00:00Z",
        "input_per_million": 0.28,
        "cached_per_million": 0.028,
        "output_per_million": 0.4,
        "source": "bench",
    }
    _write(config / "llm_prices.yaml", {"prices": [price]})
    _write_workflow(crews / "chat")
    return {"CALLSHEET_CONFIG_DIR": str(config), "CALLSHEET_CREWS_DIR": str(crews)}


def _write_workflow(folder: Path) -> None:
    folder.mkdir(parents=True)
    stages: list[dict[str, Any]] = []
    agents: dict[str, Any] = {}
    tasks: dict[str, Any] = {}
    source = "message.text"
    for stage in STAGES:
        agents[f"{stage.name}_agent"] = {
            "role": stage.role,
            "goal": stage.goal,
            "backstory": stage.backstory,
            "default_model": MODEL,
        }
        tasks[f"{stage.name}_task"] = {
            "agent": f"{stage.name}_agent",
            "description": f"{stage.task}\n\n{{said}}",
            "expected_output": stage.expected,
            "inputs": {"said": source},
        }
        stages.append(
            {
                "name": stage.name,
                "agents": [f"{stage.name}_agent"],
                "tasks": [f"{stage.name}_task"],
                "visible": stage is STAGES[-1],
            }
        )
        source = f"stages.{stage.name}.text"
    _write(folder / "agents.yaml", agents)
    _write(folder / "tasks.yaml", tasks)
    _write(folder / "workflow.yaml", {"stages": stages})


def _write(file: Path, value: Any) -> None:
    """JSON is YAML."""
    file.write_text(json.dumps(value, indent=2), "utf-8")
