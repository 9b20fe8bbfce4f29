"""`python scripts/schemas.py`: writes config/schema/*.json again, from the models in the code."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pydantic import BaseModel

from callsheet.catalog.catalog import Catalog
from callsheet.catalog.fx import FxList
from callsheet.catalog.price import PriceList
from callsheet.kit.yaml_schema import editor_schema
from callsheet.ledger.budget.quotas_file import QuotasFile
from callsheet.ledger.reconcile.layout import BillsFile
from callsheet.llm.facts import ModelsFile
from callsheet.tools.mcp.file import McpFile
from callsheet.tools.sandbox.sandbox_file import SandboxFile
from callsheet.workflows.agents_file import AgentsFile
from callsheet.workflows.tasks_file import TasksFile
from callsheet.workflows.tools_file import ToolsFile
from callsheet.workflows.workflow_file import WorkflowFile

FOLDER: Final = Path(__file__).resolve().parents[1] / "config" / "schema"

SCHEMAS: Final[Mapping[str, type[BaseModel]]] = {
    "agents": AgentsFile,
    "bills": BillsFile,
    "fx_rates": FxList,
    "llm_catalog": Catalog,
    "llm_prices": PriceList,
    "mcp": McpFile,
    "models": ModelsFile,
    "quotas": QuotasFile,
    "sandbox": SandboxFile,
    "tasks": TasksFile,
    "tools": ToolsFile,
    "workflow": WorkflowFile,
}


def write_schemas(folder: Path) -> None:
    """Write one file per schema."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, model in SCHEMAS.items():
        (folder / f"{name}.json").write_text(editor_schema(model), encoding="utf-8")


if __name__ == "__main__":
    write_schemas(FOLDER)
