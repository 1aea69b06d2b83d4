#include "support/memory_files.h"

#include <algorithm>
#include <cstring>

namespace s3tug::sim {

std::size_t copy_out(std::string_view bytes, uint64_t offset, MutableByteSpan out) {
    if (offset >= bytes.size()) return 0;
    const std::size_t n = std::min<std::size_t>(out.size(), bytes.size() - offset);
    std::memcpy(out.data(), bytes.data() + offset, n);
    return n;
}

port::FileFacts regular_facts(std::size_t size, int64_t version) {
    port::FileFacts facts;
    facts.size = size;
    facts.mtime = wall_from_unix_seconds(1'700'000'000 + version);
    facts.inode = 7;
    return facts;
}

std::string without_links(const Links& links, std::string path) {
    for (unsigned hops = 0; hops < 40; ++hops) {
        bool changed = false;
        for (const auto& [link, target] : links) {
            if (path != link && !path.starts_with(link + "/")) continue;
            path = target + path.substr(link.size());
            changed = true;
            break;
        }
        if (!changed) break;
    }
    return path;
}

Result<std::size_t> MemorySource::read_at(uint64_t offset, MutableByteSpan out) const {
    if (std::optional<Error> error = fails(offset)) return *std::move(error);
    return copy_out(bytes(), offset, out);
}

Result<std::size_t> MemorySource::read_next(MutableByteSpan out, std::optional<Instant>) {
    if (std::optional<Error> error = fails(position_)) return *std::move(error);
    const std::size_t n = copy_out(bytes(), position_, out);
    position_ += n;
    return n;
}

Result<std::size_t> MemoryStream::read_at(uint64_t, MutableByteSpan) const {
    return Error{ErrorKind::bug, "a stream has no offsets"};
}

Result<std::size_t> MemoryStream::read_next(MutableByteSpan out, std::optional<Instant>) {
    if (std::optional<Error> error = fails()) return *std::move(error);
    const std::size_t n = copy_out(bytes(), position_, out.first(std::min(out.size(), most(out.size()))));
    position_ += n;
    took(n);
    return n;
}

void MemoryTarget::take_name(const std::function<bool(const std::string&)>& held, const port::TargetOptions& options) {
    while (held(name_)) name_ += "+";
    own_name_ = name_ == path_;
    if (!options.resume || !own_name_) part().clear();
    left_over_ = part().size();
}

Status MemoryTarget::reserve(uint64_t size) {
    if (std::optional<Error> error = fails("reserve", size)) return *std::move(error);
    return {};
}

Status MemoryTarget::write_at(uint64_t offset, ByteSpan bytes) {
    if (std::optional<Error> error = fails("write", bytes.size())) return *std::move(error);
    if (dead()) return {};
    std::string& file = part();
    file.resize(std::max<std::size_t>(file.size(), offset + bytes.size()));
    if (!bytes.empty()) std::memcpy(file.data() + offset, bytes.data(), bytes.size());
    wrote(offset, bytes.size());
    return {};
}

Status MemoryTarget::write_next(ByteSpan, std::optional<Instant>) { return Error{ErrorKind::bug, "seekable"}; }

Status MemoryTarget::truncate(uint64_t size) {
    if (std::optional<Error> error = fails("truncate", size)) return *std::move(error);
    if (!dead()) part().resize(size);
    return {};
}

Result<std::size_t> MemoryTarget::read_at(uint64_t offset, MutableByteSpan out) const {
    if (std::optional<Error> error = fails("read back", out.size())) return *std::move(error);
    return copy_out(part(), offset, out);
}

Status MemoryStdout::write_at(uint64_t, ByteSpan) {
    return Error{ErrorKind::cannot_write, "stdout: it can only be written in order"};
}

Status MemoryStdout::write_next(ByteSpan bytes, std::optional<Instant>) {
    if (Status taken = take(bytes); !taken) return taken;
    written_ += bytes.size();
    return {};
}

Status MemoryStdout::truncate(uint64_t size) {
    if (size == written_) return {};
    return Error{ErrorKind::cannot_write, "stdout: it can only be written in order"};
}

Result<std::size_t> MemoryStdout::read_at(uint64_t, MutableByteSpan) const {
    return Error{ErrorKind::cannot_read, "stdout: what was written cannot be read back"};
}

Status MemorySpool::append(ByteSpan bytes) {
    if (std::optional<Error> error = fails("spool")) return *std::move(error);
    bytes_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return {};
}

Result<std::size_t> MemorySpool::read_at(uint64_t offset, MutableByteSpan out) const {
    if (std::optional<Error> error = fails("read spool")) return *std::move(error);
    return copy_out(bytes_, offset, out);
}

std::string_view FolderNames::below(std::string_view full) const {
    if (full.size() <= path_.size() + 1 || !full.starts_with(path_) || full[path_.size()] != '/') return {};
    return full.substr(path_.size() + 1);
}

void FolderNames::add(std::string_view full, port::FileType type) {
    const std::string_view rest = below(full);
    if (rest.empty()) return;
    const std::size_t slash = rest.find('/');
    port::FolderEntry entry;
    entry.name = rest.substr(0, slash);
    entry.type = slash == std::string_view::npos ? type : port::FileType::directory;
    found_[entry.name] = std::move(entry);
}

void FolderNames::add_link(std::string_view full, std::optional<port::FileType> leads_to) {
    add(full, leads_to.value_or(port::FileType::other));
    const std::string_view rest = below(full);
    if (rest.empty() || rest.find('/') != std::string_view::npos) return;
    port::FolderEntry& entry = found_[std::string(rest)];
    entry.link = true;
    if (!leads_to) entry.trouble = Error{ErrorKind::not_found, std::string(full) + ": a link that leads nowhere"};
}

std::vector<port::FolderEntry> FolderNames::take() {
    std::vector<port::FolderEntry> entries;
    entries.reserve(found_.size());
    for (auto& [name, entry] : found_) entries.push_back(std::move(entry));
    found_.clear();
    return entries;
}

MemoryFolder::MemoryFolder(std::vector<port::FolderEntry> entries, uint64_t inode) : entries_(std::move(entries)) {
    facts_.type = port::FileType::directory;
    facts_.inode = inode;
}

Result<std::optional<port::FolderEntry>> MemoryFolder::next() {
    if (std::optional<Error> error = fails()) return *std::move(error);
    if (position_ == entries_.size()) return std::optional<port::FolderEntry>();
    return std::optional(entries_[position_++]);
}

}  // namespace s3tug::sim
