// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the whole row of an event from an export on demand, with names in place of string ids, and single
// arguments of many events in one pass. Columns are shown as recorded; strings that the row does not refer to
// are never read.
#pragma once

#include "core/model/detail_source.h"

#include <memory>
#include <string>
#include <string_view>

namespace rankscope {

// Shapes or inputs of an operator in the text of its range; empty without.
[[nodiscard]] std::string argumentOfRange(std::string_view text, EventArgument wanted);

[[nodiscard]] std::shared_ptr<const DetailSource> nsysDetails(const std::string& path);

} // namespace rankscope
