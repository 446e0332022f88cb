// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/rank_list.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <utility>

#include <xxhash.h>

namespace rankscope {

namespace {

using Ranks = std::vector<std::int32_t>;

// A few bytes never ask for more memory than the largest jobs do. Longer lists are runs of one rank each.
constexpr std::int64_t kMostOfRuns = 1 << 20;

// The lists that are in use.
class KnownLists {
 public:
  [[nodiscard]] std::shared_ptr<const Ranks> shared(Ranks ranks) {
    const std::uint64_t hash = XXH3_64bits(ranks.data(), ranks.size() * sizeof(Ranks::value_type));
    const std::lock_guard lock(m_mutex);
    const auto [first, last] = m_lists.equal_range(hash);
    for (auto known = first; known != last; ++known)
      if (auto list = known->second.lock(); list != nullptr && *list == ranks) return list;
    forgetUnused();
    ranks.shrink_to_fit();
    auto list = std::make_shared<const Ranks>(std::move(ranks));
    m_lists.emplace(hash, list);
    return list;
  }

 private:
  // Now and then, so that it costs little for each list.
  void forgetUnused() {
    if (m_lists.size() < m_limit) return;
    std::erase_if(m_lists, [](const auto& known) { return known.second.expired(); });
    m_limit = std::max(kLeast, 2 * m_lists.size());
  }

  static constexpr std::size_t kLeast = 64;

  std::mutex m_mutex;
  std::unordered_multimap<std::uint64_t, std::weak_ptr<const Ranks>> m_lists; // by hash
  std::size_t m_limit = kLeast;
};

// Its values are the same whoever asks first, so that nothing depends on this being one for all.
KnownLists& knownLists() {
  static KnownLists lists;
  return lists;
}

} // namespace

RankList::RankList(std::vector<std::int32_t> ranks) {
  if (!ranks.empty()) m_ranks = knownLists().shared(std::move(ranks));
}

bool RankList::contains(std::int32_t rank) const {
  return std::ranges::find(span(), rank) != span().end();
}

std::vector<std::int32_t> RankList::sorted() const {
  std::vector<std::int32_t> ranks(span().begin(), span().end());
  std::ranges::sort(ranks);
  return ranks;
}

std::vector<std::int32_t> runsOf(const RankList& list) {
  const std::span<const std::int32_t> ranks = list.span();
  const bool alone = std::ssize(ranks) > kMostOfRuns;
  const auto distanceTo = [&](std::size_t i) { return std::int64_t{ranks[i]} - ranks[i - 1]; };
  std::vector<std::int32_t> runs;
  for (std::size_t first = 0, end = 0; first < ranks.size(); first = end) {
    end = first + 1;
    std::int64_t distance = 0;
    if (!alone && end < ranks.size() && distanceTo(end) == static_cast<std::int32_t>(distanceTo(end))) {
      distance = distanceTo(end);
      while (end < ranks.size() && distanceTo(end) == distance) ++end;
    }
    runs.push_back(ranks[first]);
    runs.push_back(static_cast<std::int32_t>(distance));
    runs.push_back(static_cast<std::int32_t>(end - first));
  }
  return runs;
}

RankList listOfRuns(std::span<const std::int32_t> runs) {
  constexpr std::size_t kRun = 3;
  if (runs.size() % kRun != 0) return {};
  std::vector<std::int32_t> ranks;
  std::int64_t left = kMostOfRuns;
  for (std::size_t i = 0; i < runs.size(); i += kRun) {
    const std::int64_t distance = runs[i + 1];
    const std::int64_t count = runs[i + 2];
    const std::int64_t last = runs[i] + distance * (count - 1);
    left -= count - 1;
    if (count < 1 || left < 0 || last != static_cast<std::int32_t>(last)) return {};
    for (std::int64_t k = 0; k < count; ++k)
      ranks.push_back(static_cast<std::int32_t>(runs[i] + distance * k));
  }
  return RankList(std::move(ranks));
}

} // namespace rankscope
