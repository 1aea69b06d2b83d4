#!/usr/bin/env python3
"""Runs the cases on real servers and prints what each supports: interop.py --binary build/s3tug ceph-rgw swift moto.

Ends 1 when a case failed that is not a known limit of that server (limits.py), 77 when no server is installed.
"""
import argparse
import os
import signal
import sys
import tempfile

from bench import BUCKET, Bench, Report
from big import BIG
from cases import ALL
from commands import COMMANDS
from limits import LIMITS
from odd_keys import odd_keys
from s3_client import Client
from servers import NotInstalled, Server

TIME_LIMIT_SECONDS = 540  # for one server; below CTest's own, which would leave the server running
BIG_TIME_LIMIT_SECONDS = 4 * 3600


def cases_named(only):
    return [case for case in (*ALL, *COMMANDS, odd_keys, *BIG) if case.__name__.startswith(only)]


def try_server(name, binary, big, cases):
    report = Report(name, LIMITS[name])
    signal.alarm(BIG_TIME_LIMIT_SECONDS if big else TIME_LIMIT_SECONDS)
    with Server(name) as server, tempfile.TemporaryDirectory(prefix="s3tug-interop-") as folder:
        client = Client(server.endpoint, server.settings["AWS_ACCESS_KEY_ID"], server.settings["AWS_SECRET_ACCESS_KEY"])
        client.make_bucket(BUCKET)
        bench = Bench(binary, server, client, folder)
        for case in cases:
            case(bench, report, big)
    signal.alarm(0)
    return report


def print_table(reports):
    features = list(dict.fromkeys(feature for report in reports for feature in report.rows))
    wide, cell = max(map(len, features)), 28
    print("\n" + " " * wide, *(f" {report.server:{cell}}" for report in reports))
    for feature in features:
        verdicts = (report.rows.get(feature, "-") for report in reports)
        print(f"{feature:{wide}}", *(f" {verdict if len(verdict) <= cell else verdict.split(':')[0]:{cell}}"
                                     for verdict in verdicts))


def stop(number, _):
    raise SystemExit(f"interop: ended by signal {number}" if number != signal.SIGALRM else "interop: took too long")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--only", default="", help="cases whose name begins with this")
    parser.add_argument("servers", nargs="+", choices=LIMITS)
    arguments = parser.parse_args()
    for number in (signal.SIGALRM, signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    reports, big = [], os.environ.get("S3TUG_BIG") == "1"
    for name in arguments.servers:
        try:
            reports.append(try_server(name, arguments.binary, big, cases_named(arguments.only)))
        except NotInstalled as why:
            print(f"{name}: skipped: {why}", flush=True)
    if not reports:
        return 77
    print_table(reports)
    failed = sum(len(report.failed()) for report in reports)
    print(f"\n{failed} failed" if failed else "\nall as expected")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
