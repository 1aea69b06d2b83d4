"""A canary secret in every place where one can be, and none of them in anything that s3tug writes."""
import os
import sqlite3

from harness import Case, run_all

CANARY = "CANARYsEcReT0123456789abcdefABCDEF"


def everything(case, *ended):
    text = "".join(e.err + e.out.decode("latin-1") for e in ended)
    for folder, _, names in os.walk(case.folder):
        for name in names:
            if name not in ("credentials", "config", "process.sh"):
                text += open(os.path.join(folder, name), "rb").read().decode("latin-1")
    return text


def test_no_secret_in_traces_state_errors_or_process_lists():
    for weather in ((), ("*: 503 SlowDown",), ("*: 403 SignatureDoesNotMatch",), ("PutObject 1: reset before-answer",)):
        with Case("--secret-key", CANARY, "--session-token", CANARY + "token") as c:
            c.lab.weather(*weather)
            environment = {"AWS_SECRET_ACCESS_KEY": CANARY, "AWS_SESSION_TOKEN": CANARY + "token"}
            common = ["-vvv", "--trace", c.path("trace"), "--retries", "1"]
            ended = [c.run(*common, "put", c.file("f"), "s3://box/k", **environment),
                     c.run(*common, "get", "s3://box/k", c.path("out"), **environment),
                     c.run(*common, "delete", "s3://box/k", **environment),
                     c.run(*common, "put", c.file("f"), "s3://box/k", AWS_SECRET_ACCESS_KEY=CANARY + "wrong")]
            text = everything(c, *ended)
            assert "PutObject" in text and "x-amz-date" in text, "the trace is empty, so this proves nothing"
            assert CANARY not in text
            assert "Signature=" not in text or "Signature=[" in text or "Signature=..." in text, text[-2000:]


def test_no_secret_from_files_processes_proxies_and_headers():
    with Case("--secret-key", CANARY) as c:
        os.mkdir(c.path(".aws"))
        with open(c.path(".aws/credentials"), "w") as out:
            out.write(f"[default]\naws_access_key_id = labkey\naws_secret_access_key = {CANARY}\n[broken\n")
        process = c.file("process.sh", f"#!/bin/sh\necho '{{\"Version\": 9, \"SecretAccessKey\": \"{CANARY}\"}}'\n".encode())
        os.chmod(process, 0o700)
        with open(c.path(".aws/config"), "w") as out:
            out.write(f"[profile p]\ncredential_process = {process}\n")
        none = {"AWS_ACCESS_KEY_ID": None, "AWS_SECRET_ACCESS_KEY": None}
        ended = [c.run("-vvv", "put", c.file("f"), "s3://box/k", **none),
                 c.run("-vvv", "--profile", "p", "put", c.file("f"), "s3://box/k", **none),
                 c.run("-vvv", "--header", f"authorization: {CANARY}", "put", c.file("f"), "s3://box/k",
                       AWS_SECRET_ACCESS_KEY=CANARY),
                 c.run("-vvv", "--proxy", f"http://user:{CANARY}@127.0.0.1:1", "--retries", "0", "put", c.file("f"),
                       "s3://box/k", AWS_SECRET_ACCESS_KEY=CANARY),
                 c.run("-vvv", "put", c.file("f"), "s3://box/k", AWS_ENDPOINT_URL=f"http://u:{CANARY}@127.0.0.1:1")]
        assert CANARY not in everything(c, *ended), "a secret was shown"


def test_the_state_file_is_private():
    with Case() as c:
        c.run("put", "--idempotency-key", "k", c.file("f"), "s3://box/k")
        assert os.stat(c.path("state.db")).st_mode & 0o777 == 0o600
        assert sqlite3.connect(c.path("state.db")).execute("pragma integrity_check").fetchone() == ("ok",)


run_all(globals())
