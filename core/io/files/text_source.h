// SPDX-License-Identifier: GPL-3.0-or-later
// Any stretch of a file's JSON text, read again after loading: a copy out of the mapping for a plain file, a
// fresh inflation from the front for a compressed one.
#pragma once

#include "core/base/result.h"
#include "core/io/files/file_bytes.h"

#include <cstdint>
#include <string>

namespace rankscope {

// Up to `length` bytes from `textAt` on; fewer at the text's end. An Error when nothing is there.
[[nodiscard]] Result<std::string> readText(const FileBytes& file, std::uint64_t textAt, std::uint64_t length);

} // namespace rankscope
