# Everything a developer or a user of the source tree does. `make help` lists it.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip
JOBS   ?= $(shell nproc 2>/dev/null || echo 2)

CPP_FILES   := $(shell find cpp -name "*.cpp" -o -name "*.hpp")
CORE_INPUTS := $(shell find cpp/include cpp/src cpp/bindings -name "*.?pp") CMakeLists.txt pyproject.toml
SETUP_STAMP := $(VENV)/.setup-done
BUILD_STAMP := $(VENV)/.build-done

.DEFAULT_GOAL := help
.PHONY: help setup build demo test coverage test-cpp check format bench bench-recovery bench-noise bench-real mutate docs wheel release-check stub clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  \033[36m%-14s\033[0m %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(SETUP_STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("featsieve needs Python 3.11 or newer; say make PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install --quiet --upgrade "pip>=25.1"
	$(PIP) install --quiet --group dev
	touch $@

setup: $(SETUP_STAMP) ## Create .venv with everything development needs

$(BUILD_STAMP): $(SETUP_STAMP) $(CORE_INPUTS)
	$(PIP) install --quiet --no-build-isolation --editable .
	touch $@

build: $(BUILD_STAMP) ## Compile the C++ core and install the package, editable

demo: build ## Run the main job on a built-in table
	$(BIN)/featsieve demo

test: build test-cpp ## Run all tests and doctests
	$(BIN)/python -m pytest -n $(JOBS)

coverage: build ## Run the Python tests and list the lines that none of them reaches
	$(BIN)/python -m pytest -n $(JOBS) --cov --cov-report=term

test-cpp: setup ## C++ tests under ASan and UBSan, and of a project that uses the library
	$(BIN)/cmake -S . -B build/cpp-tests -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) \
	  -DCMAKE_BUILD_TYPE=Debug -DFEATSIEVE_PYTHON=OFF -DFEATSIEVE_CPP_TESTS=ON \
	  -DFEATSIEVE_SANITIZE=ON -DFEATSIEVE_COVERAGE=ON -DFEATSIEVE_WERROR=ON > /dev/null
	$(BIN)/cmake --build build/cpp-tests
	find build/cpp-tests -name '*.gcda' -delete
	$(BIN)/ctest --test-dir build/cpp-tests --output-on-failure --parallel $(JOBS)
	$(BIN)/gcovr --root . --filter cpp/src --filter cpp/include build/cpp-tests

check: build test-cpp ## Lint, types, layers and borders, formatting, stub, sanitizers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell
	$(BIN)/clang-format --dry-run --Werror $(CPP_FILES)
	$(BIN)/python -m nanobind.stubgen -q -D -m featsieve._core -o build/_core.pyi
	diff -u src/featsieve/_core.pyi build/_core.pyi

format: setup ## Rewrite sources in our format
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CPP_FILES)

stub: build ## Regenerate src/featsieve/_core.pyi
	$(BIN)/python -m nanobind.stubgen -q -D -m featsieve._core -o src/featsieve/_core.pyi

bench: build ## Compare speed and memory with the peers (WORK=W1 for one workload)
	$(PIP) install --quiet --group bench
	$(BIN)/python -m benchmarks $(WORK)

bench-recovery: build ## Compare what is found with the peers (BOARD="--seeds 2")
	$(PIP) install --quiet --group bench
	$(BIN)/python -m benchmarks.recovery.board --json benchmarks/results/recovery.json $(BOARD)

bench-noise: build ## See how often noise of every kind is left alone (BOARD="--seeds 50")
	$(BIN)/python -m benchmarks.recovery.board --families "pure noise" --methods "featsieve select" \
	  --seeds 200 --first 1000 --json benchmarks/results/noise.json $(BOARD)

bench-real: build ## Compare selectors by four learners on real tables (REAL="--tables sonar")
	$(BIN)/python -m benchmarks.recovery.real_tables --json benchmarks/results/real.json $(REAL)

mutate: build ## Change the code that decides and see that tests fail (MODULES="probes --sample 99")
	$(PIP) install --quiet --group mutate
	$(BIN)/python tests/inference/mutate.py $(MODULES)

docs: build ## Build the documentation into docs/_build/html
	$(PIP) install --quiet --group docs
	$(BIN)/python docs/make_benchmarks.py
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html
	$(BIN)/python docs/check_links.py

wheel: setup ## Build a wheel, install it into an empty venv, and try it
	rm -rf dist build/wheel-venv
	$(PIP) wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .
	$(PYTHON) -m venv build/wheel-venv
	build/wheel-venv/bin/python -m pip install --quiet dist/*.whl
	cd build && wheel-venv/bin/python ../tests/wheel_smoke.py

release-check: setup ## Everything a release must pass: archives in empty venvs, newest and oldest versions, licences
	$(PIP) install --quiet --group release
	JOBS=$(JOBS) $(BIN)/python release/check.py $(STEPS)

clean: ## Remove everything that was built
	rm -rf build dist .venv docs/_build demo-output .coverage* .hypothesis
