#!/usr/bin/env python3
"""s3tug beside other clients, on the null store (nginx) or, with --faults, through the lab's weather. See README.md."""
import argparse
import json
import os
import platform
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "interop")]
import faults  # noqa: E402
import report  # noqa: E402
from cases import cases, make_sources, remove_made, wrong  # noqa: E402
from measure import run  # noqa: E402
from peers import HOW_TO_GET, PEERS, Store, Tug, find_peers, version_of  # noqa: E402
from servers import NotInstalled, Server  # noqa: E402

RUN_LIMIT = 120  # seconds of one command


def arguments():
    read = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    read.add_argument("--binary", required=True, help=argparse.SUPPRESS)
    read.add_argument("--lab", required=True, help=argparse.SUPPRESS)
    read.add_argument("--quick", action="store_true", help="64 MiB instead of 1 GiB, two rounds")
    read.add_argument("--only", action="append", default=[], metavar="NAME", help="this case only; may be repeated")
    read.add_argument("--rounds", type=int, default=0, metavar="N", help="5, or 2 with --quick; with --faults 3 seeds, or 2")
    read.add_argument("--peers", default=",".join(PEERS), metavar="NAMES", help="%(default)s")
    read.add_argument("--limit", type=int, default=3600, metavar="SECONDS",
                      help="no case begins after so long (%(default)s)")
    read.add_argument("--faults", action="store_true", help="goodput in bad weather instead")
    read.add_argument("--json", metavar="FILE", help="every sample")
    read.add_argument("--markdown", action="store_true", help="the table as it stands in README.md")
    options = read.parse_args()
    options.rounds = options.rounds or (2 if options.quick else 3 if options.faults else 5)
    known = [case.name for case in cases(0)] if not options.faults else faults.names()
    for name in options.only:
        if name not in known:
            read.error(f"no case {name}; there are: {' '.join(known)}")
    for name in options.peers.split(","):
        if name and name not in PEERS:
            read.error(f"no peer {name}; there are: {' '.join(PEERS)}")
    return options


def measure_case(case, tools, store, folder, rounds):
    """Tool by tool in each round, so that pairs see the same machine. tool -> samples, or why there are none."""
    what = {name: value.replace("FOLDER", folder) for name, value in case.what.items()}
    samples, failed = {tool.name: [] for tool in tools}, {}
    for _ in range(rounds * case.pairs):
        for tool in tools:
            if tool.name in failed:
                continue
            remove_made(case, folder)
            extra = {"options": case.options} if isinstance(tool, Tug) else {}
            sample = run(tool.command(case.work, store, **what, **extra), tool.environment(store, folder),
                         RUN_LIMIT)
            trouble = wrong(case, folder) if sample.code == 0 else f"exit {sample.code}: {sample.words}"
            if sample.code is None:
                trouble = f"not done after {RUN_LIMIT} s"
            if trouble:
                failed[tool.name] = trouble
            samples[tool.name].append(sample)
    remove_made(case, folder)
    return {name: failed.get(name) or taken for name, taken in samples.items()}


def compare(options, tug, peers, folder):
    size = (64 << 20) if options.quick else (1 << 30)
    os.environ["NULL_SIZE"] = str(size)
    make_sources(folder, size)
    give_up = time.monotonic() + options.limit
    results = []
    with Server("nginx-null") as server:
        plain = Store(server.endpoint)
        tls = Store(server.tls_endpoint, certificate=server.ca_file)
        for case in cases(size):
            if options.only and case.name not in options.only:
                continue
            if not tug.can(case.work):
                print(f"{case.name}: skipped, this s3tug has no --recursive", flush=True)
                continue
            if time.monotonic() > give_up:
                print(f"{case.name}: skipped, --limit is over", flush=True)
                continue
            tools = [tug] + [peer for peer in peers if peer.name in case.peers and peer.can(case.work)]
            taken = measure_case(case, tools, tls if case.tls else plain, folder, options.rounds)
            results.append((case, taken))
            report.show(case, taken)
    return results


def machine():
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
    return f"{os.cpu_count()} cores of {model}, Linux {platform.release().split('-')[0]}, {time.strftime('%Y-%m-%d')}"


def main():
    options = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the store is stopped, too
    tug = Tug("s3tug", options.binary)
    peers, missing = find_peers([name for name in options.peers.split(",") if name])
    for name in missing:
        print(f"{name} is not installed ({HOW_TO_GET[name]})")
    load = os.getloadavg()[0]
    if load > 0.5:
        print(f"the machine is busy (load {load:.1f}): trust the ratios, not the seconds")
    print(machine())
    for tool in [tug, *peers]:
        print(f"  {tool.name}: {version_of(tool)}", flush=True)
    parent = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = tempfile.mkdtemp(prefix="s3tug-bench-", dir=parent)
    try:
        if options.faults:
            results = faults.compare(options, tug, peers, folder)
        else:
            results = compare(options, tug, peers, folder)
    except NotInstalled as why:
        print(why, file=sys.stderr)
        return 77
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if options.json:
        rows = faults.as_json(results) if options.faults else report.as_json(results)
        Path(options.json).write_text(json.dumps({"machine": machine(), "cases": rows}, indent=1) + "\n")
    if options.markdown:
        print(faults.markdown(results) if options.faults else report.markdown(results))
        seeds = (f"seeds {faults.SEED} to {faults.SEED + options.rounds - 1}, for large objects in weather "
                 f"{faults.LARGE_DRAWS} times as many")
        print(f"\n{machine()}; {', '.join(version_of(tool) for tool in [tug, *peers])}; "
              f"{seeds if options.faults else f'{options.rounds} rounds'}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
