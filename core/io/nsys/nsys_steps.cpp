// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/nsys/nsys_steps.h"

#include "core/io/nsys/nsys_tables.h"
#include "core/model/step_names.h"

#include <iterator>
#include <map>
#include <string>
#include <string_view>

namespace rankscope {

std::optional<LoadFilter::Steps> NsysSteps::numbers() const {
  if (byNumber.empty()) return std::nullopt;
  return LoadFilter::Steps{byNumber.begin()->first, byNumber.rbegin()->first};
}

std::optional<TimeRange> NsysSteps::window(LoadFilter::Steps steps) const {
  std::optional<TimeRange> all;
  for (auto at = byNumber.lower_bound(steps.first); at != byNumber.end() && at->first <= steps.last; ++at)
    all = all ? all->unitedWith(at->second) : at->second;
  return all;
}

namespace {

// Steps of a name: their ranges, and the times of its marks by number.
struct StepFamily {
  NsysSteps ranges;
  std::map<std::int64_t, TimeNs> marks;
};

// A step lasts from its mark to the next one; the last mark only ends the step before it.
NsysSteps stepsOfMarks(const std::map<std::int64_t, TimeNs>& marks) {
  NsysSteps steps;
  for (auto mark = marks.begin(); mark != marks.end() && std::next(mark) != marks.end(); ++mark) {
    const TimeNs end = std::next(mark)->second;
    if (end <= mark->second) return {};
    steps.byNumber[mark->first] = {mark->second, end};
  }
  return steps;
}

NsysSteps mostSteps(const std::map<std::string, StepFamily, std::less<>>& families, bool marks) {
  NsysSteps most;
  for (const auto& [name, family] : families) {
    NsysSteps steps = marks ? stepsOfMarks(family.marks) : family.ranges;
    if (steps.byNumber.size() > most.byNumber.size()) most = std::move(steps);
  }
  return most;
}

} // namespace

NsysSteps nsysSteps(const SqliteFile& file, const NsysExport& facts, const std::atomic<bool>& cancel) {
  const NsysTableSpec& spec = nsysTable(NsysTable::Nvtx);
  const SqliteTable* const table = file.table(spec.name);
  if (table == nullptr) return {};
  SqliteRows rows(file, *table, spec.columns);
  if (!rows.readable()) return {};
  NsysStrings strings(file);
  std::map<std::string, StepFamily, std::less<>> families;
  while (!cancel.load(std::memory_order_relaxed) && rows.next() == SqliteRows::Step::Row) {
    const bool mark = rows.integer(kEventType) == kNvtxMark;
    if (rows.isNull(kStart) || (rows.isNull(kEnd) && !mark)) continue;
    std::string_view text = rows.bytes(kText);
    if (rows.isNull(kText) && !rows.isNull(kTextId)) text = strings.text(rows.integer(kTextId)).value_or("");
    const auto step = stepNameOf(text);
    if (!step || step->number < 0) continue;
    TimeRange range;
    if (__builtin_sub_overflow(rows.integer(kStart), facts.shift, &range.begin) ||
        (!mark && __builtin_sub_overflow(rows.integer(kEnd), facts.shift, &range.end)))
      continue;
    auto family = families.find(step->family);
    if (family == families.end()) family = families.emplace(std::string(step->family), StepFamily()).first;
    if (mark) {
      family->second.marks.try_emplace(step->number, range.begin);
      continue;
    }
    TimeRange& known = family->second.ranges.byNumber[step->number];
    known = known.unitedWith(range);
  }
  if (const auto own = families.find("ProfilerStep");
      own != families.end() && !own->second.ranges.byNumber.empty())
    return std::move(own->second.ranges);
  NsysSteps steps = mostSteps(families, false);
  return steps.byNumber.empty() ? mostSteps(families, true) : steps;
}

} // namespace rankscope
