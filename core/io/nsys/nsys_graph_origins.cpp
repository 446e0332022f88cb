// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/nsys/nsys_graph_origins.h"

#include "core/io/nsys/nsys_tables.h"
#include "core/io/nsys/nsys_text.h"
#include "core/model/captured_in.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace rankscope {

namespace {

constexpr int kMostClones = 64; // a chain that does not end is damage
constexpr std::size_t kMostRanges = 32;

struct Creation {
  std::int64_t start = 0, thread = 0, name = 0;
  std::optional<std::int64_t> original; // the node that it is a clone of
};

using Creations = std::map<std::int64_t, Creation>; // by node

// Of a process. Until 2022 they stood in the table of graphs.
Creations creationsOf(const SqliteFile& file, std::int64_t process) {
  enum Column : int { Start, Thread, Name, Node, Original };
  static constexpr std::array<std::string_view, 5> kColumns{"start", "globalTid", "nameId", "graphNodeId",
                                                            "originalGraphNodeId"};
  Creations creations;
  for (const std::string_view name : {"CUDA_GRAPH_NODE_EVENTS", "CUDA_GRAPH_EVENTS"}) {
    const SqliteTable* const table = file.table(name);
    if (table == nullptr || !table->has("graphNodeId")) continue;
    SqliteRows rows(file, *table, kColumns);
    if (!rows.readable()) continue;
    SqliteScan scan(rows);
    while (scan.next()) {
      if (rows.isNull(Node) || processKey(rows.integer(Thread)) != process) continue;
      creations.try_emplace(rows.integer(Node), Creation{rows.integer(Start), rows.integer(Thread),
                                                         rows.integer(Name), rows.optionalInteger(Original)});
    }
  }
  return creations;
}

// The creation of a node, or of the one that it is a clone of.
Creations::const_iterator firstOf(const Creations& creations, std::int64_t node) {
  auto found = creations.find(node);
  for (int i = 0; i < kMostClones && found != creations.end(); ++i) {
    const std::optional<std::int64_t> original = found->second.original;
    if (!original || *original == found->first) break;
    const auto before = creations.find(*original);
    if (before == creations.end()) break;
    found = before;
  }
  return found;
}

// Records are written only by the thread that joins their process.
template <class T> std::span<T> writable(const StoredSpan<T>& stored) {
  if (stored.values.empty()) return {};
  const std::span<T> all = stored.chunk->span();
  return all.subspan(static_cast<std::size_t>(stored.values.data() - all.data()), stored.values.size());
}

template <class Use> void eachDeviceRecord(std::span<const NsysProcessPart> parts, Use&& use) {
  for (const NsysProcessPart& of : parts) {
    for (RawDevice& record : writable(of.part->slice.stored.device)) use(record);
    for (RawDevice& record : of.part->slice.device) use(record);
  }
}

// The operators of some threads, callers before what they call.
std::map<std::int64_t, std::vector<RawEvent*>> operatorsOf(std::span<const NsysProcessPart> parts,
                                                           const std::set<std::int64_t>& threads) {
  std::map<std::int64_t, std::vector<RawEvent*>> operators; // by thread id
  for (const NsysProcessPart& of : parts) {
    std::vector<std::vector<RawEvent*>*> ofTrack;
    ofTrack.reserve(of.tables->tables->tracks.size());
    for (const RawTrack& track : of.tables->tables->tracks) {
      const std::int64_t thread = std::strtoll(track.thread.c_str(), nullptr, 10);
      ofTrack.push_back(track.kind == TrackKind::Thread && threads.contains(thread) ? &operators[thread]
                                                                                    : nullptr);
    }
    const auto take = [&](RawEvent& event) {
      if (static_cast<EventKind>(event.kind) != EventKind::CpuOp || ofTrack[event.track] == nullptr) return;
      ofTrack[event.track]->push_back(&event);
    };
    std::ranges::for_each(writable(of.part->slice.stored.events), take);
    std::ranges::for_each(of.part->slice.events, take);
  }
  for (auto& [thread, of] : operators)
    std::ranges::sort(of, {}, [](const RawEvent* event) {
      return std::tuple(event->begin, -event->duration, event->sourceBits);
    });
  return operators;
}

// Calls use(start, end, rows) for each row of a table that holds this time of this thread.
template <class Use>
void eachAround(const SqliteFile& file, NsysTable of, const Creation& creation, int threadColumn, Use&& use) {
  const NsysTableSpec& spec = nsysTable(of);
  const SqliteTable* const table = file.table(spec.name);
  if (table == nullptr) return;
  SqliteRows rows(file, *table, spec.columns);
  if (!rows.readable()) return;
  SqliteScan scan(rows);
  while (scan.next()) {
    if (rows.integer(threadColumn) != creation.thread || rows.isNull(kEnd)) continue;
    if (rows.integer(kStart) <= creation.start && rows.integer(kEnd) >= creation.start)
      use(rows.integer(kStart), rows);
  }
}

} // namespace

std::optional<GraphNodeOrigin> originOfGraphNode(const SqliteFile& file, NsysStrings& strings,
                                                 std::int64_t process, std::int64_t node) {
  const Creations creations = creationsOf(file, processKey(process));
  const auto found = firstOf(creations, node);
  if (found == creations.end()) return std::nullopt;
  GraphNodeOrigin origin;
  origin.node = found->first;
  std::optional<std::int64_t> begin; // of the innermost call
  eachAround(file, NsysTable::Runtime, found->second, kThread,
             [&](std::int64_t start, const SqliteRows& rows) {
               if (begin && *begin > start) return;
               begin = start;
               origin.call = callName(displayText(strings.text(rows.integer(kNameId)).value_or("")));
             });
  std::vector<std::pair<std::int64_t, std::string>> ranges;
  eachAround(file, NsysTable::Nvtx, found->second, kNvtxThread,
             [&](std::int64_t start, const SqliteRows& rows) {
               if (ranges.size() >= kMostRanges) return;
               std::string text(rows.bytes(kText));
               if (rows.isNull(kText) && !rows.isNull(kTextId))
                 text = strings.text(rows.integer(kTextId)).value_or("");
               ranges.emplace_back(start, displayText(operatorText(text).name));
             });
  std::ranges::stable_sort(ranges, std::greater<>(), &std::pair<std::int64_t, std::string>::first);
  for (auto& [start, name] : ranges) origin.ranges.push_back(std::move(name));
  return origin;
}

void linkCapturingOperators(const SqliteFile& file, std::int64_t process, TimeNs shift,
                            std::span<const NsysProcessPart> parts) {
  std::set<std::uint64_t> nodes;
  eachDeviceRecord(parts, [&](const RawDevice& record) {
    if (record.externalId != 0) nodes.insert(record.externalId);
  });
  if (nodes.empty()) return;
  const Creations creations = creationsOf(file, processKey(process));
  struct Capture {
    TimeNs time = 0;
    std::uint64_t node = 0;
  };
  std::map<std::int64_t, std::vector<Capture>> captures; // by thread id
  std::set<std::int64_t> threads;
  for (const std::uint64_t node : nodes) {
    const auto found = firstOf(creations, static_cast<std::int64_t>(node));
    if (found == creations.end()) continue;
    const std::int64_t thread = tidOf(found->second.thread);
    TimeNs time = 0;
    if (__builtin_sub_overflow(found->second.start, shift, &time)) continue;
    captures[thread].push_back({time, node});
    threads.insert(thread);
  }
  const std::map<std::int64_t, std::vector<RawEvent*>> operators = operatorsOf(parts, threads);
  std::map<std::uint64_t, std::uint32_t> idOf; // by node
  std::uint32_t last = kCapturedIn;
  for (auto& [thread, of] : captures) {
    const auto own = operators.find(thread);
    if (own == operators.end()) continue;
    std::ranges::sort(of, {}, [](const Capture& capture) { return std::tuple(capture.time, capture.node); });
    std::vector<RawEvent*> open; // operators around the current time
    auto next = own->second.begin();
    for (const Capture& capture : of) {
      const auto closeEnded = [&](TimeNs before) {
        while (!open.empty() && open.back()->begin + open.back()->duration < before) open.pop_back();
      };
      for (; next != own->second.end() && (*next)->begin <= capture.time; ++next) {
        closeEnded((*next)->begin);
        open.push_back(*next);
      }
      closeEnded(capture.time);
      if (open.empty() || last == kNoRecord) continue;
      if (open.back()->link == 0) open.back()->link = ++last;
      idOf.emplace(capture.node, open.back()->link);
    }
  }
  eachDeviceRecord(parts, [&](RawDevice& record) {
    const auto found = idOf.find(record.externalId);
    record.externalId = found == idOf.end() ? 0 : found->second;
  });
}

} // namespace rankscope
