"""Python's tokenizers: encoding and the learning of a vocabulary.

usage: tokenizer.py TEXTS NAME=TOKENIZER_JSON...

TEXTS is a JSON file: a list of strings. The round encode:NAME encodes them all with a tokenizer.json, by the batch
call that leaves offsets out, and gives the number of ids and their sum by text. The round train:NAME learns a
vocabulary of that file's size, split and special tokens from them, and gives its merges.
"""

import json
import os
import pathlib
import sys

os.environ["TOKENIZERS_PARALLELISM"] = "false"  # one thread, as ours
os.environ["RAYON_NUM_THREADS"] = "1"

import peer
from tokenizers import Tokenizer, models, pre_tokenizers, trainers


def encode(tokenizer, texts, clock):
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


def main(path, *named):
    texts = json.loads(pathlib.Path(path).read_text())
    rounds = {}
    for name, _, file in (n.partition("=") for n in named):
        tokenizer = Tokenizer.from_file(file)
        rounds["encode:" + name] = lambda clock, t=tokenizer: encode(t, texts, clock)
        rounds["train:" + name] = lambda clock, t=tokenizer: train(t, texts, clock)
    peer.serve(rounds)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
