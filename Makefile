.DEFAULT_GOAL := help
BIN := .venv/bin

.PHONY: help run setup setup-test packages check check-types check-page check-rest page-test test soak openapi nomenclature cost-terms lock screenshots bench bench-skypilot clean

help:  ## what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

run: setup  ## set up what is missing, then start everything on this machine (STOWAGE_PORT, default 8000)
	@exec $(BIN)/stowage up

setup:  ## Python and npm packages and the built page; .venv/bin/stowage runs afterwards
	@scripts/setup

setup-test:
	@scripts/setup test

packages:
	@scripts/setup packages

check: packages  ## every static check
	@$(MAKE) $(if $(findstring jobserver,$(MAKEFLAGS)),,--jobs 2) --output-sync=target --no-print-directory \
	  check-types check-page check-rest

check-types:
	$(BIN)/mypy

check-page:
	npm --prefix frontend run --silent check

check-rest:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run -Werror backend/stowage/*/csrc/* bench/*.c bench/load/*.c
	$(BIN)/lint-imports
	$(BIN)/stowage schema openapi | diff -u frontend/openapi.json - || { echo 'frontend/openapi.json is stale: make openapi'; exit 1; }
	$(BIN)/python scripts/nomenclature.py --check
	$(BIN)/python scripts/cost_terms.py --check

page-test: packages
	npm --prefix frontend run --silent test

test:  ## every check and every everyday test; N=5 repeats all of it
	@scripts/test everyday --times $(or $(N),1)

soak:  ## exhaustive tests, SLICE=faults|aws|pages|fuzz|spaces|tools|kills|load|chaos or all; results go to docs/soak.md
	@scripts/test soak $(SLICE)

nomenclature: packages  ## write the lists of quantities and tools in docs/ from the code
	$(BIN)/python scripts/nomenclature.py

cost-terms: packages  ## write the search's C of the terms of a cost from their formulas
	$(BIN)/python scripts/cost_terms.py

openapi: packages  ## describe the API anew and generate the TypeScript client from it
	$(BIN)/stowage schema openapi > frontend/openapi.json
	npm --prefix frontend run --silent generate

lock:  ## resolve requirements.lock again (needs uv)
	uv pip compile --quiet --universal --generate-hashes --python-version 3.11 --all-extras \
	  --no-emit-index-url --no-emit-find-links --upgrade --output-file requirements.lock pyproject.toml
	uv pip compile --quiet --universal --generate-hashes --python-version 3.11 --group load \
	  --no-emit-index-url --no-emit-find-links --upgrade --output-file bench/load/requirements.lock
	uv pip compile --quiet --universal --generate-hashes --python-version 3.11 --group laboratory \
	  --no-emit-index-url --no-emit-find-links --upgrade --output-file bench/laboratory/requirements.lock

screenshots: setup-test  ## take pictures of every page into build/screens, and those in docs/screens from them
	$(BIN)/python scripts/screenshots.py

bench: setup  ## print figures; never part of the tests
	$(BIN)/python bench/start.py
	$(BIN)/python bench/predictions.py
	$(BIN)/python bench/search_speed.py
	$(BIN)/python bench/grid_excess.py
	$(BIN)/python bench/api_latency.py
	$(BIN)/python bench/sweep_workers.py
	$(BIN)/python bench/footprint.py
	$(BIN)/python bench/explore_page.py

bench-skypilot: setup  ## our search beside SkyPilot's optimizer, which is fetched from PyPI
	$(BIN)/python bench/skypilot.py

clean:  ## remove what setup made; .stowage (the data) stays
	rm -rf .venv .tools frontend/node_modules frontend/dist
