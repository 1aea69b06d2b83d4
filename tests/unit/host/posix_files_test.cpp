#include "host/posix_files.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "unit/host/file_support.h"

namespace s3tug::host {

namespace {

std::unique_ptr<port::SourceFile> source(FilesInFolder& in, const std::string& path) {
    auto opened = in.files.open_source(path);
    REQUIRE_MESSAGE(opened.ok(), (opened.ok() ? "" : opened.error().message));
    return std::move(opened).value();
}

ErrorKind read_error(port::SourceFile& file, std::optional<Instant> until) {
    std::byte buffer[8];
    const auto got = file.read_next(buffer, until);
    REQUIRE_FALSE(got.ok());
    return got.error().kind;
}

}  // namespace

TEST_SUITE("host/posix_files sources") {
    TEST_CASE("a regular file is read by offset and tells when it changed") {
        FilesInFolder in;
        const std::string path = in.folder.write("f", "0123456789");
        const auto file = source(in, path);
        CHECK(file->at_open().type == port::FileType::regular);
        CHECK(file->at_open().size == 10);
        CHECK(*file->now() == file->at_open());
        std::byte buffer[4];
        CHECK(*file->read_at(8, buffer) == 2);
        CHECK(buffer[1] == std::byte{'9'});
        CHECK(*file->read_at(100, buffer) == 0);
        CHECK(next(*file, 6) == "012345");
        CHECK(next(*file, 6) == "6789");
        CHECK(next(*file, 6).empty());

        std::ofstream(path, std::ios::app) << "x";
        CHECK(file->now()->size == 11);
        in.folder.write("g", "another");
        std::filesystem::rename(in.folder.path("g"), path);
        CHECK(file->now()->inode == file->at_open().inode);
        CHECK(in.files.stat(path)->inode != file->at_open().inode);
    }

    TEST_CASE("a file of size 0 that yields bytes is read") {
        FilesInFolder in;
        const auto file = source(in, "/proc/self/stat");
        CHECK(file->at_open().type == port::FileType::regular);
        CHECK(file->at_open().size == 0);
        CHECK(next(*file).starts_with(std::to_string(getpid())));
    }

    TEST_CASE("what cannot be read says so with path and reason") {
        FilesInFolder in;
        in.folder.write("f", "x");
        struct Row {
            std::string path;
            ErrorKind kind;
            std::string reason;
        };
        for (const Row& row : {Row{in.folder.path("none"), ErrorKind::not_found, "no such file"},
                               Row{in.folder.path("f/g"), ErrorKind::not_found, "not a folder"},
                               Row{in.folder.path(), ErrorKind::cannot_read, "it is a folder"},
                               Row{"/dev/fd/999", ErrorKind::cannot_read, "it is closed"}}) {
            CAPTURE(row.path);
            const auto opened = in.files.open_source(row.path);
            REQUIRE_FALSE(opened.ok());
            CHECK(opened.error().kind == row.kind);
            CHECK(opened.error().message.find(row.path) != std::string::npos);
            CHECK(opened.error().message.find(row.reason) != std::string::npos);
        }
        CHECK(in.files.stat(in.folder.path("none")).error().kind == ErrorKind::not_found);
        CHECK(in.files.stat(in.folder.path())->type == port::FileType::directory);
    }

    TEST_CASE("a FIFO is opened without its writer, waited for within bounds, and read to its end") {
        FilesInFolder in;
        const std::string path = in.folder.path("fifo");
        REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
        CHECK(in.files.stat(path)->type == port::FileType::stream);
        const auto file = source(in, path);
        CHECK(file->at_open().type == port::FileType::stream);
        CHECK(read_error(*file, in.clock.at) == ErrorKind::deadline);
        in.signal_number = SIGINT;
        CHECK(read_error(*file, std::nullopt) == ErrorKind::interrupted);
        in.signal_number = 0;
        {
            const UniqueFd writer(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
            REQUIRE(::write(writer.get(), "hello", 5) == 5);
            CHECK(next(*file) == "hello");
            CHECK(read_error(*file, in.clock.at) == ErrorKind::deadline);
        }
        CHECK(next(*file).empty());
    }

    TEST_CASE("stdin and names of descriptors are streams from where they stand") {
        FilesInFolder in;
        const std::string path = in.folder.write("f", "first line\nrest");
        const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
        const Standing standing(STDIN_FILENO, file.get());
        for (const std::string& name :
             {std::string("-"), std::string("/dev/stdin"), fmt::format("/dev/fd/{}", file.get()),
              fmt::format("/proc/self/fd/{}", file.get())}) {
            CAPTURE(name);
            REQUIRE(::lseek(file.get(), 11, SEEK_SET) == 11);
            auto opened = name == "-" ? in.files.open_stdin() : in.files.open_source(name);
            REQUIRE(opened.ok());
            CHECK((*opened)->at_open().type == port::FileType::stream);
            CHECK(next(**opened) == "rest");
            CHECK(next(**opened).empty());
        }
    }

    TEST_CASE("waiting on a shared stdin has its bound and leaves its flags alone") {
        FilesInFolder in;
        Pipe pipe;
        const Standing standing(STDIN_FILENO, pipe.reader.get());
        auto opened = in.files.open_stdin();
        REQUIRE(opened.ok());
        CHECK(read_error(**opened, in.clock.at) == ErrorKind::deadline);
        CHECK((::fcntl(STDIN_FILENO, F_GETFL) & O_NONBLOCK) == 0);
        pipe.put("abc");
        CHECK(next(**opened) == "abc");
        pipe.writer.reset();
        CHECK(next(**opened).empty());
        CHECK((::fcntl(STDIN_FILENO, F_GETFL) & O_NONBLOCK) == 0);
    }

    TEST_CASE("without a wait a stream gives what is there") {
        FilesInFolder in;
        Pipe pipe;
        const Standing standing(STDIN_FILENO, pipe.reader.get());
        auto opened = in.files.open_stdin();
        REQUIRE(opened.ok());
        CHECK(read_error(**opened, Instant::min()) == ErrorKind::deadline);
        pipe.put("abc");
        std::byte buffer[8];
        const auto got = (*opened)->read_next(buffer, Instant::min());
        REQUIRE(got.ok());
        CHECK(*got == 3);
        CHECK(read_error(**opened, Instant::min()) == ErrorKind::deadline);
    }

    TEST_CASE("a socket as stdin is read within bounds") {
        FilesInFolder in;
        int fds[2];
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0);
        const UniqueFd ours(fds[0]);
        UniqueFd theirs(fds[1]);
        const Standing standing(STDIN_FILENO, ours.get());
        auto opened = in.files.open_stdin();
        REQUIRE(opened.ok());
        CHECK(read_error(**opened, in.clock.at) == ErrorKind::deadline);
        REQUIRE(::write(theirs.get(), "abc", 3) == 3);
        CHECK(next(**opened) == "abc");
        theirs.reset();
        CHECK(next(**opened).empty());
    }

    TEST_CASE("a closed stdin, one for writing and a folder are refused") {
        FilesInFolder in;
        {
            const Standing standing(STDIN_FILENO, -1);
            const auto opened = in.files.open_stdin();
            REQUIRE_FALSE(opened.ok());
            CHECK(opened.error().kind == ErrorKind::cannot_read);
            CHECK(opened.error().message == "cannot read standard input: it is closed");
        }
        const UniqueFd write_only(::open("/dev/null", O_WRONLY | O_CLOEXEC));
        const UniqueFd folder(::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        for (const int fd : {write_only.get(), folder.get()}) {
            const Standing standing(STDIN_FILENO, fd);
            const auto opened = in.files.open_stdin();
            REQUIRE_FALSE(opened.ok());
            CHECK(opened.error().kind == ErrorKind::cannot_read);
        }
    }
}

TEST_SUITE("host/posix_files streams as targets") {
    TEST_CASE("stdout takes what fits, waits within bounds, and a reader that has gone is a broken pipe") {
        FilesInFolder in;
        Pipe pipe;
        const Standing standing(STDOUT_FILENO, pipe.writer.get());
        auto opened = in.files.open_stdout();
        REQUIRE(opened.ok());
        port::TargetFile& out = **opened;
        CHECK_FALSE(out.seekable());
        REQUIRE(out.write_next(as_bytes("abc"), in.clock.at).ok());
        CHECK(pipe.take() == "abc");

        const std::string more_than_fits(200'000, 'x');
        const Status full = out.write_next(as_bytes(more_than_fits), in.clock.at);
        REQUIRE_FALSE(full.ok());
        CHECK(full.error().kind == ErrorKind::deadline);
        CHECK((::fcntl(STDOUT_FILENO, F_GETFL) & O_NONBLOCK) == 0);

        in.signal_number = SIGTERM;
        CHECK(out.write_next(as_bytes("x"), std::nullopt).error().kind == ErrorKind::interrupted);
        in.signal_number = 0;

        pipe.reader.reset();
        const Status broken = out.write_next(as_bytes("abc"), std::nullopt);
        REQUIRE_FALSE(broken.ok());
        CHECK(broken.error().kind == ErrorKind::broken_pipe);
    }

    TEST_CASE("a slow reader gets every byte") {
        FilesInFolder in;
        Pipe pipe;
        std::string sent(3'000'000, '\0');
        for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<char>(i * 7 + i / 255);
        std::string received;
        std::thread reader([&] {
            for (std::string piece = pipe.take(7'001); !piece.empty(); piece = pipe.take(7'001)) received += piece;
        });
        {
            const Standing standing(STDOUT_FILENO, pipe.writer.get());
            auto out = std::move(in.files.open_stdout()).value();
            CHECK(out->write_next(as_bytes(sent), std::nullopt).ok());
            CHECK(out->commit(std::nullopt).ok());
        }
        pipe.writer.reset();
        reader.join();
        CHECK(received == sent);
    }

    TEST_CASE("a stream cannot take back, be written by offset or be read back, and says so") {
        FilesInFolder in;
        auto out = std::move(in.files.open_target("/dev/null", {})).value();
        CHECK(out->reserve(uint64_t{1} << 60U).ok());
        CHECK(out->truncate(0).ok());
        REQUIRE(out->write_next(as_bytes("abc"), std::nullopt).ok());
        CHECK(out->truncate(3).ok());
        CHECK(out->truncate(0).error().kind == ErrorKind::cannot_write);
        CHECK(out->write_at(0, as_bytes("x")).error().kind == ErrorKind::cannot_write);
        std::byte buffer[1];
        CHECK(out->read_at(0, buffer).error().kind == ErrorKind::cannot_read);
        CHECK(out->commit(std::nullopt).ok());
        CHECK(std::filesystem::is_character_file("/dev/null"));
    }

    TEST_CASE("a full device is told with its path") {
        FilesInFolder in;
        auto out = std::move(in.files.open_target("/dev/full", {})).value();
        const Status written = out->write_next(as_bytes("abc"), std::nullopt);
        REQUIRE_FALSE(written.ok());
        CHECK(written.error().kind == ErrorKind::disk_full);
        CHECK(written.error().message == "cannot write /dev/full: no space left");
    }

    TEST_CASE("a FIFO is written in place, once it has a reader") {
        FilesInFolder in;
        const std::string path = in.folder.path("fifo");
        REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
        auto out = std::move(in.files.open_target(path, {})).value();
        CHECK(out->write_next(as_bytes("x"), in.clock.at).error().kind == ErrorKind::deadline);
        in.signal_number = SIGINT;
        CHECK(out->write_next(as_bytes("x"), std::nullopt).error().kind == ErrorKind::interrupted);
        in.signal_number = 0;
        UniqueFd reader(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
        REQUIRE(out->write_next(as_bytes("hello"), in.clock.at).ok());
        char buffer[16];
        CHECK(::read(reader.get(), buffer, sizeof buffer) == 5);
        CHECK(in.names() == std::vector<std::string>{"fifo"});
        reader.reset();
        CHECK(out->write_next(as_bytes("x"), in.clock.at).error().kind == ErrorKind::broken_pipe);
    }

    TEST_CASE("a file behind stdout is written from where it stands, and a closed stdout is refused") {
        FilesInFolder in;
        const std::string path = in.folder.write("log", "before\n");
        {
            const UniqueFd appended(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
            const Standing standing(STDOUT_FILENO, appended.get());
            auto out = std::move(in.files.open_target("/dev/stdout", {})).value();
            REQUIRE(out->write_next(as_bytes("after\n"), std::nullopt).ok());
            REQUIRE(out->commit(std::nullopt).ok());
        }
        CHECK(content(path) == "before\nafter\n");
        const Standing standing(STDOUT_FILENO, -1);
        CHECK(in.files.open_stdout().error().message == "cannot write standard output: it is closed");
    }
}

TEST_SUITE("host/posix_files removal") {
    TEST_CASE("a file is removed as long as it is the one that was seen, and a link instead of its file") {
        FilesInFolder in;
        const std::string path = in.folder.path("f");
        const auto write = [&path](std::string_view text) { std::ofstream(path, std::ios::trunc) << text; };
        write("some bytes");
        const port::FileFacts seen = *in.files.stat(path);
        write("other bytes");
        const Status changed = in.files.remove(path, seen);
        REQUIRE_FALSE(changed.ok());
        CHECK(changed.error().kind == ErrorKind::source_changed);
        CHECK(content(path) == "other bytes");

        const std::string link = in.folder.path("link");
        std::filesystem::create_symlink(path, link);
        CHECK(in.files.remove(link, *in.files.stat(path)).ok());
        CHECK(content(path) == "other bytes");
        CHECK(in.files.remove(path, *in.files.stat(path)).ok());
        CHECK(in.names().empty());
        CHECK(in.files.remove(path, seen).ok());
    }

    TEST_CASE("what may not be removed says why") {
        FilesInFolder in;
        const port::FileFacts seen = *in.files.stat("/dev/null");
        const Status refused = in.files.remove(in.folder.path("none/../none"), seen);
        CHECK(refused.ok());  // not there is not there
        const Status folder = in.files.remove(in.folder.path(), *in.files.stat(in.folder.path()));
        REQUIRE_FALSE(folder.ok());
        CHECK(folder.error().kind == ErrorKind::cannot_write);
    }
}

TEST_SUITE("host/posix_files spool") {
    TEST_CASE("a spool is written in order, read by offset, and has no name") {
        FilesInFolder in;
        auto spool = std::move(in.files.open_spool(in.folder.path())).value();
        REQUIRE(spool->append(as_bytes("01234")).ok());
        REQUIRE(spool->append(as_bytes("56789")).ok());
        std::byte buffer[4];
        CHECK(*spool->read_at(4, buffer) == 4);
        CHECK(buffer[0] == std::byte{'4'});
        CHECK(*spool->read_at(8, buffer) == 2);
        CHECK(in.names().empty());
        const auto lost = in.files.open_spool(in.folder.path("none"));
        REQUIRE_FALSE(lost.ok());
        CHECK(lost.error().kind == ErrorKind::cannot_write);
        CHECK(lost.error().message.find(in.folder.path("none")) != std::string::npos);
    }
}

}  // namespace s3tug::host
