#!/usr/bin/env bash
# Shows on two cores that the method learns: makes the policy that all begin with, trains each row and seed of
# scripts/bench/learning.py from it, two side by side, each on a worker of its own with one thread, and prints the table. What
# has been done is not done again, so it can be ended and begun again at any time; it takes hours.
#   HONE_LEARNING="skill1 control"  takes these rows alone
#   HONE_ROWS=DIR                   keeps the rows' figures and first curves there, those of earlier machines among them (docs/learning)
#   HONE_BENCH=quick                takes a few steps of each, to show that it works
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh
export HONE_DATA=${HONE_DATA:-.hone/bench-learning${HONE_BENCH:+-$HONE_BENCH}}
kept=${HONE_ROWS:-$HONE_DATA/rows}

if [ "${1:-}" = train ]; then # of the pool of this slot of xargs
    name=$(basename "$2" .yaml) log=${2%.yaml}.log
    echo "bench-learning: $name begins or goes on; it is watched in $log" >&2
    # Told while it goes on: what ends everything at once leaves nobody to say how long it took.
    while sleep 10 && kill -0 $$ 2>/dev/null; do echo 10; done >>"${2%.yaml}.seconds" &
    trap 'kill %1' EXIT
    if ! bin/hone run --pool "learning-$SLOT" "$2" >"$log" 2>&1; then
        tail -n 3 "$log" >&2
        echo "bench-learning: $name failed" >&2
        exit 1
    fi
    echo "bench-learning: $name is done" >&2
    exit 0
fi

mkdir -p "$HONE_DATA/specs" "$kept"
bin/hone-stack up --data "$HONE_DATA" --no-worker </dev/null
run_of() { bin/hone run --check "$1" | sed 's/.*its run is //'; }
workers=()
begin() { # POOL THREADS
    bin/hone-worker --pool "$1" --threads "$2" >>"$HONE_DATA/$1.log" 2>&1 &
    workers+=($!)
}
end() {
    if [ ${#workers[@]} -gt 0 ]; then kill "${workers[@]}" 2>/dev/null || true; wait "${workers[@]}" || true; fi
    workers=()
}
trap 'end; bin/hone-stack down --data "$HONE_DATA"' EXIT

begin learning-cold 2 # alone, with both cores
cold=$(python3 scripts/bench/learning.py cold "$HONE_DATA/specs")
echo "bench-learning: the cold start begins or goes on; it is watched in ${cold%.yaml}.log" >&2
bin/hone run --pool learning-cold --until cold_start "$cold" >"${cold%.yaml}.log" 2>&1
model=$(bin/hone model show --json "$(run_of "$cold")/cold_start" |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["digest"])')
end
begin learning-0 1
begin learning-1 1
rows=$(python3 scripts/bench/learning.py specs "$HONE_DATA/specs" "$model")

wanted() { case " ${HONE_LEARNING:-$1} " in *" $1 "*) ;; *) return 1 ;; esac; }
while IFS=$'\t' read -r row spec; do
    if wanted "$row"; then echo "$spec"; fi
done <<<"$rows" | xargs -r -n 1 -P 2 --process-slot-var=SLOT "$0" train

# runs are a row's, with commas between them.
runs() {
    while IFS=$'\t' read -r row spec; do
        if [ "$row" = "$1" ]; then run_of "$spec"; fi
    done <<<"$rows" | paste -sd,
}
control=$(runs control)
while read -r row; do
    wanted "$row" || continue
    of=$(runs "$row") against=$control
    if [ "$row" = control ] || ! bin/hone compare "$control" >/dev/null 2>&1; then against=; fi
    {
        printf '%s\t%s' "$row" "$(bin/hone compare --json "$of" $against | tr -d '\n')"
        while IFS=$'\t' read -r name spec; do
            [ "$name" = "$row" ] || continue
            minutes=$(awk '{ s += $1 } END { printf "%.1f", s / 60 }' "${spec%.yaml}.seconds")
            printf '\t%s\t%s' "$minutes" "$(bin/hone report --json "$(run_of "$spec")" | tr -d '\n')"
        done <<<"$rows"
    } | python3 scripts/bench/learning.py row >"$kept/$row.json"
    if [ "$row" != control ]; then bin/hone curve "${of%%,*}" -o "$kept/$row.svg"; fi # of the first seed
done < <(cut -f1 <<<"$rows" | uniq)
files=()
while read -r row; do
    if [ -f "$kept/$row.json" ]; then files+=("$kept/$row.json"); fi
done < <(cut -f1 <<<"$rows" | uniq)
python3 scripts/bench/learning.py table "${files[@]}"
