// SPDX-License-Identifier: GPL-3.0-or-later
// What of a sitting is worth keeping, as a small JSON text: which traces, what was marked, how tracks were
// arranged, where one was looking. The same text is kept in the user's folder for each job and written into
// a .rankscope file that is passed on. A text of a newer version keeps what this one does not know; a damaged
// one loses only the fields that are. Pure functions but for reading and writing; any thread.
#pragma once

#include "core/base/result.h"
#include "ui/job/marks.h"

#include <QByteArray>
#include <QJsonObject>
#include <QString>
#include <QStringList>

#include <optional>
#include <string>
#include <vector>

namespace rankscope::ui {

// An event by what it is.
struct SavedEvent {
  MarkedTrack track;
  TimeNs begin = 0;
  QString name;

  bool operator==(const SavedEvent&) const = default;
};

[[nodiscard]] SavedEvent savedEvent(const TraceSet& traces, EventRef event);
// The event of this track and name that begins nearest to then, for clocks may have been aligned since;
// invalid when there is none within a millisecond.
[[nodiscard]] EventRef findSaved(const TraceSet& traces, const SavedEvent& saved);

struct SessionState {
  QStringList traces; // files and folders, absolute
  std::vector<Region> regions;
  QJsonObject timeline; // a TimelineChoice
  std::optional<TimeRange> window;
  std::optional<TimeRange> range;
  std::vector<MarkedTrack> rangeTracks;
  std::optional<SavedEvent> selection;
  QString search;
  QString theme;    // "system", "dark" or "light"; empty: not said
  QJsonObject rest; // fields of a newer version

  bool operator==(const SessionState&) const = default;
  // Whether a person made something in it, rather than looked somewhere.
  [[nodiscard]] bool hasWork() const { return !regions.empty(); }
};

inline const QString kSessionSuffix = QStringLiteral("rankscope");
[[nodiscard]] bool isSessionFile(const QString& path);

// Paths of traces are written relative to this folder.
[[nodiscard]] QByteArray sessionText(const SessionState& state, const QString& folder);
[[nodiscard]] Result<SessionState> sessionFromText(const QByteArray& text, const QString& folder);

[[nodiscard]] Result<SessionState> readSessionFile(const QString& path);
// What went wrong, or nothing. Written whole or not at all.
[[nodiscard]] std::optional<QString> writeSessionFile(const QString& path, const SessionState& state);

// Where a job's own session is kept, one for each set of paths.
struct SessionPlaces {
  QString nextToTraces; // the traces, hidden: earlier versions kept it there; it is read and never written
  QString inUserFolder; // in a folder of the user's; empty without one
};
[[nodiscard]] SessionPlaces sessionPlaces(const QStringList& traces, const QString& userFolder);

} // namespace rankscope::ui
