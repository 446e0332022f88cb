// SPDX-License-Identifier: GPL-3.0-or-later
// What a person marked in a job: regions, which are a range of time, on some tracks or all, with a name, a
// note and a color; and notes, which are regions without a length at a single time. Those of this sitting go
// with it, kept ones are saved. They name ranks and tracks by what they are, so they still fit when more
// ranks arrive. Every change is one step to undo. Owned by TraceSession. UI thread.
#pragma once

#include "core/export/result_table.h"
#include "core/query/range_statistics.h"
#include "ui/base/theme.h"

#include <QObject>
#include <QString>

#include <optional>
#include <string>
#include <vector>

class QUndoStack;

namespace rankscope::ui {

// A track by what it is.
struct MarkedTrack {
  int rank = 0;
  int capture = 1;
  std::string id; // markedTrackId

  bool operator==(const MarkedTrack&) const = default;
};

[[nodiscard]] std::string markedTrackId(const Track& track);
[[nodiscard]] std::vector<MarkedTrack> markedTracks(const TraceSet& traces,
                                                    const std::vector<RankTracks>& tracks);
// Those of them that the job has.
[[nodiscard]] std::vector<RankTracks> rankTracksOf(const TraceSet& traces,
                                                   const std::vector<MarkedTrack>& marked);

struct Region {
  QString name;
  QString note;
  TimeRange range;                 // wall time
  std::vector<MarkedTrack> tracks; // none: all
  bool saved = false;
  int color = 0; // below kMarkColors

  [[nodiscard]] bool isNote() const { return range.empty(); }
  bool operator==(const Region&) const = default;
};

inline constexpr int kMarkColors = 6;
// The same meaning in every theme; of a number that no mark has, the first one.
[[nodiscard]] QColor markColor(const Theme& theme, int color);
[[nodiscard]] QString markColorName(int color);

class Marks : public QObject {
  Q_OBJECT

 public:
  // The stack outlives them.
  explicit Marks(QUndoStack& undo, QObject* parent = nullptr);

  // By begin, then end.
  [[nodiscard]] const std::vector<Region>& regions() const { return m_regions; }
  // The region of exactly this range.
  [[nodiscard]] std::optional<std::size_t> find(TimeRange range) const;
  // "Region 3" or "Note 3": a name that no region has.
  [[nodiscard]] QString freeName(bool note = false) const;
  // The note that was clicked, until something else is marked or selected.
  [[nodiscard]] std::optional<std::size_t> chosenNote() const;
  void chooseNote(std::optional<std::size_t> position);

  void add(const Region& region);
  void remove(std::size_t position);
  void change(std::size_t position, const Region& region);
  // Not a step to undo: what a file held.
  void setRegions(std::vector<Region> regions);

 signals:
  void changed();

 private:
  friend class RegionsCommand;
  void push(const QString& what, std::vector<Region> regions);

  QUndoStack& m_undo;
  std::vector<Region> m_regions;
  std::optional<TimeNs> m_chosenNote;
};

// origin: where times are counted from.
[[nodiscard]] ResultTable regionsTable(const std::vector<Region>& regions, TimeNs origin);

} // namespace rankscope::ui
