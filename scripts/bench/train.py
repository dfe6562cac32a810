"""Training steps of a small Qwen2 on given batches, two ways.

usage: train.py MODEL BATCHES STEPS [memory]

MODEL is a folder in Hugging Face's layout; BATCHES a JSON file with config (AdamW's and the clipping) and batches:
lists of examples of Tokens and Answer, the index from which on tokens are learned. The rounds are WAY-THREADS; each goes STEPS
steps on through the batches and gives the last loss. With memory they are WAY alone, one a process: three steps, and
the most memory resident in them beyond that before the model was loaded, in bytes.
  transformers  Qwen2ForCausalLM as a trainer uses it: padded batch, mask, labels, logits of all positions,
                torch.optim.AdamW with its defaults
  lean          the same mathematics in plain torch, by hand: no mask, logits of the answers only, AdamW fused
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
from lean import Lean
from torch.nn.functional import cross_entropy

transformers.utils.logging.disable_progress_bar()


class Transformers:
    fused = None

    def __init__(self, folder):
        self.model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, local_files_only=True)
        self.model.train()
        self.parameters = list(self.model.parameters())

    def loss(self, batch):
        width = max(len(x["Tokens"]) for x in batch)
        ids = torch.zeros(len(batch), width, dtype=torch.long)
        mask, labels = torch.zeros_like(ids), torch.full_like(ids, -100)
        for i, x in enumerate(batch):
            tokens, answer = torch.tensor(x["Tokens"]), x["Answer"]
            ids[i, : len(tokens)], mask[i, : len(tokens)] = tokens, 1
            labels[i, answer : len(tokens)] = tokens[answer:]
        return self.model(input_ids=ids, attention_mask=mask, labels=labels, use_cache=False).loss


class Plain:
    fused = True

    def __init__(self, folder):
        self.model = Lean(folder)
        self.parameters = [p.requires_grad_() for p in self.model.weights.values()]

    def loss(self, batch):
        width = max(len(x["Tokens"]) for x in batch) - 1  # the last token is only a target
        ids, rows, targets = torch.zeros(len(batch), width, dtype=torch.long), [], []
        for i, x in enumerate(batch):
            tokens, answer = x["Tokens"], x["Answer"]
            ids[i, : len(tokens) - 1] = torch.tensor(tokens[:-1])
            rows += [i * width + j - 1 for j in range(answer, len(tokens))]
            targets += tokens[answer:]
        hidden = self.model.forward(ids).flatten(0, 1)[torch.tensor(rows)]
        return cross_entropy(self.model.logits(hidden), torch.tensor(targets))


class Run:
    def __init__(self, way, config, batches):
        self.way, self.config, self.batches, self.done = way, config, batches, 0
        decay = [p for p in way.parameters if p.dim() >= 2], [p for p in way.parameters if p.dim() < 2]
        self.optimizer = torch.optim.AdamW(
            [{"params": decay[0], "weight_decay": config["weight_decay"]}, {"params": decay[1], "weight_decay": 0.0}],
            lr=config["rate"],
            betas=(config["beta1"], config["beta2"]),
            eps=config["epsilon"],
            fused=way.fused,
        )

    def step(self):
        loss = self.way.loss(self.batches[self.done % len(self.batches)])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.way.parameters, self.config["clip"])
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.done += 1
        return loss.item()

    def round(self, clock, threads, steps):
        torch.set_num_threads(threads)
        with clock.time():
            losses = [self.step() for _ in range(steps)]
        return losses[-1]


def resident(key):
    status = pathlib.Path("/proc/self/status").read_text()
    return 1024 * int(status.split(key + ":")[1].split()[0])


def memory(clock, way, folder, data):
    torch.set_num_threads(1)
    torch.ones(64, 64) @ torch.ones(64, 64)  # what the library itself takes
    pathlib.Path("/proc/self/clear_refs").write_text("5")  # the peak begins again
    before = resident("VmRSS")
    run = Run(way(folder), data["config"], data["batches"])
    with clock.time():
        for _ in range(3):
            run.step()
    return resident("VmHWM") - before


def main(folder, path, steps, what=""):
    data = json.loads(pathlib.Path(path).read_text())
    rounds = {}
    for name, way in {"transformers": Transformers, "lean": Plain}.items():
        if what == "memory":
            rounds[name] = lambda clock, way=way: memory(clock, way, folder, data)
            continue
        for threads in (1, 2):
            run = Run(way(folder), data["config"], data["batches"])
            rounds[f"{name}-{threads}"] = lambda clock, r=run, t=threads: r.round(clock, t, int(steps))
    peer.serve(rounds)


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    main(*sys.argv[1:])
