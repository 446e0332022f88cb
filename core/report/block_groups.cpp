// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/block_groups.h"

#include "core/analysis/memory/oom_advice.h"
#include "core/base/exact_sum.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace rankscope {

namespace {

constexpr std::size_t kMostFrames = 8; // of a stack, from the user's own frame outwards

std::string stackName(const SnapshotResults& result, const BlockLife& life) {
  const StackPool& stacks = result.snapshot->stacks;
  const auto frames = stacks.stack(life.stack);
  const auto own = std::ranges::find(frames, result.roles.ownFrame[life.stack]);
  if (own == frames.end()) return blockName(stacks, result.roles, life.stack, life.recorded());
  std::string text;
  std::size_t count = 0;
  for (auto frame = own; frame != frames.end() && count < kMostFrames; ++frame, ++count) {
    if (!text.empty()) text += " < ";
    text += stacks.frameText(*frame);
  }
  return text;
}

// By entry the innermost annotation that is open at its time; -1: none.
std::vector<std::int32_t> annotationsOf(const SnapshotDevice& device) {
  std::vector<std::uint32_t> byBegin;
  byBegin.reserve(device.annotations.size());
  for (std::uint32_t i = 0; i < device.annotations.size(); ++i) {
    if (device.annotations[i].begin != kNoMicroseconds) byBegin.push_back(i);
  }
  const auto beginOf = [&](std::uint32_t i) { return device.annotations[i].begin; };
  std::ranges::stable_sort(byBegin, {}, beginOf);
  std::vector<std::int32_t> found(device.entries.size(), -1);
  std::vector<std::uint32_t> open;
  std::size_t next = 0;
  for (std::size_t e = 0; e < found.size(); ++e) {
    const std::int64_t time = device.entries[e].time;
    if (time == kNoMicroseconds) continue;
    for (; next < byBegin.size() && beginOf(byBegin[next]) <= time; ++next) open.push_back(byBegin[next]);
    std::erase_if(open, [&](std::uint32_t i) {
      const std::int64_t end = device.annotations[i].end;
      return end != kNoMicroseconds && end < time;
    });
    if (!open.empty()) found[e] = static_cast<std::int32_t>(open.back());
  }
  return found;
}

// Names of groups, each made once.
class Namer {
 public:
  Namer(const SnapshotResults& result, const DeviceReplay& replay, BlockGrouping grouping)
      : m_result(result), m_replay(replay), m_grouping(grouping),
        m_byStack(2 * result.snapshot->stacks.stackCount(), kNone) {
    if (grouping == BlockGrouping::Annotation) m_annotations = annotationsOf(*replay.device);
  }

  // The number of its group.
  [[nodiscard]] std::size_t groupOf(const BlockLife& life) {
    if (m_grouping == BlockGrouping::Line || m_grouping == BlockGrouping::Stack) {
      std::size_t& known = m_byStack[2 * life.stack + (life.recorded() ? 1 : 0)];
      if (known == kNone)
        known =
            numberOf(m_grouping == BlockGrouping::Stack
                         ? stackName(m_result, life)
                         : blockName(m_result.snapshot->stacks, m_result.roles, life.stack, life.recorded()));
      return known;
    }
    return numberOf(nameOf(life));
  }

  [[nodiscard]] const std::vector<std::string>& names() const { return m_names; }

 private:
  static constexpr std::size_t kNone = SIZE_MAX;

  [[nodiscard]] std::string nameOf(const BlockLife& life) const {
    const SnapshotDevice& device = *m_replay.device;
    const StackPool& texts = m_result.snapshot->stacks;
    switch (m_grouping) {
    case BlockGrouping::Role:
      return std::string(memoryRoleText(life.role));
    case BlockGrouping::Annotation: {
      if (!life.recorded()) return "(before recording)";
      const std::int32_t at = m_annotations[static_cast<std::size_t>(life.allocated)];
      if (at < 0) return "(none)";
      return std::string(texts.text(device.annotations[static_cast<std::size_t>(at)].name));
    }
    case BlockGrouping::Region: {
      if (!life.recorded()) return "(before recording)";
      const auto region = texts.text(device.entries[static_cast<std::size_t>(life.allocated)].context);
      return region.empty() ? "(none)" : std::string(region);
    }
    default:
      break;
    }
    const std::string_view pool = life.block == kNoBlock
                                      ? std::string_view()
                                      : texts.text(device.segments[device.blocks[life.block].segment].pool);
    if (pool == kDefaultPool) return fmt::format("default pool, stream {}", life.stream);
    return pool.empty() ? fmt::format("unknown pool, stream {}", life.stream)
                        : fmt::format("private pool ({}), stream {}", pool, life.stream);
  }

  std::size_t numberOf(const std::string& name) {
    const auto [at, isNew] = m_numbers.try_emplace(name, m_names.size());
    if (isNew) m_names.push_back(name);
    return at->second;
  }

  const SnapshotResults& m_result;
  const DeviceReplay& m_replay;
  BlockGrouping m_grouping;
  std::vector<std::size_t> m_byStack;
  std::vector<std::int32_t> m_annotations;
  std::map<std::string, std::size_t> m_numbers;
  std::vector<std::string> m_names;
};

} // namespace

std::vector<BlockGroup> blockGroups(const SnapshotResults& result, const DeviceReplay& replay,
                                    BlockGrouping grouping, std::int32_t from, std::int32_t to) {
  struct Sums {
    ExactSum bytes;
    ExactSum growth;
    std::int64_t blocks = 0;
  };
  Namer namer(result, replay, grouping);
  std::vector<Sums> sums;
  for (const BlockLife& life : replay.lives) {
    const bool before = life.aliveAt(from);
    const bool after = life.aliveAt(to);
    if (!before && !after) continue;
    const std::size_t group = namer.groupOf(life);
    if (group >= sums.size()) sums.resize(group + 1);
    if (after) {
      sums[group].bytes += life.bytes;
      sums[group].growth += life.bytes;
      ++sums[group].blocks;
    }
    if (before) sums[group].growth -= life.bytes;
  }
  std::vector<BlockGroup> groups;
  groups.reserve(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i].blocks > 0 || std::int64_t{sums[i].growth} != 0)
      groups.push_back({namer.names()[i], sums[i].bytes, sums[i].blocks, sums[i].growth});
  }
  std::ranges::sort(groups, [](const BlockGroup& a, const BlockGroup& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.name < b.name;
  });
  return groups;
}

} // namespace rankscope
