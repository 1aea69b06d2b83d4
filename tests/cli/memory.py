"""Peak memory of the whole process, at any size and number of objects: 64 MiB unless --memory says otherwise.

A gigabyte of zeros each way: the source is a sparse file, and the lab counts and hashes bodies without keeping more than a MiB of each.
Not with sanitizers, which multiply memory."""
import os
import subprocess
import time

from harness import BINARY, Case, run_all

MIB = 1 << 20
GIB = 1 << 30
DEFAULT = 64
LAB = ("--quirk", "discard=1048576", "--no-auth")
PUT = ("--unsigned-payload", "--no-state")
TREE_FILES = 20_000


class Peak:
    """Starts s3tug and tells its peak in MiB. The kernel counts ours as its own, 30 MiB at most."""

    def __init__(self, case, *arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL):
        self.process = subprocess.Popen([BINARY, *arguments], env=case.environment, stdin=stdin, stdout=stdout,
                                        stderr=subprocess.PIPE)

    def end(self):
        _, status, used = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        words = self.process.stderr.read().decode()
        self.process.stderr.close()
        assert self.process.returncode == 0, f"exit {self.process.returncode}: {words}"
        return used.ru_maxrss / 1024


def within(what, peak, limit=DEFAULT):
    print(f"      {what}: {peak:.1f} of {limit} MiB", flush=True)
    assert peak <= limit, f"{what}: peak memory {peak:.1f} MiB, more than {limit}"


def sparse(case, size=GIB):
    path = case.path("sparse")
    with open(path, "wb") as out:
        out.truncate(size)
    return path


def put_pipe(case, *options, size=GIB):
    producer = subprocess.Popen(["head", "-c", str(size), "/dev/zero"], stdout=subprocess.PIPE)
    tug = Peak(case, *options, "put", "-", "s3://box/stream", stdin=producer.stdout)
    producer.stdout.close()
    peak = tug.end()
    assert producer.wait() == 0
    return peak


def get_pipe(case, key, *options, size=GIB, slow=0.0):
    """Reads it all, and counts."""
    tug = Peak(case, *options, "get", f"s3://box/{key}", "-", stdout=subprocess.PIPE)
    got = 0
    time.sleep(slow)
    while block := tug.process.stdout.read(MIB):
        got += len(block)
    tug.process.stdout.close()
    peak = tug.end()
    assert got == size, f"{got} bytes of {size}"
    return peak


def test_a_gigabyte_goes_and_comes_within_64_MiB_as_file_and_as_stream():
    with Case(*LAB) as case:
        within("put, file", Peak(case, *PUT, "put", sparse(case), "s3://box/file").end())
        within("get, file", Peak(case, "get", "s3://box/file", case.path("back")).end())
        assert os.path.getsize(case.path("back")) == GIB
        os.unlink(case.path("back"))
        within("put, pipe", put_pipe(case, *PUT))
        within("get, pipe", get_pipe(case, "file", "--no-state"))
        some = GIB // 4
        within("put, pipe, 48 MiB", put_pipe(case, *PUT, "--memory", "48MiB", size=some), 48)
        within("get, pipe whose reader comes late", get_pipe(case, "stream", "--no-state", size=some, slow=2))
        within("get, pipe, 256 connections", get_pipe(case, "stream", "--no-state", "--concurrency", "256", size=some))


def test_twenty_thousand_files_go_and_come_within_64_MiB():
    with Case("--no-auth") as case:
        help_text = subprocess.run([BINARY, "put", "--help"], capture_output=True, text=True, timeout=20).stdout
        if "--recursive" not in help_text:
            print("      skipped: this s3tug has no --recursive")
            return
        tree = case.path("tree")
        os.mkdir(tree)
        for number in range(TREE_FILES):
            with open(f"{tree}/{number:05}", "wb") as out:
                out.write(b"%d" % number)
        within("put, tree", Peak(case, *PUT, "put", "--recursive", tree, "s3://box/t/").end())
        within("get, tree", Peak(case, "--no-state", "get", "--recursive", "s3://box/t/", case.path("b") + "/").end())
        within("delete, tree", Peak(case, "--no-state", "delete", "--recursive", "s3://box/t/").end())


if __name__ == "__main__":
    run_all(globals())
