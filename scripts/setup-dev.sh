#!/usr/bin/env bash
# Brings the Python peers that some tests compare with into .venv (ignored by git): pinned wheels under pinned
# hashes, about 650 MB to download. Running it again does nothing. An interrupted run leaves a .venv without a
# stamp, which counts as none and is made anew.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
stamp=$(cat scripts/dev-requirements.txt scripts/dev-torch.py scripts/setup-dev.sh | sha256sum | cut -d' ' -f1)
if [ "$(cat .venv/stamp 2>/dev/null)" = "$stamp" ] && .venv/bin/python -c '' 2>/dev/null; then
    echo "setup-dev: the Python peers are in place"
    exit 0
fi

have="$(uname -sm), Python $("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')"
case $have in
"Linux x86_64, Python 3.11" | "Linux x86_64, Python 3.12" | "Linux x86_64, Python 3.13") ;;
*)
    echo "setup-dev: $have: expected Linux x86_64, Python 3.11 to 3.13 (PYTHON=python3.12 chooses one)" >&2
    exit 1
    ;;
esac
for tool in cc readelf; do
    command -v "$tool" >/dev/null || { echo "setup-dev: $tool is missing; building Hone needs it too" >&2; exit 1; }
done

rm -rf .venv
"$python" -m venv .venv
echo "setup-dev: downloading torch, transformers, peft and tokenizers (about 650 MB)"
.venv/bin/python -m pip install --quiet --disable-pip-version-check --progress-bar on --no-deps --no-compile \
    --require-hashes --only-binary=:all: -r scripts/dev-requirements.txt

echo "setup-dev: leaving CUDA out of torch"
.venv/bin/python scripts/dev-torch.py "$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("platlib"))')"
CUDA_VISIBLE_DEVICES='' .venv/bin/python - <<'PYTHON'
import peft, tokenizers, torch, transformers

assert float(torch.ones(2, 2).sum()) == 4
names = (torch, transformers, peft, tokenizers)
print("setup-dev: " + ", ".join(f"{m.__name__} {m.__version__}" for m in names))
PYTHON
echo "$stamp" >.venv/stamp
echo "setup-dev: the Python peers are in .venv"
