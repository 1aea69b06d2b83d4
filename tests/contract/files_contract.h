#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "port/files.h"

namespace s3tug::test {

/// A world of files: the port, and a way around it.
class FilesWorld {
  public:
    virtual ~FilesWorld() = default;
    [[nodiscard]] virtual port::Files& files() = 0;
    [[nodiscard]] virtual std::string path(const std::string& name) = 0;
    virtual void put(const std::string& name, const std::string& bytes) = 0;  ///< a later change shows in the facts
    [[nodiscard]] virtual std::optional<std::string> get(const std::string& name) = 0;
    [[nodiscard]] virtual Result<std::unique_ptr<port::TargetFile>> open_stdout() = 0;  ///< that of this world
    [[nodiscard]] virtual std::string stdout_bytes() = 0;
};

/// What every port::Files does with regular files; each case begins in an empty world.
class FilesContract {
  public:
    using Make = std::function<std::unique_ptr<FilesWorld>()>;
    explicit FilesContract(const Make& make) : world_(make()), files_(world_->files()) {}

    void reads_at_offsets() {
        world_->put("f", "0123456789");
        const auto source = files_.open_source(at("f"));
        REQUIRE(source.ok());
        CHECK((*source)->at_open().type == port::FileType::regular);
        CHECK((*source)->at_open().size == 10);
        CHECK(read(**source, 0, 4) == "0123");
        CHECK(read(**source, 7, 100) == "789");
        CHECK(read(**source, 10, 5).empty());
        CHECK(read(**source, 1000, 5).empty());
        CHECK(read(**source, 3, 2) == "34");  // as often and in whatever order
        std::string in_order;
        for (std::string piece = next(**source, 3); !piece.empty(); piece = next(**source, 3)) in_order += piece;
        CHECK(in_order == "0123456789");
        CHECK(next(**source, 3).empty());
    }

    void notices_change() {
        world_->put("f", "before");
        const auto source = files_.open_source(at("f"));
        REQUIRE(source.ok());
        REQUIRE((*source)->now().ok());
        CHECK(*(*source)->now() == (*source)->at_open());
        CHECK(*files_.stat(at("f")) == (*source)->at_open());
        world_->put("f", "after, and longer");
        REQUIRE((*source)->now().ok());
        CHECK_FALSE(*(*source)->now() == (*source)->at_open());
    }

    void names_what_is_missing() {
        const auto stat = files_.stat(at("absent"));
        REQUIRE_FALSE(stat.ok());
        CHECK(stat.error().kind == ErrorKind::not_found);
        CHECK(stat.error().message.find("absent") != std::string::npos);
        const auto source = files_.open_source(at("absent"));
        REQUIRE_FALSE(source.ok());
        CHECK(source.error().kind == ErrorKind::not_found);
        CHECK(source.error().message.find("absent") != std::string::npos);
    }

    void replaces_at_once_or_not_at_all() {
        for (const bool existed : {false, true}) {
            CAPTURE(existed);
            const std::string name = existed ? "old" : "new";
            const std::optional<std::string> before = existed ? std::optional<std::string>("old bytes") : std::nullopt;
            if (existed) world_->put(name, *before);
            {
                const auto target = open(name);
                CHECK((*target).seekable());
                write(*target, 0, "half");
                CHECK(world_->get(name) == before);
            }
            CHECK(world_->get(name) == before);
            const auto target = open(name);
            CHECK(target->left_over() == 0);
            CHECK(target->reserve(9).ok());
            write(*target, 4, "after");
            write(*target, 0, "this");
            CHECK(read(*target, 2, 4) == "isaf");
            CHECK(world_->get(name) == before);
            REQUIRE(target->commit(std::nullopt).ok());
            CHECK(world_->get(name) == "thisafter");
        }
    }

    void truncates() {
        const auto target = open("f");
        write(*target, 0, "a longer attempt");
        CHECK(target->truncate(0).ok());
        write(*target, 0, "short");
        REQUIRE(target->commit(std::nullopt).ok());
        CHECK(world_->get("f") == "short");
    }

    void keeps_for_a_later_run() {
        world_->put("f", "old");
        std::string kept_as;
        {
            const auto target = open("f");
            kept_as = target->kept_as();
            CHECK_FALSE(kept_as.empty());
            write(*target, 0, "kept");
            target->keep(true);
        }
        CHECK(world_->get("f") == "old");
        {
            const auto target = open("f", {.resume = true});
            CHECK(target->kept_as() == kept_as);
            CHECK(target->left_over() == 4);
            CHECK(read(*target, 0, 10) == "kept");
            target->keep(true);
            target->keep(false);
        }
        CHECK(open("f", {.resume = true})->left_over() == 0);
        {
            const auto target = open("f");
            write(*target, 0, "stale");
            target->keep(true);
        }
        const auto target = open("f");
        CHECK(target->left_over() == 0);
        write(*target, 0, "ok");
        REQUIRE(target->commit(std::nullopt).ok());
        CHECK(world_->get("f") == "ok");
        CHECK(names() == std::set<std::string>{"f"});
    }

    void two_at_once_do_not_hurt_each_other() {
        const auto first = open("f");
        const auto second = open("f", {.resume = true});
        CHECK_FALSE(first->kept_as().empty());
        CHECK(second->kept_as().empty());
        CHECK(second->left_over() == 0);
        write(*first, 0, "first");
        write(*second, 0, "second");
        REQUIRE(second->commit(std::nullopt).ok());
        CHECK(world_->get("f") == "second");
        REQUIRE(first->commit(std::nullopt).ok());
        CHECK(world_->get("f") == "first");
    }

    void spools() {
        const auto spool = files_.open_spool(at(""));
        REQUIRE(spool.ok());
        CHECK((*spool)->append(as_bytes("hello, ")).ok());
        CHECK((*spool)->append(as_bytes("world")).ok());
        CHECK(read(**spool, 5, 4) == ", wo");
        CHECK(read(**spool, 11, 40) == "d");
        CHECK(read(**spool, 12, 4).empty());
    }

    void standard_output_goes_only_on() {
        const auto opened = world_->open_stdout();
        REQUIRE(opened.ok());
        port::TargetFile& target = **opened;
        CHECK_FALSE(target.seekable());
        CHECK(target.kept_as().empty());
        CHECK(target.reserve(1000).ok());
        // A stream that has taken nothing can be begun again; one that has cannot.
        CHECK(target.truncate(0).ok());
        CHECK(target.truncate(1).error().kind == ErrorKind::cannot_write);
        REQUIRE(target.write_next(as_bytes("some"), std::nullopt).ok());
        REQUIRE(target.write_next(as_bytes(" bytes"), std::nullopt).ok());
        CHECK(target.truncate(10).ok());
        for (const uint64_t size : {0U, 9U, 11U}) {
            CAPTURE(size);
            const Status refused = target.truncate(size);
            REQUIRE_FALSE(refused.ok());
            CHECK(refused.error().kind == ErrorKind::cannot_write);
        }
        CHECK(target.write_at(0, as_bytes("x")).error().kind == ErrorKind::cannot_write);
        std::byte back{};
        CHECK(target.read_at(0, {&back, 1}).error().kind == ErrorKind::cannot_read);
        REQUIRE(target.commit(std::nullopt).ok());
        CHECK(world_->stdout_bytes() == "some bytes");
    }

    void lists_folders() {
        world_->put("a", "1");
        world_->put("sub/b", "2");
        CHECK(names() == std::set<std::string>{"a", "sub"});
        CHECK_FALSE(files_.open_folder(at("absent")).ok());
    }

  private:
    std::string at(const std::string& name) { return world_->path(name); }

    std::unique_ptr<port::TargetFile> open(const std::string& name, const port::TargetOptions& options = {}) {
        auto target = files_.open_target(at(name), options);
        REQUIRE(target.ok());
        return *std::move(target);
    }

    static void write(port::TargetFile& target, uint64_t offset, std::string_view bytes) {
        CHECK(target.write_at(offset, as_bytes(bytes)).ok());
    }

    template <class Readable>
    static std::string read(const Readable& file, uint64_t offset, std::size_t most) {
        std::string text(most, '\0');
        const auto got = file.read_at(offset, std::as_writable_bytes(std::span(text)));
        REQUIRE(got.ok());
        text.resize(*got);
        return text;
    }

    static std::string next(port::SourceFile& source, std::size_t most) {
        std::string text(most, '\0');
        const auto got = source.read_next(std::as_writable_bytes(std::span(text)), std::nullopt);
        REQUIRE(got.ok());
        text.resize(*got);
        return text;
    }

    std::set<std::string> names() {
        std::set<std::string> found;
        auto folder = files_.open_folder(at(""));
        REQUIRE(folder.ok());
        for (auto entry = (*folder)->next(); entry.ok() && *entry; entry = (*folder)->next())
            found.insert((*entry)->name);
        return found;
    }

    std::unique_ptr<FilesWorld> world_;
    port::Files& files_;
};

}  // namespace s3tug::test
