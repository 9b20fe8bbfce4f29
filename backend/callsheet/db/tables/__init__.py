"""Imports every table, so that the metadata knows them all; nobody imports from here."""

import callsheet.db.tables.agent_chat_message
import callsheet.db.tables.agent_chat_session
import callsheet.db.tables.api_key
import callsheet.db.tables.artifact
import callsheet.db.tables.budget_counter
import callsheet.db.tables.cost_adjustment
import callsheet.db.tables.fx_rate
import callsheet.db.tables.interrupt
import callsheet.db.tables.llm
import callsheet.db.tables.llm_call
import callsheet.db.tables.llm_factory
import callsheet.db.tables.llm_price
import callsheet.db.tables.outbox_mail
import callsheet.db.tables.price_window
import callsheet.db.tables.rate_window
import callsheet.db.tables.run
import callsheet.db.tables.run_event
import callsheet.db.tables.session_settings
import callsheet.db.tables.session_todo_item
import callsheet.db.tables.session_todo_list
import callsheet.db.tables.usage_refusal
import callsheet.db.tables.user
import callsheet.db.tables.user_quota
import callsheet.db.tables.worker
import callsheet.db.tables.workflow_revision  # noqa: F401
