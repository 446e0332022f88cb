// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/nsys/nsys_steps.h"

#include "core/base/exact_sum.h"
#include "core/io/nsys/nsys_tables.h"
#include "core/io/nsys/nsys_text.h"
#include "core/model/step_names.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rankscope {

std::optional<LoadFilter::Steps> NsysSteps::numbers() const {
  if (byNumber.empty()) return std::nullopt;
  return LoadFilter::Steps{byNumber.begin()->first, byNumber.rbegin()->first};
}

namespace {

std::optional<TimeRange> windowIn(const std::map<std::int64_t, TimeRange>& byNumber,
                                  LoadFilter::Steps steps) {
  std::optional<TimeRange> all;
  for (auto at = byNumber.lower_bound(steps.first); at != byNumber.end() && at->first <= steps.last; ++at)
    all = all ? all->unitedWith(at->second) : at->second;
  return all;
}

} // namespace

std::optional<TimeRange> NsysSteps::window(LoadFilter::Steps steps) const {
  return windowIn(byNumber, steps);
}

std::map<std::int64_t, TimeRange> NsysSteps::windows(LoadFilter::Steps steps) const {
  std::map<std::int64_t, TimeRange> all;
  for (const auto& [process, own] : ofProcess) {
    if (const auto window = windowIn(own, steps)) all.emplace(process, *window);
  }
  return all;
}

namespace {

constexpr std::string_view kProfilerFamily = "ProfilerStep";

struct MarkedStep {
  std::int64_t number = -1; // -1: ranges without a number
  TimeRange range;          // empty for a mark of a moment
};

// Ranges or marks of one name, numbers apart, on one thread.
struct FamilyKey {
  std::int64_t process = 0;
  std::int64_t thread = 0; // 0: ranges that cross threads
  std::string family;
  bool numbered = false;
  bool marks = false;

  [[nodiscard]] auto key() const { return std::tie(process, thread, family, numbered, marks); }
  bool operator<(const FamilyKey& other) const { return key() < other.key(); }
};

using Families = std::map<FamilyKey, std::vector<MarkedStep>>;

// First begin to last end of the work on devices, by process; kNoProcess: of rows that name none.
std::map<std::int64_t, TimeRange> deviceSpans(const SqliteFile& file, const NsysExport& facts,
                                              const std::atomic<bool>& cancel) {
  static constexpr std::array<std::string_view, 3> kColumns{"start", "end", "globalPid"};
  std::map<std::int64_t, TimeRange> spans;
  for (const NsysTable of :
       {NsysTable::Kernel, NsysTable::Memcpy, NsysTable::Memset, NsysTable::GraphTrace}) {
    const SqliteTable* const table = file.table(nsysTable(of).name);
    if (table == nullptr) continue;
    SqliteRows rows(file, *table, kColumns);
    if (!rows.readable()) continue;
    SqliteScan scan(rows);
    while (!cancel.load(std::memory_order_relaxed) && scan.next()) {
      TimeRange range;
      if (rows.isNull(kStart) || rows.isNull(kEnd) ||
          __builtin_sub_overflow(rows.integer(kStart), facts.shift, &range.begin) ||
          __builtin_sub_overflow(rows.integer(kEnd), facts.shift, &range.end) || range.empty() ||
          range.begin < -kMaxTime || range.end > kMaxTime)
        continue;
      TimeRange& span = spans[rows.isNull(2) ? kNoProcess : processKey(rows.integer(2))];
      span = span.unitedWith(range);
    }
  }
  return spans;
}

// The rows of NVTX whose names are those of steps.
class StepRows {
 public:
  StepRows(const SqliteFile& file, const NsysExport& facts) : m_facts(facts), m_strings(file) {}

  void take(const SqliteRows& rows) {
    constexpr std::int64_t kPushPop = 59, kStartEnd = 60;
    const std::int64_t type = rows.integer(kEventType);
    const bool mark = type == kNvtxMark;
    if ((!mark && type != kPushPop && type != kStartEnd) || rows.isNull(kStart) ||
        (!mark && rows.isNull(kEnd)))
      return;
    const std::optional<StepName> step = stepOf(rows);
    if (!step) return;
    MarkedStep marked{step->number, {}};
    if (__builtin_sub_overflow(rows.integer(kStart), m_facts.shift, &marked.range.begin)) return;
    marked.range.end = marked.range.begin;
    if (!mark && __builtin_sub_overflow(rows.integer(kEnd), m_facts.shift, &marked.range.end)) return;
    if (marked.range.begin < -kMaxTime || marked.range.end > kMaxTime) return;
    const std::int64_t thread = rows.optionalInteger(kNvtxThread).value_or(-1);
    families[{thread < 0 ? kNoProcess : processKey(thread), type == kStartEnd ? 0 : thread,
              std::string(step->family), step->number >= 0, mark}]
        .push_back(marked);
  }

  Families families;

 private:
  // Of the name without what emit_nvtx appends to it. Names by number are looked up once.
  [[nodiscard]] std::optional<StepName> stepOf(const SqliteRows& rows) {
    if (!rows.isNull(kText)) return stepNameOf(nameIn(rows.bytes(kText)));
    if (rows.isNull(kTextId)) return std::nullopt;
    const std::int64_t id = rows.integer(kTextId);
    if (m_others.contains(id)) return std::nullopt;
    const auto [known, isNew] = m_named.try_emplace(id);
    if (isNew) known->second = nameIn(m_strings.text(id).value_or(std::string_view()));
    std::optional<StepName> step = stepNameOf(known->second);
    if (!step) {
      m_named.erase(known);
      m_others.emplace(id, true);
    }
    return step;
  }
  [[nodiscard]] static std::string_view nameIn(std::string_view text) {
    text = text.substr(0, std::min(text.find('\0'), kLongestName));
    const OperatorText parts = operatorText(text);
    return rangeKind(parts) == EventKind::Annotation ? parts.name : std::string_view();
  }

  const NsysExport& m_facts;
  NsysStrings m_strings;
  std::unordered_map<std::int64_t, std::string> m_named; // of steps
  std::unordered_map<std::int64_t, bool> m_others;
};

// A step lasts from its mark to the next one; the last mark only ends the step before it.
void reachToTheNextMark(std::vector<MarkedStep>& marks) {
  for (std::size_t i = 1; i < marks.size(); ++i) marks[i - 1].range.end = marks[i].range.begin;
  if (!marks.empty()) marks.pop_back();
}

// At least two, one after the other.
bool areSteps(const std::vector<MarkedStep>& steps) {
  for (std::size_t i = 1; i < steps.size(); ++i) {
    if (steps[i].range.begin < steps[i - 1].range.end ||
        (steps[i].number >= 0 && steps[i].number <= steps[i - 1].number))
      return false;
  }
  return steps.size() > 1;
}

// The steps of one process, by the rules of analysis/steps/named_steps.h: the profiler's own marks, else the
// name whose ranges cover most, numbered ones first, else marks of a moment.
class ProcessSteps {
 public:
  explicit ProcessSteps(std::optional<TimeRange> device) : m_device(device) {}

  void take(const FamilyKey& key, std::vector<MarkedStep> steps) {
    if (key.family == kProfilerFamily && key.numbered && !key.marks) {
      m_profiler.insert(m_profiler.end(), steps.begin(), steps.end());
      return;
    }
    std::ranges::stable_sort(steps, {}, [](const MarkedStep& step) { return step.range.begin; });
    if (key.marks) reachToTheNextMark(steps);
    if (!areSteps(steps)) return;
    const TimeRange span = m_device.value_or(TimeRange{steps.front().range.begin, steps.back().range.end});
    ExactSum covered;
    for (const MarkedStep& step : steps) covered += step.range.clippedTo(span).length();
    if (2 * covered < ExactSum(span.length())) return;
    const auto rank = std::tuple(!key.marks, key.numbered, covered);
    if (!m_best.empty() && rank <= m_rank) return;
    m_best = std::move(steps);
    m_rank = rank;
  }

  [[nodiscard]] bool byProfiler() const { return !m_profiler.empty(); }
  void addTo(NsysSteps& all, std::int64_t process) const {
    std::int64_t next = 0;
    for (const MarkedStep& step : byProfiler() ? m_profiler : m_best) {
      if (step.number < 0) all.numberedByOrder = true;
      const std::int64_t number = step.number < 0 ? next++ : step.number;
      for (auto* const of : {&all.byNumber, &all.ofProcess[process]}) {
        const auto [known, isNew] = of->try_emplace(number, step.range);
        if (!isNew) known->second = known->second.unitedWith(step.range);
      }
    }
  }

 private:
  std::optional<TimeRange> m_device;
  std::vector<MarkedStep> m_profiler;
  std::vector<MarkedStep> m_best;
  std::tuple<bool, bool, ExactSum> m_rank{false, false, ExactSum()};
};

} // namespace

NsysSteps nsysSteps(const SqliteFile& file, const NsysExport& facts, const std::atomic<bool>& cancel) {
  const NsysTableSpec& spec = nsysTable(NsysTable::Nvtx);
  const SqliteTable* const table = file.table(spec.name);
  if (table == nullptr) return {};
  SqliteRows rows(file, *table, spec.columns);
  if (!rows.readable()) return {};
  StepRows found(file, facts);
  SqliteScan scan(rows);
  while (!cancel.load(std::memory_order_relaxed) && scan.next()) found.take(rows);
  if (found.families.empty()) return {};
  const std::map<std::int64_t, TimeRange> spans = deviceSpans(file, facts, cancel);
  const auto spanOf = [&](std::int64_t process) {
    for (const std::int64_t of : {process, kNoProcess}) {
      if (const auto span = spans.find(of); span != spans.end()) return std::optional(span->second);
    }
    return std::optional<TimeRange>();
  };
  std::map<std::int64_t, ProcessSteps> processes;
  for (auto& [key, steps] : found.families)
    processes.try_emplace(key.process, spanOf(key.process)).first->second.take(key, std::move(steps));
  const bool byProfiler =
      std::ranges::any_of(processes, [](const auto& process) { return process.second.byProfiler(); });
  NsysSteps all;
  for (const auto& [process, steps] : processes) {
    if (!byProfiler || steps.byProfiler()) steps.addTo(all, process);
  }
  return all;
}

} // namespace rankscope
