"""Print losses of policy updates and their gradients by the logits, as PyTorch's autograd finds them.

usage: grpo_loss.py CASES

CASES is a JSON file: a list of objects with
  config   clip_low, clip_high, dual, kl_limit (null: no bound), cap (0: no importance weight), and parts, each with loss
           (clipped, reinforce), weight, aggregate (token-mean, sequence-mean, sequence-sum, episode-sum, micro-mean), kl, entropy
  micro    micro-batches: lists of examples, each with logits, a row for each answer token; targets, their ids; old,
           reference, sampler, teacher, log-probabilities of them; episode, its number; spans, each with from, to, part,
           advantage, sequence
  distil   null, or coefficient, beta, aggregate
The output is JSON, a list with an object for each case: for float64 and float32 the loss, and gradients, a list for
each micro-batch and example of a row for each token. The teacher's loss is on the tokens of the spans.
"""

import collections
import json
import sys

import torch


class Values:
    """A micro-batch's tokens that learn from one part, and which sequence each is of."""

    def __init__(self):
        self.losses, self.sequences = [], []

    def add(self, losses, sequence):
        self.losses.append(losses)
        self.sequences += [sequence] * len(losses)


def aggregate(how, micro, episodes):
    """One number of the tokens' losses, by micro-batch, in a step of so many episodes."""
    losses = [torch.cat(m.losses) if m.losses else None for m in micro]
    if how == "micro-mean":
        return sum(l.mean() for l in losses if l is not None) / len(micro)
    every = torch.cat([l for l in losses if l is not None])
    if how == "token-mean":
        return every.mean()
    if how == "episode-sum":
        return every.sum() / episodes
    of = collections.defaultdict(list)
    for loss, sequence in zip(every, [s for m in micro for s in m.sequences]):
        of[sequence].append(loss)
    rows = [torch.stack(row) for row in of.values()]
    each = [row.mean() if how == "sequence-mean" else row.sum() for row in rows]
    return torch.stack(each).mean()


def policy(config, loss, advantage, logp, old, sampler):
    if loss == "reinforce":
        losses = -advantage * logp
    else:
        ratio = torch.exp(logp - old)
        plain = -advantage * ratio
        cut = -advantage * torch.clamp(ratio, 1 - config["clip_low"], 1 + config["clip_high"])
        losses = torch.maximum(plain, cut)
        if advantage < 0 and config["dual"] is not None:
            losses = torch.minimum(losses, torch.full_like(losses, -advantage * config["dual"]))
    if config["cap"]:
        losses = losses * torch.clamp(torch.exp(old - sampler), max=config["cap"])
    return losses


def compute(case, dtype):
    config, distil = case["config"], case["distil"]
    number = lambda values: torch.tensor(values, dtype=dtype)
    leaves, taught = [], []
    parts = [[] for _ in config["parts"]]
    for examples in case["micro"]:
        leaves.append([])
        taught.append(Values())
        for part in parts:
            part.append(Values())
        for x in examples:
            logits = number(x["logits"]).requires_grad_()
            leaves[-1].append(logits)
            every = torch.log_softmax(logits, -1)
            logp = every.gather(-1, torch.tensor(x["targets"])[:, None])[:, 0]
            entropy = -(every.exp() * every).sum(-1)
            old, reference, sampler, teacher = (number(x[k]) for k in ("old", "reference", "sampler", "teacher"))
            for span in x["spans"]:
                at = slice(span["from"], span["to"])
                part = config["parts"][span["part"]]
                losses = policy(config, part["loss"], span["advantage"], logp[at], old[at], sampler[at])
                d = reference[at] - logp[at]
                k3 = torch.exp(d) - d - 1
                if config["kl_limit"] is not None:
                    k3 = torch.clamp(k3, max=config["kl_limit"])
                losses = losses + part["kl"] * k3 - part["entropy"] * entropy[at]
                parts[span["part"]][-1].add(losses, span["sequence"])
                if distil:
                    gate = torch.sigmoid(distil["beta"] * (teacher[at] - logp[at].detach()))
                    taught[-1].add(gate * (teacher[at] - logp[at]), span["sequence"])
    episodes = len({x["episode"] for examples in case["micro"] for x in examples})
    loss = sum(
        part["weight"] * aggregate(part["aggregate"], values, episodes)
        for part, values in zip(config["parts"], parts)
        if any(m.losses for m in values)
    )
    if distil:
        loss = loss + distil["coefficient"] * aggregate(distil["aggregate"], taught, episodes)
    loss.backward()
    gradients = [[torch.zeros_like(x) if x.grad is None else x.grad for x in micro] for micro in leaves]
    return {"loss": loss.item(), "gradients": [[g.tolist() for g in micro] for micro in gradients]}


def main(path):
    torch.set_num_threads(1)
    with open(path) as file:
        cases = json.load(file)
    json.dump(
        [{"float64": compute(case, torch.float64), "float32": compute(case, torch.float32)} for case in cases],
        sys.stdout,
    )


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
