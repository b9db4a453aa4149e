# `make` or `make help` lists the targets.
.DEFAULT_GOAL := help
PY := .venv/bin/python
READY := .venv/.ready
PLAY_READY := .venv/.play-ready
LEARN := .venv-learn/bin/python
LEARN_READY := .venv-learn/.ready
RELEASE := .venv-release/bin/python
RELEASE_READY := .venv-release/.ready
DOCS_READY := .venv-docs/.ready

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

# What a player needs, and nothing else.
$(PLAY_READY): pyproject.toml constraints.txt scripts/setup
	@scripts/setup play
	@touch $@

# The tools of the developers too.
$(READY): pyproject.toml constraints.txt scripts/setup
	@scripts/setup dev
	@touch $@ $(PLAY_READY)

setup: $(READY) ## install what is needed for work on the project into .venv

client: ## build the browser client into the package, if it is missing or older than its sources
	@python3 scripts/client.py --if-needed

play: ## start the server and play in the browser; with HOST=0.0.0.0 friends in your network can join
	@$(MAKE) --no-print-directory -j2 $(PLAY_READY) client
	@$(PY) -m cabochon play $(if $(HOST),--host $(HOST))

terminal: $(PLAY_READY) ## play a game in the terminal
	@$(PY) -m cabochon terminal

test: check ## set up and run every check and test, as CI does

check: $(READY) client ## ruff, mypy and all tests, the browser's too and, where it can be installed, PostgreSQL's
	@scripts/check

$(LEARN_READY): pyproject.toml constraints.txt scripts/setup
	@VENV=.venv-learn scripts/setup learn-dev
	@touch $@

test-learn: $(LEARN_READY) ## the tests of the training, in an environment of their own: torch is large
	$(LEARN) -c 'import torch'
	$(LEARN) -m pytest tests/learn

test-lowest: ## the tests of engine, bots, arena and command with the lowest versions that pyproject.toml allows; needs uv
	@scripts/test-package lowest-direct

$(RELEASE_READY): pyproject.toml constraints.txt scripts/setup
	@VENV=.venv-release scripts/setup release
	@touch $@

wheel: $(RELEASE_READY) ## build the wheel and the source distribution into dist, and check them
	rm -rf dist
	PATH=$(CURDIR)/.venv-release/bin:$$PATH $(RELEASE) -m build
	$(RELEASE) -m twine check --strict dist/*
	$(RELEASE) -m check_wheel_contents dist/*.whl
	@ls -l dist

$(DOCS_READY): pyproject.toml constraints.txt scripts/setup
	@VENV=.venv-docs scripts/setup docs
	@touch $@

docs: $(DOCS_READY) ## the documentation as a site with search, in build/site; every notebook is run, and a warning is an error
	@PATH=$(CURDIR)/.venv-docs/bin:$$PATH NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs build --quiet
	@echo "file://$(CURDIR)/build/site/index.html"

docs-serve: $(DOCS_READY) ## the documentation in the browser while one writes it
	@PATH=$(CURDIR)/.venv-docs/bin:$$PATH NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs serve

cluster-test: $(READY) ## nodes, workers, broker and PostgreSQL are killed at random, KILLS (200) times; a server on SQLite too
	@scripts/postgres >/dev/null && scripts/valkey >/dev/null
	KILLS=$(or $(KILLS),200) $(PY) -m pytest tests/cluster -s
	KILLS=$(or $(KILLS),200) $(PY) -m pytest tests/server/test_kill.py -k sqlite

postgres-test: $(READY) ## all tests of the server on PostgreSQL
	@scripts/postgres >/dev/null && scripts/valkey >/dev/null
	TEST_DATABASE=postgresql $(PY) -m pytest -n 2 --dist worksteal tests/server

quick: $(READY) ## the tests that take seconds
	$(PY) -m pytest -n 2 -m "not slow" $(foreach part,browser server cluster envs learn,--ignore=tests/$(part))

bench: $(READY) ## print speeds with the commit and machine, and those of the environments beside the frameworks' own games
	$(PY) -m cabochon bench
	$(PY) bench/envs.py

load: $(READY) ## one process with 1,000 and 2,000 tables: moves a second, waiting times, memory; then clusters of 1, 2 and 4 nodes, and what a move costs
	PYTHONPATH=. $(PY) bench/load.py --rate 700 --back
	PYTHONPATH=. $(PY) bench/load.py --tables 1000 2000 --rate 1600
	PYTHONPATH=. $(PY) bench/cluster.py

churn: $(READY) ## a thousand sockets that come and go at one table: how long the players' moves wait
	PYTHONPATH=. $(PY) bench/churn.py

soak: $(READY) ## tables and sockets come and go for MINUTES (30): memory, handles and objects into soak.csv
	PYTHONPATH=. nice $(PY) bench/soak.py --minutes $(or $(MINUTES),30)

tactics: $(READY) ## positions with a proven best move: how many full strength finds in a second
	$(PY) -m tests.support.tactics --seconds 1

pictures: $(READY) client ## take the pictures in docs/pictures anew
	$(PY) -m tests.browser.pictures

screens: $(READY) client ## take pictures of the table on every size of screen, light and dark, into build/screens
	SCREENS=build/screens $(PY) -m pytest tests/browser/test_matrix.py

perft: $(READY) ## count move sequences from the named positions with the kernel and the referee
	$(PY) -m tests.support.perft

fuzz: $(READY) ## a million positions against why_not, a hundred thousand games against the referee, a fifth of the puzzles, a cluster harmed 1,000 times
	$(PY) -m tests.support.fuzz
	KILLS=$(or $(KILLS),1000) $(PY) -m pytest tests/cluster/test_harm.py -s

golden: $(READY) ## write the golden games and perft counts anew (look at the diff before you commit it)
	$(PY) -m tests.support.golden

.PHONY: help setup client play terminal test check test-learn test-lowest cluster-test postgres-test docs docs-serve quick bench load churn soak tactics pictures wheel perft fuzz golden
