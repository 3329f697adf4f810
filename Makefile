# Two commands to know: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
FUZZ_SECONDS ?= 600

.DEFAULT_GOAL := help
.PHONY: help demo test check soak format bench clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Iris needs Python 3.11 or newer; try: make PYTHON=python3.12 demo" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	  { echo "Python's venv module is missing; on Debian: apt install python3-venv" >&2; exit 1; }

$(VENV)/.run: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/.run

demo: $(VENV)/.run ## plan a day from the bundled calendars and lists
	@$(BIN)/iris ask "plan my day" --demo

check: $(VENV)/.dev ## formatting, lint, types, room borders
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: check ## every check and every test, long suites scaled down
	$(BIN)/python -m pytest -n auto

soak: $(VENV)/.dev ## the long suites in full
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,fuzz,llm]'
	IRIS_SOAK=1 $(BIN)/python -m pytest -n auto -m soak --timeout 3600
	$(BIN)/python tests/fuzz/fuzz_sources.py -max_total_time=$(FUZZ_SECONDS)

format: $(VENV)/.dev ## rewrite the code in the project's format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.dev ## measure against the named peers
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,bench]'
	$(BIN)/python benchmarks/executor.py
	$(BIN)/python benchmarks/startup.py
	$(BIN)/python benchmarks/calendars.py
	$(BIN)/python benchmarks/planner.py
	$(BIN)/python benchmarks/router.py
	$(BIN)/python benchmarks/repo.py
	$(BIN)/python benchmarks/job_queue.py
	$(BIN)/python benchmarks/job_context.py
	$(BIN)/python benchmarks/briefing.py
	$(BIN)/python benchmarks/models.py
	$(BIN)/python benchmarks/server.py

clean: ## remove what was built here
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
