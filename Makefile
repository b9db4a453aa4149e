# `make` or `make help` lists the targets.
.DEFAULT_GOAL := help
PY := .venv/bin/python
READY := .venv/.ready

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

$(READY): pyproject.toml constraints.txt scripts/setup
	@scripts/setup
	@touch $@

setup: $(READY) ## install what is needed into .venv

play: $(READY) ## play a game in the terminal
	@$(PY) -m cabochon play

test: check ## set up and run every check and test, as CI does

check: $(READY) ## ruff, mypy and all tests
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(PY) -m pytest -n 2

quick: $(READY) ## the tests that take seconds
	$(PY) -m pytest -n 2 -m "not slow"

bench: $(READY) ## print speeds with the commit and machine
	$(PY) -m cabochon bench

perft: $(READY) ## count move sequences from the named positions with the kernel and the referee
	$(PY) -m tests.perft

fuzz: $(READY) ## a million positions against why_not, a hundred thousand games against the referee
	$(PY) -m tests.fuzz

golden: $(READY) ## write the golden games and perft counts anew (look at the diff before you commit it)
	$(PY) -m tests.golden

.PHONY: help setup play test check quick bench perft fuzz golden
