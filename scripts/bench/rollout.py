"""A group of rollouts from one prompt by transformers' generate.

usage: rollout.py MODEL REQUEST

MODEL is a folder in Hugging Face's layout; REQUEST a JSON file: an object with Prompt, token ids, Group, how many
rollouts, and Tokens, how many new ones each. The round generate draws them at temperature 1 over all tokens, on one thread; it
gives the number of tokens drawn and, to show that the model is the same, what follows the prompt greedily.
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


def rollouts(model, request, greedy, clock):
    ids = torch.tensor([request["Prompt"]])
    with torch.inference_mode(), clock.time():
        out = model.generate(
            input_ids=ids,
            attention_mask=torch.ones_like(ids),
            do_sample=True,
            top_k=0,
            num_return_sequences=request["Group"],
            max_new_tokens=request["Tokens"],
        )
    return [out[:, ids.shape[1] :].numel(), greedy]


def main(folder, path):
    request = json.loads(pathlib.Path(path).read_text())
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, local_files_only=True)
    model.generation_config = transformers.GenerationConfig(eos_token_id=None, pad_token_id=0)
    model.eval()
    torch.set_num_threads(1)
    ids = torch.tensor([request["Prompt"]])
    greedy = model.generate(input_ids=ids, attention_mask=torch.ones_like(ids), do_sample=False, max_new_tokens=8)
    greedy = greedy[0, ids.shape[1] :].tolist()
    peer.serve({"generate": lambda clock: rollouts(model, request, greedy, clock)})


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
