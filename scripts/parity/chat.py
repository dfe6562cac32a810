"""Print what transformers makes of conversations by chat templates.

usage: chat.py CONVERSATIONS SNIPPETS NAME=TEMPLATE_FILE...

CONVERSATIONS is a JSON list of objects with name, messages and perhaps tools, add_generation_prompt and variables,
SNIPPETS one of templates for a conversation of one message. The output is JSON: for each NAME and conversation, and for
each snippet, the text or {"error": the kind of error}.
"""

import json
import os
import pathlib
import sys

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_VERBOSITY"] = "error"
sys.modules["torch"] = None  # is not needed here and takes seconds to load

from transformers.utils.chat_template_utils import render_jinja_template

ONE = {"messages": [{"role": "user", "content": "hi"}], "variables": {"bos_token": "<s>", "eos_token": "</s>"}}


def render(template, conversation):
    try:
        texts, _ = render_jinja_template(
            conversations=[conversation["messages"]],
            tools=conversation.get("tools"),
            chat_template=template,
            add_generation_prompt=conversation.get("add_generation_prompt", False),
            **conversation.get("variables", {}),
        )
    except Exception as error:
        return {"error": type(error).__name__}
    return texts[0]


def main(conversations, snippets, *named):
    conversations = json.loads(pathlib.Path(conversations).read_text())
    out = {}
    for name, _, file in (n.partition("=") for n in named):
        template = pathlib.Path(file).read_text()
        out[name] = [render(template, c) for c in conversations]
    out["snippets"] = [render(s, ONE) for s in json.loads(pathlib.Path(snippets).read_text())]
    json.dump(out, sys.stdout, ensure_ascii=False, indent=1)
    print()


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
