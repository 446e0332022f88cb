// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/digest/flight_image.h"

#include "core/base/byte_pack.h"
#include "core/base/deflated.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

// A StackPool, of which the first text and the first stack are always the same.
struct StackImage {
  std::vector<std::string> texts;
  std::vector<StackFrame> frames;
  std::vector<std::vector<std::uint32_t>> stacks;
};

} // namespace

template <class Archive, Described<StackFrame> T> void describe(Archive& archive, T& frame) {
  auto& [file, function, line] = frame;
  archive(file, function, line);
}

template <class Archive, Described<StackImage> T> void describe(Archive& archive, T& image) {
  auto& [texts, frames, stacks] = image;
  archive(texts, frames, stacks);
}

template <class Archive, Described<FlightGroup> T> void describe(Archive& archive, T& group) {
  auto& [name, desc, ranks] = group;
  archive(name, desc, ranks);
}

template <class Archive, Described<FlightStatus> T> void describe(Archive& archive, T& status) {
  auto& [groupId, enqueued, started, completed] = status;
  archive(groupId, enqueued, started, completed);
}

template <class Archive, Described<FlightEntry> T> void describe(Archive& archive, T& entry) {
  auto& [recordId, groupId, groupName, groupDesc, sequence, p2pSequence, operation, backend, inputSizes,
         outputSizes, inputTypes, outputTypes, inputElements, outputElements, created, started, completed,
         timeoutMs, stack, state, retired, p2p] = entry;
  archive(recordId, groupId, groupName, groupDesc, sequence, p2pSequence, operation, backend, inputSizes,
          outputSizes, inputTypes, outputTypes, inputElements, outputElements, created, started, completed,
          timeoutMs, stack, state, retired, p2p);
}

namespace {

StackImage imageOf(const StackPool& pool) {
  StackImage image;
  for (std::size_t i = 1; i < pool.textCount(); ++i)
    image.texts.emplace_back(pool.text(static_cast<std::uint32_t>(i)));
  for (std::size_t i = 0; i < pool.frameCount(); ++i)
    image.frames.push_back(pool.frame(static_cast<std::uint32_t>(i)));
  for (std::size_t i = 1; i < pool.stackCount(); ++i) {
    const auto frames = pool.stack(static_cast<std::uint32_t>(i));
    image.stacks.emplace_back(frames.begin(), frames.end());
  }
  return image;
}

// False if it is none: an index too large, or what a pool has once is there twice.
bool addImage(const StackImage& image, StackPool& pool) {
  for (std::size_t i = 0; i < image.texts.size(); ++i)
    if (pool.addText(image.texts[i]) != i + 1) return false;
  for (std::size_t i = 0; i < image.frames.size(); ++i) {
    const StackFrame& frame = image.frames[i];
    if (std::max(frame.file, frame.function) >= pool.textCount() || pool.addFrame(frame) != i) return false;
  }
  for (std::size_t i = 0; i < image.stacks.size(); ++i) {
    const auto exists = [&](std::uint32_t frame) { return frame < pool.frameCount(); };
    if (!std::ranges::all_of(image.stacks[i], exists) || pool.addStack(image.stacks[i]) != i + 1)
      return false;
  }
  return true;
}

bool isSound(const FlightEntry& entry, const StackPool& pool) {
  const std::uint32_t text =
      std::max({entry.groupName, entry.groupDesc, entry.operation, entry.backend, entry.inputSizes,
                entry.outputSizes, entry.inputTypes, entry.outputTypes});
  return text < pool.textCount() && entry.stack < pool.stackCount() && entry.state <= FlightState::Completed;
}

} // namespace

std::string packedFlight(const FlightRecord& record) {
  Packer packer;
  packer(record.path, record.rank, record.bytes, record.written, record.version, record.libraryVersion,
         record.json, record.partial, imageOf(record.stacks), record.groups, record.status, record.entries);
  return deflated(packer.bytes());
}

std::optional<FlightRecord> unpackedFlight(std::string_view bytes) {
  const auto whole = inflated(bytes);
  if (!whole) return std::nullopt;
  FlightRecord record;
  StackImage stacks;
  Unpacker unpacker(*whole);
  unpacker(record.path, record.rank, record.bytes, record.written, record.version, record.libraryVersion,
           record.json, record.partial, stacks, record.groups, record.status, record.entries);
  const auto isSorted = [](const FlightGroup& group) { return std::ranges::is_sorted(group.ranks); };
  if (!unpacker.ok() || !unpacker.atEnd() || !addImage(stacks, record.stacks) ||
      !std::ranges::all_of(record.groups, isSorted) ||
      !std::ranges::all_of(record.entries,
                           [&](const FlightEntry& entry) { return isSound(entry, record.stacks); }))
    return std::nullopt;
  return record;
}

} // namespace rankscope
