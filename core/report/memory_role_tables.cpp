// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/memory_role_tables.h"

#include "core/analysis/classify/kernel_dtype.h"
#include "core/analysis/collectives/group_names.h"
#include "core/analysis/memory/snapshot_roles.h"
#include "core/base/exact_sum.h"
#include "core/base/unit_text.h"
#include "core/report/job_report.h"
#include "core/report/side_results.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

namespace rankscope {

namespace {

std::size_t indexOf(MemoryRole role) {
  return static_cast<std::size_t>(role);
}

std::int64_t sumOf(const RoleBytes& bytes) {
  ExactSum sum;
  for (const std::int64_t one : bytes) sum += one;
  return sum;
}

// Moves an estimated part of what was there before to a role of its own.
void addEstimate(std::vector<RoleRow>& rows, RoleRow& before, MemoryRole role, std::int64_t bytes) {
  if (bytes <= 0) return;
  const auto part = [&](std::int64_t& of) {
    const std::int64_t taken = std::min(of, bytes);
    of -= taken;
    return taken;
  };
  rows.push_back({role, RoleConfidence::Low, part(before.atPeak), part(before.largest), part(before.mean),
                  part(before.end), part(before.atTime)});
}

constexpr std::int64_t kMostShards = 1'000'000;

// Ranks of the named group of a dimension that a rank is in, as its own file lists them; 0: none. Files of
// other ranks are not asked, so that a rank says the same alone.
int groupSizeOf(const RankEntry& entry, RankDimension dimension) {
  std::int64_t most = 0;
  for (const ProcessGroup& group : entry.trace->metadata.processGroups) {
    if (dimensionOfGroupName(group.description) != dimension) continue;
    const bool member = group.ranks.empty() || group.ranks.contains(entry.rank);
    if (member) most = std::max(most, group.size.value_or(static_cast<std::int64_t>(group.ranks.size())));
  }
  return static_cast<int>(std::clamp<std::int64_t>(most, 0, kMostShards));
}

// How the model is divided over ranks, as far as the names of groups say it.
void addDivision(const RankEntry& entry, std::int64_t worldSize, bool sharded, MeasuredMemory& measured) {
  measured.tensorParallel = std::max(1, groupSizeOf(entry, RankDimension::Tensor));
  measured.pipelineParallel = std::max(1, groupSizeOf(entry, RankDimension::Pipeline));
  if (!sharded) return;
  const int named = groupSizeOf(entry, RankDimension::Sharded);
  const std::int64_t others = std::int64_t{measured.tensorParallel} * measured.pipelineParallel;
  measured.shards =
      named > 0 ? named : static_cast<int>(std::clamp<std::int64_t>(worldSize / others, 1, kMostShards));
}

MeasuredMemory measuredOf(const DeviceRoles& device, const MemoryRoles& roles) {
  MeasuredMemory measured;
  const auto largest = [&](MemoryRole role) { return device.largest[indexOf(role)]; };
  if (device.parametersBefore > 0) {
    measured.weights = device.parametersBefore;
    measured.weightsAreEstimate = true;
  }
  if (device.gradientsAfterBackward > 0) {
    measured.gradients = std::int64_t{ExactSum(device.gradientsAfterBackward) += device.bucketCopies};
    measured.bucketCopies = device.bucketCopies;
  }
  measured.gradientsBefore = device.gradientsBefore;
  if (largest(MemoryRole::OptimizerState) > 0) {
    measured.optimizer = largest(MemoryRole::OptimizerState);
  } else if (device.optimizerBefore > 0) {
    measured.optimizer = device.optimizerBefore;
    measured.optimizerIsEstimate = true;
  }
  if (largest(MemoryRole::Activation) > 0) measured.activations = largest(MemoryRole::Activation);
  ExactSum other;
  for (const RoleRow& row : roleRows(device)) {
    const bool named = row.role == MemoryRole::Parameter || row.role == MemoryRole::Gradient ||
                       row.role == MemoryRole::OptimizerState || row.role == MemoryRole::Activation;
    if (!named) other += row.atPeak;
  }
  measured.other = other;
  measured.optimizerName = roles.optimizer;
  measured.ddp = roles.ddp;
  measured.peak = sumOf(device.atPeak);
  return measured;
}

// Operators, and nothing of a backward pass or an optimizer.
bool infers(const RankTrace& trace, const MemoryRoles& roles, const MeasuredMemory& measured) {
  if (!roles.backwards.empty() || !roles.optimizer.empty() || roles.ddp) return false;
  if (measured.gradients || measured.gradientsBefore || measured.optimizer) return false;
  return std::ranges::find(trace.events.kind.span(), EventKind::CpuOp) != trace.events.kind.span().end();
}

bool hasFusedAttention(const Analysis& analysis, RankIndex rank) {
  return std::ranges::any_of(analysis.kernels(rank), [&](const KernelStatistics& kernel) {
    return kernel.name.valid() && kernelDtype(analysis.trace().names()[kernel.name]).fusedAttention;
  });
}

// "AdamW" of "Optimizer.step#AdamW.step"; empty if there is none.
std::string optimizerOf(const MemorySnapshot& snapshot, const SnapshotDevice& device) {
  constexpr std::string_view kStep = "Optimizer.step#";
  for (const SnapshotAnnotation& annotation : device.annotations) {
    const std::string_view name = snapshot.stacks.text(annotation.name);
    if (!name.starts_with(kStep)) continue;
    const std::string_view rest = name.substr(kStep.size());
    return std::string(rest.substr(0, rest.find('.')));
  }
  return {};
}

bool hasDdp(const MemorySnapshot& snapshot, const SnapshotDevice& device) {
  return std::ranges::any_of(device.annotations, [&](const SnapshotAnnotation& annotation) {
    return snapshot.stacks.text(annotation.name).starts_with("DistributedDataParallel.");
  });
}

MeasuredMemory measuredOf(const SnapshotResults& result, const DeviceReplay& replay) {
  const SnapshotRoleBytes bytes = snapshotRoleBytes(result.snapshot->stacks, replay);
  const auto largest = [&](MemoryRole role) { return bytes.largest[indexOf(role)]; };
  const auto known = [&](MemoryRole role) {
    return largest(role) > 0 ? std::optional(largest(role)) : std::nullopt;
  };
  MeasuredMemory measured;
  if (bytes.gradients > 0) measured.gradients = bytes.gradients;
  measured.optimizer = known(MemoryRole::OptimizerState);
  measured.activations = known(MemoryRole::Activation);
  measured.weights = known(MemoryRole::Parameter);
  const std::int64_t before = largest(MemoryRole::BeforeRecording);
  std::int64_t taken = 0; // of what was there before
  if (!measured.weights && before > 0 && measured.gradients) {
    taken = std::min(before, *measured.gradients);
    measured.weights = taken;
    measured.weightsAreEstimate = true;
  }
  ExactSum other(-taken);
  for (std::size_t r = 0; r < kMemoryRoleCount; ++r) {
    const auto role = static_cast<MemoryRole>(r);
    const bool named = role == MemoryRole::Parameter || role == MemoryRole::Gradient ||
                       role == MemoryRole::OptimizerState || role == MemoryRole::Activation;
    if (!named) other += bytes.atPeak[r];
  }
  measured.other = std::max<std::int64_t>(other, 0);
  measured.peak = sumOf(bytes.atPeak);
  measured.optimizerName = optimizerOf(*result.snapshot, *replay.device);
  measured.ddp = hasDdp(*result.snapshot, *replay.device);
  return measured;
}

// A snapshot stands for a rank whose recording does not tell: of several the one with the highest peak.
std::map<int, std::pair<const SnapshotResults*, const DeviceReplay*>>
snapshotsByRank(const SideResults& side, const std::set<int>& known) {
  constexpr int kNoRank = -1;
  std::map<int, std::pair<const SnapshotResults*, const DeviceReplay*>> found;
  for (const SnapshotResults& result : side.snapshots) {
    const int rank = result.snapshot->rank.value_or(kNoRank);
    if (known.contains(rank) || (rank == kNoRank && !known.empty())) continue;
    for (const DeviceReplay& replay : result.devices) {
      if (replay.last() < 0) continue;
      auto& best = found[rank];
      if (best.second == nullptr || replay.peakActive.bytes > best.second->peakActive.bytes)
        best = {&result, &replay};
    }
  }
  return found;
}

// As what takes memory in a sentence.
std::string_view subjectOf(MemoryRole role) {
  switch (role) {
  case MemoryRole::BeforeRecording:
    return "memory allocated before the recording";
  case MemoryRole::BackwardOrNative:
    return "memory of the backward pass or native code";
  case MemoryRole::Other:
    return "other memory";
  case MemoryRole::Unknown:
    return "memory of unknown use";
  default:
    return memoryRoleText(role);
  }
}

ModelShape shapeOf(const ModelSettings& model) {
  return {model.parameters, model.layers, model.hidden, model.sequence, model.heads, model.vocabulary};
}

} // namespace

std::vector<RoleRow> roleRows(const DeviceRoles& device, std::optional<TimeNs> time) {
  const RoleBytes atTime = time ? device.at(*time) : RoleBytes{};
  std::vector<RoleRow> rows;
  RoleRow before;
  for (std::size_t r = 0; r < kMemoryRoleCount; ++r) {
    const RoleRow row{static_cast<MemoryRole>(r),
                      device.confidence[r],
                      device.atPeak[r],
                      device.largest[r],
                      device.mean[r],
                      device.end[r],
                      atTime[r]};
    if (row.role == MemoryRole::BeforeRecording)
      before = row;
    else if (row.largest > 0)
      rows.push_back(row);
  }
  if (before.largest > 0) {
    addEstimate(rows, before, MemoryRole::Parameter, device.parametersBefore);
    addEstimate(rows, before, MemoryRole::OptimizerState, device.optimizerBefore);
    if (before.largest > 0) rows.push_back(before);
  }
  std::ranges::stable_sort(rows, [](const RoleRow& a, const RoleRow& b) { return a.atPeak > b.atPeak; });
  return rows;
}

std::string largestRoleSentence(const DeviceRoles& device) {
  const std::vector<RoleRow> rows = roleRows(device);
  const std::int64_t sum = sumOf(device.atPeak);
  if (rows.empty() || sum <= 0) return {};
  const RoleRow& first = rows.front();
  const double share = 100.0 * static_cast<double>(first.atPeak) / static_cast<double>(sum);
  const std::string_view subject = subjectOf(first.role);
  return fmt::format("At the peak of {}, {}{} {} most: {} ({}).", bytesText(sum), subject,
                     first.confidence == RoleConfidence::Low ? " (estimate)" : "",
                     subject.ends_with('s') ? "take" : "takes", bytesText(first.atPeak), percentText(share));
}

std::vector<std::string> roleNotes(const DeviceRoles& device) {
  std::vector<std::string> notes;
  if (device.gradientsBefore)
    notes.emplace_back(
        "Gradients were accumulated but not allocated: they are within what was allocated before the "
        "recording, as with the buckets of DDP.");
  if (device.blocksWithoutFree > 0)
    notes.push_back(fmt::format("Of {} block{}, {}, the free was not recorded: here {} until the address is "
                                "allocated again; the curve "
                                "of allocated memory counts {} to its end.",
                                groupedText(device.blocksWithoutFree),
                                device.blocksWithoutFree == 1 ? "" : "s", bytesText(device.bytesWithoutFree),
                                device.blocksWithoutFree == 1 ? "it lives" : "they live",
                                device.blocksWithoutFree == 1 ? "it" : "them"));
  if (device.parametersBefore > 0)
    notes.emplace_back("Parameters are an estimate: as large as the gradients.");
  if (device.optimizerBefore > 0)
    notes.emplace_back("Optimizer state is an estimate, by the optimizer's name.");
  return notes;
}

const DeviceRoles* mainDevice(const MemoryRoles& roles) {
  const DeviceRoles* best = nullptr;
  for (const DeviceRoles& device : roles.devices) {
    if (best == nullptr || (best->device.onHost && !device.device.onHost) ||
        (best->device.onHost == device.device.onHost && sumOf(device.atPeak) > sumOf(best->atPeak)))
      best = &device;
  }
  return best;
}

std::optional<ExpectedMemory> expectedOf(const JobReport& report, RankIndex rank,
                                         const EfficiencySettings& settings) {
  const MemoryRoles& roles = report.memoryRoles()[rank.value];
  const DeviceRoles* const device = mainDevice(roles);
  if (device == nullptr) return std::nullopt;
  const TraceSet& trace = report.analysis().trace();
  MeasuredMemory measured = measuredOf(*device, roles);
  addDivision(trace.rank(rank), trace.worldSize().value_or(1), roles.sharded, measured);
  measured.trains = !infers(*trace.rank(rank).trace, roles, measured);
  measured.fusedAttention = hasFusedAttention(report.analysis(), rank);
  return expectedMemory(measured, shapeOf(settings.model), settings.memory);
}

ExpectedMemory expectedOf(const SnapshotResults& result, const DeviceReplay& replay,
                          const EfficiencySettings& settings) {
  return expectedMemory(measuredOf(result, replay), shapeOf(settings.model), settings.memory);
}

ResultTable memoryRolesTable(const JobReport& report) {
  ResultTable table("memory_roles", {{"rank", Unit::Identity},
                                     {"capture", Unit::Identity},
                                     {"device", Unit::Text},
                                     {"role", Unit::Text},
                                     {"confidence", Unit::Text},
                                     {"at_peak_bytes", Unit::Bytes},
                                     {"largest_bytes", Unit::Bytes},
                                     {"mean_bytes", Unit::Bytes},
                                     {"end_bytes", Unit::Bytes}});
  const Analysis& analysis = report.analysis();
  for (const RankIndex rank : analysis.ranks()) {
    const RankEntry& entry = analysis.trace().rank(rank);
    for (const DeviceRoles& device : report.memoryRoles()[rank.value].devices) {
      const std::string name = device.device.name();
      for (const RoleRow& row : roleRows(device)) {
        table.addRow({Cell(std::int64_t{entry.rank}), Cell(std::int64_t{entry.capture}),
                      Cell(std::string_view(name)), Cell(memoryRoleId(row.role)),
                      Cell(confidenceId(row.confidence)), Cell(row.atPeak), Cell(row.largest), Cell(row.mean),
                      Cell(row.end)});
      }
    }
  }
  return table;
}

ResultTable memoryExpectedTable(const JobReport& report) {
  ResultTable table("memory_expected", {{"rank", Unit::Identity},
                                        {"capture", Unit::Identity},
                                        {"item", Unit::Text},
                                        {"measured_bytes", Unit::Bytes},
                                        {"expected_bytes", Unit::Bytes},
                                        {"ratio", Unit::Ratio},
                                        {"formula", Unit::Text},
                                        {"note", Unit::Text}});
  const auto add = [&](const Cell& rank, const Cell& capture, const ExpectedMemory& expected) {
    for (const ExpectedItem& item : expected.items)
      table.addRow({rank, capture, Cell(item.item), cellOf(item.measured), cellOf(item.expected),
                    cellOf(item.ratio()), textCell(item.formula), textCell(item.noteWithOptions())});
  };
  const Analysis& analysis = report.analysis();
  std::set<int> known;
  for (const RankIndex rank : analysis.ranks()) {
    const auto expected = expectedOf(report, rank, report.efficiencySettings());
    if (!expected) continue;
    const RankEntry& entry = analysis.trace().rank(rank);
    known.insert(entry.rank);
    add(Cell(std::int64_t{entry.rank}), Cell(std::int64_t{entry.capture}), *expected);
  }
  for (const auto& [rank, of] : snapshotsByRank(report.side(), known))
    add(rank >= 0 ? Cell(std::int64_t{rank}) : Cell(), Cell(),
        expectedOf(*of.first, *of.second, report.efficiencySettings()));
  return table;
}

} // namespace rankscope
