// SPDX-License-Identifier: GPL-3.0-or-later
// Reads any range of a file's JSON text again after loading: copies it from the mapping of a plain file, or
// decompresses a compressed file from the start.
#pragma once

#include "core/base/result.h"
#include "core/io/files/file_bytes.h"

#include <cstdint>
#include <string>

namespace rankscope {

// Up to `length` bytes from `textAt`; fewer at the end of the text. An Error if there are none.
[[nodiscard]] Result<std::string> readText(const FileBytes& file, std::uint64_t textAt, std::uint64_t length);

} // namespace rankscope
