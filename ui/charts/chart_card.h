// SPDX-License-Identifier: GPL-3.0-or-later
// A card with a title, a caption, a legend and one chart, or a message if the chart is empty. The chart can
// be copied, or saved as PNG or SVG: then all of it is drawn at its own extent, however much of the card is
// in view, with what its choices stand on as text. UI thread.
#pragma once

#include "ui/charts/plot_view.h"

#include <QFrame>
#include <QImage>
#include <QPixmap>
#include <QString>

#include <cstdint>
#include <vector>

class QLabel;
class QPaintDevice;
class QPainter;
class QScrollArea;
class QStackedWidget;

namespace rankscope::ui {

class PendingWork;
class WrappedLabel;

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
  // hint: what a click does; not part of a picture.
  void setCaption(const QString& caption, const QString& hint = {});
  void setLegend(std::vector<LegendItem> items);
  // If not empty, shown instead of the chart and its legend.
  void setEmptyText(const QString& text);
  // Adds a control at the right of the title.
  void addControl(QWidget* control);

  // Whether there is a chart instead of a message.
  [[nodiscard]] bool hasChart() const;
  // The chart with title, caption and legend as SVG, and as a picture.
  enum class Page : std::uint8_t { Wide, Narrow }; // for which a picture is
  [[nodiscard]] QByteArray svg(Page page = Page::Wide);
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

  struct Drawing; // sizes of what is drawn

  [[nodiscard]] Drawing drawing(Page page = Page::Wide) const;
  void draw(QPaintDevice& onto, const Drawing& drawing);
  void drawChart(QPainter& painter, QPoint at, QSize size);
  // What the controls stand on, and the caption.
  [[nodiscard]] QString choicesText() const;
  [[nodiscard]] QPixmap wholePicture();

  const TraceSession& m_session;
  PendingWork& m_pending;
  QString m_said; // the caption without the hint
  QLabel* m_title;
  WrappedLabel* m_caption;
  Legend* m_legend;
  QStackedWidget* m_stack;
  QLabel* m_empty;
  QScrollArea* m_scroll;
};

} // namespace rankscope::ui
