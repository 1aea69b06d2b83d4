"""SIGKILL at any moment of a put in parts and of a get in ranges, then the same command again.

    kill_and_rerun.py S3TUG LAB [--times N] [--size MIB] [--seed N] [--folder DIR] [--only put|get]

After the rerun the bytes are right and no upload is left on the store; between the two what stood there before is
whole; and at most what was in flight when it was killed is sent, or fetched, twice (counted by the lab's journal): of an
upload no part whatever that the store had answered.
"""
import argparse
import filecmp
import os
import random
import re
import shutil
import signal
import statistics
import sys
import tempfile
import time
import urllib.request

from harness import Case

MIB = 1 << 20
PART = 16 * MIB
PARTS_IN_FLIGHT = 16  # the limit of both; a get begins with it where the lab, on a busy machine, does not answer at once
RECORD_BYTES = 64 * MIB
OLD = b"what stood there before"
SETTINGS = {"S3TUG_UNSIGNED_PAYLOAD": "true", "S3TUG_BREAKER": "off"}


class Bench:
    def __init__(self, arguments):
        self.size = arguments.size * MIB
        self.random = random.Random(arguments.seed)
        self.case = Case("--quirk", "anonymous")
        self.big = tempfile.mkdtemp(prefix="s3tug-kill-", dir=arguments.folder)
        self.source = os.path.join(self.big, "source")
        block = self.random.randbytes(MIB)
        with open(self.source, "wb") as out:
            for number in range(arguments.size):
                out.write(number.to_bytes(8, "big") + block[8:])
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        self.again = []   # bytes that went over the wire twice, in parts
        self.killed = 0

    def close(self):
        self.case.__exit__()
        shutil.rmtree(self.big)

    def request(self, method, path, data=None):
        asked = urllib.request.Request(f"{self.case.lab.endpoint}/box/{path}", data=data, method=method)
        return self.opener.open(asked, timeout=600)

    def stored(self, path):
        """Whether the object's bytes are those of the file, read piece by piece."""
        with self.request("GET", "put") as answer, open(path, "rb") as wanted:
            while piece := wanted.read(MIB):
                if answer.read(len(piece)) != piece:
                    return False
            return answer.read(1) == b""

    def uploads(self):
        return self.request("GET", "?uploads").read().count(b"<UploadId>")

    def duration(self, *command):
        """Of an undisturbed run."""
        began = time.monotonic()
        ended = self.case.run(*command, **SETTINGS)
        assert ended.code == 0, ended
        return time.monotonic() - began

    def kill_once(self, command):
        """Runs it, kills it at a moment of its usual time. Whether it was killed before it ended."""
        process = self.case.start(*command, **SETTINGS)
        time.sleep(self.random.uniform(0, self.usual))
        process.send_signal(signal.SIGKILL)
        _, err = process.communicate(timeout=60)
        assert process.returncode in (-signal.SIGKILL, 0), (process.returncode, err)
        self.case.lab.control("idle", b"")
        # The machine may be less busy now than when the time was taken, or more.
        self.usual *= 1.1 if process.returncode != 0 else 0.7
        return process.returncode != 0

    def journal_bytes(self, operation, field):
        self.case.lab.control("idle", b"")
        return sum(entry[field] for entry in self.case.lab.log() if entry["op"] == operation)

    def parts_answered(self, log):
        """Numbers of the parts that the store has, and how many were cut."""
        parts = [e for e in log if e["op"] == "UploadPart"]
        whole = {re.search(r"partNumber=(\d+)", e["target"])[1] for e in parts if e["status"] == 200}
        return whole, sum(e["status"] != 200 for e in parts)

    def put(self):
        self.request("PUT", "put", OLD)
        self.case.lab.control("reset", b"")
        command = ("put", self.source, "s3://box/put")
        killed = self.kill_once(command)
        self.killed += killed
        log = self.case.lab.log()
        if killed and not any(e["op"] == "CompleteMultipartUpload" for e in log):
            assert self.request("GET", "put").read() == OLD, "the old object is gone before Complete"
        ended = self.case.run(*command, **SETTINGS)
        assert ended.code == 0, ended
        assert self.stored(self.source), "the object is not the file"
        assert self.uploads() == 0, "an upload is left"
        # A run that was killed after its Complete did everything, and so did the rerun.
        whole_twice = sum(e["op"] == "CompleteMultipartUpload" and e["status"] == 200 for e in self.case.lab.log()) > 1
        if killed and not whole_twice:
            whole, cut = self.parts_answered(log)
            again, _ = self.parts_answered(self.case.lab.log()[len(log):])
            assert not whole & again, f"parts sent again that the store had: {sorted(whole & again)}"
            assert cut <= PARTS_IN_FLIGHT, f"{cut} parts were cut"
            self.count_again(self.journal_bytes("UploadPart", "body_received") - self.size)

    def get(self):
        there = os.path.join(self.big, "there")
        with open(there, "wb") as out:
            out.write(OLD)
        self.case.lab.control("reset", b"")
        command = ("get", "s3://box/get", there)
        killed = self.kill_once(command)
        self.killed += killed
        done = os.path.getsize(there) == self.size
        if killed and not done:
            assert open(there, "rb").read() == OLD, "the old file was touched"
        ended = self.case.run(*command, **SETTINGS)
        assert ended.code == 0, ended
        assert filecmp.cmp(self.source, there, shallow=False), "the file is not the object"
        left = [name for name in os.listdir(self.big) if "s3tug-part" in name]
        assert not left, left
        if killed and not done:
            self.count_again(self.journal_bytes("GetObject", "body_sent") - self.size)
        os.unlink(there)

    def count_again(self, extra):
        self.again.append(extra / PART)
        assert extra <= self.allowed, f"{extra / PART:.1f} parts went over the wire twice"

    def try_all(self, name, one, command, times):
        self.again, self.killed = [], 0
        self.usual = self.duration(*command)
        # In flight; and of a get what came since its record was last written: at most RECORD_BYTES.
        part = PART * (2 if name == "put" and self.size >= 128 * MIB else 1)
        self.allowed = PARTS_IN_FLIGHT * part + (RECORD_BYTES if name == "get" else 0)
        began = time.monotonic()
        for _ in range(times):
            one()
        assert self.killed >= times / 4, f"only {self.killed} of {times} were killed in time"
        again = sorted(self.again) or [0]
        print(f"ok    {name}: {times} times {self.size >> 20} MiB, {self.killed} killed before their end, parts sent or "
              f"fetched again: median {statistics.median(again):.1f}, most {again[-1]:.1f}; "
              f"{time.monotonic() - began:.0f} s", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binaries", nargs=2)
    parser.add_argument("--times", type=int, default=8)
    parser.add_argument("--size", type=int, default=64)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder")
    parser.add_argument("--only", choices=("put", "get"))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}")
    bench = Bench(arguments)
    try:
        put, get = ("put", bench.source, "s3://box/get"), ("get", "s3://box/get", os.path.join(bench.big, "there"))
        if arguments.only != "get":
            bench.try_all("put", bench.put, put, arguments.times)
        else:
            bench.duration(*put)
        if arguments.only != "put":
            bench.try_all("get", bench.get, get, arguments.times)
    finally:
        bench.close()
    print(f"{1 if arguments.only else 2} passed, 0 failed")


if __name__ == "__main__":
    sys.exit(main())
