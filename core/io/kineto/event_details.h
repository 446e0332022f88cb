// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that the file says of one event, read again when somebody looks at it: a seek in a plain file, a
// fresh inflation up to the event in a compressed one (milliseconds to seconds: not for a UI thread).
#pragma once

#include "core/base/result.h"
#include "core/model/source_ref.h"

#include <string>
#include <vector>

namespace rankscope {

struct EventField {
  std::string key;   // "args" are listed by their own keys
  std::string value; // strings unescaped, everything else as written
  bool argument = false;
};

// In the file's order.
[[nodiscard]] Result<std::vector<EventField>> readEventFields(const std::string& path, SourceRef source);

} // namespace rankscope
