# `make demo` and `make test` need nothing but Python 3.11 or newer: they set up .venv themselves.
# Afterwards .venv/bin/raceproof is the command.

PYTHON ?= python3
BIN := .venv/bin
# Processes for measurements and soaks: a core each.
WORKERS ?= 2
# `pytest -n` of `make test`: tests also wait, for processes that they have started.
TESTERS ?= 3
# Programs with known verdicts: what `raceproof bench` reads.
CORPUS ?=
# Petri nets with known verdicts: a directory of .spec files with an expected.tsv beside them.
NETS ?=

# `make soak`: how long generated programs are drawn, where to keep what was found, and the first seed.
MINUTES ?= 60
OUT ?= build/soak
DEMO := build/demo
SEED ?= 1

.PHONY: demo test lint docs vscode bench tables soak mutation corpus clean

# A check that ends with status 1 (race) or 3 (unknown) is a result, not a failure of the demo.
demo: .venv/.stamp
	@mkdir -p $(DEMO)
	@run() { echo; echo "\$$ raceproof $$*"; echo; $(BIN)/raceproof "$$@"; status=$$?; echo; \
	    echo "(exit status $$status)"; case $$status in 0|1|3) ;; *) exit $$status;; esac; }; \
	run check examples/bank_race.c --html $(DEMO)/bank_race.html --json $(DEMO)/bank_race.json; \
	run replay $(DEMO)/bank_race.json; \
	run check examples/bank_locked.c --html $(DEMO)/bank_locked.html; \
	echo; echo "To look at in a browser:"; \
	echo "  $(abspath $(DEMO))/bank_race.html"; echo "  $(abspath $(DEMO))/bank_locked.html"

# What reaches the output must not depend on the order of hashed sets: the golden tests run again
# under two random hash seeds, which are printed so that a failure can be repeated.
test: .venv/.stamp-dev
	$(BIN)/python -m pytest -n $(TESTERS) -m "not slow"
	@for round in 1 2; do \
	    seed=$$($(BIN)/python -c 'import random; print(random.randrange(1, 2**32))'); \
	    echo "golden tests with PYTHONHASHSEED=$$seed"; \
	    PYTHONHASHSEED=$$seed $(BIN)/python -m pytest tests/test_golden.py || exit 1; \
	done

lint: .venv/.stamp-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict src

# The documentation as a site; a link that leads nowhere is an error.
docs: .venv/.stamp-docs
	$(BIN)/python -m sphinx -q -W --keep-going -b html -d build/doctrees docs build/docs
	@echo "To look at in a browser: $(abspath build/docs/index.html)"

# The extension for Visual Studio Code, as a package to install.
vscode: .venv/.stamp
	$(BIN)/python editors/vscode/package.py build

# Everything else in docs/results.md that is measured; nets, programs with known verdicts and real programs only if they
# are there (NETS=, CORPUS=, bench/real/fetch.py). About an hour on two cores; other work makes the times wrong.
bench: .venv/.stamp-dev
	$(BIN)/python bench/portfolio.py --jobs $(WORKERS) --write
	$(BIN)/python bench/explore.py --long --write
	$(BIN)/python bench/cluster.py --write
	$(BIN)/python bench/run.py --write
	$(BIN)/python bench/sampling_table.py --write
	$(BIN)/python bench/petri.py $(NETS) --write
	$(BIN)/python bench/octagons.py --write
	$(BIN)/python bench/fixes.py --write
	$(BIN)/python bench/ranking.py --write
	$(BIN)/python bench/tsan.py --write
	$(BIN)/python bench/states.py --write
	$(BIN)/python bench/scaling.py --write
	$(BIN)/python bench/real/run.py --write
	$(BIN)/python bench/real/use.py --write
	$(BIN)/python bench/real/facts.py --write
	@test -z "$(CORPUS)" || $(BIN)/python bench/corpus.py $(CORPUS) --write
	$(BIN)/python bench/summary.py --write

# The papers' tables, rebuilt, into docs/results.md, two scripts at a time: less than 20 minutes on two cores. What lacks
# something (bench/real/fetch.py, RACEPROOF_SVCOMP, qemu-user) stays as it is, which is said, and is status 1.
tables: .venv/.stamp-tables
	$(BIN)/python bench/papers.py --write

# What takes long: the slow tests (sanitizers, memory, every algorithm on every program, changed programs), then all
# engines on generated programs for MINUTES; the same command goes on where it was ended.
soak: .venv/.stamp-dev
	RACEPROOF_EXPLORE_ALL=1 $(BIN)/python -m pytest -n $(WORKERS) -m slow
	RACEPROOF_EXPLORE_ALL=1 $(BIN)/python -m pytest -n $(WORKERS) tests/test_programs.py tests/test_evidence.py
	RACEPROOF_LAWS=50 $(BIN)/python -m pytest -n $(WORKERS) tests/laws
	cd tests && PYTHONPATH=.:.. ../$(BIN)/python -m musl.comparison --write
	cd tests && PYTHONPATH=.:.. ../$(BIN)/python -m exploration.soak --seed $(SEED) --minutes $(MINUTES) \
	    --jobs $(WORKERS) --out $(abspath $(OUT)) --write
	cd tests && PYTHONPATH=.:.. ../$(BIN)/python -m exploration.deadlock_soak --seed $(SEED) --minutes $(MINUTES) \
	    --jobs $(WORKERS) --out $(abspath $(OUT)) --write

# Small faults in raceproof itself, one at a time: do the tests notice? Goes on where it was ended (build/mutation).
mutation: .venv/.stamp-dev
	cd tests && PYTHONPATH=. ../$(BIN)/python -m mutation.run --write

corpus: .venv/.stamp
	@test -n "$(CORPUS)" || { echo "usage: make corpus CORPUS=DIRECTORY (with expected.tsv or SV-COMP tasks)" >&2; exit 2; }
	$(BIN)/raceproof bench $(CORPUS) --out build/corpus-$$(date +%Y%m%d-%H%M%S)

clean:
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis src/*.egg-info
	find src tests bench -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/.stamp: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "raceproof needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>&1)." >&2; \
	    echo "Name another one: make PYTHON=/path/to/python3.11 ..." >&2; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

.venv/.stamp-tables: .venv/.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[polyhedra]'
	@touch $@

.venv/.stamp-docs: .venv/.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	@touch $@

.venv/.stamp-dev: .venv/.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,polyhedra,bench]'
	@touch $@
