#!/usr/bin/env bash
# Runs each experiment's twin twice: once with one worker, and once in a store of its own with two workers that are killed
# at random and begun again. Both must come to the same digest. What has been done is not done again: it can be ended and
# begun again at any time. It takes hours; names take these experiments alone: scripts/chaos-twins.sh skill1 gigpo
# HONE_SEED draws the moments of the kills, HONE_TWINS is the folder of both stores.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh
RANDOM=${HONE_SEED:-1}
folder=$(realpath -m "${HONE_TWINS:-.hone/twins}")
mkdir -p "$folder"
workers=()

worker() {
    bin/hone-worker --data "$HONE_DATA" --threads 1 >>"$folder/worker-$1.log" 2>&1 &
    workers[$1]=$!
}
down() {
    for pid in "${workers[@]}"; do kill -9 "$pid" 2>/dev/null || true; done
    workers=()
    bin/hone-stack down --data "$HONE_DATA" >/dev/null
}
trap 'down || true' EXIT

# digest prints what a run has come to, nothing while it goes on.
digest() { timeout 20 bin/hone watch "$1" 2>/dev/null | sed -n 's/^run .* is done: //p' || true; }

# plain and troubled run the twins in a store; they write each one's digest to NAME in its folder.
plain() {
    worker 0
    for name in "${names[@]}"; do
        bin/hone run "experiments/$name-tiny.yaml" >"$HONE_DATA/$name.log" 2>&1
        sed -n 's/^run .* is done: //p' "$HONE_DATA/$name.log" >"$HONE_DATA/$name"
        echo "$name: $(cat "$HONE_DATA/$name")"
    done
}
troubled() {
    local kills found
    for name in "${names[@]}"; do
        kills=0
        run=$(bin/hone run --detach "experiments/$name-tiny.yaml" | sed -n 's/^run //p')
        worker 0
        worker 1
        until found=$(digest "$run") && [ -n "$found" ]; do
            sleep $((5 + RANDOM % 25))
            victim=$((RANDOM % 2))
            kill -9 "${workers[victim]}" 2>/dev/null || true
            kills=$((kills + 1))
            worker "$victim"
        done
        for pid in "${workers[@]}"; do kill -9 "$pid" 2>/dev/null || true; done
        echo "$found" >"$HONE_DATA/$name"
        if cmp -s "$folder/plain/$name" "$HONE_DATA/$name"; then
            echo "$name: the same after $kills kills"
        else
            echo "$name: $(cat "$folder/plain/$name") and, after $kills kills, $found" >&2
            exit 1
        fi
    done
}

names=("$@")
if [ ${#names[@]} -eq 0 ]; then
    for file in experiments/*-tiny.yaml; do
        name=$(basename "$file" -tiny.yaml)
        names+=("$name")
    done
fi
for way in plain troubled; do
    export HONE_DATA=$folder/$way
    mkdir -p "$HONE_DATA"
    bin/hone-stack up --data "$HONE_DATA" --no-worker </dev/null >/dev/null
    "$way"
    down
done
