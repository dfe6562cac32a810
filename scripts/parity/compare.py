"""Compare what Hone and Python decode greedily with a model that a run made.

usage: compare.py MODEL[,ADAPTER] DATASET.jsonl

The prompts are texts like those of the dataset's records, cut into tokens by transformers' fast tokenizer. Run by
scripts/parity/compare.sh.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import peft_greedy
import torch
import transformers

COUNT, PROMPTS = 24, 16


def texts(dataset):
    with open(dataset) as lines:
        records = [json.loads(line) for line in lines]
    for record in records[:: max(1, len(records) // PROMPTS)][:PROMPTS]:
        x = record["x"]
        now = " ".join(x["observation"].split())
        yield f"goal: {x['goal']}\nnow: {now}\ncan:\n" + "\n".join(x["admissible"]) + "\ndo:\n"


def main(name, dataset):
    torch.set_num_threads(1)
    folder = name.partition(",")[2] or name
    # AutoTokenizer would replace the cut of every qwen2 model by Qwen2's own, whatever its tokenizer.json says.
    tokenizer = transformers.PreTrainedTokenizerFast.from_pretrained(folder, local_files_only=True)
    prompts = [tokenizer(text, add_special_tokens=False)["input_ids"][-400:] for text in texts(dataset)]
    theirs = peft_greedy.look(name, prompts, COUNT)["tokens"]
    root = pathlib.Path(__file__).parents[2]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(prompts, file)
        file.flush()
        command = [root / "bin/hone-worker", "model", "greedy", "--tokens", str(COUNT), "--threads", "1", name, file.name]
        ours = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    equal = sum(a == list(b) for a, b in zip(ours, theirs, strict=True))
    print(f"{name}: {equal} of {len(prompts)} prompts, {COUNT} greedy tokens each, equal in Hone and in Python")
    if equal != len(prompts):
        sys.exit(3)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
