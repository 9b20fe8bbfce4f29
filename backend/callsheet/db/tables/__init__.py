"""Imports every table, so that the metadata knows them all; nobody imports from here."""

import callsheet.db.tables.agent_chat_message
import callsheet.db.tables.agent_chat_session
import callsheet.db.tables.llm
import callsheet.db.tables.llm_call
import callsheet.db.tables.llm_factory
import callsheet.db.tables.llm_price
import callsheet.db.tables.run
import callsheet.db.tables.run_event
import callsheet.db.tables.user
import callsheet.db.tables.workflow_revision  # noqa: F401
