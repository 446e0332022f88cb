// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/reader/load_filter.h"

namespace rankscope {

std::string LoadFilter::text() const {
  std::string text;
  if (skipPython) text += "no python;";
  if (skipCpuOps) text += "no operators;";
  if (steps) text += "steps " + std::to_string(steps->first) + ".." + std::to_string(steps->last) + ";";
  return text;
}

} // namespace rankscope
