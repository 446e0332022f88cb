// SPDX-License-Identifier: GPL-3.0-or-later
// A card with a title, a caption, a legend and one chart, or a message if the chart is empty. The chart can
// be copied, or saved as PNG or SVG. UI thread.
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
  bool line = false; // of a line
  qreal strength = 1;
};

class ChartCard : public QFrame {
  Q_OBJECT
 public:
  // Takes ownership of the chart; scrolls if it needs more height than available.
  ChartCard(const QString& title, QWidget* chart, const TraceSession& session, QWidget* parent = nullptr);

  void setTitle(const QString& title);
  [[nodiscard]] QString title() const;
  void setCaption(const QString& caption);
  void setLegend(std::vector<LegendItem> items);
  // If not empty, shown instead of the chart and its legend.
  void setEmptyText(const QString& text);
  // Adds a control at the right of the title.
  void addControl(QWidget* control);

  // Whether there is a chart instead of a message.
  [[nodiscard]] bool hasChart() const;
  // The card as SVG, and as a picture, with the whole chart, including the part scrolled out of view.
  [[nodiscard]] QByteArray svg();
  [[nodiscard]] QImage image() { return wholePicture().toImage(); }
  // Minimum height of the chart.
  void setLeastChartHeight(int height);

  // A file name: the title in lower case.
  [[nodiscard]] QString fileName() const;
  // Saves the whole chart with title and legend as png or svg, by the path's extension: drawn now, written by
  // a worker, which emits saved().
  void savePicture(const QString& path);
  void copyPicture();
  void exportPicture();

 signals:
  // problem: empty if the file was written.
  void saved(const QString& path, const QString& problem);

 protected:
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  class Legend;

  // With the whole chart, including the part scrolled out of view.
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
