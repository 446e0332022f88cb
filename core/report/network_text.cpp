// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/network_text.h"

#include "core/base/unit_text.h"
#include "core/base/whole_number.h"
#include "core/report/text_table.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

constexpr std::size_t kCommunicatorsShown = 40;
constexpr std::size_t kWarningsShown = 20;
constexpr std::size_t kDamageShown = 5;

std::string plural(std::size_t count, std::string_view one, std::string_view many) {
  std::string text = countText(static_cast<std::int64_t>(count));
  return text.append(" ").append(count == 1 ? one : many);
}

std::string headText(const NcclLog& log) {
  std::set<std::string_view> hosts, versions;
  for (const NcclProcess& process : log.processes) {
    hosts.insert(process.host);
    if (!process.version.empty()) versions.insert(process.version);
  }
  std::size_t files = 0;
  for (const NcclFile& file : log.files) files += file.ncclLines > 0 ? 1 : 0;
  std::string text = "NCCL";
  std::string_view between = " ";
  for (const std::string_view version : versions) {
    text.append(between).append(version);
    between = ", ";
  }
  text += ": ";
  text += plural(log.processes.size(), "process", "processes");
  text += " on ";
  text += plural(hosts.size(), "host", "hosts");
  text += ", ";
  text += plural(files, "log file", "log files");
  return text += "\n";
}

// Communicators that look alike are one line.
std::string communicatorsText(const JobNetwork& network) {
  struct Alike {
    std::vector<std::string> cells;
    std::size_t count = 0;
  };
  std::vector<Alike> rows;
  std::map<std::vector<std::string>, std::size_t> places;
  std::size_t singles = 0;
  for (const NetCommunicator& of : network.topology.communicators) {
    if (of.ranks < 2) {
      ++singles;
      continue;
    }
    std::vector<std::string> cells{std::to_string(of.ranks),
                                   std::to_string(of.membersKnown),
                                   nodesText(of),
                                   of.collChannels ? std::to_string(*of.collChannels) : "",
                                   of.initSeconds ? durationText(rounded(*of.initSeconds * 1e9)) : "",
                                   linkCountsText(network.log(), of)};
    const auto [place, isNew] = places.emplace(cells, rows.size());
    if (isNew) rows.push_back({std::move(cells), 0});
    ++rows[place->second].count;
  }
  TextTable table({"count", "ranks", "known", "<nodes", "channels", "init", "<links"});
  for (std::size_t i = 0; i < std::min(rows.size(), kCommunicatorsShown); ++i) {
    std::vector<std::string> cells{std::to_string(rows[i].count)};
    std::ranges::copy(rows[i].cells, std::back_inserter(cells));
    table.addRow(std::move(cells));
  }
  std::string text;
  if (!table.empty()) text += "\nCommunicators\n" + table.text();
  if (rows.size() > kCommunicatorsShown)
    text += "  and " + plural(rows.size() - kCommunicatorsShown, "more kind", "more kinds") + "\n";
  if (singles > 0) text += "  and " + plural(singles, "of a single rank", "of a single rank each") + "\n";
  if (!network.topology.unassigned.empty())
    text +=
        "  " + plural(network.topology.unassigned.size(), "link", "links") + " of no known communicator\n";
  return text;
}

// Settings, and how many processes have them where they differ.
std::string environmentText(const NcclLog& log) {
  std::map<std::string, std::map<std::string, std::size_t>> values;
  for (const NcclProcess& process : log.processes)
    for (const auto& [name, value] : process.environment) ++values[name][value];
  TextTable table({"<setting", "<value", "<processes"});
  for (const auto& [name, of] : values)
    for (const auto& [value, count] : of)
      table.addRow(
          {name, printableText(value, 60), count == log.processes.size() ? "all" : std::to_string(count)});
  return table.empty() ? std::string() : "\nEnvironment\n" + table.text();
}

std::string warningsText(const NcclLog& log) {
  TextTable table({"count", "hosts", "<warning", "<first"});
  std::size_t shown = 0;
  for (const NcclWarning& warning : log.warnings) {
    if (++shown > kWarningsShown) break;
    table.addRow(
        {std::to_string(warning.count), warning.ofNccl ? std::to_string(warning.hosts.size()) : "",
         printableText(warning.first, 100),
         printableText(log.files[warning.at.file].path, 40, 30) + ":" + std::to_string(warning.at.line)});
  }
  if (table.empty()) return {};
  std::string text = "\nWarnings\n" + table.text();
  if (log.warnings.size() > kWarningsShown)
    text += "  and " + plural(log.warnings.size() - kWarningsShown, "more", "more") + "\n";
  return text;
}

std::string filesText(const NcclLog& log) {
  std::string text;
  for (const NcclFile& file : log.files) {
    if (file.damagedLines == 0 && file.unusedLines == 0 && file.problem.empty()) continue;
    text += "  " + printableText(file.path) + ": ";
    text += plural(file.unusedLines, "line", "lines") + " not used, ";
    text += plural(file.damagedLines, "line", "lines") + " damaged";
    if (!file.problem.empty()) text += "; " + file.problem;
    text += "\n";
    for (std::size_t i = 0; i < std::min(kDamageShown, file.damage.size()); ++i)
      text += "    line " + std::to_string(file.damage[i].line) + ": " + file.damage[i].what + "\n";
  }
  return text.empty() ? text : "\nNot understood\n" + text;
}

} // namespace

std::string linkCountsText(const NcclLog& log, const NetCommunicator& communicator) {
  std::map<std::uint32_t, std::size_t> counts;
  for (const NetLink& link : communicator.links) ++counts[link.kind];
  std::vector<std::pair<std::size_t, std::string_view>> kinds;
  kinds.reserve(counts.size());
  for (const auto& [kind, count] : counts) kinds.emplace_back(count, log.kinds[kind]);
  std::ranges::sort(kinds, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::string text;
  for (const auto& [count, kind] : kinds) {
    if (!text.empty()) text += ", ";
    text.append(std::to_string(count)).append(" ").append(kind);
  }
  return text;
}

std::string nodesText(const NetCommunicator& communicator) {
  if (!communicator.nodes) return {};
  std::string text = std::to_string(*communicator.nodes);
  if (communicator.localRanks) text += " x " + std::to_string(*communicator.localRanks);
  return text;
}

std::string networkText(const JobNetwork& network, std::span<const NetProblem> problems) {
  const NcclLog& log = network.log();
  std::string text =
      log.empty() ? std::string("No log of NCCL was found.\n") : headText(log) + communicatorsText(network);
  if (!problems.empty()) text += "\nFindings\n";
  for (const NetProblem& problem : problems) {
    text += problem.warning ? "  [warning] " : "  [info] ";
    text += printableText(problem.title) + "\n    ";
    text += printableText(problem.evidence) + "\n    Fix: ";
    text += printableText(problem.fix) + "\n";
  }
  return text + environmentText(log) + warningsText(log) + filesText(log);
}

} // namespace rankscope
