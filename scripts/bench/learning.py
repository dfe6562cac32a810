"""What make bench-learning runs, and its table.

learning.py cold DIR        writes the spec of the policy that all begin with into DIR and prints its path
learning.py specs DIR MODEL writes a spec for each row and seed into DIR and prints "ROW<tab>PATH" of each, in their order;
                            MODEL is the digest of that policy
learning.py row             reads "ROW<tab>JSON of hone compare<tab>MINUTES<tab>JSON of hone report", the last two once a seed,
                            and prints what the table needs of it, as JSON
learning.py table FILE...   prints the table of such rows
"""

import json
import os
import pathlib
import re
import sys

SEEDS = [1, 2, 3]
# Steps of the methods in full, and of everything else: at most 45 and about 15 minutes of two cores, which two runs share.
STEPS, SHORT = 90, 30
# A twin's sizes that are others here.
SIZES = {
    "cold_start": {"steps": 6_000, "checkpoint": 1_000, "validate": 256},  # which all begin with
    "grpo": {"tasks": 8, "group": 8, "every": 30, "checkpoint": 15, "samples": 4},
    "evaluation": {"games": 64},
}
# Half of the cold start's examples have their things renamed, so that a policy has to compare what it reads with what it looks
# for. Where things usually are is then for rewards to teach.
RENAME = 0.5
CONTROL = 13_000  # optimiser steps that the control goes on with the cold start: about as long as the methods take
QUICK = os.environ.get("HONE_BENCH") == "quick"  # shows that it works; what it prints says nothing
if QUICK:
    STEPS, SHORT, CONTROL, SEEDS = 2, 1, 20, [1, 2]
    SIZES["cold_start"] = {"steps": 20, "checkpoint": 20, "validate": 8}
    SIZES["grpo"] |= {"tasks": 2, "group": 2, "max_steps": 4, "distil": 20}
    SIZES["evaluation"] = {"games": 6, "max_steps": 4}
    SIZES["games"] = {"train": 60, "valid_unseen": 12}
FULL = ["skill1", "skill1-released"]
ABLATIONS = ["no-library", "no-selection", "no-distillation", "lambda1-zero", "lambda2-zero", "skill-only", "cap-50", "cap-500", "cap-5000"]
BASELINES = ["grpo", "gigpo", "skillrl", "retroagent"]


def field(text, section, name, value):
    """text with a field of a section set, which stands there on a line of its own, or in the section's braces."""
    new, n = re.subn(rf"(?ms)(^{section}:.*?\b{name}: )[^\s,}}]+", rf"\g<1>{value}", text, count=1)
    if n != 1:
        sys.exit(f"learning.py: no {section}.{name} in the spec")
    return new


def spec(twin, name, seed, steps):
    """A twin of its seed and so many steps, with 256 episodes in a play of its panel."""
    text = pathlib.Path(f"experiments/{twin}-tiny.yaml").read_text()
    text = re.sub(r"(?m)^name: .*$", f"name: learning-{name}", text, count=1)
    text = re.sub(r"(?m)^  start: cold_start$", rf"\g<0>\n  seed: {seed}", text, count=1)
    text = re.sub(r"(?m)^cold_start: \{", rf"\g<0>rename: {RENAME}, ", text, count=1)
    for section, fields in SIZES.items():
        for field_, value in fields.items():
            text = field(text, section, field_, value)
    return field(text, "grpo", "steps", steps)


def more(seed, model):
    """The control of a seed: the cold start goes on from the policy that all begin with, with games in another order."""
    text = spec("skill1", "control", seed, 0)
    text = re.sub(r"(?m)^tokenizer:.*\n", "", text, count=1)
    text = re.sub(r"(?ms)^model:\n.*?(?=^\S)", f"model:\n  base: {model}\n", text, count=1)
    text = re.sub(r"(?m)^cold_start: \{", rf"\g<0>seed: {seed + 1}, order: {seed + 1}, ", text, count=1)
    return field(text, "cold_start", "steps", CONTROL)


def rows(model):
    """Each row's name, the seed, and its spec."""
    for twin in FULL:
        for seed in SEEDS:
            yield twin, seed, spec(twin, twin, seed, STEPS)
    for seed in SEEDS:
        yield "control", seed, more(seed, model)
    for twin in ABLATIONS + BASELINES:
        yield twin, SEEDS[0], spec(twin, twin, SEEDS[0], SHORT)


def write(folder, name, text):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.yaml"
    path.write_text(text)
    return path


def specs(folder, model):
    for name, seed, text in rows(model):
        print(name, write(folder, f"{name}-{seed}", text), sep="\t")


def row():
    """What the table needs of a row; the figures of each seed stay beside it."""
    name, compared, *seeds = sys.stdin.read().rstrip("\n").split("\t")
    compared = json.loads(compared)
    own = compared["runs"][0]
    made = {"row": name, "run": own["run"], "step": own["step"], "before": own["before"], "after": own["after"]}
    made |= {"gain": own["gain"], "each": own["each"], "above_control": compared.get("more")}
    made |= {"minutes": [float(m) for m in seeds[::2]], "times": []}
    for report in seeds[1::2]:
        for training in json.loads(report):
            if training["timed_steps"]:
                made["times"].append({t["part"]: round(t["mean"] / 1e9, 2) for t in training["times"]})
    print(json.dumps(made, indent=1))


def interval(d):
    return f"{100 * d['mean']:+.1f} ({100 * d['low']:+.1f} to {100 * d['high']:+.1f})" if d else "–"


def table(files):
    print("| run | seeds | steps | core-minutes a seed | won before | after | gain, points (95 %) | of each seed | above the control (95 %) |")
    print("|---|---|---|---|---|---|---|---|---|")
    for file in files:
        r = json.loads(pathlib.Path(file).read_text())
        minutes = f"{sum(r['minutes']) / len(r['minutes']):.0f}"
        gain, each = (interval(r["gain"]), ", ".join(f"{100 * g:+.1f}" for g in r["each"])) if r["step"] else ("–", "–")
        share = f"{100 * r['before']:.1f} % | {100 * r['after']:.1f} %"
        if not r["step"]:
            share = f"– | {100 * r['after']:.1f} %"
        print(f"| {r['row']} | {len(r['minutes'])} | {r['step'] or '–'} | {minutes} | {share} | {gain} | {each} | {interval(r['above_control'])} |")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["cold", folder]:
            print(write(folder, "cold", spec("skill1", "cold", SEEDS[0], 0)))
        case ["specs", folder, model]:
            specs(folder, model)
        case ["row"]:
            row()
        case ["table", *files]:
            table(files)
        case _:
            sys.exit(__doc__)
