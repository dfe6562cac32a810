#!/usr/bin/env bash
# Runs every fuzz target for FUZZTIME (1m), or those of the packages given: scripts/fuzz.sh ./env/... What is found
# lies in the package's testdata/fuzz, from where go test tries it again.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${FUZZTIME:-1m}
# An input that takes more memory than any of ours is a finding, and no reason for the machine to go down.
ulimit -v "${FUZZMEMORY:-12000000}"

if [ $# -gt 0 ]; then
    packages=$(go list "$@")
else
    packages=$(git ls-files '*_test.go' | xargs grep -l '^func Fuzz' | xargs -n 1 dirname | sort -u | sed 's|^|./|')
fi
count=0
for package in $packages; do
    for target in $(go test -list '^Fuzz' "$package" | grep '^Fuzz' || true); do
        echo "fuzz: $package $target for $time"
        if ! go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 1s -parallel 2 "$package"; then
            echo "fuzz: $package $target failed" >&2
            exit 1
        fi
        count=$((count + 1))
    done
done
if [ "$count" -eq 0 ]; then
    echo "fuzz: no target found" >&2
    exit 1
fi
echo "fuzz: $count targets, nothing found"
