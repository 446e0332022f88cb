// SPDX-License-Identifier: GPL-3.0-or-later
// Lateness of each rank (row) in each instance (column) of a process group, in time order. Disjoint groups of
// one kind (such as tensor-parallel groups) share a matrix; the n-th instance of each is in one column. A
// rank has one row, however often it was recorded; captures follow each other. Lateness: begin minus begin of
// the first participant, on the job's clock. Contains matched instances with a participant in scope. Pure
// functions; immutable; four bytes per cell.
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

// Disjoint groups of one kind. Collectives without a recorded group form one category, of any operation.
struct GroupCategory {
  std::vector<GroupIndex> groups; // of every capture
  std::size_t groupCount = 0;     // of the capture with most
  bool recorded = true;           // if false, every instance has its own column
  bool pointToPoint = false;      // whether it contains sends and receives only, or everything else
  ParallelDimension dimension = ParallelDimension::Unknown;
  std::string label;                    // of the first group
  std::int64_t size = -1;               // of a group; -1 if unknown
  std::vector<InstanceIndex> instances; // in scope, by first begin
  ExactSum lateness;                    // sum over instances
};

// Sorted by total lateness, descending.
[[nodiscard]] std::vector<GroupCategory> groupCategories(const Analysis& analysis);

class ArrivalMatrix {
 public:
  static constexpr float kAbsent = -1; // the rank does not participate

  ArrivalMatrix(const Analysis& analysis, const GroupCategory& category);

  // The first recording of each rank.
  [[nodiscard]] const std::vector<RankIndex>& rows() const { return m_rows; }
  // The row of a recording; none if it takes no part.
  [[nodiscard]] std::optional<std::size_t> rowOf(RankIndex recording) const;
  [[nodiscard]] std::size_t columnCount() const { return m_columns.size(); }
  // Nanoseconds, column by column.
  [[nodiscard]] const std::vector<float>& lateness() const { return m_lateness; }
  [[nodiscard]] float lateness(std::size_t column, std::size_t row) const {
    return m_lateness[column * m_rows.size() + row];
  }
  // Instances of a column; one if the category has a single group.
  [[nodiscard]] std::span<const InstanceIndex> instances(std::size_t column) const {
    return m_columns[column];
  }
  // The instance of the column in which a rank takes part, and its part; empty if it does not.
  struct Place {
    const CollectiveInstance* instance;
    const Participant* part;
    bool ofStart; // as isOfStart
  };
  [[nodiscard]] std::optional<Place> placeOf(const CollectiveMatch& match, std::size_t column,
                                             std::size_t row) const;
  // Whether it is the first collective of its group, where ranks arrive as their recordings begin: what that
  // takes is no cost of the job.
  [[nodiscard]] bool isOfStart(InstanceIndex instance) const;
  // The longest that a rank arrives after the first in one of these; 0: there is none.
  [[nodiscard]] TimeNs startSkew() const { return m_startSkew; }
  // Upper end of a color scale: exceeded in 1 % of the columns, or the maximum if not much larger. > 0.
  [[nodiscard]] double scaleTop() const;

 private:
  void addColumns(const Analysis& analysis, const GroupCategory& category);

  std::vector<RankIndex> m_rows;
  std::vector<std::size_t> m_rowOf; // by RankIndex
  std::vector<std::vector<InstanceIndex>> m_columns;
  std::vector<float> m_lateness;
  std::vector<InstanceIndex> m_starts; // ascending
  TimeNs m_startSkew = 0;
};

} // namespace rankscope
