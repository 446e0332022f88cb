// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/digest/nccl_image.h"

#include "core/base/byte_pack.h"
#include "core/base/deflated.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace rankscope {

// Structured bindings list all members, so a new member that is not described is a compile error.

template <class Archive, class Key, class Value>
void describe(Archive& archive, const std::map<Key, Value>& map) {
  archive(std::uint64_t{map.size()});
  for (const auto& [key, value] : map) archive(key, value);
}
template <class Archive, class Key, class Value> void describe(Archive& archive, std::map<Key, Value>& map) {
  std::uint64_t count = 0;
  archive(count);
  for (std::uint64_t i = 0; i < count && archive.ok(); ++i) {
    Key key{};
    archive(key);
    archive(map[key]);
  }
}

template <class Archive> void describe(Archive& archive, const std::set<std::string>& set) {
  archive(std::vector<std::string>(set.begin(), set.end()));
}
template <class Archive> void describe(Archive& archive, std::set<std::string>& set) {
  std::vector<std::string> texts;
  archive(texts);
  set.insert(texts.begin(), texts.end());
}

template <class Archive, class Value> void describe(Archive& archive, const std::deque<Value>& values) {
  archive(std::vector<Value>(values.begin(), values.end()));
}
template <class Archive, class Value> void describe(Archive& archive, std::deque<Value>& values) {
  std::vector<Value> read;
  archive(read);
  values.assign(read.begin(), read.end());
}

template <class Archive, Described<NcclPlace> T> void describe(Archive& archive, T& place) {
  auto& [file, line] = place;
  archive(file, line);
}

template <class Archive, Described<NcclDevice> T> void describe(Archive& archive, T& device) {
  auto& [index, name, network, gbitS] = device;
  archive(index, name, network, gbitS);
}

template <class Archive, Described<NcclProcess> T> void describe(Archive& archive, T& process) {
  auto& [host, pid, launcherRank, version, environment, devices, socketDevices, network, plugin, tuner,
         pluginSought, multicast, peerToPeerFailed, chipToChip, networkAt, multicastAt, peerToPeerAt,
         environmentAt] = process;
  archive(host, pid, launcherRank, version, environment, devices, socketDevices, network, plugin, tuner,
          pluginSought, multicast, peerToPeerFailed, chipToChip, networkAt, multicastAt, peerToPeerAt,
          environmentAt);
}

template <class Archive, Described<NcclInstance> T> void describe(Archive& archive, T& instance) {
  auto& [process, pointer, rank, ranks, cudaDevice, nvmlDevice, busId, commId, parent, splitKey, started,
         completed, destroyed, nodes, localRanks, multiNodeNvlink, collChannels, p2pChannels, nvlsChannels,
         p2pChannelsPerPeer, initSeconds, initLargest, linkType, at] = instance;
  archive(process, pointer, rank, ranks, cudaDevice, nvmlDevice, busId, commId, parent, splitKey, started,
          completed, destroyed, nodes, localRanks, multiNodeNvlink, collChannels, p2pChannels, nvlsChannels,
          p2pChannelsPerPeer, initSeconds, initLargest, linkType, at);
}

template <class Archive, Described<NcclRingLine> T> void describe(Archive& archive, T& ring) {
  auto& [instance, channel, channels, ranks] = ring;
  archive(instance, channel, channels, ranks);
}

template <class Archive, Described<NcclRingStep> T> void describe(Archive& archive, T& step) {
  auto& [instance, channel, previous, rank, next] = step;
  archive(instance, channel, previous, rank, next);
}

template <class Archive, Described<NcclTreeNode> T> void describe(Archive& archive, T& node) {
  auto& [instance, channel, rank, up, down] = node;
  archive(instance, channel, rank, up, down);
}

template <class Archive, Described<NcclLink> T> void describe(Archive& archive, T& link) {
  auto& [instance, process, kind, channel, connection, from, to, nic, viaRank, fromDevice, toDevice,
         direction, gdr, read, copyEngine, shared, at] = link;
  archive(instance, process, kind, channel, connection, from, to, nic, viaRank, fromDevice, toDevice,
          direction, gdr, read, copyEngine, shared, at);
}

template <class Archive, Described<NcclCall> T> void describe(Archive& archive, T& call) {
  auto& [count, instance, opCount, root, operation, dtype, reduction, reserved] = call;
  archive(count, instance, opCount, root, operation, dtype, reduction, reserved);
}

template <class Archive, Described<NcclChoice> T> void describe(Archive& archive, T& choice) {
  auto& [instance, process, operation, bytes, algorithm, protocol, channels, predictedUs, count] = choice;
  archive(instance, process, operation, bytes, algorithm, protocol, channels, predictedUs, count);
}

template <class Archive, Described<NcclTuning> T> void describe(Archive& archive, T& tuning) {
  auto& [process, operation, algorithm, protocol, latencyUs, gbS] = tuning;
  archive(process, operation, algorithm, protocol, latencyUs, gbS);
}

template <class Archive, Described<NcclWarning> T> void describe(Archive& archive, T& warning) {
  auto& [cause, text, first, count, hosts, processes, at, ofNccl] = warning;
  archive(cause, text, first, count, hosts, processes, at, ofNccl);
}

template <class Archive, Described<NcclDamage> T> void describe(Archive& archive, T& damage) {
  auto& [line, what] = damage;
  archive(line, what);
}

template <class Archive, Described<NcclFile> T> void describe(Archive& archive, T& file) {
  auto& [path, bytes, lines, ncclLines, damagedLines, unusedLines, twoHeads, levels, unusedByWord, prefixes,
         damage, problem] = file;
  archive(path, bytes, lines, ncclLines, damagedLines, unusedLines, twoHeads, levels, unusedByWord, prefixes,
          damage, problem);
}

template <class Archive, Described<NcclLog> T> void describe(Archive& archive, T& log) {
  auto& [files, processes, instances, kinds, operations, rings, ringSteps, treeNodes, links, calls, choices,
         tuning, warnings, versionLines, initLines, nodeLines, channelLines, linkLines, linkFlags,
         linkConnections, linkDirections, ringStepLines, treeLines, cutLinkLines, connectedRings,
         connectedTrees, connectedNvls, threads, notKept] = log;
  archive(files, processes, instances, kinds, operations, rings, ringSteps, treeNodes, links, calls, choices,
          tuning, warnings, versionLines, initLines, nodeLines, channelLines, linkLines, linkFlags,
          linkConnections, linkDirections, ringStepLines, treeLines, cutLinkLines, connectedRings,
          connectedTrees, connectedNvls, threads, notKept);
}

template <class Archive, Described<NcclTestRow> T> void describe(Archive& archive, T& row) {
  auto& [bytes, timeUs, algbwGbS, busbwGbS, inPlaceUs, wrong] = row;
  archive(bytes, timeUs, algbwGbS, busbwGbS, inPlaceUs, wrong);
}

template <class Archive, Described<NcclTestTable> T> void describe(Archive& archive, T& table) {
  auto& [path, name, operation, ranks, hosts, gpu, rows, skippedRows] = table;
  archive(path, name, operation, ranks, hosts, gpu, rows, skippedRows);
}

template <class Archive, Described<NcclRecords> T> void describe(Archive& archive, T& records) {
  auto& [log, tables, paths] = records;
  archive(log, tables, paths);
}

namespace {

// Bounds of the reader of logs.
constexpr std::int64_t kMostRanks = 1 << 24;
constexpr std::int64_t kMostChannels = 1 << 12;

// Whether what was read is as the reader of logs leaves it: nothing leads out of bounds.
class RecordsCheck {
 public:
  explicit RecordsCheck(const NcclLog& log) : m_log(log) {}

  [[nodiscard]] bool passes() const {
    using std::ranges::all_of;
    return all_of(m_log.processes, [&](const NcclProcess& of) { return sound(of); }) &&
           all_of(m_log.instances, [&](const NcclInstance& of) { return sound(of); }) &&
           all_of(m_log.rings, [&](const NcclRingLine& of) { return sound(of); }) &&
           all_of(m_log.ringSteps, [&](const NcclRingStep& of) { return sound(of); }) &&
           all_of(m_log.treeNodes, [&](const NcclTreeNode& of) { return sound(of); }) &&
           all_of(m_log.links, [&](const NcclLink& of) { return sound(of); }) &&
           all_of(m_log.calls,
                  [&](const NcclCall& of) { return isInstance(of.instance) && isRank(of.root); }) &&
           all_of(m_log.choices, [&](const NcclChoice& of) { return sound(of); }) &&
           all_of(m_log.tuning, [&](const NcclTuning& of) { return sound(of); }) &&
           all_of(m_log.warnings, [&](const NcclWarning& of) { return sound(of); }) &&
           all_of(m_log.linkLines, [&](const auto& of) {
             return of.first >= 0 && static_cast<std::size_t>(of.first) < m_log.kinds.size();
           });
  }

 private:
  [[nodiscard]] bool isInstance(std::uint32_t index) const {
    return index == kNoNcclIndex || index < m_log.instances.size();
  }
  [[nodiscard]] bool isProcess(std::uint32_t index) const { return index < m_log.processes.size(); }
  [[nodiscard]] bool isPlace(const NcclPlace& place) const { return place.file < m_log.files.size(); }
  // Of something that may not be there.
  [[nodiscard]] bool isPlaceOrNone(const NcclPlace& place) const {
    return (place.file == 0 && place.line == 0) || isPlace(place);
  }
  [[nodiscard]] static bool isRank(std::int64_t rank) { return -1 <= rank && rank <= kMostRanks; }
  [[nodiscard]] static bool isChannel(std::int64_t channel) {
    return -1 <= channel && channel <= kMostChannels;
  }

  [[nodiscard]] bool sound(const NcclProcess& process) const {
    const auto finite = [](const NcclDevice& device) { return std::isfinite(device.gbitS); };
    return isPlaceOrNone(process.networkAt) && isPlaceOrNone(process.multicastAt) &&
           isPlaceOrNone(process.peerToPeerAt) &&
           std::ranges::all_of(process.environmentAt,
                               [&](const auto& of) { return isPlaceOrNone(of.second); }) &&
           std::ranges::all_of(process.devices, finite) && std::ranges::all_of(process.socketDevices, finite);
  }
  [[nodiscard]] bool sound(const NcclInstance& instance) const {
    return isProcess(instance.process) && isPlace(instance.at) && isRank(instance.rank) &&
           isRank(instance.ranks) && isRank(instance.nodes.value_or(0)) &&
           isRank(instance.localRanks.value_or(0)) && std::isfinite(instance.initSeconds.value_or(0));
  }
  [[nodiscard]] bool sound(const NcclRingLine& ring) const {
    return isInstance(ring.instance) && isChannel(ring.channel) && isChannel(ring.channels) &&
           std::ranges::all_of(ring.ranks, [](std::int32_t rank) { return isRank(rank); });
  }
  [[nodiscard]] bool sound(const NcclRingStep& step) const {
    return isInstance(step.instance) && isChannel(step.channel) && isRank(step.previous) &&
           isRank(step.rank) && isRank(step.next);
  }
  [[nodiscard]] bool sound(const NcclTreeNode& node) const {
    return isInstance(node.instance) && isChannel(node.channel) && isRank(node.rank) && isRank(node.up) &&
           std::ranges::all_of(node.down, [](std::int32_t rank) { return isRank(rank); });
  }
  [[nodiscard]] bool sound(const NcclLink& link) const {
    return isInstance(link.instance) && isProcess(link.process) && link.kind < m_log.kinds.size() &&
           isChannel(link.channel) && isRank(link.from) && isRank(link.to) && isRank(link.viaRank) &&
           link.direction <= NcclDirection::Receive && isPlace(link.at);
  }
  [[nodiscard]] bool sound(const NcclChoice& choice) const {
    return isInstance(choice.instance) && isProcess(choice.process) &&
           std::isfinite(choice.predictedUs.value_or(0));
  }
  [[nodiscard]] bool sound(const NcclTuning& tuning) const {
    return isProcess(tuning.process) && std::isfinite(tuning.latencyUs) && std::isfinite(tuning.gbS);
  }
  [[nodiscard]] bool sound(const NcclWarning& warning) const {
    return isPlace(warning.at) &&
           std::ranges::all_of(warning.processes, [&](const auto& of) { return isProcess(of.first); });
  }

  const NcclLog& m_log;
};

bool areSound(const std::vector<NcclTestTable>& tables) {
  return std::ranges::all_of(tables, [](const NcclTestTable& table) {
    return std::ranges::all_of(table.rows, [](const NcclTestRow& row) {
      return std::isfinite(row.timeUs) && std::isfinite(row.algbwGbS) && std::isfinite(row.busbwGbS) &&
             std::isfinite(row.inPlaceUs.value_or(0));
    });
  });
}

} // namespace

std::string packedNccl(const NcclRecords& records) {
  if (records.empty() && records.paths.empty()) return {};
  Packer packer;
  packer(records);
  return deflated(packer.bytes());
}

std::shared_ptr<const NcclRecords> unpackedNccl(std::string_view bytes) {
  const auto whole = inflated(bytes);
  if (!whole) return nullptr;
  auto records = std::make_shared<NcclRecords>();
  Unpacker unpacker(*whole);
  unpacker(*records);
  const bool sound =
      unpacker.ok() && unpacker.atEnd() && RecordsCheck(records->log).passes() && areSound(records->tables);
  return sound ? records : nullptr;
}

} // namespace rankscope
