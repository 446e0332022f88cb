// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/compare/side_rows.h"

#include "core/analysis/activity/host_compute.h"
#include "core/analysis/activity/owned_time.h"
#include "core/analysis/classify/normal_name.h"
#include "core/analysis/compare/side_collectives.h"
#include "core/analysis/steps/phase_spans.h"
#include "core/base/hash.h"
#include "core/base/statistics.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace rankscope {

namespace {

// So many steps are remembered for each row; of more, rows have means only.
constexpr std::size_t kMaxSamples = 512;

// The shapes of so many calls are read again from the file; of more, rows are by name.
constexpr std::size_t kMaxShapes = 200'000;

// Texts as small numbers; names of a recording are normalized once each.
class Texts {
 public:
  std::uint32_t of(std::string text) {
    const auto [at, isNew] = m_ids.try_emplace(std::move(text), static_cast<std::uint32_t>(m_texts.size()));
    if (isNew) m_texts.push_back(&at->first);
    return at->second;
  }
  template <class Normalize>
  std::uint32_t of(NameId name, const StringTable& names, std::vector<std::uint32_t>& known,
                   Normalize&& normalize) {
    if (!name.valid()) return of(std::string());
    if (known.empty()) known.assign(names.size(), kUnknown);
    std::uint32_t& id = known[name.value];
    if (id == kUnknown) id = of(normalize(names[name]));
    return id;
  }
  [[nodiscard]] const std::string& text(std::uint32_t id) const { return *m_texts[id]; }

 private:
  static constexpr std::uint32_t kUnknown = 0xffffffffu;
  std::unordered_map<std::string, std::uint32_t> m_ids; // nodes do not move
  std::vector<const std::string*> m_texts;
};

// A module's path with the ordinal of each module among its siblings of one class, by first call, in place of
// the number that the profiler gave the instance: a layer more elsewhere does not rename it.
class ModulePaths {
 public:
  std::string normal(std::string_view path) {
    constexpr std::string_view kBetween = " / ";
    std::string raw;
    std::string result;
    for (std::size_t at = 0; at <= path.size();) {
      const std::size_t end = std::min(path.find(kBetween, at), path.size());
      const std::string_view part = path.substr(at, end - at);
      raw += kBetween;
      raw += part;
      const auto known = m_known.find(raw);
      if (known != m_known.end()) {
        result = known->second;
      } else {
        const std::string_view type = classOf(part);
        if (!result.empty()) result += kBetween;
        result += type;
        result += fmt::format("_{}", m_siblings[result]++);
        m_known.emplace(raw, result);
      }
      at = end + kBetween.size();
    }
    return result;
  }

 private:
  static std::string_view classOf(std::string_view part) {
    std::size_t end = part.size();
    while (end > 0 && part[end - 1] >= '0' && part[end - 1] <= '9') --end;
    return end > 1 && end < part.size() && part[end - 1] == '_' ? part.substr(0, end - 1) : part;
  }

  std::map<std::string, std::string, std::less<>> m_known; // by recorded path
  std::map<std::string, int> m_siblings;                   // by path and class
};

constexpr std::array<std::string_view, 4> kPhases = {"other", "forward", "backward", "optimizer"};

// In kPhases.
std::uint32_t phaseNumber(Phase phase) {
  if (phase == Phase::Forward || phase == Phase::Loss) return 1;
  if (phase == Phase::Backward) return 2;
  return phase == Phase::Optimizer ? 3 : 0;
}

// The phase of each operator call on its own thread.
class CallPhases {
 public:
  CallPhases(const RankTrace& trace, const StringTable& names) : m_parts(trace.tracks.size()) {
    forEachThreadsPhases(trace, names, [&](const ThreadPhases& thread) {
      for (std::size_t t = thread.firstTrack; t < thread.endTrack; ++t)
        m_parts[t].assign(thread.parts.begin(), thread.parts.end());
    });
  }
  [[nodiscard]] Phase at(std::size_t track, TimeNs t) const {
    const std::vector<PhaseSpan>& parts = m_parts[track];
    const auto next =
        std::ranges::upper_bound(parts, t, {}, [](const PhaseSpan& part) { return part.range.begin; });
    if (next == parts.begin() || !(next - 1)->range.contains(t)) return Phase::None;
    return (next - 1)->phase;
  }

 private:
  std::vector<std::vector<PhaseSpan>> m_parts; // by track
};

// Module, name and phase; and shapes.
struct RowKey {
  std::uint64_t place = 0;
  std::uint32_t shapes = 0;
  bool operator==(const RowKey&) const = default;
};

struct RowKeyHash {
  std::size_t operator()(const RowKey& key) const { return hashOf(key.place, key.shapes); }
};

class RowCollector {
 public:
  RowCollector(const Analysis& analysis, RankIndex rank, std::span<const RowWindow> windows,
               std::size_t keptSamples)
      : m_analysis(analysis), m_rank(rank), m_trace(*analysis.trace().rank(rank).trace),
        m_names(analysis.trace().names()), m_windows(windows), m_samples(keptSamples) {
    m_rows.rank = analysis.trace().rank(rank).rank;
    m_rows.keptSteps = static_cast<double>(windows.size());
    m_rows.deviceTime.assign(keptSamples, 0);
    m_rows.unlaunched.assign(keptSamples, 0);
    m_noText = m_texts.of(std::string());
  }

  SideRows take() {
    if (m_windows.empty()) return std::move(m_rows);
    readShapes();
    addOperators();
    addDeviceEvents();
    addOwned();
    addCollectives();
    addModules();
    return std::move(m_rows);
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffu;

  // Of the operators that launched what runs in the steps.
  void readShapes() {
    const OperatorTree& tree = m_analysis.operatorTree(m_rank);
    std::vector<EventIndex> calls;
    for (EventIndex event = m_trace.deviceBegin; event < m_trace.deviceEnd; ++event.value) {
      const EventIndex owner = tree.owners[event.value - m_trace.deviceBegin.value];
      if (owner.valid() && windowAt(m_windows, m_trace.events.begin[event]) != nullptr)
        calls.push_back(owner);
    }
    std::ranges::sort(calls);
    calls.erase(std::unique(calls.begin(), calls.end()), calls.end());
    if (calls.empty() || calls.size() > kMaxShapes) return;
    const Column<SourceRef>& sourceOf = m_trace.events.source;
    std::ranges::sort(calls, {}, [&](EventIndex call) { return sourceOf[call]; });
    std::vector<SourceRef> sources(calls.size());
    std::ranges::transform(calls, sources.begin(), [&](EventIndex call) { return sourceOf[call]; });
    const auto take = [&](std::size_t i, std::string_view text) {
      if (m_shapeOf.empty()) m_shapeOf.assign(tree.enclosing.size(), m_noText);
      m_shapeOf[calls[i].value] = m_texts.of(std::string(text));
    };
    const auto& details = m_analysis.trace().rank(m_rank).details;
    if (details->arguments(sources, EventArgument::InputShapes, take))
      return; // the file is not there any more
    m_rows.shapes = m_shapeOf.empty() ? Recorded::No : Recorded::Yes;
  }

  void addOperators() {
    const OperatorTree& tree = m_analysis.operatorTree(m_rank);
    m_operatorOf.assign(tree.enclosing.size(), kNone);
    const CallPhases phases(m_trace, m_names);
    OperatorGroups modules;
    std::vector<std::uint32_t> moduleOf; // by group
    if (hasPythonFrames(m_trace)) {
      modules =
          groupByNameAndPython(m_trace, tree, m_analysis.callTree(m_rank), m_names, PythonDetail::Module);
      ModulePaths paths;
      moduleOf.reserve(modules.groups.size());
      for (const OperatorGroups::Group& group : modules.groups)
        moduleOf.push_back(m_texts.of(group.detail.empty() ? std::string() : paths.normal(group.detail)));
    }
    std::size_t track = 0;
    forEachOperator(m_trace, m_names, [&](EventIndex call) {
      while (call >= m_trace.tracks[track].endEvent) ++track;
      const TimeNs begin = m_trace.events.begin[call];
      const RowWindow* const window = windowAt(m_windows, begin);
      const std::uint32_t module = moduleOf.empty() || modules.groupOf[call.value] == OperatorGroups::kNone
                                       ? m_noText
                                       : moduleOf[modules.groupOf[call.value]];
      // Also of calls outside: what they launched may run inside.
      const std::uint32_t row = operatorRow(call, phases.at(track, begin), module);
      m_operatorOf[call.value] = row;
      addCall(tree, call, row, window);
    });
  }

  std::uint32_t operatorRow(EventIndex call, Phase phase, std::uint32_t module) {
    const std::uint32_t name =
        m_texts.of(m_trace.events.name[call], m_names, m_operatorNames, normalOperatorName);
    return rowOf(name, phaseNumber(phase), module, m_shapeOf.empty() ? m_noText : m_shapeOf[call.value]);
  }

  // phase: in kPhases.
  std::uint32_t rowOf(std::uint32_t name, std::uint32_t phase, std::uint32_t module, std::uint32_t shapes) {
    const RowKey key{(std::uint64_t{module} << 34) | (std::uint64_t{name} << 2) | phase, shapes};
    const auto [at, isNew] =
        m_operatorRows.try_emplace(key, static_cast<std::uint32_t>(m_rows.operators.size()));
    if (isNew) {
      SideOperator& row = m_rows.operators.emplace_back();
      row.name = m_texts.text(name);
      row.phase = kPhases[phase];
      row.module = m_texts.text(module);
      row.shapes = m_texts.text(shapes);
      m_rowNames.push_back(name);
    }
    return at->second;
  }

  void addCall(const OperatorTree& tree, EventIndex call, std::uint32_t row, const RowWindow* window) {
    const auto duration = static_cast<double>(m_trace.events.duration[call]);
    const EventIndex outer = tree.enclosingOf(call);
    if (outer.valid() && m_operatorOf[outer.value] != kNone) {
      if (const RowWindow* const around = windowAt(m_windows, m_trace.events.begin[outer]))
        m_rows.operators[m_operatorOf[outer.value]].hostSelf -= around->weight * duration;
    }
    if (window == nullptr) return;
    SideOperator& sum = m_rows.operators[row];
    sum.calls += window->weight;
    sum.hostSelf += window->weight * duration;
  }

  // The operator that launched a device event.
  std::uint32_t ownerRow(EventIndex event) {
    const EventIndex owner = m_analysis.operatorTree(m_rank).owners[event.value - m_trace.deviceBegin.value];
    if (owner.valid() && m_operatorOf[owner.value] != kNone) return m_operatorOf[owner.value];
    return rowOf(m_noText, 0, m_noText, m_noText);
  }

  std::uint32_t kernelRow(EventIndex event) {
    const std::uint32_t name =
        m_texts.of(m_trace.events.name[event], m_names, m_kernelNames, normalKernelName);
    const std::uint32_t owner = m_rowNames[ownerRow(event)];
    const auto [at, isNew] = m_kernelRows.try_emplace((std::uint64_t{owner} << 32) | name,
                                                      static_cast<std::uint32_t>(m_rows.kernels.size()));
    if (isNew) {
      SideKernel& row = m_rows.kernels.emplace_back();
      row.name = m_texts.text(name);
      row.operatorName = m_texts.text(owner);
      row.computes = m_trace.events.kind[event] == EventKind::Kernel;
      if (m_samples <= kMaxSamples) {
        row.callsBySample.assign(m_samples, 0);
        row.timeBySample.assign(m_samples, 0);
      }
    }
    return at->second;
  }

  void addDeviceEvents() {
    const bool knowsLaunches = !m_trace.byLaunch.span().empty();
    for (EventIndex event = m_trace.deviceBegin; event < m_trace.deviceEnd; ++event.value) {
      const RowWindow* const window = windowAt(m_windows, m_trace.events.begin[event]);
      if (window == nullptr) continue;
      ++m_rows.deviceEvents;
      const auto duration = static_cast<double>(m_trace.events.duration[event]);
      m_rows.operators[ownerRow(event)].device += window->weight * duration;
      SideKernel& kernel = m_rows.kernels[kernelRow(event)];
      kernel.calls += window->weight;
      kernel.time += window->weight * duration;
      if (!kernel.timeBySample.empty()) {
        kernel.callsBySample[window->sample] += window->sampleWeight;
        kernel.timeBySample[window->sample] += window->sampleWeight * duration;
      }
      m_rows.deviceTime[window->sample] += duration;
      if (knowsLaunches && !m_trace.deviceDetail(event).launch.valid())
        m_rows.unlaunched[window->sample] += duration;
    }
  }

  void addOwned() {
    if (m_trace.hasDeviceEvents()) {
      addOwned(ownedTimes(m_trace).compute, [this](EventIndex kernel, double time) {
        m_rows.kernels[kernelRow(kernel)].owned += time;
        return ownerRow(kernel);
      });
      return;
    }
    addOwned(ownedHostTimes(m_trace, m_names), [this](EventIndex call, double /*time*/) {
      const std::uint32_t row = m_operatorOf[call.value];
      return row != kNone ? row : rowOf(m_noText, 0, m_noText, m_noText);
    });
  }

  // rowOf(event, time): the operators' row that gets the weighted time of the event.
  template <class RowOf> void addOwned(const std::vector<OwnedTime>& times, RowOf&& rowOf) {
    std::size_t first = 0; // window that may still have something of what comes
    for (const OwnedTime& owned : times) {
      while (first < m_windows.size() && m_windows[first].range.end <= owned.range.begin) ++first;
      for (std::size_t i = first; i < m_windows.size() && m_windows[i].range.begin < owned.range.end; ++i) {
        const RowWindow& window = m_windows[i];
        const auto time = static_cast<double>(owned.range.clippedTo(window.range).length());
        SideOperator& row = m_rows.operators[rowOf(owned.event, window.weight * time)];
        row.owned += window.weight * time;
        if (m_samples > kMaxSamples) continue;
        if (row.ownedBySample.empty()) row.ownedBySample.assign(m_samples, 0);
        row.ownedBySample[window.sample] += window.sampleWeight * time;
      }
    }
  }

  void addCollectives() {
    RankCollectives collectives = rankCollectives(m_analysis, m_rank, m_windows);
    m_rows.collectives = std::move(collectives.rows);
    m_rows.waited = collectives.waited;
  }

  void addModules() {
    std::map<std::string_view, SideModule> sums;
    for (const SideOperator& row : m_rows.operators) {
      SideModule& sum = sums[row.module];
      sum.calls += row.calls;
      sum.host += row.hostSelf;
      sum.device += row.device;
      sum.owned += row.owned;
    }
    for (auto& [path, sum] : sums) {
      sum.path = path;
      m_rows.modules.push_back(std::move(sum));
    }
  }

  const Analysis& m_analysis;
  RankIndex m_rank;
  const RankTrace& m_trace;
  const StringTable& m_names;
  std::span<const RowWindow> m_windows;
  std::size_t m_samples;
  SideRows m_rows;
  Texts m_texts;
  std::vector<std::uint32_t> m_operatorNames; // by NameId
  std::vector<std::uint32_t> m_kernelNames;
  std::vector<std::uint32_t> m_operatorOf; // row, by host event
  std::unordered_map<RowKey, std::uint32_t, RowKeyHash> m_operatorRows;
  std::vector<std::uint32_t> m_shapeOf;  // text, by host event; empty: no shapes
  std::vector<std::uint32_t> m_rowNames; // text, by operator row
  std::uint32_t m_noText = 0;
  std::unordered_map<std::uint64_t, std::uint32_t> m_kernelRows;
};

void addTo(SideOperator& sum, const SideOperator& row) {
  sum.calls += row.calls;
  sum.hostSelf += row.hostSelf;
  sum.device += row.device;
  sum.owned += row.owned;
  addValues(sum.ownedBySample, row.ownedBySample);
}

void addTo(SideKernel& sum, const SideKernel& row) {
  sum.calls += row.calls;
  sum.time += row.time;
  sum.owned += row.owned;
  addValues(sum.callsBySample, row.callsBySample);
  addValues(sum.timeBySample, row.timeBySample);
}

void addTo(SideCollective& sum, const SideCollective& row) {
  addCollective(sum, row, 1);
}

void addTo(SideModule& sum, const SideModule& row) {
  sum.calls += row.calls;
  sum.host += row.host;
  sum.device += row.device;
  sum.owned += row.owned;
}

// Rows of equal keys become one, in the order of their first.
template <class Row, class KeyOf>
std::vector<Row> joinedRows(std::span<const SideRows> ranks, std::vector<Row> SideRows::*rowsOf,
                            KeyOf&& keyOf) {
  std::vector<Row> joined;
  std::map<decltype(keyOf(std::declval<const Row&>())), std::size_t> places;
  for (const SideRows& rank : ranks) {
    for (const Row& row : rank.*rowsOf) {
      const auto [at, isNew] = places.try_emplace(keyOf(row), joined.size());
      if (isNew)
        joined.push_back(row);
      else
        addTo(joined[at->second], row);
    }
  }
  return joined;
}

bool isEmpty(const SideOperator& row) {
  return row.calls == 0 && row.hostSelf == 0 && row.device == 0 && row.owned == 0;
}

} // namespace

SideRows sideRows(const Analysis& analysis, RankIndex rank, std::span<const RowWindow> windows,
                  std::size_t keptSamples) {
  return RowCollector(analysis, rank, windows, keptSamples).take();
}

void addRows(SideFacts& side, std::span<const SideRows> ranks) {
  side.operators = joinedRows(ranks, &SideRows::operators, [](const SideOperator& row) {
    return std::tuple(row.name, row.shapes, row.phase, row.module);
  });
  std::erase_if(side.operators, isEmpty);
  side.kernels = joinedRows(ranks, &SideRows::kernels,
                            [](const SideKernel& row) { return std::tuple(row.operatorName, row.name); });
  side.modules = joinedRows(ranks, &SideRows::modules, [](const SideModule& row) { return row.path; });
  side.collectives = joinedRows(ranks, &SideRows::collectives, [](const SideCollective& row) {
    return std::tuple(row.group, row.operation, row.bytes);
  });
  std::map<int, std::pair<double, double>> waits; // and kept steps
  std::vector<double> device;
  std::vector<double> unlaunched;
  for (const SideRows& rank : ranks) {
    side.identity.shapes = std::max(side.identity.shapes, rank.shapes);
    waits[rank.rank].first += rank.waited;
    waits[rank.rank].second += rank.keptSteps;
    addValues(device, rank.deviceTime);
    addValues(unlaunched, rank.unlaunched);
    side.identity.deviceEvents += rank.deviceEvents;
  }
  for (SideRank& row : side.ranks) {
    const auto& [wait, steps] = waits[row.rank];
    row.wait = side.isTotal || steps == 0 ? wait : wait / steps;
  }
  for (SideSample& sample : side.samples) {
    if (sample.position == 0 || sample.position > device.size()) continue;
    const std::size_t at = sample.position - 1;
    if (device[at] > 0) sample.launchedBefore = unlaunched[at] / device[at];
  }
}

} // namespace rankscope
