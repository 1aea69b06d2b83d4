"""What the cases use: s3tug as a user runs it, the second client, files of known content, and a report."""
import filecmp
import hashlib
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

BUCKET = "interop-bucket"


@dataclass
class Run:
    code: int
    out: bytes
    err: str


class Report:
    """Rows of one server: feature -> "yes", "no: why" where that server is known not to, or "FAILED: what"."""

    def __init__(self, server, limits):
        self.server, self.limits, self.rows, self.figures = server, limits, {}, {}

    def add(self, feature, wrong):
        """@param wrong  what went wrong, or nothing"""
        limit = self.limits.get(feature)
        if not wrong:
            self.row(feature, "yes")
        elif limit and limit.shows in wrong:
            self.row(feature, f"no: {limit.reason}")
        else:
            self.row(feature, f"FAILED: {wrong}")

    def row(self, feature, verdict):
        self.rows[feature] = verdict
        print(f"{self.server:8}  {feature:44}  {verdict}", flush=True)

    def note(self, feature, figures):
        self.figures[feature] = figures
        print(f"{self.server:8}  {'':44}  {figures}", flush=True)

    def failed(self):
        return [row for row in self.rows.values() if row.startswith("FAILED")]


class Bench:
    def __init__(self, binary, server, client, folder):
        self.binary, self.server, self.client, self.folder = binary, server, client, Path(folder)
        base = {k: v for k, v in os.environ.items() if not k.startswith(("AWS_", "S3TUG_", "XDG_"))}
        self.environment = base | server.settings | {
            "HOME": str(folder), "XDG_STATE_HOME": f"{folder}/state", "S3TUG_BACKOFF_BASE": "50ms",
            "S3TUG_RETRIES": "3"}

    def tug(self, *arguments, stdin=b"", environment=None):
        done = subprocess.run([self.binary, *arguments], env=self.environment | (environment or {}), input=stdin,
                              capture_output=True, timeout=600)
        return Run(done.returncode, done.stdout, done.stderr.decode(errors="replace").strip())

    def uri(self, key):
        return b"s3://" + BUCKET.encode() + b"/" + (key if isinstance(key, bytes) else key.encode())

    def file(self, name, size):
        """Content that differs at every position, made in blocks so that a gigabyte takes a second."""
        path = self.folder / name
        block, left, number = os.urandom(1 << 20), size, 0
        with open(path, "wb") as out:
            while left:
                part = (number.to_bytes(8, "big") + block[8:])[:left]
                out.write(part)
                left -= len(part)
                number += 1
        return path

    def same(self, a, b):
        return Path(b).exists() and filecmp.cmp(a, b, shallow=False)

    def expect(self, run, *codes):
        """Nothing, or what went wrong."""
        if run.code in codes:
            return None
        return f"exit {run.code} instead of {' or '.join(map(str, codes))}: {run.err.splitlines()[-1:] or run.err}"


PART_BYTES = 16 << 20
PARTS_GROW_FROM = 128 << 20  # to twice as much


def etag_of(path):
    """What S3 makes of the bytes: their MD5, or above the threshold the MD5 of the MD5s of the parts."""
    if os.path.getsize(path) <= PART_BYTES:
        return md5_of(path)
    parts = []
    with open(path, "rb") as data:
        part_bytes = PART_BYTES * (2 if os.path.getsize(path) >= PARTS_GROW_FROM else 1)
        while part := data.read(part_bytes):
            parts.append(hashlib.md5(part).digest())
    return f"{hashlib.md5(b''.join(parts)).hexdigest()}-{len(parts)}"


def md5_of(path):
    with open(path, "rb") as data:
        return hashlib.file_digest(data, "md5").hexdigest()
