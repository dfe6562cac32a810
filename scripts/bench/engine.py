"""ALFWorld's text engine: the opening of games and walks through them.

usage: engine.py GAMES

GAMES is a JSON file: a list of objects with path, of a game.tw-pddl, and commands. The round load reads every game
file up to its first observation; the round reset brings every game, read before, back to it; the round walk says every
command to its game. All give digests of all texts and admissible commands.
"""

import hashlib
import json
import pathlib
import sys
import types

import peer

# TextWorld loads a player of Z-machine games that nothing here needs.
sys.modules["jericho"] = types.ModuleType("jericho")
sys.modules["jericho"].UnsupportedGameWarning = sys.modules["jericho"].TruncatedInputActionWarning = Warning

import textworld
from alfworld.agents.environment.alfred_tw_env import AlfredDemangler
from textworld.envs.pddl import PddlEnv

INFOS = textworld.EnvInfos(feedback=True, admissible_commands=True, won=True, score=True, moves=True)


def digest(states):
    text = "\n".join(line for s in states for line in (s["feedback"], *s["admissible_commands"]))
    return hashlib.sha256(text.encode()).hexdigest()


def open_game(env, game):
    env.load(game["path"])
    return env.reset()


def load(env, games, clock):
    with clock.time():
        states = [open_game(env, game) for game in games]
    return [digest([s]) for s in states]


def reset(opened, clock):
    with clock.time():
        states = [env.reset() for env, _ in opened]
    return [digest([s]) for s in states]


def walk(opened, clock):
    digests = []
    for env, game in opened:
        env.reset()
        with clock.time():
            states = [env.step(command)[0] for command in game["commands"]]
        digests.append(digest(states))
    return digests


def main(path):
    games = json.loads(pathlib.Path(path).read_text())
    envs = [AlfredDemangler(PddlEnv(INFOS), shuffle=False) for _ in games]
    opened = []

    def with_opened(work):
        def done(clock):
            if not opened:
                for env, game in zip(envs, games):
                    open_game(env, game)
                    opened.append((env, game))
            return work(opened, clock)

        return done

    spare = AlfredDemangler(PddlEnv(INFOS), shuffle=False)
    peer.serve(
        {"load": lambda clock: load(spare, games, clock), "reset": with_opened(reset), "walk": with_opened(walk)}
    )


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
