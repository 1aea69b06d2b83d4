// Each trouble that a state file can have: at most one warning, and the run goes on.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/rng.h"
#include "contract/troubled_state.h"
#include "support/temp_folder.h"

namespace s3tug::test {

TEST_SUITE("contract/state_troubles") {
    TEST_CASE("nothing is made by looking, and nothing by steps that change nothing") {
        const TempFolder folder;
        Heard heard("", folder.path("state"));
        CHECK(heard.get("k") == "(none)");
        CHECK(heard.store->list(Table::breaker).empty());
        CHECK(heard.store->update(Table::breaker, "k", [](const auto&) { return std::optional<std::string>(); }));
        CHECK(heard.put("k", ""));
        CHECK(heard.store->erase_all(Table::breaker));
        CHECK(heard.store->check().ok());
        CHECK_FALSE(heard.store->describe().exists);
        CHECK(fs::is_empty(folder.path()));
        CHECK(heard.put("k", "v"));
        CHECK(fs::exists(folder.path("state/s3tug/state.db")));
        CHECK(heard.warnings.empty());
    }

    TEST_CASE("the description tells where it is and what it holds") {
        const TempFolder folder;
        Heard heard("", folder.path("state"));
        CHECK(heard.put("k", "v"));
        const host::StateDescription description = heard.store->describe();
        CHECK(description.path == folder.path("state/s3tug/state.db"));
        CHECK(description.exists);
        CHECK(description.schema_version == 1);
        CHECK(description.bytes >= 4096);
        CHECK(description.trouble == "");
        CHECK(std::find(heard.notes.begin(), heard.notes.end(), "state file " + description.path) != heard.notes.end());
    }

    TEST_CASE("an explicit file that cannot be: no folder, a link, a folder, another program's data") {
        const TempFolder folder;
        std::string file = folder.path("state.db");
        std::string reason;
        SUBCASE("no such folder") {
            file = folder.path("no/state.db");
            reason = "No such file or directory";
        }
        SUBCASE("a link") {
            folder.write("target", "");
            fs::create_symlink(folder.path("target"), file);
            reason = "link";
        }
        SUBCASE("a folder") {
            fs::create_directory(file);
            reason = "folder";
        }
        SUBCASE("a text") {
            folder.write("state.db", std::string(5000, 'x'));
            reason = "not a state file";
        }
        SUBCASE("another program's database") {
            run_sql(file, "CREATE TABLE mine(a)");
            reason = "not a state file";
        }
        SUBCASE("another program's database of a high version") {
            run_sql(file, "CREATE TABLE mine(a); PRAGMA user_version=50");
            reason = "not a state file";
        }
        const std::string before = fs::is_regular_file(file) ? content_of(file) : "";
        CHECK(Heard(file).store->check().error().kind == ErrorKind::state_file);
        CHECK(Heard(file).store->check().error().message.find(reason) != std::string::npos);
        Heard heard(file);
        check_memory_only(heard, reason);
        if (fs::is_regular_file(file)) CHECK(content_of(file) == before);
        CHECK_FALSE(fs::exists(file + ".bad"));
    }

    TEST_CASE("a network file system is not shared: one warning, memory only") {
        const TempFolder folder;
        ManualClock clock;
        std::vector<std::string> warnings;
        host::SqliteStateStoreOptions options;
        options.place.explicit_file = folder.path("state.db");
        options.place.fs_type = [](int) { return std::optional<uint64_t>(0x6969); };
        options.warn = [&](const std::string& text) { warnings.push_back(text); };
        host::SqliteStateStore store(options, clock);
        CHECK_FALSE(store.update(Table::breaker, "k", [](const auto&) { return std::optional<std::string>("v"); }));
        CHECK(store.read(Table::breaker, "k") == "v");
        REQUIRE(warnings.size() == 1);
        CHECK(warnings.front().find("network") != std::string::npos);
        CHECK(fs::is_empty(folder.path()));
    }

    TEST_CASE("a damaged file is set aside once and begun anew") {
        const TempFolder folder;
        const std::string home = folder.path();
        const std::string file = folder.path("s3tug/state.db");
        {
            Heard heard("", home);
            for (int i = 0; i < 200; ++i) CHECK(heard.put(fmt::format("k{}", i), std::string(300, 'v')));
        }
        run_sql(file, "PRAGMA wal_checkpoint(TRUNCATE)");
        const std::string good = content_of(file);
        REQUIRE(good.size() > 40'000);
        const auto overwrite = [&](std::string_view bytes) {
            std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
        };
        SUBCASE("zeros") { overwrite(std::string(good.size(), '\0')); }
        SUBCASE("random bytes") {
            Rng rng(1);
            std::string noise(good.size(), '\0');
            for (char& c : noise) c = static_cast<char>(rng.next());
            overwrite(noise);
        }
        SUBCASE("cut in the header") { overwrite(std::string_view(good).substr(0, 60)); }
        SUBCASE("cut after the first page") { overwrite(std::string_view(good).substr(0, 4096)); }
        SUBCASE("cut in the middle") { overwrite(std::string_view(good).substr(0, 20'000)); }
        SUBCASE("noise behind a good first page") {
            std::string noise = good;
            for (std::size_t i = 4096; i < noise.size(); ++i) noise[i] = static_cast<char>(i * 7);
            overwrite(noise);
        }
        SUBCASE("a gibibyte of nothing") {
            overwrite("");
            REQUIRE(::truncate(file.c_str(), 1L << 30) == 0);
        }
        SUBCASE("a table is missing") { run_sql(file, "DROP TABLE breaker"); }
        SUBCASE("a value that is no text") { run_sql(file, "UPDATE breaker SET value=x'00'"); }
        SUBCASE("another program's database in our place") {
            fs::remove(file);
            run_sql(file, "CREATE TABLE x(y)");
            ::chmod(file.c_str(), 0600);
        }
        Heard heard("", home);
        CHECK(heard.get("k7") == "(none)");
        CHECK(heard.put("k7", "anew"));
        CHECK(heard.get("k7") == "anew");
        CHECK(heard.store->healthy().ok());
        CHECK(heard.warning().find("kept as " + file + ".bad") != std::string::npos);
        CHECK(fs::exists(file + ".bad"));
        Heard next("", home);
        CHECK(next.get("k7") == "anew");
        CHECK(next.warnings.empty());
    }

    TEST_CASE("a damaged log or index costs at most what it held, without a word") {
        const TempFolder folder;
        const std::string file = folder.path("state.db");
        make_state(file, 5);
        const std::string noise(20'000, 'n');
        SUBCASE("index of noise") { std::ofstream(file + "-shm", std::ios::trunc) << noise; }
        SUBCASE("empty index") { fs::resize_file(file + "-shm", 0); }
        SUBCASE("no index") { fs::remove(file + "-shm"); }
        SUBCASE("log of noise") { std::ofstream(file + "-wal", std::ios::trunc) << noise; }
        SUBCASE("log cut short") { fs::resize_file(file + "-wal", fs::file_size(file + "-wal") - 1000); }
        SUBCASE("no log") { fs::remove(file + "-wal"); }
        Heard heard(file);
        CHECK(heard.put("new", "v"));
        CHECK(heard.get("new") == "v");
        CHECK(heard.warnings.empty());
    }

    TEST_CASE("an explicit state file of ours that was damaged is set aside too") {
        const TempFolder folder;
        const std::string file = folder.path("state.db");
        make_state(file);
        run_sql(file, "PRAGMA wal_checkpoint(TRUNCATE); DROP TABLE breaker");
        run_sql(file, "PRAGMA wal_checkpoint(TRUNCATE)");
        Heard heard(file);
        CHECK(heard.put("k", "v"));
        CHECK(fs::exists(file + ".bad"));
        CHECK(heard.warnings.size() == 1);
    }

    TEST_CASE("a newer schema is left as it is") {
        const TempFolder folder;
        const std::string file = folder.path("state.db");
        make_state(file);
        run_sql(file, "PRAGMA user_version=2; PRAGMA wal_checkpoint(TRUNCATE)");
        const std::string before = content_of(file);
        Heard heard(file);
        CHECK(heard.get("k0") == "(none)");
        check_memory_only(heard, "newer s3tug (schema 2, this one knows 1)");
        CHECK(content_of(file) == before);
        CHECK(Heard(file).store->check().error().kind == ErrorKind::state_file);
    }

    TEST_CASE("a lock held for ever costs one wait, reads go on, and when it is free the file is used again") {
        const TempFolder folder;
        const std::string file = folder.path("state.db");
        make_state(file, 3);
        Holder holder = hold_sqlite(file, "BEGIN IMMEDIATE");
        Heard heard(file);
        CHECK(heard.get("k0") == std::string(300, 'v'));
        const Duration first = time_of([&] { CHECK_FALSE(heard.put("k0", "mine")); });
        CHECK(first >= limits::state_lock_wait);
        CHECK(first < limits::state_lock_wait * 5);  // 250 ms on a machine that is not starved
        const Duration second = time_of([&] { CHECK_FALSE(heard.put("k1", "mine")); });
        std::string before;
        CHECK_FALSE(heard.store->update(Table::breaker, "k2", [&](const auto& present) {
            before = present.value_or("(none)");
            return std::optional<std::string>("mine");
        }));
        CHECK(before == std::string(300, 'v'));  // memory goes on from what the file says
        CHECK(second < limits::state_lock_wait);
        CHECK(heard.get("k0") == "mine");
        CHECK(heard.store->list(Table::breaker).size() == 3);
        CHECK(heard.warning().find("holds its lock") != std::string::npos);
        CHECK(heard.store->healthy().error().kind == ErrorKind::state_file);

        holder.let_go();
        std::string seen;
        CHECK(heard.store->update(Table::breaker, "k0", [&](const auto& present) {
            seen = present.value_or("(none)");
            return std::optional<std::string>("shared");
        }));
        CHECK(seen == std::string(300, 'v'));  // what all see, not what memory held
        CHECK(Heard(file).get("k0") == "shared");
        CHECK(Heard(file).put("k0", "changed by another"));
        CHECK(heard.get("k0") == "changed by another");
        CHECK(heard.get("k1") == "mine");  // has not reached the file yet
        CHECK(heard.store->healthy().ok());
        CHECK(heard.warnings.size() == 1);
        MESSAGE("a held lock: " << to_ms(first) << " ms, then " << to_ms(second) << " ms");
    }

    TEST_CASE("a lock that bars reading, and a file being set aside for ever, cost one wait as well") {
        const TempFolder folder;
        const std::string file = folder.path("state.db");
        make_state(file);
        SUBCASE("SQLite's exclusive mode") {
            const Holder holder =
                hold_sqlite(file, "PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE; SELECT * FROM run");
            Heard heard(file);
            const Duration all = time_of([&] {
                CHECK(heard.get("k0") == "(none)");
                CHECK_FALSE(heard.put("k0", "mine"));
                CHECK(heard.get("k0") == "mine");
            });
            CHECK(all < limits::state_lock_wait * 5);
            CHECK(heard.warnings.size() == 1);
        }
        SUBCASE("the lock file") {
            const Holder holder([&] {
                const int fd = ::open((file + ".lock").c_str(), O_RDWR | O_CREAT, 0600);
                return ::flock(fd, LOCK_EX) == 0;
            });
            Heard heard(file);
            const Duration all = time_of([&] {
                CHECK_FALSE(heard.put("k0", "mine"));
                CHECK(heard.get("k0") == "mine");
            });
            CHECK(all < limits::state_lock_wait * 5);
            CHECK(heard.warnings.size() == 1);
        }
    }

    TEST_CASE("a folder that cannot be written: the file is read, memory takes the rest") {
        const TempFolder folder("/var/tmp");  // $TMPDIR may lie below a folder that only root may enter
        const std::string own = folder.path("own");
        const std::string file = own + "/state.db";
        fs::create_directory(own);
        REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
        bool there = false;
        SUBCASE("with a state file in it") { there = true; }
        SUBCASE("without one") {}
        if (there) make_state(file);
        // Root may write anywhere, so a child becomes nobody.
        const uid_t user = ::geteuid() == 0 ? 65534 : ::geteuid();
        for (const auto& entry : fs::directory_iterator(own)) {
            REQUIRE(::chown(entry.path().c_str(), user, static_cast<gid_t>(-1)) == 0);
            REQUIRE(::chmod(entry.path().c_str(), 0400) == 0);
        }
        REQUIRE(::chown(own.c_str(), user, static_cast<gid_t>(-1)) == 0);
        REQUIRE(::chmod(own.c_str(), 0500) == 0);
        const int wrong = in_child([&] {
            if (::geteuid() != user && ::setuid(user) != 0) return skipped;
            Heard heard(file);
            if (there && heard.get("k0") != std::string(300, 'v')) return 1;
            if (heard.put("k0", "mine")) return 2;
            if (heard.get("k0") != "mine") return 3;
            if (heard.put("k0", "again") || heard.get("k0") != "again") return 4;
            if (heard.warnings.size() != 1) return 5;
            if (heard.store->healthy().ok()) return 6;
            if (Heard(file).store->check().ok()) return 7;
            return 0;
        });
        ::chmod(own.c_str(), 0700);
        CHECK(wrong == 0);
    }

    TEST_CASE("a disk that gets full: one warning, memory from then on, what was stored stays") {
        const TempFolder folder;
        const auto fill = [](const std::string& file) {
            Heard heard(file);
            int stored = 0;
            while (stored < 2000 && heard.put(fmt::format("k{}", stored), std::string(2000, 'v'), Table::upload))
                ++stored;
            if (stored == 0 || stored == 2000) return 1;
            const std::string last = fmt::format("k{}", stored);
            if (heard.get(last, Table::upload) != std::string(2000, 'v')) return 2;
            if (heard.get("k0", Table::upload) != std::string(2000, 'v')) return 3;
            if (heard.put("more", "x", Table::upload) || heard.get("more", Table::upload) != "x") return 4;
            if (heard.warnings.size() != 1) return 5;
            if (heard.store->list(Table::upload).size() != static_cast<std::size_t>(stored) + 2) return 6;
            if (Heard(file).get("k0", Table::upload) != std::string(2000, 'v')) return 7;
            return 0;
        };
        SUBCASE("by a limit on file sizes") {
            CHECK(in_child([&] {
                      const rlimit limit{200'000, 200'000};
                      ::signal(SIGXFSZ, SIG_IGN);
                      if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return skipped;
                      return fill(folder.path("state.db"));
                  }) == 0);
        }
        SUBCASE("on a tiny tmpfs") {
            const int wrong = in_child([&] {
                if (::unshare(CLONE_NEWNS) != 0) return skipped;
                if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return skipped;
                if (::mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=400k") != 0) return skipped;
                return fill(folder.path("state.db"));
            });
            if (wrong == skipped) {
                MESSAGE("skipped: may not mount");
            } else {
                CHECK(wrong == 0);
            }
        }
        SUBCASE("full from the start") {
            const int wrong = in_child([&] {
                if (::unshare(CLONE_NEWNS) != 0) return skipped;
                if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return skipped;
                if (::mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=16k") != 0) return skipped;
                Heard heard(folder.path("state.db"));
                if (heard.put("k", "v") || heard.get("k") != "v") return 1;
                return heard.warnings.size() == 1 ? 0 : 2;
            });
            if (wrong == skipped) {
                MESSAGE("skipped: may not mount");
            } else {
                CHECK(wrong == 0);
            }
        }
    }

    TEST_CASE("a file that was removed or replaced under a long run is followed") {
        const TempFolder folder;
        Heard heard("", folder.path());
        const std::string file = folder.path("s3tug/state.db");
        CHECK(heard.put("k", "first"));
        SUBCASE("the folder is removed") {
            fs::remove_all(folder.path("s3tug"));
            CHECK(heard.get("k") == "(none)");
        }
        SUBCASE("another process has set it aside") {
            for (const char* suffix : {"-wal", "-shm", ""}) fs::rename(file + suffix, file + ".bad" + suffix);
            CHECK(in_child([&] { return Heard("", folder.path()).put("k", "of another") ? 0 : 1; }) == 0);
            CHECK(heard.get("k") == "of another");
        }
        CHECK(heard.put("k", "second"));
        CHECK(Heard("", folder.path()).get("k") == "second");
        CHECK(heard.warnings.empty());
    }

    TEST_CASE("the last process out leaves the log and the index where they are") {
        const TempFolder folder;
        const std::string file = folder.path("state.db");
        make_state(file);
        REQUIRE(fs::exists(file + "-wal"));
        CHECK(fs::exists(file + "-shm"));
        const std::string log = content_of(file + "-wal");
        CHECK(log.find(std::string(300, 'v')) != std::string::npos);
        CHECK(content_of(file).find(std::string(300, 'v')) == std::string::npos);  // not folded in
        CHECK(Heard(file).get("k0") == std::string(300, 'v'));
    }

    TEST_CASE("the log stays short") {
        const TempFolder folder;
        const std::string file = folder.path("state.db");
        Heard heard(file);
        for (int i = 0; i < 1000; ++i) REQUIRE(heard.put("k", std::to_string(i)));
        CHECK(fs::file_size(file + "-wal") <= (limits::state_wal_pages + 8) * 4200);
    }

    TEST_CASE("a step that thinks better of it under the lock lets go of the lock") {
        const TempFolder folder;
        const std::string file = folder.path("state.db");
        make_state(file);
        Heard heard(file);
        int calls = 0;
        CHECK(heard.store->update(Table::breaker, "k0", [&](const auto&) {
            return ++calls == 1 ? std::optional<std::string>("x") : std::nullopt;
        }));
        CHECK(calls == 2);
        CHECK(heard.get("k0") == std::string(300, 'v'));
        CHECK(in_child([&] { return Heard(file).put("k0", "y") ? 0 : 1; }) == 0);
        CHECK(heard.get("k0") == "y");
    }

    TEST_CASE("a clock that was set back a day changes nothing but the dates") {
        const TempFolder folder;
        Heard heard(folder.path("state.db"));
        CHECK(heard.put("k", "v"));
        heard.clock.step_wall(-hours(24));
        CHECK(heard.get("k") == "v");
        CHECK(heard.put("k", "w"));
        CHECK(heard.put("new", "x"));
        CHECK(heard.get("k") == "w");
        CHECK(heard.store->list(Table::breaker).front().updated == heard.clock.wall());
        CHECK(heard.warnings.empty());
    }

    TEST_CASE("a record above its bound is refused") {
        const TempFolder folder;
        Heard heard(folder.path("state.db"));
        CHECK_FALSE(heard.put("k", std::string(limits::state_value_max_bytes + 1, 'x')));
        CHECK(heard.get("k") == "(none)");
        CHECK_FALSE(heard.put(std::string(limits::state_key_max_bytes + 1, 'k'), "v"));
        CHECK(heard.warnings.size() == 1);
        CHECK(heard.put("k", "v"));
    }

    TEST_CASE("erase_all that does not reach the file hides its rows from this process") {
        const TempFolder folder;
        const std::string file = folder.path("state.db");
        make_state(file);
        Holder holder = hold_sqlite(file, "BEGIN IMMEDIATE");
        Heard heard(file);
        CHECK_FALSE(heard.store->erase_all(Table::breaker));
        CHECK(heard.get("k0") == "(none)");
        CHECK(heard.store->list(Table::breaker).empty());
        holder.let_go();
        CHECK(heard.store->erase_all(Table::breaker));
        CHECK(Heard(file).get("k0") == "(none)");
    }
}

}  // namespace s3tug::test
