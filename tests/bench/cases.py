"""What is measured: the work, the options that make it comparable, and what we want of it."""
import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path

SMALL_OBJECTS = 5000  # the null store's listing has so many
SMALL_BYTES = 4096


@dataclass
class Target:
    peer: str     # a tool's name, or "every"
    figure: str   # wall or cpu
    factor: float
    plus: float = 0.0  # seconds


@dataclass
class Case:
    name: str
    title: str
    work: str               # method of the tools
    what: dict              # its arguments; FOLDER/ stands for the folder of the run
    tls: bool = False
    options: tuple = ()     # of s3tug
    peers: tuple = ("curl", "s5cmd", "rclone", "aws", "s3cmd")
    targets: list = field(default_factory=list)
    cpu_each: float = 0     # target: seconds of CPU for each small object
    made: tuple = ()        # what the run makes, removed before it
    pairs: int = 1          # runs of each tool in each round: what takes milliseconds needs many
    folder: str = ""        # ... and this is made anew, empty: s3cmd writes into no folder that is not there
    right: tuple = ()       # (path, bytes) or (folder, files, bytes each) that must be there afterwards


def big_cases(size):
    big = dict(key="big.bin", file="FOLDER/got")
    up = dict(file="FOLDER/big", key="up/big")
    got = dict(work="get", what=big, made=("got",), right=("got", size))
    put = dict(work="put", what=up)
    every = Target("every", "wall", 1.0)
    unsigned = ("--unsigned-payload",)
    return [
        Case("get-http", "get, HTTP, no checksum", **got, options=("--checksum", "none"),
             targets=[every, Target("curl", "cpu", 1.15)]),
        Case("get-http-checksum", "get, HTTP", **got, targets=[every, Target("curl", "cpu", 1.4)]),
        Case("get-tls", "get, TLS, no checksum", **got, tls=True, options=("--checksum", "none"),
             targets=[every, Target("curl", "cpu", 1.1)]),
        Case("get-tls-checksum", "get, TLS", **got, tls=True, targets=[every]),
        Case("put-http-plain", "put, HTTP, unsigned, no checksum", **put, options=(*unsigned, "--checksum", "none"),
             targets=[every]),
        Case("put-http-unsigned", "put, HTTP, unsigned", **put, options=unsigned,
             targets=[every, Target("curl", "cpu", 1.3)]),
        Case("put-http-signed", "put, HTTP, signed payload", **put, targets=[Target("s5cmd", "cpu", 0.5)]),
        Case("put-tls", "put, TLS, no checksum", **put, tls=True, options=("--checksum", "none"),
             targets=[every, Target("curl", "cpu", 1.1)]),
        Case("put-tls-checksum", "put, TLS", **put, tls=True, targets=[every]),
    ]


def cases(size):
    small = dict(peers=("s5cmd", "rclone", "aws", "s3cmd"))
    half = Target("s5cmd", "wall", 0.5)
    tree = dict(folder="FOLDER/tree", prefix="up")
    return [
        Case("put-4k", "put 4 KiB (start-up)", "put", dict(file="FOLDER/small", key="up/small"),
             pairs=20, targets=[Target("curl", "wall", 1.0, 0.002)]),
        Case("copy", "copy 4 KiB, by the store", "copy", dict(key="small/0000", to="copied"), **small),
        *big_cases(size),
        Case("put-tree", f"put {SMALL_OBJECTS} x 4 KiB", "put_tree", tree, **small, targets=[half], cpu_each=80e-6),
        Case("get-tree", f"get {SMALL_OBJECTS} x 4 KiB", "get_tree", dict(prefix="small", folder="FOLDER/tree-got"),
             **small, targets=[half], cpu_each=80e-6, made=("tree-got",), folder="tree-got",
             right=("tree-got", SMALL_OBJECTS, SMALL_BYTES)),
        Case("delete-tree", f"delete {SMALL_OBJECTS}", "delete_tree", dict(prefix="small"), **small, targets=[half]),
    ]


def make_sources(folder, size, count=SMALL_OBJECTS):
    """The big file, a small one and a folder of small ones; bytes that no file system makes less of."""
    folder = Path(folder)
    block = os.urandom(1 << 20)
    with open(folder / "big", "wb") as big:
        for number in range(size >> 20):
            big.write(number.to_bytes(8, "big") + block[8:])
    (folder / "small").write_bytes(block[:SMALL_BYTES])
    (folder / "tree").mkdir()
    for number in range(count):
        (folder / "tree" / f"{number:04}").write_bytes(number.to_bytes(8, "big") + block[8:SMALL_BYTES])


def remove_made(case, folder):
    for name in case.made:
        path = Path(folder) / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    if case.folder:
        (Path(folder) / case.folder).mkdir()


def wrong(case, folder):
    """Nothing, or what is missing after a run."""
    if not case.right:
        return None
    path = Path(folder) / case.right[0]
    if len(case.right) == 2:
        size = path.stat().st_size if path.exists() else 0
        return None if size == case.right[1] else f"{size} bytes instead of {case.right[1]}"
    files = [one for one in path.rglob("*") if one.is_file() and one.stat().st_size == case.right[2]]
    return None if len(files) == case.right[1] else f"{len(files)} files instead of {case.right[1]}"
