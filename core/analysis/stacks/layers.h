// SPDX-License-Identifier: GPL-3.0-or-later
// Which modules are the layers of a model: the children of one module that are of one class, at least two,
// and take the most of it, at least 5 % of all time. They are numbered from 0 in the order of their first
// calls; what lies in one has its number. Pure.
#pragma once

#include "core/analysis/stacks/module_node.h"
#include "core/model/string_table.h"

namespace rankscope {

inline constexpr double kMinLayerShare = 0.05;

// Sets the layers of the tree's nodes.
void findLayers(ModuleTree& tree, const StringTable& names);

} // namespace rankscope
