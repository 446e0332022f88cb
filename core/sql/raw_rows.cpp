// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sql/raw_rows.h"

#include "core/analysis/classify/short_name.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace rankscope {

namespace {

std::int64_t whole(std::size_t value) {
  return static_cast<std::int64_t>(value);
}

Cell eventCell(RankIndex rank, EventIndex event) {
  return event.valid() ? Cell(EventSource::idOf({rank, event})) : Cell();
}

Cell knownCell(std::int64_t value) {
  return value < 0 ? Cell() : Cell(value);
}

// Whether something that begins at this time is in the part of the job that is asked about.
bool inWindow(const Analysis& analysis, RankIndex rank, TimeNs begin) {
  const RankRange window = analysis.window(rank);
  return window == kWholeRecording || window.contains(RankTime(begin));
}

// names

class NameRows : public SqlRows {
 public:
  explicit NameRows(const EventSource& source) : m_names(source.trace().names()), m_short(m_names.size()) {
    m_kinds.resize(m_names.size(), -1);
    for (const RankIndex rank : source.analysis().ranks()) {
      const EventColumns& events = source.traceOf(rank).events;
      for (std::size_t i = 0; i < events.size(); ++i) {
        const NameId name = events.name[i];
        if (name.valid() && m_kinds[name.value] < 0) m_kinds[name.value] = static_cast<int>(events.kind[i]);
      }
    }
    for (std::size_t i = 0; i < m_short.size(); ++i) {
      const EventKind kind = m_kinds[i] < 0 ? EventKind::Other : static_cast<EventKind>(m_kinds[i]);
      m_short[i] = shortName(kind, m_names[NameId(i)]);
    }
  }
  [[nodiscard]] std::size_t count() const override { return m_names.size(); }
  [[nodiscard]] Cell at(std::size_t row, std::size_t column) const override {
    switch (column) {
    case 0:
      return whole(row);
    case 1:
      return m_names[NameId(row)];
    case 2:
      return std::string_view(m_short[row]);
    default:
      return m_kinds[row] < 0 ? Cell() : Cell(kindText(static_cast<EventKind>(m_kinds[row])));
    }
  }

 private:
  const StringTable& m_names;
  std::vector<std::string> m_short;
  std::vector<int> m_kinds; // of the first event with the name; -1 none
};

// event_links

struct EventLink {
  RankIndex rank;
  EventIndex from;
  EventIndex to;
  std::uint8_t kind;
};

constexpr std::string_view kLinkKinds[] = {"launch", "fwdbwd", "wait"};

class LinkRows : public SqlRows {
 public:
  explicit LinkRows(const EventSource& source) {
    for (const RankIndex rank : source.analysis().ranks()) {
      const RankTrace& trace = source.traceOf(rank);
      m_links.reserve(m_links.size() + trace.byLaunch.size() + trace.forwardBackward.size() +
                      trace.waits.size());
      for (const EventIndex event : trace.byLaunch)
        m_links.push_back({rank, trace.deviceDetail(event).launch, event, 0});
      for (const EventFlow& flow : trace.forwardBackward) m_links.push_back({rank, flow.from, flow.to, 1});
      for (const EventWait& wait : trace.waits) {
        const EventIndex waiting = wait.after.valid() ? wait.after : wait.call;
        if (wait.before.valid() && waiting.valid()) m_links.push_back({rank, wait.before, waiting, 2});
      }
    }
  }
  [[nodiscard]] std::size_t count() const override { return m_links.size(); }
  [[nodiscard]] Cell at(std::size_t row, std::size_t column) const override {
    const EventLink& link = m_links[row];
    if (column == 0) return eventCell(link.rank, link.from);
    if (column == 1) return eventCell(link.rank, link.to);
    return kLinkKinds[link.kind];
  }

 private:
  std::vector<EventLink> m_links;
};

// memory_events

class MemoryRows : public SqlRows {
 public:
  explicit MemoryRows(const EventSource& source) : m_source(source) {
    for (const RankIndex rank : source.analysis().ranks()) {
      const RankTrace& trace = source.traceOf(rank);
      m_owners.resize(rank.value + std::size_t{1});
      m_owners[rank.value] = &source.analysis().memoryOwners(rank);
      for (std::size_t i = 0; i < trace.memory.size(); ++i) {
        const MemoryDevice device = MemoryDevice::of(trace.memory[i]);
        m_devices.try_emplace(device, device.name());
        if (inWindow(source.analysis(), rank, trace.memory[i].time))
          m_records.emplace_back(rank, static_cast<std::uint32_t>(i));
      }
    }
  }
  [[nodiscard]] std::size_t count() const override { return m_records.size(); }
  [[nodiscard]] Cell at(std::size_t row, std::size_t column) const override {
    const auto [rank, index] = m_records[row];
    const MemoryEvent& record = m_source.traceOf(rank).memory[index];
    switch (column) {
    case 0:
      return std::int64_t{m_source.trace().rank(rank).rank};
    case 1:
      return std::int64_t{m_source.trace().rank(rank).capture};
    case 2:
      return std::string_view(m_devices.find(MemoryDevice::of(record))->second);
    case 3:
      return m_source.sinceBegin(rank, record.time);
    case 4:
      return record.bytes;
    case 5:
      return static_cast<std::int64_t>(record.address);
    case 6:
      return knownCell(record.totalAllocated);
    case 7:
      return knownCell(record.totalReserved);
    default:
      return index < m_owners[rank.value]->size() ? eventCell(rank, (*m_owners[rank.value])[index]) : Cell();
    }
  }

 private:
  const EventSource& m_source;
  std::vector<std::pair<RankIndex, std::uint32_t>> m_records;
  std::vector<const std::vector<EventIndex>*> m_owners; // by rank
  std::map<MemoryDevice, std::string> m_devices;
};

// collective_events

class CollectiveRows : public SqlRows {
 public:
  CollectiveRows(const Analysis& analysis, const EventSource& source)
      : m_analysis(analysis), m_source(source), m_match(analysis.collectives().match) {
    for (const JobGroup& group : m_match.groups) m_labels.push_back(group.label());
    for (std::size_t i = 0; i < m_match.instances.size(); ++i) {
      const CollectiveInstance& instance = m_match.instances[i];
      for (std::uint32_t p = instance.first; p < instance.first + instance.count; ++p) {
        const RankIndex rank = m_match.participants[p].rank;
        if (std::ranges::binary_search(analysis.ranks(), rank) &&
            inWindow(analysis, rank, callOf(m_match.participants[p]).range.begin.ns()))
          m_rows.emplace_back(static_cast<std::uint32_t>(i), p);
      }
    }
  }
  [[nodiscard]] std::size_t count() const override { return m_rows.size(); }
  [[nodiscard]] Cell at(std::size_t row, std::size_t column) const override {
    const auto [number, p] = m_rows[row];
    const CollectiveInstance& instance = m_match.instances[number];
    const Participant& part = m_match.participants[p];
    switch (column) {
    case 0:
      return std::int64_t{number} + 1;
    case 4:
      return std::int64_t{instance.group.value};
    case 5:
      return textCell(m_labels[instance.group.value]);
    case 6:
      return operationText(instance.operation);
    case 7:
      return cellOf(instance.bytes);
    case 8:
      return instance.dtype.valid() ? textCell(m_source.trace().names()[instance.dtype]) : Cell();
    case 15:
      return instance.matched() ? Cell(std::int64_t{instance.lastRank == part.rank ? 1 : 0}) : Cell();
    case 16:
      return textCell(matchedByText(instance.matchedBy));
    default:
      return ofPart(instance, part, column);
    }
  }

 private:
  [[nodiscard]] const CollectiveCall& callOf(const Participant& part) const {
    return m_analysis.collectiveCalls(part.rank)[part.call];
  }
  [[nodiscard]] Cell ofPart(const CollectiveInstance& instance, const Participant& part,
                            std::size_t column) const {
    const RankEntry& entry = m_source.trace().rank(part.rank);
    const CollectiveCall& call = callOf(part);
    const JobTime begin = m_analysis.extent().begin;
    const auto ofMatched = [&](TimeNs value) { return instance.matched() ? Cell(value) : Cell(); };
    switch (column) {
    case 1:
      return std::int64_t{entry.rank};
    case 2:
      return std::int64_t{entry.capture};
    case 3:
      return eventCell(part.rank, call.event);
    case 9:
      return part.range.begin - begin;
    case 10:
      return part.range.end - begin;
    case 11:
      return ofMatched(part.range.begin - instance.firstBegin);
    case 12:
      return ofMatched(part.wait);
    case 13:
      return ofMatched(part.transfer);
    case 14:
      return m_analysis.wholeActivity(part.rank).exposed.coveredWithin(call.range.ns());
    default: {
      const auto step = m_source.facts(part.rank).stepOf(call.event);
      return cellOf(step);
    }
    }
  }

  const Analysis& m_analysis;
  const EventSource& m_source;
  const CollectiveMatch& m_match;
  std::vector<std::string> m_labels;                           // by group
  std::vector<std::pair<std::uint32_t, std::uint32_t>> m_rows; // instance and participant
};

// gap_events

class GapRows : public SqlRows {
 public:
  GapRows(const JobReport& report, const EventSource& source)
      : m_source(source), m_account(report.account()) {
    const Analysis& analysis = report.analysis();
    for (const RankIndex rank : analysis.ranks()) {
      const IdleGaps& gaps = analysis.gaps(rank);
      m_gaps.reserve(m_gaps.size() + gaps.ofDevices.size() + gaps.ofStreams.size());
      for (const IdleGap& gap : gaps.ofDevices) m_gaps.emplace_back(rank, &gap);
      for (const IdleGap& gap : gaps.ofStreams) m_gaps.emplace_back(rank, &gap);
    }
  }
  [[nodiscard]] std::size_t count() const override { return m_gaps.size(); }
  [[nodiscard]] Cell at(std::size_t row, std::size_t column) const override {
    const auto& [rank, gap] = m_gaps[row];
    switch (column) {
    case 0:
      return std::int64_t{m_source.trace().rank(rank).rank};
    case 1:
      return std::int64_t{m_source.trace().rank(rank).capture};
    case 2:
      return std::int64_t{gap->device};
    case 3:
      return cellOf(gap->stream);
    case 4:
      return m_source.sinceBegin(rank, gap->range.begin);
    case 5:
      return gap->range.length();
    case 6:
      return gapCauseText(gap->cause);
    case 7:
      return leafOf(rank, gap->range);
    case 8:
      return eventCell(rank, gap->waitedFor.valid() ? gap->waitedFor : gap->hostEvent);
    case 9:
      return eventCell(rank, gap->next);
    default: {
      if (!gap->step) return {};
      const std::int64_t step = m_source.analysis().wholeStepWindows(rank).steps[*gap->step].number;
      return step == Step::kUnknownNumber ? Cell() : Cell(step);
    }
    }
  }

 private:
  // The leaf with most of the gap, as in the table gaps.
  [[nodiscard]] Cell leafOf(RankIndex rank, TimeRange gap) const {
    const LeafTimes times = m_account.of(rank).pieces.within(gap);
    const LeafTime* largest = nullptr;
    for (const LeafTime& part : times) {
      if (part.timeClass == TimeClass::Idle && (largest == nullptr || part.time > largest->time))
        largest = &part;
    }
    return largest == nullptr ? Cell() : Cell(leafText(largest->leaf));
  }

  const EventSource& m_source;
  const JobAccount& m_account;
  std::vector<std::pair<RankIndex, const IdleGap*>> m_gaps;
};

} // namespace

std::vector<RawTableSpec> rowSpecs() {
  std::vector<RawTableSpec> specs;
  specs.push_back({"names",
                   "Distinct names.",
                   {{"name_id", kId, "number of the name"},
                    {"name", Unit::Text, "name as recorded"},
                    {"short_name", Unit::Text, "without template arguments and namespaces"},
                    {"kind_hint", Unit::Text, "kind of the first event with this name"}},
                   [](const JobReport&, const EventSource& source) {
                     return std::unique_ptr<const SqlRows>(std::make_unique<NameRows>(source));
                   }});
  specs.push_back({"event_links",
                   "Which event launched, caused or was waited for by which.",
                   {{"from_id", kId, "id of the runtime call, forward operator or awaited event"},
                    {"to_id", kId, "id of the device event, backward operator or waiting event"},
                    {"kind", Unit::Text, "launch, fwdbwd or wait"}},
                   [](const JobReport&, const EventSource& source) {
                     return std::unique_ptr<const SqlRows>(std::make_unique<LinkRows>(source));
                   }});
  specs.push_back({"memory_events",
                   "Allocations and frees as recorded.",
                   {{"rank", kId, "rank"},
                    {"capture", kId, "profiling cycle of the rank"},
                    {"device", Unit::Text, "CPU, GPU0, ..."},
                    {"time_ns", kNs, "time on the job's clock"},
                    {"bytes", Unit::Bytes, "size; below 0 for a free"},
                    {"address", kId, "address of the block"},
                    {"total_allocated", Unit::Bytes, "allocated after it"},
                    {"total_reserved", Unit::Bytes, "reserved after it"},
                    {"operator_id", kId, "id of the operator around it"}},
                   [](const JobReport&, const EventSource& source) {
                     return std::unique_ptr<const SqlRows>(std::make_unique<MemoryRows>(source));
                   }});
  specs.push_back({"collective_events",
                   "Each rank's part in each collective.",
                   {{"instance", kId, "number of the collective, id of collective_instances"},
                    {"rank", kId, "rank"},
                    {"capture", kId, "profiling cycle of the rank"},
                    {"id", kId, "id of the event"},
                    {"group_id", kId, "number of the process group"},
                    {"group_name", Unit::Text, "process group"},
                    {"operation", Unit::Text, "AllReduce, AllGather, ..."},
                    {"bytes", Unit::Bytes, "message size"},
                    {"dtype", Unit::Text, "type of the elements"},
                    {"begin_ns", kNs, "begin on the job's clock"},
                    {"end_ns", kNs, "end on the job's clock"},
                    {"arrival_ns", kNs, "begin after the first rank's begin"},
                    {"wait_ns", kNs, "until the last rank began"},
                    {"transfer_ns", kNs, "the rest of the duration"},
                    {"exposed_ns", kNs, "time in which the rank did not compute"},
                    {"is_last", Unit::Count, "1 for the rank that began last"},
                    {"matched_by", Unit::Text, "sequence, order or time; NULL if unmatched"},
                    {"step", kId, "step that contains the begin"}},
                   [](const JobReport& report, const EventSource& source) {
                     return std::unique_ptr<const SqlRows>(
                         std::make_unique<CollectiveRows>(report.analysis(), source));
                   }});
  specs.push_back({"gap_events",
                   "Idle gaps of devices and streams, in nanoseconds.",
                   {{"rank", kId, "rank"},
                    {"capture", kId, "profiling cycle of the rank"},
                    {"device", kId, "device"},
                    {"stream", kId, "stream; NULL if all streams of the device were idle"},
                    {"begin_ns", kNs, "begin on the job's clock"},
                    {"duration_ns", kNs, "length"},
                    {"cause", Unit::Text, "cause, as in gaps"},
                    {"leaf", Unit::Text, "largest part, as in gaps"},
                    {"host_id", kId, "id of what the host did or the device waited for"},
                    {"next_id", kId, "id of the device event that ended it"},
                    {"step", kId, "step in which it begins"}},
                   [](const JobReport& report, const EventSource& source) {
                     return std::unique_ptr<const SqlRows>(std::make_unique<GapRows>(report, source));
                   }});
  return specs;
}

} // namespace rankscope
