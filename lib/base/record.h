#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace s3tug {

/// Text form of one record of the state file: lines `name=value`, values escaped (\n \\ and control bytes as \xNN).
/// Readable by people in the database, tolerant of names it does not know (older and newer versions read each other).
class RecordWriter {
  public:
    RecordWriter& text(std::string_view name, std::string_view value);
    RecordWriter& number(std::string_view name, int64_t value);
    [[nodiscard]] std::string take();  ///< the record; the writer is empty afterwards

  private:
    std::string out_;
};

/// Fields of a record in order; repeated names allowed (lists). A line without a
/// name and `=`, or with a wrong escape, makes the whole record invalid; an empty record is valid.
class RecordReader {
  public:
    /// nullopt when the text is not a record (corrupt).
    [[nodiscard]] static std::optional<RecordReader> parse(std::string_view record);

    [[nodiscard]] std::optional<std::string> text(std::string_view name) const;  ///< first of that name
    [[nodiscard]] std::optional<int64_t> number(std::string_view name) const;    ///< nullopt also when not a number
    [[nodiscard]] std::vector<std::string> all(std::string_view name) const;

  private:
    std::vector<std::pair<std::string, std::string>> fields_;
};

}  // namespace s3tug
