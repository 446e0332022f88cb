// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/overview_tables.h"

#include "core/analysis/finding_costs.h"
#include "core/base/unit_text.h"
#include "core/report/findings_table.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace rankscope {

namespace {

const DeviceProperties* propertiesOf(const RankTrace& trace, int device) {
  const auto found = std::ranges::find(trace.metadata.devices, device, &DeviceProperties::id);
  return found == trace.metadata.devices.end() ? nullptr : &*found;
}

// What the profiler wrote of it, or else the name that the rank's recording gives.
DeviceModel modelOf(const RankEntry& entry, int device) {
  const DeviceProperties* const known = propertiesOf(*entry.trace, device);
  if (known == nullptr) return {entry.gpu, 0, 0, 0, 0, 1};
  return {known->name,         known->totalMemoryBytes, known->computeMajor,
          known->computeMinor, known->multiprocessors,  1};
}

std::string capabilityText(const DeviceModel& model) {
  return model.computeMajor > 0 ? fmt::format("{}.{}", model.computeMajor, model.computeMinor)
                                : std::string();
}

Cell positive(std::uint64_t value) {
  return value > 0 ? Cell(static_cast<std::int64_t>(value)) : Cell();
}

std::optional<std::int64_t> peakReserved(const MemoryProfile& memory, int device) {
  for (const DeviceMemory& of : memory.devices)
    if (!of.device.onHost && of.device.id == device && of.peakReserved) return of.peakReserved->reserved;
  return std::nullopt;
}

} // namespace

ResultTable costsTable(const Analysis& analysis) {
  ResultTable table("costs", {{"id", Unit::Identity},
                              {"severity", Unit::Text},
                              {"finding", Unit::Text},
                              {"where", Unit::Text},
                              {"cost_us", Unit::Nanoseconds},
                              {"share_pct", Unit::Percent},
                              {"cost_bytes", Unit::Bytes},
                              {"fix", Unit::Text}});
  const std::vector<Finding>& findings = analysis.findings();
  const std::vector<FindingCost> costs = findingCosts(analysis);
  std::vector<std::size_t> order(findings.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) {
    return std::tuple(costs[i].perStep.value_or(-1), findings[i].costBytes.value_or(-1));
  });
  for (const std::size_t i : order) {
    const Finding& finding = findings[i];
    const std::string where = findingPlaceText(analysis, finding);
    table.addRow({Cell(static_cast<std::int64_t>(i) + 1), Cell(severityText(finding.severity)),
                  textCell(finding.title), textCell(where), cellOf(costs[i].perStep),
                  cellOf(costs[i].sharePct), cellOf(finding.costBytes), textCell(finding.fix)});
  }
  return table;
}

ResultTable devicesTable(const Analysis& analysis) {
  ResultTable table("devices", {{"rank", Unit::Identity},
                                {"capture", Unit::Identity},
                                {"host", Unit::Text},
                                {"device", Unit::Identity},
                                {"name", Unit::Text},
                                {"memory_bytes", Unit::Bytes},
                                {"multiprocessors", Unit::Count},
                                {"compute_capability", Unit::Text},
                                {"utilization_pct", Unit::Percent},
                                {"sm_efficiency_pct", Unit::Percent},
                                {"occupancy_pct", Unit::Percent},
                                {"peak_reserved_bytes", Unit::Bytes}});
  for (const RankIndex rank : analysis.ranks()) {
    const RankEntry& entry = analysis.trace().rank(rank);
    const std::vector<DeviceMetrics>& metrics = analysis.gpuMetrics(rank).devices;
    for (const int device : entry.trace->devices) {
      const DeviceModel model = modelOf(entry, device);
      const auto of = std::ranges::find(metrics, device, &DeviceMetrics::device);
      const bool known = of != metrics.end();
      const std::string capability = capabilityText(model);
      table.addRow({Cell(std::int64_t{entry.rank}), Cell(std::int64_t{entry.capture}), textCell(entry.host),
                    Cell(std::int64_t{device}), textCell(model.name), positive(model.totalMemoryBytes),
                    positive(static_cast<std::uint64_t>(model.multiprocessors)), textCell(capability),
                    known ? Cell(of->utilizationPct) : Cell(), known ? cellOf(of->smEfficiencyPct) : Cell(),
                    known ? cellOf(of->occupancyPct) : Cell(),
                    cellOf(peakReserved(analysis.memory(rank), device))});
    }
  }
  return table;
}

JobDevices jobDevices(const Analysis& analysis) {
  using Key = std::tuple<std::string, std::uint64_t, int, int, int>;
  std::map<Key, DeviceModel> models;
  std::set<std::pair<int, int>> told; // rank and device: cycles of a rank use the same
  std::set<std::string> hosts;
  for (const RankIndex rank : analysis.ranks()) {
    const RankEntry& entry = analysis.trace().rank(rank);
    for (const int device : entry.trace->devices) {
      if (!entry.host.empty()) hosts.insert(entry.host);
      if (!told.insert({entry.rank, device}).second) continue;
      const DeviceModel model = modelOf(entry, device);
      const auto [at, fresh] = models.try_emplace(Key(model.name, model.totalMemoryBytes, model.computeMajor,
                                                      model.computeMinor, model.multiprocessors),
                                                  model);
      if (!fresh) ++at->second.count;
    }
  }
  JobDevices devices;
  devices.hosts = hosts.size();
  for (const auto& [key, model] : models) devices.models.push_back(model);
  std::ranges::stable_sort(devices.models, std::greater<>(), &DeviceModel::count);
  return devices;
}

std::string jobDevicesText(const JobDevices& devices) {
  std::string text;
  for (const DeviceModel& model : devices.models) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{} × {}", model.count, model.name.empty() ? "GPU" : model.name);
  }
  if (!text.empty() && devices.hosts > 0)
    text += fmt::format(" on {} {}", devices.hosts, devices.hosts == 1 ? "node" : "nodes");
  return text;
}

} // namespace rankscope
