"""WebShop's own text environment: steps of sessions.

usage: shop.py WEBSHOP SESSIONS

WEBSHOP is a copy of WebShop that works, with web_agent_site and its data of 1,000 products; SESSIONS a JSON file with seed
and sessions: lists of number and actions. The round steps says all actions, with the text and what can be done after each,
and gives for each session a digest of these and the reward.
"""

import hashlib
import inspect
import json
import pathlib
import random
import sys

import peer


def play(env, session, clock):
    env.reset(session=session["number"])
    seen, reward = [], 0.0
    for action in session["actions"]:
        with clock.time():
            text, reward, done, _ = env.step(action)
            can = env.get_available_actions()
        seen += [text] if done else [text, *can["clickables"]]
    return [hashlib.sha256("\n".join(seen).encode()).hexdigest(), reward]


def main(folder, path):
    told = json.loads(pathlib.Path(path).read_text())
    sys.path.insert(0, folder)
    from web_agent_site.envs.web_agent_text_env import WebAgentTextEnv

    settings = {"observation_mode": "text", "num_products": 1000, "human_goals": False}
    parameters = inspect.signature(WebAgentTextEnv.__init__).parameters
    if "seed" in parameters:  # verl-agent's copy, which needs to be told where its files are
        data = pathlib.Path(folder, "data")
        settings |= {"seed": told["seed"], "file_path": str(data / "items_shuffle_1000.json")}
        settings |= {"attr_path": str(data / "items_ins_v2_1000.json")} if "attr_path" in parameters else {}
    random.seed(told["seed"])
    env = WebAgentTextEnv(**settings)
    peer.serve({"steps": lambda clock: [play(env, session, clock) for session in told["sessions"]]})


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
