"""The cases: each is tried on every server and gives rows of the table."""
import os

from bench import BUCKET, etag_of, md5_of

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30


def first(*wrongs):
    return next((wrong for wrong in wrongs if wrong), None)


def round_trip(b, path, size, key):
    """put, get to a file and to stdout, copy, get the copy, delete both: what went wrong first, or nothing."""
    copy, there = key + ".copy", b.folder / "there"
    wrong = b.expect(b.tug("put", path, b.uri(key)), 0)
    if wrong:
        return f"put: {wrong}"
    facts = b.client.head(BUCKET, key.encode())
    if facts is None or int(facts["content-length"]) != size:
        return f"the store has {facts and facts['content-length']} bytes of {size}"
    if facts["etag"].strip('"') != etag_of(path):
        return f"the store's ETag is {facts['etag']}"
    for name in (key, copy):
        if name == copy:
            wrong = b.expect(b.tug("copy", b.uri(key), b.uri(copy)), 0)
            if wrong:
                return f"copy: {wrong}"
        wrong = b.expect(b.tug("get", b.uri(name), there), 0)
        if wrong or not b.same(path, there):
            return f"get {name}: {wrong or 'other bytes'}"
        there.unlink()
    if size < GIB:
        run = b.tug("get", b.uri(key), "-")
        if run.code != 0 or run.out != path.read_bytes():
            return f"get to stdout: {b.expect(run, 0) or 'other bytes'}"
    for name in (key, copy):
        wrong = b.expect(b.tug("delete", b.uri(name)), 0)
        if wrong or b.client.head(BUCKET, name.encode()) is not None:
            return f"delete {name}: {wrong or 'it is still there'}"
    return None


# Around one part, where a put becomes a multipart upload, and around two, where a get begins to ask for ranges.
SIZES = (("0 B", 0), ("1 B", 1), ("5 MiB", 5 * MIB),
         ("16 MiB - 1", 16 * MIB - 1), ("16 MiB", 16 * MIB), ("16 MiB + 1", 16 * MIB + 1),
         ("32 MiB - 1", 32 * MIB - 1), ("32 MiB", 32 * MIB), ("32 MiB + 1", 32 * MIB + 1), ("1 GiB", GIB))


def sizes(b, report, big):
    for label, size in SIZES:
        feature = f"put get copy delete, {label}"
        if size == GIB and not (big or b.server.name == "ceph-rgw"):
            report.rows[feature] = "not tried"
            continue
        path = b.file("source", size)
        report.add(feature, round_trip(b, path, size, f"sizes/{size}.bin"))
        path.unlink()


def streams(b, report, _):
    for label, size in (("nothing", 0), *SIZES[2:-1]):
        data = os.urandom(size)
        run = b.tug("put", "-", b.uri("stream"), stdin=data)
        wrong = b.expect(run, 0) or (b.client.get(BUCKET, b"stream") != data and "other bytes")
        report.add(f"put from a pipe, {label}", wrong)


def object_facts(b, report, _):
    path = b.file("facts.csv", 100)
    put = b.tug("put", "--metadata", "job=nightly", "--cache-control", "max-age=60", path, b.uri("facts/"))
    stored = b.client.head(BUCKET, b"facts/facts.csv") or {}
    seen = {name: stored.get(name) for name in ("content-type", "cache-control", "x-amz-meta-job")}
    right = {"content-type": "text/csv", "cache-control": "max-age=60", "x-amz-meta-job": "nightly"}
    report.add("metadata, type by extension, cache control", b.expect(put, 0) or (seen != right and f"{seen}"))
    report.add("write token in the metadata", "x-amz-meta-s3tug-write" not in stored and "it is not there")
    copy = b.tug("copy", b.uri("facts/facts.csv"), b.uri("facts/copy"))
    stored = b.client.head(BUCKET, b"facts/copy") or {}
    seen = {name: stored.get(name) for name in right}
    report.add("copy keeps them", b.expect(copy, 0) or (seen != right and f"{seen}"))
    copy = b.tug("copy", "--metadata", "job=other", b.uri("facts/facts.csv"), b.uri("facts/copy"))
    stored = b.client.head(BUCKET, b"facts/copy") or {}
    report.add("copy replaces them", b.expect(copy, 0) or (stored.get("x-amz-meta-job") != "other" and f"{stored}"))


def conditions(b, report, _):
    one, two, there = b.file("one", 10), b.file("two", 20), b.folder / "there"

    def is_still(data, key=b"cond"):
        return None if b.client.get(BUCKET, key) == data.read_bytes() else "the object was changed"

    def refused(*options):
        """Whatever the code, the object must be what it was."""
        run = b.tug("put", *options, two, b.uri("cond"))
        return is_still(one) or b.expect(run, 79)

    etag = md5_of(one)
    report.add("put --no-overwrite, new key",
               b.expect(b.tug("put", "--no-overwrite", one, b.uri("cond")), 0) or is_still(one))
    b.client.put(BUCKET, b"cond", one.read_bytes())
    report.add("put --no-overwrite, key taken: 79", refused("--no-overwrite"))
    report.add("put --if-match, other ETag: 79", refused("--if-match", md5_of(two)))
    report.add("put --if-match, right ETag",
               b.expect(b.tug("put", "--if-match", etag, two, b.uri("cond")), 0) or is_still(two))
    b.client.put(BUCKET, b"cond", one.read_bytes())
    report.add("get --if-match, right ETag", b.expect(b.tug("get", "--if-match", etag, b.uri("cond"), there), 0))
    there.unlink(missing_ok=True)
    report.add("get --if-match, other ETag: 79",
               first(b.expect(b.tug("get", "--if-match", md5_of(two), b.uri("cond"), there), 79),
                     there.exists() and "a file was made"))
    b.client.put(BUCKET, b"cond", one.read_bytes())
    report.add("put --no-clobber, key taken",
               b.expect(b.tug("put", "--no-clobber", two, b.uri("cond")), 0) or is_still(one))


def checksums(b, report, _):
    path, there = b.file("sums", 100 * KIB), b.folder / "there"
    for algorithm in ("crc64nvme", "crc32", "crc32c", "sha1", "sha256", "none"):
        put = b.tug("put", "--checksum", algorithm, path, b.uri("sums"))
        get = b.tug("get", b.uri("sums"), there)
        same = b.same(path, there)
        report.add(f"put --checksum {algorithm}", first(b.expect(put, 0), b.expect(get, 0), not same and "other bytes"))
        if algorithm != "none":
            answer = b.client.request("HEAD", BUCKET, b"sums")
            kept = f"x-amz-checksum-{algorithm}" in answer.headers
            report.add(f"... kept by the store ({algorithm})", not kept and "no header")
        there.unlink(missing_ok=True)
    report.add("unsigned payload", b.expect(b.tug("put", "--unsigned-payload", path, b.uri("sums")), 0))


def refusals(b, report, _):
    path, there = b.file("plain", 10), b.folder / "there"
    report.add("no such key: 66", first(b.expect(b.tug("get", b.uri("not/here"), there), 66),
                                        there.exists() and "a file was made"))
    report.add("no such bucket: 66", b.expect(b.tug("put", path, "s3://no-such-bucket/k"), 66))
    report.add("delete of a missing key", b.expect(b.tug("delete", b.uri("not/here")), 0))
    wrong_secret = {"AWS_SECRET_ACCESS_KEY": "not-the-secret"}
    report.add("wrong secret: 77", b.expect(b.tug("put", path, b.uri("k"), environment=wrong_secret), 77))
    unknown_key = {"AWS_ACCESS_KEY_ID": "nobody:here"}
    report.add("unknown access key: 77", b.expect(b.tug("put", path, b.uri("k"), environment=unknown_key), 77))


def idempotency(b, report, _):
    path = b.file("once", 10)
    arguments = ("put", "--idempotency-key", "interop-1", path, b.uri("once"))
    wrong = b.expect(b.tug(*arguments), 0)
    b.client.put(BUCKET, b"once", b"changed since")
    wrong = wrong or b.expect(b.tug(*arguments), 0)
    sent = b.client.get(BUCKET, b"once") != b"changed since"
    report.add("idempotency key, second run sends nothing", wrong or (sent and "it was sent again"))


def tls(b, report, _):
    if not b.server.ca_file:
        return
    path = b.file("tls", 100 * KIB)
    arguments = ("put", "--endpoint-url", b.server.tls_endpoint, path, b.uri("tls"))
    report.add("TLS, own certificate trusted", b.expect(b.tug("--ca-file", b.server.ca_file, *arguments), 0) or
               (b.client.get(BUCKET, b"tls") != path.read_bytes() and "other bytes"))
    report.add("TLS, certificate not trusted: 78", b.expect(b.tug(*arguments), 78))


def addressing(b, report, _):
    port = b.server.endpoint.rsplit(":", 1)[1]
    path = b.file("virtual", 10)
    put = b.tug("put", "--addressing", "virtual", "--endpoint-url", f"http://localhost:{port}",
                "--resolve", f"{BUCKET}.localhost:{port}:127.0.0.1", path, b.uri("virtual"))
    report.add("bucket in the host name",
               b.expect(put, 0) or (b.client.get(BUCKET, b"virtual") != path.read_bytes() and "other bytes"))


ALL = (sizes, streams, object_facts, conditions, checksums, refusals, idempotency, tls, addressing)
