"""The TCP fault proxy (tests/proxy) in front of a real server."""
import json
import os
import subprocess
from pathlib import Path


class TcpProxy:
    """with TcpProxy(binary, port, folder, seed) as proxy: proxy.rules("1-2: reset down@64K"); proxy.endpoint"""

    def __init__(self, binary, port, folder, seed=1):
        self.log_file = Path(folder) / f"proxy-{seed}.log"
        self.process = subprocess.Popen([binary, "--to", str(port), "--seed", str(seed), "--log", self.log_file],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.endpoint = "http://" + self.process.stdout.readline().split()[-1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(timeout=30)
        self.process.stdout.close()

    def _say(self, text):
        self.process.stdin.write(text)
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if answer != "ok":
            raise RuntimeError(f"proxy: {answer}")

    def rules(self, *rules):
        self._say("rules\n" + "".join(f"{rule}\n" for rule in rules) + "\n")

    def cut(self):
        self._say("cut\n")

    def endings(self):
        """How connections ended so far: name -> number."""
        found = {}
        if os.path.exists(self.log_file):
            for line in self.log_file.read_text().splitlines():
                ended = json.loads(line)["ended"]
                found[ended] = found.get(ended, 0) + 1
        return found
