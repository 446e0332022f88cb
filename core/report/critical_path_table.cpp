// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/critical_path_table.h"

#include "core/analysis/classify/phase_text.h"
#include "core/base/unit_text.h"
#include "core/base/whole_number.h"
#include "core/report/path_parts.h"
#include "core/report/what_if_table.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace rankscope {

namespace {

constexpr std::array<std::string_view, kPathKeyCount> kKeys{"category", "rank",  "operator", "module",
                                                            "kernel",   "class", "layer",    "phase"};

void addSegments(const WhatIf& whatIf, const WindowPath& path, PathParts& modules, ResultTable& table) {
  const Analysis& analysis = whatIf.analysis();
  const TraceSet& trace = analysis.trace();
  const std::optional<std::int64_t> step = stepNumberOf(analysis, whatIf.graph().windows[path.window]);
  const TimeNs origin = analysis.extent().begin.ns();
  for (std::size_t i = 0; i < path.segments.size(); ++i) {
    const PathSegment& segment = path.segments[i];
    const RankEntry& entry = trace.rank(segment.rank);
    const auto nameOf = [&](EventIndex event) {
      return event.valid() ? textCell(trace.names()[entry.trace->events.name[event]]) : Cell();
    };
    std::vector<Cell> cells(table.columns().size());
    cells[0] = cellOf(step);
    cells[1] = static_cast<std::int64_t>(i);
    cells[2] = std::int64_t{entry.rank};
    cells[3] = std::int64_t{entry.capture};
    cells[4] = segment.range.begin - origin;
    cells[5] = segment.duration();
    cells[6] = pathCategoryText(segment.category);
    if (segment.lane != kNoPoint) {
      const GraphLane& lane = whatIf.graph().part(segment.rank).lanes[segment.lane];
      if (lane.device) {
        cells[8] = std::int64_t{lane.deviceIndex};
        cells[9] = lane.stream;
      } else if (lane.track.valid()) {
        cells[7] = textCell(entry.trace->tracks[lane.track.value].thread);
      }
    }
    cells[10] = textCell(phaseText(phaseOfSegment(analysis, segment)));
    cells[11] = nameOf(segment.event);
    cells[12] = nameOf(operatorOfSegment(analysis, segment));
    const std::string module = modules.textOf(segment);
    cells[13] = textCell(module);
    table.addRow(cells);
  }
}

} // namespace

std::string_view pathKeyText(PathKey key) {
  return kKeys[static_cast<std::size_t>(key)];
}

std::optional<PathKey> pathKeyNamed(std::string_view text) {
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    if (kKeys[i] == text) return static_cast<PathKey>(i);
  }
  return std::nullopt;
}

ResultTable criticalPathTable(const WhatIf& whatIf) {
  ResultTable table("critical_path", {{"step", Unit::Identity},
                                      {"position", Unit::Identity},
                                      {"rank", Unit::Identity},
                                      {"capture", Unit::Identity},
                                      {"begin_us", Unit::Nanoseconds},
                                      {"duration_us", Unit::Nanoseconds},
                                      {"category", Unit::Text},
                                      {"thread", Unit::Text},
                                      {"device", Unit::Identity},
                                      {"stream", Unit::Identity},
                                      {"phase", Unit::Text},
                                      {"event", Unit::Text},
                                      {"operator", Unit::Text},
                                      {"module", Unit::Text}});
  PathParts modules(whatIf.analysis(), CallGrouping::Module);
  for (const WindowPath& path : whatIf.path().windows) addSegments(whatIf, path, modules, table);
  return table;
}

namespace {

void addSummary(const WhatIf& whatIf, PathKey key, ResultTable& table) {
  for (const PathSum& sum : pathSums(whatIf, key))
    table.addRow({Cell(pathKeyText(key)), textCell(sum.key), Cell(rounded(sum.onPath)), Cell(100 * sum.share),
                  cellOf(sum.slack), sum.imbalance ? Cell(rounded(*sum.imbalance)) : Cell(),
                  Cell(sum.steps)});
}

ResultTable summaryTable() {
  return {"critical_path_summary",
          {{"by", Unit::Text},
           {"key", Unit::Text},
           {"on_path_us", Unit::Nanoseconds},
           {"share_pct", Unit::Percent},
           {"slack_us", Unit::Nanoseconds},
           {"imbalance_us", Unit::Nanoseconds},
           {"steps", Unit::Count}}};
}

} // namespace

ResultTable criticalPathSummaryTable(const WhatIf& whatIf, PathKey key) {
  ResultTable table = summaryTable();
  addSummary(whatIf, key, table);
  return table;
}

ResultTable criticalPathSummaryTable(const WhatIf& whatIf) {
  ResultTable table = summaryTable();
  for (std::size_t i = 0; i < kPathKeyCount; ++i) addSummary(whatIf, static_cast<PathKey>(i), table);
  return table;
}

namespace {

// "hand_off" of the tables reads "hand off".
std::string keyTitle(PathKey of, std::string key) {
  if (key.empty()) return "(none)";
  if (of == PathKey::Category) std::ranges::replace(key, '_', ' ');
  if (of == PathKey::Rank) key.insert(0, "rank ");
  return key;
}

} // namespace

std::string criticalPathText(const WhatIf& whatIf, std::optional<PathKey> key) {
  constexpr std::size_t kShown = 12;
  std::string text;
  const auto out = std::back_inserter(text);
  if (!isOfSteps(whatIf))
    fmt::format_to(out, "Critical path of the recording: {}; no steps were recorded\n",
                   durationText(rounded(whatIf.base())));
  else
    fmt::format_to(
        out,
        "Critical path, from the end of a step on its last rank to that of the next one: {}, mean of {} "
        "kept {}\n",
        durationText(rounded(whatIf.base())), whatIf.keptWindows().size(),
        whatIf.keptWindows().size() == 1 ? "step" : "steps");
  bool negative = false;
  const std::vector<PathKey> keys =
      key ? std::vector{*key} : std::vector{PathKey::Category, PathKey::Rank, PathKey::Operator};
  for (const PathKey of : keys) {
    fmt::format_to(out, "\nBy {}\n", pathKeyText(of));
    const std::vector<PathSum> sums = pathSums(whatIf, of);
    for (std::size_t i = 0; i < sums.size() && (key || i < kShown); ++i)
      fmt::format_to(out, "  {:>9}  {:>6}  {}\n", durationText(rounded(sums[i].onPath)),
                     percentText(100 * sums[i].share), keyTitle(of, sums[i].key));
    if (!key && sums.size() > kShown) fmt::format_to(out, "  {} more\n", sums.size() - kShown);
    negative = negative || std::ranges::any_of(sums, [](const PathSum& sum) { return sum.onPath < 0; });
  }
  if (negative)
    text += "\nNegative where the clock of the next rank on the path seems to be ahead: as much of the other "
            "parts "
            "is too long.\n";
  return text;
}

} // namespace rankscope
