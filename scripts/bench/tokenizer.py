"""Python's tokenizers: encoding and the learning of a vocabulary.

usage: tokenizer.py TEXTS MIXED NAME=TOKENIZER_JSON...

TEXTS and MIXED are JSON files: lists of strings. The round encode:NAME encodes TEXTS with a tokenizer.json, by the
batch call that leaves offsets out, and gives the number of ids and their sum by text; mixed:NAME encodes MIXED,
cold:NAME too, with all that the tokenizer remembers of words forgotten before. The round train:NAME learns a
vocabulary of that file's size, split and special tokens from TEXTS, and gives its merges.
"""

import json
import os
import pathlib
import sys

os.environ["TOKENIZERS_PARALLELISM"] = "false"  # one thread, as ours
os.environ["RAYON_NUM_THREADS"] = "1"

import peer
from tokenizers import Tokenizer, models, pre_tokenizers, trainers


def encode(tokenizer, texts, clock, forget=False):
    if forget and hasattr(tokenizer.model, "_clear_cache"):  # WordPiece remembers nothing
        tokenizer.model._clear_cache()
    with clock.time():
        ids = [e.ids for e in tokenizer.encode_batch_fast(texts, add_special_tokens=False)]
    return [[len(i), sum(i)] for i in ids]


def train(source, texts, clock):
    like = json.loads(source.to_str())
    blank = Tokenizer(models.BPE())
    blank.normalizer, blank.pre_tokenizer = source.normalizer, source.pre_tokenizer
    trainer = trainers.BpeTrainer(
        vocab_size=len(like["model"]["vocab"]),
        special_tokens=[token["content"] for token in like["added_tokens"]],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    with clock.time():
        blank.train_from_iterator(texts, trainer)
    return ["".join(pair) for pair in json.loads(blank.to_str())["model"]["merges"]]


def main(path, mixed, *named):
    texts, mixed = (json.loads(pathlib.Path(p).read_text()) for p in (path, mixed))
    rounds = {}
    for name, _, file in (n.partition("=") for n in named):
        tokenizer = Tokenizer.from_file(file)
        tokenizer.no_padding()
        tokenizer.no_truncation()
        rounds["encode:" + name] = lambda clock, t=tokenizer: encode(t, texts, clock)
        rounds["mixed:" + name] = lambda clock, t=tokenizer: encode(t, mixed, clock)
        rounds["cold:" + name] = lambda clock, t=tokenizer: encode(t, mixed, clock, forget=True)
        rounds["train:" + name] = lambda clock, t=tokenizer: train(t, texts, clock)
    peer.serve(rounds)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
