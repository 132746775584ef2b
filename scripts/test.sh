#!/usr/bin/env bash
# Every check of the project on a machine without a GPU. Needs Go, a C compiler and pip; fetches ptxas and the
# disassembler wheels into the user's cache when they are not there, and installs valgrind where it may. Ends with the totals of `go test`.
set -eu
cd "$(dirname "$0")/.."

step() { printf '\n== %s\n' "$*"; }
fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }

step "toolchain"
go tool oxidegen toolchain install

step "gofmt"
unformatted=$(git ls-files '*.go' | xargs gofmt -l)
[ -z "$unformatted" ] || fail "gofmt would change: $unformatted"

step "vet: linux with cgo, linux without, darwin, windows"
go vet ./...
CGO_ENABLED=0 go vet ./...
CGO_ENABLED=0 GOOS=darwin go vet ./...
CGO_ENABLED=0 GOOS=windows go vet ./...

step "generated files are current"
before=$(git status --porcelain)
go generate ./...
after=$(git status --porcelain)
[ "$before" = "$after" ] || { git --no-pager diff --stat; fail "go generate changed the tree: commit what it made"; }
go tool oxidegen verify

step "a kernel in a module of its own"
(cd examples/userkernel && go vet ./... && go generate ./... && go run . && go test ./...)
[ "$before" = "$(git status --porcelain)" ] || fail "building examples/userkernel changed the tree"

step "the Python adapter, installed from the tree"
site=$(mktemp -d)
trap 'rm -rf "$site"' EXIT
python3 -m pip install -q --disable-pip-version-check --no-warn-script-location --target "$site" ./adapters/python numpy
(cd adapters/python/tests && PYTHONPATH=$site python3 -B -m unittest -v test_host)
PYTHONPATH=$site python3 -B examples/python/rmsnorm.py
[ "$before" = "$(git status --porcelain)" ] || fail "installing adapters/python changed the tree"

step "valgrind, under which a C test makes wrong calls"
if ! command -v valgrind && [ "$(id -u)" = 0 ] && command -v apt-get; then
  { apt-get -q update && apt-get -qy --no-install-recommends install valgrind; } >"$site/apt.log" 2>&1 || tail -n 3 "$site/apt.log"
fi
command -v valgrind || echo "TestBadCallsUnderValgrind: not run, because valgrind is not installed and this machine cannot install it"

step "tests"
go test -timeout 30m ./...

step "race detector: scopes, completions, graphs, and 20 seconds of 64 goroutines on the emulated device"
go test -race -short ./runtime ./runtime/emulated
go test -race ./cmd/oxidelab/internal/soak -soak 20s
