"""Row 70: what must not happen is said to be a bug. Memory that runs out stands for all of it."""
import re
import subprocess
import sys
import time

from harness import Case, ends_with, run_all


def test_70_a_bug_is_said_to_be_one_and_ends_the_command():
    with Case() as c:
        # What a process needs to start and wait for its input; a stream may take 16 MiB more.
        waiting = c.start("put", "-", "s3://box/k", stdin=subprocess.PIPE)
        time.sleep(0.5)
        with open(f"/proc/{waiting.pid}/status") as status:
            needs = int(re.search(r"VmPeak:\s+(\d+) kB", status.read()).group(1))
        waiting.kill()
        waiting.communicate()
        limited = c.run("-c", f"ulimit -v {needs + 6000}; exec '{sys.argv[1]}' put - s3://box/k",
                        data=b"x" * 30_000_000, binary="/bin/bash")
        ends_with(limited, 70, "a bug")
        assert c.lab.sent("PutObject") == 0


run_all(globals())
