#!/usr/bin/env python3
"""Real servers behind connections that break: faults.py --binary s3tug --proxy s3tug-tcp-proxy [--seeds N] ceph-rgw ...

Each weather hurts the first connections of a command and then ends, so every command must succeed, with the right bytes
and nothing left behind. On Ceph the server itself fails too: a gateway that is killed, one that throttles, a store
daemon that stands still. Ends 77 when no server is installed.
"""
import argparse
import os
import signal
import sys
import tempfile
import time
from urllib.parse import urlsplit

from bench import BUCKET, Bench, Report
from ceph_trouble import CEPH_TROUBLE, throttled
from interop import stop
from limits import Limit
from s3_client import Client
from servers import NotInstalled, Server
from tcp_proxy import TcpProxy

MIB = 1 << 20
TIME_LIMIT_SECONDS = 900  # for one server
# Offsets are drawn, up to beyond the body of a small command, so that some connections live. With them how a connection
# must have ended in the proxy's log, so that a weather that hurts nobody is seen.
WEATHERS = {
    "resets on the way up": ("reset", "1-3: reset up@0-5M"),
    "resets on the way down": ("reset", "1-3: reset down@0-5M"),
    "FIN before the answer": ("closed", "1-2: close down@0", "3: close down@1-200"),
    "FIN in mid-body": ("closed", "1: close down@1000-9000", "2-3: close down@9000-12M"),
    "refused for 700 ms": ("refused", "* to 700ms: refuse"),
    "stalls": ("stalled", "1-2: stall down@0-3M"),
    "a black hole": ("finished", "1-2: swallow up@0-3M"),
    "slow and late": ("finished", "1-2: drip up 256K/10ms; delay 200ms"),
}
SETTINGS = {"S3TUG_PART_SIZE": "5MiB", "S3TUG_MULTIPART_THRESHOLD": "6MiB", "S3TUG_ANSWER_TIMEOUT": "2s",
            "S3TUG_STALL_TIMEOUT": "2s", "S3TUG_CONNECT_TIMEOUT": "2s", "S3TUG_RETRIES": "9", "S3TUG_BREAKER": "off"}
# An upload whose Create was not answered is looked for by the time it began.
LIMITS = {"moto": {"FIN before the answer": Limit("dates all uploads 2010", "an upload was left")}}


def uploads_left(client):
    answer = client.request("GET", BUCKET, query={"uploads": ""})
    return answer.body.count(b"<UploadId>") if answer.status == 200 else 0


class Commands:
    """One object of each size, tried with every command."""

    def __init__(self, bench):
        self.bench = bench
        self.files = {"small": bench.file("small", 10_000), "in parts": bench.file("parts", 11 * MIB),
                      "in ranges": bench.file("ranges", 40 * MIB)}

    def stored(self, key, path):
        return None if self.bench.client.get(BUCKET, key.encode()) == path.read_bytes() else "other bytes"

    def run(self, environment, *arguments):
        began = time.monotonic()
        run = self.bench.tug(*arguments, environment=SETTINGS | environment)
        wrong = self.bench.expect(run, 0)
        return f"{wrong} after {time.monotonic() - began:.1f} s" if wrong else None

    def each(self, weather, environment):
        """(name, what went wrong) for every command; weather() begins it anew."""
        b, there, left = self.bench, self.bench.folder / "there", uploads_left(self.bench.client)
        for label, path in self.files.items():
            weather()
            yield f"put {label}", (self.run(environment, "put", path, b.uri(label)) or self.stored(label, path) or
                                   (uploads_left(b.client) > left and "an upload was left"))
            left = uploads_left(b.client)
            b.client.put(BUCKET, label.encode(), path.read_bytes())
            there.write_bytes(b"old")
            weather()
            yield f"get {label}", (self.run(environment, "get", b.uri(label), there) or
                                   (not b.same(path, there) and "other bytes"))
            there.unlink(missing_ok=True)
            halves = [name for name in os.listdir(b.folder) if "s3tug-part" in name]
            yield "... and its folder", halves and f"left {halves}"
        weather()
        yield "copy", (self.run(environment, "copy", b.uri("small"), b.uri("copied")) or
                       self.stored("copied", self.files["small"]))
        weather()
        yield "delete", (self.run(environment, "delete", b.uri("copied")) or
                         (b.client.head(BUCKET, b"copied") is not None and "it is still there"))


def weathers(bench, report, proxy_binary, seeds, only):
    port = urlsplit(bench.server.endpoint).port
    commands = Commands(bench)
    for name, (ending, *rules) in WEATHERS.items():
        if only not in name:
            continue
        wrong, seen = [], 0
        for seed in range(1, seeds + 1):
            with TcpProxy(proxy_binary, port, tempfile.mkdtemp(dir=bench.folder), seed) as proxy:
                environment = {"AWS_ENDPOINT_URL": proxy.endpoint}
                for command, fault in commands.each(lambda: proxy.rules(*rules), environment):
                    if fault:
                        wrong.append(f"seed {seed}, {command}: {fault}")
                seen += proxy.endings().get(ending, 0)
        report.add(name, "; ".join(wrong) or (seen == 0 and "no connection was hurt"))


def try_server(name, arguments):
    report = Report(name, LIMITS.get(name, {}))
    signal.alarm(TIME_LIMIT_SECONDS)
    with Server(name) as server, tempfile.TemporaryDirectory(prefix="s3tug-faults-") as folder:
        client = Client(server.endpoint, server.settings["AWS_ACCESS_KEY_ID"], server.settings["AWS_SECRET_ACCESS_KEY"])
        client.make_bucket(BUCKET)
        bench = Bench(arguments.binary, server, client, folder)
        weathers(bench, report, arguments.proxy, arguments.seeds, arguments.only)
        if name == "ceph-rgw":
            for trouble in CEPH_TROUBLE:
                trouble(bench, report)
    if name == "ceph-rgw":
        throttled(arguments.binary, report)
    signal.alarm(0)
    return report


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--proxy", required=True)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--only", default="", help="weathers whose name has this")
    parser.add_argument("servers", nargs="+", choices=("ceph-rgw", "swift", "moto"))
    arguments = parser.parse_args()
    for number in (signal.SIGALRM, signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    reports = []
    for name in arguments.servers:
        try:
            reports.append(try_server(name, arguments))
        except NotInstalled as why:
            print(f"{name}: skipped: {why}", flush=True)
    if not reports:
        return 77
    failed = sum(len(report.failed()) for report in reports)
    passed = sum(len(report.rows) for report in reports) - failed
    print(f"\n{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
