"""s3tug run and measured as a whole process: wall and CPU seconds, peak memory. Works beside bench.py's own runs."""
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

# A process of its own because the kernel counts the peak memory of whoever starts a program as the program's.
LAUNCHER = Path(__file__).resolve().parents[1] / "bench" / "launcher.py"
LIMIT_SECONDS = 1800
MEMORY_MAX_MIB = 64


@dataclass
class Figures:
    wall: float    # seconds
    cpu: float     # seconds, user and system
    memory: float  # MiB

    def __str__(self):
        return f"{self.wall:.1f} s, CPU {self.cpu:.1f} s, {self.memory:.1f} MiB"


class Measured:
    """Begins a run; end() gives (exit code, last line of stderr, Figures)."""

    def __init__(self, b, arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL):
        self.talk = tempfile.TemporaryFile(dir=b.folder)
        read, write = os.pipe()
        command = ["/bin/sh", "-c", f'exec "$@" 3>&{write}', "sh", sys.executable, "-ISB", str(LAUNCHER),
                   str(LIMIT_SECONDS), b.binary, *arguments]
        self.process = subprocess.Popen(command, env=b.environment, stdin=stdin, stdout=stdout, stderr=self.talk,
                                        pass_fds=(write,))
        os.close(write)
        self.answer = os.fdopen(read, "rb")
        self.out = self.process.stdout

    def end(self):
        try:
            words = self.answer.read().decode().split()
            self.process.wait()
        except BaseException:
            self.process.send_signal(signal.SIGTERM)
            raise
        self.talk.seek(0)
        last = (self.talk.read().decode(errors="replace").strip().splitlines() or [""])[-1]
        if len(words) != 4:
            raise RuntimeError(f"{self.process.args} could not be started: {last}")
        wall, cpu, memory = map(float, words[:3])
        return words[3], last, Figures(wall, cpu, memory)


def wrong_with(code, last, figures):
    """Nothing, or what went wrong: exit 0 and the bound on memory."""
    if code != "0":
        return f"exit {code}: {last}"
    return figures.memory > MEMORY_MAX_MIB and f"{figures.memory:.1f} MiB of memory"


def measured(b, *arguments, **streams):
    """(what went wrong or nothing, Figures)"""
    code, last, figures = Measured(b, arguments, **streams).end()
    return wrong_with(code, last, figures), figures
