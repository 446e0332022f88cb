// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/peers/oracle_table.h"
#include "tests/peers/peer_tb.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <set>
#include <unordered_set>

namespace rankscope::peers {

namespace {

// The largest integer of the plugin: what it has for "never".
constexpr double kForever = 9223372036854775807.0;

// What follows the sign in "ProfilerStep#12", as a number without leading zeros.
std::string stepName(std::string_view name) {
  name.remove_prefix(name.find('#') + 1);
  name = name.substr(0, name.find('#'));
  long long number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc() ? std::to_string(number) : std::string(name);
}

class StepParser {
 public:
  StepParser(const TbEvents& events, const TbNodes& nodes, const OurView& ours, TbRules rules)
      : m_events(events), m_nodes(nodes), m_ours(ours), m_rules(rules) {
    for (const auto& [id, collective] : nodes.collectives) m_collectiveIds.insert(id);
  }

  TbSteps parse() {
    for (const TbEvent& event : m_events.events) add(event);
    m_to.marked = !m_to.steps.empty();
    for (Ranges& role : m_to.roles) role = merged(std::move(role));
    m_to.deviceCommunication = merged(std::move(m_to.deviceCommunication));
    m_to.hostCompute = rangesOf(m_ours.host.compute);
    m_to.hostCommunication = rangesOf(m_ours.host.collectives);
    if (m_to.marked || m_rules.has(TbRule::OneStepOverOperators)) {
      if (!m_to.marked) addUnmarkedStep();
      extendByDeviceWork();
    } else {
      takeOurSteps();
    }
    return std::move(m_to);
  }

 private:
  void addTo(TbRole role, const TbEvent& event) {
    m_to.roles[static_cast<std::size_t>(role)].emplace_back(event.ts(), event.end());
  }

  void add(const TbEvent& event) {
    switch (event.type) {
    case TbType::Kernel:
      addTo(communicates(event) ? TbRole::Communication : TbRole::Kernel, event);
      if (communicates(event)) m_to.deviceCommunication.emplace_back(event.ts(), event.end());
      break;
    case TbType::Memcpy:
      addTo(TbRole::Memcpy, event);
      break;
    case TbType::Memset:
      addTo(TbRole::Memset, event);
      break;
    case TbType::Runtime:
      if (event.peer->category != "cuda_driver" || !m_rules.has(TbRule::DriverCallsUnknown))
        addTo(TbRole::Runtime, event);
      break;
    case TbType::ProfilerStep:
      addStep(event, stepName(event.name()));
      break;
    case TbType::Operator:
    case TbType::Annotation:
    case TbType::Python:
      addHost(event);
      break;
    default:
      break;
    }
    if (event.type == TbType::Python || event.type == TbType::Operator ||
        event.type == TbType::ProfilerStep) {
      m_hostMin = std::min(m_hostMin, event.ts());
      m_hostMax = std::max(m_hostMax, event.end());
    }
  }

  [[nodiscard]] bool communicates(const TbEvent& event) const {
    if (m_rules.has(TbRule::CommunicationByExternalId)) return m_collectiveIds.contains(event.externalId);
    return event.peer->kind == EventKind::Collective;
  }

  void addHost(const TbEvent& event) {
    if (event.name() == "ProfilerStep*" && !event.onDevice && !m_rules.has(TbRule::StarredStepsUnknown)) {
      addStep(event, std::to_string(Step::kUnknownNumber));
      return;
    }
    if (event.onDevice && !m_rules.has(TbRule::GpuAnnotationsAreHost)) return;
    if (event.type != TbType::Python && isDataLoader(event.name()))
      addTo(TbRole::DataLoader, event);
    else
      addTo(isCollectiveSpan(*event.peer, m_rules) ? TbRole::Communication : TbRole::CpuExec, event);
  }

  void addStep(const TbEvent& event, const std::string& name) {
    if (event.onDevice && !m_rules.has(TbRule::GpuAnnotationsAreSteps)) return;
    if (!m_rules.has(TbRule::StepOfEachThread)) {
      for (std::size_t i = 0; i < m_to.steps.size(); ++i) {
        Range& same = m_to.steps[i];
        if (m_to.names[i] != name || event.ts() >= same.second) continue;
        if (event.dur() > same.second - same.first) same = {event.ts(), event.end()};
        return;
      }
    }
    m_to.steps.emplace_back(event.ts(), event.end());
    m_to.names.push_back(name);
  }

  [[nodiscard]] Range rangeOf(TimeRange range) const {
    const double unit = 1000 / m_events.microsecond;
    return {static_cast<double>(range.begin - m_events.zero) / unit,
            static_cast<double>(range.end - m_events.zero) / unit};
  }

  [[nodiscard]] Ranges rangesOf(const IntervalSet& set) const {
    Ranges ranges;
    for (const TimeRange& range : set.ranges()) ranges.push_back(rangeOf(range));
    return ranges;
  }

  void addUnmarkedStep() {
    m_to.steps.emplace_back(m_hostMin, m_hostMax);
    m_to.names.emplace_back("0");
  }

  // Found where none is marked, with their device work; without any, devices are measured while they work.
  void takeOurSteps() {
    for (const StepWindow& step : m_ours.steps->steps) {
      m_to.steps.push_back(rangeOf(step.range));
      m_to.names.push_back(std::to_string(step.number));
    }
    if (m_ours.steps->areSteps() || m_nodes.devices.empty()) return;
    m_to.gpuWindow = {kForever, -kForever};
    for (const TbDevice& device : m_nodes.devices)
      m_to.gpuWindow = {std::min(m_to.gpuWindow->first, device.start),
                        std::max(m_to.gpuWindow->second, device.end)};
  }

  // Of each step, the span of the device work launched within it, and how much of that there was.
  void matchDeviceWork() {
    std::vector<const TbCall*> calls;
    for (const std::uint32_t call : m_nodes.allCalls) calls.push_back(&m_nodes.calls[call]);
    std::ranges::stable_sort(calls, {}, &TbCall::start);
    m_spans.assign(m_to.steps.size(), {kForever, -kForever});
    m_counts.assign(m_to.steps.size(), 0);
    for (std::size_t s = 0, c = 0; s < m_to.steps.size() && c < calls.size();) {
      const auto& [begin, end] = m_to.steps[s];
      const TbCall& call = *calls[c];
      if (call.start >= begin && call.end > end && call.start >= end) {
        ++s;
        continue;
      }
      ++c;
      if (call.start < begin || call.end > end) continue;
      for (const std::uint32_t d : call.devices) {
        m_spans[s].first = std::min(m_spans[s].first, m_nodes.devices[d].start);
        m_spans[s].second = std::max(m_spans[s].second, m_nodes.devices[d].end);
        m_matched.insert(d);
        ++m_counts[s];
      }
    }
  }

  void extendByDeviceWork() {
    matchDeviceWork();
    if (m_matched.empty()) return;
    double previousEnd = m_to.steps.front().first;
    if (m_counts.front() > 0) {
      for (std::uint32_t d = 0; d < m_nodes.devices.size(); ++d)
        if (!m_matched.contains(d) && m_nodes.devices[d].end < m_spans.front().first)
          previousEnd = std::max(previousEnd, m_nodes.devices[d].end);
    }
    for (std::size_t s = 0; s < m_to.steps.size(); ++s) {
      auto& [begin, end] = m_to.steps[s];
      begin = std::max(previousEnd, begin);
      if (m_counts[s] > 0) end = std::max(end, m_spans[s].second);
      end = std::max(end, begin);
      previousEnd = end;
    }
    if (m_rules.has(TbRule::TailDropped)) dropTail();
  }

  void dropTail() {
    std::size_t kept = m_to.steps.size();
    if (kept < 2) return;
    while (kept > 0 && m_counts[kept - 1] == 0) --kept;
    if (kept == 0) return;
    if (kept > 1 && static_cast<double>(m_counts[kept - 2]) * 0.8 > static_cast<double>(m_counts[kept - 1]))
      --kept;
    m_to.steps.resize(kept);
    m_to.names.resize(kept);
  }

  const TbEvents& m_events;
  const TbNodes& m_nodes;
  const OurView& m_ours;
  TbRules m_rules;
  TbSteps m_to;
  std::set<TbId> m_collectiveIds;
  double m_hostMin = kForever;
  double m_hostMax = -kForever;
  Ranges m_spans;
  std::vector<std::size_t> m_counts;
  std::unordered_set<std::uint32_t> m_matched;
};

// What each category takes of the time that those before it left, and what is left in the end.
std::vector<Ranges> costs(const TbSteps& steps, TbRules rules) {
  std::vector<Ranges> result;
  Ranges slots;
  bool started = false;
  for (const Ranges& role : steps.roles) {
    Ranges taken = role;
    if (!slots.empty() || (started && !rules.has(TbRule::SlotsStartAgain)))
      taken = common(slots, role);
    else
      slots = merged(steps.steps);
    started = true;
    slots = without(slots, taken);
    result.push_back(std::move(taken));
  }
  result.push_back(std::move(slots));
  return result;
}

} // namespace

TbSteps tbSteps(const TbEvents& events, const TbNodes& nodes, const OurView& ours, TbRules rules) {
  return StepParser(events, nodes, ours, rules).parse();
}

void addTbSteps(const TbProfile& profile, const std::string& worker, Figures& to) {
  constexpr std::array<std::string_view, kTbRoleCount + 1> kColumns{
      "kernel_us",  "memcpy_us",     "memset_us",   "communication_us",
      "runtime_us", "dataloader_us", "cpu_exec_us", "other_us"};
  const TbSteps& steps = profile.steps();
  const std::vector<Ranges> parts = costs(steps, profile.rules());
  RowNames names;
  for (std::size_t s = 0; s < steps.steps.size(); ++s) {
    const auto& [begin, end] = steps.steps[s];
    const std::string row = names.next(worker + "," + steps.names[s]);
    const TbEvents& events = profile.events();
    to[{row, "begin_us"}] = events.microseconds(begin - events.profilerStart);
    to[{row, "total_us"}] = events.microseconds(end - begin);
    for (std::size_t c = 0; c < parts.size(); ++c)
      to[{row, std::string(kColumns[c])}] =
          events.microseconds(totalLength(common({{begin, end}}, parts[c])));
  }
}

} // namespace rankscope::peers
