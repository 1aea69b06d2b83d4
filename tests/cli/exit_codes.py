"""Every row of the table of exit codes, from outside."""
import os
import signal
import time

from harness import Case, ends_with, run_all


def test_0_put_get_copy_delete_are_silent_and_succeed():
    with Case() as c:
        source = c.file("f")
        for command in (["put", source, "s3://box/k"], ["get", "s3://box/k", c.path("out")],
                        ["copy", "s3://box/k", "s3://box/k2"], ["delete", "s3://box/k"], ["rm", "s3://box/absent"]):
            ended = ends_with(c.run(*command), 0)
            assert ended.out == b"" and ended.err == "", ended
        assert open(c.path("out"), "rb").read() == b"some bytes"


def test_1_some_items_done_some_failed():
    with Case() as c:
        ends_with(c.run("put", c.file("a"), c.path("nowhere"), "s3://box/dir/"), 1)


def test_1_failures_of_different_kinds():
    with Case() as c:
        c.lab.weather("PutObject key=dir/b: 403 AccessDenied")
        ends_with(c.run("put", c.file("b"), c.path("nowhere"), "s3://box/dir/"), 1)


def test_one_cause_for_all_items_gives_its_code():
    with Case() as c:
        ends_with(c.run("put", c.path("x"), c.path("y"), "s3://box/dir/"), 66)


def test_64_wrong_usage_names_the_nearest_right_word():
    with Case() as c:
        ends_with(c.run("put", "--retrys", "3", c.file("f"), "s3://box/k"), 64, "--retries")
        ends_with(c.run("putt", c.file("f"), "s3://box/k"), 64, "put")
        ends_with(c.run("delete", "s3://box"), 64)
        ends_with(c.run("delete", "s3://box/"), 64)
        ends_with(c.run("get", "--json", "s3://box/k", "-"), 64)
        ends_with(c.run("copy", c.file("f"), "s3://box/k"), 64, "put")
        ends_with(c.run("copy", "s3://box/k", "s3://box/k"), 64)
        ends_with(c.run("put", "--deadline", "soon", c.file("f"), "s3://box/k"), 64, "soon")
        assert c.lab.log() == []


def test_64_idempotency_key_used_for_something_else():
    with Case() as c:
        c.run("put", "--idempotency-key", "k1", c.file("f"), "s3://box/k")
        ends_with(c.run("put", "--idempotency-key", "k1", c.file("g", b"other"), "s3://box/k"), 64, "idempotency key")
        ends_with(c.run("put", "--idempotency-key", "k1", "--no-state", c.file("f"), "s3://box/k"), 64)


def test_65_bytes_that_do_not_match():
    with Case() as c:
        c.run("put", c.file("f"), "s3://box/k")
        c.lab.weather("GetObject: flip down 3")
        ends_with(c.run("get", "s3://box/k", c.path("out")), 65)
        assert not os.path.exists(c.path("out"))
        assert [n for n in os.listdir(c.folder) if "part" in n] == []
        c.lab.weather()
        ends_with(c.run("put", "--expect-size", "99", c.file("f"), "s3://box/k3"), 65)
        assert c.lab.sent("PutObject") == 0


def test_66_file_key_or_bucket_not_there():
    with Case() as c:
        ends_with(c.run("put", c.path("nowhere"), "s3://box/k"), 66, "nowhere")
        ends_with(c.run("get", "s3://box/nokey", c.path("out")), 66, "NoSuchKey")
        ends_with(c.run("put", c.file("f"), "s3://nobucket/k"), 66, "NoSuchBucket")
        ends_with(c.run("copy", "s3://box/nokey", "s3://box/k"), 66, "nokey")


def test_69_breaker_open_sends_nothing_and_says_when():
    with Case() as c:
        source = c.file("f")
        c.lab.weather("*: 503 ServiceUnavailable")
        for _ in range(5):
            ends_with(c.run("put", "--retries", "0", source, "s3://box/k"), 75)
        c.lab.weather()
        ends_with(c.run("put", source, "s3://box/k"), 69, "try again in")
        assert c.lab.log() == []
        ends_with(c.run("put", "--breaker", "off", source, "s3://box/k"), 0)
        ends_with(c.run("state", "reset", "breaker"), 0)
        ends_with(c.run("put", source, "s3://box/k"), 0)


def test_73_cannot_write_here():
    with Case() as c:
        c.run("put", c.file("f", b"x" * 100000), "s3://box/k")
        ends_with(c.run("get", "s3://box/k", c.path("nofolder/out")), 73, "nofolder")
        ends_with(c.run("get", "s3://box/k", "/dev/full"), 73, "/dev/full")
        ends_with(c.run("get", "s3://box/k", c.file("f") + "/out"), 73)


def test_74_cannot_read_here_or_the_source_changed():
    with Case() as c:
        ends_with(c.run("put", "/proc/self/mem", "s3://box/k"), 74)
        source = c.file("grows", b"x" * 4_000_000)
        c.lab.weather("PutObject 1: hang mid-body@100000", "PutObject 2-: delay 1ms")
        process = c.start("put", "--stall-timeout", "1s", "--answer-timeout", "1s", source, "s3://box/k")
        while c.lab.sent("PutObject") == 0 and process.poll() is None and c.lab.control("counts") == "":
            time.sleep(0.01)
        time.sleep(0.3)
        with open(source, "ab") as out:
            out.write(b"more")
        out, err = process.communicate(timeout=60)
        assert process.returncode == 74, (process.returncode, err)
        assert c.run("get", "s3://box/k", "-").code == 66


def test_75_gave_up_and_outcome_unknown():
    with Case() as c:
        source = c.file("f")
        c.lab.weather("*: 503 SlowDown")
        ends_with(c.run("put", "--retries", "2", source, "s3://box/k"), 75, "SlowDown", "3 tries")
        c.lab.weather("PutObject: reset before-answer", "HeadObject: 403 AccessDenied empty")
        ends_with(c.run("put", "--no-overwrite", source, "s3://box/k"), 75, "outcome unknown")
        ends_with(c.run("put", source, "s3://box/k", AWS_ENDPOINT_URL="http://127.0.0.1:1", S3TUG_RETRIES="1"), 75,
                  "127.0.0.1")


def test_76_the_store_refuses_or_lacks_a_feature_or_a_quota_is_full():
    with Case() as c:
        source = c.file("f")
        c.lab.weather("PutObject: 501 NotImplemented")
        ends_with(c.run("put", "--checksum", "crc32c", source, "s3://box/k"), 76)
        c.lab.weather("PutObject: 400 EntityTooLarge")
        ends_with(c.run("put", source, "s3://box/k"), 76, "EntityTooLarge")
        c.lab.weather("PutObject: 403 QuotaExceeded")
        ends_with(c.run("put", source, "s3://box/k"), 76, "QuotaExceeded")


def test_77_denied_or_credentials_refused():
    with Case() as c:
        source = c.file("f")
        ends_with(c.run("put", source, "s3://box/k", AWS_SECRET_ACCESS_KEY="wrong"), 77, "SignatureDoesNotMatch")
        ends_with(c.run("put", source, "s3://box/k", AWS_ACCESS_KEY_ID="nobody"), 77, "InvalidAccessKeyId")
        c.lab.weather("*: deny")
        ends_with(c.run("put", source, "s3://box/k"), 77, "access denied")
        c.lab.weather("*: expire")
        ends_with(c.run("put", source, "s3://box/k"), 77, "ExpiredToken")


def test_78_the_setup_is_wrong():
    with Case() as c:
        source = c.file("f")
        ends_with(c.run("put", source, "s3://box/k", AWS_ACCESS_KEY_ID=None, AWS_SECRET_ACCESS_KEY=None), 78,
                  "credentials")
        config = c.file("config.toml", b"retrys = 3\n")
        ends_with(c.run("--config", config, "put", source, "s3://box/k"), 78, "config.toml:1:", "retries")
        ends_with(c.run("--state-file", c.path("nofolder/state.db"), "put", source, "s3://box/k"), 78, "nofolder")
        ends_with(c.run("put", source, "s3://box/k", AWS_ENDPOINT_URL="ftp://x"), 78, "ftp")


def test_78_a_certificate_that_is_not_trusted():
    tls = "/tmp/s3tug-cli-tls-%d" % os.getpid()
    os.makedirs(tls, exist_ok=True)
    try:
        with Case("--tls-self-signed", tls, scheme="https") as c:
            source = c.file("f")
            ends_with(c.run("put", source, "s3://box/k"), 78, "certificate")
            ends_with(c.run("--ca-file", tls + "/cert.pem", "put", source, "s3://box/k"), 0)
            ends_with(c.run("--ca-file", tls + "/cert.pem", "get", "s3://box/k", c.path("out")), 0)
    finally:
        for name in os.listdir(tls):
            os.remove(os.path.join(tls, name))
        os.rmdir(tls)


def test_79_somebody_elses_object_stands_there():
    with Case() as c:
        source = c.file("f")
        ends_with(c.run("put", source, "s3://box/k"), 0)
        ends_with(c.run("put", "--no-overwrite", source, "s3://box/k"), 79)
        ends_with(c.run("put", "--if-match", "0" * 32, source, "s3://box/k"), 79)


def test_124_deadline_names_the_last_real_error():
    with Case() as c:
        source = c.file("f")
        c.lab.weather("*: 503 SlowDown")
        began = time.monotonic()
        ends_with(c.run("put", "--deadline", "1s", "--backoff-base", "400ms", "--backoff-max", "1m", source, "s3://box/k"),
                  124, "SlowDown")
        c.lab.weather("*: hang")
        ends_with(c.run("put", "--deadline", "1s", source, "s3://box/k"), 124)
        assert time.monotonic() - began < 20


def test_130_and_143_dies_by_the_signal_itself():
    with Case() as c:
        source = c.file("f")
        for number in (signal.SIGINT, signal.SIGTERM):
            c.lab.weather("*: hang")
            process = c.start("put", source, "s3://box/k")
            while "PutObject" not in c.lab.control("counts"):
                assert process.poll() is None
                time.sleep(0.01)
            process.send_signal(number)
            _, err = process.communicate(timeout=20)
            assert process.returncode == -number, (process.returncode, err)
            assert b"s3tug: " in err


def test_141_the_reader_of_stdout_went_away():
    with Case() as c:
        c.run("put", c.file("f", b"x" * 5_000_000), "s3://box/k")
        process = c.start("get", "s3://box/k", "-")
        process.stdout.read(10)
        process.stdout.close()
        err = process.stderr.read()
        process.wait(timeout=20)
        assert process.returncode == -signal.SIGPIPE, (process.returncode, err)


run_all(globals())
