# Two commands matter: make demo (sets everything up and runs the main job) and make test (passes all tests).
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

# Tools, pinned. They are built from source into bin/tools.
GOLANGCI := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
GOFUMPT := mvdan.cc/gofumpt@v0.12.0
WORKFLOWCHECK := go.temporal.io/sdk/contrib/tools/workflowcheck@v0.6.0

DATA ?= .hone/demo
FUZZTIME ?= 1m
TORCH := . scripts/env.sh;
PURE := ./artifacts ./artifacts/mem ./checkpoint/... ./hub ./skills ./env/... ./tokenizer/... ./agent/... ./games ./hints ./activities ./lineage ./runs ./page ./plan ./workflows ./starter

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

setup: ## bring libtorch into .libtorch (DEVICE=cuda adds CUDA's libraries) and all-MiniLM-L6-v2 into .minilm
	@scripts/setup-libtorch.sh && scripts/setup-minilm.sh

setup-dev: setup ## bring what only some tests need: Python peers into .venv
	@scripts/setup-dev.sh

build: setup ## build bin/hone, bin/hone-worker and bin/hone-stack
	@echo "build: compiling the three programs, about ten minutes the first time and seconds after that"
	@$(TORCH) go build -o bin/hone ./starter && go build -o bin/hone-worker ./worker && go build -o bin/hone-stack ./devserver

demo: build ## run the main job on the embedded default, from games to report
	@$(TORCH) scripts/demo.sh $(DATA)

test: setup ## run all tests (make setup-dev first brings those that compare with Python)
	@$(TORCH) go build ./... && go test -timeout 40m ./...

test-gpu: ## run the tests of the rooms that compute on a GPU (HONE_DEVICE, cuda:0); it needs make setup DEVICE=cuda
	@$(TORCH) scripts/test-gpu.sh

test-fast: ## run what needs no libtorch and no server
	go test $(PURE)

check: tools setup ## format, vet, linters, workflow determinism, import law, generated pages
	@$(TORCH) scripts/check.sh

golden: setup ## rewrite frozen test data
	@$(TORCH) go test ./workflows ./env/household -update

bench: setup ## measure speed, as ratios where there is a Python original
	@$(TORCH) scripts/bench.sh

bench-learning: setup build ## show that the method learns: hours on two cores, resumable (HONE_LEARNING: some rows)
	@scripts/bench-learning.sh

setup-bench: setup-dev ## bring ALFWorld's Python engine into .venv-bench, for make bench
	@scripts/setup-bench.sh

parity: ## play games on ALFWorld's own engine and ours, compare every answer (HONE_PARITY=quick: some 30 games)
	@scripts/setup-bench.sh && go run ./scripts/parity

parity-models: setup-dev ## compare models and tokenizers with Python's transformers, peft and tokenizers
	@$(TORCH) CI=true HONE_LINES=20000 go test -count 1 -run 'Greedy|Python' -v ./gpu/parity ./tokenizer/... ./agent/credit ./agent/grpo

fuzz: setup ## run every fuzz target for FUZZTIME (1m)
	@$(TORCH) FUZZTIME=$(FUZZTIME) scripts/fuzz.sh

chaos: setup ## kill workers and stacks at every kind of point, and HONE_CHAOS (100) faults of all kinds, compare digests (HONE_SEED draws them)
	@$(TORCH) HONE_KILLS=all HONE_CHAOS=$${HONE_CHAOS:-100} go test -count 1 -timeout 60m -v ./worker/durability

docs: ## write the pages of the command line
	@rm -rf docs/cli && go run ./starter docs docs/cli

tools: bin/tools/golangci-lint bin/tools/gofumpt bin/tools/workflowcheck

bin/tools/golangci-lint: Makefile
	@echo "check: building golangci-lint"; cd /tmp && GOBIN=$(CURDIR)/bin/tools go install $(GOLANGCI) && touch $(CURDIR)/$@
bin/tools/gofumpt: Makefile
	@cd /tmp && GOBIN=$(CURDIR)/bin/tools go install $(GOFUMPT) && touch $(CURDIR)/$@
bin/tools/workflowcheck: Makefile
	@cd /tmp && GOBIN=$(CURDIR)/bin/tools go install $(WORKFLOWCHECK) && touch $(CURDIR)/$@

clean: ## remove what was built and the demo's data (libtorch stays)
	rm -rf bin .hone

.PHONY: help setup setup-dev setup-bench parity parity-models build demo test test-gpu test-fast check golden bench bench-learning fuzz chaos docs tools clean
