"""What the black-box tests share: a lab server, a clean environment, and a way to run s3tug.

Each test is a function whose name starts with test_ and is a sentence; run_all() runs them and prints one line each.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.request

BINARY, LAB_BINARY = (os.path.abspath(path) for path in sys.argv[1:3])
SECRET = "labsecret"


class Lab:
    """A lab server of its own for one test; ends with it."""

    def __init__(self, folder, *options, scheme="http"):
        self.port_file = os.path.join(folder, f"port-{id(self)}")
        self.process = subprocess.Popen(
            [LAB_BINARY, "--port", "0", "--port-file", self.port_file, "--bucket", "box", "--versioned", "vault",
             "--parent-exit", *options],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        give_up = time.monotonic() + 20
        while not os.path.exists(self.port_file):
            if self.process.poll() is not None or time.monotonic() > give_up:
                raise RuntimeError("the lab did not start: " + self.process.stderr.read().decode())
            time.sleep(0.01)
        self.endpoint = f"{scheme}://127.0.0.1:{open(self.port_file).read().strip()}"

    def control(self, path, body=None):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        request = urllib.request.Request(self.endpoint + "/_lab/" + path, data=body,
                                         method="GET" if body is None else "POST")
        return opener.open(request, timeout=20).read().decode()

    def weather(self, *rules):
        self.control("faults", "\n".join(rules).encode())
        self.control("reset", b"")

    def log(self):
        return [json.loads(line) for line in self.control("log").splitlines() if line]

    def sent(self, operation):
        return sum(1 for entry in self.log() if entry["op"] == operation)

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=20)
        self.process.stderr.close()


class Case:
    """One test's world: a folder, a lab, an environment without anything of the user's."""

    def __init__(self, *lab_options, scheme="http"):
        self.folder = tempfile.mkdtemp(prefix="s3tug-cli-")
        self.lab = Lab(self.folder, *lab_options, scheme=scheme)
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": self.folder, "TMPDIR": self.folder, "LC_ALL": "C.UTF-8",
            "AWS_ACCESS_KEY_ID": "labkey", "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_ENDPOINT_URL": self.lab.endpoint,
            "S3TUG_STATE_FILE": self.path("state.db"), "S3TUG_BACKOFF_BASE": "20ms", "S3TUG_BACKOFF_MAX": "200ms",
        }
        for name in os.environ:
            if name.endswith("SAN_OPTIONS"):
                self.environment[name] = os.environ[name]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.lab.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def file(self, name, data=b"some bytes"):
        with open(self.path(name), "wb") as out:
            out.write(data)
        return self.path(name)

    def start(self, *arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, binary=None, **environment):
        env = {k: v for k, v in {**self.environment, **environment}.items() if v is not None}
        return subprocess.Popen([binary or BINARY, *arguments], stdin=stdin, stdout=stdout, stderr=subprocess.PIPE, env=env)

    def run(self, *arguments, data=None, binary=None, **environment):
        stdin = subprocess.PIPE if data is not None else subprocess.DEVNULL
        process = self.start(*arguments, stdin=stdin, binary=binary, **environment)
        out, err = process.communicate(data, timeout=120)
        return Ended(process.returncode, out, err.decode("utf-8", "replace"))


class Ended:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def last_line(self):
        lines = self.err.strip().splitlines()
        return lines[-1] if lines else ""

    def __repr__(self):
        return f"exit {self.code}\n--- stdout\n{self.out[:2000]!r}\n--- stderr\n{self.err[:4000]}"


def ends_with(ended, code, *words):
    """The exit code, one last line that names the reason, and nothing on stdout."""
    assert ended.code == code, f"wanted exit {code}, got {ended!r}"
    if code != 0:
        assert ended.last_line.startswith("s3tug: "), f"no reason on the last line: {ended!r}"
        assert ended.err.count(ended.last_line) == 1, f"the reason stands twice: {ended!r}"
    for word in words:
        assert word in ended.err, f"'{word}' is not in {ended!r}"
    return ended


def run_all(names):
    failed = 0
    tests = [(name, body) for name, body in names.items() if name.startswith("test_")]
    for name, body in tests:
        sentence = name[5:].replace("_", " ")
        try:
            body()
            print(f"ok    {sentence}", flush=True)
        except Exception:  # noqa: BLE001 - a failing test must not hide the others
            failed += 1
            print(f"FAIL  {sentence}\n{traceback.format_exc()}", flush=True)
    print(f"{len(tests) - failed} passed, {failed} failed")
    sys.exit(1 if failed or not tests else 0)
