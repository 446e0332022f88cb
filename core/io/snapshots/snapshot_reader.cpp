// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/snapshots/snapshot_reader.h"

#include "core/base/exact_sum.h"
#include "core/io/pickle/stack_reader.h"
#include "core/io/placement/rank_names.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;

AllocatorAction actionNamed(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, AllocatorAction>, 10> kNames{{
      {"alloc", AllocatorAction::Alloc},
      {"free_requested", AllocatorAction::FreeRequested},
      {"free_completed", AllocatorAction::FreeCompleted},
      {"free", AllocatorAction::Free},
      {"segment_alloc", AllocatorAction::SegmentAlloc},
      {"segment_free", AllocatorAction::SegmentFree},
      {"segment_map", AllocatorAction::SegmentMap},
      {"segment_unmap", AllocatorAction::SegmentUnmap},
      {"snapshot", AllocatorAction::Snapshot},
      {"oom", AllocatorAction::OutOfMemory},
  }};
  const auto found =
      std::find_if(kNames.begin(), kNames.end(), [&](const auto& known) { return known.first == name; });
  return found == kNames.end() ? AllocatorAction::Unknown : found->second;
}

BlockState stateNamed(std::string_view name) {
  if (name == "active_allocated") return BlockState::Active;
  if (name == "active_pending_free" || name == "active_awaiting_free") return BlockState::PendingFree;
  return BlockState::Inactive;
}

// Keys of what a file has many of.
enum class MemberKey : std::uint8_t {
  Unknown,
  Action,
  Address,
  DeviceFree,
  Size,
  RequestedSize,
  Stream,
  Time,
  Frames,
  Context,
  State,
  History,
};

MemberKey memberKeyNamed(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, MemberKey>, 11> kNames{{
      {"action", MemberKey::Action},
      {"addr", MemberKey::Address},
      {"address", MemberKey::Address},
      {"device_free", MemberKey::DeviceFree},
      {"size", MemberKey::Size},
      {"requested_size", MemberKey::RequestedSize},
      {"stream", MemberKey::Stream},
      {"time_us", MemberKey::Time},
      {"frames", MemberKey::Frames},
      {"compile_context", MemberKey::Context},
      {"state", MemberKey::State},
  }};
  const auto found =
      std::find_if(kNames.begin(), kNames.end(), [&](const auto& known) { return known.first == name; });
  if (found != kNames.end()) return found->second;
  return name == "history" ? MemberKey::History : MemberKey::Unknown;
}

// What the file says of a segment beside its blocks.
struct SegmentSizes {
  std::optional<std::int64_t> allocated, active, requested;

  [[nodiscard]] bool agreeWith(const SnapshotSegment& segment, std::span<const SnapshotBlock> blocks) const {
    ExactSum whole, ofAllocated, ofActive, ofRequested;
    for (const SnapshotBlock& block : blocks) {
      whole += block.bytes;
      if (block.state == BlockState::Inactive) continue;
      ofActive += block.bytes;
      ofRequested += block.requested;
      if (block.state == BlockState::Active) ofAllocated += block.bytes;
    }
    return (blocks.empty() || whole == segment.bytes) && allocated.value_or(ofAllocated) == ofAllocated &&
           active.value_or(ofActive) == ofActive && requested.value_or(ofRequested) == ofRequested;
  }
};

class SnapshotIntake {
 public:
  SnapshotIntake(const ValueTree& values, MemorySnapshot& to)
      : m_values(values), m_to(to), m_stacks(values, to.stacks) {}

  void root(ValueId root) {
    ValueId segments = root;
    if (m_values.isDict(root)) {
      segments = m_values.member(root, "segments");
      traces(m_values.member(root, "device_traces"));
      settings(m_values.member(root, "allocator_settings"));
      annotations(m_values.member(root, "external_annotations"));
    }
    m_values.eachItem(segments, [&](ValueId item) { segment(item); });
    for (auto& [number, device] : m_devices) {
      if (device.segments.empty() && device.entries.empty()) continue;
      m_to.devices.push_back(std::move(device));
    }
  }

 private:
  std::int64_t bytesOf(ValueId id) {
    const std::int64_t value = m_values.integer(id).value_or(0);
    if (value >= 0 && value <= kMostBytes) return value;
    ++m_to.damaged;
    return 0;
  }
  [[nodiscard]] std::uint64_t unsignedOf(ValueId id) const {
    return static_cast<std::uint64_t>(m_values.integer(id).value_or(0));
  }
  SnapshotDevice& deviceOf(std::int64_t number) {
    const int device = static_cast<int>(std::clamp<std::int64_t>(number, 0, 1'000'000));
    SnapshotDevice& found = m_devices[device];
    found.device = device;
    return found;
  }

  void traces(ValueId list) {
    std::int64_t device = 0;
    m_values.eachItem(list, [&](ValueId entries) {
      if (m_values.isDict(entries)) { // newest versions wrap the entries
        SnapshotDevice& to = deviceOf(device);
        if (const auto most = m_values.integer(m_values.member(entries, "trace_alloc_max_entries")))
          to.ringSize = *most;
        const ValueId lost = m_values.member(entries, "trace_alloc_overflowed");
        if (lost != kNoValue) to.overflowed = m_values.truth(lost);
        entries = m_values.member(entries, "entries");
      }
      if (m_values.isList(entries) && m_values.size(entries) > 0) trace(entries, deviceOf(device));
      ++device;
    });
  }

  void trace(ValueId entries, SnapshotDevice& to) {
    to.entries.reserve(m_values.size(entries));
    std::int64_t latest = kNoMicroseconds;
    m_values.eachItem(entries, [&](ValueId item) {
      if (!m_values.isDict(item)) return;
      AllocatorEntry entry;
      bool known = false;
      bool saysFree = false;
      m_values.eachMember(item, [&](ValueId key, ValueId value) {
        const MemberKey of = keyOf(key);
        known |= of == MemberKey::Action;
        saysFree |= of == MemberKey::DeviceFree;
        take(entry, of, value);
      });
      if (!known) {
        ++m_to.damaged;
        return;
      }
      if (entry.action == AllocatorAction::OutOfMemory && !saysFree) entry.address = kUnknownFree;
      if (entry.time != kNoMicroseconds) {
        if (entry.time < latest) ++to.timeStepsBack;
        latest = std::max(latest, entry.time);
      }
      to.entries.push_back(entry);
    });
  }

  // Pickles refer to the few texts of keys, so that most are known by their number.
  MemberKey keyOf(ValueId key) {
    KnownKey& known = m_keys[key % m_keys.size()];
    if (known.id != key) known = {key, memberKeyNamed(m_values.text(key))};
    return known.key;
  }

  void take(AllocatorEntry& entry, MemberKey key, ValueId value) {
    switch (key) {
    case MemberKey::Action:
      entry.action = actionNamed(m_values.text(value));
      return;
    case MemberKey::Address:
    case MemberKey::DeviceFree:
      entry.address = unsignedOf(value);
      return;
    case MemberKey::Size:
      entry.bytes = bytesOf(value);
      return;
    case MemberKey::Stream:
      entry.stream = unsignedOf(value);
      return;
    case MemberKey::Time:
      if (const auto time = m_values.integer(value)) entry.time = *time;
      return;
    case MemberKey::Frames:
      entry.stack = m_stacks.stack(value);
      return;
    case MemberKey::Context:
      if (m_values.text(value) != "N/A") entry.context = m_stacks.text(value);
      return;
    default:
      return;
    }
  }

  void segment(ValueId item) {
    if (!m_values.isDict(item)) return;
    SnapshotSegment segment;
    ValueId blocks = kNoValue;
    ValueId pool = kNoValue;
    std::int64_t device = 0;
    SegmentSizes said;
    m_values.eachMember(item, [&](ValueId key, ValueId value) {
      const std::string_view name = m_values.text(key);
      if (name == "allocated_size") said.allocated = bytesOf(value);
      if (name == "active_size") said.active = bytesOf(value);
      if (name == "requested_size") said.requested = bytesOf(value);
      if (name == "device") device = m_values.integer(value).value_or(0);
      if (name == "address") segment.address = unsignedOf(value);
      if (name == "total_size") segment.bytes = bytesOf(value);
      if (name == "stream") segment.stream = unsignedOf(value);
      if (name == "segment_type") segment.large = m_values.text(value) == "large";
      if (name == "segment_pool_id") pool = value;
      if (name == "is_expandable") segment.expandable = m_values.truth(value);
      if (name == "frames") segment.stack = m_stacks.stack(value);
      if (name == "blocks") blocks = value;
    });
    segment.pool =
        m_to.stacks.addText(fmt::format("{},{}", m_values.integer(m_values.item(pool, 0)).value_or(0),
                                        m_values.integer(m_values.item(pool, 1)).value_or(0)));
    SnapshotDevice& to = deviceOf(device);
    segment.firstBlock = static_cast<std::uint32_t>(to.blocks.size());
    blocksOf(blocks, segment, to);
    segment.blockCount = static_cast<std::uint32_t>(to.blocks.size()) - segment.firstBlock;
    if (!said.agreeWith(segment, std::span(to.blocks).subspan(segment.firstBlock))) ++m_to.sizesApart;
    to.segments.push_back(segment);
  }

  void blocksOf(ValueId list, const SnapshotSegment& segment, SnapshotDevice& to) {
    std::uint64_t next = segment.address;
    m_values.eachItem(list, [&](ValueId item) {
      if (!m_values.isDict(item)) return;
      SnapshotBlock block;
      block.address = next;
      block.segment = static_cast<std::uint32_t>(to.segments.size());
      block.requested = -1;
      ValueId history = kNoValue;
      m_values.eachMember(item, [&](ValueId key, ValueId value) {
        const MemberKey of = keyOf(key);
        if (of == MemberKey::Size) block.bytes = bytesOf(value);
        if (of == MemberKey::RequestedSize) block.requested = bytesOf(value);
        if (of == MemberKey::State) block.state = stateNamed(m_values.text(value));
        if (of == MemberKey::Address) block.address = unsignedOf(value);
        if (of == MemberKey::Frames) block.stack = m_stacks.stack(value);
        if (of == MemberKey::History) history = value;
      });
      takeHistory(m_values.item(history, 0), block);
      next = block.address + static_cast<std::uint64_t>(block.bytes);
      to.blocks.push_back(block);
    });
  }

  // The newest user of the block, before 2.1.
  void takeHistory(ValueId newest, SnapshotBlock& block) {
    if (block.stack == 0) block.stack = m_stacks.stack(m_values.member(newest, "frames"));
    if (block.requested >= 0) return;
    const ValueId real = m_values.member(newest, "real_size");
    block.requested = real == kNoValue ? block.bytes : bytesOf(real);
  }

  void settings(ValueId dict) {
    m_values.eachMember(dict, [&](ValueId key, ValueId value) {
      std::string text(m_values.text(value));
      const ValueKind kind = m_values.kind(value);
      if (kind == ValueKind::Bool) text = m_values.truth(value) ? "True" : "False";
      if (kind == ValueKind::Integer) text = std::to_string(*m_values.integer(value));
      if (kind == ValueKind::Real) text = fmt::format("{}", *m_values.real(value));
      if (text.empty()) return;
      m_to.settings.emplace_back(std::string(m_values.text(key)), std::move(text));
    });
  }

  void annotations(ValueId list) {
    // Open ones by device and name; the innermost is last.
    std::map<std::pair<int, std::uint32_t>, std::vector<std::size_t>> open;
    m_values.eachItem(list, [&](ValueId item) {
      const std::string_view stage = m_values.text(m_values.member(item, "stage"));
      const auto time = m_values.integer(m_values.member(item, "time_us"));
      if (!time || (stage != "START" && stage != "END")) return;
      SnapshotDevice& to = deviceOf(m_values.integer(m_values.member(item, "device")).value_or(0));
      const std::uint32_t name = m_stacks.text(m_values.member(item, "name"));
      std::vector<std::size_t>& begun = open[{to.device, name}];
      if (stage == "START") {
        begun.push_back(to.annotations.size());
        to.annotations.push_back({name, *time, kNoMicroseconds});
      } else if (!begun.empty()) {
        to.annotations[begun.back()].end = std::max(*time, to.annotations[begun.back()].begin);
        begun.pop_back();
      } else {
        to.annotations.push_back({name, kNoMicroseconds, *time});
      }
    });
  }

  const ValueTree& m_values;
  MemorySnapshot& m_to;
  struct KnownKey {
    ValueId id = kNoValue;
    MemberKey key = MemberKey::Unknown;
  };

  StackReader m_stacks;
  std::map<int, SnapshotDevice> m_devices;
  std::array<KnownKey, 256> m_keys{};
};

// The folder counts as well: torchtitan writes iteration_5_exit/rank3_memory_snapshot.pickle.
void nameRank(MemorySnapshot& snapshot) {
  const std::filesystem::path path(snapshot.path);
  const NameFacts facts = factsFromName((path.parent_path().filename() / path.filename()).generic_string());
  if (facts.rank) {
    snapshot.rank = facts.rank;
    snapshot.rankFrom = "name";
  } else if (facts.folderRank) {
    snapshot.rank = facts.folderRank;
    snapshot.rankFrom = "folder";
  }
}

} // namespace

Result<MemorySnapshot> snapshotOf(const PlainFile& file) {
  MemorySnapshot snapshot;
  snapshot.path = file.path;
  snapshot.bytes = file.bytes;
  snapshot.protocol = file.protocol;
  snapshot.partial = file.truncated;
  snapshot.fromPage = file.form == PlainForm::Page;
  SnapshotIntake(file.values, snapshot).root(file.root);
  nameRank(snapshot);
  return snapshot;
}

Result<MemorySnapshot> readSnapshot(const std::string& path, const Progress* progress) {
  const auto file = readPlainFile(path, progress);
  if (!file) return file.error();
  return snapshotOf(*file);
}

} // namespace rankscope
