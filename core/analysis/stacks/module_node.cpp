// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/stacks/module_node.h"

#include "core/analysis/stacks/frame_names.h"

#include <string_view>

namespace rankscope {

std::string ModuleTree::pathOf(std::uint32_t node, const StringTable& names) const {
  std::vector<std::string_view> parts;
  for (; node != ModuleNode::kNone; node = nodes[node].parent)
    parts.push_back(moduleName(names[nodes[node].name]));
  std::string path;
  for (std::size_t i = parts.size(); i-- > 0;) {
    if (!path.empty()) path += '/';
    path += parts[i];
  }
  return path;
}

} // namespace rankscope
