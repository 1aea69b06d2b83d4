"""What users are told: counts, JSON, reasons, hints; and what they would expect of names and folders."""
import json
import os
import signal
import subprocess
import time

from harness import LAB_BINARY, Case, ends_with, run_all


def lines(ended):
    return [json.loads(line) for line in ended.out.splitlines()]


def wait_for(condition):
    give_up = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < give_up, "it did not come to pass"
        time.sleep(0.02)


def test_a_second_interrupt_ends_at_once_and_says_so():
    with Case() as c:
        c.lab.weather("UploadPart part=3: hang after-body", "AbortMultipartUpload: hang")
        process = c.start("put", "--abort-on-interrupt", "--part-size", "5MiB", "--multipart-threshold", "5MiB",
                          c.file("big", bytes(12 << 20)), "s3://box/k")
        wait_for(lambda: c.lab.sent("UploadPart") >= 2)
        process.send_signal(signal.SIGINT)
        time.sleep(0.4)
        assert process.poll() is None, "it did not stay to tidy up, so this proves nothing"
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        err = process.communicate(timeout=20)[1].decode()
        assert time.monotonic() - began < 1
        assert process.returncode == -signal.SIGINT
        assert err.strip().splitlines()[-1] == "s3tug: a second signal, ended at once; run again to finish", err


def test_a_list_of_several_addresses_counts_those_that_were_listed():
    with Case() as c:
        c.run("put", c.file("a"), "s3://box/d/")
        ends_with(c.run("ls", "s3://box/d/", "s3://vault"), 0)
        ended = c.run("ls", "s3://box/d/", "s3://box/none", "s3://vault")
        assert ended.code == 1 and "s3tug: 1 of 3 items failed, 2 done, " in ended.last_line, ended
        assert c.run("ls", "s3://box/no", "s3://box/none").code == 66


def test_list_json_ends_with_a_sum_and_its_errors_have_what_the_store_said():
    with Case() as c:
        c.run("put", c.file("a"), c.file("b"), "s3://box/d/")
        last = lines(c.run("ls", "--json", "s3://box/d/"))[-1]
        assert (last["type"], last["objects"], last["bytes"]) == ("sum", 2, 20), last
        assert (last["summary"]["done"], last["summary"]["requests"], last["summary"]["exit_code"]) == (1, 1, 0), last
        ended = c.run("ls", "--json", "s3://nobucket/x")
        failed, last = lines(ended)
        assert ended.code == 66
        assert (failed["error"]["status"], failed["error"]["code"]) == (404, "NoSuchBucket"), failed
        assert failed["error"]["request_id"] in failed["error"]["message"], failed
        assert (last["type"], last["objects"], last["summary"]["failed"]) == ("sum", 0, 1), last


def test_requests_counts_http_requests():
    with Case() as c:
        names = [c.file("f%d" % i) for i in range(5)]
        c.run("put", *names, "s3://box/d/")
        c.lab.weather("DeleteObjects 1: 503 SlowDown")
        summary = lines(c.run("delete", "--json", "-r", "s3://box/d"))[-1]["summary"]
        sent = len(c.lab.log())
        assert (summary["done"], summary["requests"]) == (5, sent) and sent < 6, (summary, sent)


def test_run_shows_its_lines_as_given_and_names_the_commands_that_it_refuses():
    with Case() as c:
        c.file("a b")
        script = [f"put --content-type text/csv '{c.path('a b')}' s3://box/k", "cat s3://box/k", "frob x",
                  f"put --header 'X-My-Token: hush' \"{c.path('a b')}\" s3://box/l"]
        c.file("script", "\n".join(script).encode())
        ended = c.run("run", "--json", c.path("script"))
        told = lines(ended)
        results = {line["line"]: line["command"] for line in told if line.get("op") == "run"}
        assert results[1] == script[0] and results[2] == script[1] and results[3] == script[2], results
        assert results[4] == f"put --header 'X-My-Token: [redacted]' '{c.path('a b')}' s3://box/l", results
        ops = {line["line"]: line["op"] for line in told if line.get("error")}
        assert ops == {2: "cat", 3: "frob"}, ops
        assert "hush" not in ended.err + ended.out.decode()


def test_a_list_with_crlf_line_ends_is_noticed_before_it_names_something_else():
    with Case() as c:
        c.run("put", c.file("f"), c.file("real\r"), "s3://box/d/")
        c.file("list", b"f\r\nreal\r\n")
        ended = ends_with(c.run("put", "--files-from", c.path("list"), c.folder, "s3://box/p/"), 1, "CRLF", "--from0")
        assert "1 of 2 items failed, 1 done" in ended.last_line, ended
        ends_with(c.run("delete", "--files-from", c.path("list"), "s3://box/d"), 64, "CRLF")
        assert c.lab.sent("DeleteObjects") + c.lab.sent("DeleteObject") == 0
        ends_with(c.run("delete", "--from0", "--files-from", "-", "s3://box/d", data=b"real\r\0"), 0)
        assert c.run("ls", "s3://box/d/").out.split()[-1] == b"f"


def test_lines_that_are_no_addresses_are_named_and_listed_as_they_were():
    with Case() as c:
        ended = ends_with(c.run("delete", "--failed-to", c.path("bad"), "--files-from", "-", data=b"plain\ns3://box/k\r\n"), 64)
        assert ended.err.startswith("s3tug: delete --files-from: 'plain': not an s3:// address"), ended
        assert open(c.path("bad"), "rb").read() == b"plain\ns3://box/k\r\n"


def test_a_move_under_a_key_can_be_repeated():
    with Case() as c:
        move = ("mv", "--idempotency-key", "nightly", c.file("f"), "s3://box/k")
        ends_with(c.run(*move), 0)
        assert not os.path.exists(c.path("f"))
        sent = len(c.lab.log())
        ends_with(c.run(*move), 0, "done before under this idempotency key")
        assert len(c.lab.log()) == sent
        ends_with(c.run("mv", "--idempotency-key", "nightly", c.path("f"), "s3://box/other"), 66)
        c.file("f", b"other bytes")
        ends_with(c.run(*move), 64)
        assert os.path.exists(c.path("f"))


def test_get_makes_a_folder_that_ends_in_a_slash():
    with Case() as c:
        c.run("put", c.file("a"), c.file("b"), "s3://box/")
        ends_with(c.run("get", "s3://box/a", "s3://box/b", c.path("new/deep/")), 0)
        assert sorted(os.listdir(c.path("new/deep"))) == ["a", "b"]
        ends_with(c.run("get", "s3://box/a", c.path("one/")), 0)
        assert os.listdir(c.path("one")) == ["a"]
        ends_with(c.run("get", "s3://box/a", c.path("a") + "/"), 73)


def test_what_is_skipped_of_many_is_counted_and_named_with_v_only():
    with Case() as c:
        c.run("put", c.file("a"), c.file("b"), "s3://box/d/")
        assert c.run("put", "--no-clobber", c.path("a"), c.path("b"), "s3://box/d/").err == ""
        ended = ends_with(c.run("-v", "get", "--no-clobber", "-r", "s3://box/d", c.folder), 0, "2 items done (2 skipped)")
        assert ended.err.count("skipped, something stands there") == 2, ended
        summary = lines(c.run("--json", "get", "--no-clobber", "-r", "s3://box/d", c.folder))[-1]["summary"]
        assert summary["skipped"] == 2, summary


def test_too_little_memory_is_refused_by_every_command():
    with Case() as c:
        for command in (("ls", "s3://box"), ("rm", "s3://box/k"), ("stat", "s3://box/k"), ("copy", "s3://box/k", "s3://box/l"),
                        ("put", c.file("f"), "s3://box/k"), ("run", c.file("empty", b""))):
            ends_with(c.run("--memory", "10MiB", *command), 64, "--memory: '10MiB' is less than 48.0 MiB")
        assert c.lab.log() == []


def test_a_name_that_is_not_utf8_becomes_no_key_however_it_was_named():
    with Case() as c:
        os.mkdir(c.path("tree"))
        bad = os.path.join(c.path("tree").encode(), b"bad\xff")
        open(bad, "wb").close()
        for command in (("put", bad, "s3://box/d/"), ("put", "-r", c.path("tree"), "s3://box/d/")):
            ends_with(c.run(*command), 76, "its name is not UTF-8")
        ends_with(c.run("put", bad, "s3://box/d/good"), 0)


def test_the_one_failure_of_a_pattern_is_told_once():
    with Case() as c:
        ended = ends_with(c.run("delete", "s3://box/none*"), 66)
        assert ended.err == "s3tug: delete s3://box/none*: no object matches it\n", ended


def test_a_proxy_that_fails_is_named_without_its_password():
    with Case() as c:
        ended = ends_with(c.run("--retries", "0", "--proxy", "http://me:hush@127.0.0.1:9", "ls", "s3://box"), 75,
                          "it was tried through the proxy http://127.0.0.1:9")
        assert "hush" not in ended.err


def test_a_wrong_scheme_and_an_unknown_authority_are_guessed():
    with Case() as c:
        ends_with(c.run("--retries", "0", "--connect-timeout", "1s", "ls", "s3://box",
                        AWS_ENDPOINT_URL=c.lab.endpoint.replace("http:", "https:")), 75, "begins with http://")
        os.mkdir(c.path("tls"))
        lab = subprocess.Popen([LAB_BINARY, "--port", "0", "--port-file", c.path("tls/port"), "--bucket",
                                "box", "--tls-self-signed", c.path("tls"), "--parent-exit"], stdout=subprocess.DEVNULL)
        wait_for(lambda: os.path.exists(c.path("tls/port")))
        port = open(c.path("tls/port")).read().strip()
        ends_with(c.run("--retries", "0", "ls", "s3://box", AWS_ENDPOINT_URL=f"http://127.0.0.1:{port}"), 75,
                  "begins with https://")
        ends_with(c.run("--retries", "0", "ls", "s3://box", AWS_ENDPOINT_URL=f"https://127.0.0.1:{port}"), 78, "--ca-file")
        ends_with(c.run("ls", "s3://box", "--ca-file", c.path("tls/cert.pem"),
                        AWS_ENDPOINT_URL=f"https://127.0.0.1:{port}"), 0)
        lab.terminate()
        lab.wait(timeout=20)


def test_cat_takes_patterns_in_the_order_of_a_listing():
    with Case() as c:
        for name in "cab":
            c.run("put", c.file(name, name.encode() * 3), "s3://box/d/")
        assert c.run("cat", "s3://box/d/*").out == b"aaabbbccc"
        assert c.run("cat", "s3://box/d/c", "s3://box/d/?").out == b"cccaaabbbccc"
        ended = c.run("cat", "s3://box/d/a", "s3://box/x*")
        assert (ended.code, ended.out) == (1, b"aaa"), ended
        ended = c.run("cat", "s3://box/x*")
        assert (ended.code, ended.out) == (66, b""), ended


def test_keys_of_a_slow_writer_are_deleted_as_they_come():
    with Case() as c:
        c.run("put", c.file("a"), c.file("b"), c.file("c"), "s3://box/d/")
        process = c.start("delete", "--files-from", "-", stdin=subprocess.PIPE)
        process.stdin.write(b"s3://box/d/a\n")
        process.stdin.flush()
        wait_for(lambda: c.lab.sent("DeleteObject") == 1)
        process.stdin.write(b"s3://box/d/b\ns3://box/d/c\n")
        process.stdin.flush()
        wait_for(lambda: c.lab.sent("DeleteObjects") == 1)
        assert process.poll() is None
        process.stdin.close()
        assert process.wait(timeout=20) == 0
        process.stdout.close()
        process.stderr.close()


def test_a_mistyped_variable_is_a_warning_and_silent_with_quiet():
    with Case() as c:
        ended = ends_with(c.run("put", c.file("a"), c.file("b"), "s3://box/d/", S3TUG_CONECT_TIMEOUT="5s"), 0)
        assert ended.err == ("s3tug: warning: S3TUG_CONECT_TIMEOUT is set, and no such variable is known; did you mean "
                             "S3TUG_CONNECT_TIMEOUT?\n"), ended
        assert c.run("--quiet", "put", c.path("a"), "s3://box/d/", S3TUG_CONECT_TIMEOUT="5s").err == ""


def test_who_names_a_folder_hears_of_recursive_and_of_nothing_where_it_cannot_be_listed():
    with Case() as c:
        c.run("put", c.file("a"), "s3://box/tree/")
        for key in ("tree", "tree/"):
            ended = ends_with(c.run("get", f"s3://box/{key}", c.path("out")), 66, "below s3://box/tree/", "--recursive")
            assert ended.err.count("--recursive") == 1, ended
        ended = ends_with(c.run("rm", "s3://box/tree/"), 0, "warning", "below s3://box/tree/", "--recursive")
        assert c.run("--quiet", "rm", "s3://box/tree/").err == ""
        for missing in ("tre", "other/"):
            assert "--recursive" not in ends_with(c.run("get", f"s3://box/{missing}", c.path("out")), 66).err
        assert ends_with(c.run("rm", "s3://box/other/"), 0).err == ""
        c.lab.weather("ListObjectsV2: deny")
        assert "--recursive" not in ends_with(c.run("get", "s3://box/tree", c.path("out")), 66).err
        c.lab.weather("ListObjectsV2: 503 SlowDown")
        assert "--recursive" not in ends_with(c.run("get", "s3://box/tree", c.path("out")), 66).err
        assert ends_with(c.run("rm", "s3://box/tree/"), 0).err == ""
        assert c.lab.sent("ListObjectsV2") == 2, c.lab.log()


def test_a_failure_is_told_under_the_name_of_its_command():
    with Case() as c:
        ends_with(c.run("cat", "s3://box/none"), 66, "s3tug: cat s3://box/none: ")
        c.lab.weather("PutObject: deny")
        ends_with(c.run("pipe", "s3://box/p", data=b"x"), 77, "s3tug: pipe s3://box/p: ")
        for source, command in (("s3://box/zzz*", ("rm",)), ("s3://box/zzz/", ("rm", "-r"))):
            ends_with(c.run(*command, source), 66, f"s3tug: delete {source}: ")
        for command in ("get", "mv"):
            ends_with(c.run(command, "s3://box/zzz*", c.path("out")), 66,
                      f"s3tug: {'move' if command == 'mv' else command} s3://box/zzz*: no object matches it")
        ends_with(c.run("cat", "s3://box/zzz*"), 66, "s3tug: cat s3://box/zzz*: ")
        ended = c.run("rm", "--json", "s3://box/zzz*")
        assert lines(ended)[0]["op"] == "delete", ended
        ended = c.run("uploads", "abort", "--json", "s3://box/none")
        assert ended.code == 66 and lines(ended)[0]["op"] == "abort upload", ended
        assert "s3tug: abort uploads of s3://box/none: " in ended.err, ended


def test_cat_and_pipe_go_by_their_names_where_all_is_well():
    with Case() as c:
        assert "(dryrun) cat: s3://box/k to -" in ends_with(c.run("cat", "-n", "s3://box/k"), 0).err
        assert c.run("pipe", "-n", "s3://box/p", data=b"x").out == b"(dryrun) pipe: - to s3://box/p\n"
        assert lines(c.run("pipe", "--json", "s3://box/p", data=b"x"))[0]["op"] == "pipe"
        # The work is that of a put, so a key that one of them has used holds for the other.
        keyed = ("--idempotency-key", "k1")
        ends_with(c.run("pipe", *keyed, "s3://box/q", data=b"x"), 0)
        assert lines(c.run("put", "--json", *keyed, "-", "s3://box/q", data=b"x"))[0]["cached"] is True


def test_a_listing_that_the_deadline_or_a_signal_ends_is_named_with_what_it_had_met():
    with Case() as c:
        met = "; last error: 503 SlowDown"
        for command, name in ((("ls", "s3://box/d/"), "list s3://box/d/"), (("rm", "-r", "s3://box/d"), "list s3://box/d"),
                              (("get", "-r", "s3://box/d", c.path("out")), "list s3://box/d")):
            for rules, what in ((("ListObjectsV2 1: 503 SlowDown", "ListObjectsV2 2-: hang"), f"deadline reached{met}"),
                                (("ListObjectsV2: hang",), "deadline reached (not done in time)")):
                c.lab.weather(*rules)
                ended = ends_with(c.run(*command, "--deadline", "700ms"), 124, f"s3tug: {name}: {what}")
                assert name in ended.last_line, ended
        c.lab.weather("ListObjectsV2: hang")
        ended = c.run("ls", "--json", "s3://box/d/", "--deadline", "700ms")
        failed, last = lines(ended)
        assert failed["error"]["exit_code"] == last["summary"]["exit_code"] == 124, ended
        c.lab.weather("ListObjectsV2 1: 503 SlowDown", "ListObjectsV2 2-: hang")
        process = c.start("ls", "s3://box/d/")
        wait_for(lambda: c.lab.sent("ListObjectsV2") >= 1)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        err = process.communicate(timeout=20)[1].decode()
        assert process.returncode == -signal.SIGINT
        assert err.startswith(f"s3tug: list s3://box/d/: interrupted by a signal{met}") and err.count("\n") == 1, err


def test_a_signal_while_the_outcome_is_unknown_says_that_a_rerun_settles_it():
    with Case() as c:
        c.run("put", c.file("a"), "s3://box/a")
        for command, rule in ((("put", c.path("a"), "s3://box/k"), "PutObject: reset before-answer"),
                              (("copy", "s3://box/a", "s3://box/k"), "CopyObject: reset before-answer")):
            c.lab.weather(rule, "HeadObject key=k: hang")
            process = c.start(*command)
            wait_for(lambda op=rule.split(":")[0]: c.lab.sent(op) >= 1)
            time.sleep(0.3)
            process.send_signal(signal.SIGTERM)
            err = process.communicate(timeout=20)[1].decode()
            assert process.returncode == -signal.SIGTERM
            assert "s3://box/k: interrupted by a signal (outcome unknown, a rerun settles it); last error: " in err, err


def test_what_a_head_did_not_find_has_a_code_as_other_failures():
    with Case() as c:
        assert lines(c.run("stat", "--json", "s3://box/none"))[0]["error"]["code"] == "NotFound"
        c.lab.weather("HeadObject: deny")
        assert lines(c.run("stat", "--json", "s3://box/none"))[0]["error"]["code"] == "Forbidden"


def test_a_get_that_goes_on_says_what_is_there_already():
    with Case() as c:
        data = os.urandom(48 << 20)
        ends_with(c.run("put", c.file("big", data), "s3://box/big"), 0)
        c.lab.weather("GetObject 2-: reset mid-answer")
        ends_with(c.run("get", "--retries", "0", "s3://box/big", c.path("down")), 75)
        c.lab.weather()
        ended = ends_with(c.run("get", "-v", "s3://box/big", c.path("down")), 0, "going on with an earlier download, ")
        assert "of 48.0 MiB are there" in ended.err, ended
        assert open(c.path("down"), "rb").read() == data


def test_a_file_that_changes_while_it_is_put_is_told_as_that():
    with Case() as c:
        for policy, status in (("fail", 74), ("warn", 0), ("snapshot", 0)):
            for grows in (True, False):
                data = os.urandom(12 << 20)
                creates = c.lab.sent("CreateMultipartUpload")
                process = c.start("put", "--source-changed", policy, "--part-size", "5MiB", "--multipart-threshold", "5MiB",
                                  "--limit-rate", "8M", c.file("f", data), "s3://box/k")
                wait_for(lambda: c.lab.sent("CreateMultipartUpload") > creates)  # it is open, and more than 1 s is left
                with open(c.path("f"), "r+b") as file:
                    file.seek(0 if not grows else len(data))
                    file.write(b"XXXX")
                    file.seek(11 << 20)
                    file.write(data[11 << 20:] if grows else b"XXXX")
                err = process.communicate(timeout=60)[1].decode()
                assert process.returncode == status, (policy, grows, process.returncode, err)
                told = "f changed while it was read; the object gets its first 12582912 bytes" in err
                assert told == (policy == "warn"), (policy, grows, err)
                if policy == "snapshot":
                    assert err == "", err
                if status == 0 and grows:
                    ends_with(c.run("get", "s3://box/k", c.path("down")), 0)
                    assert open(c.path("down"), "rb").read() == data


run_all(globals())
