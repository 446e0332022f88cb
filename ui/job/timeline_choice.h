// SPDX-License-Identifier: GPL-3.0-or-later
// View options of the timeline: pinned, hidden, collapsed and reordered tracks, sorting and grouping of
// ranks, lane height, colors, ruler unit. Plain data, stored with the job; ranks and tracks are identified
// by number and name, so it stays valid when more ranks are loaded or the job is recorded again. Owned by
// TraceSession.
#pragma once

#include "core/base/unit_text.h"
#include "core/model/trace_set.h"

#include <QJsonObject>
#include <QString>

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace rankscope::ui {

// Identifies a track, a counter, or a whole rank.
struct TrackKey {
  int rank = 0;
  int capture = 1;
  std::string id; // empty: the rank itself

  [[nodiscard]] bool isRank() const { return id.empty(); }
  auto operator<=>(const TrackKey&) const = default;
};

[[nodiscard]] TrackKey keyOf(const TraceSet& traces, RankIndex rank);
[[nodiscard]] TrackKey keyOf(const TraceSet& traces, RankIndex rank, TrackIndex track);
// Another item of a rank: "busy", "memory", "more", ...
[[nodiscard]] TrackKey keyOf(const TraceSet& traces, RankIndex rank, std::string_view what);
// The rank in the open job; invalid if there is none.
[[nodiscard]] RankIndex rankOf(const TraceSet& traces, const TrackKey& key);

// The first visible section of the timeline, so that a stored session returns to it.
struct ScrollPlace {
  TrackKey section;
  int offset = 0; // of its top from the first visible line, in pixels
  bool operator==(const ScrollPlace&) const = default;
};

enum class RankSort : std::uint8_t { Rank, StepTime, Lateness, ExposedCommunication, ByHand, Outliers };
enum class ColorBy : std::uint8_t { Kind, Name, Phase, Duration };

inline constexpr int kMinLanePercent = 60;
inline constexpr int kMaxLanePercent = 300;

struct TimelineChoice {
  std::vector<TrackKey> pinned;  // top to bottom
  std::set<TrackKey> hidden;     // tracks, and ranks as a whole
  std::map<TrackKey, bool> open; // of ranks, tracks and "more": expanded or collapsed by the user
  std::vector<TrackKey> order;   // custom order: ranks among ranks, tracks within their rank
  RankSort sort = RankSort::Rank;
  QString grouping;      // empty: none; "host"; "similar"; "group:tp" for process groups
  bool arranged = false; // many ranks were arranged once without being asked
  int capture = 0;       // only this recording of each rank; 0: all
  bool foldGaps = true;  // long times without a recording are drawn short
  QString filter;        // only tracks whose label has these words
  int lanePercent = 100; // of the default row height
  ColorBy colorBy = ColorBy::Kind;
  TimeUnit rulerUnit = TimeUnit::Fitting;
  std::optional<std::int64_t> alignedStep; // ranks are shifted so that this step starts at the same time

  bool operator==(const TimelineChoice&) const = default;

  [[nodiscard]] bool isPinned(const TrackKey& key) const;
  void setPinned(const TrackKey& key, bool pinned);
  void setHidden(const TrackKey& key, bool hide);
  [[nodiscard]] bool shows(const RankEntry& entry) const { return capture == 0 || entry.capture == capture; }
};

// The numbers of the recordings of a job's ranks, ascending.
[[nodiscard]] std::vector<int> capturesOf(const TraceSet& traces);

// For settings files; missing fields keep their defaults.
[[nodiscard]] QJsonObject toJson(const TimelineChoice& choice);
[[nodiscard]] TimelineChoice timelineChoiceFromJson(const QJsonObject& json);

} // namespace rankscope::ui
