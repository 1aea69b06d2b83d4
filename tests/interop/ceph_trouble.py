"""Ceph in trouble of its own: the gateway killed and restarted, its limit on requests, a store daemon that stands still."""
import os
import signal
import subprocess
import tempfile
import threading
import time

from bench import BUCKET, Bench
from s3_client import Client
from servers import Server

MIB = 1 << 20
COMES_BACK_SECONDS = 100
PATIENT = ("--answer-timeout", "2s", "--stall-timeout", "2s", "--connect-timeout", "2s", "--breaker", "off")


def pid_of(server, daemon):
    return int((server.folder / f"{daemon}.pid").read_text().split()[0])


def restart_gateway(server):
    """Killed as by a crash, and started again by its own command line."""
    pid = pid_of(server, "rgw")
    command = open(f"/proc/{pid}/cmdline", "rb").read().split(b"\0")[:-1]
    os.kill(pid, signal.SIGKILL)
    # The script's own child: nobody here may wait for it, so its end is seen by its state.
    while os.path.exists(f"/proc/{pid}") and " Z " not in open(f"/proc/{pid}/stat").read():
        time.sleep(0.01)
    with open(server.folder / "rgw.out", "ab") as out:
        again = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True)
    began = open(f"/proc/{again.pid}/stat").read().rsplit(")", 1)[1].split()[19]
    (server.folder / "rgw.pid").write_text(f"{again.pid} {began}\n")


def gateway_restarts(b, report):
    path, there = b.file("restart", 200 * MIB), b.folder / "there"
    slow = ("--limit-rate", "80MiB", "--retries", "9", *PATIENT)
    for command in (("put", *slow, path, b.uri("restart")), ("get", *slow, b.uri("restart"), there)):
        crash = threading.Timer(1.0, restart_gateway, [b.server])
        crash.start()
        run = b.tug("-v", *command)
        wrong = b.expect(run, 0) or ("CURLE_" not in run.err and "the crash was not noticed")
        crash.join()
        same = b.client.get(BUCKET, b"restart") == path.read_bytes() if command[0] == "put" else b.same(path, there)
        report.add(f"gateway killed and restarted during a {command[0]}", wrong or (not same and "other bytes"))
    there.unlink(missing_ok=True)


def comes_back(client):
    """Whether the store answers again. Requests that hung in the gateway keep it for as long as the daemon needs, and
    a machine that is busy makes that minutes."""
    until = time.monotonic() + COMES_BACK_SECONDS
    while time.monotonic() < until:
        try:
            client.head(BUCKET, b"still")
            return True
        except OSError:
            pass
    return False


def store_stands_still(b, report):
    """Requests hang. Without enough patience: 75 in bounded time and the old file; with it: success once it goes on."""
    path, there = b.file("still", 1 * MIB), b.folder / "there"
    b.client.put(BUCKET, b"still", path.read_bytes())
    there.write_bytes(b"old")
    osd = pid_of(b.server, "osd")
    os.kill(osd, signal.SIGSTOP)
    try:
        began = time.monotonic()
        run = b.tug("get", "--retries", "1", *PATIENT, b.uri("still"), there)
        took = time.monotonic() - began
        report.add("store daemon stopped, get gives up: 75, old file kept",
                   b.expect(run, 75) or (there.read_bytes() != b"old" and "the old file is gone") or
                   (took > 15 and f"it took {took:.0f} s"))
        go_on = threading.Timer(6.0, os.kill, [osd, signal.SIGCONT])
        go_on.start()
        run = b.tug("put", "-v", "--retries", "9", *PATIENT, path, b.uri("still2"))
        go_on.join()
    finally:
        os.kill(osd, signal.SIGCONT)
    if not comes_back(b.client):
        # Then nobody can say what it has, and it is the store that is broken.
        report.row("store daemon stopped for 6 s, put outlasts it",
                   f"not judged: the store has not answered for {COMES_BACK_SECONDS} s")
        return
    same = b.client.get(BUCKET, b"still2") == path.read_bytes()
    report.add("store daemon stopped for 6 s, put outlasts it", b.expect(run, 0) or (not same and "other bytes") or
               ("class=timeout" not in run.err and f"nothing had to be waited for: {run.err}"))
    there.unlink(missing_ok=True)


CEPH_TROUBLE = (gateway_restarts, store_stands_still)


def throttled(binary, report):
    """A gateway that takes three requests at a time and answers 503 SlowDown to the rest."""
    os.environ["RGW_EXTRA"] = "rgw max concurrent requests = 3"
    try:
        server = Server("ceph-rgw")
    finally:
        del os.environ["RGW_EXTRA"]
    with server, tempfile.TemporaryDirectory(prefix="s3tug-throttled-") as folder:
        client = Client(server.endpoint, server.settings["AWS_ACCESS_KEY_ID"], server.settings["AWS_SECRET_ACCESS_KEY"])
        client.make_bucket(BUCKET)
        b = Bench(binary, server, client, folder)
        files = [b.file(f"t{number:02}", 8 * MIB) for number in range(24)]
        run = b.tug("put", "-v", "--concurrency", "12", "--retries", "9", *files, b.uri("t/"))
        wrong = [path.name for path in files if client.get(BUCKET, f"t/{path.name}".encode()) != path.read_bytes()]
        report.add("SlowDown above 3 requests, 24 puts at 12 a time",
                   b.expect(run, 0) or (wrong and f"other bytes: {wrong}") or
                   ("SlowDown" not in run.err and "the gateway never throttled"))
