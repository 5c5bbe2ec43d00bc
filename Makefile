# make demo      installs the platform and takes two simulated hospitals from their warehouses to a published table
# make down      stops what the demo left running
# make check     runs unit tests, lint and types of what changed since the main branch
# make test      installs everything and runs all tests
# make lint      runs ruff, mypy, import-linter and sqlfluff
# make docs      builds the documentation site strictly
# make sbom      writes the bill of materials (CycloneDX) to .run/sbom.cdx.json
# make audit     looks the pinned packages up among known vulnerabilities
# make pictures  takes the pictures of the documentation from a running demo

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
INPUTS := pyproject.toml constraints.txt
# Test processes side by side; each has its own PostgreSQL and S3 emulator.
TEST_PROCESSES ?= 2

export AIRFLOW__CORE__LOAD_EXAMPLES := False
export HF_HUB_OFFLINE := 1
export DBT_SEND_ANONYMOUS_USAGE_STATS := False
export DO_NOT_TRACK := 1
export GX_ANALYTICS_ENABLED := false
export SCARF_ANALYTICS := False
# A notice of MkDocs Material about a successor, at every build.
export NO_MKDOCS_2_WARNING := 1
# Newer PIP_CONSTRAINT semantics reach build environments too, where the pins do not belong.
unexport PIP_CONSTRAINT

.PHONY: audit check clean demo docs down format lint pictures sbom test

demo: $(VENV)/.platform
	@$(BIN)/deid demo

down:
	@test -x $(BIN)/deid && $(BIN)/deid demo --down || echo "nothing is set up, so nothing runs"

check: $(VENV)/.all
	@$(BIN)/python .ci/check_changes.py

test: $(VENV)/.all
	@$(BIN)/python -m pytest -n $(TEST_PROCESSES) --dist loadfile --no-loadscope-reorder

docs: $(VENV)/.all
	@$(BIN)/python docs/generate.py --check
	@$(BIN)/mkdocs build --strict --quiet

sbom: $(VENV)/.all
	@$(BIN)/python deploy/sbom.py

audit: $(VENV)/.all
	@$(BIN)/python .ci/audit.py

pictures: $(VENV)/.all
	@$(BIN)/python docs/pictures.py

lint: $(VENV)/.all
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/sqlfluff lint dbt/models

format: $(VENV)/.all
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

clean: down
	rm -rf $(VENV) .run dbt/target dbt/logs

$(VENV)/.python:
	@echo "== making $(VENV) with $(PYTHON)"
	@test -n "$(PYTHON)" || { echo "no python3 on PATH; Python 3.11 or newer is needed"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON) is older than Python 3.11; set PYTHON=/path/to/python3.11"; exit 1; }
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV) 2>/dev/null || { rm -rf $(VENV); \
	  echo "== this Python has no venv module of its own; trying virtualenv"; \
	  target=$$(mktemp -d); $(PYTHON) -m pip install -q --target $$target virtualenv && \
	  PYTHONPATH=$$target $(PYTHON) -m virtualenv -q $(VENV); rm -rf $$target; } || { \
	  echo "cannot make a virtual environment: install Debian's python3-venv (or pip), then run make again"; exit 1; }
	@$(PIP) install -q --upgrade pip
	@touch $@

$(VENV)/.platform: $(VENV)/.python $(INPUTS)
	@echo "== installing the platform (a few minutes, about 1.5 GB)"
	@$(PIP) install -q -c constraints.txt -e '.[platform]'
	@touch $@

# torch comes first and by itself: asked for through another package, pip may take another build.
$(VENV)/.all: $(VENV)/.python $(INPUTS)
	@echo "== installing the platform, training and development tools (a few minutes)"
	@$(PIP) install -q -c constraints.txt torch==2.13.0
	@$(PIP) install -q -c constraints.txt -e '.[platform,celery,train,dev]'
	@touch $@ $(VENV)/.platform
