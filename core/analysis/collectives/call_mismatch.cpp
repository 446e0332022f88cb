// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/collectives/call_mismatch.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// What a call is checked for.
struct CallShape {
  bool anySizes = false;   // each rank may send and receive what it likes
  bool anyInputs = false;  // only the root has inputs
  bool anyOutputs = false; // only the root has outputs
};

CallShape shapeOf(std::string_view operation) {
  CallShape shape;
  shape.anySizes = contains(operation, "all_to_all") || contains(operation, "alltoall") ||
                   contains(operation, "ALLTOALL") || contains(operation, "barrier");
  shape.anyInputs = contains(operation, "scatter") && !contains(operation, "reduce_scatter");
  shape.anyOutputs = contains(operation, "gather") && !contains(operation, "all_gather") &&
                     !contains(operation, "allgather");
  return shape;
}

// A text on what differs, by what members call at one sequence.
class CollectiveCheck {
 public:
  CollectiveCheck(HangGroup& group, std::span<const FlightRecord> records) : m_group(group) {
    for (const HangMember& member : group.members) {
      if (!member.dump) continue;
      const FlightRecord& record = records[*member.dump];
      const FlightEntry* const entry = callOf(record, member);
      if (entry != nullptr) m_calls.push_back({member.rank, &record, entry});
    }
  }

  void run() {
    if (m_calls.size() < 2) return;
    if (odd("", [](const Call& call) { return std::string(call.text(call.entry->operation)); })) return;
    const CallShape shape = shapeOf(m_calls.front().text(m_calls.front().entry->operation));
    if (!shape.anySizes && !shape.anyInputs &&
        odd("inputs ", [](const Call& call) { return std::string(call.text(call.entry->inputSizes)); }))
      return;
    if (!shape.anySizes && !shape.anyOutputs &&
        odd("outputs ", [](const Call& call) { return std::string(call.text(call.entry->outputSizes)); }))
      return;
    if (!shape.anyInputs && !shape.anyOutputs)
      static_cast<void>(
          odd("", [](const Call& call) { return std::string(call.text(call.entry->inputTypes)); }));
  }

 private:
  struct Call {
    int rank;
    const FlightRecord* record;
    const FlightEntry* entry;

    [[nodiscard]] std::string_view text(std::uint32_t id) const { return record->stacks.text(id); }
  };

  // The call of the first sequence that not all completed.
  const FlightEntry* callOf(const FlightRecord& record, const HangMember& member) const {
    if (member.entry && record.entries[*member.entry].sequence == m_group.firstUnfinished)
      return &record.entries[*member.entry];
    for (const FlightEntry& entry : record.entries) {
      const bool sameGroup = record.stacks.text(entry.groupName) == m_group.name && !entry.p2p;
      if (sameGroup && entry.sequence == m_group.firstUnfinished) return &entry;
    }
    return nullptr;
  }

  // Where values differ, the ranks that do not have the most frequent one; all if none is.
  template <class Value> bool odd(std::string_view what, Value&& value) {
    std::map<std::string, std::vector<int>> byValue;
    for (const Call& call : m_calls) byValue[value(call)].push_back(call.rank);
    byValue.erase(std::string()); // not recorded
    if (byValue.size() < 2) return false;
    const auto most = std::ranges::max_element(
        byValue, [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    const auto asMany = std::ranges::count_if(
        byValue, [&](const auto& one) { return one.second.size() == most->second.size(); });
    for (const auto& [text, ranks] : byValue) {
      if (!m_group.mismatch.empty()) m_group.mismatch += "; ";
      m_group.mismatch +=
          fmt::format("{}{} on rank{} {}", what, text, ranks.size() == 1 ? "" : "s", fmt::join(ranks, ", "));
      if (asMany > 1 || text != most->first)
        m_group.mismatched.insert(m_group.mismatched.end(), ranks.begin(), ranks.end());
    }
    std::ranges::sort(m_group.mismatched);
    return true;
  }

  HangGroup& m_group;
  std::vector<Call> m_calls;
};

// Of a send or receive: places of the ranks in the group.
struct TransferCall {
  std::size_t from = 0;
  std::size_t to = 0;
  bool sends = false;
};

// "send 0->3" and "recv 3<-0"; nothing for other texts.
std::optional<TransferCall> transferOf(std::string_view operation) {
  const bool sends = operation.starts_with("send ");
  if (!sends && !operation.starts_with("recv ")) return std::nullopt;
  const std::string_view ranks = operation.substr(5);
  const std::size_t arrow = ranks.find(sends ? "->" : "<-");
  if (arrow == std::string_view::npos) return std::nullopt;
  const auto placeOf = [](std::string_view text) -> std::optional<std::size_t> {
    std::size_t place = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), place);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    return whole ? std::optional(place) : std::nullopt;
  };
  const auto own = placeOf(ranks.substr(0, arrow));
  const auto other = placeOf(ranks.substr(arrow + 2));
  if (!own || !other || *own == *other) return std::nullopt;
  return sends ? TransferCall{*own, *other, true} : TransferCall{*other, *own, false};
}

struct SentOrReceived {
  std::int64_t elements = 0;
  std::string_view sizes, type; // "[]", "": not recorded

  [[nodiscard]] bool differsFrom(const SentOrReceived& other) const {
    const auto known = [](std::string_view shapes) { return !shapes.empty() && shapes != "[]"; };
    const bool knowSizes = known(sizes) && known(other.sizes);
    const bool knowTypes = !type.empty() && !other.type.empty();
    return (knowSizes && elements != other.elements) || (knowTypes && type != other.type);
  }
};

// The sends of one rank to another, or the receives there, in the order of the calls.
struct TransferEnd {
  std::vector<SentOrReceived> calls;
  std::ptrdiff_t finished = 0; // of them, from the first on
  bool fromTheFirst = false;   // the dump has all calls of the process

  [[nodiscard]] std::ptrdiff_t open() const { return std::ssize(calls) - finished; }
};

class TransferCheck {
 public:
  TransferCheck(HangGroup& group, std::span<const FlightRecord> records) : m_group(group) {
    if (!knowsPlaces()) return;
    for (std::size_t place = 0; place < group.members.size(); ++place) {
      const HangMember& member = group.members[place];
      if (member.dump && !records[*member.dump].partial) addCalls(place, records[*member.dump]);
    }
  }

  void run() {
    std::set<int> odd;
    for (const auto& [places, ends] : m_pairs) {
      const auto pair = surelyDiffering(ends.send, ends.receive);
      if (!pair) continue;
      const int from = m_group.members[places.first].rank;
      const int to = m_group.members[places.second].rank;
      if (!m_group.mismatch.empty()) m_group.mismatch += "; ";
      m_group.mismatch +=
          fmt::format("rank {} sends {} {} to rank {}, which receives {} {}", from, pair->first.sizes,
                      pair->first.type, to, pair->second.sizes, pair->second.type);
      odd.insert({from, to});
    }
    m_group.mismatched.assign(odd.begin(), odd.end());
  }

 private:
  struct Ends {
    TransferEnd send, receive;
  };
  using Differing = std::optional<std::pair<SentOrReceived, SentOrReceived>>;

  // Members that were taken from entries may lack some.
  [[nodiscard]] bool knowsPlaces() const {
    for (std::size_t place = 0; m_group.inferred && place < m_group.members.size(); ++place) {
      if (m_group.members[place].rank != static_cast<int>(place)) return false;
    }
    return true;
  }

  void addCalls(std::size_t place, const FlightRecord& record) {
    const bool fromTheFirst = hasAllCalls(record);
    std::vector<const FlightEntry*> entries;
    for (const FlightEntry& entry : record.entries) {
      if (entry.p2p && record.stacks.text(entry.groupName) == m_group.name) entries.push_back(&entry);
    }
    std::ranges::stable_sort(entries, {}, &FlightEntry::recordId);
    for (const FlightEntry* const entry : entries) {
      const auto call = transferOf(record.stacks.text(entry->operation));
      if (!call || (call->sends ? call->from : call->to) != place) continue;
      if (std::max(call->from, call->to) >= m_group.members.size()) continue;
      Ends& ends = m_pairs[{call->from, call->to}];
      TransferEnd& end = call->sends ? ends.send : ends.receive;
      end.fromTheFirst = fromTheFirst;
      if (end.open() == 0 && isFinished(*entry, -1)) ++end.finished;
      end.calls.push_back({call->sends ? entry->inputElements : entry->outputElements,
                           record.stacks.text(call->sends ? entry->inputSizes : entry->outputSizes),
                           record.stacks.text(call->sends ? entry->inputTypes : entry->outputTypes)});
    }
  }

  // Calls are numbered from 0. Old ones were overwritten, finished ones may be left out on request, and the
  // first versions have no numbers.
  static bool hasAllCalls(const FlightRecord& record) {
    std::set<std::int64_t> ids;
    for (const FlightEntry& entry : record.entries) ids.insert(entry.recordId);
    return ids.size() == record.entries.size() && !ids.empty() && *ids.begin() == 0 &&
           *ids.rbegin() + 1 == std::ssize(record.entries);
  }

  // A send may be finished, into a buffer, before its receive is: where calls are not numbered, the sender
  // may be ahead by as many as are open at the receiver.
  static Differing surelyDiffering(const TransferEnd& send, const TransferEnd& receive) {
    if (send.fromTheFirst && receive.fromTheFirst)
      return firstDiffering(send, receive, send.finished - receive.finished);
    const Differing differing = firstDiffering(send, receive, 0);
    for (std::ptrdiff_t ahead = 1; differing && ahead <= receive.open(); ++ahead) {
      if (!firstDiffering(send, receive, ahead)) return std::nullopt;
    }
    return differing;
  }

  // The first pair of which an end is open, and whose ends differ. ahead: how many more of the calls are
  // finished at the sender than at the receiver.
  static Differing firstDiffering(const TransferEnd& send, const TransferEnd& receive, std::ptrdiff_t ahead) {
    std::ptrdiff_t s = send.finished - std::max<std::ptrdiff_t>(ahead, 0);
    std::ptrdiff_t r = receive.finished + std::min<std::ptrdiff_t>(ahead, 0);
    for (; s < std::ssize(send.calls) && r < std::ssize(receive.calls); ++s, ++r) {
      if (s < 0) continue; // overwritten
      const SentOrReceived& sent = send.calls[static_cast<std::size_t>(s)];
      const SentOrReceived& received = receive.calls[static_cast<std::size_t>(r)];
      if (sent.differsFrom(received)) return std::pair(sent, received);
    }
    return std::nullopt;
  }

  HangGroup& m_group;
  std::map<std::pair<std::size_t, std::size_t>, Ends> m_pairs; // by sender and receiver
};

} // namespace

void compareCalls(HangGroup& group, std::span<const FlightRecord> records) {
  CollectiveCheck(group, records).run();
}

void compareTransfers(HangGroup& group, std::span<const FlightRecord> records) {
  TransferCheck(group, records).run();
}

} // namespace rankscope
