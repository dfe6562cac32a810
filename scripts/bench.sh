#!/usr/bin/env bash
# Measures speed beside the Python originals, both sides in one run, and prints a line for each comparison. The raw
# output of go test stays in .hone/bench.txt. HONE_BENCH=quick takes one round of a part of them.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

rounds=5 which='Python'
if [ "${HONE_BENCH:-}" = quick ]; then
    rounds=1 which='Python(Rollout|Episode)?$/^(load|reset|walk|steps|encode|train|threads=2|batch=60|batch=6|group=8)$'
fi
for peer in ".venv setup-dev" ".venv-bench setup-bench"; do
    [ -e "${peer% *}/stamp" ] || echo "bench: ${peer% *} is missing: what needs it is left out (make ${peer#* } brings it)"
done
[ -n "${HONE_WEBSHOP:-}" ] || echo "bench: HONE_WEBSHOP is not set: the shop beside WebShop's own is left out (docs/webshop.md)"
[ -d ../shared ] || echo "bench: ../shared is missing: what needs its games and texts is left out"

mkdir -p .hone
: >.hone/bench.txt
for package in env/alfworld env/webshop tokenizer gpu/nn gpu/train gpu/decode; do
    times=$rounds
    if [ "$package" = gpu/train ]; then
        times=$((2 * rounds)) # a twentieth more or less counts there
    fi
    go test -run '^$' -bench "$which" -benchtime "${times}x" "./$package" | tee -a .hone/bench.txt
done | python3 scripts/bench/table.py
