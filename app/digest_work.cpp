// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/digest_work.h"

#include "app/digest_messages.h"

#include <utility>

namespace rankscope {

int DigestWork::agreed(int code) const {
  return unpacked<int>(team.broadcast(packed(code)));
}

void DigestWork::collect(const std::vector<std::string>& own,
                         std::shared_ptr<const std::string> DigestEntry::*member) {
  std::vector<std::string> all = team.gather(packed(own));
  if (!first()) return;
  std::vector<std::vector<std::string>> parts;
  parts.reserve(all.size());
  for (std::string& bytes : all) {
    parts.push_back(unpacked<std::vector<std::string>>(bytes));
    bytes = {}; // not in memory twice
  }
  std::vector<std::size_t> next(parts.size());
  for (std::size_t r = 0; r < digest.ranks.size(); ++r) {
    const std::size_t process = processOf[r];
    digest.ranks[r].*member =
        std::make_shared<const std::string>(std::move(parts[process].at(next[process]++)));
  }
}

} // namespace rankscope
