"""What ALFWorld's own loader takes of data folders.

usage: loader.py DIR...

A DIR holds train, valid_seen and valid_unseen. A line on standard output for each is JSON: the games of each, as paths
below DIR.
"""

import contextlib
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "bench"))

import engine  # noqa: F401  TextWorld without its player of Z-machine games
from alfworld.agents.environment.alfred_tw_env import TASK_TYPES, AlfredTWEnv

SPLITS = {"train": "train", "valid_seen": "eval_in_distribution", "valid_unseen": "eval_out_of_distribution"}


def main(folder):
    config = {
        "env": {"goal_desc_human_anns_prob": 0, "task_types": list(TASK_TYPES)},
        "dataset": {
            "data_path": os.path.join(folder, "train"),
            "eval_id_data_path": os.path.join(folder, "valid_seen"),
            "eval_ood_data_path": os.path.join(folder, "valid_unseen"),
            "num_train_games": -1,
            "num_eval_games": -1,
        },
    }
    with contextlib.redirect_stdout(sys.stderr):
        files = {split: AlfredTWEnv(config, name).game_files for split, name in SPLITS.items()}
    print(json.dumps({split: sorted(os.path.relpath(f, folder) for f in list_) for split, list_ in files.items()}))


if __name__ == "__main__":
    for folder in sys.argv[1:]:
        main(folder)
