// SPDX-License-Identifier: GPL-3.0-or-later
// Who comes late to which collective: the instances of a process group in order of time by its ranks. Groups
// of one kind that share no rank (the tensor-parallel groups of a job) stand in one matrix, the n-th instance
// of each in one column. Lateness is the begin less the first participant's, on the job's clock. Only matched
// instances with a participant in scope. Made by pure functions; constant; four bytes a cell.
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/base/exact_sum.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rankscope {

// Groups of one kind; no rank is in two of them. Collectives whose group was not recorded form one category,
// whatever they do.
struct GroupCategory {
  std::vector<GroupIndex> groups;
  bool recorded = true;      // else every instance has a column of its own
  bool pointToPoint = false; // their sends and receives, else everything but those
  ParallelDimension dimension = ParallelDimension::Unknown;
  std::string label;                    // of the first group
  std::int64_t size = -1;               // of a group; -1: not known
  std::vector<InstanceIndex> instances; // in scope, by first begin
  ExactSum lateness;                    // sum of their skews
};

// By total lateness, largest first.
[[nodiscard]] std::vector<GroupCategory> groupCategories(const Analysis& analysis);

class ArrivalMatrix {
 public:
  static constexpr float kAbsent = -1; // the rank takes no part

  ArrivalMatrix(const Analysis& analysis, const GroupCategory& category);

  [[nodiscard]] const std::vector<RankIndex>& rows() const { return m_rows; }
  [[nodiscard]] std::size_t columnCount() const { return m_columns.size(); }
  // Nanoseconds by column, then row.
  [[nodiscard]] const std::vector<float>& lateness() const { return m_lateness; }
  [[nodiscard]] float lateness(std::size_t column, std::size_t row) const {
    return m_lateness[column * m_rows.size() + row];
  }
  // Those of the column; of one group a single one.
  [[nodiscard]] std::span<const InstanceIndex> instances(std::size_t column) const {
    return m_columns[column];
  }
  // Which instance of the column a rank takes part in, and its part; nothing where it takes none.
  struct Place {
    const CollectiveInstance* instance;
    const Participant* part;
  };
  [[nodiscard]] std::optional<Place> placeOf(const CollectiveMatch& match, std::size_t column,
                                             std::size_t row) const;
  // A lateness that only one in a hundred columns exceeds; the largest where that is not much more. Above 0.
  [[nodiscard]] double scaleTop() const;

 private:
  std::vector<RankIndex> m_rows;
  std::vector<std::vector<InstanceIndex>> m_columns;
  std::vector<float> m_lateness;
};

} // namespace rankscope
