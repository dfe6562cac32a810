"""What make bench-learning runs, and its table.

learning.py specs DIR   writes a spec for each row and seed into DIR and prints "ROW<tab>PATH" of each, in their order
learning.py table       reads lines of "ROW<tab>JSON of hone compare<tab>JSON of hone report, one a seed" and prints the table
"""

import json
import os
import pathlib
import re
import sys

SEEDS = [1, 2, 3]
# The whole methods' steps, and those of everything else: about 45 and 15 minutes of one core.
STEPS, SHORT = 150, 45
# Optimiser steps of the control's cold start: the twins' 6,000, and as many as go into 45 minutes.
CONTROL = 24_000
QUICK = os.environ.get("HONE_BENCH") == "quick"  # shows that it works; what it prints says nothing
if QUICK:
    STEPS, SHORT, CONTROL, SEEDS = 2, 1, 40, [1, 2]
FULL = ["skill1-released", "skill1"]
ABLATIONS = ["no-library", "no-selection", "no-distillation", "lambda1-zero", "lambda2-zero", "skill-only", "cap-50", "cap-500", "cap-5000"]
BASELINES = ["grpo", "gigpo", "skillrl", "retroagent"]


def field(text, section, name, value):
    """text with a field of a section set, which stands there on a line of its own, or in the section's braces."""
    new, n = re.subn(rf"(?ms)(^{section}:.*?\b{name}: )[^\s,}}]+", rf"\g<1>{value}", text, count=1)
    if n != 1:
        sys.exit(f"learning.py: no {section}.{name} in the spec")
    return new


def spec(twin, name, seed, steps, cold=None):
    text = pathlib.Path(f"experiments/{twin}-tiny.yaml").read_text()
    text = re.sub(r"(?m)^name: .*$", f"name: learning-{name}\nseeds: [{seed}]", text, count=1)
    text = field(text, "grpo", "steps", steps)
    text = field(text, "grpo", "every", 15)
    text = field(text, "grpo", "checkpoint", 15)
    text = field(text, "grpo", "samples", 4)
    if QUICK:
        text = field(text, "cold_start", "steps", 20)
        text = field(text, "cold_start", "checkpoint", 20)
        text = field(text, "games", "train", 60)
        text = field(text, "games", "valid_unseen", 12)
        text = field(text, "evaluation", "games", 6)
        text = field(text, "grpo", "max_steps", 4)
        text = field(text, "grpo", "distil", 20)
        text = field(text, "evaluation", "max_steps", 4)
    return field(text, "cold_start", "steps", cold) if cold else text


def rows():
    """Each row's name, the seed, and its spec."""
    for twin in FULL:
        for seed in SEEDS:
            yield twin, seed, spec(twin, twin, seed, STEPS)
    for seed in SEEDS:
        yield "control", seed, spec("skill1", "control", seed, 0, CONTROL)
    for twin in ABLATIONS + BASELINES:
        yield twin, SEEDS[0], spec(twin, twin, SEEDS[0], SHORT)


def specs(folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, seed, text in rows():
        path = folder / f"{name}-{seed}.yaml"
        path.write_text(text)
        print(name, path, sep="\t")


def interval(d):
    return f"{100 * d['mean']:+.1f} ({100 * d['low']:+.1f} to {100 * d['high']:+.1f})"


def table():
    print("| run | seeds | steps | min a seed | won before | after | gain, points (95 %) | above the control (95 %) |")
    print("|---|---|---|---|---|---|---|---|")
    for line in sys.stdin:
        name, compared, *reported = line.rstrip("\n").split("\t")
        compared, reported = json.loads(compared), [training for text in reported for training in json.loads(text)]
        run = compared["runs"][0]
        spent = [r["timed_steps"] * sum(t["mean"] for t in r["times"]) / 60e9 for r in reported if r["timed_steps"]]
        minutes = f"{sum(spent) / len(spent):.0f}" if spent else "–"
        more = interval(compared["more"]) if compared.get("more") else "–"
        gain = interval(run["gain"]) if run["step"] else "–"
        print(
            f"| {name} | {run['seeds']} | {run['step']} | {minutes} | {100 * run['before']:.1f} % | {100 * run['after']:.1f} % | {gain} | {more} |",
            flush=True,
        )


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["specs", folder]:
            specs(folder)
        case ["table"]:
            table()
        case _:
            sys.exit(__doc__)
