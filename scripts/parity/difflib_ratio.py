"""Print how alike difflib finds pairs of texts.

usage: difflib_ratio.py PAIRS

PAIRS is a JSON file: a list of pairs of strings. The output is JSON, a list with a pair of ratios for each: with
autojunk, as by default, and without.
"""

import difflib
import json
import sys


def main(path):
    with open(path) as file:
        pairs = json.load(file)
    ratio = lambda a, b, autojunk: difflib.SequenceMatcher(None, a, b, autojunk).ratio()
    json.dump([[ratio(a, b, True), ratio(a, b, False)] for a, b in pairs], sys.stdout)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
