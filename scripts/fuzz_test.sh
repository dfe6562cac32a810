#!/usr/bin/env bash
# Runs scripts/fuzz.sh with a go that ends as Go's fuzzing does: only the end that found nothing is tried again.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/go" <<'EOF'
#!/usr/bin/env bash
case "$*" in
*-list*) echo FuzzX; exit ;;
list*) echo ./x; exit ;;
esac
echo run >>"$WORK/runs"
late='--- FAIL: FuzzX (10.07s)\n    context deadline exceeded\nFAIL\n'
case $MODE in
late) if [ "$(wc -l <"$WORK/runs")" = 1 ]; then printf -- "$late"; exit 1; fi ;;
always) printf -- "$late"; exit 1 ;;
found) printf -- "$late    Failing input written to testdata/fuzz/FuzzX/1\n"; exit 1 ;;
broken) echo 'x.go:1: undefined: y'; exit 1 ;;
esac
EOF
chmod +x "$work/go"
for c in 'late 0 2' 'always 1 3' 'found 1 1' 'broken 1 1' 'fine 0 1'; do
    read -r mode want runs <<<"$c"
    : >"$work/runs"
    status=0
    WORK=$work MODE=$mode PATH=$work:$PATH bash fuzz.sh ./x >"$work/out" 2>&1 || status=$?
    if [ "$status" != "$want" ] || [ "$(wc -l <"$work/runs")" != "$runs" ]; then
        echo "fuzz.sh, $mode: status $status after $(wc -l <"$work/runs") runs: expected $want after $runs" >&2
        cat "$work/out" >&2
        exit 1
    fi
done
