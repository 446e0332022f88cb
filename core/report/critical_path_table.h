// SPDX-License-Identifier: GPL-3.0-or-later
// The tables `critical_path`, a row for each segment of the path through each step, and
// `critical_path_summary`, the same summed by one of several keys. Durations of a step add up to its window.
#pragma once

#include "core/analysis/graph/path_summary.h"
#include "core/export/result_table.h"

#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

// "category", "rank", "operator", "module", "kernel".
[[nodiscard]] std::string_view pathKeyText(PathKey key);
[[nodiscard]] std::optional<PathKey> pathKeyNamed(std::string_view text);

[[nodiscard]] ResultTable criticalPathTable(const WhatIf& whatIf);
// Means over the kept steps; the largest first.
[[nodiscard]] ResultTable criticalPathSummaryTable(const WhatIf& whatIf, PathKey key);
// By every key.
[[nodiscard]] ResultTable criticalPathSummaryTable(const WhatIf& whatIf);

// The same for people: the largest of a key, or of categories, ranks and operators.
[[nodiscard]] std::string criticalPathText(const WhatIf& whatIf, std::optional<PathKey> key);

} // namespace rankscope
