#!/usr/bin/env bash
# Exports a run's teacher and student and compares what Hone and Python's transformers and peft decode with them.
# usage: scripts/parity/compare.sh RUN (the local stack must be up, HONE_DATA as for hone; make setup-dev first)
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
run=${1:?usage: compare.sh RUN}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
for stage in hints untrained teacher student; do
    "$root/bin/hone" export "$run/$stage" "$out/$stage" >/dev/null
done
for stage in untrained teacher student; do
    model=$out/$stage
    if [ -f "$model/adapter_config.json" ]; then model=$out/untrained,$model; fi
    "$root/.venv/bin/python" "$root/scripts/parity/compare.py" "$model" "$out/hints/hints.jsonl"
done
