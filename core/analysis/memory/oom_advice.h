// SPDX-License-Identifier: GPL-3.0-or-later
// What to do where memory ran out, by its cause: the one text for findings, window and command line.
#pragma once

#include "core/analysis/memory/snapshot_replay.h"

#include <string_view>

namespace rankscope {

[[nodiscard]] std::string_view oomAdvice(OomCause cause);

} // namespace rankscope
