"""Pipes, odd targets, and stdout that holds data only."""
import json
import os
import subprocess
import threading

from harness import Case, ends_with, run_all


def test_stdin_and_stdout_carry_every_byte():
    with Case() as c:
        for data in (b"", b"\n", bytes(range(256)) * 1000, os.urandom(20_000_000)):
            ends_with(c.run("put", "-", "s3://box/k", data=data), 0)
            ended = c.run("get", "s3://box/k", "-")
            assert ended.code == 0 and ended.out == data and ended.err == "", (ended.code, len(ended.out))


def test_a_fifo_and_dev_fd_are_streams():
    with Case() as c:
        os.mkfifo(c.path("fifo"))
        writer = threading.Thread(target=lambda: open(c.path("fifo"), "wb").write(b"through a fifo"))
        writer.start()
        ends_with(c.run("put", c.path("fifo"), "s3://box/k"), 0)
        writer.join()
        assert c.run("get", "s3://box/k", "/dev/stdout").out == b"through a fifo"
        ends_with(c.run("put", "/dev/fd/0", "s3://box/k2", data=b"by number"), 0)
        assert c.run("get", "s3://box/k2", "-").out == b"by number"


def test_a_failed_get_leaves_the_old_file_and_nothing_beside_it():
    with Case() as c:
        c.run("put", c.file("f", b"n" * 100_000), "s3://box/k")
        target = c.file("target", b"old")
        c.lab.weather("GetObject: reset mid-answer@50000")
        ends_with(c.run("get", "--retries", "0", "--no-state", "s3://box/k", target), 75)
        assert open(target, "rb").read() == b"old"


def test_a_link_is_kept_and_its_target_replaced():
    with Case() as c:
        c.run("put", c.file("f", b"new"), "s3://box/k")
        os.symlink(c.file("real", b"old"), c.path("link"))
        ends_with(c.run("get", "s3://box/k", c.path("link")), 0)
        assert os.path.islink(c.path("link")) and open(c.path("real"), "rb").read() == b"new"


def test_folders_as_targets_take_the_name_of_the_source():
    with Case() as c:
        ends_with(c.run("put", c.file("a.txt"), c.file("b.txt"), "s3://box/dir/"), 0)
        os.mkdir(c.path("into"))
        ends_with(c.run("get", "s3://box/dir/a.txt", "s3://box/dir/b.txt", c.path("into")), 0)
        assert sorted(os.listdir(c.path("into"))) == ["a.txt", "b.txt"]


def test_json_is_one_line_an_item_with_the_promised_fields():
    with Case() as c:
        ended = ends_with(c.run("--json", "put", c.file("a"), c.path("nowhere"), "s3://box/dir/"), 1)
        lines = [json.loads(line) for line in ended.out.splitlines()]
        fields = set("op source target size etag version_id checksum attempts elapsed_ms cached error".split())
        assert len(lines) == 3 and all(set(line) == fields for line in lines[:2]), lines
        assert sum(line["error"] is None for line in lines[:2]) == 1


def test_mtime_of_a_got_file_is_the_objects_last_modified():
    with Case() as c:
        c.run("put", c.file("f"), "s3://box/k")
        ends_with(c.run("get", "s3://box/k", c.path("out")), 0)
        modified = [e for e in c.lab.log() if e["op"] == "PutObject"]
        assert modified and abs(os.stat(c.path("out")).st_mtime - os.stat(c.path("f")).st_mtime) < 60


def test_keys_of_awkward_bytes_round_trip():
    with Case() as c:
        keys = ["a b", "a+b", "a%20b", "a?b", "a#b", "a&b=c", "ü/ñ", "..", "a/../b", "./x", "a//b", "'\"`$(x)", "~", "*",
                "tab\there", "x" * 900]
        for number, key in enumerate(keys):
            ends_with(c.run("put", "-", "s3://box/" + key, data=b"%d" % number), 0)
        for number, key in enumerate(keys):
            ended = c.run("get", "--raw", "s3://box/" + key, "-")
            assert ended.out == b"%d" % number, (key, ended)
        for key in keys:
            ends_with(c.run("delete", "--raw", "s3://box/" + key), 0)


def test_a_closed_stdout_or_stdin_is_an_error_and_no_hang():
    with Case() as c:
        c.run("put", c.file("f"), "s3://box/k")
        for command in (f"'{os.sys.argv[1]}' get s3://box/k - >&-", f"'{os.sys.argv[1]}' put - s3://box/k <&-"):
            done = subprocess.run(["bash", "-c", command], env={**c.environment}, stderr=subprocess.PIPE, timeout=60,
                                  stdin=subprocess.DEVNULL)
            assert done.returncode in (73, 74, 141), (command, done)


run_all(globals())
