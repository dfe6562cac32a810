#!/usr/bin/env bash
# Brings ALFWorld's own text engine into .venv-bench, for the benchmark of ours beside it: pinned packages under pinned
# hashes, about 30 MB to download, and a planning library to compile (minutes). Running it again does
# nothing. An interrupted run leaves a .venv-bench without a stamp, which counts as none and is made anew.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
stamp=$(cat scripts/bench-requirements.txt scripts/bench-planner.txt scripts/bench-cmake.txt scripts/setup-bench.sh | sha256sum | cut -d' ' -f1)
if [ "$(cat .venv-bench/stamp 2>/dev/null)" = "$stamp" ] && .venv-bench/bin/python -c '' 2>/dev/null; then
    echo "setup-bench: ALFWorld's engine is in place"
    exit 0
fi

have="$(uname -sm), Python $("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')"
case $have in
"Linux x86_64, Python 3.11" | "Linux x86_64, Python 3.12" | "Linux x86_64, Python 3.13") ;;
*)
    echo "setup-bench: $have: expected Linux x86_64, Python 3.11 to 3.13 (PYTHON=python3.12 chooses one)" >&2
    exit 1
    ;;
esac
for tool in make c++; do
    command -v "$tool" >/dev/null || { echo "setup-bench: $tool is missing: the planning library is built with it" >&2; exit 1; }
done

rm -rf .venv-bench
"$python" -m venv .venv-bench
echo '*' >.venv-bench/.gitignore
# The library's build calls python by that name.
export PATH=$PWD/.venv-bench/bin:$PATH
install() {
    python -m pip install --quiet --disable-pip-version-check --no-deps --no-compile --require-hashes "$@"
}
echo "setup-bench: downloading alfworld, textworld and what they import (about 30 MB)"
install --only-binary=:all: -r scripts/bench-requirements.txt
if ! command -v cmake >/dev/null; then
    echo "setup-bench: downloading cmake (28 MB)"
    install --only-binary=:all: -r scripts/bench-cmake.txt
fi
echo "setup-bench: compiling the planning library"
install --no-build-isolation -r scripts/bench-planner.txt

PYTHONPATH=scripts/bench python -B - <<'PYTHON'
import importlib.metadata

import engine

engine.AlfredDemangler(engine.PddlEnv())
names = ("alfworld", "textworld", "fast-downward-textworld")
print("setup-bench: " + ", ".join(f"{n} {importlib.metadata.version(n)}" for n in names))
PYTHON
echo "$stamp" >.venv-bench/stamp
echo "setup-bench: ALFWorld's engine is in .venv-bench"
