// SPDX-License-Identifier: GPL-3.0-or-later
// Whether the critical path is drawn on the timeline, whether all else is faded, and which of its segments is
// selected. One for each session, which owns it; made when first asked for. The path is computed on a worker
// when it is first shown. UI thread.
#pragma once

#include "ui/base/latest_task.h"
#include "ui/base/revision.h"
#include "ui/job/timeline_path.h"

#include <QObject>
#include <QString>

#include <memory>
#include <optional>

namespace rankscope::ui {

class TraceSession;

class PathChoice : public QObject {
  Q_OBJECT

 public:
  [[nodiscard]] static PathChoice& of(TraceSession& session);

  [[nodiscard]] bool shown() const { return m_shown; }
  // Whether everything else is faded; only while it is shown.
  [[nodiscard]] bool onlyCritical() const { return m_shown && m_onlyCritical; }
  void setShown(bool shown);
  // Shows the path, too.
  void setOnlyCritical(bool only);

  // Null while it is not shown or not computed; it may be without segments.
  [[nodiscard]] const std::shared_ptr<const TimelinePath>& path() const { return m_path; }
  // Changes with what is drawn, but not with the selected segment.
  [[nodiscard]] std::uint64_t revision() const { return m_revision; }
  // "Computing …", why there is no path; empty while there is one.
  [[nodiscard]] QString whyNone() const;

  // Position in the path.
  [[nodiscard]] std::optional<std::size_t> selected() const { return m_selected; }
  [[nodiscard]] const PathSegment* selectedSegment() const;
  // Selects its event in the session, too; nothing deselects the segment only.
  void select(std::optional<std::size_t> segment);
  // Shows the path and selects this segment as soon as the path is known.
  void showSegment(const PathSegment& segment);
  // The segment before or after the selected one.
  [[nodiscard]] bool canStep(bool forward) const;
  void step(bool forward);

 signals:
  void changed();
  void selectedChanged();
  // A segment was selected from outside of the timeline, or by a key: it should be in sight.
  void segmentWanted();

 private:
  explicit PathChoice(TraceSession& session);
  void ask();
  void followSelection();
  void change();

  TraceSession& m_session;
  bool m_shown = false;
  bool m_onlyCritical = false;
  std::shared_ptr<const TimelinePath> m_path;
  std::shared_ptr<const JobReport> m_asked;
  std::uint64_t m_revision = nextRevision();
  std::optional<std::size_t> m_selected;
  bool m_selecting = false;
  std::optional<PathSegment> m_wanted;
  LatestTask<std::shared_ptr<const TimelinePath>> m_task;
};

} // namespace rankscope::ui
