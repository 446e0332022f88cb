// SPDX-License-Identifier: GPL-3.0-or-later
// A flame graph that can be zoomed and walked: the root on top, boxes as wide as their weight. The wheel
// zooms along x, with Shift it scrolls; a drag pans; the keys are those of the tab. Painted from the rows of
// a FlameLayout pixel by pixel, so that a frame costs the same for a thousand boxes and a million. UI thread.
#pragma once

#include "core/analysis/stacks/stack_weight.h"
#include "ui/flames/flame_labels.h"
#include "ui/flames/flame_layout.h"
#include "ui/flames/flame_style.h"
#include "ui/timeline/picture/span_raster.h"

#include <QAbstractScrollArea>
#include <QImage>
#include <QPoint>

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rankscope::ui {

class TraceSession;

class FlameView : public QAbstractScrollArea {
  Q_OBJECT
 public:
  explicit FlameView(TraceSession& session, QWidget* parent = nullptr);

  // Null: nothing to draw. The zoom stays if everything is as wide as before; the selection if its stack
  // still exists.
  void setLayoutToShow(std::shared_ptr<const FlameLayout> layout, StackWeight weight);
  [[nodiscard]] const std::shared_ptr<const FlameLayout>& layoutShown() const { return m_layout; }
  void setEmptyText(const QString& text);
  // In a page that scrolls, the wheel zooms with Ctrl only.
  void setInScrollingPage(bool inPage) { m_inPage = inPage; }
  // Colors frames by the module that they lie in instead of by their kind; a difference stays as it is.
  void setColorByModule(bool byModule);
  // The outermost frames at the bottom instead of on top.
  void setFlipped(bool flipped);
  [[nodiscard]] bool isFlipped() const { return m_flipped; }
  // By frame of the tree, 1 for those that are found; empty: no search. The rest is paler.
  void setMatches(std::vector<std::uint8_t> matches);

  // The node of the selected box; nothing when none is.
  [[nodiscard]] std::optional<std::uint32_t> selected() const;
  void select(std::uint32_t node);
  void clearSelection();
  // Shows everything; the whole width of a node; what was shown before.
  void fit();
  void zoomTo(std::uint32_t node);
  // Shows this range, which back() does not come back to.
  void showRange(double from, double to) { setRange(from, to, false); }
  void back();
  // The frames from the outermost to the selected one, to the clipboard.
  void copyPath() const;

  // The visible range along x, in units of the weight.
  [[nodiscard]] std::pair<double, double> range() const { return {m_from, m_to}; }
  // Of a node its first box, in logical pixels of the viewport; empty when it has none.
  [[nodiscard]] QRectF boxOf(std::uint32_t node) const;
  [[nodiscard]] QString tipOf(std::uint32_t node) const;
  // Handles a key of the tab; false for others.
  bool pressKey(int key);

 signals:
  void selectionChanged();
  // A double click, or Enter.
  void activated(std::uint32_t node);
  void recursionToggled();
  // A right click, or the menu key: of the node there or the selected one; of no node the root.
  void menuWanted(std::uint32_t node, QPoint global);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  bool viewportEvent(QEvent* event) override;

 private:
  struct Place {
    std::size_t row = 0;
    std::size_t box = 0;
  };

  [[nodiscard]] int rowHeight() const;
  // Where a row of the layout is drawn, in logical pixels of the viewport, and the row that is drawn there.
  [[nodiscard]] int topOf(std::size_t row) const;
  [[nodiscard]] std::optional<std::size_t> rowAt(int y) const;
  // Above the rows where they are fewer than the viewport holds.
  [[nodiscard]] int emptyHeight() const;
  // By kind or module; of a difference by the change. As it was found before.
  [[nodiscard]] QRgb colorOf(const FlamePiece& piece);
  [[nodiscard]] QColor foundColorOf(std::uint32_t node) const;
  [[nodiscard]] QRgb textColorOn(QRgb color);
  void forgetColors();
  [[nodiscard]] const FlameBox* boxAt(QPoint place) const;
  [[nodiscard]] std::optional<Place> placeOf(std::uint32_t node) const;
  void findModules();
  void paintRow(SpanRaster& raster, std::size_t row, double ratio, const std::vector<FlamePiece>& pieces);
  void paintLabels(QPainter& painter, std::size_t row, double ratio, const std::vector<FlamePiece>& pieces);
  void hatchIdle(SpanRaster& raster, int line, int lines, const FlamePiece& piece, double pixels);
  void hatchOneSided(SpanRaster& raster, int line, int lines, const FlamePiece& piece, double pixels);
  void setRange(double from, double to, bool remember);
  void selectNeighbor(int by);
  void selectRow(int by);
  void updateScrollBar();
  void showOutermost();
  void showSelected();

  TraceSession& m_session;
  std::shared_ptr<const FlameLayout> m_layout; // null: nothing to draw
  StackWeight m_weight = StackWeight::HostSelf;
  QString m_emptyText;
  std::vector<std::uint8_t> m_matches; // by frame; empty: no search
  bool m_byModule = false;
  bool m_flipped = false;
  std::vector<std::uint32_t> m_modules; // by node: the innermost module around it, 0 none; empty: not asked
  std::optional<std::uint32_t> m_selected;
  double m_from = 0;
  double m_to = 1;
  std::vector<std::pair<double, double>> m_past; // ranges shown before
  QPoint m_pressed;
  std::pair<double, double> m_rangeWhenPressed;
  int m_scrollWhenPressed = 0;
  bool m_dragging = false;
  bool m_inPage = false;
  bool m_moved = false; // since the last frame
  // Kept between frames.
  QImage m_image;
  std::vector<QRgb> m_colors; // by frame; by node of a difference or by module; 0: not asked yet
  bool m_hasIdle = false;     // some frame is a cause of idle time, which is striped
  std::unordered_map<QRgb, QRgb> m_textColors;
  std::optional<FlameLabels> m_labels;
  std::vector<ColorSpan> m_spans;
};

} // namespace rankscope::ui
