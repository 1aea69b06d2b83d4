"""Goodput in bad weather: the same work through the lab, with the same seeds for every tool."""
import hashlib
import json
import os
import shutil
import subprocess
import statistics
import time
import urllib.request
from dataclasses import asdict, dataclass
from pathlib import Path

from measure import run
from peers import Store, Tug

RUN_LIMIT = 150  # seconds of one command
FILES, FILE_BYTES = 300, 16 << 10
SEED = 20261130  # of the first round; the next has the next
WEATHER = {
    "light": ["* 5%: 503 SlowDown", "* 1%: reset before-answer"],
    "heavy": ["* 25%: 503 SlowDown", "* 5%: reset before-answer", "* 2%: 500 InternalError"],
    # It begins with a request, so that it meets every tool at work, however quick it is to begin.
    "outage": ["* {begins}- for 20s: 503 ServiceUnavailable"],
}
WORKS = ("put-tree", "get-tree", "put-large", "get-large")
LARGE_DRAWS = 4  # times as many seeds for one large object in weather: a dozen requests, so that luck is all of it
OUTAGE_BEGINS = {"tree": 40, "large": 3}  # the number of the first request that is refused
# One connection and no tree: curl repeats only what its user scripts.
PEERS = ("s5cmd", "rclone", "aws", "s3cmd")


def names():
    return [f"{weather}-{work}" for weather in WEATHER for work in WORKS]


def rules_of(weather, work):
    return [rule.format(begins=OUTAGE_BEGINS[work.split("-")[1]]) for rule in WEATHER[weather]]


def seeds_of(weather, work, rounds):
    draws = LARGE_DRAWS if work.endswith("large") and weather != "outage" else 1
    return range(SEED, SEED + rounds * draws)


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
    seed: int = 0


class Lab:
    def __init__(self, binary, folder, seed):
        port = Path(folder) / "lab-port"
        port.unlink(missing_ok=True)
        self.process = subprocess.Popen(
            [binary, "--port", "0", "--port-file", str(port), "--bucket", "bucket", "--seed", str(seed),
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


def measure_one(options, tug, s5, tool, weather, work, folder, seed):
    for name in ("got-tree", "state", ".local"):
        shutil.rmtree(Path(folder) / name, ignore_errors=True)
    (Path(folder) / "got-large").unlink(missing_ok=True)
    (Path(folder) / "got-tree").mkdir()
    lab = Lab(options.lab, folder, seed)
    try:
        if work.startswith("get"):
            fill(lab, folder, tug, s5)
        store = Store(lab.endpoint, "labkey", "labsecret")
        how, what = arguments_of(work, folder)
        lab.weather(rules_of(weather, work))
        sample = run(tool.command(how, store, **what), tool.environment(store, folder), RUN_LIMIT)
        seen = lab.lines("log")
        lab.weather([])
        useful = FILES * FILE_BYTES if work.endswith("tree") else os.path.getsize(f"{folder}/large")
        sent = sum(one["body_received"] if work.startswith("put") else one["body_sent"] for one in seen)
        refused = sum(1 for one in seen if one["code"] == "ServiceUnavailable")
        return Row(sample.wall, sample.code, len(seen), refused, sent / useful,
                   right_files(lab, folder, tug, work), FILES if work.endswith("tree") else 1, sample.words, seed)
    finally:
        lab.stop()


def compare(options, tug, peers, folder):
    make_sources(folder, (64 << 20) if options.quick else (256 << 20))
    s5 = next((peer for peer in peers if peer.name == "s5cmd"), None)
    give_up = time.monotonic() + options.limit
    results = []
    for weather in WEATHER:
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
            print(f"\n{name}: {'; '.join(rules_of(weather, work))}", flush=True)
            rows = {tool.name: [] for tool in tools}
            for seed in seeds_of(weather, work, options.rounds):
                for tool in tools:  # side by side, so that all see the same machine
                    if time.monotonic() <= give_up:
                        rows[tool.name].append(measure_one(options, tug, s5, tool, weather, work, folder, seed))
            results.append((name, {tool: taken for tool, taken in rows.items() if taken}))
            show(*results[-1])
    return results


def mean(rows, figure):
    return statistics.mean(getattr(row, figure) for row in rows)


def right(rows):
    return sum(row.right for row in rows), sum(row.wanted for row in rows)


def show(name, taken):
    for tool, rows in taken.items():
        seconds = " ".join(f"{row.seconds:.1f}" for row in rows)
        print(f"  {tool:8} {mean(rows, 'seconds'):7.1f} s ({seconds})   {endings(rows)}   "
              f"{mean(rows, 'requests'):.0f} requests ({mean(rows, 'in_outage'):.0f} in the outage)   "
              f"{mean(rows, 'overhead'):.2f} x the bytes   {right(rows)[0]} of {right(rows)[1]} right", flush=True)
    for words, reached in verdicts(name, taken):
        print(f"  {'ok  ' if reached else 'MISS'} {words}", flush=True)


def verdicts(name, taken):
    """(in words, reached): ahead of every peer that brings all files, in seconds and in bytes; all files of ours right;
    and in the outage fewer requests than any peer whatever it brings."""
    ours = taken.get("s3tug")
    if not ours:
        return [("s3tug was not run", False)]
    got, wanted = right(ours)
    found = [(f"{got} of {wanted} files right", got == wanted)]
    for tool, rows in taken.items():
        if tool == "s3tug":
            continue
        if right(rows)[0] == right(rows)[1]:
            for figure, slack, words in (("seconds", 1.0, "s"), ("overhead", 1.005, "x the bytes")):
                mine, theirs = mean(ours, figure), mean(rows, figure)
                found.append((f"{mine:.2f} {words}, {tool} {theirs:.2f}", mine <= theirs * slack))
        if name.startswith("outage"):
            mine, theirs = mean(ours, "in_outage"), mean(rows, "in_outage")
            found.append((f"{mine:.0f} requests in the outage, {tool} {theirs:.0f}", mine <= theirs))
    return found


def endings(rows):
    """Exit codes, each once."""
    codes = sorted({"out of time" if row.code is None else f"exit {row.code}" for row in rows})
    return ", ".join(codes)


def as_json(results):
    return [{"name": name, "tools": {tool: [asdict(row) for row in rows] for tool, rows in taken.items()},
             "targets": [{"target": words, "reached": reached} for words, reached in verdicts(name, taken)]}
            for name, taken in results]


def weather_text():
    begins = " or ".join(f"{number} ({of})" for of, number in OUTAGE_BEGINS.items())
    return "; ".join(f"{name}: {', '.join(rule.format(begins=begins).removeprefix('* ') for rule in rules)}"
                     for name, rules in WEATHER.items())


def markdown(results):
    lines = ["| weather and work | tool | seconds | exit | requests | in the outage | bytes / useful | files right |",
             "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for name, taken in results:
        for tool, rows in taken.items():
            outage = f"{mean(rows, 'in_outage'):.0f}" if name.startswith("outage") else ""
            got, wanted = right(rows)
            lines.append(f"| {name} | {tool} | {mean(rows, 'seconds'):.1f} | {endings(rows)} | "
                         f"{mean(rows, 'requests'):.0f} | {outage} | {mean(rows, 'overhead'):.2f} | "
                         f"{got} of {wanted} |")
    lines.append(f"\nMeans over the seeds. A tree is {FILES} files of {FILE_BYTES >> 10} KiB. {weather_text()}.")
    lines.append("curl has one connection and no trees: it repeats only what its user scripts, and is left out.\n")
    missed = [f"- {name}: {words}" for name, taken in results for words, reached in verdicts(name, taken)
              if not reached]
    lines += ["Behind:", *missed] if missed else ["Ahead in each."]
    return "\n".join(lines)
