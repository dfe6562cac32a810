"""Print what Python's tokenizers and transformers make of tokenizer folders and some texts.

usage: tokenizer_ids.py TEXTS FOLDER...

TEXTS is a JSON file: a list of strings. The output is JSON, a list with an object for each folder: tokenizers and
transformers, the ids of each text without anything added; decoded, the texts of those ids; eos, the id of the token
that ends texts; and trained, whether Python's trainer, given the same texts, split, size and special tokens, learns
the same vocabulary and merges.
"""

import json
import os
import pathlib
import sys

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_VERBOSITY"] = "error"
sys.modules["torch"] = None  # is not needed here and takes seconds to load

from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import AutoTokenizer


def train(like, texts):
    """The vocabulary and merges that Python learns with the settings of a tokenizer.json."""
    source = Tokenizer.from_str(json.dumps(like))
    blank = Tokenizer(models.BPE())
    blank.normalizer, blank.pre_tokenizer = source.normalizer, source.pre_tokenizer
    trainer = trainers.BpeTrainer(
        vocab_size=len(like["model"]["vocab"]),
        special_tokens=[token["content"] for token in like["added_tokens"]],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    blank.train_from_iterator(texts, trainer)
    model = json.loads(blank.to_str())["model"]
    return model["vocab"], model["merges"]


def look(folder, texts):
    like = json.loads(pathlib.Path(folder, "tokenizer.json").read_text())
    fast = Tokenizer.from_file(str(pathlib.Path(folder, "tokenizer.json")))
    auto = AutoTokenizer.from_pretrained(folder)
    ids = [fast.encode(text, add_special_tokens=False).ids for text in texts]
    return {
        "tokenizers": ids,
        "transformers": [auto(text, add_special_tokens=False)["input_ids"] for text in texts],
        "decoded": [auto.decode(i) for i in ids],
        "eos": auto.eos_token_id,
        "trained": train(like, texts) == (like["model"]["vocab"], like["model"]["merges"]),
    }


def main(texts, *folders):
    texts = json.loads(pathlib.Path(texts).read_text())
    json.dump([look(folder, texts) for folder in folders], sys.stdout)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
