# `make` or `make help` lists the targets.
.DEFAULT_GOAL := help
PY := .venv/bin/python
READY := .venv/.ready
LEARN := .venv-learn/bin/python
LEARN_READY := .venv-learn/.ready
CLIENT := src/cabochon/server/static/index.html
CLIENT_SOURCES := $(shell find web -type f -not -path '*/node_modules/*' -not -path '*/src/paraglide/*')

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

$(READY): pyproject.toml constraints.txt scripts/setup
	@scripts/setup
	@touch $@

setup: $(READY) ## install what is needed into .venv

$(CLIENT): $(READY) $(CLIENT_SOURCES) scripts/web
	@scripts/web
	@touch $@

client: $(CLIENT) ## build the browser client into the package

play: $(READY) $(CLIENT) ## start the server and play in the browser; with HOST=0.0.0.0 friends in your network can join
	@$(PY) -m cabochon play $(if $(HOST),--host $(HOST))

terminal: $(READY) ## play a game in the terminal
	@$(PY) -m cabochon terminal

test: check ## set up and run every check and test, as CI does

check: $(READY) $(CLIENT) ## ruff, mypy and all tests, the browser's too and, where it can be installed, PostgreSQL's
	@scripts/check

$(LEARN_READY): pyproject.toml constraints.txt scripts/setup
	@VENV=.venv-learn scripts/setup learn-dev
	@touch $@

test-learn: $(LEARN_READY) ## the tests of the training, in an environment of their own: torch is large
	$(LEARN) -c 'import torch'
	$(LEARN) -m pytest tests/learn

quick: $(READY) ## the tests that take seconds
	$(PY) -m pytest -n 2 -m "not slow" --ignore=tests/browser --ignore=tests/server --ignore=tests/envs

bench: $(READY) ## print speeds with the commit and machine, and those of the environments beside the frameworks' own games
	$(PY) -m cabochon bench
	$(PY) bench/envs.py

load: $(READY) ## a thousand tables at once: moves a second and waiting times
	PYTHONPATH=. $(PY) bench/load.py

churn: $(READY) ## a thousand sockets that come and go at one table: how long the players' moves wait
	PYTHONPATH=. $(PY) bench/churn.py

soak: $(READY) ## tables and sockets come and go for MINUTES (30): memory, handles and objects into soak.csv
	PYTHONPATH=. nice $(PY) bench/soak.py --minutes $(or $(MINUTES),30)

tactics: $(READY) ## positions with a proven best move: how many full strength finds in a second
	$(PY) -m tests.support.tactics --seconds 1

pictures: $(READY) $(CLIENT) ## take the pictures in docs/pictures anew
	$(PY) -m tests.browser.pictures

screens: $(READY) $(CLIENT) ## take pictures of the table on every size of screen, light and dark, into build/screens
	SCREENS=build/screens $(PY) -m pytest tests/browser/test_matrix.py

perft: $(READY) ## count move sequences from the named positions with the kernel and the referee
	$(PY) -m tests.support.perft

fuzz: $(READY) ## a million positions against why_not, a hundred thousand games against the referee
	$(PY) -m tests.support.fuzz

golden: $(READY) ## write the golden games and perft counts anew (look at the diff before you commit it)
	$(PY) -m tests.support.golden

.PHONY: help setup client play terminal test check test-learn quick bench load churn soak tactics pictures perft fuzz golden
