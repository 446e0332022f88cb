// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/diagnostics.h"

namespace rankscope {

void Diagnostics::append(const Diagnostics& other) {
  std::array<std::uint64_t, 3> stored = m_counts;
  for (const Diagnostic& item : other.m_items) {
    if (stored[static_cast<std::size_t>(item.kind)]++ < kMaxStored) m_items.push_back(item);
  }
  for (std::size_t i = 0; i < m_counts.size(); ++i) m_counts[i] += other.m_counts[i];
}

} // namespace rankscope
