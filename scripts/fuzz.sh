#!/usr/bin/env bash
# Runs every fuzz target for FUZZTIME (1m), or those of the packages given: scripts/fuzz.sh ./env/... What is found
# lies in the package's testdata/fuzz, from where go test tries it again.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${FUZZTIME:-1m}
# An input that takes more memory than any of ours is a finding, and no reason for the machine to go down.
ulimit -v "${FUZZMEMORY:-12000000}"

# Go's fuzzing sometimes takes its own end of time for a failure: "context deadline exceeded", and no input kept
# (golang/go issue 75804, mended in Go 1.27). Such an end, and no other, has the target run again.
once() {
    local out status tries
    out=$(mktemp)
    for tries in 1 2 3; do
        status=0
        go test -run '^$' -fuzz "^$2\$" -fuzztime "$time" -fuzzminimizetime 1s -parallel 2 "$1" 2>&1 | tee "$out" || status=$?
        if [ "$status" -eq 0 ]; then
            rm -f "$out"
            return 0
        fi
        if grep -q 'Failing input written' "$out" || ! grep -qx ' *context deadline exceeded' "$out"; then break; fi
        echo "fuzz: $1 $2 ended late and found nothing (try $tries of 3)" >&2
    done
    rm -f "$out"
    echo "fuzz: $1 $2 failed" >&2
    exit 1
}

if [ $# -gt 0 ]; then
    packages=$(go list "$@")
else
    packages=$(git ls-files '*_test.go' | xargs grep -l '^func Fuzz' | xargs -n 1 dirname | sort -u | sed 's|^|./|')
fi
count=0
for package in $packages; do
    for target in $(go test -list '^Fuzz' "$package" | grep '^Fuzz' || true); do
        echo "fuzz: $package $target for $time"
        once "$package" "$target"
        count=$((count + 1))
    done
done
if [ "$count" -eq 0 ]; then
    echo "fuzz: no target found" >&2
    exit 1
fi
echo "fuzz: $count targets, nothing found"
