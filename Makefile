# Everything starts here: each target first builds the environment that it needs.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
# An editable install knows the modules that there were, by name: a new one asks for another.
MODULES := $(shell find fuzz impl -name '*.py' | sort | cksum | cut -d ' ' -f 1)
STAMP := $(VENV)/.installed-$(MODULES)
OUT ?= framefuzz-out
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1

.PHONY: fuzz test sanitize lint types install clean

install: $(STAMP)

# torch comes first: a range asked for later must find the pinned build in place.
$(STAMP): pyproject.toml constraints.txt CMakeLists.txt $(wildcard native/*.cpp native/*.h)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet -c constraints.txt torch
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[dev]'
	rm -f $(VENV)/.installed*
	touch $@

# Exit code 1 says that divergences were found, which is what a campaign is for.
fuzz: $(STAMP)
	$(BIN)/framefuzz run --seed 0 --time 60 --workers 2 --out $(OUT) || test $$? -eq 1

# The native tests have processes of their own: they install a frame evaluator, and so does torch.
test: $(STAMP)
	$(BIN)/python -m pytest -n 2 -m 'not nightly' tests/native
	$(BIN)/python -m pytest -n 2 -m 'not nightly' --ignore tests/native

# The native tests against a core built with AddressSanitizer and UBSan; about 5 minutes.
sanitize: $(STAMP)
	$(BIN)/python native/run_tests.py --sanitize

lint: $(STAMP)
	$(BIN)/ruff check fuzz impl native tests benchmarks
	$(BIN)/ruff format --check fuzz impl native tests benchmarks

types: $(STAMP)
	$(BIN)/mypy

clean:
	rm -rf $(VENV) build
