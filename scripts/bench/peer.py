"""The Python side of a comparison: rounds of work, done when asked for by name, with what they took.

A line on standard input names a round; a line of JSON on standard output answers it: wall and cpu, in seconds, and
result. What libraries print goes to standard error.
"""

import contextlib
import json
import os
import sys
import time


class Clock:
    """Adds up what is done under it. cpu is the whole process's, user and system."""

    def __init__(self):
        self.wall = self.cpu = 0.0

    @contextlib.contextmanager
    def time(self):
        cpu, wall = time.process_time(), time.perf_counter()
        yield
        self.wall += time.perf_counter() - wall
        self.cpu += time.process_time() - cpu


def serve(rounds):
    """Do rounds, functions of a clock by name, until standard input ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        clock = Clock()
        result = rounds[line.strip()](clock)
        print(json.dumps({"wall": clock.wall, "cpu": clock.cpu, "result": result}), file=answers, flush=True)
