# Everything a fresh machine needs: `make demo`, then `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
JOBS   := $(shell n=$$(nproc); [ $$n -gt 4 ] && echo 4 || echo $$n)
APT    := libegl1 libgl1 libgl1-mesa-dri libosmesa6

.DEFAULT_GOAL := help
.PHONY: help install system chromium demo test test-all check bench audit redteam clean

help:
	@echo "make demo      install, run one agent episode offline, say where the pictures are"
	@echo "make test      install, run the default tests"
	@echo "make test-all  the slow tests too"
	@echo "make check     ruff, mypy, import layers"
	@echo "make bench     the benchmarks, as ratios against baselines"
	@echo "make audit     prove every task domain: gold wins, doing nothing does not (20 minutes)"
	@echo "make redteam   try every known reward hack on every suite (20 minutes)"

install: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	@$(MAKE) --no-print-directory system
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing into $(VENV) (about 1.5 GB, a few minutes the first time)"
	@$(BIN)/python -m pip install --quiet --upgrade pip
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev,agent,browser]'
	@touch $@

# Software OpenGL for the renderer. Without it pictures come from the ray caster.
system:
	@if ldconfig -p | grep -q libEGL.so.1 && ls /usr/lib/*/dri/swrast_dri.so >/dev/null 2>&1; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "installing $(APT)"; \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(APT) >/dev/null; \
	else \
	  echo "for OpenGL pictures run: sudo apt-get install $(APT)   (going on with the ray caster)"; \
	fi

demo: install
	@$(BIN)/cadwright run tiny/stepped-shaft --policy tiny --out runs/demo

test: install
	@$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

# The report's filters are tested in a real browser.
chromium:
	@if command -v chromium >/dev/null || command -v google-chrome >/dev/null; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "installing chromium"; \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null; \
	else \
	  echo "for the browser tests run: sudo apt-get install chromium"; \
	fi

test-all: install chromium
	@$(BIN)/python -m pytest -m "not gpu and not network"

check: install
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@PYTHONPATH=tests/links $(BIN)/lint-imports

bench: install
	@$(BIN)/python benchmarks/sandbox.py
	@$(BIN)/python benchmarks/rendering.py
	@$(BIN)/python benchmarks/judge.py
	@$(BIN)/python benchmarks/domains.py
	@OMP_NUM_THREADS=1 $(BIN)/python benchmarks/policy.py
	@$(BIN)/python benchmarks/browser.py

# Both go on where they were stopped.
audit: install
	@OMP_NUM_THREADS=1 $(BIN)/cadwright tasks lint --all --samples 5 -j $(JOBS) --out runs/audit --table docs/domains.md

redteam: install
	@$(BIN)/cadwright judge --redteam all -j $(JOBS) --out runs/redteam

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache runs
