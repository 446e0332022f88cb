// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/summary_text.h"

#include "core/analysis/findings/finding_checks.h"
#include "core/analysis/job/cut_ranks.h"
#include "core/analysis/job/graph_capture.h"
#include "core/analysis/job/recording_advice.h"
#include "core/base/exact_sum.h"
#include "core/base/statistics.h"
#include "core/base/unit_text.h"
#include "core/index/interval_set.h"
#include "core/io/files/shown_paths.h"
#include "core/model/rank_digest.h"
#include "core/model/recorded_once.h"
#include "core/model/side_files.h"
#include "core/report/account_table.h"
#include "core/report/efficiency_view.h"
#include "core/report/findings_table.h"
#include "core/report/job_totals.h"
#include "core/report/key_figures.h"
#include "core/report/outlier_ranks.h"
#include "core/report/summary_parts.h"
#include "core/report/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

constexpr std::size_t kLinesForRanks = 16;
constexpr std::size_t kMaxOutliersShown = 8;
constexpr std::size_t kFilesNamed = 8;
constexpr std::size_t kHostsNamed = 8;
constexpr std::size_t kKernelsNamed = 10;
constexpr std::size_t kKernelNameLength = 72;
constexpr std::size_t kKernelNameEnd = 24; // characters kept at the end

std::string countedText(std::int64_t count, std::string_view one, std::string_view many) {
  return countText(count) + " " + std::string(count == 1 ? one : many);
}

// At most `limit` lines, then the number of the remaining ones.
std::string limitedLines(const std::vector<std::string>& lines, std::size_t limit) {
  std::string text;
  for (std::size_t i = 0; i < std::min(limit, lines.size()); ++i) text += "  " + lines[i] + "\n";
  if (lines.size() > limit) text += "  and " + std::to_string(lines.size() - limit) + " more\n";
  return text;
}

// Ranks with truncated files, and what is missing.
std::string cutRanksText(const Analysis& analysis) {
  const std::vector<CutRank> cut = cutRanks(analysis);
  std::vector<std::string> lines;
  lines.reserve(cut.size());
  for (const CutRank& of : cut)
    lines.push_back(fmt::format("rank {}: {}", analysis.trace().rank(of.rank).rank, missingText(of)));
  if (lines.empty()) return {};
  const bool leftOut = cut.size() < analysis.ranks().size();
  return std::string("\nTruncated files") + (leftOut ? ", left out of means over ranks" : "") + "\n" +
         limitedLines(lines, kFilesNamed);
}

bool isLimited(const Analysis& analysis) {
  return std::ranges::any_of(analysis.ranks(),
                             [&](RankIndex rank) { return analysis.window(rank) != kWholeRecording; });
}

std::string headText(const Analysis& analysis, const JobTotals& totals) {
  const TraceSet& trace = analysis.trace();
  std::string line = countedText(totals.distinctRanks, "rank", "ranks");
  if (trace.worldSize() && *trace.worldSize() != totals.distinctRanks)
    line += " of " + countText(*trace.worldSize());
  if (trace.severalCaptures())
    line += " · " + countedText(static_cast<std::int64_t>(trace.ranks().size()), "recording", "recordings");
  line += " · " + countedText(static_cast<std::int64_t>(trace.hostCount()), "host", "hosts");
  line += " · " + countedText(totals.steps, "step", "steps");
  line += " · " + countedText(static_cast<std::int64_t>(totals.events), "event", "events");
  if (isLimited(analysis)) line += " in whole recordings";
  line += " · " + bytesText(static_cast<std::int64_t>(totals.bytes));
  line += " · " + recordedText(analysis);
  return printableText(trace.jobName()) + "\n" + line + "\n";
}

// What the figures are of where that is not all that was recorded.
std::string partLine(const Analysis& analysis, const JobPart& part) {
  const std::string text = partText(part);
  if (text.empty()) return {};
  std::string line = "Part of the job: " + text;
  if (isLimited(analysis)) line += " (" + durationText(partRange(analysis).length()) + ")";
  return line + "\n";
}

// How steps were detected if the profiler did not mark them.
std::string stepsFoundText(const Analysis& analysis) {
  if (areFoldedStacks(analysis.trace())) return {};
  std::map<StepSource, std::int64_t> recordings;
  for (const RankIndex rank : analysis.ranks()) ++recordings[analysis.stepWindows(rank).found];
  std::string text;
  for (const auto& [found, count] : recordings) {
    if (found == StepSource::Marked) continue;
    text += recordedByNsight(analysis.trace()) ? "\nNo marked steps in " : "\nNo ProfilerStep in ";
    text += countedText(count, "recording", "recordings") + ": ";
    const std::string_view source = detectedFromText(found);
    text += source.empty() ? "the whole recording counts as one step"
                           : fmt::format("steps taken from {}", source);
    text += ".\n";
  }
  return text;
}

std::string leftOutReason(const FileRecord& file) {
  constexpr std::string_view kPrefix = "not loaded: ";
  if (file.note.empty()) return "not a trace";
  return file.note.starts_with(kPrefix) ? file.note.substr(kPrefix.size()) : file.note;
}

std::string filesText(const TraceSet& trace) {
  std::vector<std::string> beside;
  std::vector<std::string> leftOut;
  std::vector<std::string> suspicious;
  for (const FileRecord& file : trace.files()) {
    const std::string path = printableText(shownPath(file.path));
    if (file.status == FileStatus::Beside) {
      beside.push_back(fmt::format("{}: {}", path, printableText(withShownPaths(file.note))));
      continue;
    }
    if (file.note.starts_with("read in part: ")) {
      suspicious.push_back(fmt::format("{}: {}", path, printableText(withShownPaths(file.note))));
      continue;
    }
    if (!file.rank) {
      leftOut.push_back(fmt::format("{}: {}", path, printableText(withShownPaths(leftOutReason(file)))));
      continue;
    }
    std::string what;
    const auto add = [&](const std::string& part) { what += (what.empty() ? "" : ", ") + part; };
    if (file.repaired > 0) add(groupedText(static_cast<std::int64_t>(file.repaired)) + " repaired");
    if (file.skipped > 0) add(groupedText(static_cast<std::int64_t>(file.skipped)) + " skipped");
    if (!file.note.empty()) add(printableText(withShownPaths(file.note)));
    if (!what.empty()) suspicious.push_back(fmt::format("{}: {}", path, what));
  }
  std::string text;
  if (!beside.empty()) text += "\nFiles beside the traces\n" + limitedLines(beside, kFilesNamed);
  if (!leftOut.empty()) text += "\nFiles not loaded\n" + limitedLines(leftOut, kFilesNamed);
  if (!suspicious.empty()) text += "\nFiles loaded with warnings\n" + limitedLines(suspicious, kFilesNamed);
  return text;
}

std::string missingRanksText(const TraceSet& trace) {
  constexpr std::int64_t kMaxWorldSize = 1'000'000; // larger numbers are damage
  if (!trace.worldSize() || *trace.worldSize() > kMaxWorldSize) return {};
  std::set<int> found;
  for (const RankEntry& entry : trace.ranks()) found.insert(entry.rank);
  const std::vector<int>& chosenNot = trace.side().leftOutRanks;
  std::vector<int> missing, leftOut;
  for (int rank = 0; rank < *trace.worldSize(); ++rank) {
    if (found.contains(rank)) continue;
    (std::ranges::binary_search(chosenNot, rank) ? leftOut : missing).push_back(rank);
  }
  std::string text;
  const auto line = [&](std::string_view title, const std::vector<int>& ranks) {
    if (!ranks.empty()) text += fmt::format("\n{}: {}\n", title, printableText(numberRangesText(ranks), 100));
  };
  line("Missing ranks", missing);
  line("Ranks left out", leftOut);
  return text;
}

std::string hostsText(const TraceSet& trace, const JobTotals& totals) {
  std::map<std::string, std::set<std::string>> gpusByHost;
  for (const RankEntry& entry : trace.ranks()) {
    if (!entry.gpu.empty()) gpusByHost[entry.host].insert(entry.gpu);
  }
  std::vector<std::pair<std::string, std::vector<int>>> hosts(totals.ranksByHost.begin(),
                                                              totals.ranksByHost.end());
  std::sort(hosts.begin(), hosts.end(), [](const auto& a, const auto& b) {
    return std::tie(a.second, a.first) < std::tie(b.second, b.first);
  });
  std::vector<std::string> lines;
  for (const auto& [host, ranks] : hosts) {
    std::string line = host.empty() ? "host not recorded" : printableText(host, 60);
    line += (ranks.size() == 1 ? ": rank " : ": ranks ") + printableText(numberRangesText(ranks), 60);
    std::string gpus;
    for (const std::string& gpu : gpusByHost[host]) gpus += (gpus.empty() ? "" : ", ") + gpu;
    if (!gpus.empty()) line += ", " + printableText(gpus, 80);
    lines.push_back(std::move(line));
  }
  return "\nHosts\n" + limitedLines(lines, kHostsNamed);
}

// A column of the ranks' lines.
struct Figure {
  const char* title;
  std::optional<TimeNs> (*of)(const RankStatistics&); // null: Analysis::stepMean
};

constexpr std::array kFigures = {
    Figure{"step", nullptr},
    Figure{"GPU span", [](const RankStatistics& s) { return std::optional(s.gpuSpan); }},
    Figure{"busy", [](const RankStatistics& s) { return std::optional(s.gpuBusy); }},
    Figure{"compute", [](const RankStatistics& s) { return std::optional(s.compute); }},
    Figure{"communication", [](const RankStatistics& s) { return std::optional(s.communication); }},
    Figure{"exposed", [](const RankStatistics& s) { return std::optional(s.exposedCommunication); }},
    Figure{"memory", [](const RankStatistics& s) { return std::optional(s.memory); }},
    Figure{"idle", [](const RankStatistics& s) { return std::optional(s.idle); }},
};

std::optional<TimeNs> valueOf(const Figure& figure, const Analysis& analysis, RankIndex rank) {
  return figure.of == nullptr ? analysis.stepMean(rank) : figure.of(analysis.statistics(rank));
}

std::span<const Figure> figuresShown(bool hasDeviceActivity) {
  return std::span(kFigures).first(hasDeviceActivity ? kFigures.size() : 1);
}

std::string rankName(const RankEntry& entry, bool severalCaptures) {
  std::string name = std::to_string(entry.rank);
  if (severalCaptures) name += " (" + std::to_string(entry.capture) + ")";
  return name;
}

// Position of the parameter list at the end of a name; the name's length if there is none.
std::size_t parametersAt(std::string_view name) {
  if (!name.ends_with(')')) return name.size();
  int open = 0;
  for (std::size_t at = name.size(); at-- > 0;) {
    if (name[at] == ')') ++open;
    if (name[at] == '(' && --open == 0) return at;
  }
  return name.size();
}

// Short name of a kernel without common prefixes, keeping both ends: its purpose and its types.
std::string kernelLabel(std::string_view name) {
  std::string label(name);
  if (label.starts_with("void ")) label.erase(0, 5);
  for (const std::string_view common : {"at::native::", "(anonymous namespace)::"}) {
    for (std::size_t at = label.find(common); at != std::string::npos; at = label.find(common, at))
      label.erase(at, common.size());
  }
  // Parameters repeat the template arguments.
  if (const std::size_t at = parametersAt(label); at != 0) label.erase(at);
  return printableText(label, kKernelNameLength, kKernelNameEnd);
}

// What the columns of ranks are of.
std::string ranksNote(const Analysis& analysis, bool hasDeviceActivity) {
  if (!hasDeviceActivity) return {};
  return fmt::format("step: mean; other times: total of the {}", isLimited(analysis) ? "range" : "recording");
}

TextTable rankTable(const Analysis& analysis, bool hasDeviceActivity, bool withNotes) {
  std::vector<std::string> titles = {analysis.trace().severalCaptures() ? "rank (capture)" : "rank", "steps",
                                     isLimited(analysis) ? "events recorded" : "events"};
  for (const Figure& figure : figuresShown(hasDeviceActivity)) titles.emplace_back(figure.title);
  if (withNotes) titles.emplace_back("<");
  return TextTable(titles);
}

std::vector<std::string> rankRow(const Analysis& analysis, RankIndex rank, bool hasDeviceActivity) {
  const RankEntry& entry = analysis.trace().rank(rank);
  const RankStatistics& statistics = analysis.statistics(rank);
  std::vector<std::string> cells = {rankName(entry, analysis.trace().severalCaptures()),
                                    std::to_string(statistics.steps),
                                    countText(static_cast<std::int64_t>(entry.trace->fileEvents))};
  for (const Figure& figure : figuresShown(hasDeviceActivity)) {
    const std::optional<TimeNs> value =
        figure.of == nullptr || statistics.hasDeviceActivity ? valueOf(figure, analysis, rank) : std::nullopt;
    cells.push_back(value ? durationText(*value) : "–");
  }
  return cells;
}

std::string everyRankText(const Analysis& analysis, bool hasDeviceActivity) {
  TextTable table = rankTable(analysis, hasDeviceActivity, false);
  for (const RankIndex rank : analysis.ranks()) table.addRow(rankRow(analysis, rank, hasDeviceActivity));
  const std::string note = ranksNote(analysis, hasDeviceActivity);
  return fmt::format("\nRanks{}\n{}", note.empty() ? std::string() : " (" + note + ")", table.text());
}

std::string manyRanksText(const Analysis& analysis, bool hasDeviceActivity) {
  const std::vector<RankIndex> compared = wholeRanks(analysis);
  const std::size_t count = compared.size();
  const std::size_t leftOut = analysis.ranks().size() - count;
  std::array<std::vector<std::string>, 3> rows = {{{"min", "", ""}, {"median", "", ""}, {"max", "", ""}}};
  std::map<std::size_t, std::pair<double, std::string>> outliers; // by recording: deviation and value
  for (const Figure& figure : figuresShown(hasDeviceActivity)) {
    std::vector<TimeNs> values;
    std::vector<std::size_t> ranks;
    for (std::size_t i = 0; i < count; ++i) {
      const std::optional<TimeNs> value = valueOf(figure, analysis, compared[i]);
      if (!value) continue;
      values.push_back(*value);
      ranks.push_back(i);
    }
    if (values.empty()) {
      for (std::vector<std::string>& row : rows) row.emplace_back("–");
      continue;
    }
    rows[0].push_back(durationText(*std::min_element(values.begin(), values.end())));
    rows[1].push_back(durationText(wholeMedian(values)));
    rows[2].push_back(durationText(*std::max_element(values.begin(), values.end())));
    for (const OutlierValue& value : outlierValues(values)) {
      auto& [excess, what] = outliers[ranks[value.index]];
      excess = std::max(excess, value.excess);
      what += std::string(what.empty() ? "" : ", ") + figure.title;
    }
  }
  std::vector<std::pair<double, std::size_t>> order;
  order.reserve(outliers.size());
  for (const auto& [rank, why] : outliers) order.emplace_back(-why.first, rank);
  std::sort(order.begin(), order.end());
  TextTable table = rankTable(analysis, hasDeviceActivity, true);
  for (std::vector<std::string>& row : rows) table.addRow(std::move(row));
  for (std::size_t i = 0; i < std::min(kMaxOutliersShown, order.size()); ++i) {
    std::vector<std::string> row = rankRow(analysis, compared[order[i].second], hasDeviceActivity);
    row.push_back("outlier: " + outliers[order[i].second].second);
    table.addRow(std::move(row));
  }
  std::string text = "\nRanks (" + std::to_string(count) + " recordings, " + std::to_string(order.size()) +
                     (order.size() == 1 ? " outlier" : " outliers");
  if (leftOut > 0) text += ", " + std::to_string(leftOut) + " truncated left out";
  if (order.size() > kMaxOutliersShown) text += ", the first " + std::to_string(kMaxOutliersShown) + " shown";
  if (const std::string note = ranksNote(analysis, hasDeviceActivity); !note.empty()) text += "; " + note;
  return text + ")\n" + table.text();
}

std::string kernelsText(const Analysis& analysis) {
  struct Sum {
    ExactSum total;
    std::int64_t calls = 0;
  };
  std::map<std::pair<NameId, DeviceClass>, Sum> sums;
  ExactSum all;
  for (const RankIndex rank : recordedOnce(analysis.trace(), analysis.ranks())) {
    for (const KernelStatistics& kernel : analysis.kernels(rank)) {
      Sum& sum = sums[{kernel.name, kernel.deviceClass}];
      sum.total += kernel.total;
      sum.calls += kernel.calls;
      all += kernel.total;
    }
  }
  std::vector<std::pair<std::pair<NameId, DeviceClass>, Sum>> order(sums.begin(), sums.end());
  const StringTable& names = analysis.trace().names();
  std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    if (a.second.total != b.second.total) return a.second.total > b.second.total;
    return std::pair(names[a.first.first], a.first.second) < std::pair(names[b.first.first], b.first.second);
  });
  TextTable table({"share", "total", "calls", "<kind", "<name"});
  for (std::size_t i = 0; i < std::min(kKernelsNamed, order.size()); ++i) {
    const auto& [key, sum] = order[i];
    const double share = all > 0 ? 100.0 * static_cast<double>(sum.total) / static_cast<double>(all) : 0;
    table.addRow({percentText(share), durationText(sum.total), countText(sum.calls),
                  std::string(deviceClassText(key.second)), kernelLabel(names[key.first])});
  }
  const std::string title =
      "\nDevice time by kernel (" + countedText(static_cast<std::int64_t>(order.size()), "name", "names");
  return title + ", durations summed over all ranks)\n" + table.text();
}

} // namespace

namespace {

std::string whyNoFindings(const JobReport& report) {
  const Analysis& analysis = report.analysis();
  if (!isDigest(analysis.trace()) || !hasAnswers(analysis.trace(), analysis.ranks()))
    return "\nFindings need the events of the ranks: open the traces of some of them.\n";
  return report.asDigested()
             ? "\nFindings of a digest are of all its ranks together, not of some.\n"
             : "\nFindings of a digest are of aligned clocks, the steps that means are over and "
               "the layout as recognized.\n";
}

// Of files that usually lie beside traces, opened alone: what prints them, and what a trace would add.
std::string besideAloneText(const SideFiles& side) {
  std::string text;
  if (!side.snapshots.empty() || !side.timelines.empty())
    text += "\nrankscope-cli snapshot and the Memory tab of the window say what they contain.\n";
  if (!side.flightRecords.empty())
    text += "\nrankscope-cli hang and the Hang tab of the window say what they contain.\n";
  return text +
         "\nNo trace was opened. Open it together with them, or their common folder, for everything about "
         "steps, kernels and ranks.\n";
}

} // namespace

std::string summaryText(const JobReport& report, const JobPart& part) {
  const Analysis& analysis = report.analysis();
  const TraceSet& trace = analysis.trace();
  const JobTotals totals = jobTotals(analysis);
  std::string text = headText(analysis, totals) + partLine(analysis, part);
  text += filesText(trace) + missingRanksText(trace);
  text += cutRanksText(analysis);
  if (trace.ranks().empty() && !trace.side().empty()) return text + besideAloneText(trace.side());
  if (analysis.ranks().empty()) return text + "\nThe selection contains no recorded activity.\n";
  if (!report.hasFindings())
    text += whyNoFindings(report);
  else
    text += topFindingsText(report.findings(), checkedKinds(report).size(), costsNote(analysis));
  if (const std::string leftOut = leftOutText(report); !leftOut.empty())
    text += fmt::format("\nSteps left out of means: {}.\n", leftOut);
  if (const std::string captured = graphCaptureText(graphCapture(analysis)); !captured.empty())
    text += fmt::format("\n{}\n", captured);
  if (totals.hasDeviceActivity && knowsEfficiency(report, report.efficiencySettings()))
    text +=
        fmt::format("\nEfficiency: {}\n",
                    printableText(efficiencyText(efficiencyFigures(report, report.efficiencySettings()))));
  text += stepsFoundText(analysis) + hostsText(trace, totals) + clocksText(analysis);
  text += analysis.ranks().size() <= kLinesForRanks ? everyRankText(analysis, totals.hasDeviceActivity)
                                                    : manyRanksText(analysis, totals.hasDeviceActivity);
  text += collectivesText(analysis);
  if (totals.hasDeviceActivity)
    text += kernelsText(analysis);
  else if (areFoldedStacks(trace))
    text += "\nFolded stacks have no times, steps, operators or device activity: see rankscope-cli stacks.\n";
  else
    text += "\nNo device activity was recorded: GPU metrics are not shown.\n";
  return text;
}

} // namespace rankscope
