// SPDX-License-Identifier: GPL-3.0-or-later
// Groups the calls of operators by what the recording knows of them: Python frames, or arguments that only
// the file has (input shapes, the call stacks of 2021). What was read from files is kept, so that another
// range or choice of ranks does not read them again; the rest is cheap to make again. Any thread.
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
  // Null for what can be known of no call of that rank. progress counts calls as bytes; when it is cancelled
  // the groups are incomplete.
  [[nodiscard]] std::shared_ptr<const OperatorGroups> groupsOf(const Analysis& analysis, RankIndex rank,
                                                               OperatorDetail detail, Progress& progress);
  // Why the last file that failed could not be read; empty: none did.
  [[nodiscard]] std::string problem() const;
  // Nothing that was read is wanted any more.
  void forget();

 private:
  struct CachedGroups {
    std::weak_ptr<const RankTrace> of;
    std::shared_ptr<const OperatorGroups> groups;
  };
  using Key = std::pair<const RankTrace*, OperatorDetail>;

  [[nodiscard]] OperatorGroups readGroups(const Analysis& analysis, RankIndex rank, OperatorDetail detail,
                                          Progress& progress);

  mutable std::mutex m_mutex; // of all below
  std::map<Key, CachedGroups> m_cache;
  std::string m_problem;
};

} // namespace rankscope::ui
