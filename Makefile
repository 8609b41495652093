# `make demo` and `make test` work on a fresh machine: each makes a virtual environment if there is none.
VENV ?= .venv
PYTHON ?= python3
BIN = $(VENV)/bin

.PHONY: help install demo test lint types contracts format bench ci clean

help: ## Show this help
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(BIN)/.installed: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

install: $(BIN)/.installed ## Make the virtual environment and install everything for development

demo: install ## Run the main job: a brief of this very repository, live, without key or network
	$(BIN)/planboard run examples/repo_brief.py:agent --input path=. --planner hybrid

test: install ## Run the tests
	$(BIN)/python -m pytest -n 2

lint: install ## Check style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: install ## Check types
	$(BIN)/mypy

contracts: install ## Check that imports only go down
	$(BIN)/lint-imports

format: install ## Reformat
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: install ## Print the benchmark figures (peers are measured where installed)
	$(BIN)/python benchmarks/imports.py
	$(BIN)/python benchmarks/overhead.py
	$(BIN)/python benchmarks/concurrency.py
	$(BIN)/python benchmarks/steps.py
	$(BIN)/python benchmarks/turns.py
	$(BIN)/python benchmarks/planning.py
	$(BIN)/python benchmarks/supervisor.py

ci: test lint types contracts ## All that CI checks

clean: ## Remove the virtual environment and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
