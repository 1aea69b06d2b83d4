#include "host/temp_target.h"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "host/posix_error.h"
#include "unit/host/file_support.h"

namespace s3tug::host {

namespace {

std::unique_ptr<port::TargetFile> target(FilesInFolder& in, const std::string& path, bool keep_existing = false) {
    auto opened = in.files.open_target(path, {.keep_existing = keep_existing});
    REQUIRE_MESSAGE(opened.ok(), (opened.ok() ? "" : opened.error().message));
    return std::move(opened).value();
}

std::string refusal(FilesInFolder& in, const std::string& path, bool keep_existing = false) {
    const auto opened = in.files.open_target(path, {.keep_existing = keep_existing});
    REQUIRE_FALSE(opened.ok());
    CHECK(opened.error().kind == ErrorKind::cannot_write);
    return opened.error().message;
}

void put(FilesInFolder& in, const std::string& path, std::string_view text) {
    auto file = target(in, path);
    REQUIRE(file->write_at(0, as_bytes(text)).ok());
    REQUIRE(file->commit(std::nullopt).ok());
}

}  // namespace

TEST_SUITE("host/temp_target") {
    TEST_CASE("nothing stands under the name before commit, and nothing beside it after") {
        FilesInFolder in;
        const std::string path = in.folder.path("f");
        const mode_t mask = ::umask(027);
        PosixFiles files(in.clock, {});
        ::umask(mask);
        {
            auto file = std::move(files.open_target(path, {})).value();
            CHECK(file->seekable());
            CHECK(in.names() == std::vector<std::string>{".f.s3tug-part"});
            CHECK(mode_of(in.folder.path(".f.s3tug-part")) == 0600);
            REQUIRE(file->write_at(3, as_bytes("lo")).ok());
            REQUIRE(file->write_at(0, as_bytes("hel")).ok());
            REQUIRE(file->commit(WallTime(seconds(1'400'000'000) + Duration(123'456'789))).ok());
        }
        CHECK(in.names() == std::vector<std::string>{"f"});
        CHECK(content(path) == "hello");
        CHECK(mode_of(path) == 0640);
        CHECK(in.files.stat(path)->mtime == WallTime(seconds(1'400'000'000) + Duration(123'456'789)));
    }

    TEST_CASE("a target dropped without commit leaves the old file as it was") {
        FilesInFolder in;
        const std::string path = in.folder.write("f", "old");
        {
            auto file = target(in, path);
            REQUIRE(file->write_next(as_bytes("new and longer"), std::nullopt).ok());
            CHECK(content(path) == "old");
        }
        CHECK(content(path) == "old");
        CHECK(in.names() == std::vector<std::string>{"f"});
    }

    TEST_CASE("a file that is replaced keeps its mode, set-id bits excepted") {
        FilesInFolder in;
        for (const auto& [before, after] : {std::pair<mode_t, mode_t>{0600, 0600}, {0444, 0444}, {04755, 0755}}) {
            const std::string path = in.folder.write("f", "old");
            REQUIRE(::chmod(path.c_str(), before) == 0);
            put(in, path, "new");
            CHECK(content(path) == "new");
            CHECK(mode_of(path) == after);
            REQUIRE(::unlink(path.c_str()) == 0);
        }
    }

    TEST_CASE("a link stays and what it points to is replaced, also when that is not there yet") {
        FilesInFolder in;
        std::filesystem::create_directories(in.folder.path("real"));
        for (const char* link : {"real/f", "second"}) {
            std::filesystem::remove(in.folder.path("l"));
            if (link == std::string("second")) std::filesystem::create_symlink("real/f", in.folder.path("second"));
            std::filesystem::create_symlink(link, in.folder.path("l"));
            put(in, in.folder.path("l"), link);
            CHECK(std::filesystem::is_symlink(in.folder.path("l")));
            CHECK(content(in.folder.path("real/f")) == link);
            CHECK(in.names("real") == std::vector<std::string>{"f"});
        }
        std::filesystem::create_symlink("loop", in.folder.path("loop"));
        CHECK(refusal(in, in.folder.path("loop")).find("loop") != std::string::npos);
    }

    TEST_CASE("an existing file is kept when that is asked for, also one that appears meanwhile") {
        FilesInFolder in;
        const std::string path = in.folder.path("f");
        auto file = target(in, path, true);
        REQUIRE(file->write_at(0, as_bytes("ours")).ok());
        in.folder.write("f", "theirs");
        const Status committed = file->commit(std::nullopt);
        REQUIRE_FALSE(committed.ok());
        CHECK(committed.error().kind == ErrorKind::cannot_write);
        CHECK(committed.error().message.find("exists") != std::string::npos);
        file.reset();
        CHECK(content(path) == "theirs");
        CHECK(refusal(in, path, true).find(path) != std::string::npos);
        CHECK(in.names() == std::vector<std::string>{"f"});
    }

    TEST_CASE("names as long as the file system allows work and do not collide") {
        FilesInFolder in;
        const std::string one(255, 'a');
        const std::string two = std::string(254, 'a') + "b";
        auto first = target(in, in.folder.path(one));
        auto second = target(in, in.folder.path(two));
        REQUIRE(first->write_at(0, as_bytes("1")).ok());
        REQUIRE(second->write_at(0, as_bytes("2")).ok());
        CHECK(in.names().size() == 2);
        REQUIRE(first->commit(std::nullopt).ok());
        REQUIRE(second->commit(std::nullopt).ok());
        CHECK(content(in.folder.path(one)) == "1");
        CHECK(content(in.folder.path(two)) == "2");
        CHECK(in.names().size() == 2);
        CHECK_FALSE(refusal(in, in.folder.path(std::string(256, 'a'))).empty());
    }

    TEST_CASE("a part file of a killed run is used again, one in use is left alone") {
        FilesInFolder in;
        const std::string path = in.folder.path("f");
        in.folder.write(".f.s3tug-part", "what a killed run left, which is longer");
        auto first = target(in, path);
        CHECK(in.names() == std::vector<std::string>{".f.s3tug-part"});
        REQUIRE(first->write_at(0, as_bytes("first")).ok());
        auto second = target(in, path);
        CHECK(in.names().size() == 2);
        REQUIRE(second->write_at(0, as_bytes("second")).ok());
        REQUIRE(second->commit(std::nullopt).ok());
        CHECK(content(path) == "second");
        REQUIRE(first->commit(std::nullopt).ok());
        CHECK(content(path) == "first");
        CHECK(in.names() == std::vector<std::string>{"f"});
    }

    TEST_CASE("what is kept is there for the next run that asks for it, and only then") {
        FilesInFolder in;
        const std::string path = in.folder.write("f", "old");
        const auto open = [&](bool resume) {
            return std::move(in.files.open_target(path, {.keep_existing = false, .resume = resume})).value();
        };
        for (const bool resume : {true, false}) {
            {
                auto file = open(true);
                CHECK(file->left_over() == 0);
                REQUIRE(file->reserve(4 << 20U).ok());
                REQUIRE(file->write_at(2, as_bytes("half")).ok());
                file->keep(true);
            }
            CHECK(content(path) == "old");
            CHECK(in.names() == std::vector<std::string>{".f.s3tug-part", "f"});
            auto file = open(resume);
            CHECK(file->left_over() == (resume ? 6 : 0));
            std::string back(10, '.');
            const auto got = file->read_at(0, std::as_writable_bytes(std::span(back)));
            REQUIRE(got.ok());
            CHECK(back.substr(0, *got) == (resume ? std::string("\0\0half", 6) : ""));
            // Without keep() this one leaves nothing.
            file.reset();
            CHECK(in.names() == std::vector<std::string>{"f"});
        }
        auto file = open(true);
        REQUIRE(file->write_at(0, as_bytes("new")).ok());
        file->keep(true);
        REQUIRE(file->commit(std::nullopt).ok());
        file.reset();
        CHECK(content(path) == "new");
        CHECK(in.names() == std::vector<std::string>{"f"});
    }

    TEST_CASE("what another run holds is neither resumed nor kept under another name") {
        FilesInFolder in;
        const std::string path = in.folder.path("f");
        const port::TargetOptions options{.keep_existing = false, .resume = true};
        auto first = std::move(in.files.open_target(path, options)).value();
        REQUIRE(first->write_at(0, as_bytes("first")).ok());
        first->keep(true);
        {
            auto second = std::move(in.files.open_target(path, options)).value();
            CHECK(second->left_over() == 0);
            CHECK(second->kept_as().empty());
            second->keep(true);
            REQUIRE(second->write_at(0, as_bytes("second")).ok());
        }
        CHECK(in.names() == std::vector<std::string>{".f.s3tug-part"});
        CHECK(content(in.folder.path(".f.s3tug-part")) == "first");
        first.reset();
        auto third = std::move(in.files.open_target(path, options)).value();
        CHECK(third->left_over() == 5);
    }

    TEST_CASE("what is kept has one name, however the target was named") {
        FilesInFolder in;
        std::filesystem::create_directories(in.folder.path("d"));
        std::filesystem::create_directory_symlink("d", in.folder.path("link"));
        std::filesystem::create_symlink("d/f", in.folder.path("l"));
        const std::string real = std::filesystem::canonical(in.folder.path("d")).string() + "/f";
        const std::filesystem::path before = std::filesystem::current_path();
        std::filesystem::current_path(in.folder.path("d"));
        for (const std::string& name : {in.folder.path("d/f"), in.folder.path("link/f"), in.folder.path("d/../d/f"),
                                        in.folder.path("l"), std::string("f"), std::string("./f")}) {
            CAPTURE(name);
            CHECK(std::move(in.files.open_target(name, {})).value()->kept_as() == real);
        }
        std::filesystem::current_path(before);
        CHECK(std::move(in.files.open_target("/dev/null", {})).value()->kept_as().empty());
    }

    TEST_CASE("a part file that a killed process held is free again, with its bytes") {
        FilesInFolder in;
        const std::string path = in.folder.path("f");
        const Pipe ready;
        const pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            auto file = in.files.open_target(path, {.keep_existing = false, .resume = true});
            static_cast<void>((*file)->write_at(0, as_bytes("bytes")));
            static_cast<void>(::write(ready.writer.get(), "x", 1));
            for (;;) ::pause();
        }
        CHECK(ready.take(1) == "x");
        const port::TargetOptions options{.keep_existing = false, .resume = true};
        CHECK(std::move(in.files.open_target(path, options)).value()->left_over() == 0);
        REQUIRE(::kill(child, SIGKILL) == 0);
        REQUIRE(::waitpid(child, nullptr, 0) == child);
        CHECK(std::move(in.files.open_target(path, options)).value()->left_over() == 5);
    }

    TEST_CASE("what somebody planted under the part's name is neither followed nor overwritten") {
        FilesInFolder in;
        const std::string victim = in.folder.write("victim", "precious");
        std::filesystem::create_symlink(victim, in.folder.path(".f.s3tug-part"));
        std::filesystem::create_hard_link(victim, in.folder.path(".g.s3tug-part"));
        REQUIRE(::mkfifo(in.folder.path(".h.s3tug-part").c_str(), 0600) == 0);
        for (const char* name : {"f", "g", "h"}) {
            put(in, in.folder.path(name), "new");
            CHECK(content(in.folder.path(name)) == "new");
        }
        CHECK(content(victim) == "precious");
    }

    TEST_CASE("room is asked for before the first byte, and asking does not change the size") {
        FilesInFolder in;
        auto file = target(in, in.folder.path("f"));
        const Status vast = file->reserve(uint64_t{1} << 60U);
        REQUIRE_FALSE(vast.ok());
        CHECK(vast.error().kind == ErrorKind::cannot_write);
        CHECK(vast.error().message.find("no space: needs 1.0 EiB, has ") != std::string::npos);
        REQUIRE(file->reserve(8 << 20U).ok());
        REQUIRE(file->reserve(8 << 20U).ok());
        REQUIRE(file->write_at(0, as_bytes("short")).ok());
        REQUIRE(file->commit(std::nullopt).ok());
        CHECK(content(in.folder.path("f")) == "short");
    }

    TEST_CASE("a failed attempt can be begun again, and what was written can be read back") {
        FilesInFolder in;
        auto file = target(in, in.folder.path("f"));
        REQUIRE(file->write_next(as_bytes("wrong and long"), std::nullopt).ok());
        REQUIRE(file->truncate(0).ok());
        REQUIRE(file->write_next(as_bytes("ri"), std::nullopt).ok());
        REQUIRE(file->write_next(as_bytes("ght"), std::nullopt).ok());
        std::string back(100, '\0');
        const auto got = file->read_at(1, std::as_writable_bytes(std::span(back)));
        REQUIRE(got.ok());
        CHECK(back.substr(0, *got) == "ight");
        REQUIRE(file->commit(std::nullopt).ok());
        CHECK(content(in.folder.path("f")) == "right");
    }

    TEST_CASE("folders and missing folders are refused by name") {
        FilesInFolder in;
        std::filesystem::create_directories(in.folder.path("d"));
        CHECK(refusal(in, in.folder.path("d")).find("folder") != std::string::npos);
        CHECK(refusal(in, in.folder.path("new/")).find("folder") != std::string::npos);
        const std::string missing = refusal(in, in.folder.path("none/f"));
        CHECK(missing.find(in.folder.path("none")) != std::string::npos);
        in.folder.write("file", "x");
        CHECK_FALSE(refusal(in, in.folder.path("file/f")).empty());
    }

    TEST_CASE("errors are one printable line with path and reason") {
        CHECK(write_failure("/x", EPIPE).kind == ErrorKind::broken_pipe);
        CHECK(write_failure("/x", EFBIG).kind == ErrorKind::cannot_write);
        CHECK(write_failure("/x", EDQUOT).message == "cannot write /x: the disk quota is used up");
        CHECK(write_failure("/x", EROFS).message == "cannot write /x: the file system is read-only");
        CHECK(write_failure("/x\n", ENOSPC).message == "cannot write /x\\x0a: no space left");
    }

    TEST_CASE("a file size limit of the process is an error, not a death") {
        FilesInFolder in;
        const std::string path = in.folder.path("f");
        const pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            const SignalFlag flag;
            const rlimit limit{.rlim_cur = 10, .rlim_max = 10};
            ::setrlimit(RLIMIT_FSIZE, &limit);
            auto file = in.files.open_target(path, {});
            const Status written = (*file)->write_at(0, as_bytes("more than ten bytes"));
            ::_exit(!written.ok() && written.error().kind == ErrorKind::cannot_write ? 0 : 1);
        }
        int status = -1;
        REQUIRE(::waitpid(child, &status, 0) == child);
        CHECK(status == 0);
    }
}

}  // namespace s3tug::host
