"""Starts one of scripts/servers on free ports with a folder of its own, and stops it whatever happens."""
import os
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts" / "servers"
NOT_INSTALLED = 77


class NotInstalled(Exception):
    pass


def free_ports(count):
    """The first of `count` ports in a row."""
    for first in range(20000 + os.getpid() % 1000 * 10, 32000, count):
        held = []
        try:
            for port in range(first, first + count):
                held.append(socket.socket())
                held[-1].bind(("127.0.0.1", port))
            return first
        except OSError:
            continue
        finally:
            for one in held:
                one.close()
    raise OSError("no free ports")


class Server:
    """with Server("swift") as server: ... server.endpoint, server.settings (AWS_*), server.ca_file"""

    def __init__(self, name):
        self.name = name
        # Short, since it holds sockets; not below TMPDIR, which may be deep.
        self.parent = Path(tempfile.mkdtemp(prefix=f"s3tug-{name}-", dir="/tmp"))
        self.folder = self.parent / "server"
        port = free_ports(5)
        self.environment = os.environ | {"S3_DIR": str(self.folder), "S3_PORT": str(port),
                                         "S3_TLS_PORT": str(port + 1), "RGW_MON_PORT": str(port + 2)}
        self.tls_endpoint = f"https://127.0.0.1:{port + 1}"

    def __enter__(self):
        try:
            self._run("start")
            lines = (self.folder / "env").read_text().splitlines()
        except BaseException:
            self.__exit__()
            raise
        self.settings = dict(line.split("=", 1) for line in lines)
        self.ca_file = self.settings.pop("AWS_CA_BUNDLE", None)
        self.endpoint = self.settings["AWS_ENDPOINT_URL"]
        return self

    def __exit__(self, *_):
        self._run("stop")
        shutil.rmtree(self.parent, ignore_errors=True)

    def _run(self, word):
        done = subprocess.run([SCRIPTS / self.name, word], env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
        if done.returncode == NOT_INSTALLED:
            raise NotInstalled(done.stdout.strip())
        if done.returncode != 0:
            raise RuntimeError(f"{self.name} {word}: {done.stdout}")
