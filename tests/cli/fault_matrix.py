"""Every fault of the lab on every operation of every command, once and for good: each run ends as its class of fault says.

    fault_matrix.py S3TUG LAB [--only TEXT] [--workers N] [--one-in N [--commit ID]]

--one-in N makes each Nth run only, beginning where the ID says.

What must hold always: success means the right bytes there and nothing left behind; a failure has one of the codes of
its class, leaves the old file or a whole object, and keeps unfinished work only where a rerun can use it.
"""
import argparse
import concurrent.futures
import os
import queue
import random
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zlib
from dataclasses import dataclass

from fault_table import FAULTS
from harness import Case, Ended

MIB = 1 << 20
OLD = b"what stood there before"
SMALL, LARGE = random.Random(1).randbytes(10_000), random.Random(2).randbytes(5 * MIB + 17)
RANGES = random.Random(3).randbytes(11 * MIB + 17)
BOUND_SECONDS = 20
RESUMABLE = {75, 77, 78, 124}
SETTINGS = {"S3TUG_PART_SIZE": "5MiB", "S3TUG_MULTIPART_THRESHOLD": "5MiB", "S3TUG_ANSWER_TIMEOUT": "400ms",
            "S3TUG_STALL_TIMEOUT": "400ms", "S3TUG_CONNECT_TIMEOUT": "2s", "S3TUG_BREAKER": "off",
            "S3TUG_BACKOFF_BASE": "5ms", "S3TUG_BACKOFF_MAX": "20ms"}
# A machine that stands still for longer than 400 ms makes failures of its own. A run that gave up waiting is made once
# more, alone and with these; every other wrong end counts at once.
PATIENT = {"S3TUG_ANSWER_TIMEOUT": "3s", "S3TUG_STALL_TIMEOUT": "3s", "S3TUG_CONNECT_TIMEOUT": "10s"}
PATIENT_BOUND_SECONDS = 60
GAVE_UP_WAITING = {75, 124}

# command -> (its body, the operations it sends)
COMMANDS = {
    "put": (SMALL, ("PutObject",)),
    "put in parts": (LARGE, ("CreateMultipartUpload", "UploadPart", "CompleteMultipartUpload")),
    "get": (SMALL, ("GetObject",)),
    "get in ranges": (RANGES, ("GetObject",)),
    "copy": (SMALL, ("CopyObject",)),
    "delete": (SMALL, ("DeleteObject",)),
}
TREE = {name: random.Random(name).randbytes(2000 + 100 * number)
        for number, name in enumerate(("a", "b c", "sub/d", "sub/deep/e"))}
TREES = {
    "put tree": ("PutObject",),
    "get tree": ("ListObjectsV2", "GetObject"),
    "copy tree": ("ListObjectsV2", "CopyObject"),
    "delete tree": ("ListObjectsV2", "DeleteObjects"),
}


@dataclass
class Wrong:
    text: str
    gave_up_waiting: bool


class Worker:
    """A lab, and the objects that every run needs."""

    def __init__(self):
        self.case = Case("--quirk", "anonymous", "--seed", "7")
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        for name, data in (("small", SMALL), ("parts", LARGE), ("ranges", RANGES)):
            self.case.file(name, data)
            self.request("PUT", name, data)
        for name, data in TREE.items():
            os.makedirs(os.path.dirname(self.case.path(f"tree/{name}")), exist_ok=True)
            self.case.file(f"tree/{name}", data)
            self.request("PUT", f"tree/{name}", data)

    def request(self, method, path, data=None):
        """The body, or None for a 404: unsigned, past s3tug."""
        path = path.replace(" ", "%20")
        asked = urllib.request.Request(f"{self.case.lab.endpoint}/box/{path}", data=data, method=method)
        try:
            return self.opener.open(asked, timeout=30).read()
        except urllib.error.HTTPError as error:
            assert error.code == 404, error
            return None

    def arguments(self, command):
        if command in TREES:
            into = "s3://box/target-tree/"
            return {"put": ("put", "--recursive", self.case.path("tree"), into),
                    "get": ("get", "--recursive", "s3://box/tree/", self.case.path("there-tree")),
                    "copy": ("copy", "--recursive", "s3://box/tree/", into),
                    "delete": ("delete", "--recursive", into)}[command.split()[0]]
        name = command.split()[2] if " in " in command else "small"
        return {"put": ("put", self.case.path(name), "s3://box/target"),
                "get": ("get", f"s3://box/{name}", self.case.path("there")),
                "copy": ("copy", "s3://box/small", "s3://box/target"),
                "delete": ("delete", "s3://box/target")}[command.split()[0]]

    def prepare(self):
        case = self.case
        case.lab.weather()
        self.request("PUT", "target", OLD)
        case.file("there", OLD)
        self.request("PUT", "target-tree-beside", OLD)
        for name in TREE:
            self.request("PUT", f"target-tree/{name}", OLD)
            os.makedirs(os.path.dirname(case.path(f"there-tree/{name}")), exist_ok=True)
            case.file(f"there-tree/{name}", OLD)
        for name in os.listdir(case.folder):
            if "s3tug-part" in name or name.startswith("state.db"):
                os.unlink(case.path(name))
        for upload in self.uploads():
            self.request("DELETE", f"target?uploadId={upload}")

    def uploads(self):
        text = self.request("GET", "?uploads").decode()
        return [part.split("</UploadId>")[0] for part in text.split("<UploadId>")[1:]]

    def run(self, command, operation, fault, always, patient=False):
        """Wrong, or None."""
        self.prepare()
        case = self.case
        when = "" if always else " 1"
        case.lab.weather(*(f"{operation}{when}: {action}" for action in fault.actions))
        deadline = ("--deadline", fault.deadline) if fault.deadline else ()
        process = case.start(*self.arguments(command), *deadline, S3TUG_RETRIES="2" if always else "4",
                             **SETTINGS | (PATIENT if patient else {}))
        bound = PATIENT_BOUND_SECONDS if patient else BOUND_SECONDS
        try:
            out, err = process.communicate(timeout=bound)
        except subprocess.TimeoutExpired:
            process.kill()
            return Wrong(f"not done after {bound} s: {process.communicate()[1].decode()}", True)
        ended = Ended(process.returncode, out, err.decode("utf-8", "replace"))
        case.lab.weather()
        case.lab.control("flush-late", b"")
        wrong = self.judge(command, operation, fault, always, ended)
        if not wrong:
            return None
        return Wrong(f"{'; '.join(wrong)}\n    {ended.last_line}", ended.code in GAVE_UP_WAITING and len(wrong) == 1)

    def judge(self, command, operation, fault, always, ended):
        wrong = []
        codes = fault.codes(operation, always, len(TREE) if command in TREES else 1)
        if ended.code not in codes:
            wrong.append(f"exit {ended.code}, not {' or '.join(map(str, sorted(codes)))}")
        if ended.code == 0 and ended.err:
            wrong.append("success that talks")
        if ended.code != 0 and not ended.last_line.startswith("s3tug: "):
            wrong.append("no reason on the last line")
        wrong += (self.judge_tree if command in TREES else self.judge_bytes)(command, fault, ended.code)
        resumable = ended.code in RESUMABLE
        if self.uploads() and not (resumable or fault.keeps_upload(operation)):
            wrong.append("an upload is left")
        halves = [name for _, _, names in os.walk(self.case.folder) for name in names if "s3tug-part" in name]
        if halves and not resumable:
            wrong.append(f"left {halves}")
        return wrong

    def judge_bytes(self, command, fault, code):
        data = COMMANDS[command][0]
        kind = command.split()[0]
        if kind == "get":
            there = open(self.case.path("there"), "rb").read()
            return [] if there == (data if code == 0 else OLD) else ["the file is neither old nor right"]
        there = self.request("GET", "target")
        if kind == "delete":
            if code == 0 and there is not None and not fault.lies:
                return ["it is still there"]
            return [] if there in (None, OLD) else ["another object stands there"]
        if code == 0 and not fault.lies:
            return [] if there == data else ["success with other bytes"]
        return [] if there in (OLD, data) or fault.lies else ["the object is neither old nor new"]


    def judge_tree(self, command, fault, code):
        kind = command.split()[0]
        if kind == "get":
            there = {name: open(self.case.path(f"there-tree/{name}"), "rb").read() for name in TREE}
        else:
            there = {name: self.request("GET", f"target-tree/{name}") for name in TREE}
        right = dict.fromkeys(TREE) if kind == "delete" else TREE
        wrong = [name for name in TREE if there[name] not in (OLD, right[name])]
        if code == 0 and not fault.lies:
            wrong += [name for name in TREE if there[name] != right[name]]
        if self.request("GET", "target-tree-beside") != OLD:
            wrong.append("an object beside the tree")
        return [f"wrong bytes: {wrong}"] if wrong else []


def all_runs(only, with_trees):
    commands = {command: operations for command, (_, operations) in COMMANDS.items()} | (TREES if with_trees else {})
    for fault in FAULTS:
        for command, operations in commands.items():
            for operation in operations:
                if not fault.fits(operation):
                    continue
                for always in (False, True):
                    name = f"{'always' if always else 'once'}, {command}, {operation}: {'; '.join(fault.actions)}"
                    if only in name:
                        yield name, (command, operation, fault, always)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binaries", nargs=2)
    parser.add_argument("--only", default="")
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--one-in", type=int, default=1)
    parser.add_argument("--commit", default="")
    arguments = parser.parse_args()
    workers = queue.SimpleQueue()
    made = [Worker() for _ in range(arguments.workers)]
    with_trees = "--recursive" in made[0].case.run("put", "--help").out.decode()
    first = zlib.crc32(arguments.commit.encode()) % arguments.one_in
    runs = list(all_runs(arguments.only, with_trees))[first::arguments.one_in]
    for worker in made:
        workers.put(worker)

    def one(run):
        worker = workers.get()
        try:
            return worker.run(*run)
        finally:
            workers.put(worker)

    failed = 0
    began = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(arguments.workers) as pool:
        ends = list(pool.map(one, [run for _, run in runs]))
    for (name, run), wrong in zip(runs, ends):
        if wrong and wrong.gave_up_waiting:
            print(f"once more, alone: {name}\n    {wrong.text}", flush=True)
            wrong = made[0].run(*run, patient=True)
        if wrong:
            failed += 1
            print(f"FAIL  {name}\n    {wrong.text}", flush=True)
    for worker in made:
        worker.case.__exit__()
    print(f"{len(FAULTS)} faults, {time.monotonic() - began:.0f} s")
    print(f"{len(runs) - failed} passed, {failed} failed")
    sys.exit(1 if failed or not runs else 0)


if __name__ == "__main__":
    main()
