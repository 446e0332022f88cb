// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/reader/load_filter.h"

namespace rankscope {

std::string LoadFilter::text() const {
  std::string text;
  if (skipPython) text += "no python;";
  if (skipCpuOps) text += "no operators;";
  if (steps) text += "steps " + std::to_string(steps->first) + ".." + std::to_string(steps->last) + ";";
  if (ranks.empty()) return text;
  text += "ranks";
  for (const int rank : ranks) text += ' ' + std::to_string(rank);
  text += ';';
  return text;
}

} // namespace rankscope
