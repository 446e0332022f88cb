// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of calls and of NVTX.
#include "core/io/nsys/nsys_rows.h"

#include "core/base/utf8.h"

#include <algorithm>
#include <array>

namespace rankscope {

namespace {

// Of RUNTIME rows.
constexpr std::int64_t kRuntimeClass = 0;
constexpr std::int64_t kDriverClass = 1;
constexpr std::int64_t kCallStackClass = 67; // copies of calls for their call stacks

// Of NVTX_EVENTS.
constexpr std::int64_t kCategoryName = 33;
constexpr std::int64_t kThreadName = 39;
constexpr std::int64_t kPushPop = 59;
constexpr std::int64_t kStartEnd = 60;
constexpr std::int64_t kDomainCreate = 75;
constexpr std::int64_t kDomainDestroy = 76;

constexpr std::size_t kMostPayload = 4096;

std::optional<SyncRole> syncRoleOf(std::string_view call) {
  struct Rule {
    std::string_view part;
    SyncRole role;
  };
  static constexpr std::array kRules{
      Rule{"StreamWaitEvent", SyncRole::StreamWait}, Rule{"StreamSynchronize", SyncRole::StreamSync},
      Rule{"EventSynchronize", SyncRole::EventSync}, Rule{"EventQuery", SyncRole::EventSync},
      Rule{"DeviceSynchronize", SyncRole::Other},    Rule{"CtxSynchronize", SyncRole::Other},
      Rule{"EventRecord", SyncRole::Record},
  };
  const auto rule = std::ranges::find_if(
      kRules, [&](const Rule& of) { return call.find(of.part) != std::string_view::npos; });
  return rule == kRules.end() ? std::nullopt : std::optional(rule->role);
}

std::string_view overheadName(std::int64_t type) {
  static constexpr std::array<std::string_view, 9> kNames{
      "",         "Unknown",        "JIT Compiler",          "Buffer Flush",       "Instrumentation",
      "Resource", "Module Loading", "Lazy Function Loading", "Command Buffer Full"};
  return type > 0 && type < static_cast<std::int64_t>(kNames.size()) ? kNames[static_cast<std::size_t>(type)]
                                                                     : std::string_view();
}

RawEvent rawEvent(TimeRange range, SourceRef at, EventKind kind, std::uint32_t name) {
  RawEvent event{};
  event.begin = range.begin;
  event.duration = range.length();
  event.setSource(at);
  event.kind = static_cast<std::uint8_t>(kind);
  event.name = name;
  return event;
}

std::int64_t threadOf(const SqliteRows& rows, int column) {
  return rows.optionalInteger(column).value_or(-1);
}

std::int64_t processOf(std::int64_t thread) {
  return thread < 0 ? kNoProcess : processKey(thread);
}

constexpr std::string_view kOsLane = "OS calls";

} // namespace

NsysProcess::Name NsysRowReader::callNameOf(NsysProcess& process, std::int64_t id, SourceRef at) {
  if (const auto known = process.calls.find(id); known != process.calls.end()) {
    process.seen(known->second.local, at);
    return known->second;
  }
  bool unknown = false;
  const std::string text = textOrNumber(id, unknown);
  const std::string_view plain = callName(text);
  const NsysProcess::Name name{process.intern(plain, at), EventKind::Runtime, syncRoleOf(plain), unknown};
  process.calls.emplace(id, name);
  return name;
}

void NsysRowReader::takeCall(const SqliteRows& rows, SourceRef at, NsysPieceResult& result) {
  const std::int64_t thread = threadOf(rows, kThread);
  const Target to = target(processOf(thread), result);
  SliceEvents& slice = to.part->slice;
  ++slice.objects;
  const std::int64_t kind = rows.integer(kClass);
  if (kind == kCallStackClass) {
    ++result.counts.metadata;
    return;
  }
  const auto range = timeOf(rows, at, slice, result.counts);
  if (!range) return;
  if (!wanted(EventKind::Runtime, *range, to)) {
    ++slice.leftOut;
    ++result.counts.filtered;
    return;
  }
  const NsysProcess::Name name = callNameOf(*to.process, rows.integer(kNameId), at);
  countUnknown(name.unknown, rows.integer(kNameId), result);
  RawEvent event = rawEvent(*range, at, EventKind::Runtime, name.local);
  ++result.counts.events;
  if (kind != kRuntimeClass && kind != kDriverClass) {
    event.kind = static_cast<std::uint8_t>(EventKind::Other);
    event.track = to.process->tracks.ofThread(*to.process->tables, thread, TrackKind::Other);
    slice.events.push_back(event);
    return;
  }
  const std::uint64_t correlation = static_cast<std::uint64_t>(rows.integer(kCall)) & 0xffffffffu;
  event.link = correlation < kNoRecord ? static_cast<std::uint32_t>(correlation) : 0;
  event.track = to.process->tracks.ofThread(*to.process->tables, thread, TrackKind::Thread);
  slice.events.push_back(event);
  const std::int64_t returned = rows.integer(kReturned);
  if (isCudaFailure(returned)) ++to.part->pending.failed[{name.local, kind == kDriverClass, returned}];
  if (name.role) to.part->pending.calls.push_back({correlation, range->begin, thread, *name.role});
}

void NsysRowReader::takeHost(const SqliteRows& rows, SourceRef at, NsysPieceResult& result) {
  const std::int64_t thread = threadOf(rows, kThread);
  const Target to = target(processOf(thread), result);
  SliceEvents& slice = to.part->slice;
  ++slice.objects;
  const auto range = timeOf(rows, at, slice, result.counts);
  if (!range) return;
  const NsysTable table = result.table;
  const bool overhead = table == NsysTable::CudaOverhead || table == NsysTable::ProfilerOverhead;
  const bool library = table == NsysTable::Cudnn || table == NsysTable::Cublas;
  const bool mpi = table >= NsysTable::MpiCollectives && table <= NsysTable::MpiOther;
  const EventKind kind = overhead  ? EventKind::Overhead
                         : library ? EventKind::Annotation
                         : mpi     ? EventKind::HostCollective
                                   : EventKind::Other;
  if (!wanted(kind, *range, to)) {
    ++slice.leftOut;
    ++result.counts.filtered;
    return;
  }
  NsysProcess::Name name;
  const std::string_view type =
      table == NsysTable::CudaOverhead ? overheadName(rows.integer(kOverheadType)) : std::string_view();
  if (!type.empty()) {
    name.local = to.process->intern(type, at);
  } else if (rows.isNull(kNameId)) {
    name.local = to.process->intern(overhead ? "Overhead" : "(unnamed)", at);
  } else {
    name = callNameOf(*to.process, rows.integer(kNameId), at);
    countUnknown(name.unknown, rows.integer(kNameId), result);
  }
  RawEvent event = rawEvent(*range, at, kind, name.local);
  ReaderTables& tables = *to.process->tables;
  if (table == NsysTable::OsRuntime) {
    event.track = NsysTracks::lane(tables, thread, kOsLane);
  } else {
    event.track = to.process->tracks.ofThread(tables, thread,
                                              overhead  ? TrackKind::Overhead
                                              : library ? TrackKind::Annotations
                                              : mpi     ? TrackKind::Thread
                                                        : TrackKind::Other);
  }
  slice.events.push_back(event);
  ++result.counts.events;
}

void NsysRowReader::takeNvtx(const SqliteRows& rows, SourceRef at, NsysPieceResult& result) {
  const std::int64_t thread = threadOf(rows, kNvtxThread);
  const Target to = target(processOf(thread), result);
  SliceEvents& slice = to.part->slice;
  ++slice.objects;
  const std::int64_t type = rows.integer(kEventType);
  const auto text = [&] {
    if (!rows.isNull(kText)) return displayText(rows.bytes(kText).substr(0, kLongestName));
    if (rows.isNull(kTextId)) return std::string();
    bool unknown = false;
    std::string looked = textOrNumber(rows.integer(kTextId), unknown);
    countUnknown(unknown, rows.integer(kTextId), result);
    return looked;
  };
  switch (type) {
  case kPushPop:
  case kStartEnd:
    takeRange(rows, at, to, result);
    return;
  case kNvtxMark: {
    TimeNs time = 0;
    const bool usable = !rows.isNull(kStart) &&
                        !__builtin_sub_overflow(rows.integer(kStart), m_facts.shift, &time) &&
                        time <= kMaxTime && time >= -kMaxTime;
    if (!usable || time < 0) {
      ++(usable ? result.counts.beforeCapture : result.counts.unusable);
      return;
    }
    if (!wanted(EventKind::Instant, {time, time}, to)) {
      ++slice.leftOut;
      ++result.counts.filtered;
      return;
    }
    std::string name = text();
    if (std::string of = dictName(name); !of.empty()) name = std::move(of);
    RawEvent event = rawEvent({time, time}, at, EventKind::Instant,
                              to.process->intern(name.empty() ? "(unnamed)" : name, at));
    event.track = to.process->tracks.ofThread(*to.process->tables, thread, TrackKind::Instants);
    event.link = kNoRecord;
    slice.events.push_back(event);
    ++result.counts.events;
    return;
  }
  case kThreadName:
    to.part->pending.threads.emplace_back(thread, text());
    ++result.counts.metadata;
    return;
  case kDomainCreate:
    to.part->pending.domains.emplace_back(rows.integer(kDomain), text());
    ++result.counts.metadata;
    return;
  case kCategoryName:
  case kDomainDestroy:
    ++result.counts.metadata;
    return;
  default:
    ++result.counts.unusable;
    slice.diagnostics.add(DiagnosticKind::Skipped, at, "an NVTX event of an unknown type");
  }
}

void NsysRowReader::takeRange(const SqliteRows& rows, SourceRef at, const Target& to,
                              NsysPieceResult& result) {
  SliceEvents& slice = to.part->slice;
  NsysPending& pending = to.part->pending;
  NsysProcess& process = *to.process;
  const bool open = rows.isNull(kEnd);
  std::optional<TimeRange> range;
  if (open) {
    TimeNs begin = 0;
    if (!rows.isNull(kStart) && !__builtin_sub_overflow(rows.integer(kStart), m_facts.shift, &begin) &&
        begin <= kMaxTime && begin >= -kMaxTime)
      range = TimeRange{begin, begin};
    if (!range) ++result.counts.unusable;
  } else {
    range = timeOf(rows, at, slice, result.counts);
  }
  if (!range) return;
  std::string looked;
  std::string_view text;
  if (!rows.isNull(kText)) {
    text = rows.bytes(kText).substr(0, kLongestName);
    text = text.substr(0, text.find('\0'));
  } else if (!rows.isNull(kTextId)) {
    bool unknown = false;
    looked = textOrNumber(rows.integer(kTextId), unknown);
    countUnknown(unknown, rows.integer(kTextId), result);
    text = looked;
  }
  const OperatorText parts = operatorText(text);
  std::string dict = dictName(text);
  const std::string_view named = !dict.empty() ? std::string_view(dict) : parts.name;
  std::uint32_t name = 0;
  if (named.empty())
    name = process.intern("(unnamed)", at);
  else
    name = isValidUtf8(named) ? process.intern(named, at) : process.intern(validUtf8(named), at);
  const auto [known, isNew] =
      process.ranges.try_emplace(name * std::uint64_t{8} + (parts.isOperator ? 1 : 0) +
                                 (parts.sequence ? 2 : 0) + (dict.empty() ? 0 : 4));
  if (isNew) known->second = dict.empty() ? rangeKind(parts) : dictKind(dict);
  const EventKind kind = known->second;
  pending.hasShapes = pending.hasShapes || !parts.sizes.empty();
  const std::int64_t thread = threadOf(rows, kNvtxThread);
  const std::int64_t domain = rows.integer(kDomain);
  if (!open && !wanted(kind, *range, to)) {
    ++slice.leftOut;
    ++result.counts.filtered;
    return;
  }
  ++result.counts.events;
  const bool crosses = rows.integer(kEventType) == kStartEnd;
  if (open || crosses || domain != 0) {
    pending.ranges.push_back({range->begin, open ? std::nullopt : std::optional(range->end), at, thread,
                              domain, name, kind, crosses});
    if (domain == 0 || open || crosses) return;
    NcclRange nccl{*range, at, thread, domain, name, {}};
    if (!rows.isNull(kBinary)) nccl.payload = rows.bytes(kBinary).substr(0, kMostPayload);
    pending.payloads.push_back(std::move(nccl));
    return;
  }
  RawEvent event = rawEvent(*range, at, kind, name);
  // Among annotations, what repeats is taken for steps.
  const bool annotation = kind == EventKind::Annotation && dict.empty();
  event.track = process.tracks.ofThread(*process.tables, thread,
                                        annotation ? TrackKind::Annotations : TrackKind::Thread);
  const auto index = static_cast<std::uint32_t>(slice.events.size());
  slice.events.push_back(event);
  if (parts.sequence && *parts.sequence >= 0)
    pending.sequences.push_back({*parts.sequence, index});
  else if (parts.name.starts_with("autograd::engine::evaluate_function"))
    pending.sequences.push_back({SequenceNumber::kNode, index});
}

} // namespace rankscope
