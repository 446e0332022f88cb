// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/attribution_table.h"

namespace rankscope {

ResultTable attributionTable(const Analysis& analysis, const JobAccount& account) {
  ResultTable table("attribution", {{"rank", Unit::Identity},
                                    {"capture", Unit::Identity},
                                    {"step", Unit::Identity},
                                    {"class", Unit::Text},
                                    {"leaf", Unit::Text},
                                    {"time_us", Unit::Nanoseconds}});
  for (const RankIndex rank : analysis.ranks()) {
    const RankEntry& entry = analysis.trace().rank(rank);
    for (const StepAccount& step : account.of(rank).steps) {
      for (const LeafTime& part : step.times)
        table.addRow({Cell(std::int64_t{entry.rank}), Cell(std::int64_t{entry.capture}),
                      step.number == Step::kUnknownNumber ? Cell() : Cell(step.number),
                      Cell(timeClassText(part.timeClass)), Cell(leafText(part.leaf)), Cell(part.time)});
    }
  }
  return table;
}

} // namespace rankscope
