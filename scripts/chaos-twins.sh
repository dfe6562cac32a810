#!/usr/bin/env bash
# Runs each experiment's twin twice, side by side: with one worker that is left alone, and in a store of its own with two
# workers that are killed at random and begun again. Both must come to the same digest. What has been done is not done again:
# it can be ended and begun again at any time. It takes hours; names take these experiments alone: scripts/chaos-twins.sh skill1 gigpo
# HONE_SEED draws the moments of the kills, HONE_TWINS is the folder of both stores.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh
RANDOM=${HONE_SEED:-1}
folder=$(realpath -m "${HONE_TWINS:-.hone/twins}")
names=("$@")
if [ ${#names[@]} -eq 0 ]; then
    for file in experiments/*-tiny.yaml; do names+=("$(basename "$file" -tiny.yaml)"); done
fi
workers=()

worker() {
    bin/hone-worker --threads 1 >>"$HONE_DATA/worker-$1.log" 2>&1 &
    workers[$1]=$!
}
# begin takes a store of its own, which it leaves in order however this ends.
begin() {
    export HONE_DATA=$folder/$1
    mkdir -p "$HONE_DATA/twins"
    bin/hone-stack up --data "$HONE_DATA" --no-worker </dev/null >/dev/null
    trap 'for pid in "${workers[@]}"; do kill -9 "$pid" 2>/dev/null || true; done; bin/hone-stack down --data "$HONE_DATA" >/dev/null' EXIT
}
came_to() { sed -n 's/^run .* is done: //p'; }

# plain and troubled write the digest that each twin comes to, to a file of its name.
plain() {
    begin plain
    worker 0
    for name in "${names[@]}"; do
        bin/hone run "experiments/$name-tiny.yaml" >"$HONE_DATA/$name.log" 2>&1
        came_to <"$HONE_DATA/$name.log" >"$HONE_DATA/twins/$name"
    done
}
troubled() {
    local kills found run victim
    begin troubled
    worker 0
    worker 1
    for name in "${names[@]}"; do
        kills=0
        run=$(bin/hone run --detach "experiments/$name-tiny.yaml" | sed -n 's/^run //p')
        until found=$(timeout 20 bin/hone watch "$run" 2>/dev/null | came_to || true) && [ -n "$found" ]; do
            sleep $((RANDOM % 30))
            victim=$((RANDOM % 2))
            kill -9 "${workers[victim]}" 2>/dev/null || true
            worker "$victim"
            kills=$((kills + 1))
        done
        echo "$found" >"$HONE_DATA/twins/$name"
        echo "$kills" >>"$HONE_DATA/$name.kills"
    done
}

(plain) &
left=$!
until [ -s "$folder/plain/stack.json" ]; do sleep 1; done # two that start at once may want the same port
(troubled) &
killed=$!
wait "$left"
wait "$killed"
wrong=0
for name in "${names[@]}"; do
    one=$(cat "$folder/plain/twins/$name") other=$(cat "$folder/troubled/twins/$name")
    kills=$(awk '{ n += $1 } END { print n }' "$folder/troubled/$name.kills")
    if [ "$one" = "$other" ]; then
        echo "$name: $one, the same after $kills kills"
    else
        echo "$name: $one and, after $kills kills, $other" >&2
        wrong=1
    fi
done
exit "$wrong"
