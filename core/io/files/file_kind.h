// SPDX-License-Identifier: GPL-3.0-or-later
// What a file is that holds no trace, and what opens it: archives, databases, pickles, reports of other
// profilers, pages, text. By its name where nothing else is looked at, by its first bytes (of the
// decompressed text) where it was opened. Pure functions, safe on any thread.
#pragma once

#include "core/io/files/file_bytes.h"

#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

// By its name in a folder: an archive, or a report of another profiler. Nothing for all others.
[[nodiscard]] std::optional<std::string_view> otherKindOfName(std::string_view fileName);
// Whether otherKindOfName says that it has to be unpacked.
[[nodiscard]] bool isArchiveName(std::string_view fileName);

// By how it begins: what cannot hold the JSON text of a trace. Nothing for text, also where that is damaged.
[[nodiscard]] std::optional<std::string_view> otherKindOfStart(std::string_view start);
// The first bytes of a file, decompressed.
[[nodiscard]] std::string startOf(const FileBytes& file);

// What a file is that is neither JSON nor anything of the above, by how it begins.
[[nodiscard]] std::string kindOfText(std::string_view start);

} // namespace rankscope
