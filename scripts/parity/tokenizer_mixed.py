"""Print what Python's tokenizers and transformers make of mixed text.

usage: tokenizer_mixed.py COUNT NAME=FOLDER...

The output is JSON: texts, the lines of mixed_text.py; and for each NAME ids, of tokenizers, with what the file puts before
and after a text; transformers, the numbers of the lines where transformers gives other ids; cut, which ids of a line are
decoded (the first and how many, seldom whole characters); decoded, their text; plain, their text without special tokens.
"""

import json
import os
import pathlib
import sys

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_VERBOSITY"] = "error"
os.environ["RAYON_NUM_THREADS"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
sys.modules["torch"] = None  # is not needed here and takes seconds to load

import mixed_text
from tokenizers import Tokenizer
from transformers import AutoTokenizer


def look(folder, texts):
    fast = Tokenizer.from_file(str(pathlib.Path(folder, "tokenizer.json")))
    fast.no_padding()
    fast.no_truncation()
    ids = [e.ids for e in fast.encode_batch_fast(texts)]
    auto = AutoTokenizer.from_pretrained(folder)
    theirs = auto(texts, verbose=False)["input_ids"]
    cut = [[len(i) // 5, len(i) // 2] for i in ids]
    parts = [i[first : first + count] for i, (first, count) in zip(ids, cut, strict=True)]
    return {
        "ids": ids,
        "transformers": [n for n, (a, b) in enumerate(zip(ids, theirs, strict=True)) if a != b],
        "cut": cut,
        "decoded": fast.decode_batch(parts, skip_special_tokens=False),
        "plain": fast.decode_batch(parts, skip_special_tokens=True),
    }


def main(count, *named):
    texts = mixed_text.lines(int(count))
    out = {name: look(folder, texts) for name, _, folder in (n.partition("=") for n in named)}
    json.dump({"texts": texts, **out}, sys.stdout)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
