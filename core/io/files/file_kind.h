// SPDX-License-Identifier: GPL-3.0-or-later
// Identifies files that are not traces and names the tool that opens them: archives, databases, pickles,
// reports of other profilers, HTML, text. Uses the name for files that are not opened, and the first
// decompressed bytes for files that are. Pure functions, thread-safe.
#pragma once

#include "core/io/files/file_bytes.h"

#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

// From a name in a folder: an archive or a report of another profiler. Empty for all others.
[[nodiscard]] std::optional<std::string_view> otherKindOfName(std::string_view fileName);
// Likewise of a folder that holds an export in a form that is not read.
[[nodiscard]] std::optional<std::string_view> otherKindOfFolder(std::string_view name);
// Whether otherKindOfName reports an archive, which must be unpacked.
[[nodiscard]] bool isArchiveName(std::string_view fileName);

// From the first bytes: a kind of file that cannot contain JSON. Empty for text, including damaged text.
[[nodiscard]] std::optional<std::string_view> otherKindOfStart(std::string_view start);
// Whether that kind is an archive, which must be unpacked, whatever its name.
[[nodiscard]] bool isArchiveStart(std::string_view start);
// The first bytes of a file, decompressed.
[[nodiscard]] std::string startOf(const FileBytes& file);

// Describes a text file that is not JSON and not of a kind above, from its first bytes.
[[nodiscard]] std::string kindOfText(std::string_view start);

} // namespace rankscope
