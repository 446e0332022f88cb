// SPDX-License-Identifier: GPL-3.0-or-later
// Reads all arguments of one event from the file on demand: a seek in a plain file, decompression up to the
// event in a compressed one.
#pragma once

#include "core/base/result.h"
#include "core/model/detail_source.h"

#include <string>
#include <vector>

namespace rankscope {

// Entries of "args" are listed by their own keys. Strings are unescaped.
[[nodiscard]] Result<std::vector<EventField>> readEventFields(const std::string& path, SourceRef source);

} // namespace rankscope
