// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/network_view.h"

#include "core/base/whole_number.h"
#include "core/report/network_text.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace rankscope {

namespace {

bool isNet(std::string_view kind) {
  return kind.starts_with("NET/");
}

// Links of the network, and those of them with GPUDirect RDMA.
std::pair<std::int64_t, std::int64_t> netLinks(const NcclLog& log, const NetCommunicator& communicator) {
  std::int64_t all = 0, gdr = 0;
  for (const NetLink& link : communicator.links) {
    if (!isNet(log.kinds[link.kind])) continue;
    ++all;
    if (link.gdr) ++gdr;
  }
  return {all, gdr};
}

using ChoiceKey = std::pair<CollectiveOperation, std::int64_t>;

// The choices for a size over communicators of a group; several answers are all kept.
using ChoicesByKey = std::map<ChoiceKey, std::vector<const NcclChoice*>>;

bool isOfGroup(const JobNetwork& network, const NcclChoice& choice, GroupIndex group) {
  if (network.join.empty() || choice.instance == kNoNcclIndex) return false;
  const std::uint32_t of = network.topology.communicatorOf[choice.instance];
  if (of == kNoNcclIndex) return false;
  const std::vector<GroupIndex>& groups = network.join.communicators[of].groups;
  return std::ranges::find(groups, group) != groups.end();
}

bool isOfFile(const NcclLog& log, const NcclChoice& choice, std::string_view path) {
  if (choice.instance == kNoNcclIndex) return log.files.size() == 1 && log.files.front().path == path;
  return log.files[log.instances[choice.instance].at.file].path == path;
}

// The path of the table that a series is of; empty: of the job.
std::string_view pathOf(const JobNetwork& network, const BandwidthSeries& series) {
  if (series.of) return {};
  for (const NcclTestTable& table : network.records->tables)
    if (table.name == series.group) return table.path;
  return {};
}

std::vector<const NcclChoice*> choicesFor(const JobNetwork& network, const BandwidthSeries& series,
                                          std::int64_t bytes) {
  std::vector<const NcclChoice*> found;
  const NcclLog& log = network.log();
  const std::string_view path = pathOf(network, series);
  for (const NcclChoice& choice : log.choices) {
    if (collectiveOperationOf(choice.operation) != series.operation ||
        bytesOfNcclChoice(log, choice) != bytes)
      continue;
    const bool there = series.of ? isOfGroup(network, choice, *series.of) : isOfFile(log, choice, path);
    if (there) found.push_back(&choice);
  }
  return found;
}

// The same in all choices; empty otherwise.
template <class Of> Cell common(const std::vector<const NcclChoice*>& choices, Of&& of) {
  if (choices.empty()) return {};
  const Cell first = of(*choices.front());
  for (const NcclChoice* const choice : choices)
    if (of(*choice) != first) return {};
  return first;
}

Cell predictedCell(const NcclLog& log, const NcclChoice& choice) {
  const auto predicted = predictedOfNcclChoice(log, choice);
  return predicted ? Cell(rounded(*predicted * 1e3)) : Cell();
}

} // namespace

ResultTable communicatorsView(const JobNetwork& network) {
  ResultTable table("communicators_view", {{"communicator", Unit::Identity},
                                           {"group", Unit::Text},
                                           {"ranks", Unit::Count},
                                           {"members_known", Unit::Count},
                                           {"shape", Unit::Text},
                                           {"coll_channels", Unit::Count},
                                           {"p2p_channels", Unit::Count},
                                           {"nvls_channels", Unit::Count},
                                           {"links", Unit::Text},
                                           {"gdr_pct", Unit::Percent},
                                           {"version", Unit::Text},
                                           {"init_us", Unit::Nanoseconds},
                                           {"init_part", Unit::Text},
                                           {"warnings", Unit::Count}});
  const NcclLog& log = network.log();
  for (std::size_t i = 0; i < network.topology.communicators.size(); ++i) {
    const NetCommunicator& of = network.topology.communicators[i];
    const std::string group = network.join.empty() ? std::string() : network.join.communicators[i].name;
    const std::string links = linkCountsText(log, of), shape = nodesText(of);
    const auto [net, gdr] = netLinks(log, of);
    table.addRow({Cell(of.number), textCell(group), Cell(of.ranks), Cell(of.membersKnown), textCell(shape),
                  cellOf(of.collChannels), cellOf(of.p2pChannels), cellOf(of.nvlsChannels), textCell(links),
                  net > 0 ? Cell(100.0 * static_cast<double>(gdr) / static_cast<double>(net)) : Cell(),
                  textCell(of.version), of.initSeconds ? Cell(rounded(*of.initSeconds * 1e9)) : Cell(),
                  textCell(of.initLargest), Cell(of.warnings)});
  }
  return table;
}

AlgorithmsView algorithmsView(const JobNetwork& network, const JobBandwidth& bandwidth) {
  AlgorithmsView view{ResultTable("algorithms_view", {{"group", Unit::Text},
                                                      {"operation", Unit::Text},
                                                      {"bytes", Unit::Bytes},
                                                      {"algorithm", Unit::Text},
                                                      {"protocol", Unit::Text},
                                                      {"channels", Unit::Count},
                                                      {"predicted_us", Unit::Nanoseconds},
                                                      {"median_us", Unit::Nanoseconds},
                                                      {"samples", Unit::Count},
                                                      {"algbw_gb_s", Unit::GigabytesPerSecond},
                                                      {"busbw_gb_s", Unit::GigabytesPerSecond},
                                                      {"expected_busbw_gb_s", Unit::GigabytesPerSecond},
                                                      {"efficiency_pct", Unit::Percent}}),
                      {}};
  const NcclLog& log = network.log();
  std::set<const NcclChoice*> shown;
  for (std::size_t s = 0; s < bandwidth.series.size(); ++s) {
    const BandwidthSeries& series = bandwidth.series[s];
    for (std::size_t i = 0; i < series.sizes.size(); ++i) {
      const BandwidthSize& size = series.sizes[i];
      if (size.samples == 0) continue;
      const std::vector<const NcclChoice*> choices = choicesFor(network, series, size.bytes);
      shown.insert(choices.begin(), choices.end());
      const auto text = [](const std::string NcclChoice::*member) {
        return [member](const NcclChoice& choice) { return textCell(choice.*member); };
      };
      view.table.addRow(
          {textCell(series.group), Cell(operationText(series.operation)), Cell(size.bytes),
           common(choices, text(&NcclChoice::algorithm)), common(choices, text(&NcclChoice::protocol)),
           common(choices, [](const NcclChoice& choice) { return cellOf(choice.channels); }),
           common(choices, [&](const NcclChoice& choice) { return predictedCell(log, choice); }),
           Cell(rounded(size.medianUs * 1e3)), Cell(size.samples), Cell(size.algbwGbS),
           size.busbwGbS > 0 ? Cell(size.busbwGbS) : Cell(), cellOf(size.expectedBusbwGbS),
           cellOf(size.efficiencyPct)});
      view.sizes.emplace_back(s, i);
    }
  }
  for (const NcclChoice& choice : log.choices) {
    if (shown.contains(&choice)) continue;
    std::string group;
    const std::uint32_t of =
        choice.instance == kNoNcclIndex ? kNoNcclIndex : network.topology.communicatorOf[choice.instance];
    if (of != kNoNcclIndex)
      group = "communicator " + std::to_string(network.topology.communicators[of].number);
    view.table.addRow({textCell(group), textCell(choice.operation), Cell(bytesOfNcclChoice(log, choice)),
                       textCell(choice.algorithm), textCell(choice.protocol), cellOf(choice.channels),
                       predictedCell(log, choice), Cell(), Cell(), Cell(), Cell(), Cell(), Cell()});
  }
  return view;
}

ResultTable nicsView(const JobNetwork& network) {
  ResultTable table("nics_view", {{"host", Unit::Text},
                                  {"nic", Unit::Identity},
                                  {"device", Unit::Text},
                                  {"network", Unit::Text},
                                  {"rate_gbit_s", Unit::Ratio},
                                  {"links", Unit::Count},
                                  {"without_gdr", Unit::Count}});
  struct Use {
    std::int64_t links = 0, withoutGdr = 0;
    const NcclDevice* device = nullptr;
    bool socket = false;
  };
  const NcclLog& log = network.log();
  std::map<std::pair<std::string_view, std::int64_t>, Use> uses;
  for (const NcclProcess& process : log.processes) {
    const bool socket = process.network == "Socket";
    for (const NcclDevice& device : socket ? process.socketDevices : process.devices) {
      Use& use = uses[{process.host, device.index}];
      if (use.device == nullptr) use.device = &device;
      use.socket = socket;
    }
  }
  for (const NetCommunicator& of : network.topology.communicators)
    for (const NetLink& link : of.links) {
      const std::string& kind = log.kinds[link.kind];
      if (!isNet(kind)) continue;
      const auto count = [&](std::int32_t rank, std::int32_t nic) {
        const std::string_view host = hostOf(log, of, rank);
        if (host.empty() || nic < 0) return;
        Use& use = uses[{host, nic}];
        ++use.links;
        use.socket = kind == "NET/Socket";
        if (!link.gdr && !use.socket) ++use.withoutGdr;
      };
      // A link is one of both its NICs.
      count(link.from, link.nic);
      if (link.receiverNic >= 0) count(link.to, link.receiverNic);
    }
  for (const auto& [key, use] : uses) {
    const bool named = use.device != nullptr;
    table.addRow({textCell(key.first), Cell(key.second), named ? textCell(use.device->name) : Cell(),
                  use.socket ? Cell(std::string_view("Socket"))
                  : named    ? textCell(use.device->network)
                             : Cell(),
                  named && use.device->gbitS > 0 ? Cell(use.device->gbitS) : Cell(), Cell(use.links),
                  use.socket ? Cell() : Cell(use.withoutGdr)});
  }
  return table;
}

ResultTable settingsView(const JobNetwork& network) {
  ResultTable table(
      "settings_view",
      {{"variable", Unit::Text}, {"value", Unit::Text}, {"processes", Unit::Count}, {"of", Unit::Count}});
  std::map<std::string_view, std::map<std::string_view, std::int64_t>> values;
  const std::vector<NcclProcess>& processes = network.log().processes;
  for (const NcclProcess& process : processes)
    for (const auto& [name, value] : process.environment) ++values[name][value];
  for (const bool differing : {true, false})
    for (const auto& [name, of] : values) {
      if ((of.size() > 1) != differing) continue;
      for (const auto& [value, count] : of)
        table.addRow({textCell(name), textCell(value), Cell(count),
                      Cell(static_cast<std::int64_t>(processes.size()))});
    }
  return table;
}

ResultTable problemsView(std::span<const NetProblem> problems) {
  ResultTable table(
      "problems_view",
      {{"severity", Unit::Text}, {"title", Unit::Text}, {"evidence", Unit::Text}, {"fix", Unit::Text}});
  for (const NetProblem& problem : problems)
    table.addRow({Cell(std::string_view(problem.warning ? "warning" : "info")), textCell(problem.title),
                  textCell(problem.evidence), textCell(problem.fix)});
  return table;
}

} // namespace rankscope
