"""Objects of which the store has only a checksum of the parts' checksums: what a get makes of it."""
import base64
import hashlib
import json
import os
import re
import time
import urllib.request

from harness import Case, ends_with, run_all


def call(case, method, query, body=b"", **headers):
    request = urllib.request.Request(f"{case.lab.endpoint}/box/k?{query}", data=body, method=method, headers=headers)
    return urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=20).read().decode()


def upload(case, parts):
    """By hand, as s3tug makes all parts of a file but the last of one size. Gives the value that must come out."""
    answer = call(case, "POST", "uploads", **{"x-amz-checksum-algorithm": "SHA256"})
    upload_id = re.search("<UploadId>(.*)</UploadId>", answer)[1]
    digests = [hashlib.sha256(part).digest() for part in parts]
    names = ""
    for number, (part, digest) in enumerate(zip(parts, digests), 1):
        call(case, "PUT", f"partNumber={number}&uploadId={urllib.request.quote(upload_id, safe='')}", part,
             **{"x-amz-checksum-sha256": base64.b64encode(digest).decode()})
        names += (f"<Part><PartNumber>{number}</PartNumber><ETag>{hashlib.md5(part).hexdigest()}</ETag></Part>")
    call(case, "POST", f"uploadId={urllib.request.quote(upload_id, safe='')}",
         f"<CompleteMultipartUpload>{names}</CompleteMultipartUpload>".encode())
    return f"sha256:{base64.b64encode(hashlib.sha256(b''.join(digests)).digest()).decode()}-{len(parts)}"


def checksum_of(ended):
    assert ended.code == 0, ended
    return json.loads(ended.out.splitlines()[0])["checksum"]


def test_what_was_put_with_a_composite_checksum_is_proven_by_a_get_in_one_stream_and_in_ranges():
    for name in ("sha256", "sha1"):
        with Case() as c:
            data = os.urandom(20_000_000)
            ends_with(c.run("put", "--checksum", name, "--part-size", "6MiB", c.file("f", data), "s3://box/k"), 0)
            for part_size in ("5MiB", "16MiB"):  # in ranges from twice that
                c.lab.weather()
                ended = c.run("--json", "get", "--part-size", part_size, "s3://box/k", c.path("out"))
                assert open(c.path("out"), "rb").read() == data
                checksum = checksum_of(ended)
                assert checksum.startswith(name + ":") and checksum.endswith("-4"), checksum
                assert c.lab.sent("HeadObject") == 1, c.lab.log()
            assert (c.lab.sent("GetObject") == 1) == (part_size == "16MiB")
            # A HEAD that is denied takes the comparison, not the object.
            c.lab.weather("HeadObject: 403 AccessDenied")
            ends_with(c.run("-v", "get", "s3://box/k", c.path("out2")), 0, "not compared")
            assert open(c.path("out2"), "rb").read() == data


def test_a_file_longer_than_is_hashed_in_one_turn_is_compared_to_its_end_without_a_wait():
    with Case() as c:
        data = os.urandom(1 << 20) * 80  # 64 MiB a turn
        ends_with(c.run("put", "--checksum", "sha256", c.file("f", data), "s3://box/k"), 0)
        began = time.monotonic()
        assert checksum_of(c.run("--json", "get", "s3://box/k", c.path("out"))).startswith("sha256:")
        assert time.monotonic() - began < 60, "it waited for something that does not come"
        assert open(c.path("out"), "rb").read() == data


def test_bytes_that_the_store_damaged_are_told_and_not_put_in_place():
    with Case() as c:
        c.lab.weather("UploadPart part=2 1: flip stored 77")
        data = os.urandom(20_000_000)
        ends_with(c.run("put", "--checksum", "sha256", "--part-size", "6MiB", c.file("f", data), "s3://box/k"), 0)
        for part_size in ("5MiB", "16MiB"):
            c.lab.weather()
            ends_with(c.run("get", "--part-size", part_size, "s3://box/k", c.file("out", b"old")), 65, "sha256:", "-4")
            assert open(c.path("out"), "rb").read() == b"old"
            assert not [name for name in os.listdir(c.folder) if name.endswith("s3tug-part")]


def test_good_bytes_of_parts_of_several_sizes_are_never_called_damaged():
    # The first size of the second row lets presume 3, 3 and 1.5 MB, which is three parts too.
    for sizes in ([1_000_000, 4_000_000, 1_000_000], [3_000_000, 2_000_000, 2_500_000], [5, 5, 5, 1], [7_000_000]):
        with Case("--quirk", "anonymous", "--quirk", "small-parts") as c:
            parts = [os.urandom(size) for size in sizes]
            value = upload(c, parts)
            ended = c.run("--json", "get", "s3://box/k", c.path("out"))
            assert open(c.path("out"), "rb").read() == b"".join(parts)
            assert checksum_of(ended) == value, (ended, value)


def test_a_damaged_answer_is_told_whatever_the_sizes_of_the_parts():
    for sizes in ([1_000_000, 4_000_000, 1_000_000], [3_000_000, 2_000_000, 2_500_000], [7_000_000]):
        with Case("--quirk", "anonymous", "--quirk", "small-parts") as c:
            value = upload(c, [os.urandom(size) for size in sizes])
            c.lab.weather("GetObject: flip down 1500000")
            ends_with(c.run("get", "s3://box/k", c.path("out")), 65, value)
            assert not os.path.exists(c.path("out"))
            c.lab.weather("GetObject 1: flip down 1500000")
            assert checksum_of(c.run("--json", "get", "s3://box/k", c.path("out"))) == value


def test_a_stream_is_held_against_the_checksum_of_its_parts_before_a_script_may_trust_it():
    for sizes in ([20_000_000, 20_000_000, 5], [1_000_000, 40_000_000, 1_000_000], [3_000_000, 2_000_000, 2_500_000]):
        with Case("--quirk", "anonymous", "--quirk", "small-parts") as c:
            parts = [os.urandom(size) for size in sizes]
            value = upload(c, parts)
            for command in (["get", "s3://box/k", "-"], ["cat", "s3://box/k"]):
                c.lab.weather("HeadObject: delay 300ms")
                ended = ends_with(c.run("-v", *command), 0)
                assert ended.out == b"".join(parts)
                assert "not compared" not in ended.err, ended.err
                assert c.lab.sent("HeadObject") == (2 if sizes[0] == sizes[1] else 3), c.lab.log()
            c.lab.weather("GetObject 1: flip down 1500000")
            ended = ends_with(c.run("get", "s3://box/k", "-"), 65, value, "do not trust")
            assert len(ended.out) == sum(sizes)
            c.lab.weather("HeadObject: 403 AccessDenied")
            assert ends_with(c.run("-v", "get", "s3://box/k", "-"), 0, "not compared").out == b"".join(parts)


run_all(globals())
