// SPDX-License-Identifier: GPL-3.0-or-later
// User marks in a job: regions (a time range on some or all tracks, with name, note and color) and notes
// (regions of zero length). Temporary ones end with the session, others are saved. Ranks and tracks are
// identified by number and name, so marks stay valid when more ranks are loaded. Every change is one undo
// step. Owned by TraceSession. UI thread.
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

// A track, identified by rank and name.
struct MarkedTrack {
  int rank = 0;
  int capture = 1;
  std::string id; // markedTrackId

  bool operator==(const MarkedTrack&) const = default;
};

[[nodiscard]] std::string markedTrackId(const Track& track);
[[nodiscard]] std::vector<MarkedTrack> markedTracks(const TraceSet& traces,
                                                    const std::vector<RankTracks>& tracks);
// Those that exist in the job.
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
// The same hue in every theme; the first one for an invalid number.
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
  // "Region 3" or "Note 3": an unused name.
  [[nodiscard]] QString freeName(bool note = false) const;
  // The clicked note, until something else is marked or selected.
  [[nodiscard]] std::optional<std::size_t> chosenNote() const;
  void chooseNote(std::optional<std::size_t> position);

  void add(const Region& region);
  void remove(std::size_t position);
  void change(std::size_t position, const Region& region);
  // Not undoable: content of a file.
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

// origin: times are relative to it.
[[nodiscard]] ResultTable regionsTable(const std::vector<Region>& regions, TimeNs origin);

} // namespace rankscope::ui
