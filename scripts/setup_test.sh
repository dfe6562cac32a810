#!/usr/bin/env bash
# Tests scripts/setup-libtorch.sh in a copy of this tree's scripts, without the network: pip is replaced by one that
# serves a small wheel made here. Run by go test ./scripts.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/repo/scripts" "$work/bin"
cp "$here"/setup-libtorch.sh "$here"/libtorch-*.txt "$here"/libtorch-unpack.py "$work/repo/scripts/"
fail() { echo "setup_test: $*" >&2; exit 1; }

# A wheel with what is kept and what is not.
python3 - "$work/torch-2.1.0-py3-none-any.whl" <<'PY'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as z:
    for name in ("torch/include/ATen/a.h", "torch/lib/libtorch_cpu.so", "torch/lib/libc10.so", "torch/lib/libtorch_cuda.so", "torch/nn/x.py"):
        z.writestr(name, name)
PY

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
export PATH="$work/bin:$PATH"
cd "$work/repo"
setup() { bash scripts/setup-libtorch.sh; }

echo wrong >"$work/pip"
if setup >"$work/out" 2>&1; then fail "a wrong hash was accepted"; fi
grep -q "DO NOT MATCH" "$work/out" || fail "a wrong hash is not named"
[ ! -e .libtorch ] || fail "a wrong hash left .libtorch"

echo hang >"$work/pip"
bash scripts/setup-libtorch.sh >/dev/null 2>&1 &
job=$!
until [ -e "$work/started" ]; do sleep 0.1; done
children=$(pgrep -P $job || true)
kill -KILL $job $children
wait $job 2>/dev/null || true
[ ! -e .libtorch ] || fail "an interrupted run left .libtorch"

echo ok >"$work/pip"
setup >/dev/null || fail "after an interrupted run: it does not succeed"
[ -f .libtorch/torch/lib/libtorch_cpu.so ] || fail "libtorch_cpu.so was not kept"
[ ! -e .libtorch/torch/nn ] || fail "Python files were kept"
[ ! -e .libtorch/torch/lib/libtorch_cuda.so ] || fail "CUDA's libraries were kept for a CPU"
[ -f .libtorch/stubs/libcudart.so ] || fail "there are no stubs"

calls=$(wc -l <"$work/calls")
setup >/dev/null
[ "$(wc -l <"$work/calls")" = "$calls" ] || fail "a second run downloads again"

echo "# another pin" >>scripts/libtorch-cpu.txt
setup >/dev/null
[ "$(wc -l <"$work/calls")" != "$calls" ] || fail "other pins do not download again"

DEVICE=cuda setup >/dev/null
[ -f .libtorch/torch/lib/libtorch_cuda.so ] || fail "DEVICE=cuda did not bring CUDA's libraries"
calls=$(wc -l <"$work/calls")
setup >/dev/null
[ "$(wc -l <"$work/calls")" = "$calls" ] || fail "what CUDA needs does not serve a CPU"

if DEVICE=tpu setup >/dev/null 2>&1; then fail "DEVICE=tpu was accepted"; fi
echo "setup_test: all is well"
