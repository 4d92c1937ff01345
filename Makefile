.DEFAULT_GOAL := help
BIN := .venv/bin

.PHONY: help run setup setup-test packages check page-test test soak openapi lock screenshots bench bench-skypilot clean

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
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run -Werror backend/stowage/optimizer/*.c bench/*.c
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/bandit --quiet --configfile pyproject.toml --recursive backend worker
	$(BIN)/stowage schema openapi | diff -u frontend/openapi.json - || { echo 'frontend/openapi.json is stale: make openapi'; exit 1; }
	npm --prefix frontend run --silent check

page-test: packages
	npm --prefix frontend run --silent test

test: setup-test  ## every check and every test
	$(MAKE) --jobs 2 --output-sync=target --no-print-directory check page-test
	$(BIN)/pytest -n 3 --dist loadfile --no-loadscope-reorder --ignore tests/model --ignore backend/stowage/model
	$(BIN)/pytest -n 3 --cov stowage.model --cov-branch --cov-fail-under 100 --cov-report term:skip-covered tests/model backend/stowage/model

soak:  ## what takes long: fifty killed workers, every look of every page, every tool; its output is docs/soak.txt
	@scripts/soak

openapi: packages  ## describe the API anew and generate the TypeScript client from it
	$(BIN)/stowage schema openapi > frontend/openapi.json
	npm --prefix frontend run --silent generate

lock:  ## resolve requirements.lock and infra/tools/semgrep.lock anew (needs uv)
	uv pip compile --quiet --universal --generate-hashes --python-version 3.11 --all-extras \
	  --no-emit-index-url --no-emit-find-links --upgrade --output-file requirements.lock pyproject.toml
	uv pip compile --quiet --universal --generate-hashes --python-version 3.11 \
	  --no-emit-index-url --no-emit-find-links --upgrade --output-file infra/tools/semgrep.lock infra/tools/semgrep.in

screenshots: setup-test  ## take the pictures in docs/screens anew
	$(BIN)/python scripts/screenshots.py

bench: setup  ## print figures; never part of the tests
	$(BIN)/python bench/predictions.py
	$(BIN)/python bench/search_speed.py
	$(BIN)/python bench/grid_excess.py
	$(BIN)/python bench/api_latency.py
	$(BIN)/python bench/sweep_workers.py
	$(BIN)/python bench/explore_page.py

bench-skypilot: setup  ## our search beside SkyPilot's optimizer, which is fetched from PyPI
	$(BIN)/python bench/skypilot.py

clean:  ## remove what setup made; .stowage (the data) stays
	rm -rf .venv .tools frontend/node_modules frontend/dist
