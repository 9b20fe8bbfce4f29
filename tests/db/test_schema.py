"""The four tables that were asked for have exactly the columns, enums and indexes asked for."""

from __future__ import annotations

from typing import Any

from sqlalchemy import text

from callsheet.db.transaction import Database

STAMPS = {
    "created_at": "timestamptz now()",
    "updated_at": "timestamptz now()",
    "deleted_at": "timestamptz null",
}
COLUMNS = {
    "llm_factory": {
        "id": "uuid gen_random_uuid()",
        "name": "varchar(50)",
        "request_url": "varchar(255)",
        "avatar": "varchar(255) null",
        **STAMPS,
    },
    "llms": {
        "id": "uuid gen_random_uuid()",
        "factory_id": "uuid",
        "model_code": "varchar(50)",
        **STAMPS,
    },
    "sessions": {
        "id": "uuid gen_random_uuid()",
        "user_id": "uuid",
        "title": "varchar(255) null",
        "status": "session_status 'pending'::session_status",
        "last_activity_at": "timestamptz now()",
        "message_count": "int4 0",
        "total_tokens": "int4 0",
        "total_cost": "numeric(12,6) 0",
        **STAMPS,
    },
    "messages": {
        "id": "uuid gen_random_uuid()",
        "session_id": "uuid",
        "seq": "int4",
        "role": "message_role",
        "content": "text",
        "model_code": "varchar(50) null",
        "tool_name": "varchar(100) null",
        "input_tokens": "int4 0",
        "output_tokens": "int4 0",
        "cost": "numeric(12,6) 0",
        "currency": "bpchar(3) 'USD'::bpchar",
        "latency_ms": "int4 null",
        "metadata": "jsonb null",
        **STAMPS,
    },
}
INDEXES = {
    "idx_sessions_user_created": "sessions (user_id, created_at DESC)",
    "idx_sessions_user_last_activity": "sessions (user_id, last_activity_at DESC)",
    "idx_messages_session_created": "messages (session_id, created_at DESC)",
    "idx_messages_session_role": "messages (session_id, role)",
    "uq_messages_session_seq": "UNIQUE messages (session_id, seq)",
    "uq_llm_factory_name": "UNIQUE llm_factory (name)",
    "uq_llms_model_code": "UNIQUE llms (model_code)",
}


def described(row: Any) -> str:
    kind = row.udt_name
    if row.character_maximum_length:
        kind += f"({row.character_maximum_length})"
    if kind == "numeric":
        kind += f"({row.numeric_precision},{row.numeric_scale})"
    if row.is_nullable == "YES":
        kind += " null"
    return f"{kind} {row.column_default}" if row.column_default else kind


async def test_the_four_tables_have_exactly_their_columns(database: Database) -> None:
    found: dict[str, dict[str, str]] = {}
    async with database.read() as connection:
        rows = await connection.execute(
            text(
                "SELECT * FROM information_schema.columns WHERE table_schema = 'public' "
                "AND table_name IN ('llm_factory', 'llms', 'sessions', 'messages')"
            )
        )
        for row in rows:
            found.setdefault(row.table_name, {})[row.column_name] = described(row)
    assert found == COLUMNS


async def test_enums_and_indexes_are_as_named(database: Database) -> None:
    async with database.read() as connection:
        enums = await connection.execute(
            text(
                "SELECT typname, array_agg(enumlabel::text ORDER BY enumsortorder) AS labels "
                "FROM pg_enum JOIN pg_type t ON t.oid = enumtypid "
                "WHERE typname NOT LIKE 'pgqueuer%' GROUP BY typname"  # its own business
            )
        )
        assert {row.typname: row.labels for row in enums} == {
            "session_status": ["pending", "running", "completed", "failed"],
            "message_role": ["user", "assistant", "system", "tool"],
        }
        rows = await connection.execute(
            text("SELECT indexname, tablename, indexdef FROM pg_indexes")
        )
        found = {
            row.indexname: ("UNIQUE " if "UNIQUE" in row.indexdef else "")
            + f"{row.tablename} {row.indexdef.partition(' USING btree ')[2]}"
            for row in rows
            if row.indexname in INDEXES
        }
    assert found == INDEXES
