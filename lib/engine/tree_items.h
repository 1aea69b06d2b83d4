#pragma once

#include <string>
#include <vector>

#include "engine/key_selection.h"
#include "engine/listed_items.h"
#include "engine/transfer.h"
#include "engine/walked_items.h"

/// What the objects and files of a tree become. `common` is what all items of the command share. An item that cannot be
/// done is refused, with its names as far as they are known.
namespace s3tug::engine {

/// Gets into `folder`, each under its name below the selection's base. Left out: markers of folders (keys that end in
/// '/') without content. Refused: keys that cannot be a file there (local_name_of), that collide with an earlier one of
/// the listing, and markers that have content.
[[nodiscard]] ObjectItem get_items(Transfer common, const KeySelection& selection, const std::string& folder);

/// Copies to `target`, a folder, markers too. Refused: keys that would be too long, and those that would replace an
/// object of the selection, which may not have been read by then.
[[nodiscard]] ObjectItem copy_items(Transfer common, const KeySelection& selection, wire::S3Uri target);

[[nodiscard]] ObjectItem delete_items(Transfer common, const KeySelection& selection);

/// The same, without what earlier operands mean already: twice would race with itself, and leave two markers in a
/// versioned bucket.
[[nodiscard]] ObjectItem unless_in(std::vector<KeySelection> earlier, ObjectItem make);

/// Puts to `target`, a folder, content types by name. Refused: names that cannot be a key (key_of_local_path).
/// @param root_bytes  how much of each path is the folder that was named
[[nodiscard]] FileItem put_items(Transfer common, wire::S3Uri target, std::size_t root_bytes);

/// Items of one command need a record of their own each under its idempotency key: adds the target.
void separate_key(Transfer& item);

/// The content type of a file: by its own name, else by that of the key.
[[nodiscard]] std::string content_type_for(std::string_view file_name, std::string_view key);

}  // namespace s3tug::engine
