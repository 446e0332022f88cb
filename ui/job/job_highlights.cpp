// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job/job_highlights.h"

#include "core/base/unit_text.h"
#include "ui/base/short_name.h"
#include "ui/base/ui_text.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace rankscope::ui {
namespace {

constexpr std::size_t kMaxPlaces = 200;
// Only this many of the costliest single places are compared with each other.
constexpr std::size_t kMaxCandidates = 4000;
// Places that share this part of their time are merged.
constexpr double kSamePlace = 0.5;

QString lasting(TimeNs length) {
  return QString::fromStdString(durationText(length));
}

QString nameOf(const Analysis& analysis, RankIndex rank, EventIndex event) {
  const EventColumns& events = analysis.trace().rank(rank).trace->events;
  const std::string name = shortName(events.kind[event], analysis.trace().names()[events.name[event]]);
  constexpr qsizetype kMaxLength = 48;
  const QString text = QString::fromStdString(name);
  return text.size() > kMaxLength ? text.left(kMaxLength - 1) + QStringLiteral("…") : text;
}

bool isSamePlace(const CostlyPlace& a, const CostlyPlace& b) {
  const TimeNs common = a.range.clippedTo(b.range).length();
  const TimeNs together = a.range.length() + b.range.length() - common;
  return static_cast<double>(common) > kSamePlace * static_cast<double>(together);
}

} // namespace

JobHighlights::JobHighlights(std::shared_ptr<const JobReport> report) : m_report(std::move(report)) {
  collectWaits();
  m_truncated = cutRanks(analysis());
  for (const Straggler& straggler : analysis().stragglers().stragglers)
    m_stragglers.push_back({straggler, lateCauseOf(analysis(), straggler), stragglerGain(straggler)});
  collectPlaces();
}

// All places say the same. Without a finding, as in a digest, it is what the rank takes longer.
Gain JobHighlights::stragglerGain(const Straggler& straggler) const {
  for (const Finding& finding : m_report->findings()) {
    const bool isAbout = finding.kind == FindingKind::Straggler || finding.kind == FindingKind::LateStraggler;
    if (isAbout && finding.gain && std::ranges::find(finding.ranks, straggler.rank) != finding.ranks.end())
      return *finding.gain;
  }
  return {straggler.gainLow, straggler.gainHigh};
}

void JobHighlights::collectWaits() {
  const CollectiveMatch& match = analysis().collectives().match;
  std::vector<std::vector<TimeRange>> waits(analysis().trace().ranks().size());
  for (const Participant& part : match.participants) {
    if (part.wait > 0)
      waits[part.rank.value].push_back(JobRange{part.range.begin, part.range.begin + part.wait}.ns());
  }
  m_waits.reserve(waits.size());
  for (std::size_t i = 0; i < waits.size(); ++i) {
    m_waits.emplace_back(std::move(waits[i]));
    const RankIndex rank(i);
    std::vector<TimeRange> exposed;
    for (const TimeRange range : analysis().exposedCommunication(rank).ranges())
      exposed.push_back(analysis().clocks().of(rank).toJob(RankRange::of(range)).ns());
    m_exposedWaits.push_back(intersectionOf(m_waits.back(), IntervalSet(std::move(exposed))));
  }
}

void JobHighlights::collectPlaces() {
  for (const Finding& finding : m_report->findings()) {
    if (finding.cost && !finding.place.empty())
      m_places.push_back({PlaceKind::Finding, finding.rank, finding.place, *finding.cost, finding.event,
                          QString::fromStdString(finding.title)});
  }
  std::ranges::stable_sort(m_places, std::greater<>(), &CostlyPlace::cost);

  std::vector<CostlyPlace> single;
  for (std::size_t i = 0; i < analysis().trace().ranks().size(); ++i) {
    const RankIndex rank(i);
    // Outside of the steps there is no training: profilers start and stop there.
    const bool steps = analysis().wholeStepWindows(rank).areSteps();
    for (const IdleGap& gap : analysis().gaps(rank).ofDevices) {
      if (!steps || gap.step)
        single.push_back({PlaceKind::Gap, rank, rangeOf(rank, gap), gap.range.length(), {}, {}});
    }
  }
  for (const CollectiveInstance& instance : analysis().collectives().match.instances) {
    CostlyPlace place{PlaceKind::Collective, {}, {}, 0, {}, {}};
    for (const Participant& part : participants(instance)) {
      const RankRange own = analysis().clocks().of(part.rank).fromJob(part.range);
      const TimeNs exposed = analysis().exposedCommunication(part.rank).coveredWithin(own.ns());
      if (exposed <= place.cost) continue;
      place.rank = part.rank;
      place.range = part.range;
      place.cost = exposed;
      place.event = eventOf(part);
    }
    if (place.cost > 0) single.push_back(std::move(place));
  }
  const auto count = static_cast<std::ptrdiff_t>(std::min(single.size(), kMaxCandidates));
  std::ranges::partial_sort(single, single.begin() + count, std::greater<>(), &CostlyPlace::cost);
  single.resize(static_cast<std::size_t>(count));
  for (CostlyPlace& place : single) {
    if (m_places.size() >= kMaxPlaces) break;
    if (std::ranges::any_of(m_places, [&](const CostlyPlace& other) { return isSamePlace(place, other); }))
      continue;
    const int number = analysis().trace().rank(place.rank).rank;
    if (place.kind == PlaceKind::Gap) {
      const IdleGap* const gap = gapAt(place.rank, place.range.begin + place.range.length() / 2);
      place.text = gap ? tr("Idle %1 on rank %2: %3")
                             .arg(lasting(place.cost))
                             .arg(number)
                             .arg(gapCauseLabel(*this, place.rank, *gap, true))
                       : tr("Idle %1 on rank %2").arg(lasting(place.cost)).arg(number);
    } else {
      const CollectiveInstance& instance = *instanceOf(place.event);
      const auto operation = operationText(instance.operation);
      place.text = tr("%1: %2 exposed on rank %3")
                       .arg(QString::fromUtf8(operation.data(), static_cast<qsizetype>(operation.size())))
                       .arg(lasting(place.cost))
                       .arg(number);
      if (instance.matched() && instance.skew() > place.cost / 4)
        place.text += tr(", waiting for rank %1").arg(analysis().trace().rank(instance.lastRank).rank);
    }
    m_places.push_back(std::move(place));
  }
}

const IdleGap* JobHighlights::gapAt(RankIndex rank, JobTime time, int device) const {
  const std::vector<IdleGap>& gaps = analysis().gaps(rank).ofDevices;
  const TimeNs own = analysis().clocks().of(rank).fromJob(time).ns();
  for (const int candidate : analysis().trace().rank(rank).trace->devices) {
    if (device >= 0 && candidate != device) continue;
    auto after = std::ranges::upper_bound(gaps, std::pair(candidate, own), {}, [](const IdleGap& gap) {
      return std::pair(gap.device, gap.range.begin);
    });
    if (after == gaps.begin()) continue;
    const IdleGap& gap = *--after;
    if (gap.device == candidate && gap.range.contains(own)) return &gap;
  }
  return nullptr;
}

const IdleGap* JobHighlights::gapBefore(EventRef event) const {
  const RankTrace& trace = *analysis().trace().rank(event.rank).trace;
  if (!trace.isDeviceEvent(event.event)) return nullptr;
  const DeviceDetail& detail = trace.deviceDetail(event.event);
  const std::vector<IdleGap>& gaps = analysis().gaps(event.rank).ofStreams;
  const auto keyOf = [](const IdleGap& gap) {
    return std::tuple(gap.device, gap.stream.value_or(-1), gap.range.begin);
  };
  auto after = std::ranges::lower_bound(
      gaps, std::tuple(detail.device, detail.stream, trace.events.begin[event.event]), {}, keyOf);
  if (after == gaps.begin()) return nullptr;
  --after;
  return after->next == event.event ? &*after : nullptr;
}

JobRange JobHighlights::rangeOf(RankIndex rank, const IdleGap& gap) const {
  return analysis().clocks().of(rank).toJob(RankRange::of(gap.range));
}

const CollectiveInstance* JobHighlights::instanceOf(EventRef event) const {
  if (!event.valid()) return nullptr;
  const CollectiveMatch& match = analysis().collectives().match;
  if (const CollectiveInstance* const instance = match.instanceAt(event.rank, event.event)) return instance;
  const RankTrace& trace = *analysis().trace().rank(event.rank).trace;
  if (trace.isDeviceEvent(event.event)) return nullptr;
  for (const EventIndex launched : trace.launchedBy(event.event)) {
    if (const CollectiveInstance* const instance = match.instanceAt(event.rank, launched)) return instance;
  }
  return nullptr;
}

EventRef JobHighlights::eventOf(const Participant& participant) const {
  return {participant.rank, analysis().collectiveCalls(participant.rank)[participant.call].event};
}

const Participant* JobHighlights::partOf(const CollectiveInstance& instance, RankIndex rank) const {
  const auto parts = participants(instance);
  const auto part = std::ranges::lower_bound(parts, rank, {}, &Participant::rank);
  return part != parts.end() && part->rank == rank ? &*part : nullptr;
}

const CollectiveInstance* JobHighlights::neighbor(const CollectiveInstance& instance, RankIndex rank,
                                                  bool after) const {
  const CollectiveMatch& match = analysis().collectives().match;
  const Participant* const part = partOf(instance, rank);
  if (!part) return nullptr;
  const std::vector<InstanceIndex>& calls = match.instanceOfCall[rank.value];
  const auto step = after ? std::size_t{1} : ~std::size_t{0};
  for (std::size_t call = part->call + step; call < calls.size(); call += step) {
    const CollectiveInstance& other = match.instance(calls[call]);
    if (other.group == instance.group) return &other;
  }
  return nullptr;
}

EventRef JobHighlights::onOtherRank(EventRef event, bool next) const {
  const CollectiveInstance* const instance = instanceOf(event);
  const Participant* const part = instance ? partOf(*instance, event.rank) : nullptr;
  if (!part) return {};
  const auto parts = participants(*instance);
  const auto at = static_cast<std::size_t>(part - parts.data());
  return eventOf(parts[(at + (next ? 1 : parts.size() - 1)) % parts.size()]);
}

EventRef JobHighlights::ofSameGroup(EventRef event, bool next) const {
  const CollectiveInstance* const instance = instanceOf(event);
  const CollectiveInstance* const other = instance ? neighbor(*instance, event.rank, next) : nullptr;
  return other ? eventOf(*partOf(*other, event.rank)) : EventRef{};
}

const CutRank* JobHighlights::truncated(RankIndex rank) const {
  const auto cut = std::ranges::find(m_truncated, rank, &CutRank::rank);
  return cut == m_truncated.end() ? nullptr : &*cut;
}

const StragglerNote* JobHighlights::straggler(RankIndex rank) const {
  const auto note =
      std::ranges::find(m_stragglers, rank, [](const StragglerNote& known) { return known.straggler.rank; });
  return note == m_stragglers.end() ? nullptr : &*note;
}

QString gapCauseLabel(const JobHighlights& highlights, RankIndex rank, const IdleGap& gap, bool detailed) {
  const auto withHost = [&](const QString& cause) {
    if (!detailed || !gap.hostEvent.valid()) return cause;
    return cause + QStringLiteral(": ") + nameOf(highlights.analysis(), rank, gap.hostEvent);
  };
  switch (gap.cause) {
  case GapCause::DataLoader:
    return QStringLiteral("DataLoader");
  case GapCause::Synchronization:
    return withHost(tr("after synchronization"));
  case GapCause::MemoryAllocation:
    return withHost(tr("device allocation"));
  case GapCause::Python:
    return withHost(QStringLiteral("Python"));
  case GapCause::HostOperators:
    return withHost(tr("late launch"));
  case GapCause::Untraced:
    return tr("untraced host work");
  case GapCause::Dependency:
    return detailed && gap.waitedFor.valid()
               ? tr("waits for %1").arg(nameOf(highlights.analysis(), rank, gap.waitedFor))
               : tr("waits for another stream");
  case GapCause::CollectiveWait: {
    const CollectiveInstance* const instance =
        gap.waitedFor.valid() ? highlights.instanceOf({rank, gap.waitedFor}) : nullptr;
    if (instance && instance->matched() && instance->lastRank != rank)
      return tr("waits for rank %1").arg(highlights.analysis().trace().rank(instance->lastRank).rank);
    return tr("waits for a collective");
  }
  case GapCause::LaunchLatency:
    return tr("launch latency");
  case GapCause::NotRecorded:
    return tr("cause not recorded");
  }
  return {};
}

} // namespace rankscope::ui
