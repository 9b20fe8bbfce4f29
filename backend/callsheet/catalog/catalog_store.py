"""The SQL of `llm_factory` and `llms`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from sqlalchemy import insert, select, text, update

from callsheet.catalog.catalog import FactoryEntry
from callsheet.db.tables.llm import Llm
from callsheet.db.tables.llm_factory import LlmFactory
from callsheet.db.transaction import Read, Tx
from callsheet.kit.ids import new_id

_LOCK: Final = 0x63616C6C_73656564


@dataclass(frozen=True, slots=True)
class FactoryRow:
    """A factory as it is stored."""

    id: UUID
    request_url: str
    avatar: str | None
    is_deleted: bool


@dataclass(frozen=True, slots=True)
class LlmRow:
    """A model as it is stored."""

    id: UUID
    factory_id: UUID
    is_deleted: bool


async def lock_catalog(tx: Tx) -> None:
    """Wait until no other process changes the catalog or prices; lasts until the commit."""
    await tx.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})


async def read_factories(tx: Read) -> Mapping[str, FactoryRow]:
    """All factories by name, those that were deleted too."""
    rows = await tx.execute(
        select(
            LlmFactory.id,
            LlmFactory.name,
            LlmFactory.request_url,
            LlmFactory.avatar,
            LlmFactory.deleted_at,
        )
    )
    return {
        row.name: FactoryRow(row.id, row.request_url, row.avatar, row.deleted_at is not None)
        for row in rows
    }


async def read_llms(tx: Read) -> Mapping[str, LlmRow]:
    """All models by code, those that were deleted too."""
    rows = await tx.execute(select(Llm.id, Llm.model_code, Llm.factory_id, Llm.deleted_at))
    return {
        row.model_code: LlmRow(row.id, row.factory_id, row.deleted_at is not None) for row in rows
    }


async def add_factory(tx: Tx, entry: FactoryEntry) -> UUID:
    """The id under which it was stored."""
    id_ = new_id()
    values = {"id": id_, **entry.model_dump(include={"name", "request_url", "avatar"})}
    await tx.execute(insert(LlmFactory).values(values))
    return id_


async def change_factory(tx: Tx, id_: UUID, entry: FactoryEntry) -> None:
    """Make address and picture what the file says."""
    values = entry.model_dump(include={"request_url", "avatar"})
    await tx.execute(update(LlmFactory).where(LlmFactory.id == id_).values(values))


async def add_llm(tx: Tx, model_code: str, factory_id: UUID) -> None:
    """Store a model that was not there."""
    await tx.execute(insert(Llm).values(id=new_id(), model_code=model_code, factory_id=factory_id))


async def move_llm(tx: Tx, id_: UUID, factory_id: UUID) -> None:
    """Give a model to another factory."""
    await tx.execute(update(Llm).where(Llm.id == id_).values(factory_id=factory_id))
