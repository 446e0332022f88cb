// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/nsys/nsys_nccl.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

// One operation, or the operations of a group.
struct Operation {
  TimeRange range; // of the call that launches it
  std::string_view name;
  std::uint64_t communicator = 0;
  std::int64_t in = -1;
  std::int64_t out = -1;
  std::int64_t peer = -1;
  std::int64_t sequence = -1;
};

constexpr std::string_view kExchange = "sendrecv"; // of some ranks
constexpr std::string_view kAllToAll = "all_to_all";

struct Communicator {
  std::int64_t ranks = -1;
  std::int64_t rank = -1;
  bool made = false; // within the capture, so that its operations can be counted from the first
  std::int64_t operations = 0;
};

std::string hexText(std::uint64_t value) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(value));
  return text.data();
}

class NcclJoin {
 public:
  NcclJoin(std::span<const NsysProcessPart> parts, const PayloadSchemas& schemas)
      : m_parts(parts), m_schemas(schemas) {}

  NcclRank run() {
    gather();
    for (auto& [thread, ranges] : m_ranges) takeThread(thread, ranges);
    numberOperations();
    linkCalls();
    addCollectives();
    return m_result;
  }

 private:
  struct Decoded {
    TimeRange range;
    std::string_view name;
    std::optional<NcclPayload> payload;
  };

  void gather();
  void takeThread(std::int64_t thread, std::vector<Decoded>& ranges);
  [[nodiscard]] std::optional<Operation> operationOf(const Decoded& range);
  [[nodiscard]] Operation joined(const std::vector<Operation>& group, TimeRange end);
  void numberOperations();
  void linkCalls();
  void addCollectives();

  std::span<const NsysProcessPart> m_parts;
  const PayloadSchemas& m_schemas;
  std::map<std::int64_t, std::vector<Decoded>> m_ranges;       // by thread
  std::map<std::int64_t, std::vector<Operation>> m_operations; // by thread id, by time
  std::map<std::uint64_t, Communicator> m_communicators;
  std::unordered_map<std::uint64_t, const Operation*> m_byCorrelation;
  NcclRank m_result;
};

void NcclJoin::gather() {
  for (const NsysProcessPart& of : m_parts) {
    for (const NcclRange& range : of.part->pending.payloads) {
      const std::string_view name = of.tables->tables->names[NameId(range.name)];
      if (!name.starts_with("nccl")) continue;
      Decoded decoded{range.range, name, {}};
      if (!range.payload.empty()) decoded.payload = m_schemas.decode(range.domain, range.payload);
      if (decoded.payload && decoded.payload->communicator && decoded.payload->ranks) {
        // Its end says of how many ranks it is, too; but then it may have begun before the capture.
        static constexpr std::array<std::string_view, 4> kMakers{"Init", "Split", "Shrink", "Grow"};
        Communicator& made = m_communicators[*decoded.payload->communicator];
        made.made = made.made || std::ranges::any_of(kMakers, [&](std::string_view word) {
                      return name.find(word) != std::string_view::npos;
                    });
        made.ranks = *decoded.payload->ranks;
        made.rank = decoded.payload->rank.value_or(-1);
        m_result.sizes[*decoded.payload->communicator] = made.ranks;
        if (made.rank >= 0 && made.ranks > m_result.worldSize) {
          m_result.worldSize = made.ranks;
          m_result.rank = made.rank;
          m_result.communicator = *decoded.payload->communicator;
        }
      }
      m_ranges[range.thread].push_back(decoded);
    }
  }
}

// Without a payload, the range says only what is done.
std::optional<Operation> NcclJoin::operationOf(const Decoded& range) {
  Operation operation;
  operation.range = range.range;
  if (!range.payload || !range.payload->bytes) {
    operation.name = ncclVolume(range.name, 0, 0).operation;
    return operation.name.empty() ? std::nullopt : std::optional(operation);
  }
  operation.communicator = range.payload->communicator.value_or(0);
  Communicator& communicator = m_communicators[operation.communicator];
  const NcclVolume volume = ncclVolume(range.name, *range.payload->bytes, communicator.ranks);
  if (volume.operation.empty()) return std::nullopt;
  operation.name = volume.operation;
  operation.in = volume.in;
  operation.out = volume.out;
  operation.peer = range.payload->peer.value_or(-1);
  return operation;
}

// Whether the sends and receives of a group go to all ranks of a communicator, or also from a rank to itself,
// as no transfer does: PyTorch's all-to-all.
bool isAllToAll(const std::vector<Operation>& group, const Communicator& communicator) {
  std::set<std::int64_t> to, from;
  for (const Operation& of : group) {
    if (of.peer < 0 || of.communicator != group.front().communicator) return false;
    (of.name == "send" ? to : from).insert(of.peer);
  }
  const auto all = static_cast<std::size_t>(std::max<std::int64_t>(communicator.ranks, 0));
  if (all > 1 && to.size() == all && from.size() == all) return true;
  return communicator.rank >= 0 && to.contains(communicator.rank) && from.contains(communicator.rank);
}

// Sends and receives of a group are one exchange; of other operations the first stands for all.
Operation NcclJoin::joined(const std::vector<Operation>& group, TimeRange end) {
  Operation all = group.front();
  all.range = end;
  std::int64_t in = 0, out = 0;
  if (group.size() > 1 && isAllToAll(group, m_communicators[all.communicator])) all.name = kAllToAll;
  for (const Operation& of : group) {
    if (of.name != all.name && all.name != kAllToAll) all.name = kExchange;
    const std::int64_t sent = of.name == "recv" ? 0 : std::max<std::int64_t>(of.in, 0);
    const std::int64_t received = of.name == "send" ? 0 : std::max<std::int64_t>(of.out, 0);
    if (__builtin_add_overflow(in, sent, &in) || __builtin_add_overflow(out, received, &out)) return all;
  }
  if (all.name == "send") out = in;
  if (all.name == "recv") in = out;
  if (group.size() > 1) {
    const bool sized = all.in >= 0 || all.out >= 0;
    all.in = sized ? in : -1;
    all.out = sized ? out : -1;
    if (all.peer >= 0) all.peer = -1;
  }
  return all;
}

void NcclJoin::takeThread(std::int64_t thread, std::vector<Decoded>& ranges) {
  std::ranges::sort(ranges, {}, [](const Decoded& of) { return std::tuple(of.range.begin, -of.range.end); });
  std::vector<Operation>& operations = m_operations[tidOf(thread)];
  std::vector<Operation> group;
  int depth = 0;
  for (const Decoded& range : ranges) {
    if (range.name == "ncclGroupStart") {
      if (depth++ == 0) group.clear();
    } else if (range.name == "ncclGroupEnd") {
      if (depth == 0 || --depth > 0 || group.empty()) continue;
      const Operation all = joined(group, range.range);
      // Of unknown peers, PyTorch's own range tells an all-to-all from transfers.
      if (all.communicator != 0 || all.name != kExchange) operations.push_back(all);
    } else if (const auto operation = operationOf(range)) {
      if (depth > 0)
        group.push_back(*operation);
      else
        operations.push_back(*operation);
    }
  }
}

// Operations of a communicator count from its beginning, over all threads: the backward pass has its own.
void NcclJoin::numberOperations() {
  std::vector<Operation*> all;
  for (auto& [thread, operations] : m_operations) {
    for (Operation& operation : operations) {
      const auto known = m_communicators.find(operation.communicator);
      const bool counts = known != m_communicators.end() && known->second.made;
      // Ranks send and receive differently often.
      if (counts && operation.peer < 0 && operation.name != kExchange) all.push_back(&operation);
    }
  }
  std::ranges::stable_sort(all, {}, [](const Operation* of) { return of->range.begin; });
  for (Operation* const operation : all)
    operation->sequence = ++m_communicators[operation->communicator].operations;
}

// The operation whose range on the thread contains the call.
void NcclJoin::linkCalls() {
  for (const NsysProcessPart& of : m_parts) {
    std::vector<const std::vector<Operation>*> ofTrack;
    for (const RawTrack& track : of.tables->tables->tracks) {
      const auto found = m_operations.find(std::strtoll(track.thread.c_str(), nullptr, 10));
      ofTrack.push_back(found == m_operations.end() || track.kind != TrackKind::Thread ? nullptr
                                                                                       : &found->second);
    }
    eachEvent(of.part->slice, [&](const RawEvent& event) {
      if (static_cast<EventKind>(event.kind) != EventKind::Runtime || event.link == 0) return;
      const std::vector<Operation>* const operations = ofTrack[event.track];
      if (operations == nullptr) return;
      const auto after = std::ranges::upper_bound(*operations, event.begin, {},
                                                  [](const Operation& o) { return o.range.begin; });
      if (after == operations->begin()) return;
      const Operation& last = *std::prev(after);
      if (event.begin + event.duration <= last.range.end) m_byCorrelation.emplace(event.link, &last);
    });
  }
}

void NcclJoin::addCollectives() {
  for (const NsysProcessPart& of : m_parts) {
    SliceEvents& slice = of.part->slice;
    const std::size_t stored = slice.stored.device.values.size();
    eachEvent(slice, [&](const RawEvent& event) {
      if (static_cast<EventKind>(event.kind) != EventKind::Collective) return;
      const RawDevice& device =
          event.link < stored ? slice.stored.device.values[event.link] : slice.device[event.link - stored];
      const auto found = m_byCorrelation.find(device.correlation);
      if (found == m_byCorrelation.end()) return;
      const Operation& operation = *found->second;
      const SourceRef at = event.source();
      RawCollective collective;
      collective.source = at;
      collective.operation = of.tables->intern(operation.name, at);
      // Of data that is only moved, the size of the elements is not recorded: they count as bytes.
      NcclType type = ncclTypeOf(of.tables->tables->names[NameId(event.name)]);
      const auto whole = [&](std::int64_t bytes) { return bytes < 0 || bytes % type.bytes == 0; };
      const bool sized = operation.in >= 0 || operation.out >= 0;
      if (sized && (type.dtype.empty() || !whole(operation.in) || !whole(operation.out))) type = {"Byte", 1};
      const auto elements = [&](std::int64_t bytes) { return bytes < 0 ? bytes : bytes / type.bytes; };
      if (!type.dtype.empty()) collective.dtype = of.tables->intern(type.dtype, at);
      if (operation.communicator != 0) {
        const Communicator& communicator = m_communicators[operation.communicator];
        collective.groupName = of.tables->intern(hexText(operation.communicator), at);
        collective.commsId = operation.communicator;
        collective.groupSize = communicator.ranks;
        collective.rank = communicator.rank;
      }
      collective.inElements = elements(operation.in);
      collective.outElements = elements(operation.out);
      collective.peer = TransferPeer::of(operation.peer, PeerNumbering::Group);
      collective.sequence = operation.sequence;
      slice.collectives.push_back(collective);
    });
  }
}

} // namespace

NcclRank joinNccl(std::span<const NsysProcessPart> parts, const PayloadSchemas& schemas) {
  return NcclJoin(parts, schemas).run();
}

} // namespace rankscope
