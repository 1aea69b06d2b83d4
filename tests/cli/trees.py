"""Trees, patterns and lists of names."""
import json
import os
import socket

from harness import Case, ends_with, run_all


def tree(c, name, files):
    for path, data in files.items():
        full = os.path.join(c.path(name), path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as out:
            out.write(data)
    return c.path(name)


def content(folder):
    found = {}
    for at, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(at, name)
            with open(path, "rb") as f:
                found[os.path.relpath(path, folder)] = f.read()
    return found


def keys(c, bucket="box"):
    """Current objects; the last version of a key that the lab lists is the current one."""
    found = {}
    for line in c.lab.control("objects").splitlines():
        entry = json.loads(line)
        if entry["bucket"] == bucket:
            found.setdefault(entry["key"], []).append(entry)
    return {key for key, versions in found.items() if not versions[-1].get("delete_marker")}


def fill(c, *names, bucket="box"):
    for name in names:
        ends_with(c.run("put", "-", f"s3://{bucket}/{name}", data=name.encode()), 0)


SITE = {"index.html": b"<html>", "css/main.css": b"body{}", "img/deep/a b+c%20.png": b"\x89PNG", "empty": b"",
        "\u00fc/\u00f1.txt": b"utf8", "-dash": b"-", "new\nline": b"n"}


def test_a_tree_goes_up_and_comes_back_the_same():
    with Case() as c:
        site = tree(c, "site", SITE)
        ended = ends_with(c.run("put", "-r", site, "s3://box/www/"), 0)
        assert ended.out == b"" and ended.err == "", ended
        assert keys(c) == {"www/" + name for name in SITE}
        for source in ("s3://box/www", "s3://box/www/", "s3://box/www/*"):
            target = c.path("back" + str(len(source)) + source[-1:].replace("/", "s").replace("*", "p"))
            ends_with(c.run("get", "--recursive", source, target), 0)
            assert content(target) == SITE, source


def test_a_prefix_means_whole_segments_and_a_pattern_does_not():
    with Case() as c:
        fill(c, "log", "log/a", "log/b/c", "log-old/x", "logs")
        ends_with(c.run("get", "-r", "s3://box/log", c.path("t1")), 0)
        assert set(content(c.path("t1"))) == {"log", "a", "b/c"}
        ends_with(c.run("get", "s3://box/log/*", c.path("t2")), 0)
        assert set(content(c.path("t2"))) == {"a", "b/c"}
        ends_with(c.run("delete", "-r", "s3://box/log"), 0)
        assert keys(c) == {"log-old/x", "logs"}
        ends_with(c.run("delete", "s3://box/log*"), 0)
        assert keys(c) == set()


def test_raw_switches_wildcards_off():
    with Case() as c:
        fill(c, "a*", "ab")
        ends_with(c.run("delete", "--raw", "s3://box/a*"), 0)
        assert keys(c) == {"ab"}


def test_what_matches_nothing_is_named_and_ends_66():
    with Case() as c:
        fill(c, "logs")
        for source in ("s3://box/none*", "s3://box/log/?"):
            ends_with(c.run("get", source, c.path("t")), 66, source)
        ends_with(c.run("delete", "-r", "s3://box/log"), 66, "s3://box/log")
        ends_with(c.run("copy", "-r", "s3://box/none/", "s3://vault/"), 66, "s3://box/none/")
        ends_with(c.run("put", "-r", c.path("missing"), "s3://box/"), 66, "missing")
        os.mkdir(c.path("empty"))
        ends_with(c.run("put", "-r", c.path("empty"), "s3://box/"), 0)
        assert keys(c) == {"logs"}


def test_a_whole_bucket_is_deleted_only_by_a_star():
    with Case() as c:
        fill(c, "a", "b/c")
        ends_with(c.run("delete", "-r", "s3://box"), 64, "s3://box/*")
        assert keys(c) == {"a", "b/c"}
        ends_with(c.run("delete", "s3://box/*"), 0)
        assert keys(c) == set()


def test_the_last_filter_that_holds_counts():
    with Case() as c:
        site = tree(c, "site", SITE)
        ends_with(c.run("put", "-r", "--exclude", "*", "--include", "*.html", "--include", "*.css", "--exclude",
                        "css/*", site, "s3://box/www/"), 0)
        assert keys(c) == {"www/index.html"}
        ends_with(c.run("put", "-r", "--include", "*.html", site, "s3://box/"), 64, "--exclude")
        fill(c, "www/b.css")
        ends_with(c.run("delete", "-r", "--exclude", "*.css", "s3://box/www"), 0)
        assert keys(c) == {"www/b.css"}


def test_files_and_folders_stand_side_by_side():
    with Case() as c:
        ends_with(c.run("put", "-r", c.file("a.txt"), tree(c, "dir", {"b.txt": b"b"}), "s3://box/p/"), 0)
        assert keys(c) == {"p/a.txt", "p/b.txt"}
        ends_with(c.run("put", "-r", c.file("b.txt"), c.path("dir"), "s3://box/q/"), 64, "two sources")
        ended = c.run("put", "-r", c.path("dir"), tree(c, "other", {"b.txt": b"x", "d": b"d"}), "s3://box/r/")
        ends_with(ended, 1, "b.txt")
        assert {k for k in keys(c) if k.startswith("r/")} == {"r/b.txt", "r/d"}


def test_lists_name_what_is_taken():
    with Case() as c:
        site = tree(c, "site", SITE)
        names = c.file("names", b"index.html\n\n" + site.encode() + b"/css/main.css\n")
        ends_with(c.run("put", "--files-from", names, site, "s3://box/www"), 0)
        assert keys(c) == {"www/index.html", "www/css/main.css"}
        ends_with(c.run("put", "--files-from", "-", "--from0", site, "s3://box/", data=b"new\nline\0empty\0"), 0)
        assert {"new\nline", "empty"} < keys(c)
        listed = b"s3://box/www/index.html\ncss/main.css\n"
        ends_with(c.run("get", "--files-from", "-", "s3://box/www", c.path("t"), data=listed), 0)
        assert set(content(c.path("t"))) == {"index.html", "css/main.css"}
        ends_with(c.run("delete", "--files-from", "-", data=b"s3://box/www/index.html\ns3://box/empty\n"), 0)
        assert keys(c) == {"new\nline", "www/css/main.css"}
        ended = c.run("get", "--files-from", "-", "s3://box/www", c.path("t"), data=b"s3://box/other\nnot-there\n")
        ends_with(ended, 1, "s3://box/other", "not-there")
        ends_with(c.run("put", "--files-from", c.path("no-list"), site, "s3://box/"), 66, "no-list")


def test_what_failed_is_done_by_a_rerun_of_the_same_command():
    with Case() as c:
        site = tree(c, "site", {"a": b"a", "sub/b": b"b"})
        failed = c.path("failed")
        c.lab.weather("PutObject key=w/sub/b: 403 AccessDenied")
        ends_with(c.run("put", "-r", "--failed-to", failed, site, "s3://box/w"), 1, "w/sub/b")
        assert keys(c) == {"w/a"} and open(failed).read() == site + "/sub/b\n"
        c.lab.weather()
        ends_with(c.run("put", "--files-from", failed, "--failed-to", failed, site, "s3://box/w"), 64, "--failed-to")
        ends_with(c.run("put", "--files-from", failed, site, "s3://box/w"), 0)
        assert keys(c) == {"w/a", "w/sub/b"} and c.lab.sent("PutObject") == 1
        c.lab.weather("GetObject key=w/sub/b: 403 AccessDenied")
        ends_with(c.run("get", "-r", "--failed-to", failed, "s3://box/w", c.path("t")), 1, "w/sub/b")
        c.lab.weather()
        ends_with(c.run("get", "--files-from", failed, "s3://box/w", c.path("t")), 0)
        assert content(c.path("t")) == {"a": b"a", "sub/b": b"b"} and c.lab.sent("GetObject") == 1


def test_what_is_no_file_is_counted_and_the_rest_goes_on():
    with Case() as c:
        site = tree(c, "site", {"good": b"g", "sub/good": b"h"})
        os.mkfifo(site + "/pipe")
        sock = socket.socket(socket.AF_UNIX)
        sock.bind(site + "/socket")
        os.symlink("nowhere", site + "/dangling")
        os.symlink("..", site + "/sub/cycle")
        os.symlink("sub", site + "/link")
        with open(os.fsencode(site) + b"/latin\xe9", "wb") as out:
            out.write(b"x")
        failed = c.path("failed")
        ended = ends_with(c.run("put", "-r", "--failed-to", failed, site, "s3://box/"), 1, "pipe", "socket", "dangling",
                          "cycle", "UTF-8")
        assert keys(c) == {"good", "sub/good", "link/good"}, ended
        # Named in a list they are not waited for either: nobody may be there to write.
        ends_with(c.run("put", "--files-from", failed, site, "s3://box/"), 1, "pipe", "socket")
        sock.close()
        c.run("delete", "s3://box/*")
        ended = c.run("put", "-r", "--no-follow-symlinks", "--exclude", "pipe", "--exclude", "socket", "--exclude",
                      "latin*", site, "s3://box/")
        ends_with(ended, 0)
        assert keys(c) == {"good", "sub/good"}


def test_keys_that_cannot_be_files_are_refused_and_counted():
    with Case() as c:
        fill(c, "t/ok", "t/../up", "t//x", "t/a", "t/a/b")
        ended = ends_with(c.run("get", "-r", "s3://box/t/", c.path("into")), 1, "t/../up", "t//x", "t/a/b")
        assert set(content(c.path("into"))) == {"ok", "a"}, ended
        assert not os.path.exists(c.path("up"))


def test_links_in_the_target_are_not_followed_out_of_it():
    with Case() as c:
        fill(c, "t/out/x", "t/in/y", "t/file")
        os.makedirs(c.path("into/real"))
        os.mkdir(c.path("elsewhere"))
        os.symlink(c.path("elsewhere"), c.path("into/out"))
        os.symlink("real", c.path("into/in"))
        os.symlink(c.file("outside", b"old"), c.path("into/file"))
        ended = ends_with(c.run("get", "-r", "s3://box/t", c.path("into")), 1, "into/out", "into/file")
        assert os.listdir(c.path("elsewhere")) == [] and open(c.path("outside"), "rb").read() == b"old", ended
        assert open(c.path("into/real/y"), "rb").read() == b"t/in/y"


def test_a_file_where_a_folder_must_be_is_an_error_of_that_item():
    with Case() as c:
        fill(c, "t/a/b", "t/c")
        os.mkdir(c.path("into"))
        c.file("into/a", b"old")
        ends_with(c.run("get", "-r", "s3://box/t", c.path("into")), 1, "into/a")
        assert content(c.path("into")) == {"a": b"old", "c": b"t/c"}
        ends_with(c.run("get", "-r", "s3://box/t", c.file("plain")), 64, "plain")
        ends_with(c.run("get", "-r", "s3://box/t", "-"), 64)


def test_deletes_go_by_the_thousand_and_each_key_counts():
    with Case() as c:
        fill(c, *[f"d/{n}" for n in range(7)])
        c.lab.weather()
        ends_with(c.run("delete", "-r", "s3://box/d"), 0)
        assert c.lab.sent("DeleteObjects") == 1 and c.lab.sent("DeleteObject") == 0
        assert keys(c) == set()


def test_errors_of_keys_are_those_of_their_items_and_pass_with_a_repeat_where_they_can():
    with Case() as c:
        fill(c, "d/1", "d/2", "d/3", "d/x")
        c.lab.weather("DeleteObjects: fail-keys d/x AccessDenied")
        ended = c.run("--json", "delete", "-r", "s3://box/d")
        lines = [json.loads(line) for line in ended.out.splitlines()]
        errors = {line["target"]: line["error"] for line in lines if "target" in line and line.get("op") == "delete"}
        assert ended.code == 1 and set(errors) == {"s3://box/d/1", "s3://box/d/2", "s3://box/d/3", "s3://box/d/x"}, ended
        assert errors["s3://box/d/x"]["code"] == "AccessDenied" and errors["s3://box/d/x"]["exit_code"] == 77
        assert all(error is None for target, error in errors.items() if target != "s3://box/d/x"), errors
        assert keys(c) == {"d/x"}
        fill(c, "e/1", "e/2")
        c.lab.weather("DeleteObjects 1-2: fail-keys e/2 SlowDown")
        ends_with(c.run("delete", "-r", "s3://box/e"), 0)
        assert c.lab.sent("DeleteObjects") == 3 and keys(c) == {"d/x"}


def test_a_store_without_batches_and_a_lost_answer_get_single_deletes():
    for bucket in ("box", "vault"):
        with Case() as c:
            fill(c, "d/1", "d/2", bucket=bucket)
            c.lab.weather("DeleteObjects: 501 NotImplemented")
            ends_with(c.run("delete", "-r", f"s3://{bucket}/d"), 0)
            assert c.lab.sent("DeleteObject") == 2 and keys(c, bucket) == set()
            fill(c, "e/1", "e/2", bucket=bucket)
            c.lab.weather("DeleteObjects: reset before-answer")
            ends_with(c.run("delete", "-r", f"s3://{bucket}/e"), 0)
            assert c.lab.sent("DeleteObjects") == 1 and c.lab.sent("DeleteObject") == 0, c.lab.log()
            assert keys(c, bucket) == set()


def test_a_listing_that_fails_plans_nothing_and_has_its_own_code():
    with Case() as c:
        fill(c, "d/1", "d/2")
        c.lab.weather("ListObjectsV2: 403 AccessDenied")
        for command in (["delete", "-r", "s3://box/d"], ["get", "s3://box/d/*", c.path("t")],
                        ["copy", "-r", "s3://box/d/", "s3://vault/d/"]):
            ends_with(c.run(*command), 77, "list s3://box/d")
        assert keys(c) == {"d/1", "d/2"} and not os.path.exists(c.path("t"))
        c.lab.weather("ListObjectsV2: empty-200")
        ends_with(c.run("delete", "-r", "--retries", "1", "s3://box/d/"), 75, "list s3://box/d")
        assert keys(c) == {"d/1", "d/2"}
        c.lab.weather("ListObjectsV2 1-2: 503 SlowDown")
        ends_with(c.run("delete", "-r", "s3://box/d/"), 0)
        assert keys(c) == set()


def test_after_a_second_page_that_fails_only_what_was_listed_is_touched():
    with Case() as c:
        names = [f"d/{n:04}" for n in range(1003)]
        folder = tree(c, "many", {name[2:]: b"x" for name in names})
        ends_with(c.run("put", "-r", folder, "s3://box/d/"), 0)
        assert len(keys(c)) == 1003
        c.lab.weather("ListObjectsV2 2-: 403 AccessDenied")
        ends_with(c.run("delete", "-r", "s3://box/d/"), 1, "list s3://box/d/", "access denied")
        assert keys(c) == set(names[1000:])


def test_a_tree_is_copied_and_never_into_itself():
    with Case() as c:
        fill(c, "a/1", "a/b/2", "ab")
        ends_with(c.run("copy", "-r", "s3://box/a", "s3://vault/x"), 0)
        assert keys(c, "vault") == {"x/1", "x/b/2"}
        for source, target in (("s3://box/a", "s3://box/a/copy/"), ("s3://box/", "s3://box/b/"), ("s3://box/a*", "s3://box/ax/")):
            ends_with(c.run("copy", "-r", source, target), 64, "lies in the source")
        ends_with(c.run("copy", "-r", "s3://box/a", "s3://box/c"), 0)
        assert {"c/1", "c/b/2"} < keys(c)


def test_options_about_one_object_do_not_go_with_many():
    with Case() as c:
        for option in (["--if-match", "x"], ["--version-id", "v"]):
            ends_with(c.run("delete", "-r", *option, "s3://box/a"), 64, option[0])
        ends_with(c.run("get", "--expect-size", "1", "s3://box/*", c.path("t")), 64, "--expect-size")
        ends_with(c.run("put", "--exclude", "x", c.file("f"), "s3://box/"), 64, "--exclude")


def test_a_dry_run_prints_each_item_and_sends_no_change():
    with Case() as c:
        fill(c, "d/1", "d/2")
        ended = ends_with(c.run("delete", "-r", "--dry-run", "s3://box/d"), 0)
        assert sorted(ended.out.decode().splitlines()) == ["(dryrun) delete: s3://box/d/1", "(dryrun) delete: s3://box/d/2"]
        site = tree(c, "site", {"x.html": b"x"})
        ended = ends_with(c.run("put", "-rn", site, "s3://box/w/"), 0)
        assert ended.out.decode() == f"(dryrun) put: {site}/x.html to s3://box/w/x.html\n"
        assert keys(c) == {"d/1", "d/2"}


def test_a_tree_under_an_idempotency_key_is_done_once():
    with Case() as c:
        site = tree(c, "site", {"a": b"a", "b": b"b"})
        for _ in range(2):
            ends_with(c.run("put", "-r", "--idempotency-key", "k", site, "s3://vault/"), 0)
        assert c.lab.sent("PutObject") == 2


run_all(globals())
