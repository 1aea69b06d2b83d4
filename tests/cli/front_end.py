"""What the command line says and hears: variables, traces, proxies, settings of commands that send nothing."""
import json
import os
import stat
import time

from harness import Case, ends_with, run_all


def test_a_variable_of_an_option_for_one_run_is_told_and_ignored():
    with Case() as c:
        ended = ends_with(c.run("put", c.file("f"), "s3://box/k", S3TUG_DRY_RUN="1"), 0)
        assert ended.err == ("s3tug: warning: S3TUG_DRY_RUN is set and ignored: this option is taken from the command "
                             "line only\n"), ended
        assert c.lab.sent("PutObject") == 1
        assert c.run("-q", "put", c.file("f"), "s3://box/k", S3TUG_DRY_RUN="1").err == ""


def test_a_trace_to_minus_goes_to_standard_error():
    with Case() as c:
        ended = ends_with(c.run("put", "--trace", "-", c.file("f"), "s3://box/k"), 0)
        kinds = [json.loads(line)["kind"] for line in ended.err.splitlines()]
        assert "attempt" in kinds and kinds[-1] == "item_done", ended
        assert not os.path.exists("-")


def test_a_malformed_proxy_is_a_mistake_and_no_outage():
    with Case() as c:
        began = time.monotonic()
        ends_with(c.run("put", "--proxy", "ftp://x", c.file("f"), "s3://box/k"), 64, "--proxy")
        ends_with(c.run("put", c.file("f"), "s3://box/k", S3TUG_PROXY="host:port"), 78, "S3TUG_PROXY")
        assert c.lab.log() == [] and time.monotonic() - began < 10


def test_a_deadline_that_comes_while_credentials_are_fetched_is_124():
    with Case() as c:
        helper = c.file("helper", b"#!/bin/sh\nsleep 30\n")
        os.chmod(helper, stat.S_IRWXU)
        config = c.file("aws", b"[default]\ncredential_process = " + helper.encode() + b"\n")
        ended = c.run("put", "--deadline", "1s", c.file("f"), "s3://box/k", AWS_CONFIG_FILE=config,
                      AWS_ACCESS_KEY_ID=None, AWS_SECRET_ACCESS_KEY=None)
        ends_with(ended, 124, "credentials")


def test_v_begins_with_no_notes_and_vvv_shows_requests():
    with Case() as c:
        ended = ends_with(c.run("-v", "put", c.file("f"), "s3://box/k"), 0)
        assert len(ended.err.splitlines()) == 1, ended
        ends_with(c.run("-vv", "put", c.file("f"), "s3://box/k"), 0, "note: s3tug ", "retries")
        ended = ends_with(c.run("-vvv", "put", c.file("f"), "s3://box/k"), 0)
        assert "> PUT /box/k HTTP/1.1" in ended.err and "< HTTP 200" in ended.err, ended


def test_a_redirect_says_where_to():
    with Case() as c:
        c.lab.weather("PutObject: redirect 301 s3.elsewhere.example")
        ended = ends_with(c.run("put", c.file("f"), "s3://box/k"), 78, "the store names ", "s3.elsewhere.example")
        assert c.lab.sent("PutObject") == 1, ended


def test_a_copy_whose_source_is_denied_names_the_source():
    with Case() as c:
        c.run("put", c.file("f"), "s3://box/secret")
        c.lab.weather("HeadObject key=secret: 403 AccessDenied empty")
        ends_with(c.run("copy", "s3://box/secret", "s3://box/k"), 77, "s3://box/secret: access denied")


def test_state_bears_the_settings_of_other_commands():
    with Case() as c:
        ends_with(c.run("--endpoint-url", c.lab.endpoint, "--retries", "2", "state", "show"), 0)
        ends_with(c.run("state", "show", "--dry-run"), 64, "does not apply to state")


def test_a_get_of_another_version_than_asked_for_is_79():
    with Case() as c:
        c.run("put", c.file("f"), "s3://box/k")
        ends_with(c.run("get", "--if-match", "0" * 32, "s3://box/k", c.path("out")), 79, "another object than expected")


run_all(globals())
