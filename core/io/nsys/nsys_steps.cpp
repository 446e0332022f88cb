// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/nsys/nsys_steps.h"

#include "core/io/nsys/nsys_tables.h"
#include "core/model/step_names.h"

#include <algorithm>
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

NsysSteps nsysSteps(const SqliteFile& file, const NsysExport& facts, const std::atomic<bool>& cancel) {
  const NsysTableSpec& spec = nsysTable(NsysTable::Nvtx);
  const SqliteTable* const table = file.table(spec.name);
  if (table == nullptr) return {};
  SqliteRows rows(file, *table, spec.columns);
  if (!rows.readable()) return {};
  NsysStrings strings(file);
  std::map<std::string, NsysSteps, std::less<>> families;
  while (!cancel.load(std::memory_order_relaxed) && rows.next() == SqliteRows::Step::Row) {
    if (rows.isNull(kStart) || rows.isNull(kEnd)) continue;
    std::string_view text = rows.bytes(kText);
    if (rows.isNull(kText) && !rows.isNull(kTextId)) text = strings.text(rows.integer(kTextId)).value_or("");
    const auto step = stepNameOf(text);
    if (!step || step->number < 0) continue;
    TimeRange range;
    if (__builtin_sub_overflow(rows.integer(kStart), facts.shift, &range.begin) ||
        __builtin_sub_overflow(rows.integer(kEnd), facts.shift, &range.end))
      continue;
    auto family = families.find(step->family);
    if (family == families.end()) family = families.emplace(std::string(step->family), NsysSteps()).first;
    TimeRange& known = family->second.byNumber[step->number];
    known = known.unitedWith(range);
  }
  if (const auto own = families.find("ProfilerStep"); own != families.end()) return std::move(own->second);
  const auto most = std::ranges::max_element(
      families, {}, [](const auto& family) { return family.second.byNumber.size(); });
  return most == families.end() ? NsysSteps() : std::move(most->second);
}

} // namespace rankscope
