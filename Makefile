# `make run` and `make test` do all the set-up; `make help` lists the rest.

PYTHON ?= python3
PORT   ?= 8501

VENV := .venv
BIN  := $(VENV)/bin

# Stamps: an install is repeated only when a file it was made from has changed.
CREATED := $(VENV)/.created
RUNTIME := $(VENV)/.runtime
DEV     := $(VENV)/.dev
DOCS    := $(VENV)/.docs
KERNELS := $(VENV)/.kernels

PIP     := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run test lint types unit bars app browser docs docs-test screenshots release clean

help:
	@echo "make run      set up once, then open the dashboard on http://localhost:$(PORT)"
	@echo "make test     set up once, then lint, types and all tests"
	@echo "make lint     style only"
	@echo "make types    types only"
	@echo "make unit     unit tests only"
	@echo "make bars     accuracy on simulated and real tasks, in short"
	@echo "make app      dashboard tests without a browser"
	@echo "make browser  dashboard tests in Chromium"
	@echo "make docs     the site, in build/site"
	@echo "make docs-test     the site, every command and example of the docs, doctests"
	@echo "make screenshots   the pictures of the docs, from the running dashboard"
	@echo "make release       wheel and sdist in dist, tried in fresh environments"
	@echo "make clean    remove the environment, caches and test output"
	@echo "PYTHON=python3.12 chooses the interpreter, PORT=8600 the port."

run: $(KERNELS)
	@$(BIN)/python -m streamlit run app.py --server.port $(PORT)

# One after the other, even under `make -j`: the cheapest check speaks first.
test: $(DEV)
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory types
	@$(MAKE) --no-print-directory unit
	@$(MAKE) --no-print-directory docs-test
	@$(MAKE) --no-print-directory bars
	@$(MAKE) --no-print-directory app
	@$(MAKE) --no-print-directory browser

lint: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEV)
	$(BIN)/mypy stcmtl

unit: $(DEV) $(KERNELS)
	$(BIN)/python -m pytest tests/unit -n auto --dist loadfile

bars: $(DEV) $(KERNELS)
	$(BIN)/python -m pytest tests/bars -n auto

app: $(DEV) $(KERNELS)
	$(BIN)/python -m pytest tests/app

browser: $(DEV) $(KERNELS)
	$(BIN)/python -m pytest tests/browser

docs: $(DOCS)
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet
	@echo "The site is in build/site: open build/site/index.html."

docs-test: $(DEV) $(DOCS) $(KERNELS)
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m pytest tests/docs -n auto --dist loadfile

screenshots: $(DEV) $(KERNELS)
	$(BIN)/python docs/making/screenshots.py

release: $(DEV)
	$(BIN)/python benchmarks/packages.py --dist dist

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis test-output
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(CREATED):
	@command -v $(PYTHON) >/dev/null || \
	  { echo "Python 3.11 or newer is needed, and '$(PYTHON)' was not found: install it, or name it with 'make PYTHON=python3.12 ...'."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed, and '$(PYTHON)' is $$($(PYTHON) -V 2>&1): name a newer one with 'make PYTHON=python3.12 ...'."; exit 1; }
	@echo "Creating the virtual environment in $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(RUNTIME): requirements.txt pyproject.toml | $(CREATED)
	@echo "Installing what the dashboard needs (once) ..."
	@$(PIP) -r requirements.txt
	@touch $@

$(DEV): requirements-dev.txt $(RUNTIME)
	@echo "Installing what the tests need (once) ..."
	@$(PIP) -r requirements-dev.txt
	@touch $@

$(DOCS): requirements-docs.txt $(RUNTIME)
	@echo "Installing what the site needs (once) ..."
	@$(PIP) -r requirements-docs.txt
	@touch $@

# numba looks for changes only in the file of the function that was called, not in the files
# of those it calls: when any kernel has changed, all are compiled again.
$(KERNELS): $(wildcard stcmtl/*/kernels/*.py) | $(RUNTIME)
	@rm -f stcmtl/*/kernels/__pycache__/*.nb[ic]
	@$(BIN)/python -m stcmtl.warmup
	@touch $@
