// SPDX-License-Identifier: GPL-3.0-or-later
// Titles and colors of the categories of the critical path, and what a part of it depended on in words. The
// colors are those of the same time elsewhere: compute green, transfer violet. Constant data.
#pragma once

#include "core/analysis/graph/critical_path.h"
#include "ui/base/theme.h"

#include <QString>

namespace rankscope::ui {

// "Compute", "Transfer", "Kernel gap".
[[nodiscard]] QString pathCategoryTitle(PathCategory category);
[[nodiscard]] QColor pathCategoryColor(PathCategory category, const Theme& theme);

// "stream order", "launch", "event"; empty where it is not known.
[[nodiscard]] QString dependencyTitle(std::optional<GraphEdge> edge);

} // namespace rankscope::ui
