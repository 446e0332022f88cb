// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/overview_tables.h"

#include "core/analysis/hardware/device_peaks.h"
#include "core/base/unit_text.h"
#include "core/base/whole_number.h"
#include "core/report/findings_table.h"
#include "core/report/gpu_means.h"
#include "core/report/job_totals.h"
#include "core/report/outlier_ranks.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace rankscope {

namespace {

const DeviceProperties* recordedProperties(const RankTrace& trace, int device) {
  const auto found = std::ranges::find(trace.metadata.devices, device, &DeviceProperties::id);
  return found == trace.metadata.devices.end() ? nullptr : &*found;
}

// Properties recorded by the profiler, else the device name of the rank's recording.
DeviceModel modelOf(const RankEntry& entry, int device) {
  const DeviceProperties* const known = recordedProperties(*entry.trace, device);
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

// A device that a recording used.
struct UsedDevice {
  RankIndex rank;
  int device = 0;
  DeviceModel model;
  std::optional<double> utilizationPct = {};
  std::optional<std::int64_t> peakReserved = {};
};

std::vector<UsedDevice> usedDevices(const Analysis& analysis) {
  std::vector<UsedDevice> all;
  for (const RankIndex rank : analysis.ranks()) {
    const RankEntry& entry = analysis.trace().rank(rank);
    const std::vector<DeviceMetrics>& metrics = analysis.gpuMetrics(rank).devices;
    for (const int device : entry.trace->devices) {
      UsedDevice used{.rank = rank, .device = device, .model = modelOf(entry, device)};
      const auto of = std::ranges::find(metrics, device, &DeviceMetrics::device);
      if (of != metrics.end()) used.utilizationPct = of->utilizationPct;
      used.peakReserved = peakReserved(analysis.memory(rank), device);
      all.push_back(std::move(used));
    }
  }
  return all;
}

using ModelKey = std::tuple<std::string, std::uint64_t, int, int, int>;

ModelKey keyOf(const DeviceModel& model) {
  return {model.name, model.totalMemoryBytes, model.computeMajor, model.computeMinor, model.multiprocessors};
}

// A device of a rank in all of its captures.
using DeviceCaptures = std::vector<const UsedDevice*>;

// By rank and device.
std::vector<DeviceCaptures> devicesOfRanks(const Analysis& analysis, const std::vector<UsedDevice>& used) {
  std::map<std::pair<int, int>, DeviceCaptures> all;
  for (const UsedDevice& of : used) all[{analysis.trace().rank(of.rank).rank, of.device}].push_back(&of);
  std::vector<DeviceCaptures> devices;
  devices.reserve(all.size());
  for (auto& [key, captures] : all) devices.push_back(std::move(captures));
  return devices;
}

std::optional<double> meanUtilizationPct(const DeviceCaptures& captures) {
  double sum = 0;
  double count = 0;
  for (const UsedDevice* const of : captures) {
    if (!of->utilizationPct) continue;
    sum += *of->utilizationPct;
    ++count;
  }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

// By index. Values are in thousandths of a percent, because outlierValues takes integers.
std::vector<bool> outlierDevices(const Analysis& analysis, const std::vector<DeviceCaptures>& devices) {
  std::vector<bool> outliers;
  std::vector<TimeNs> values;
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    outliers.push_back(std::ranges::any_of(devices[i], [&](const UsedDevice* of) {
      return analysis.stragglers().ranks[of->rank.value].straggler;
    }));
    const auto utilization = meanUtilizationPct(devices[i]);
    if (!utilization) continue;
    values.push_back(rounded(*utilization * 1000));
    positions.push_back(i);
  }
  for (const OutlierValue& value : outlierValues(values)) outliers[positions[value.index]] = true;
  return outliers;
}

enum class DeviceRow : std::uint8_t { Device, Group };

// A row of a device in all of its captures, or of alike devices: means, and the largest peak.
void addDevices(const Analysis& analysis, const DeviceCaptures& devices, DeviceRow row, ResultTable& table) {
  std::set<int> numbers;
  std::set<std::pair<int, int>> distinct; // rank and device: captures of a rank use the same ones
  std::set<std::string> hosts;
  std::optional<std::int64_t> reserved;
  std::vector<RankDevice> all;
  all.reserve(devices.size());
  for (const UsedDevice* device : devices) {
    all.push_back({device->rank, device->device});
    const RankEntry& entry = analysis.trace().rank(device->rank);
    numbers.insert(entry.rank);
    distinct.emplace(entry.rank, device->device);
    hosts.insert(entry.host);
    if (device->peakReserved) reserved = std::max(reserved.value_or(0), *device->peakReserved);
  }
  const std::string ranks = numberRangesText({numbers.begin(), numbers.end()});
  const std::string host = hosts.size() == 1 ? *hosts.begin() : std::string();
  const DeviceModel& model = devices.front()->model;
  const std::string capability = capabilityText(model);
  const GpuMeans means = gpuMeans(analysis, all);
  std::vector<Cell> cells;
  if (row == DeviceRow::Device)
    cells = {Cell(std::int64_t{*numbers.begin()}), textCell(host),
             Cell(std::int64_t{devices.front()->device})};
  else
    cells = {textCell(ranks), Cell(static_cast<std::int64_t>(distinct.size())), textCell(host)};
  for (const Cell& cell : {textCell(model.name), positive(model.totalMemoryBytes),
                           positive(static_cast<std::uint64_t>(model.multiprocessors)), textCell(capability),
                           cellOf(means.utilizationPct), cellOf(means.smEfficiencyPct),
                           cellOf(means.occupancyPct), cellOf(reserved)})
    cells.push_back(cell);
  table.addRow(cells);
}

} // namespace

ResultTable costsTable(const JobReport& report, std::span<const AcceptedFinding> accepted) {
  ResultTable table("costs", {{"id", Unit::Identity},
                              {"severity", Unit::Text},
                              {"finding", Unit::Text},
                              {"where", Unit::Text},
                              {"gain_low_us", Unit::Nanoseconds},
                              {"gain_high_us", Unit::Nanoseconds},
                              {"share_pct", Unit::Percent},
                              {"cost_bytes", Unit::Bytes},
                              {"accepted", Unit::Text},
                              {"fix", Unit::Text}});
  const Analysis& analysis = report.analysis();
  std::int64_t id = 0;
  for (const Finding& finding : report.findings()) {
    ++id;
    if (!finding.gain && !finding.costBytes) continue;
    const std::string where = findingPlaceText(analysis, finding);
    const std::string title =
        titleWithoutCost(finding.title, finding.gain ? gainText(*finding.gain) : std::string());
    const std::string note = acceptanceText(report, finding, accepted);
    table.addRow({Cell(id), Cell(severityText(finding.severity)), textCell(title), textCell(where),
                  finding.gain ? Cell(finding.gain->low) : Cell(),
                  finding.gain ? Cell(finding.gain->high) : Cell(), cellOf(findingSharePct(report, finding)),
                  cellOf(finding.costBytes), textCell(note), textCell(finding.fix)});
  }
  return table;
}

ResultTable devicesTable(const Analysis& analysis) {
  ResultTable table("devices", {{"rank", Unit::Identity},
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
  const std::vector<UsedDevice> used = usedDevices(analysis);
  for (const DeviceCaptures& device : devicesOfRanks(analysis, used))
    addDevices(analysis, device, DeviceRow::Device, table);
  return table;
}

ResultTable deviceGroupsTable(const Analysis& analysis) {
  ResultTable table("device_groups", {{"ranks", Unit::Text},
                                      {"devices", Unit::Count},
                                      {"host", Unit::Text},
                                      {"name", Unit::Text},
                                      {"memory_bytes", Unit::Bytes},
                                      {"multiprocessors", Unit::Count},
                                      {"compute_capability", Unit::Text},
                                      {"utilization_pct", Unit::Percent},
                                      {"sm_efficiency_pct", Unit::Percent},
                                      {"occupancy_pct", Unit::Percent},
                                      {"peak_reserved_bytes", Unit::Bytes}});
  const std::vector<UsedDevice> used = usedDevices(analysis);
  std::vector<DeviceCaptures> devices = devicesOfRanks(analysis, used);
  const std::vector<bool> outliers = outlierDevices(analysis, devices);
  std::vector<DeviceCaptures> rows;
  std::map<ModelKey, DeviceCaptures> alike;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (outliers[i]) {
      rows.push_back(std::move(devices[i]));
      continue;
    }
    DeviceCaptures& same = alike[keyOf(devices[i].front()->model)];
    same.insert(same.end(), devices[i].begin(), devices[i].end());
  }
  const std::size_t ofOdd = rows.size();
  for (auto& [key, same] : alike) rows.push_back(std::move(same));
  std::stable_sort(rows.begin() + static_cast<std::ptrdiff_t>(ofOdd), rows.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  for (const DeviceCaptures& row : rows) addDevices(analysis, row, DeviceRow::Group, table);
  return table;
}

JobDevices jobDevices(const Analysis& analysis) {
  std::map<ModelKey, DeviceModel> models;
  std::set<std::pair<int, int>> reported; // rank and device: all captures of a rank use the same devices
  std::set<std::string> hosts;
  for (const RankIndex rank : analysis.ranks()) {
    const RankEntry& entry = analysis.trace().rank(rank);
    for (const int device : entry.trace->devices) {
      if (!entry.host.empty()) hosts.insert(entry.host);
      if (!reported.insert({entry.rank, device}).second) continue;
      const DeviceModel model = modelOf(entry, device);
      const auto [at, fresh] = models.try_emplace(keyOf(model), model);
      if (!fresh) ++at->second.count;
    }
  }
  JobDevices devices;
  devices.hosts = hosts.size();
  for (const auto& [key, model] : models) devices.models.push_back(model);
  std::ranges::stable_sort(devices.models, std::greater<>(), &DeviceModel::count);
  return devices;
}

namespace {

// Where no name was recorded, that of the device that has these properties, as the peaks of Efficiency have
// it.
std::string shownModelName(const DeviceModel& model) {
  if (!model.name.empty()) return model.name;
  DeviceProperties properties;
  properties.totalMemoryBytes = model.totalMemoryBytes;
  properties.computeMajor = model.computeMajor;
  properties.computeMinor = model.computeMinor;
  properties.multiprocessors = model.multiprocessors;
  const std::optional<DevicePeaks> known = devicePeaks(properties);
  return known ? std::string(known->name) + " (by its SMs and memory)" : "GPU";
}

} // namespace

std::string jobDevicesText(const JobDevices& devices) {
  std::string text;
  for (const DeviceModel& model : devices.models) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{} × {}", model.count, shownModelName(model));
  }
  if (!text.empty() && devices.hosts > 0)
    text += fmt::format(" on {} {}", devices.hosts, devices.hosts == 1 ? "host" : "hosts");
  return text;
}

} // namespace rankscope
