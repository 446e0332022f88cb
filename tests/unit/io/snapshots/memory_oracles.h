// SPDX-License-Identifier: GPL-3.0-or-later
// Recorded memory files with figures of an independent reading, and what follows from a snapshot.
#pragma once

#include "core/io/pickle/plain_data.h"
#include "core/io/snapshots/snapshot_reader.h"
#include "core/report/side_results.h"
#include "tests/support/shared_data.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace rankscope::test {

inline std::filesystem::path memoryFolder() {
  return sharedFolder() / "memory";
}

// The file that an oracle is about, where it lies: compressed or not.
inline std::filesystem::path fileOf(const std::string& name) {
  for (const std::filesystem::path& folder : {memoryFolder() / "snapshots", memoryFolder() / "timelines",
                                              sharedFolder() / "traces" / "memory-snapshot"}) {
    for (const char* ending : {"", ".gz"}) {
      if (std::filesystem::exists(folder / (name + ending))) return folder / (name + ending);
    }
  }
  return {};
}

inline std::vector<std::string> oraclesEnding(std::string_view ending) {
  std::vector<std::string> names;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(memoryFolder() / "oracles", failed)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(ending)) names.push_back(name.substr(0, name.size() - ending.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

// A JSON file of figures.
class Oracle {
 public:
  explicit Oracle(const std::string& name) {
    auto read = readPlainFile((memoryFolder() / "oracles" / name).string());
    EXPECT_TRUE(read.ok());
    if (read) m_file = std::move(read).value();
  }
  [[nodiscard]] const ValueTree& values() const { return m_file.values; }
  [[nodiscard]] ValueId at(std::initializer_list<std::string_view> path, ValueId from = kNoValue) const {
    ValueId id = from == kNoValue ? m_file.root : from;
    for (const std::string_view key : path) id = values().member(id, key);
    return id;
  }
  [[nodiscard]] std::int64_t integer(std::initializer_list<std::string_view> path,
                                     ValueId from = kNoValue) const {
    return values().integer(at(path, from)).value_or(INT64_MIN);
  }

 private:
  PlainFile m_file;
};

inline std::shared_ptr<const SideResults> resultsOfSnapshot(MemorySnapshot snapshot) {
  auto files = std::make_shared<SideFiles>();
  files->snapshots.push_back(std::move(snapshot));
  return sideResults(files, 1);
}

} // namespace rankscope::test
