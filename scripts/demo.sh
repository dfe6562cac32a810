#!/usr/bin/env bash
# The main job on the embedded default: household games, hints, teacher, student, evaluation.
# Running it again finds every stage done and reuses it.
set -euo pipefail
cd "$(dirname "$0")/.."
export HONE_DATA=${1:-.hone/demo}

started=$(date +%s)
bin/hone up
trap 'bin/hone down' EXIT
bin/hone run experiments/demo.yaml
run=$(bin/hone run --check experiments/demo.yaml | sed 's/.*its run is //')
echo
echo "What the numbers were made from (hone lineage $run/report):"
bin/hone lineage "$run/report" | head -12
echo
echo "The pipeline took $(($(date +%s) - started)) s. Next, with HONE_DATA=$HONE_DATA:"
echo "  bin/hone up && bin/hone audit $run     check every byte and play every game again"
echo "  bin/hone lineage $run            the whole graph"
echo "  bin/hone export $run/teacher DIR the model for Hugging Face's tools"
