// SPDX-License-Identifier: GPL-3.0-or-later
// Files as placeFiles sees them, made up for the tests of placement, and their places.
#pragma once

#include "core/io/placement/rank_files.h"
#include "core/io/placement/rank_names.h"

#include <algorithm>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rankscope {

void PrintTo(RankSource source, std::ostream* out);

constexpr TimeNs kSecond = 1'000'000'000;
constexpr TimeNs kStart = 1'760'000'000 * kSecond;

// A readable Kineto file of 100 events, to be given what it says.
class File {
 public:
  explicit File(std::string relativePath) {
    m_facts.path = "/data/" + relativePath;
    m_facts.name = factsFromName(relativePath);
    m_facts.relativePath = std::move(relativePath);
    m_facts.events = 100;
  }
  File& metadata(int rank, std::optional<int> world = {}) {
    m_facts.metadataRank = rank;
    m_facts.metadataWorldSize = world;
    return *this;
  }
  File& world(int size) {
    m_facts.metadataWorldSize = size;
    return *this;
  }
  // Seconds after a common start. No two recordings end at the same nanosecond, unless one is a copy.
  File& during(double begin, double end) {
    m_facts.beginNs = kStart + static_cast<TimeNs>(begin * 1e9);
    m_facts.endNs = kStart + static_cast<TimeNs>(end * 1e9) + ++s_recordings;
    return *this;
  }
  File& with(auto change) {
    change(m_facts);
    return *this;
  }
  operator FileFacts() const { return m_facts; }

 private:
  static inline TimeNs s_recordings = 0;
  FileFacts m_facts;
};

using Files = std::vector<FileFacts>;

struct Placed {
  std::vector<FilePlacement> placements;
  Files files;

  const FilePlacement& operator[](const std::string& relativePath) const {
    for (std::size_t i = 0; i < files.size(); ++i)
      if (files[i].relativePath == relativePath) return placements[i];
    throw std::out_of_range(relativePath);
  }
  [[nodiscard]] int jobs() const {
    int jobs = 0;
    for (const FilePlacement& placement : placements) jobs = std::max(jobs, placement.job + 1);
    return jobs;
  }
  [[nodiscard]] std::vector<int> ranks() const {
    std::vector<int> ranks;
    for (const FilePlacement& placement : placements) ranks.push_back(placement.rank.value_or(-1));
    return ranks;
  }
  [[nodiscard]] std::vector<int> captures() const {
    std::vector<int> captures;
    for (const FilePlacement& placement : placements) captures.push_back(placement.capture);
    return captures;
  }
  [[nodiscard]] std::vector<int> jobNumbers() const {
    std::vector<int> numbers;
    for (const FilePlacement& placement : placements) numbers.push_back(placement.job);
    return numbers;
  }
};

// Places the files in several orders and checks what must hold for every answer.
[[nodiscard]] Placed place(Files files);
[[nodiscard]] bool says(const FilePlacement& placement, const std::string& text);

using Numbers = std::vector<int>;

} // namespace rankscope
