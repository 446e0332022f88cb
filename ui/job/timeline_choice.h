// SPDX-License-Identifier: GPL-3.0-or-later
// What a person chose about how the timeline shows a job: which tracks are pinned, hidden, folded and in
// which order, how ranks are sorted and grouped, how tall lanes are, what colors mean, in which unit the
// ruler counts. Plain data, kept with the job; it names ranks and tracks by what they are, so it still fits
// when more ranks arrive or the job is recorded again. Owned by TraceSession.
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

// A track, a counter, or all of a rank, by what it is.
struct TrackKey {
  int rank = 0;
  int capture = 1;
  std::string id; // empty: the rank itself

  [[nodiscard]] bool isRank() const { return id.empty(); }
  auto operator<=>(const TrackKey&) const = default;
};

[[nodiscard]] TrackKey keyOf(const TraceSet& traces, RankIndex rank);
[[nodiscard]] TrackKey keyOf(const TraceSet& traces, RankIndex rank, TrackIndex track);
// Something else that belongs to a rank: "busy", "memory", "more", ...
[[nodiscard]] TrackKey keyOf(const TraceSet& traces, RankIndex rank, std::string_view what);
// The rank of the open job; invalid when it is not in it.
[[nodiscard]] RankIndex rankOf(const TraceSet& traces, const TrackKey& key);

enum class RankSort : std::uint8_t { Rank, StepTime, Lateness, ExposedCommunication, ByHand };
enum class ColorBy : std::uint8_t { Kind, Name, Phase, Duration };

inline constexpr int kMinLanePercent = 60;
inline constexpr int kMaxLanePercent = 300;

struct TimelineChoice {
  std::vector<TrackKey> pinned;  // top to bottom
  std::set<TrackKey> hidden;     // tracks, and ranks as a whole
  std::map<TrackKey, bool> open; // of ranks, tracks and "more": what was unfolded or folded by hand
  std::vector<TrackKey> order;   // by hand: ranks among ranks, tracks among those of their rank
  RankSort sort = RankSort::Rank;
  QString grouping;      // empty: none; "host"; "group:tp" for process groups
  QString filter;        // only tracks whose label has these words
  int lanePercent = 100; // of the usual height of a row
  ColorBy colorBy = ColorBy::Kind;
  TimeUnit rulerUnit = TimeUnit::Fitting;
  std::optional<std::int64_t> alignedStep; // ranks are shifted so that this step begins at one place

  bool operator==(const TimelineChoice&) const = default;

  [[nodiscard]] bool isPinned(const TrackKey& key) const;
  void setPinned(const TrackKey& key, bool pinned);
  void setHidden(const TrackKey& key, bool hide);
};

// For a file of settings; what a text does not know stays as it is by default.
[[nodiscard]] QJsonObject toJson(const TimelineChoice& choice);
[[nodiscard]] TimelineChoice timelineChoiceFromJson(const QJsonObject& json);

} // namespace rankscope::ui
