#!/usr/bin/env bash
# Shows on two cores that the method learns: trains each row and seed of scripts/bench/learning.py, two side by side, each on
# a worker of its own with one thread, and prints the table. What has been done is not done again, so it can be ended and
# begun again at any time; it takes hours. HONE_LEARNING="skill1 control" takes these rows alone; HONE_BENCH=quick takes a few
# steps of each, to show that it works.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh
export HONE_DATA=${HONE_DATA:-.hone/bench-learning${HONE_BENCH:+-$HONE_BENCH}}

if [ "${1:-}" = train ]; then # of the pool of this slot of xargs
    name=$(basename "$2" .yaml) log=${2%.yaml}.log
    echo "bench-learning: $name begins or goes on; it is watched in $log" >&2
    if ! bin/hone run --pool "learning-$SLOT" "$2" >"$log" 2>&1; then
        tail -n 3 "$log" >&2
        echo "bench-learning: $name failed" >&2
        exit 1
    fi
    echo "bench-learning: $name is done" >&2
    exit 0
fi

mkdir -p "$HONE_DATA"
rows=$(python3 scripts/bench/learning.py specs "$HONE_DATA/specs")
wanted() { case " ${HONE_LEARNING:-$1} " in *" $1 "*) ;; *) return 1 ;; esac; }
# runs are a row's, with commas between them.
runs() {
    while IFS=$'\t' read -r row spec; do
        if [ "$row" = "$1" ]; then bin/hone run --check "$spec" | sed 's/.*its run is //'; fi
    done <<<"$rows" | paste -sd,
}

bin/hone-stack up --data "$HONE_DATA" --no-worker </dev/null
workers=()
trap 'kill "${workers[@]}" 2>/dev/null || true; wait; bin/hone-stack down --data "$HONE_DATA"' EXIT
for slot in 0 1; do
    bin/hone-worker --pool "learning-$slot" --threads 1 >>"$HONE_DATA/worker-$slot.log" 2>&1 &
    workers+=($!)
done
while IFS=$'\t' read -r row spec; do
    if wanted "$row"; then echo "$spec"; fi
done <<<"$rows" | xargs -r -n 1 -P 2 --process-slot-var=SLOT "$0" train

control=$(runs control)
while read -r row; do
    wanted "$row" || continue
    of=$(runs "$row")
    against=$control
    if [ "$row" = control ] || ! bin/hone compare "$control" >/dev/null 2>&1; then against=; fi
    printf '%s\t%s' "$row" "$(bin/hone compare --json "$of" $against | tr -d '\n')"
    for run in ${of//,/ }; do printf '\t%s' "$(bin/hone report --json "$run" | tr -d '\n')"; done
    echo
done < <(cut -f1 <<<"$rows" | uniq) | python3 scripts/bench/learning.py table
