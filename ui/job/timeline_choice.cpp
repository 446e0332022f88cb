// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job/timeline_choice.h"

#include <QJsonArray>

#include <algorithm>
#include <array>

namespace rankscope::ui {
namespace {

constexpr std::array kSorts{"rank", "stepTime", "lateness", "exposed", "byHand", "outliers"};
constexpr std::array kColors{"kind", "name", "phase", "duration"};
constexpr std::array kUnits{"automatic", "s", "ms", "us", "ns"};

template <class Enum, std::size_t N>
Enum valueNamed(const std::array<const char*, N>& names, const QJsonValue& json, Enum otherwise) {
  const QString name = json.toString();
  for (std::size_t i = 0; i < N; ++i)
    if (name == QLatin1String(names[i])) return static_cast<Enum>(i);
  return otherwise;
}

template <class Enum, std::size_t N> QString nameOf(const std::array<const char*, N>& names, Enum value) {
  return QString::fromLatin1(names[static_cast<std::size_t>(value)]);
}

QJsonArray toJson(const TrackKey& key) {
  return {key.rank, key.capture, QString::fromStdString(key.id)};
}

TrackKey keyFromJson(const QJsonValue& json) {
  const QJsonArray parts = json.toArray();
  return {parts.at(0).toInt(), parts.at(1).toInt(1), parts.at(2).toString().toStdString()};
}

template <class Keys> QJsonArray listOf(const Keys& keys) {
  QJsonArray list;
  for (const TrackKey& key : keys) list.append(toJson(key));
  return list;
}

} // namespace

TrackKey keyOf(const TraceSet& traces, RankIndex rank) {
  const RankEntry& entry = traces.rank(rank);
  return {entry.rank, entry.capture, {}};
}

TrackKey keyOf(const TraceSet& traces, RankIndex rank, TrackIndex index) {
  TrackKey key = keyOf(traces, rank);
  const Track& track = traces.rank(rank).trace->tracks[index.value];
  key.id = std::to_string(static_cast<int>(track.kind)) + '/' + track.process + '/' + track.thread;
  return key;
}

TrackKey keyOf(const TraceSet& traces, RankIndex rank, std::string_view what) {
  TrackKey key = keyOf(traces, rank);
  key.id = what;
  return key;
}

RankIndex rankOf(const TraceSet& traces, const TrackKey& key) {
  const auto& ranks = traces.ranks();
  const auto found =
      std::ranges::lower_bound(ranks, std::pair(key.rank, key.capture), {},
                               [](const RankEntry& entry) { return std::pair(entry.rank, entry.capture); });
  if (found == ranks.end() || found->rank != key.rank || found->capture != key.capture) return {};
  return RankIndex(static_cast<std::size_t>(found - ranks.begin()));
}

std::vector<int> capturesOf(const TraceSet& traces) {
  std::set<int> captures;
  for (const RankEntry& entry : traces.ranks()) captures.insert(entry.capture);
  return {captures.begin(), captures.end()};
}

bool TimelineChoice::isPinned(const TrackKey& key) const {
  return std::ranges::find(pinned, key) != pinned.end();
}

void TimelineChoice::setPinned(const TrackKey& key, bool pin) {
  if (isPinned(key) == pin) return;
  if (pin)
    pinned.push_back(key);
  else
    std::erase(pinned, key);
}

void TimelineChoice::setHidden(const TrackKey& key, bool hide) {
  if (hide)
    hidden.insert(key);
  else
    hidden.erase(key);
}

QJsonObject toJson(const TimelineChoice& choice) {
  QJsonObject json{{"pinned", listOf(choice.pinned)},
                   {"hidden", listOf(choice.hidden)},
                   {"order", listOf(choice.order)},
                   {"sort", nameOf(kSorts, choice.sort)},
                   {"grouping", choice.grouping},
                   {"arranged", choice.arranged},
                   {"capture", choice.capture},
                   {"foldGaps", choice.foldGaps},
                   {"filter", choice.filter},
                   {"lanePercent", choice.lanePercent},
                   {"colourBy", nameOf(kColors, choice.colorBy)},
                   {"rulerUnit", nameOf(kUnits, choice.rulerUnit)}};
  QJsonArray open;
  for (const auto& [key, isOpen] : choice.open) {
    QJsonArray entry = toJson(key);
    entry.append(isOpen);
    open.append(entry);
  }
  json.insert("open", open);
  if (choice.alignedStep) json.insert("alignedStep", static_cast<qint64>(*choice.alignedStep));
  return json;
}

TimelineChoice timelineChoiceFromJson(const QJsonObject& json) {
  TimelineChoice choice;
  for (const QJsonValue& key : json["pinned"].toArray()) choice.setPinned(keyFromJson(key), true);
  for (const QJsonValue& key : json["hidden"].toArray()) choice.hidden.insert(keyFromJson(key));
  for (const QJsonValue& key : json["order"].toArray()) choice.order.push_back(keyFromJson(key));
  for (const QJsonValue& entry : json["open"].toArray())
    choice.open[keyFromJson(entry)] = entry.toArray().at(3).toBool();
  choice.sort = valueNamed(kSorts, json["sort"], choice.sort);
  choice.grouping = json["grouping"].toString();
  choice.arranged = json["arranged"].toBool();
  choice.capture = std::max(0, json["capture"].toInt());
  choice.foldGaps = json["foldGaps"].toBool(true);
  choice.filter = json["filter"].toString();
  choice.lanePercent =
      std::clamp(json["lanePercent"].toInt(choice.lanePercent), kMinLanePercent, kMaxLanePercent);
  choice.colorBy = valueNamed(kColors, json["colourBy"], choice.colorBy);
  choice.rulerUnit = valueNamed(kUnits, json["rulerUnit"], choice.rulerUnit);
  if (const QJsonValue step = json["alignedStep"]; step.isDouble()) choice.alignedStep = step.toInteger();
  return choice;
}

} // namespace rankscope::ui
