# The commands of this project; CONTRIBUTING.md says when to use which.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The TypeScript compiler checks the scripts of the explorer's page. Node.js and npm are packages of the extra "lint".
TYPESCRIPT := build/typescript
TYPESCRIPT_VERSION := 5.9.3
SMALL := formula:corral,formula:monks-1,formula:monks-3,formula:mux6
BUILD_INPUTS := pyproject.toml CMakeLists.txt \
  $(filter-out native/fuzz/% native/tests/%,$(wildcard native/*.* native/*/*.* native/*/*/*.*))

.PHONY: demo check test lint format sanitize sanitize-kernels fuzz bench bench-kernels bench-search clean

demo: $(VENV)/installed
	$(BIN)/python examples/demo.py

test: demo $(VENV)/installed-test
	$(BIN)/python -m pytest -n auto

# The inner loop of a contributor: lint, types, and the fast half of the tests, in less than a minute.
FAST_TESTS := tests/table tests/binarize tests/tree tests/problem tests/formula tests/forest tests/selection tests/export \
  tests/datasets tests/report tests/explorer/test_explore.py tests/test_architecture.py tests/test_supply_chain.py src/puretree
SLOWER_FILES := tests/forest/test_grow.py tests/forest/test_order.py tests/selection/test_rules.py \
  tests/export/test_sklearn_tree.py
check: lint $(VENV)/installed-test
	$(BIN)/python -m pytest -q -n auto $(FAST_TESTS) $(addprefix --ignore=,$(SLOWER_FILES))

lint: $(VENV)/installed-lint $(TYPESCRIPT)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m nanobind.stubgen -q -m puretree._native -o src/puretree/_native.pyi
	$(BIN)/mypy
	$(BIN)/node $(TYPESCRIPT)/node_modules/typescript/bin/tsc --project tsconfig.json

format: $(VENV)/installed-lint
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Unit tests of the kernels without Python, then FUZZ_SECONDS of fuzzing, under AddressSanitizer and UndefinedBehaviorSanitizer.
FUZZ_SECONDS ?= 60
FUZZ_SEED ?= 0
sanitize-kernels:
	cmake -S . -B build/fuzz -DPURETREE_FUZZ=ON --log-level=WARNING
	cmake --build build/fuzz --parallel 2
	build/fuzz/native/tests/test_kernels
	cd build/fuzz && native/fuzz/fuzz_kernels $(FUZZ_SECONDS) $(FUZZ_SEED)

# The same, then the tests that call most of the native module, with the module built in the same way. Without -S the
# module that is installed for development would be found first.
NATIVE_TESTS := tests/binarize/test_bitmatrix.py tests/binarize/test_region.py tests/tree/test_tree.py tests/problem tests/bounds \
  tests/formula tests/forest tests/proof/test_rup.py tests/engines/test_search.py tests/maxsat/test_local_search.py
sanitize: sanitize-kernels $(VENV)/installed-test
	$(BIN)/python -m pip install --quiet --no-deps --upgrade --target build/sanitized \
	  -C cmake.define.PURETREE_SANITIZE=ON -C build-dir=build/sanitized-module .
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
	  ASAN_OPTIONS=detect_leaks=0 \
	  PYTHONPATH=build/sanitized:$$($(BIN)/python -c "import sysconfig; print(sysconfig.get_path('purelib'))") \
	  $(BIN)/python -S -m pytest -q -p no:cacheprovider $(NATIVE_TESTS)

# Readers of files with 100,000 broken ones, and the classifier in long sequences of calls.
fuzz: $(VENV)/installed-test
	$(BIN)/python -m pytest -m slow tests/fuzzing tests/estimators/test_pure_tree_states.py

# The experiments in five minutes, on tables that need no download. The real ones: docs/results.md.
bench: $(VENV)/installed-bench
	rm -rf build/bench
	$(BIN)/puretree bench accuracy --datasets $(SMALL),sklearn:iris,sklearn:wine --train-seeds 2 --n-trees 100 --time-limit 2 \
	  --out build/bench/accuracy
	$(BIN)/puretree bench runtime --datasets formula:monks-2,formula:mux11,sklearn:breast-cancer --samples 1 --time-limit 3 \
	  --out build/bench/runtime
	$(BIN)/puretree bench scale --seeds 1 --time-limit 3 --out build/bench/scale
	$(BIN)/puretree bench classifiers --datasets $(SMALL),sklearn:iris --methods pure,cart,cart-ccp,rf --time-limit 2 \
	  --out build/bench/classifiers

bench-kernels: $(VENV)/installed-test
	$(BIN)/python benchmarks/data_path.py
	$(BIN)/python benchmarks/encoding.py

bench-search: $(VENV)/installed-peers
	$(BIN)/python benchmarks/search.py $(OPTIONS)

clean:
	rm -rf $(VENV) build

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# Python sources are used where they lie; only native code and dependencies need a new install. An extra is added to what
# is installed: its packages alone, without building everything again.
$(VENV)/installed: $(VENV)/bin/python $(BUILD_INPUTS)
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/installed-test: $(VENV)/installed
	$(BIN)/python -m pip install --quiet "puretree[test]"
	touch $@

$(VENV)/installed-lint: $(VENV)/installed
	$(BIN)/python -m pip install --quiet "puretree[lint]"
	touch $@

$(TYPESCRIPT)/installed: $(VENV)/installed-lint
	$(BIN)/npm install --prefix $(TYPESCRIPT) --silent --no-audit --no-fund typescript@$(TYPESCRIPT_VERSION) || \
	  { echo "make lint needs TypeScript $(TYPESCRIPT_VERSION), which npm could not install: check the npm registry" >&2; exit 1; }
	touch $@

$(VENV)/installed-bench: $(VENV)/installed
	$(BIN)/python -m pip install --quiet "puretree[bench]"
	touch $@

$(VENV)/installed-peers: $(VENV)/installed
	$(BIN)/python -m pip install --quiet "puretree[peers]"
	touch $@
