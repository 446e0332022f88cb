// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/findings/finding_answers.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace rankscope {

bool rankHasName(const TraceSet& trace, RankIndex rank, std::string_view what,
                 const std::function<bool(std::string_view)>& test) {
  return rankAnswer<bool>(trace, rank, "has a name: " + std::string(what), [&] {
    const StringTable& names = trace.names();
    std::vector<std::uint8_t> wanted(names.size());
    bool any = false;
    for (std::size_t i = 0; i < names.size(); ++i) {
      wanted[i] = test(names[NameId(i)]) ? 1 : 0;
      any |= wanted[i] != 0;
    }
    return any && std::ranges::any_of(trace.rank(rank).trace->events.name.span(),
                                      [&](NameId name) { return name.valid() && wanted[name.value] != 0; });
  });
}

bool jobHasName(const TraceSet& trace, std::string_view what,
                const std::function<bool(std::string_view)>& test) {
  bool any = false;
  // Every rank is asked, so that which ranks are does not depend on the answers.
  for (std::size_t r = 0; r < trace.ranks().size(); ++r) any |= rankHasName(trace, RankIndex(r), what, test);
  return any;
}

} // namespace rankscope
