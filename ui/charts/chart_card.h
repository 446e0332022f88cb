// SPDX-License-Identifier: GPL-3.0-or-later
// A titled card with one chart in it: caption, legend, a sentence in place of a chart that has nothing to
// show, and the chart as a picture (copied, or written as PNG or SVG). UI thread.
#pragma once

#include "ui/charts/plot_view.h"

#include <QFrame>
#include <QImage>
#include <QPixmap>
#include <QString>

#include <vector>

class QLabel;
class QPaintDevice;
class QScrollArea;
class QStackedWidget;

namespace rankscope::ui {

class PendingWork;

struct LegendItem {
  QString name;
  ThemeColor color = &Theme::faint;
  bool hatched = false;
  bool line = false; // of a curve
  qreal strength = 1;
};

class ChartCard : public QFrame {
  Q_OBJECT
 public:
  // chart becomes a child; one that needs more height than there is, is scrolled.
  ChartCard(const QString& title, QWidget* chart, const TraceSession& session, QWidget* parent = nullptr);

  void setTitle(const QString& title);
  [[nodiscard]] QString title() const;
  void setCaption(const QString& caption);
  void setLegend(std::vector<LegendItem> items);
  // Not empty: in place of the chart and its legend.
  void setEmptyText(const QString& text);
  // A widget at the right of the title line: a choice of what is shown.
  void addControl(QWidget* control);

  // Whether there is a chart to see instead of a sentence.
  [[nodiscard]] bool hasChart() const;
  // The card as an SVG file, and as a picture; all of the chart, also what is scrolled away.
  [[nodiscard]] QByteArray svg();
  [[nodiscard]] QImage image() { return wholePicture().toImage(); }
  // Less is not given to the chart; without one it takes what it gets.
  void setLeastChartHeight(int height);

  // Name for a file: the title in small letters.
  [[nodiscard]] QString fileName() const;
  // All of the chart with its title and legend, by the path's ending (png or svg): drawn now, written by a
  // worker; saved() says what came of it.
  void savePicture(const QString& path);
  void copyPicture();
  void exportPicture();

 signals:
  // problem: empty when the file is there.
  void saved(const QString& path, const QString& problem);

 protected:
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  class Legend;

  // With all of the chart, also what is scrolled away.
  [[nodiscard]] QSize wholeSize() const;
  void renderWhole(QPaintDevice& onto);
  [[nodiscard]] QPixmap wholePicture();

  PendingWork& m_pending;
  QLabel* m_title;
  QLabel* m_caption;
  Legend* m_legend;
  QStackedWidget* m_stack;
  QLabel* m_empty;
  QScrollArea* m_scroll;
};

} // namespace rankscope::ui
