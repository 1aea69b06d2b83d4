"""What is big: an object of 8 GiB, file, stream and copy, and a tree of 100,000 files; measured, bytes compared.

Only where S3TUG_BIG=1 says so: minutes, and 40 GB of disk. The normal run has the same tree with 500 files.
"""
import os
import random
import shutil
import subprocess

from bench import BUCKET, etag_of
from cases import first
from measured import Measured, measured, wrong_with

GIB = 1 << 30
BIG_BYTES = 8 * GIB
FILES_SHORT, FILES_LONG, FILES_PER_FOLDER, FILE_BYTES_MAX = 500, 100_000, 1000, 4096


def add(report, feature, wrong, figures):
    report.add(feature, wrong)
    report.note(feature, figures)


def stdout_is(b, uri, path):
    """get URI - | cmp PATH -: (what went wrong or nothing, Figures)"""
    run = Measured(b, ("get", uri, "-"), stdout=subprocess.PIPE)
    compared = subprocess.run(["cmp", path, "-"], stdin=run.out, capture_output=True, text=True)
    run.out.close()
    code, last, figures = run.end()
    return wrong_with(code, last, figures) or compared.stdout or compared.stderr, figures


def other_bytes(a, b):
    return subprocess.run(["cmp", a, b], capture_output=True).returncode != 0 and "other bytes"


def object_of_8_gib(b, report, big):
    if not big:
        return
    path, there = b.file("big", BIG_BYTES), b.folder / "there"

    wrong, figures = measured(b, "put", path, b.uri("big"))
    facts = b.client.head(BUCKET, b"big") or {}
    wrong = first(wrong, int(facts.get("content-length", -1)) != BIG_BYTES and f"the store has {facts}",
                  facts.get("etag", "").strip('"') != etag_of(path) and f"the store's ETag is {facts.get('etag')}")
    add(report, "8 GiB: put a file", wrong, figures)

    wrong, figures = measured(b, "get", b.uri("big"), there)
    add(report, "8 GiB: get to a file", wrong or other_bytes(path, there), figures)
    there.unlink(missing_ok=True)

    add(report, "8 GiB: get to stdout", *stdout_is(b, b.uri("big"), path))

    wrong, figures = measured(b, "copy", b.uri("big"), b.uri("big.copy"))
    add(report, "8 GiB: copy", wrong or stdout_is(b, b.uri("big.copy"), path)[0], figures)
    wrong, figures = measured(b, "delete", b.uri("big"), b.uri("big.copy"))
    add(report, "8 GiB: delete both", wrong, figures)
    path.unlink()


def stream_of_8_gib(b, report, big):
    if not big:
        return
    path = b.file("big", BIG_BYTES)
    with subprocess.Popen(["cat", path], stdout=subprocess.PIPE) as source:
        wrong, figures = measured(b, "put", "-", b.uri("big.stream"), stdin=source.stdout)
    add(report, "8 GiB: put from a pipe", wrong or stdout_is(b, b.uri("big.stream"), path)[0], figures)
    b.tug("delete", b.uri("big.stream"))
    path.unlink()


def make_tree(folder, count):
    """Files of 0 to 4 KiB in folders of 1000, of random bytes."""
    rng = random.Random(count)
    noise = rng.randbytes(1 << 20)
    for number in range(count):
        below = folder / f"d{number // FILES_PER_FOLDER % 10}" / f"{number // FILES_PER_FOLDER:03}"
        if number % FILES_PER_FOLDER == 0:
            below.mkdir(parents=True)
        begin = rng.randrange(len(noise) - FILE_BYTES_MAX)
        (below / f"f{number:06}.bin").write_bytes(noise[begin:begin + rng.randrange(FILE_BYTES_MAX + 1)])


def listed(b, uri):
    path = b.folder / "listed"
    with open(path, "wb") as out:
        wrong, figures = measured(b, "list", "--recursive", uri, stdout=out)
    with open(path, "rb") as lines:
        return wrong, figures, sum(1 for _ in lines)


def differs(a, b):
    done = subprocess.run(["diff", "-rq", a, b], capture_output=True, text=True)
    return done.returncode != 0 and f"diff: {(done.stdout or done.stderr).splitlines()[:3]}"


def tree(b, report, big):
    count = FILES_LONG if big else FILES_SHORT
    here, there = b.folder / "tree", b.folder / "tree.there"
    make_tree(here, count)

    wrong, figures = measured(b, "put", "--recursive", here, b.uri("tree/"))
    add(report, "tree: put", wrong, figures)
    wrong, figures, lines = listed(b, b.uri("tree/"))
    add(report, "tree: list", wrong or (lines != count and f"{lines} lines"), figures)
    report.add("tree: the second client lists as many", len(b.client.keys(BUCKET, b"tree/")) != count and "other number")
    wrong, figures = measured(b, "get", "--recursive", b.uri("tree/"), there)
    add(report, "tree: get", wrong or differs(here, there), figures)
    shutil.rmtree(there, ignore_errors=True)
    wrong, figures = measured(b, "copy", "--recursive", b.uri("tree/"), b.uri("tree.copy/"))
    add(report, "tree: copy", wrong or differs_from_copy(b, here, there), figures)
    wrong, figures = measured(b, "delete", "--recursive", b.uri("tree/"))
    left = (len(b.client.keys(BUCKET, b"tree/")), len(b.client.keys(BUCKET, b"tree.copy/")))
    add(report, "tree: delete, and nothing beside it", wrong or (left != (0, count) and f"left {left}"), figures)
    b.tug("delete", "--recursive", b.uri("tree.copy/"))
    shutil.rmtree(here)


def differs_from_copy(b, here, there):
    wrong, _ = measured(b, "get", "--recursive", b.uri("tree.copy/"), there)
    wrong = wrong or differs(here, there)
    shutil.rmtree(there, ignore_errors=True)
    return wrong


BIG = (object_of_8_gib, stream_of_8_gib, tree)
