"""The examples of the manual page, run as they stand there by a shell."""
import os

from harness import BINARY, Case, run_all


def test_every_example_of_the_manual_page_runs():
    with Case("--bucket", "backups", "--bucket", "archive") as c:
        os.symlink(BINARY, c.path("s3tug"))
        listed = c.run("generate", "examples")
        assert listed.code == 0, listed
        lines = listed.out.decode().splitlines()
        assert len(lines) >= 8, lines
        for number, line in enumerate(lines):
            command, files, objects = line.split("\t")
            for name in files.split():
                c.file(name)
            for address in objects.split():
                c.run("put", c.file("seed"), address)
            # State of its own for each: an example must not lean on the one before.
            ended = c.run("-c", f"set -eo pipefail; cd '{c.folder}'; {command}", binary="/bin/bash",
                          PATH=c.folder + ":" + os.environ["PATH"],
                          S3TUG_STATE_FILE=c.path(f"state-{number}.db"))
            assert ended.code == 0, f"{command}: {ended!r}"
            assert ended.err == "", f"{command}: {ended!r}"


run_all(globals())
