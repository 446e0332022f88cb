// SPDX-License-Identifier: GPL-3.0-or-later
// Format variants of a synthetic job that every reader must support: a small job, and the changes for each
// variant. All are undamaged, strict JSON.
#pragma once

#include "tests/support/job_generator.h"

#include <ostream>
#include <span>

namespace rankscope::test {

struct JobVariant {
  const char* name;
  void (*set)(JobOptions&);
};

inline std::ostream& operator<<(std::ostream& out, const JobVariant& variant) {
  return out << variant.name;
}

// 3 ranks on 2 nodes, 3 steps of 3 layers.
[[nodiscard]] JobOptions smallJob();
[[nodiscard]] std::span<const JobVariant> jobVariants();

} // namespace rankscope::test
