"""Commands of several items: the summary, what failed and why the rest was not begun."""
import json
import os
import signal
import subprocess
import time

from harness import Case, ends_with, run_all


def files(case, count):
    return [case.file("f%02d" % i) for i in range(count)]


def test_the_last_line_counts_and_repeats_the_first_failure():
    with Case() as c:
        ended = ends_with(c.run("put", c.file("a"), c.path("nowhere"), c.file("b"), "s3://box/dir/"), 1,
                          "1 of 3 items failed, 2 done, ")
        assert "nowhere" in ended.last_line, ended


def test_success_of_several_is_silent_but_for_v():
    with Case() as c:
        ended = ends_with(c.run("put", *files(c, 3), "s3://box/dir/"), 0)
        assert ended.err == "", ended
        ends_with(c.run("-v", "put", *files(c, 3), "s3://box/dir/"), 0, "s3tug: 3 items done, 30 B in ")


def test_json_ends_with_a_summary():
    with Case() as c:
        ended = c.run("--json", "put", c.file("a"), c.path("nowhere"), "s3://box/dir/")
        lines = [json.loads(line) for line in ended.out.splitlines()]
        assert [list(line)[0] for line in lines] == ["op", "op", "summary"], ended
        summary = lines[-1]["summary"]
        assert (summary["done"], summary["failed"], summary["bytes"], summary["exit_code"]) == (1, 1, 10, 1), summary
        assert summary["first_error"]["kind"] == "not_found", summary


def test_failed_to_names_what_failed_and_nothing_else():
    with Case() as c:
        bad = c.path("failed")
        c.file("failed", b"of an earlier run")
        c.lab.weather("PutObject key=dir/f01: 403 AccessDenied", "PutObject key=dir/f03: 403 AccessDenied")
        ends_with(c.run("put", "--failed-to", bad, *files(c, 5), "s3://box/dir/"), 1)
        assert sorted(open(bad).read().split()) == [c.path("f01"), c.path("f03")]
        c.lab.weather("GetObject key=dir/f02: 403 AccessDenied")
        os.mkdir(c.path("out"))
        ends_with(c.run("get", "--failed-to", bad, "s3://box/dir/f00", "s3://box/dir/f02", c.path("out")), 1)
        assert open(bad).read() == "s3://box/dir/f02\n"
        c.lab.weather()
        ends_with(c.run("delete", "--failed-to", bad, "s3://box/dir/f00", "s3://box/dir/f02"), 0)
        assert open(bad).read() == ""


def test_a_list_that_cannot_be_written_ends_the_command_before_anything_is_sent():
    with Case() as c:
        ends_with(c.run("put", "--failed-to", c.path("no/failed"), c.file("f"), "s3://box/k"), 73, "--failed-to")
        ends_with(c.run("put", "--failed-to", "-", c.file("f"), "s3://box/k"), 64, "file name")
        assert c.lab.log() == []


def test_fail_fast_and_max_failures_begin_nothing_more():
    with Case() as c:
        c.lab.weather("PutObject: 403 AccessDenied")
        ended = ends_with(c.run("put", "--fail-fast", "--concurrency", "1", *files(c, 9), "s3://box/dir/"), 77,
                          "1 of 9 items failed, 0 done, 8 not begun (--fail-fast)")
        assert c.lab.sent("PutObject") == 1, ended
        c.lab.weather("PutObject: 403 AccessDenied")
        ends_with(c.run("put", "--max-failures", "3", "--concurrency", "1", *files(c, 9), "s3://box/dir/"), 77,
                  "3 of 9 items failed, 0 done, 6 not begun (--max-failures)")
        assert c.lab.sent("PutObject") == 3


def test_credentials_that_do_not_work_end_the_run_but_one_denied_object_does_not():
    with Case() as c:
        one = ("put", "--concurrency", "1")
        ended = ends_with(c.run(*one, *files(c, 9), "s3://box/dir/", AWS_ACCESS_KEY_ID="nobody"), 77,
                          "8 not begun (no credentials that work)", "InvalidAccessKeyId")
        assert c.lab.sent("PutObject") == 1, ended
        c.lab.weather("PutObject 4-: expire")
        ends_with(c.run(*one, *files(c, 9), "s3://box/dir/"), 1, "3 done, 5 not begun (no credentials that work)")
        c.lab.weather("PutObject 1: 403 AccessDenied")
        ends_with(c.run(*one, *files(c, 9), "s3://box/dir/"), 1, "1 of 9 items failed, 8 done")


def test_an_open_breaker_ends_the_run_and_the_rest_is_not_begun():
    with Case() as c:
        sources = files(c, 9)
        off = {"AWS_ENDPOINT_URL": "http://127.0.0.1:1", "S3TUG_RETRIES": "0"}
        for _ in range(5):
            ends_with(c.run("put", sources[0], "s3://box/k", **off), 75)
        ended = ends_with(c.run("put", "--concurrency", "1", *sources, "s3://box/dir/", **off), 69,
                          "1 of 9 items failed, 0 done, 8 not begun (the circuit breaker is open)")
        assert "nothing was sent" in ended.last_line, ended


def test_what_failed_goes_again_by_its_list_and_what_nobody_listed_is_refused_again():
    with Case() as c:
        ends_with(c.run("put", *files(c, 5), "s3://box/dir/"), 0)
        bad, again, out = c.path("failed"), c.path("again"), c.path("out")
        get = ("get", "--failed-to", bad, "-r", "s3://box/dir/", out)
        c.lab.weather("GetObject key=dir/f02: 403 AccessDenied", "GetObject key=dir/f04: 403 AccessDenied")
        ends_with(c.run(*get), 1, "2 of 5 items failed")
        c.lab.weather()
        ends_with(c.run("get", "--files-from", bad, "--failed-to", again, "s3://box/dir/", out), 0)
        assert c.lab.sent("GetObject") == 2
        assert sorted(os.listdir(out)) == ["f%02d" % i for i in range(5)]
        assert open(again).read() == ""
        ends_with(c.run("get", "--files-from", bad, "--failed-to", bad, "s3://box/dir/", out), 64, "empty")
        assert open(bad).read() != ""
        c.lab.weather("ListObjectsV2: 403 AccessDenied")
        ends_with(c.run(*get), 77)
        assert open(bad).read() == "s3://box\n"
        c.lab.weather()
        ends_with(c.run("delete", "--files-from", bad), 64, "s3://box")
        ends_with(c.run("get", "--files-from", bad, "s3://box/dir/", out), 64, "s3://box")


def test_names_that_come_slowly_are_put_as_they_come():
    with Case() as c:
        files(c, 2)
        process = c.start("put", "--files-from", "-", c.folder, "s3://box/t/", stdin=subprocess.PIPE)
        for count, name in enumerate((b"f00\n", b"f01\n"), 1):
            process.stdin.write(name)
            process.stdin.flush()
            give_up = time.monotonic() + 20
            while c.lab.sent("PutObject") < count:
                assert process.poll() is None and time.monotonic() < give_up, "it waits for the next name"
                time.sleep(0.01)
        _, err = process.communicate(timeout=20)
        assert process.returncode == 0 and err == b"", (process.returncode, err)


def test_lines_of_a_run_that_come_slowly_are_run_beside_those_under_way():
    with Case() as c:
        source = c.file("f")
        c.lab.weather("PutObject key=slow: delay 3s")
        process = c.start("run", "-", stdin=subprocess.PIPE)
        for count, key in enumerate(("slow", "quick"), 1):
            process.stdin.write(f"put {source} s3://box/{key}\n".encode())
            process.stdin.flush()
            time.sleep(0.3)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        assert out.index(b"box/quick") < out.index(b"box/slow"), out


def test_a_full_disk_ends_the_run():
    with Case() as c:
        ends_with(c.run("put", *files(c, 3), "s3://box/dir/"), 0)
        os.mkdir(c.path("out"))
        os.symlink("/dev/full", c.path("out/f00"))
        ends_with(c.run("get", "--concurrency", "1", "s3://box/dir/f00", "s3://box/dir/f01", "s3://box/dir/f02",
                        c.path("out")), 73, "2 not begun (the disk is full)")


def test_a_signal_and_the_deadline_tell_what_was_not_begun():
    with Case() as c:
        sources = files(c, 9)
        for number, code in ((signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            c.lab.weather("PutObject 3-: hang")
            process = c.start("--json", "put", "--concurrency", "1", *sources, "s3://box/dir/")
            give_up = time.monotonic() + 20
            while "PutObject\t3" not in c.lab.control("counts") and c.lab.sent("PutObject") < 2:
                assert process.poll() is None and time.monotonic() < give_up
                time.sleep(0.01)
            time.sleep(0.2)
            process.send_signal(number)
            out, err = process.communicate(timeout=20)
            assert process.returncode == -number, (process.returncode, err)
            assert b"6 not begun (interrupted by a signal)" in err.splitlines()[-1], err
            lines = [json.loads(line) for line in out.splitlines()]
            assert lines[-1]["summary"]["exit_code"] == code, lines[-1]
            assert lines[-2]["error"]["exit_code"] == code, lines[-2]
        c.lab.weather("PutObject 3-: hang")
        ends_with(c.run("put", "--concurrency", "1", "--deadline", "1s", *sources, "s3://box/dir/"), 124,
                  "2 done, 6 not begun (deadline reached)")


run_all(globals())
