// SPDX-License-Identifier: GPL-3.0-or-later
// Groups operator calls by Python frames, or by arguments that are read from the file (input shapes, call
// stacks of 2021). Groups read from files are cached, so that another range or choice of ranks does not
// read them again; others are cheap to compute. Any thread.
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/base/progress.h"
#include "core/report/operator_rows.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace rankscope::ui {

class OperatorGroupsReader {
 public:
  // Null if the detail was not recorded on that rank. progress counts calls as bytes; if canceled, the
  // groups are incomplete.
  [[nodiscard]] std::shared_ptr<const OperatorGroups> groupsOf(const Analysis& analysis, RankIndex rank,
                                                               OperatorDetail detail, Progress& progress);
  // The error of the last file that could not be read; empty: none.
  [[nodiscard]] std::string problem() const;
  // Clears the cache.
  void forget();

 private:
  struct CachedGroups {
    std::weak_ptr<const RankTrace> of;
    std::shared_ptr<const OperatorGroups> groups;
  };
  using Key = std::pair<const RankTrace*, OperatorDetail>;

  [[nodiscard]] OperatorGroups readGroups(const Analysis& analysis, RankIndex rank, OperatorDetail detail,
                                          Progress& progress);

  mutable std::mutex m_mutex; // guards all below
  std::map<Key, CachedGroups> m_cache;
  std::string m_problem;
};

} // namespace rankscope::ui
