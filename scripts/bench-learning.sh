#!/usr/bin/env bash
# Shows on two cores that the method learns: trains each row of scripts/bench/learning.py, one after the other, and prints
# its line of the table. What has been done is not done again, so it can be ended and begun again at any time; it takes
# hours. HONE_LEARNING="skill1 control" takes these rows alone.
set -euo pipefail
cd "$(dirname "$0")/.."
export HONE_DATA=${HONE_DATA:-.hone/bench-learning}
mkdir -p "$HONE_DATA"
specs=$(python3 scripts/bench/learning.py specs "$HONE_DATA/specs")
run() { bin/hone run --check "$HONE_DATA/specs/$1.yaml" | sed 's/.*its run is //'; }

bin/hone up
trap 'bin/hone down' EXIT
for spec in $specs; do
    row=$(basename "$spec" .yaml)
    case " ${HONE_LEARNING:-$row} " in *" $row "*) bin/hone run "$spec" >&2 ;; esac
done
control=$(run control)
for spec in $specs; do
    row=$(basename "$spec" .yaml)
    case " ${HONE_LEARNING:-$row} " in *" $row "*) ;; *) continue ;; esac
    against=$control
    if [ "$row" = control ] || ! bin/hone compare "$control" >/dev/null 2>&1; then against=; fi
    printf '%s\t%s\t%s\n' "$row" "$(bin/hone compare --json "$(run "$row")" $against | tr -d '\n')" "$(bin/hone report --json "$(run "$row")" | tr -d '\n')"
done | python3 scripts/bench/learning.py table
