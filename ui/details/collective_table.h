// SPDX-License-Identifier: GPL-3.0-or-later
// The ranks of one collective, a line each: when it came, how long it waited and moved data, at which speed,
// and a bar of both on one time axis. Of many ranks the first, the middle and the last to come stand at the
// top while the rest scrolls. Draws only what is visible. A click or Enter asks for the rank's event; a click
// on a title sorts by it. UI thread.
#pragma once

#include "ui/job/job_highlights.h"

#include <QAbstractScrollArea>

#include <cstdint>
#include <optional>
#include <vector>

namespace rankscope::ui {

class TraceSession;

struct CollectiveLine {
  EventRef event;
  int rank = 0;
  QString role; // "first", "median", "last" where it is one of them
  JobRange range;
  TimeNs late = 0;
  TimeNs wait = 0;
  TimeNs transfer = 0;
  TimeNs exposed = 0; // of the whole call
  bool exposedWait = false;
  std::optional<double> algbw; // 10^9 bytes a second
  std::optional<double> busbw;
};

// By rank. Speeds are those of the rank's own transfer.
[[nodiscard]] std::vector<CollectiveLine> collectiveLines(const JobHighlights& highlights,
                                                          const CollectiveInstance& instance);

class CollectiveTable : public QAbstractScrollArea {
  Q_OBJECT
 public:
  enum class Column : std::uint8_t { Rank, Begins, Late, Waits, Transfer, Exposed, Algbw, Busbw, Bar };
  // With more ranks than this, the three representative ones are at the top.
  static constexpr std::size_t kManyRanks = 12;

  explicit CollectiveTable(TraceSession& session, QWidget* parent = nullptr);

  void setLines(std::vector<CollectiveLine> lines, EventRef selected);
  void sortBy(Column column);
  [[nodiscard]] const std::vector<CollectiveLine>& lines() const { return m_lines; }
  // The ranks as they stand from top to bottom, without those that stay at the top.
  [[nodiscard]] std::vector<int> shownRanks() const;
  // Middle of a rank's line in the viewport, where it scrolls.
  [[nodiscard]] QPoint middleOfLine(std::size_t position) const;

 signals:
  void eventWanted(rankscope::EventRef event);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  struct Place {
    Column column;
    int left;
    int width;
  };

  [[nodiscard]] std::vector<Place> places() const;
  [[nodiscard]] QString textOf(const CollectiveLine& line, Column column) const;
  [[nodiscard]] std::size_t pinnedCount() const { return m_pinned.size(); }
  [[nodiscard]] int firstLineTop() const;
  [[nodiscard]] const CollectiveLine* lineAt(QPoint at) const;
  void paintLine(QPainter& painter, const CollectiveLine& line, int top,
                 const std::vector<Place>& places) const;
  void paintBar(QPainter& painter, const CollectiveLine& line, const QRect& box) const;
  void updateScrollBar();
  void step(int lines);
  void showSelected();

  TraceSession& m_session;
  std::vector<CollectiveLine> m_lines; // sorted as shown
  std::vector<CollectiveLine> m_pinned;
  JobRange m_hull;
  EventRef m_selected;
  Column m_sort = Column::Rank;
};

} // namespace rankscope::ui
