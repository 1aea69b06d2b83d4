#pragma once

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "port/files.h"

namespace s3tug::cmd {

/// Files of whose existence alone the planning of a command asks.
class PlainFiles final : public port::Files {
  public:
    std::map<std::string, port::FileType> types;

    Result<port::FileFacts> stat(const std::string& path) override {
        const auto found = types.find(path);
        if (found == types.end()) return nothing(path);
        port::FileFacts facts;
        facts.type = found->second;
        return facts;
    }
    Result<std::unique_ptr<port::SourceFile>> open_source(const std::string& path) override { return nothing(path); }
    Result<std::unique_ptr<port::SourceFile>> open_stdin() override { return nothing("-"); }
    Result<std::unique_ptr<port::TargetFile>> open_target(const std::string& path,
                                                          const port::TargetOptions&) override {
        return nothing(path);
    }
    Result<std::unique_ptr<port::TargetFile>> open_stdout() override { return nothing("-"); }
    Result<std::unique_ptr<port::SpoolFile>> open_spool(const std::string& path) override { return nothing(path); }
    Result<std::unique_ptr<port::Folder>> open_folder(const std::string& path) override { return nothing(path); }
    Status remove(const std::string& path, const port::FileFacts&) override { return nothing(path); }

  private:
    static Error nothing(const std::string& path) { return {ErrorKind::not_found, path + ": no such file"}; }
};

/// A writer that gives its bytes in so many at a time, then nothing for a while, then its end.
class SlowSource final : public port::SourceFile {
  public:
    explicit SlowSource(std::vector<std::string> pieces) : pieces_(std::move(pieces)) {}
    const port::FileFacts& at_open() const override { return facts_; }
    Result<port::FileFacts> now() const override { return facts_; }
    Result<std::size_t> read_at(uint64_t, MutableByteSpan) const override { return Error{ErrorKind::bug, "a stream"}; }
    Result<std::size_t> read_next(MutableByteSpan out, std::optional<Instant> until) override {
        if (position_ == pieces_.size()) return std::size_t{0};
        if (until && pieces_[position_].empty()) {
            ++position_;
            return Error{ErrorKind::deadline, "not yet"};
        }
        while (position_ < pieces_.size() && pieces_[position_].empty()) ++position_;
        if (position_ == pieces_.size()) return std::size_t{0};
        std::string& piece = pieces_[position_];
        const std::size_t n = std::min(out.size(), piece.size());
        std::memcpy(out.data(), piece.data(), n);
        piece.erase(0, n);
        if (piece.empty()) ++position_;
        return n;
    }

  private:
    std::vector<std::string> pieces_;  ///< an empty one: nothing yet
    std::size_t position_ = 0;
    port::FileFacts facts_;
};

}  // namespace s3tug::cmd
