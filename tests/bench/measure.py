"""Runs one command as a whole process: wall, CPU and peak memory of it and of its children."""
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

LAUNCHER = str(Path(__file__).with_name("launcher.py"))
WORDS_BYTES = 4096


@dataclass
class Sample:
    wall: float      # seconds
    cpu: float       # seconds, user and system
    memory: float    # MiB, the largest process
    code: int        # exit code; negative: signal; None: out of time
    words: str = ""  # the last line of stderr


def run(argv, environment, limit):
    """@param limit  seconds; then the command and its children are killed"""
    read, write = os.pipe()
    with tempfile.TemporaryFile() as talk:
        try:
            command = ["/bin/sh", "-c", f'exec "$@" 3>&{write}', "sh", sys.executable, "-ISB", LAUNCHER, str(limit),
                       *argv]
            subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=talk,
                           pass_fds=(write,), timeout=limit + 30)
        finally:
            os.close(write)
        with os.fdopen(read, "rb") as answer:
            words = answer.read().decode().split()
        talk.seek(max(0, talk.seek(0, os.SEEK_END) - WORDS_BYTES))
        last = talk.read().decode(errors="replace").strip().splitlines()[-1:] or [""]
    if len(words) != 4:
        raise RuntimeError(f"{argv[0]} could not be started: {last[0]}")
    wall, cpu, memory = (float(word) for word in words[:3])
    return Sample(wall, cpu, memory, None if words[3] == "late" else int(words[3]), last[0][:160])


def median(values):
    return statistics.median(values)


def ratio(ours, theirs, figure):
    """Round by round, since the machine's speed drifts."""
    pairs = [getattr(a, figure) / max(getattr(b, figure), 1e-6) for a, b in zip(ours, theirs)]
    return median(pairs)
