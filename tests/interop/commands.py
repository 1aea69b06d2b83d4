"""The commands beside put, get, copy and delete, and those with many items, on every server."""
import json
import os
import signal
import subprocess
import time

from bench import BUCKET
from cases import first

MIB = 1 << 20
MANY = 1105  # more than one page of a listing and one batch of deletes


def put(b, key, data):
    assert b.client.put(BUCKET, key.encode(), data), key


def stored(b, key, data):
    return None if b.client.get(BUCKET, key.encode()) == data else f"{key} has other bytes or is not there"


def gone(b, *keys):
    left = [key for key in keys if b.client.head(BUCKET, key.encode()) is not None]
    return left and f"{left} still there"


def last_words(run):
    return [line.split(b"PRE ")[1] if b" PRE " in line else line.split(maxsplit=3)[-1]
            for line in run.out.splitlines() if line.strip()]


def clear(b):
    b.tug("delete", "--recursive", f"s3://{BUCKET}/*")


def listings(b, report, _):
    for key in ("l/a", "l/sub/x", "l/sub/deep/y", "l-1"):
        put(b, key, key.encode())
    run = b.tug("list", b.uri("l/"))
    report.add("list: folders and objects", b.expect(run, 0) or
               (last_words(run) != [b"sub/", b"a"] and f"{run.out}"))
    run = b.tug("list", "--recursive", "--summarize", b.uri("l/"))
    report.add("list: recursive", b.expect(run, 0) or
               (last_words(run)[:3] != [b"l/a", b"l/sub/deep/y", b"l/sub/x"] and f"{run.out}"))
    run = b.tug("list", b.uri("l/*y"))
    report.add("list: pattern", b.expect(run, 0) or (last_words(run) != [b"l/sub/deep/y"] and f"{run.out}"))
    report.add("list: nothing there: 66", b.expect(b.tug("list", b.uri("nothing/")), 66))
    run = b.tug("list")
    report.add("list: buckets", b.expect(run, 0) or
               (f"s3://{BUCKET}".encode() not in last_words(run) and f"{run.out}"))
    run = b.tug("stat", "--json", b.uri("l/a"))
    report.add("stat", b.expect(run, 0) or
               (json.loads(run.out.splitlines()[0])["size"] != 3 and f"{run.out}"))
    report.add("stat: no such key: 66", b.expect(b.tug("stat", b.uri("l/none")), 66))
    clear(b)


def many_items(b, report, _):
    folder, names = b.folder / "many", [f"m{number:04}" for number in range(MANY)]
    folder.mkdir()
    for name in names:
        (folder / name).write_bytes(name.encode())
    lines = "".join(f"put {folder / name} s3://{BUCKET}/many/{name}\n" for name in names)
    run = b.tug("run", "-", stdin=lines.encode())
    report.add("run: puts, one a line", b.expect(run, 0) or (run.out.count(b"ok ") != MANY and "not all are ok"))
    run = b.tug("list", b.uri("many/"))
    report.add("list: more than a page", b.expect(run, 0) or
               (last_words(run) != [name.encode() for name in names] and f"{len(run.out.splitlines())} lines"))
    there = b.folder / "some"
    run = b.tug("get", b.uri("many/m00*"), f"{there}/")
    report.add("get: pattern", b.expect(run, 0) or (len(os.listdir(there)) != 100 and "other number of files"))
    wanted = b.folder / "list"
    wanted.write_text("".join(f"many/{name}\n" for name in names[:5]))
    run = b.tug("delete", "--files-from", wanted, f"s3://{BUCKET}/")
    report.add("delete: --files-from", b.expect(run, 0) or gone(b, *(f"many/{name}" for name in names[:5])) or
               (len(b.client.keys(BUCKET, b"many/")) != MANY - 5 and "other number left"))
    run = b.tug("delete", "--recursive", "--exclude", "*0", b.uri("many/"))
    kept = [f"many/{name}".encode() for name in names[5:] if name.endswith("0")]
    report.add("delete: batches, --exclude", b.expect(run, 0) or
               (b.client.keys(BUCKET, b"many/") != kept and f"{len(b.client.keys(BUCKET, b'many/'))} left"))
    wanted.write_text("".join(f"{name}\n" for name in names[:5]))
    run = b.tug("put", "--files-from", wanted, folder, b.uri("again/"))
    report.add("put: --files-from", b.expect(run, 0) or
               (len(b.client.keys(BUCKET, b"again/")) != 5 and "other number of objects"))
    clear(b)


def refused_deletes(b, report, _):
    """One key that a bucket policy protects, among others."""
    policy = {"Version": "2012-10-17", "Statement": [{
        "Effect": "Deny", "Principal": "*", "Action": "s3:DeleteObject", "Resource": f"arn:aws:s3:::{BUCKET}/kept/*"}]}
    feature = "delete: one of a batch is refused: 1, the rest gone"
    answer = b.client.request("PUT", BUCKET, query={"policy": ""}, body=json.dumps(policy).encode())
    if answer.status not in (200, 204):
        return report.row(feature, f"no bucket policies ({answer.status})")
    keys = ["kept/x", *(f"free/{number}" for number in range(5))]
    for key in keys:
        put(b, key, b"x")
    run = b.tug("delete", *(b.uri(key) for key in keys))
    report.add(feature, b.expect(run, 1) or gone(b, *keys[1:]) or stored(b, "kept/x", b"x"))
    b.client.request("DELETE", BUCKET, query={"policy": ""})
    clear(b)


def moves(b, report, _):
    path, there = b.file("mover", 1000), b.folder / "moved"
    data = path.read_bytes()
    report.add("move: up", b.expect(b.tug("move", path, b.uri("v/a")), 0) or stored(b, "v/a", data) or
               (path.exists() and "the file is still there"))
    report.add("move: within the store", b.expect(b.tug("move", b.uri("v/a"), b.uri("v/b")), 0) or
               stored(b, "v/b", data) or gone(b, "v/a"))
    report.add("move: down", b.expect(b.tug("move", b.uri("v/b"), there), 0) or gone(b, "v/b") or
               (there.read_bytes() != data and "other bytes"))
    put(b, "c/1", b"one")
    put(b, "c/2", b"two")
    run = b.tug("cat", b.uri("c/1"), b.uri("c/2"))
    report.add("cat", b.expect(run, 0) or (run.out != b"onetwo" and f"{run.out}"))
    report.add("pipe", b.expect(b.tug("pipe", b.uri("c/3"), stdin=b"three"), 0) or stored(b, "c/3", b"three"))
    clear(b)


def write_conditions(b, report, _):
    small, large = b.file("small", 100), b.file("large", 17 * MIB)
    put(b, "w/taken", b"theirs")
    put(b, "w/from", small.read_bytes())
    theirs = b.client.head(BUCKET, b"w/taken")["etag"].strip('"')
    other = "0123456789abcdef0123456789abcdef"

    def refused(*words):
        """Exit 79 (or 76: known not to be kept), and what stands there stays."""
        run = b.tug(*words)
        wrong = stored(b, "w/taken", b"theirs")
        put(b, "w/taken", b"theirs")
        return wrong or b.expect(run, 79)

    report.add("put in parts --no-overwrite, key taken: 79",
               refused("put", "--no-overwrite", large, b.uri("w/taken")))
    report.add("put in parts --no-overwrite, new key",
               b.expect(b.tug("put", "--no-overwrite", large, b.uri("w/new")), 0) or
               stored(b, "w/new", large.read_bytes()))
    report.add("put in parts --if-match, other ETag: 79",
               refused("put", "--if-match", other, large, b.uri("w/taken")))
    report.add("put in parts --if-match, right ETag",
               b.expect(b.tug("put", "--if-match", theirs, large, b.uri("w/taken")), 0) or
               stored(b, "w/taken", large.read_bytes()))
    put(b, "w/taken", b"theirs")
    report.add("copy --no-overwrite, key taken: 79",
               refused("copy", "--no-overwrite", b.uri("w/from"), b.uri("w/taken")))
    report.add("copy --no-overwrite, new key",
               b.expect(b.tug("copy", "--no-overwrite", b.uri("w/from"), b.uri("w/fresh")), 0) or
               stored(b, "w/fresh", small.read_bytes()))
    report.add("copy --if-match, other ETag: 79",
               refused("copy", "--if-match", other, b.uri("w/from"), b.uri("w/taken")))
    report.add("delete --if-match, other ETag: 79", refused("delete", "--if-match", other, b.uri("w/taken")))
    report.add("delete --if-match, right ETag",
               b.expect(b.tug("delete", "--if-match", theirs, b.uri("w/taken")), 0) or gone(b, "w/taken"))
    clear(b)


def left_uploads(b, report, _):
    """An upload of the second client's, and one of our own that a signal ends."""
    started = b.client.request("POST", BUCKET, b"u/alien", query={"uploads": ""})
    assert started.status == 200, started
    run = b.tug("uploads", "list", b.uri("u/"))
    report.add("uploads: list", b.expect(run, 0) or (b"u/alien" not in run.out and f"{run.out}"))
    run = b.tug("uploads", "abort", b.uri("u/alien"))
    report.add("uploads: abort", b.expect(run, 0) or
               (b.tug("uploads", "list", b.uri("u/")).out != b"" and "it is still there"))
    path = b.file("left", 24 * MIB)
    process = subprocess.Popen([b.binary, "put", "--part-size", "5MiB", "--limit-rate", "5MiB", path, b.uri("u/left")],
                               env=b.environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    time.sleep(2.5)
    process.send_signal(signal.SIGTERM)
    err = process.communicate(timeout=60)[1].decode()
    run = b.tug("uploads", "resume", b.uri("u/left"))
    report.add("uploads: resume after SIGTERM", first(
        process.returncode != -signal.SIGTERM and f"exit {process.returncode}: {err}", b.expect(run, 0),
        stored(b, "u/left", path.read_bytes()), b.tug("uploads", "list", b.uri("u/")).out != b"" and "one was left"))
    clear(b)


def versions(b, report, _):
    bucket = "interop-versions"
    b.client.make_bucket(bucket)
    body = b"<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"
    answer = b.client.request("PUT", bucket, query={"versioning": ""}, body=body)
    if answer.status != 200:
        return report.row("versions", f"no versioning ({answer.status})")
    uri, there = f"s3://{bucket}/k", b.folder / "version"
    ids = []
    for text in (b"first", b"second"):
        run = b.tug("--json", "put", "-", uri, stdin=text)
        ids.append(json.loads(run.out.splitlines()[0]).get("version_id") if run.code == 0 else None)
    report.add("versions: put says which", (not all(ids) or ids[0] == ids[1]) and f"{ids}")
    run = b.tug("get", "--version-id", f"{ids[0]}", uri, "-")
    report.add("versions: get an old one", b.expect(run, 0) or (run.out != b"first" and f"{run.out}"))
    run = b.tug("copy", "--version-id", f"{ids[0]}", uri, f"s3://{bucket}/old")
    report.add("versions: copy an old one", b.expect(run, 0) or
               (b.client.get(bucket, b"old") != b"first" and "other bytes"))
    run = b.tug("delete", uri)
    report.add("versions: delete leaves a marker", b.expect(run, 0) or b.expect(b.tug("stat", uri), 66) or
               b.expect(b.tug("stat", "--version-id", f"{ids[1]}", uri), 0))
    run = b.tug("delete", "--version-id", f"{ids[1]}", uri)
    report.add("versions: delete one for good", b.expect(run, 0) or
               b.expect(b.tug("get", "--version-id", f"{ids[1]}", uri, there), 66))


COMMANDS = (listings, many_items, refused_deletes, moves, write_conditions, left_uploads, versions)
