"""Loading a safetensors file of fp32 tensors, two ways.

usage: load.py FILE

Each round gives the bytes of all tensors.
  read     a plain read of the whole file into fresh memory
  tensors  safetensors' load_file, and a copy of each tensor: the library maps the file, and a model that is trained
           or moved to a device takes its own copy of every tensor
"""

import ctypes
import os
import sys

os.environ["CUDA_VISIBLE_DEVICES"] = ""

import peer
import torch
from safetensors.torch import load_file


def read(path, clock, data):
    with clock.time():
        with open(path, "rb", buffering=0) as file:
            content = file.read()
    assert len(content) == os.path.getsize(path)
    del content
    trim()
    return data


def tensors(path, clock):
    with clock.time():
        held = {name: tensor.clone() for name, tensor in load_file(path).items()}
    data = sum(t.numel() * t.element_size() for t in held.values())
    del held
    trim()
    return data


def trim():
    """Gives free memory back, as the other side does: whoever is next finds fresh pages, and as many of them."""
    ctypes.CDLL(None).malloc_trim(0)


def main(path):
    torch.set_num_threads(1)
    data = sum(t.numel() * t.element_size() for t in load_file(path).values())
    peer.serve({"read": lambda clock: read(path, clock, data), "tensors": lambda clock: tensors(path, clock)})


if __name__ == "__main__":
    main(sys.argv[1])
