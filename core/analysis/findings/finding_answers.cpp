// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/findings/finding_answers.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace rankscope {

namespace {

// By NameId, 1 where the test holds; empty if it holds for none.
std::vector<std::uint8_t> namesThat(const StringTable& names,
                                    const std::function<bool(std::string_view)>& test) {
  std::vector<std::uint8_t> wanted(names.size());
  bool any = false;
  for (std::size_t i = 0; i < names.size(); ++i) {
    wanted[i] = test(names[NameId(i)]) ? 1 : 0;
    any |= wanted[i] != 0;
  }
  if (!any) wanted.clear();
  return wanted;
}

} // namespace

bool jobHasName(const TraceSet& trace, std::string_view what,
                const std::function<bool(std::string_view)>& test) {
  const std::string question = "has a name: " + std::string(what);
  std::optional<std::vector<std::uint8_t>> wanted; // made for the first rank with events
  bool any = false;
  // Every rank is asked, so that which ranks are does not depend on the answers.
  for (std::size_t r = 0; r < trace.ranks().size(); ++r) {
    any |= rankAnswer<bool>(trace, RankIndex(r), question, [&] {
      if (!wanted) wanted = namesThat(trace.names(), test);
      return !wanted->empty() &&
             std::ranges::any_of(trace.ranks()[r].trace->events.name.span(),
                                 [&](NameId name) { return name.valid() && (*wanted)[name.value] != 0; });
    });
  }
  return any;
}

} // namespace rankscope
