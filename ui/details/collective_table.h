// SPDX-License-Identifier: GPL-3.0-or-later
// The ranks of one collective, one per row: arrival, wait, transfer and bandwidth, with a bar on a common
// time axis. With many ranks, the first, the median and the last one are fixed at the top and the rest
// scrolls. Draws only visible rows. A click or Enter requests the rank's event; a click on a title sorts. UI
// thread.
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
  QString role; // "first", "median", "last", or empty
  JobRange range;
  bool matched = false; // else lateness, wait and transfer are unknown
  TimeNs late = 0;
  TimeNs wait = 0;
  TimeNs transfer = 0;
  TimeNs exposed = 0; // of the whole call
  bool exposedWait = false;
  std::optional<double> algbw; // 10^9 bytes per second
  std::optional<double> busbw;
};

// By rank. Bandwidths are those of the rank's own transfer.
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
  // The scrolling ranks in display order, without those fixed at the top.
  [[nodiscard]] std::vector<int> shownRanks() const;
  // As in the cell: "unknown" for what needs the other ranks, if these were not recorded.
  [[nodiscard]] QString textOf(const CollectiveLine& line, Column column) const;
  // What a column is, with its unit.
  [[nodiscard]] static QString headTip(Column column);
  // Vertical center of a rank's row in the viewport.
  [[nodiscard]] QPoint middleOfLine(std::size_t position) const;

 signals:
  void eventWanted(rankscope::EventRef event);

 protected:
  bool viewportEvent(QEvent* event) override;
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
  std::vector<CollectiveLine> m_lines; // in display order
  std::vector<CollectiveLine> m_pinned;
  JobRange m_hull;
  EventRef m_selected;
  Column m_sort = Column::Rank;
};

} // namespace rankscope::ui
