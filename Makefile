# The commands of this project; CONTRIBUTING.md says when to use which.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BUILD_INPUTS := pyproject.toml CMakeLists.txt $(wildcard native/*.* native/*/*)

.PHONY: demo test lint format bench bench-search clean

demo: $(VENV)/installed
	$(BIN)/python examples/demo.py

test: demo $(VENV)/installed-test
	$(BIN)/python -m pytest -n auto

lint: $(VENV)/installed-lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m nanobind.stubgen -q -m puretree._native -o src/puretree/_native.pyi
	$(BIN)/mypy

format: $(VENV)/installed-lint
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/installed-test
	$(BIN)/python benchmarks/data_path.py
	$(BIN)/python benchmarks/encoding.py

bench-search: $(VENV)/installed-peers
	$(BIN)/python benchmarks/search.py $(OPTIONS)

clean:
	rm -rf $(VENV) build

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# Python sources are used where they lie; only native code and dependencies need a new install.
$(VENV)/installed: $(VENV)/bin/python $(BUILD_INPUTS)
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/installed-test: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --editable ".[test]"
	touch $@

$(VENV)/installed-lint: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --editable ".[lint]"
	touch $@

$(VENV)/installed-peers: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --editable ".[peers]"
	touch $@
