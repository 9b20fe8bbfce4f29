"""Bills as files, and layouts as YAML."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from callsheet.kit.errors import ConfigError, Problem
from callsheet.ledger.reconcile.bill import Bill
from callsheet.ledger.reconcile.bill_file import read_bill
from callsheet.ledger.reconcile.layout import BillLayout

PLAIN = {"day": ["day"], "model": ["model"], "amount": ["amount"], "currency": ["currency"]}


def layout(columns: dict[str, Any] | None = None, **options: Any) -> BillLayout:
    """A layout with the columns of `PLAIN` and these."""
    return BillLayout.model_validate_json(
        BillLayout.model_construct(columns={**PLAIN, **(columns or {})}, **options).model_dump_json(
            exclude_unset=True, warnings=False
        )
    )


def bill(folder: Path, text: str | bytes, form: BillLayout | None = None) -> Bill:
    """The bill that a file of this text is."""
    path = folder / "bill.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_bill(path, form or layout(), lambda _: None)


def problems(folder: Path, text: str | bytes, form: BillLayout | None = None) -> list[Problem]:
    """What is wrong with it."""
    try:
        bill(folder, text, form)
    except ConfigError as error:
        return list(error.problems)
    return []
