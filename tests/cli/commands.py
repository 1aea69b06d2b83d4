"""The commands beside put, get, copy and delete: move, cat, pipe, list, stat, uploads and run."""
import json
import os
import signal
import subprocess
import time

from harness import Case, ends_with, run_all

MIB = 1 << 20


def there(c, address):
    return c.run("stat", address).code == 0


def put(c, address, data=b"some bytes"):
    ends_with(c.run("pipe", address, data=data), 0)


# --- stat

def test_stat_prints_a_line_for_each_fact_and_json_an_object_for_each_item():
    with Case() as c:
        ends_with(c.run("put", "--metadata", "job=nightly", "--content-type", "text/csv", c.file("f"), "s3://box/k"), 0)
        text = ends_with(c.run("stat", "s3://box/k"), 0).out.decode()
        for words in ("Size: 10\n", "Type: text/csv\n", "Metadata: job=nightly", "Checksum: crc64nvme:", "ETag: "):
            assert words in text, text
        facts = json.loads(c.run("head", "--json", "s3://box/k").out.decode().splitlines()[0])
        assert facts["size"] == 10 and facts["metadata"] == {"job": "nightly"} and facts["error"] is None, facts


def test_stat_tells_not_there_from_not_allowed_and_says_that_a_store_may_not():
    with Case() as c:
        ends_with(c.run("stat", "s3://box/nothing"), 66)
        c.lab.weather("HeadObject: deny")
        ends_with(c.run("stat", "s3://box/nothing"), 77, "not there")
        ends_with(c.run("stat", "s3://box"), 64, "no key")


def test_stat_of_a_version_finds_it_behind_its_marker():
    with Case() as c:
        line = json.loads(c.run("--json", "put", c.file("f"), "s3://vault/k").out.decode().splitlines()[0])
        ends_with(c.run("rm", "s3://vault/k"), 0)
        ends_with(c.run("stat", "s3://vault/k"), 66, "delete marker")
        ends_with(c.run("stat", "--version-id", line["version_id"], "s3://vault/k"), 0)


# --- copy

def test_an_old_version_is_brought_back_by_a_copy_onto_its_own_key():
    with Case() as c:
        line = json.loads(c.run("--json", "put", c.file("f", b"old"), "s3://vault/k").out.decode().splitlines()[0])
        ends_with(c.run("put", c.file("f", b"newer"), "s3://vault/k"), 0)
        ends_with(c.run("copy", "--version-id", line["version_id"], "s3://vault/k", "s3://vault/k"), 0)
        assert c.run("cat", "s3://vault/k").out == b"old"
        ends_with(c.run("copy", "--storage-class", "STANDARD_IA", "s3://vault/k", "s3://vault/k"), 0)
        ends_with(c.run("copy", "s3://vault/k", "s3://vault/k"), 64, "the same object")


# --- move

def test_move_goes_in_all_three_directions_and_leaves_one_copy():
    with Case() as c:
        source = c.file("f")
        ends_with(c.run("move", source, "s3://box/a"), 0)
        assert not os.path.exists(source)
        ends_with(c.run("mv", "s3://box/a", "s3://box/b"), 0)
        assert not there(c, "s3://box/a") and there(c, "s3://box/b")
        ends_with(c.run("mv", "s3://box/b", c.path("down")), 0)
        assert open(c.path("down"), "rb").read() == b"some bytes"
        assert not there(c, "s3://box/b")


def test_move_refuses_what_would_lose_the_only_copy():
    with Case() as c:
        put(c, "s3://box/k")
        for words in (["s3://box/k", "s3://box/k"], ["s3://box/k", "-"], ["-", "s3://box/k2"],
                      ["s3://box/k", "/dev/null"], [c.file("f"), c.path("g")]):
            ends_with(c.run("mv", *words), 64)
        assert there(c, "s3://box/k") and os.path.exists(c.path("f"))


def test_a_move_whose_delete_lost_its_answer_is_done_once():
    for bucket in ("box", "vault"):
        with Case() as c:
            put(c, f"s3://{bucket}/k")
            c.lab.weather("DeleteObject 1: reset before-answer")
            ends_with(c.run("mv", f"s3://{bucket}/k", c.path("down")), 0)
            assert c.lab.sent("DeleteObject") == 1, c.lab.log()
            assert not there(c, f"s3://{bucket}/k")


def test_a_move_whose_delete_is_denied_says_what_stands_where_and_a_rerun_finishes():
    with Case() as c:
        put(c, "s3://box/k")
        c.lab.weather("DeleteObject: deny")
        ends_with(c.run("mv", "s3://box/k", "s3://box/new"), 77, "copied to s3://box/new, but the source remains")
        assert there(c, "s3://box/k") and there(c, "s3://box/new")
        c.lab.weather()
        ends_with(c.run("mv", "s3://box/k", "s3://box/new"), 0)
        assert not there(c, "s3://box/k")


def test_a_copy_that_fails_inside_a_200_never_deletes_its_source():
    with Case() as c:
        put(c, "s3://box/k")
        for error in ("InternalError", "AccessDenied"):
            c.lab.weather(f"CopyObject: 200-with-error {error}")
            ended = c.run("mv", "--retries", "1", "s3://box/k", "s3://box/new")
            assert ended.code != 0, ended
            assert c.lab.sent("DeleteObject") == 0 and there(c, "s3://box/k")


def test_a_move_that_is_skipped_or_dry_leaves_the_source():
    with Case() as c:
        source = c.file("f")
        put(c, "s3://box/k", b"theirs")
        ended = c.run("mv", "--no-clobber", source, "s3://box/k")
        assert ended.code == 0 and "skipped" in ended.err, ended
        ended = ends_with(c.run("mv", "--dry-run", source, "s3://box/k2"), 0)
        assert b"(dryrun) move: " in ended.out, ended
        assert os.path.exists(source)


def test_a_moved_folder_keeps_its_links_and_nothing_outside_it_goes():
    with Case() as c:
        for folder in ("outside", "moved"):
            os.mkdir(c.path(folder))
        outside = c.file("outside/precious", b"precious")
        c.file("moved/f", b"f")
        os.symlink("../outside", c.path("moved/folder"))
        os.symlink("f", c.path("moved/name"))
        ends_with(c.run("move", "--recursive", c.path("moved"), "s3://box/m/"), 0)
        assert open(outside, "rb").read() == b"precious"
        assert sorted(os.listdir(c.path("moved"))) == ["folder", "name"]
        assert c.run("cat", "s3://box/m/f").out == b"f"
        ends_with(c.run("stat", "s3://box/m/folder/precious"), 66)


def test_a_move_to_a_file_refuses_conditions_on_objects():
    with Case() as c:
        ends_with(c.run("put", c.file("new", b"new"), "s3://box/k"), 0)
        there = c.file("there", b"old")
        ends_with(c.run("move", "--no-overwrite", "s3://box/k", there), 64, "--no-clobber")
        assert open(there, "rb").read() == b"old"
        assert c.run("cat", "s3://box/k").out == b"new"


def test_trees_and_patterns_move_too_and_what_failed_stays():
    with Case() as c:
        os.makedirs(c.path("tree/sub"))
        for name in ("tree/a", "tree/b", "tree/sub/c"):
            c.file(name, name.encode())
        c.lab.weather("PutObject key=*/b: 403 AccessDenied")
        ended = c.run("mv", "-r", c.path("tree"), "s3://box/t/")
        assert ended.code == 1, ended
        assert os.path.exists(c.path("tree/b")) and not os.path.exists(c.path("tree/a")), ended
        assert there(c, "s3://box/t/a") and there(c, "s3://box/t/sub/c") and not there(c, "s3://box/t/b")
        c.lab.weather()
        ends_with(c.run("mv", "-r", c.path("tree"), "s3://box/t/"), 0)
        ends_with(c.run("mv", "s3://box/t/*", "s3://vault/u/"), 0)
        assert c.run("ls", "-r", "s3://box").out == b""
        assert names(c.run("ls", "-r", "s3://vault")) == ["u/a", "u/b", "u/sub/c"]
        ends_with(c.run("mv", "-r", "s3://vault/u/", c.path("back")), 0)
        assert open(c.path("back/sub/c"), "rb").read() == b"tree/sub/c"
        assert c.run("ls", "-r", "s3://vault").out == b""


# --- cat, pipe

def test_cat_writes_objects_in_their_order_and_goes_on_after_one_that_fails():
    with Case() as c:
        for n in range(8):
            put(c, f"s3://box/{n}", b"%d" % n * 100_000)
        ended = ends_with(c.run("cat", *(f"s3://box/{n}" for n in range(8))), 0)
        assert ended.out == b"".join(b"%d" % n * 100_000 for n in range(8))
        ended = c.run("cat", "s3://box/1", "s3://box/none", "s3://box/2")
        assert ended.code == 1 and ended.out == b"1" * 100_000 + b"2" * 100_000, ended


def test_cat_to_a_reader_that_leaves_dies_by_sigpipe_and_fetches_no_more():
    with Case() as c:
        put(c, "s3://box/big", b"x" * 4 * MIB)
        process = c.start("cat", "s3://box/big", "s3://box/big", "s3://box/big")
        process.stdout.read(10)
        process.stdout.close()
        err = process.stderr.read()
        assert process.wait(timeout=60) == -signal.SIGPIPE and err == b"", err
        assert c.lab.sent("GetObject") <= 2


# --- list

def fill(c):
    for key in ("a", "log", "log-1", "log.txt", "log/x", "log/sub/y", "2026/01/a.csv", "2026/02/b.csv"):
        put(c, "s3://box/" + key, key.encode())


def names(ended):
    return [line.split(maxsplit=3)[-1] if " PRE " not in line else line.split("PRE ")[1]
            for line in ended.out.decode().splitlines()]


def test_list_shows_folders_and_objects_as_ls_does():
    with Case() as c:
        fill(c)
        for words, wanted in (
                (["s3://box"], ["2026/", "log/", "a", "log", "log-1", "log.txt"]),
                (["s3://box/log/"], ["sub/", "x"]),
                (["s3://box/log"], ["log/", "log"]),
                (["s3://box/a"], ["a"]),
                (["-r", "s3://box/log"], ["log", "log/sub/y", "log/x"]),
                (["s3://box/2026/*.csv"], ["2026/01/a.csv", "2026/02/b.csv"]),
                (["s3://box/l?g"], ["log"]),
        ):
            ended = ends_with(c.run("ls", *words), 0)
            assert names(ended) == wanted, (words, ended)
        line = c.run("ls", "s3://box/a").out.decode()
        assert line[4] == "-" and line[10] == " " and line[13] == ":" and line.endswith("          1 a\n"), line


def test_list_of_nothing_is_66_for_a_name_and_0_for_an_empty_bucket():
    with Case() as c:
        ended = ends_with(c.run("ls", "s3://vault"), 0)
        assert ended.out == b""
        for address in ("s3://vault/k", "s3://vault/k/", "s3://vault/k*", "s3://nobucket"):
            ends_with(c.run("ls", address), 66)


def test_list_without_an_address_lists_buckets_and_json_has_one_object_a_line():
    with Case() as c:
        fill(c)
        assert names(ends_with(c.run("ls"), 0)) == ["s3://box", "s3://vault"]
        lines = [json.loads(line) for line in c.run("ls", "-r", "--json", "--summarize", "s3://box").out.splitlines()]
        assert [line["key"] for line in lines[:-1]] == sorted(line["key"] for line in lines[:-1])
        assert (lines[-1]["type"], lines[-1]["objects"]) == ("sum", 8), lines[-1]
        assert lines[-1]["bytes"] == sum(line["size"] for line in lines[:-1]), lines[-1]


def test_a_listing_that_breaks_off_says_so_and_has_no_sum():
    with Case() as c:
        lines = "".join(f"put {c.path('f')} s3://box/k{n:04}\n" for n in range(1005))
        c.file("f", b"")
        ends_with(c.run("run", "-", data=lines.encode()), 0)
        assert len(c.run("ls", "s3://box").out.splitlines()) == 1005
        c.lab.weather("ListObjectsV2 2: deny")
        ended = c.run("ls", "--summarize", "s3://box")
        assert ended.code == 77 and "incomplete" in ended.last_line, ended
        assert len(ended.out.splitlines()) == 1000
        c.lab.weather("ListObjectsV2 2: 503 SlowDown")
        assert len(ends_with(c.run("ls", "s3://box"), 0).out.splitlines()) == 1005
        process = c.start("ls", "s3://box")
        process.stdout.close()
        assert process.wait(timeout=60) == -signal.SIGPIPE
        assert process.stderr.read() == b""


# --- uploads

def interrupted(c, *options, name="big", key="big", code=-signal.SIGTERM):
    """A put that a signal ends while its parts are on their way."""
    if not os.path.exists(c.path(name)):
        c.file(name, os.urandom(24 * MIB))
    c.lab.weather("UploadPart part=3: hang after-body")
    process = c.start("put", "--part-size", "5MiB", "--multipart-threshold", "5MiB", *options, c.path(name),
                      f"s3://box/{key}")
    give_up = time.monotonic() + 30
    while c.lab.sent("UploadPart") < 4 and time.monotonic() < give_up:
        time.sleep(0.05)
    time.sleep(0.2)
    process.send_signal(signal.SIGTERM)
    err = process.communicate(timeout=60)[1].decode()
    assert process.returncode == code, (process.returncode, err)
    c.lab.weather()
    return err


def test_uploads_lists_what_a_signal_left_and_resume_finishes_it():
    with Case() as c:
        err = interrupted(c)
        assert "kept" in err, err
        line = json.loads(ends_with(c.run("uploads", "list", "--json", "s3://box"), 0).out.splitlines()[0])
        assert line["key"] == "big" and line["listed"] and line["known"] and line["source"] == c.path("big"), line
        assert line["at_work"] is None and line["size"] == 24 * MIB, line
        ended = ends_with(c.run("uploads", "list"), 0)
        assert b"s3://box/big" in ended.out and b"from " in ended.out, ended
        ends_with(c.run("uploads", "resume"), 0)
        assert c.run("cat", "s3://box/big").out == open(c.path("big"), "rb").read()
        assert ends_with(c.run("uploads", "list", "s3://box"), 0).out == b""
        ends_with(c.run("uploads", "resume", "s3://box/big"), 66)


def test_uploads_list_takes_a_prefix_and_abort_never_takes_more_than_the_key():
    with Case() as c:
        interrupted(c, key="big8")
        for address in ("s3://box/big", "s3://box/big8", "s3://box/b*8", "s3://box"):
            assert b"s3://box/big8" in ends_with(c.run("uploads", "list", address), 0).out, address
        assert ends_with(c.run("uploads", "list", "s3://box/big/"), 0).out == b""
        for what in ("abort", "resume"):
            ends_with(c.run("uploads", what, "s3://box/big"), 66)


def test_an_upload_of_a_file_is_listed_as_such_while_a_put_is_at_it_and_after():
    for options in ([], ["--no-resume"]):
        with Case() as c:
            c.file("big", os.urandom(24 * MIB))
            c.lab.weather("UploadPart part=3: hang after-body")
            process = c.start("put", "--part-size", "5MiB", "--multipart-threshold", "5MiB", *options, c.path("big"),
                              "s3://box/big")
            try:
                give_up = time.monotonic() + 30
                while c.lab.sent("UploadPart") < 4 and time.monotonic() < give_up:
                    time.sleep(0.05)
                shown = c.run("uploads", "list").out.decode()
                assert f"from {c.path('big')}, " in shown and f"process {process.pid} is at work" in shown, shown
                assert "only to be aborted" not in shown, shown
            finally:
                process.kill()
                process.communicate(timeout=60)
            shown = c.run("uploads", "list").out.decode()
            assert f"from {c.path('big')}" in shown and ("only to be aborted" in shown) == bool(options), shown


def test_resume_does_not_touch_what_changed_and_says_what_to_type():
    with Case() as c:
        interrupted(c, "--content-type", "text/csv")
        ends_with(c.run("uploads", "resume"), 64, "other options", "s3tug put")
        os.utime(c.path("big"))
        ends_with(c.run("uploads", "resume"), 74, "changed", "s3tug put")
        assert c.lab.sent("AbortMultipartUpload") == 0


def test_uploads_abort_takes_a_key_an_id_or_an_age_and_not_a_whole_bucket_by_mistake():
    with Case() as c:
        interrupted(c)
        ends_with(c.run("uploads", "abort", "s3://box"), 64, "--older-than")
        ends_with(c.run("uploads", "abort", "--older-than", "1h", "s3://box"), 0)
        ends_with(c.run("uploads", "abort", "s3://box/bi"), 66)
        ends_with(c.run("uploads", "abort", "s3://box/big", "no-such-id"), 66)
        assert c.lab.sent("AbortMultipartUpload") == 0
        ends_with(c.run("uploads", "abort", "s3://box/big"), 0)
        assert ends_with(c.run("uploads", "list", "s3://box"), 0).out == b""
        assert ends_with(c.run("uploads", "list"), 0).out == b""


def test_uploads_abort_leaves_what_a_process_is_at_work_on():
    with Case() as c:
        c.file("big", os.urandom(24 * MIB))
        c.lab.weather("UploadPart part=3: hang after-body")
        process = c.start("put", "--part-size", "5MiB", "--multipart-threshold", "5MiB", c.path("big"), "s3://box/big")
        try:
            give_up = time.monotonic() + 30
            while c.lab.sent("UploadPart") < 4 and time.monotonic() < give_up:
                time.sleep(0.05)
            ends_with(c.run("uploads", "abort", "s3://box/big"), 79, "at work", "--force")
            assert b"at work" in c.run("uploads", "list", "s3://box").out
            ends_with(c.run("uploads", "abort", "--force", "s3://box/big"), 0)
        finally:
            process.kill()
            process.communicate(timeout=60)


def test_abort_on_interrupt_leaves_nothing():
    with Case() as c:
        err = interrupted(c, "--abort-on-interrupt")
        assert "kept" not in err, err
        assert ends_with(c.run("uploads", "list", "s3://box"), 0).out == b""
        assert ends_with(c.run("uploads", "list"), 0).out == b""


# --- run

def test_run_gives_a_line_for_each_command_and_counts_what_cannot_be_run():
    with Case() as c:
        put(c, "s3://box/old")
        source = c.file("a b")
        script = f"""# a comment
put '{source}' s3://box/a
put "{source}" s3://box/b --content-type text/csv   # another

delete s3://box/old
dance s3://box/a
run other
get s3://box/none {c.path('out')}
put {c.path('a')}\\ b s3://box/c --retries 3
put - s3://box/d
copy 's3://box/a
"""
        ended = c.run("run", "-", data=script.encode())
        assert ended.code == 1, ended
        results = sorted(ended.out.decode().splitlines(), key=lambda line: int(line.split()[1]))
        assert [line.split()[:2] for line in results] == [
            ["ok", "2"], ["ok", "3"], ["ok", "5"], ["failed", "6"], ["failed", "7"], ["failed", "8"],
            ["failed", "9"], ["failed", "10"], ["failed", "11"]], ended
        assert "--retries is about the whole run" in ended.err, ended
        assert "6 of 9 items failed" in ended.last_line, ended
        assert there(c, "s3://box/a") and there(c, "s3://box/b") and not there(c, "s3://box/old")
        assert "Type: text/csv" in c.run("stat", "s3://box/b").out.decode()


def test_run_with_one_cause_has_its_code_and_a_file_is_read_too():
    with Case() as c:
        script = c.file("script", b"get s3://box/1 x\r\nget s3://box/2 y")
        ended = c.run("run", script, "--json")
        assert ended.code == 66, ended
        lines = [json.loads(line) for line in ended.out.decode().splitlines()]
        results = [line for line in lines if line.get("op") == "run"]
        assert sorted(line["line"] for line in results) == [1, 2], lines
        assert all(not line["ok"] and line["exit_code"] == 66 for line in results), lines
        ends_with(c.run("run", c.path("nowhere")), 66)
        ends_with(c.run("run"), 64)


def test_lines_of_run_take_trees_and_patterns():
    with Case() as c:
        fill(c)
        script = f"""get -r s3://box/log/ {c.path('down')}
delete 's3://box/2026/*'
copy -r --exclude '*/y' s3://box/log/ s3://vault/l/
delete -r s3://box/none/
"""
        ended = c.run("run", "-", data=script.encode())
        assert ended.code == 1, ended
        assert sorted(line.split()[0] for line in ended.out.decode().splitlines()) == ["failed", "ok", "ok", "ok"], ended
        assert open(c.path("down/sub/y"), "rb").read() == b"log/sub/y"
        assert names(c.run("ls", "s3://box")) == ["log/", "a", "log", "log-1", "log.txt"]
        assert names(c.run("ls", "-r", "s3://vault")) == ["l/x"]


def test_run_reads_lines_as_they_come_and_answers_each():
    with Case() as c:
        source = c.file("f")
        process = c.start("run", "-", stdin=subprocess.PIPE)
        for n in range(1, 4):
            process.stdin.write(f"put {source} s3://box/{n}\n".encode())
            process.stdin.flush()
            assert process.stdout.readline().decode().startswith(f"ok {n} put ")
        process.stdin.close()
        assert process.wait(timeout=60) == 0
        process = c.start("run", "-", stdin=subprocess.PIPE)
        time.sleep(0.3)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == -signal.SIGTERM
        process.stdin.close()


def test_run_shares_the_breaker_and_ends_what_is_left():
    with Case() as c:
        source = c.file("f")
        c.lab.weather("*: 503 ServiceUnavailable")
        script = "".join(f"put {source} s3://box/{n}\n" for n in range(20))
        ended = c.run("run", "-", "--retries", "0", "--breaker-patience", "100ms", data=script.encode())
        assert ended.code in (1, 69, 75), ended
        assert len(ended.out.splitlines()) >= 5


run_all(globals())
