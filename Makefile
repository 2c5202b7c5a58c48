# Everything a developer does, by name. `make help` lists it.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help

PYTHON ?= python3
NODES ?= 1
VENV := .venv
BIN := $(VENV)/bin
NEEDS_PYTHON := $(PYTHON) -c 'import sys; v = sys.version_info; v >= (3, 11) or sys.exit(f"Python 3.11 or newer is needed, {sys.executable} is {v[0]}.{v[1]}: set PYTHON=")'
# The cluster's tools need only the standard library, so they run before (and without) `make setup`.
KIND := $(NEEDS_PYTHON) && PYTHONPATH=tests:operator/src $(PYTHON) -m kind

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: setup
setup: $(VENV)/ready ## make the virtual environment in .venv with the locked dependencies

$(VENV)/ready: requirements-dev.txt operator/pyproject.toml
	@echo "setup: $(VENV) from requirements-dev.txt"
	@rm -rf $(VENV)
	@$(NEEDS_PYTHON)
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements-dev.txt
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable operator
	@touch $@

.PHONY: lock
lock: setup ## resolve the dependencies anew into the hash-locked requirement files
	@for out in operator/requirements.txt:operator/pyproject.toml 'requirements-dev.txt:operator/pyproject.toml requirements-dev.in' \
	  tests/e2e/clients/requirements.txt:tests/e2e/clients/requirements.in; do \
	  $(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	    --no-emit-index-url --no-emit-find-links --output-file $${out%%:*} $${out#*:}; done

.PHONY: demo
demo: setup ## show a Kafka broker on this machine, killed while records come in (needs Java 17 and Maven, no Kubernetes)
	@$(BIN)/headrace demo

.PHONY: test
test: setup lint ## run every check and every test, the ones on kind included
	@$(BIN)/pytest

.PHONY: test-fast
test-fast: setup lint ## run the checks and the tests that need no cluster
	@$(BIN)/pytest --ignore tests/e2e

.PHONY: e2e
e2e: setup ## run the tests on kind; the cluster is left up for the next time
	@$(BIN)/pytest tests/e2e

.PHONY: lint
lint: setup ## format check, lint, types, layers
	@$(BIN)/ruff format --check --quiet . || { echo 'format: run `make format`' >&2; exit 1; }
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo 2>&1 | tail -n 4

.PHONY: format
format: setup ## let ruff format the code and mend what it can
	@$(BIN)/ruff check --fix --quiet . || true; $(BIN)/ruff format .

.PHONY: crds
crds: setup ## write crds/ and docs/reference/ anew from the models in operator/src/headrace/api
	@$(BIN)/python -m headrace.api .

.PHONY: golden
golden: setup ## write anew what the chart renders (tests/contract/golden), after a change to it that is meant
	@HEADRACE_WRITE_GOLDEN=1 $(BIN)/pytest --quiet --no-header tests/contract/test_chart.py -k golden

.PHONY: cluster
cluster: ## bring up the kind cluster with our images (NODES=4: one control plane, three workers; DRY_RUN=1: only say what)
	@$(KIND) up --nodes $(NODES) $(if $(DRY_RUN),--dry-run)

.PHONY: cluster-down
cluster-down: ## take our kind clusters down (NODES=n: only that one)
	@$(KIND) down $(if $(filter command environment,$(origin NODES)),--nodes $(NODES))

.PHONY: engine
engine: ## make sure that a container engine answers, starting or installing one if need be
	@$(KIND) engine

.PHONY: engine-down
engine-down: ## stop the container engine, if we started it
	@$(KIND) engine-down

.PHONY: images
images: ## build our images and load them into the clusters that are up
	@$(KIND) images

.PHONY: clean
clean: ## remove what was made in this checkout (the product cache stays)
	@rm -rf $(VENV) .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	@find . -name __pycache__ -prune -exec rm -rf {} +
