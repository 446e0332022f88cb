// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers the names of a job anew, in the order of its files, where files were read in another order: as they
// arrived from a remote. For one thread.
#pragma once

#include "core/model/rank_trace.h"
#include "core/model/string_table.h"

#include <memory>
#include <span>
#include <vector>

namespace rankscope {

// A copy of a recording with other ids of names. Only columns with names are copied, the rest is shared.
// O(events). newIds: by id before. REQUIRES: it has all ids of the recording.
[[nodiscard]] std::shared_ptr<const RankTrace> withNameIds(const RankTrace& trace,
                                                           std::span<const NameId> newIds);

class NameOrder {
 public:
  explicit NameOrder(const StringTable& before) : m_before(before), m_newIds(before.size()) {}

  // The next file: ids before of its names, in the order of their first appearance.
  void add(std::span<const NameId> file);

  // REQUIRES for all that follow: all files were added.
  [[nodiscard]] bool changesNothing() const;
  [[nodiscard]] StringTable names() const { return m_names.snapshot(); }
  [[nodiscard]] std::shared_ptr<const RankTrace> applied(const RankTrace& trace) const {
    return withNameIds(trace, m_newIds);
  }

 private:
  const StringTable& m_before;
  StringInterner m_names;
  std::vector<NameId> m_newIds; // by id before; invalid: of no file
};

} // namespace rankscope
