// SPDX-License-Identifier: GPL-3.0-or-later
// All arguments of one event in the file, read again on demand: a seek in a plain file, a
// fresh inflation up to the event in a compressed one.
#pragma once

#include "core/base/result.h"
#include "core/model/detail_source.h"

#include <string>
#include <vector>

namespace rankscope {

// "args" are listed by their own keys, strings unescaped.
[[nodiscard]] Result<std::vector<EventField>> readEventFields(const std::string& path, SourceRef source);

} // namespace rankscope
