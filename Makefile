# First command: make demo.  Everything is installed into .venv and a cache folder; nothing else is touched.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready-$(shell cat requirements/dev.lock pyproject.toml | sha256sum | cut -c1-16)
DEMO ?= demo-run

.PHONY: help setup agents demo test parity wheel-check lint bench fault-table outage docs lock clean

help:  ## show these targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/ -/'

setup: $(READY)  ## create .venv from the hash-locked requirements

$(READY): requirements/dev.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "uv==0.13.9"
	VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/uv pip sync --quiet requirements/dev.lock
	VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/uv pip install --quiet --no-deps --editable .
	rm -f $(VENV)/.ready-* && touch $@

agents: setup  ## install the pinned real agents into the cache folder
	$(BIN)/stewardbench agents install hermes
	$(BIN)/stewardbench agents install openclaw

demo: setup  ## run the main job on real agents with scripted models; no key needed
	$(BIN)/stewardbench demo --out $(DEMO)

test: setup agents  ## run every test, real agents and browser included
	$(BIN)/pytest -n 2 --dist loadgroup -m "not real_agent and not browser"
	$(BIN)/pytest -m "real_agent or browser"

parity: setup agents  ## run the agents' own programs too, and hold our driver against them; print the table
	PARITY=live $(BIN)/pytest tests/parity
	$(BIN)/python tests/parity/table.py

wheel-check: setup  ## build the wheel, and run the demo from it in clean Python 3.11, 3.12 and 3.13 (AGENTS=hermes)
	scripts/wheel-check.sh 3.11 3.12 3.13

lint: setup  ## ruff and strict mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: setup agents  ## ratios and CPU-seconds, measured in one run
	$(BIN)/python -m bench

fault-table: setup  ## what every command makes of every fault of an endpoint, into docs/how-to/endpoint-faults.md
	$(BIN)/python scripts/fault_table.py

outage: setup  ## 64 tasks on an endpoint that is gone for a minute
	$(BIN)/python scripts/outage.py

docs: setup  ## build the documentation site into out/docs
	$(BIN)/mkdocs build --strict --site-dir out/docs

lock: setup  ## renew requirements/dev.lock
	$(BIN)/uv pip compile pyproject.toml --group dev --extra openclaw --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-annotate --no-header --upgrade --quiet --output-file requirements/dev.lock

clean:  ## remove the environment and build output; the agent cache stays
	rm -rf $(VENV) out .mypy_cache .ruff_cache .pytest_cache
