#!/usr/bin/env python3
"""Cron-like processes against a store that goes up and down: soak.py S3TUG LAB [--processes N] [--seconds S]

The same schedule three times: s3tug with its shared breaker, s3tug without breaker and state file, and curl --retry.
Each process puts one small object and is started at its time, whatever became of the others. Printed: requests that
reached the store per minute of outage, what the breaker did, how long after each outage the first put succeeded and
when nine of ten starts did again, and how the processes ended.
"""
import argparse
import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

# Share of the time and what the store does then.
PHASES = ((0.15, "up", None), (0.25, "503", "*: 503 ServiceUnavailable"), (0.15, "up", None),
          (0.20, "resets", "*: reset before-read"), (0.25, "up", None))
RUNNING_MAX = 300
# A tenth of the defaults, since an outage here is seconds long.
SETTINGS = {"S3TUG_BACKOFF_BASE": "50ms", "S3TUG_BACKOFF_MAX": "3s", "S3TUG_BREAKER_OPEN": "3s", "S3TUG_RETRIES": "4"}


class Store:
    def __init__(self, binary, folder):
        port_file = os.path.join(folder, "port")
        self.process = subprocess.Popen([binary, "--port-file", port_file, "--bucket", "box", "--quirk", "anonymous",
                                         "--parent-exit"], stdout=subprocess.DEVNULL)
        give_up = time.monotonic() + 20
        while not os.path.exists(port_file) and time.monotonic() < give_up:
            time.sleep(0.01)
        self.endpoint = "http://127.0.0.1:" + open(port_file).read().strip()
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def control(self, path, body=None):
        asked = urllib.request.Request(f"{self.endpoint}/_lab/{path}", data=body, method="GET" if body is None else "POST")
        return self.opener.open(asked, timeout=20).read().decode()

    def begin(self, rule):
        self.control("faults", (rule or "").encode())
        self.control("reset", b"")

    def requests(self):
        return sum(int(line.split()[-1]) for line in self.control("counts").splitlines())

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=20)


class Crowd:
    """Starts a process at each of its times and hears how each ended."""

    def __init__(self, command, environment):
        self.command, self.environment = command, environment
        self.running, self.ended, self.skipped = {}, [], 0
        self.lock = threading.Lock()

    def start(self, number, began):
        with self.lock:
            if len(self.running) >= RUNNING_MAX:
                self.skipped += 1
                return
        process = subprocess.Popen(self.command(number), env=self.environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with self.lock:
            self.running[process.pid] = (process, began)

    def reap(self, now):
        with self.lock:
            for pid, (process, began) in list(self.running.items()):
                if process.poll() is not None:
                    self.ended.append((began, now, process.returncode))
                    del self.running[pid]

    def wait_all(self, clock, patience):
        give_up = time.monotonic() + patience
        while self.running and time.monotonic() < give_up:
            self.reap(clock())
            time.sleep(0.01)
        for process, _ in self.running.values():
            process.kill()
            process.wait()


def spend(crowd, store, arguments):
    """Goes through the phases; gives (name, begin, end, requests) of each."""
    began = time.monotonic()
    clock = lambda: time.monotonic() - began
    seen, number, end = [], 0, 0.0
    for share, name, rule in PHASES:
        start, end = end, end + share * arguments.seconds
        store.begin(rule)
        while clock() < end:
            due = number * arguments.seconds / arguments.processes
            if due <= clock() and number < arguments.processes:
                crowd.start(number, clock())
                number += 1
            else:
                crowd.reap(clock())
                time.sleep(0.002)
        seen.append((name, start, end, store.requests()))
    crowd.wait_all(clock, 30)
    return seen


def report(title, phases, crowd, trace):
    print(f"\n{title}")
    for index, (name, start, end, requests) in enumerate(phases):
        line = f"  {name:7} {start:5.1f} to {end:5.1f} s: {requests:5} requests, {requests * 60 / (end - start):7.0f} a minute"
        if name == "up" and index > 0:
            good = sorted(at for _, at, code in crowd.ended if code == 0 and at >= start)
            begun = [(at, code) for at, _, code in sorted(crowd.ended) if at >= start]
            first = f"{good[0] - start:.2f} s" if good else "never"
            steady = next((at for n, (at, _) in enumerate(begun)
                           if sum(code == 0 for _, code in begun[n:n + 10]) >= 9), None)
            line += f"; first success after {first}, nine of ten from {steady - start:.2f} s" if steady else "; never again"
        print(line)
    codes = collections.Counter(code for _, _, code in crowd.ended)
    print(f"  ended: {dict(sorted(codes.items()))}, not started for {RUNNING_MAX} were running: {crowd.skipped}")
    outage = [(end - start, requests) for name, start, end, requests in phases if name != "up"]
    per_minute = sum(r for _, r in outage) * 60 / sum(s for s, _ in outage)
    print(f"  requests per minute of outage: {per_minute:.0f}")
    if trace and os.path.exists(trace):
        changes = [json.loads(line) for line in open(trace) if '"kind":"breaker"' in line and " -> " in line]
        print("  breaker: " + (", ".join(f"{c['time'][17:22]} {c['next']}" for c in changes) or "nothing"))
    return per_minute


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("lab")
    parser.add_argument("--processes", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=90)
    arguments = parser.parse_args()
    print(f"{arguments.processes} processes in {arguments.seconds:.0f} s, three times")
    folder = tempfile.mkdtemp(prefix="s3tug-soak-")
    source, trace = os.path.join(folder, "file"), os.path.join(folder, "trace")
    open(source, "wb").write(b"x" * 4096)
    store = Store(arguments.lab, folder)
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("AWS_", "S3TUG_", "XDG_"))} | {"HOME": folder}
    ours = clean | SETTINGS | {"AWS_ACCESS_KEY_ID": "labkey", "AWS_SECRET_ACCESS_KEY": "labsecret",
                               "AWS_ENDPOINT_URL": store.endpoint}
    tug = [arguments.binary, "put", "--deadline", "20s"]
    kinds = (
        ("s3tug, shared breaker", lambda n: [*tug, "--trace", trace, source, f"s3://box/a{n}"],
         ours | {"S3TUG_STATE_FILE": f"{folder}/state.db"}, trace),
        ("s3tug --breaker off --no-state", lambda n: [*tug, "--breaker", "off", "--no-state", source, f"s3://box/b{n}"],
         ours, None),
        ("curl --retry 4", lambda n: ["curl", "-sf", "-T", source, "--retry", "4", "--retry-all-errors", "--retry-max-time",
                                      "20", f"{store.endpoint}/box/c{n}"], clean, None),
    )
    try:
        outage = []
        for title, command, environment, trace_file in kinds:
            crowd = Crowd(command, environment)
            outage.append(report(title, spend(crowd, store, arguments), crowd, trace_file))
    finally:
        store.stop()
        shutil.rmtree(folder, ignore_errors=True)
    print(f"\nrequests per minute of outage: breaker {outage[0]:.0f}, without {outage[1]:.0f}, curl {outage[2]:.0f}")
    # Of the same client; curl waits longer between its tries, and has another idea of how many there are.
    sys.exit(0 if outage[0] * 2 < outage[1] else 1)


if __name__ == "__main__":
    main()
