"""Write reference.safetensors beside a model: what transformers computes, for hone-worker check.

usage: reference.py MODEL

MODEL is a Hugging Face folder. fp32, eager attention, one thread, token ids drawn from a fixed seed: 3 rows of 24, of
which greedy decoding goes on from the first 7 by 12. docs/models.md lists the tensors.
"""

import os
import sys

os.environ["CUDA_VISIBLE_DEVICES"] = ""
os.environ["HF_HUB_OFFLINE"] = "1"

import torch
import transformers
from safetensors.torch import save_file

ROWS, LENGTH, PROMPT, STEPS = 3, 24, 7, 12


def main(folder):
    torch.set_num_threads(1)
    model = transformers.AutoModelForCausalLM.from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager", local_files_only=True
    ).eval()
    draw = torch.Generator().manual_seed(0)
    ids = torch.randint(0, model.config.get_text_config().vocab_size, (ROWS, LENGTH), generator=draw)
    out = {"input_ids": ids}
    with torch.no_grad():
        whole = model(input_ids=ids, output_hidden_states=True)
        out["logits"] = whole.logits
        for i, hidden in enumerate(whole.hidden_states):
            out[f"hidden.{i}"] = hidden
        rows, steps, cache = ids[:, :PROMPT], [], None
        for _ in range(STEPS):
            step = model(input_ids=rows if cache is None else rows[:, -1:], past_key_values=cache, use_cache=True)
            cache = step.past_key_values
            steps.append(step.logits[:, -1])
            rows = torch.cat([rows, steps[-1].argmax(-1, keepdim=True)], 1)
        out["greedy.ids"], out["greedy.step_logits"] = rows, torch.stack(steps, 1)
    save_file({name: t.contiguous() for name, t in out.items()}, os.path.join(folder, "reference.safetensors"))


if len(sys.argv) != 2:
    sys.exit(__doc__)
main(sys.argv[1])
