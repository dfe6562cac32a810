"""Print what transformers, with peft where there is an adapter, decodes greedily from token ids.

usage: peft_greedy.py PROMPTS N MODEL[,ADAPTER]...

PROMPTS is a JSON file: a list of lists of token ids. MODEL and ADAPTER are folders. The output is JSON, a list with an
object for each model: tokens, N ids for each prompt, and margins, how far the highest logit was above the second at
each of them. fp32, eager attention, one thread, one prompt at a time.
"""

import json
import os
import sys

os.environ["CUDA_VISIBLE_DEVICES"] = ""
os.environ["HF_HUB_OFFLINE"] = "1"

import peft
import torch
import transformers

transformers.utils.logging.disable_progress_bar()


def load(folder, adapter):
    model = transformers.AutoModelForCausalLM.from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager", local_files_only=True
    )
    if adapter:
        model = peft.PeftModel.from_pretrained(model, adapter)
    # What ends a text does not end this.
    model.generation_config = transformers.GenerationConfig(eos_token_id=None, pad_token_id=0)
    return model.eval()


def greedy(model, prompt, count):
    ids = torch.tensor([prompt])
    out = model.generate(
        input_ids=ids,
        attention_mask=torch.ones_like(ids),
        do_sample=False,
        max_new_tokens=count,
        output_logits=True,
        return_dict_in_generate=True,
    )
    best = torch.cat(out.logits).topk(2, dim=-1).values
    return out.sequences[0, len(prompt) :].tolist(), (best[:, 0] - best[:, 1]).tolist()


def look(name, prompts, count):
    folder, _, adapter = name.partition(",")
    model = load(folder, adapter)
    with torch.no_grad():
        results = [greedy(model, prompt, count) for prompt in prompts]
    tokens, margins = zip(*results)
    return {"tokens": tokens, "margins": margins}


def main(prompts, count, *models):
    torch.set_num_threads(1)
    with open(prompts) as file:
        prompts = json.load(file)
    json.dump([look(name, prompts, int(count)) for name in models], sys.stdout)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
