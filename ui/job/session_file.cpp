// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job/session_file.h"

#include "ui/base/remote_names.h"

#include "ui/base/save_file.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace rankscope::ui {
namespace {

constexpr qint64 kMaxFileBytes = 64 << 20;
constexpr TimeNs kNear = 1'000'000; // clock alignment shifts events by less
constexpr int kVersion = 1;
constexpr qsizetype kMaxRegions = 100'000;
constexpr qsizetype kMaxAccepted = 10'000;
constexpr int kMaxOffset = 100'000; // pixels

// Times are strings, because JSON numbers are doubles and cannot hold nanoseconds of wall time.
QString savedTime(TimeNs time) {
  return QString::number(time);
}

std::optional<TimeNs> timeFrom(const QJsonValue& value) {
  bool fine = false;
  const TimeNs time = value.toString().toLongLong(&fine);
  if (!fine || time < -kMaxTime || time > 2 * (kMaxTime - 1)) return std::nullopt;
  return time;
}

QJsonArray toJson(TimeRange range) {
  return {savedTime(range.begin), savedTime(range.end)};
}

// A note has equal begin and end.
std::optional<TimeRange> rangeFrom(const QJsonValue& value, bool orNote = false) {
  const QJsonArray ends = value.toArray();
  if (ends.size() != 2) return std::nullopt;
  const auto begin = timeFrom(ends[0]);
  const auto end = timeFrom(ends[1]);
  if (!begin || !end || *end < *begin || (*end == *begin && !orNote)) return std::nullopt;
  return TimeRange{*begin, *end};
}

QJsonObject toJson(const MarkedTrack& track) {
  return {{"rank", track.rank}, {"capture", track.capture}, {"track", QString::fromStdString(track.id)}};
}

std::optional<MarkedTrack> trackFrom(const QJsonValue& value) {
  const QJsonObject json = value.toObject();
  if (!json["rank"].isDouble() || !json["track"].isString()) return std::nullopt;
  return MarkedTrack{json["rank"].toInt(), json["capture"].toInt(1), json["track"].toString().toStdString()};
}

QJsonArray toJson(const std::vector<MarkedTrack>& tracks) {
  QJsonArray list;
  for (const MarkedTrack& track : tracks) list.append(toJson(track));
  return list;
}

std::vector<MarkedTrack> tracksFrom(const QJsonValue& value) {
  std::vector<MarkedTrack> tracks;
  for (const QJsonValue& entry : value.toArray())
    if (auto track = trackFrom(entry)) tracks.push_back(*std::move(track));
  return tracks;
}

QJsonObject toJson(const Region& region) {
  QJsonObject json{{"name", region.name}, {"range", toJson(region.range)}};
  if (!region.note.isEmpty()) json["note"] = region.note;
  if (region.color != 0) json["colour"] = region.color;
  if (!region.tracks.empty()) json["tracks"] = toJson(region.tracks);
  return json;
}

std::optional<Region> regionFrom(const QJsonValue& value) {
  const QJsonObject json = value.toObject();
  const auto range = rangeFrom(json["range"], true);
  if (!range) return std::nullopt;
  const int color = std::clamp(json["colour"].toInt(), 0, kMarkColors - 1);
  return Region{
      json["name"].toString(), json["note"].toString(), *range, tracksFrom(json["tracks"]), true, color};
}

QJsonObject toJson(const AcceptedFinding& accepted) {
  QJsonObject json{{"rule", QString::fromStdString(accepted.rule)}};
  if (accepted.leaf) json["leaf"] = QString::fromStdString(*accepted.leaf);
  if (accepted.ranks) {
    QJsonArray ranks;
    for (const int rank : *accepted.ranks) ranks.append(rank);
    json["ranks"] = ranks;
  }
  if (!accepted.note.empty()) json["note"] = QString::fromStdString(accepted.note);
  return json;
}

// Without a rule and a leaf it would match everything.
std::optional<AcceptedFinding> acceptedFrom(const QJsonValue& value) {
  const QJsonObject json = value.toObject();
  AcceptedFinding accepted;
  accepted.rule = json["rule"].toString().toStdString();
  if (json["leaf"].isString()) accepted.leaf = json["leaf"].toString().toStdString();
  if (accepted.rule.empty() && !accepted.leaf) return std::nullopt;
  if (json["ranks"].isArray()) {
    std::vector<int>& ranks = accepted.ranks.emplace();
    for (const QJsonValue& rank : json["ranks"].toArray()) ranks.push_back(rank.toInt(-1));
    std::ranges::sort(ranks);
  }
  accepted.note = json["note"].toString().toStdString();
  return accepted;
}

QJsonObject toJson(const ScrollPlace& place) {
  return {{"rank", place.section.rank},
          {"capture", place.section.capture},
          {"section", QString::fromStdString(place.section.id)},
          {"offset", place.offset}};
}

std::optional<ScrollPlace> scrollFrom(const QJsonValue& value) {
  const QJsonObject json = value.toObject();
  if (!json["rank"].isDouble() || !json["section"].isString()) return std::nullopt;
  return ScrollPlace{
      {json["rank"].toInt(), json["capture"].toInt(1), json["section"].toString().toStdString()},
      std::clamp(json["offset"].toInt(), -kMaxOffset, kMaxOffset)};
}

// A path that begins with a colon would be a Qt resource.
QString absoluteIn(const QDir& folder, const QString& path) {
  if (isRemote(path) && !folder.exists(path)) return path;
  return QDir::cleanPath(
      folder.absoluteFilePath(path.startsWith(QLatin1Char(':')) ? QStringLiteral("./") + path : path));
}

// What was opened by a relative path lies where the program was started, not where the session file is.
QString relativeTo(const QDir& folder, const QString& path) {
  if (isRemote(path)) return path;
  return QDir::cleanPath(folder.relativeFilePath(absoluteIn(QDir::current(), path)));
}

} // namespace

SavedEvent savedEvent(const TraceSet& traces, EventRef event) {
  const RankEntry& entry = traces.rank(event.rank);
  const RankTrace& trace = *entry.trace;
  const std::string_view name = traces.names()[trace.events.name[event.event]];
  return {{entry.rank, entry.capture, markedTrackId(trace.tracks[trace.trackOf(event.event).value])},
          trace.events.begin[event.event],
          QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()))};
}

EventRef findSaved(const TraceSet& traces, const SavedEvent& saved) {
  EventRef nearest;
  TimeNs distance = kNear;
  const std::string name = saved.name.toStdString();
  for (const RankTracks& of : rankTracksOf(traces, {saved.track})) {
    const RankTrace& trace = *traces.rank(of.rank).trace;
    for (const TrackIndex index : of.tracks) {
      const Track& track = trace.tracks[index.value];
      for (std::uint32_t i = 0; i < track.rowCount; ++i) {
        const Row& row = trace.rows[track.firstRow.value + i];
        const auto [first, end] = eventsWithin(trace, row, {saved.begin - kNear, saved.begin + kNear});
        for (EventIndex event = first; event < end; ++event.value) {
          const TimeNs away = std::abs(trace.events.begin[event] - saved.begin);
          if (away >= distance || traces.names()[trace.events.name[event]] != name) continue;
          nearest = {of.rank, event};
          distance = away;
        }
      }
    }
  }
  return nearest;
}

bool isSessionFile(const QString& path) {
  return path.endsWith(QLatin1Char('.') + kSessionSuffix, Qt::CaseInsensitive) && QFileInfo(path).isFile();
}

QByteArray sessionText(const SessionState& state, const QString& folder) {
  const QDir base(folder);
  QJsonObject json = state.rest;
  json["rankscope_session"] = kVersion;
  QJsonArray traces;
  for (const QString& path : state.traces) traces.append(relativeTo(base, path));
  json["traces"] = traces;
  if (!state.part.everything()) json["part"] = toJson(state.part);
  QJsonArray regions;
  for (const Region& region : state.regions)
    if (region.saved) regions.append(toJson(region));
  if (!regions.isEmpty()) json["regions"] = regions;
  QJsonArray accepted;
  for (const AcceptedFinding& one : state.accepted) accepted.append(toJson(one));
  if (!accepted.isEmpty()) json["accepted"] = accepted;
  if (!state.timeline.isEmpty()) json["timeline"] = state.timeline;
  if (state.window) json["window"] = toJson(*state.window);
  if (state.range) json["range"] = toJson(*state.range);
  if (!state.rangeTracks.empty()) json["range_tracks"] = toJson(state.rangeTracks);
  if (state.selection) {
    QJsonObject selection = toJson(state.selection->track);
    selection["begin"] = savedTime(state.selection->begin);
    selection["name"] = state.selection->name;
    json["selection"] = selection;
  }
  if (state.scroll) json["scroll"] = toJson(*state.scroll);
  if (!state.tab.isEmpty()) json["tab"] = state.tab;
  if (!state.search.isEmpty()) json["search"] = state.search;
  if (!state.theme.isEmpty()) json["theme"] = state.theme;
  return QJsonDocument(json).toJson();
}

Result<SessionState> sessionFromText(const QByteArray& text, const QString& folder) {
  QJsonParseError problem;
  const QJsonDocument document = QJsonDocument::fromJson(text, &problem);
  if (document.isNull())
    return Error{ErrorKind::Format,
                 "not a session file: " + problem.errorString().toStdString(),
                 {},
                 static_cast<std::uint64_t>(std::max(0, problem.offset))};
  QJsonObject json = document.object();
  if (!json.contains("rankscope_session"))
    return Error{ErrorKind::Format, "not a session file: marker missing", {}, {}};
  const auto take = [&](const char* name) { return json.take(QLatin1String(name)); };
  take("rankscope_session");
  SessionState state;
  const QDir base(folder);
  for (const QJsonValue& path : take("traces").toArray())
    if (path.isString()) state.traces << absoluteIn(base, path.toString());
  state.part = loadedPartFromJson(take("part").toObject());
  const QJsonArray regions = take("regions").toArray();
  for (qsizetype i = 0; i < std::min(regions.size(), kMaxRegions); ++i)
    if (auto region = regionFrom(regions[i])) state.regions.push_back(*std::move(region));
  const QJsonArray accepted = take("accepted").toArray();
  for (qsizetype i = 0; i < std::min(accepted.size(), kMaxAccepted); ++i)
    if (auto one = acceptedFrom(accepted[i])) state.accepted.push_back(*std::move(one));
  state.timeline = take("timeline").toObject();
  state.window = rangeFrom(take("window"));
  state.range = rangeFrom(take("range"));
  state.rangeTracks = tracksFrom(take("range_tracks"));
  const QJsonValue selection = take("selection");
  const auto track = trackFrom(selection);
  const auto begin = timeFrom(selection["begin"]);
  if (track && begin) state.selection = SavedEvent{*track, *begin, selection["name"].toString()};
  state.scroll = scrollFrom(take("scroll"));
  state.tab = take("tab").toString();
  state.search = take("search").toString();
  state.theme = take("theme").toString();
  state.rest = json;
  return state;
}

Result<SessionState> readSessionFile(const QString& path) {
  QFile file(path);
  const auto failed = [&](const QString& what) {
    return Error{ErrorKind::Io, what.toStdString(), path.toStdString(), {}};
  };
  if (!file.open(QIODevice::ReadOnly)) return failed(file.errorString());
  if (file.size() > kMaxFileBytes) return failed(QStringLiteral("too large for a session file"));
  auto state = sessionFromText(file.readAll(), QFileInfo(path).absolutePath());
  if (state) return state;
  Error error = state.error();
  error.file = path.toStdString();
  return error;
}

std::optional<QString> writeSessionFile(const QString& path, const SessionState& state) {
  return saveFile(path, sessionText(state, QFileInfo(path).absolutePath()));
}

SessionPlaces sessionPlaces(const QStringList& traces, const QString& userFolder) {
  if (traces.isEmpty()) return {};
  QStringList sorted;
  for (const QString& path : traces)
    sorted << (isRemote(path) ? path : QDir::cleanPath(QFileInfo(path).absoluteFilePath()));
  sorted.sort();
  const QByteArray hash =
      QCryptographicHash::hash(sorted.join(QLatin1Char('\n')).toUtf8(), QCryptographicHash::Sha1).toHex();
  const QString suffix = QLatin1Char('.') + kSessionSuffix;
  SessionPlaces places;
  const QFileInfo first(sorted.front());
  if (std::ranges::any_of(sorted, isRemote)) {
    // Nothing is written beside them.
  } else if (sorted.size() > 1)
    places.nextToTraces =
        first.absolutePath() + QStringLiteral("/.") + QString::fromLatin1(hash.left(12)) + suffix;
  else if (first.isDir())
    places.nextToTraces = first.absoluteFilePath() + QLatin1Char('/') + suffix;
  else
    places.nextToTraces = first.absolutePath() + QStringLiteral("/.") + first.fileName() + suffix;
  if (!userFolder.isEmpty())
    places.inUserFolder = QDir(userFolder).filePath(QString::fromLatin1(hash) + suffix);
  return places;
}

} // namespace rankscope::ui
