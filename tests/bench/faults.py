"""Goodput in bad weather: the same work through the lab, with the same seed for every tool."""
import hashlib
import json
import os
import shutil
import subprocess
import time
import urllib.request
from dataclasses import asdict, dataclass
from pathlib import Path

from measure import run
from peers import Store, Tug

RUN_LIMIT = 150  # seconds of one command
FILES, FILE_BYTES = 300, 16 << 10
SEED = 20261130
WEATHER = {
    "light": ["* 5%: 503 SlowDown", "* 1%: reset before-answer"],
    "heavy": ["* 25%: 503 SlowDown", "* 5%: reset before-answer", "* 2%: 500 InternalError"],
    "outage": ["* from 300ms to 20300ms: 503 ServiceUnavailable"],
}
WORKS = ("put-tree", "get-tree", "put-large", "get-large")
# One connection and no tree: curl repeats only what its user scripts.
PEERS = ("s5cmd", "rclone", "aws", "s3cmd")


def names():
    return [f"{weather}-{work}" for weather in WEATHER for work in WORKS]


@dataclass
class Row:
    seconds: float
    code: int
    requests: int
    in_outage: int    # requests that got the outage's answer
    overhead: float   # bytes sent over bytes useful
    right: int        # files that are whole
    wanted: int
    words: str = ""


class Lab:
    def __init__(self, binary, folder):
        port = Path(folder) / "lab-port"
        port.unlink(missing_ok=True)
        self.process = subprocess.Popen(
            [binary, "--port", "0", "--port-file", str(port), "--bucket", "bucket", "--seed", str(SEED),
             "--parent-exit"], stdout=subprocess.DEVNULL)
        give_up = time.monotonic() + 20
        while not port.exists():
            if self.process.poll() is not None or time.monotonic() > give_up:
                raise RuntimeError("the lab did not start")
            time.sleep(0.01)
        self.endpoint = f"http://127.0.0.1:{port.read_text().strip()}"
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def control(self, path, body=None):
        request = urllib.request.Request(f"{self.endpoint}/_lab/{path}", data=body,
                                         method="GET" if body is None else "POST")
        return self.opener.open(request, timeout=60).read().decode()

    def weather(self, rules):
        """Counters, seed and windows begin anew."""
        self.control("faults", "\n".join(rules).encode())
        self.control("reset", b"")

    def lines(self, path):
        return [json.loads(line) for line in self.control(path).splitlines() if line]

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=20)


def md5(path):
    with open(path, "rb") as data:
        return hashlib.file_digest(data, "md5").hexdigest()


def make_sources(folder, large):
    tree = Path(folder) / "tree"
    tree.mkdir()
    for number in range(FILES):
        (tree / f"{number:04}").write_bytes(os.urandom(FILE_BYTES))
    block = os.urandom(1 << 20)
    with open(Path(folder) / "large", "wb") as out:
        for number in range(large >> 20):
            out.write(number.to_bytes(8, "big") + block[8:])


def fetch_whole(lab, folder, tug, key, to):
    """In fair weather, by s3tug: a multipart ETag says nothing of the bytes."""
    store = Store(lab.endpoint, "labkey", "labsecret")
    return run(tug.command("get", store, key=key, file=str(to)), store.environment(str(folder)), 60).code == 0


def right_files(lab, folder, tug, work):
    """How many of the wanted files are whole, wherever they went."""
    folder = Path(folder)
    if work == "get-tree":
        return sum(1 for one in (folder / "tree").iterdir()
                   if (folder / "got-tree" / one.name).exists()
                   and md5(folder / "got-tree" / one.name) == md5(one))
    if work == "get-large":
        return int((folder / "got-large").exists() and md5(folder / "got-large") == md5(folder / "large"))
    if work == "put-tree":
        stored = {one["key"]: one["etag"] for one in lab.lines("objects")}
        return sum(1 for one in (folder / "tree").iterdir() if stored.get(f"put/{one.name}") == md5(one))
    back = folder / "back"
    good = fetch_whole(lab, folder, tug, "put-large", back) and md5(back) == md5(folder / "large")
    back.unlink(missing_ok=True)
    return int(good)


def arguments_of(work, folder):
    folder = str(folder)
    return {"put-tree": ("put_tree", {"folder": folder + "/tree", "prefix": "put"}),
            "get-tree": ("get_tree", {"prefix": "source", "folder": folder + "/got-tree"}),
            "put-large": ("put", {"file": folder + "/large", "key": "put-large"}),
            "get-large": ("get", {"key": "source-large", "file": folder + "/got-large"})}[work]


def fill(lab, folder, tug, s5):
    """The objects to get, put there in fair weather."""
    store = Store(lab.endpoint, "labkey", "labsecret")
    environment = store.environment(str(folder))
    tool = tug if tug.can("put_tree") else s5
    done = [run(tug.command("put", store, file=f"{folder}/large", key="source-large"), environment, 60)]
    if tool:
        done.append(run(tool.command("put_tree", store, folder=f"{folder}/tree", prefix="source"), environment, 60))
    if any(one.code != 0 for one in done):
        raise RuntimeError(f"the lab could not be filled: {done}")


def measure_one(options, tug, s5, tool, weather, work, folder):
    for name in ("got-tree", "state", ".local"):
        shutil.rmtree(Path(folder) / name, ignore_errors=True)
    (Path(folder) / "got-large").unlink(missing_ok=True)
    (Path(folder) / "got-tree").mkdir()
    lab = Lab(options.lab, folder)
    try:
        if work.startswith("get"):
            fill(lab, folder, tug, s5)
        store = Store(lab.endpoint, "labkey", "labsecret")
        how, what = arguments_of(work, folder)
        lab.weather(WEATHER[weather])
        sample = run(tool.command(how, store, **what), tool.environment(store, folder), RUN_LIMIT)
        seen = lab.lines("log")
        lab.weather([])
        useful = FILES * FILE_BYTES if work.endswith("tree") else os.path.getsize(f"{folder}/large")
        sent = sum(one["body_received"] if work.startswith("put") else one["body_sent"] for one in seen)
        refused = sum(1 for one in seen if one["code"] == "ServiceUnavailable")
        return Row(sample.wall, sample.code, len(seen), refused, sent / useful,
                   right_files(lab, folder, tug, work), FILES if work.endswith("tree") else 1, sample.words)
    finally:
        lab.stop()


def compare(options, tug, peers, folder):
    make_sources(folder, (64 << 20) if options.quick else (256 << 20))
    s5 = next((peer for peer in peers if peer.name == "s5cmd"), None)
    give_up = time.monotonic() + options.limit
    results = []
    for weather, rules in WEATHER.items():
        for work in WORKS:
            name = f"{weather}-{work}"
            if options.only and name not in options.only:
                continue
            how = arguments_of(work, folder)[0]
            tools = [one for one in [tug, *peers] if one.name in (tug.name, *PEERS) and one.can(how)]
            if tug not in tools:
                print(f"{name}: skipped for s3tug, which has no --recursive yet", flush=True)
            if time.monotonic() > give_up:
                print(f"{name}: skipped, --limit is over", flush=True)
                continue
            print(f"\n{name}: {'; '.join(rules)}", flush=True)
            rows = {}
            for tool in tools:
                rows[tool.name] = row = measure_one(options, tug, s5, tool, weather, work, folder)
                print(f"  {tool.name:8} {row.seconds:7.1f} s   {ending(row):14} {row.requests:6} requests "
                      f"({row.in_outage} in the outage)   {row.overhead:.2f} x the bytes   "
                      f"{row.right} of {row.wanted} right", flush=True)
            results.append((name, rows))
    return results


def ending(row):
    return "out of time" if row.code is None else f"exit {row.code}"


def as_json(results):
    return [{"name": name, "tools": {tool: asdict(row) for tool, row in rows.items()}} for name, rows in results]


def markdown(results):
    lines = ["| weather and work | tool | seconds | exit | requests | in the outage | bytes / useful | right |",
             "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for name, rows in results:
        for tool, row in rows.items():
            lines.append(f"| {name} | {tool} | {row.seconds:.1f} | {ending(row)} | {row.requests} | {row.in_outage} | "
                         f"{row.overhead:.2f} | {row.right} of {row.wanted} |")
    return "\n".join(lines)
