"""ALFWorld's own engine, played on demand.

A line on standard input is JSON: game, the object in a game.tw-pddl file (left out to stay with the last one), and
commands. A line on standard output answers it: rows, one for the start and one for each command, and fault, what was
raised while loading or playing, if anything was; rows then ends before it.
"""

import json
import os
import pathlib
import sys
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "bench"))

from engine import INFOS, AlfredDemangler, PddlEnv


def row(state):
    """The engine gives no score and no done at the start."""
    return {
        "feedback": state["feedback"],
        "admissible_commands": state["admissible_commands"],
        "score": state.get("score") or 0,
        "won": bool(state["won"]),
        "done": bool(state.get("done")),
        "moves": state["moves"],
    }


def play(env, ask):
    rows, fault = [], None
    try:
        if "game" in ask:
            env.load(ask["game"])
        rows.append(row(env.reset()))
        for command in ask["commands"]:
            rows.append(row(env.step(command)[0]))
    except KeyboardInterrupt:
        raise
    except BaseException as e:  # the translator leaves by SystemExit
        last = traceback.extract_tb(e.__traceback__)[-1]
        fault = f"{type(e).__name__}: {e} ({pathlib.Path(last.filename).name}, {last.name}: {last.line})"
    return {"rows": rows, "fault": fault}


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print
    env = AlfredDemangler(PddlEnv(INFOS), shuffle=False)
    for line in sys.stdin:
        print(json.dumps(play(env, json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main()
