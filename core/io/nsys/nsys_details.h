// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the whole row of an event from an export on demand, with names in place of string ids, and single
// arguments of many events in one pass. Columns are shown as recorded; strings that the row does not refer to
// are never read.
#pragma once

#include "core/model/detail_source.h"

#include <memory>
#include <string>

namespace rankscope {

[[nodiscard]] std::shared_ptr<const DetailSource> nsysDetails(const std::string& path);

} // namespace rankscope
