"""Load model folders with transformers' image-text class and print what it made of them.

usage: image_text.py FOLDER...

The output is JSON, a list with an object for each folder: class, dtype of the configuration, missing, unexpected and
mismatched tensors, and tensors, for each parameter its type and the SHA-256 of its elements' bytes.
"""

import hashlib
import json
import os
import sys

os.environ["CUDA_VISIBLE_DEVICES"] = ""
os.environ["HF_HUB_OFFLINE"] = "1"

import torch
import transformers

transformers.utils.logging.disable_progress_bar()


def look(folder):
    model, info = transformers.AutoModelForImageTextToText.from_pretrained(
        folder, dtype="auto", local_files_only=True, output_loading_info=True
    )
    tensors = {}
    for name, value in model.state_dict().items():
        raw = value.contiguous().view(torch.uint8).numpy().tobytes()
        tensors[name] = [str(value.dtype).removeprefix("torch."), hashlib.sha256(raw).hexdigest()]
    return {
        "class": type(model).__name__,
        "dtype": str(model.config.dtype).removeprefix("torch."),
        "missing": sorted(info["missing_keys"]),
        "unexpected": sorted(info["unexpected_keys"]),
        "mismatched": sorted(map(str, info["mismatched_keys"])),
        "tensors": tensors,
    }


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    torch.set_num_threads(1)
    json.dump([look(folder) for folder in sys.argv[1:]], sys.stdout)
