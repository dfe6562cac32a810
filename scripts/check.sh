#!/usr/bin/env bash
# What make check runs: format, vet, linters, workflow determinism, generated pages.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=bin/tools

# Files that programs wrote stay as those write them.
unformatted=$(find . -name '*.go' -not -path './.*' | xargs grep -L '^// Code generated .* DO NOT EDIT' | xargs "$tools/gofumpt" -l)
if [ -n "$unformatted" ]; then
    echo "check: not formatted (gofumpt -w mends them):" >&2
    echo "$unformatted" >&2
    exit 1
fi
go vet ./...
"$tools/golangci-lint" run --allow-parallel-runners ./...
"$tools/workflowcheck" ./workflows
pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
go run ./starter docs "$pages"
if ! diff -r "$pages" docs/cli; then
    echo "check: docs/cli is not what the commands say (make docs mends it)" >&2
    exit 1
fi
echo "check: all is well"
