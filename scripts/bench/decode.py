"""Constrained decoding with a small Qwen2, two ways.

usage: decode.py MODEL REQUESTS [BATCH]

MODEL is a folder in Hugging Face's layout; REQUESTS a JSON file: a list of objects with Prompt and Candidates, token
ids. The rounds are WAY-BATCH-THREADS, BATCH requests at a time (one, or all, or the one that is given); each gives the chosen candidates' indices.
  generate  transformers' generate, greedy, with a prefix_allowed_tokens_fn
  loop      a loop by hand over transformers' forward with its cache: the trie's children alone are looked at, and
            where there is one child nothing is computed
"""

import json
import os
import pathlib
import sys

os.environ["CUDA_VISIBLE_DEVICES"] = ""
os.environ["HF_HUB_OFFLINE"] = "1"

import peer
import torch
import transformers

transformers.utils.logging.disable_progress_bar()

INDEX = -1  # key of a leaf's index; no token


def trie(candidates):
    root = {}
    for i, tokens in enumerate(candidates):
        node = root
        for t in tokens:
            node = node.setdefault(t, {})
        node[INDEX] = i
    return root


def pad(prompts):
    """ids and mask, padded on the left."""
    width = max(map(len, prompts))
    ids, mask = torch.zeros(len(prompts), width, dtype=torch.long), torch.zeros(len(prompts), width, dtype=torch.long)
    for i, prompt in enumerate(prompts):
        ids[i, width - len(prompt) :], mask[i, width - len(prompt) :] = torch.tensor(prompt), 1
    return ids, mask


def generate(model, requests):
    ids, mask = pad([r["Prompt"] for r in requests])
    width, roots = ids.shape[1], [trie(r["Candidates"]) for r in requests]

    def allowed(row, tokens):
        node = roots[row]
        for t in tokens[width:].tolist():
            node = node.get(t, {})
        return [t for t in node if t != INDEX] or [0]  # after its end a row goes on with what is not looked at

    longest = max(len(c) for r in requests for c in r["Candidates"])
    out = model.generate(
        input_ids=ids,
        attention_mask=mask,
        do_sample=False,
        max_new_tokens=longest,
        prefix_allowed_tokens_fn=allowed,
    )
    return [follow(root, row) for root, row in zip(roots, out[:, width:].tolist())]


def follow(node, tokens):
    for t in tokens:
        if INDEX in node:
            break
        node = node[t]
    return node[INDEX]


def loop(model, requests):
    ids, mask = pad([r["Prompt"] for r in requests])
    nodes, cache = [trie(r["Candidates"]) for r in requests], None
    while True:
        positions = (mask.cumsum(1) - 1).clamp(min=0)[:, -ids.shape[1] :]
        out = model(
            input_ids=ids, attention_mask=mask, position_ids=positions, past_key_values=cache, use_cache=True, logits_to_keep=1
        )
        cache, last, tokens = out.past_key_values, out.logits[:, -1], []
        for i, node in enumerate(nodes):
            children = [t for t in node if t != INDEX]
            if not children:
                tokens.append(0)
                continue
            best = children[0] if len(children) == 1 else children[last[i, children].argmax()]
            nodes[i] = node[best]
            tokens.append(best)
        if all(INDEX in node for node in nodes):
            return [node[INDEX] for node in nodes]
        ids, mask = torch.tensor(tokens)[:, None], torch.cat([mask, torch.ones(len(nodes), 1, dtype=torch.long)], 1)


def choose(way, model, requests, batch, threads, clock):
    torch.set_num_threads(threads)
    with torch.inference_mode(), clock.time():
        return [i for at in range(0, len(requests), batch) for i in way(model, requests[at : at + batch])]


def main(folder, path, *batches):
    requests = json.loads(pathlib.Path(path).read_text())
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, local_files_only=True)
    model.generation_config = transformers.GenerationConfig(eos_token_id=None, pad_token_id=0)
    model.eval()
    peer.serve(
        {
            f"{way.__name__}-{batch}-{threads}": lambda clock, way=way, batch=batch, threads=threads: choose(
                way, model, requests, batch, threads, clock
            )
            for way in (generate, loop)
            for batch in (map(int, batches) if batches else (1, len(requests)))
            for threads in (1, 2)
        }
    )


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:])
