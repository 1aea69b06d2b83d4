#include "base/record.h"

#include <charconv>

#include "base/bytes.h"

namespace s3tug {

namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

void append_escaped(std::string& out, std::string_view value) {
    for (const char c : value) {
        const auto v = static_cast<uint8_t>(c);
        if (c == '\n') {
            out += "\\n";
        } else if (c == '\\') {
            out += "\\\\";
        } else if (v < 0x20 || v == 0x7F) {
            out += "\\x";
            out += hex_digits[v >> 4];
            out += hex_digits[v & 0xF];
        } else {
            out += c;
        }
    }
}

std::optional<std::string> unescaped(std::string_view value) {
    std::string out;
    out.reserve(value.size());
    for (std::size_t i = 0; i < value.size(); ++i) {
        if (value[i] != '\\') {
            out += value[i];
            continue;
        }
        if (++i == value.size()) return std::nullopt;
        switch (value[i]) {
            case 'n': out += '\n'; break;
            case '\\': out += '\\'; break;
            case 'x': {
                const auto byte = from_hex(value.substr(i + 1, 2));
                if (!byte.ok() || byte->size() != 1) return std::nullopt;
                out += static_cast<char>(byte->front());
                i += 2;
                break;
            }
            default: return std::nullopt;
        }
    }
    return out;
}

}  // namespace

RecordWriter& RecordWriter::text(std::string_view name, std::string_view value) {
    out_ += name;
    out_ += '=';
    append_escaped(out_, value);
    out_ += '\n';
    return *this;
}

RecordWriter& RecordWriter::number(std::string_view name, int64_t value) { return text(name, std::to_string(value)); }

std::string RecordWriter::take() { return std::exchange(out_, {}); }

std::optional<RecordReader> RecordReader::parse(std::string_view record) {
    RecordReader reader;
    while (!record.empty()) {
        const std::string_view line = record.substr(0, record.find('\n'));
        record.remove_prefix(std::min(record.size(), line.size() + 1));
        const std::size_t equals = line.find('=');
        if (equals == std::string_view::npos || equals == 0) return std::nullopt;
        auto value = unescaped(line.substr(equals + 1));
        if (!value) return std::nullopt;
        reader.fields_.emplace_back(line.substr(0, equals), *std::move(value));
    }
    return reader;
}

std::optional<std::string> RecordReader::text(std::string_view name) const {
    for (const auto& [field, value] : fields_) {
        if (field == name) return value;
    }
    return std::nullopt;
}

std::optional<int64_t> RecordReader::number(std::string_view name) const {
    const auto value = text(name);
    if (!value) return std::nullopt;
    int64_t number = 0;
    const char* const end = value->data() + value->size();
    const auto [stop, error] = std::from_chars(value->data(), end, number);
    if (error != std::errc() || stop != end) return std::nullopt;
    return number;
}

std::vector<std::string> RecordReader::all(std::string_view name) const {
    std::vector<std::string> values;
    for (const auto& [field, value] : fields_) {
        if (field == name) values.push_back(value);
    }
    return values;
}

}  // namespace s3tug
