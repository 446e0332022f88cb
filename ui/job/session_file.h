// SPDX-License-Identifier: GPL-3.0-or-later
// A session as JSON: traces, marks, track arrangement and view. Stored in the user's folder for each job,
// and in .rankscope files for sharing. Unknown fields of newer versions are preserved; of a damaged file
// only the damaged fields are lost. Pure functions except for reading and writing; any thread.
#pragma once

#include "core/base/result.h"
#include "core/report/accepted_findings.h"
#include "ui/job/loaded_part.h"
#include "ui/job/marks.h"
#include "ui/job/timeline_choice.h"

#include <QByteArray>
#include <QJsonObject>
#include <QString>
#include <QStringList>

#include <optional>
#include <string>
#include <vector>

namespace rankscope::ui {

// An event, identified by track, time and name.
struct SavedEvent {
  MarkedTrack track;
  TimeNs begin = 0;
  QString name;

  bool operator==(const SavedEvent&) const = default;
};

[[nodiscard]] SavedEvent savedEvent(const TraceSet& traces, EventRef event);
// The event of this track and name nearest to the saved time, because clocks may have been aligned since;
// invalid if there is none within a millisecond.
[[nodiscard]] EventRef findSaved(const TraceSet& traces, const SavedEvent& saved);

struct SessionState {
  QStringList traces; // files and folders, absolute
  LoadedPart part;    // what of them was open
  std::vector<Region> regions;
  std::vector<AcceptedFinding> accepted;
  QJsonObject timeline; // a TimelineChoice
  std::optional<TimeRange> window;
  std::optional<TimeRange> range;
  std::vector<MarkedTrack> rangeTracks;
  std::optional<SavedEvent> selection;
  std::optional<ScrollPlace> scroll; // of the timeline
  QString tab;                       // id; empty: not saved
  QString search;
  QString theme;    // "system", "dark" or "light"; empty: not saved
  QJsonObject rest; // fields of a newer version

  bool operator==(const SessionState&) const = default;
  // Whether it contains user content, not only a view.
  [[nodiscard]] bool hasWork() const { return !regions.empty() || !accepted.empty(); }
};

inline const QString kSessionSuffix = QStringLiteral("rankscope");
[[nodiscard]] bool isSessionFile(const QString& path);

// Trace paths are written relative to this folder.
[[nodiscard]] QByteArray sessionText(const SessionState& state, const QString& folder);
[[nodiscard]] Result<SessionState> sessionFromText(const QByteArray& text, const QString& folder);

[[nodiscard]] Result<SessionState> readSessionFile(const QString& path);
// The error, or empty. The write is atomic.
[[nodiscard]] std::optional<QString> writeSessionFile(const QString& path, const SessionState& state);

// Where a job's session is stored, one for each set of paths.
struct SessionPlaces {
  QString nextToTraces; // hidden file of earlier versions; read, never written
  QString inUserFolder; // in the user's folder; empty without one
};
[[nodiscard]] SessionPlaces sessionPlaces(const QStringList& traces, const QString& userFolder);

} // namespace rankscope::ui
