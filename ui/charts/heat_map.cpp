// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/heat_map.h"

#include "ui/base/text_scale.h"
#include "ui/charts/axis_text.h"
#include "ui/charts/plot_view.h"
#include "ui/job/trace_session.h"

#include <QEvent>
#include <QFontMetrics>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLinearGradient>
#include <QMouseEvent>
#include <QPaintEngine>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr int kTop = 30; // height of the scale
constexpr int kBottom = 22;
constexpr int kGap = 12;
constexpr int kMinRowHeight = 3;
constexpr int kMaxRowHeight = 80;
constexpr std::size_t kMaxBoxes = 4096; // up to this number, an export has rectangles; above it, one picture
constexpr std::size_t kMaxTallRows = 1U << 16;
constexpr int kRowName = 15; // height of a row name
constexpr int kMaxNameWidth = 150;
constexpr int kScaleWidth = 200;
constexpr int kLeastScaleWidth = 40; // beside long texts
constexpr int kScaleHeight = 8;
constexpr int kTextSize = 11;
constexpr int kShades = 256;

// Conversion between pixels and cells, in integers.
std::size_t cellOfPixel(int pixel, int pixels, std::size_t cells) {
  return static_cast<std::size_t>(pixel) * cells / static_cast<std::size_t>(std::max(1, pixels));
}

int pixelOfCell(std::size_t cell, int pixels, std::size_t cells) {
  // First pixel of a cell.
  return static_cast<int>((cell * static_cast<std::size_t>(pixels) + cells - 1) /
                          std::max<std::size_t>(1, cells));
}

} // namespace

HeatMap::HeatMap(const TraceSession& session, QWidget* parent) : QWidget(parent), m_session(session) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  connect(&session, &TraceSession::themeChanged, this, [this] {
    m_image = {};
    update();
  });
}

bool HeatContents::explainsMissing() const {
  return !missing.isEmpty() && cells &&
         std::ranges::any_of(cells->values, [](float value) { return value < 0; });
}

void HeatMap::setContents(HeatContents contents) {
  m_contents = std::move(contents);
  m_image = {};
  m_hovered.reset();
  m_marked = -1;
  m_nameWidth = 0;
  const QFontMetrics metrics(textFont(12));
  for (const QString& name : m_contents.rowNames)
    m_nameWidth =
        std::max(m_nameWidth, std::min(scaledToText(kMaxNameWidth), metrics.horizontalAdvance(name) + 2));
  updateGeometry();
  update();
}

bool HeatMap::empty() const {
  return !m_contents.cells || m_contents.cells->rows == 0 || m_contents.cells->columns == 0;
}

QSize HeatMap::sizeHint() const {
  const int rows = empty() ? 0 : static_cast<int>(std::min<std::size_t>(m_contents.cells->rows, 64));
  return {480, scaledToText(kTop) + scaledToText(kBottom) + std::max(120, rows * scaledToText(20))};
}

QSize HeatMap::minimumSizeHint() const {
  const int rows = empty() ? 0 : static_cast<int>(std::min<std::size_t>(m_contents.cells->rows, 32));
  return {240, scaledToText(kTop) + scaledToText(kBottom) + std::max(60, rows * kMinRowHeight)};
}

QRect HeatMap::plot() const {
  QRect plot = rect().adjusted(m_nameWidth + kGap, scaledToText(kTop), -1, -scaledToText(kBottom));
  if (empty()) return plot;
  const int rows = static_cast<int>(std::min<std::size_t>(m_contents.cells->rows, kMaxTallRows));
  plot.setHeight(std::min(plot.height(), rows * scaledToText(kMaxRowHeight)));
  return plot;
}

QRect HeatMap::boxOf(std::size_t column, std::size_t row) const {
  const QRect area = plot();
  const HeatCells& cells = *m_contents.cells;
  const auto span = [](std::size_t cell, int pixels, std::size_t count) {
    if (count > static_cast<std::size_t>(pixels))
      return std::pair(static_cast<int>(cell * static_cast<std::size_t>(pixels) / count), 1);
    const int first = pixelOfCell(cell, pixels, count);
    return std::pair(first, pixelOfCell(cell + 1, pixels, count) - first);
  };
  const auto [x, wide] = span(column, area.width(), cells.columns);
  const auto [y, high] = span(row, area.height(), cells.rows);
  return {area.left() + x, area.top() + y, wide, high};
}

QSize HeatMap::folding() const {
  if (empty()) return {1, 1};
  const QRect area = plot();
  const auto folded = [](std::size_t cells, int pixels) {
    return static_cast<int>((cells + static_cast<std::size_t>(pixels) - 1) /
                            static_cast<std::size_t>(pixels));
  };
  return {folded(m_contents.cells->columns, std::max(1, area.width())),
          folded(m_contents.cells->rows, std::max(1, area.height()))};
}

// x, y: position in the plot.
HeatMap::Block HeatMap::blockAt(int x, int y) const {
  const QRect area = plot();
  const HeatCells& cells = *m_contents.cells;
  const std::size_t column = cellOfPixel(x, area.width(), cells.columns);
  const std::size_t row = cellOfPixel(y, area.height(), cells.rows);
  return {column, std::max(column + 1, cellOfPixel(x + 1, area.width(), cells.columns)), row,
          std::max(row + 1, cellOfPixel(y + 1, area.height(), cells.rows))};
}

std::optional<HeatPeak> HeatMap::cellAt(QPointF place) const {
  const QPoint at = place.toPoint();
  if (empty() || !plot().contains(at)) return std::nullopt;
  const Block block = blockAt(at.x() - plot().left(), at.y() - plot().top());
  const HeatPeak peak =
      largestIn(*m_contents.cells, block.firstColumn, block.endColumn, block.firstRow, block.endRow);
  return peak;
}

const QImage& HeatMap::image() const {
  const QSize size = plot().size();
  if (m_image.size() == size || empty() || size.isEmpty()) return m_image;
  m_image = QImage(size, QImage::Format_RGB32);
  std::array<QRgb, kShades> shades;
  for (int i = 0; i < kShades; ++i)
    shades[static_cast<std::size_t>(i)] = heatColor(m_session.theme(), i / (kShades - 1.0)).rgb();
  const QRgb nothing = m_session.theme().panel.rgb();
  const QRgb stripe = m_contents.missing.isEmpty() ? nothing : m_session.theme().faint.rgb();
  constexpr int kStripes = 5; // pixels from one to the next
  const double scale = (kShades - 1) / m_contents.top;
  for (int y = 0; y < size.height(); ++y) {
    auto* line = reinterpret_cast<QRgb*>(m_image.scanLine(y));
    if (y > 0 && m_contents.cells->rows < static_cast<std::size_t>(size.height()) &&
        blockAt(0, y).firstRow == blockAt(0, y - 1).firstRow) {
      std::copy_n(reinterpret_cast<const QRgb*>(m_image.constScanLine(y - 1)), size.width(), line);
      continue;
    }
    for (int x = 0; x < size.width(); ++x) {
      const Block block = blockAt(x, y);
      const float value =
          largestIn(*m_contents.cells, block.firstColumn, block.endColumn, block.firstRow, block.endRow)
              .value;
      const auto shade = static_cast<std::size_t>(std::lround(std::clamp(value * scale, 0.0, kShades - 1.0)));
      line[x] = value >= 0 ? shades[shade] : x % kStripes == 0 ? stripe : nothing;
    }
  }
  return m_image;
}

void HeatMap::paintEvent(QPaintEvent*) {
  if (empty()) return;
  QPainter painter(this);
  paintCells(painter);
  // Rows with enough space are separated.
  const HeatCells& cells = *m_contents.cells;
  if (static_cast<std::size_t>(plot().height()) >= 8 * cells.rows) {
    painter.setPen(m_session.theme().panel);
    for (std::size_t row = 1; row < cells.rows; ++row) {
      const int y = boxOf(0, row).top();
      painter.drawLine(plot().left(), y, plot().right(), y);
    }
  }
  paintTexts(painter);
  paintNames(painter);
  paintMarks(painter);
  paintScale(painter);
  paintCrosshair(painter);
}

// An exported drawing has rectangles; on the screen a picture is faster.
void HeatMap::paintCells(QPainter& painter) const {
  const HeatCells& cells = *m_contents.cells;
  const bool drawing = painter.paintEngine() != nullptr && painter.paintEngine()->type() == QPaintEngine::SVG;
  const QSize fold = folding();
  if (!drawing || fold != QSize(1, 1) || cells.rows * cells.columns > kMaxBoxes) {
    painter.drawImage(plot().topLeft(), image());
    return;
  }
  for (std::size_t row = 0; row < cells.rows; ++row)
    for (std::size_t column = 0; column < cells.columns; ++column) {
      const float value = cells.at(column, row);
      if (value < 0) {
        if (!m_contents.missing.isEmpty()) paintHatch(painter, boxOf(column, row), m_session.theme().faint);
        continue;
      }
      const double strength = std::clamp(static_cast<double>(value) / m_contents.top, 0.0, 1.0);
      painter.fillRect(boxOf(column, row), heatColor(m_session.theme(), strength));
    }
}

void HeatMap::paintTexts(QPainter& painter) const {
  const HeatCells& cells = *m_contents.cells;
  if (m_contents.texts.size() != cells.values.size() || folding() != QSize(1, 1)) return;
  painter.setFont(numberFont(kTextSize));
  const QFontMetrics metrics = painter.fontMetrics();
  constexpr int kMiddleGray = 128;
  for (std::size_t column = 0; column < cells.columns; ++column)
    for (std::size_t row = 0; row < cells.rows; ++row) {
      const QString& text = m_contents.texts[column * cells.rows + row];
      const QRect box = boxOf(column, row);
      if (text.isEmpty() || box.height() < metrics.height() ||
          box.width() < metrics.horizontalAdvance(text) + 4)
        continue;
      const float value = cells.at(column, row);
      const QColor ground =
          value < 0 ? m_session.theme().panel
                    : heatColor(m_session.theme(),
                                std::clamp(static_cast<double>(value) / m_contents.top, 0.0, 1.0));
      painter.setPen(qGray(ground.rgb()) < kMiddleGray ? Qt::white : Qt::black);
      painter.drawText(box, Qt::AlignCenter, text);
    }
}

void HeatMap::paintNames(QPainter& painter) const {
  const Theme& theme = m_session.theme();
  const int rows = static_cast<int>(m_contents.cells->rows);
  const int every =
      std::max(1, (rows * scaledToText(kRowName) + plot().height() - 1) / std::max(1, plot().height()));
  painter.setFont(textFont(12));
  QList<QRect> taken;
  const auto paint = [&](int row, QColor color) {
    const int middle = boxOf(0, static_cast<std::size_t>(row)).center().y();
    const QRect box(0, middle - scaledToText(kRowName) / 2, m_nameWidth, scaledToText(kRowName));
    if (std::ranges::any_of(taken, [&](const QRect& other) { return other.intersects(box); })) return;
    taken << box;
    painter.setPen(color);
    painter.drawText(box, Qt::AlignVCenter | Qt::AlignLeft,
                     painter.fontMetrics().elidedText(m_contents.rowNames[row], Qt::ElideRight, m_nameWidth));
  };
  // The hovered and highlighted names first, then others where there is space.
  for (const int row : {m_hovered ? static_cast<int>(m_hovered->row) : -1, m_marked})
    if (row >= 0 && row < rows)
      paint(row, m_contents.outlierRows[static_cast<std::size_t>(row)] ? theme.bad : theme.accent);
  for (int row = 0; row < rows; ++row)
    if (m_contents.outlierRows[static_cast<std::size_t>(row)]) paint(row, theme.bad);
  for (int row = 0; row < rows; row += every) paint(row, theme.text);
}

void HeatMap::paintMarks(QPainter& painter) const {
  const Theme& theme = m_session.theme();
  painter.setFont(numberFont(kTextSize));
  int taken = 0;
  for (const HeatContents::Mark& mark : m_contents.marks) {
    const int x = boxOf(mark.column, 0).left();
    const int wide = painter.fontMetrics().horizontalAdvance(mark.text) + 4;
    if (x < taken || x + wide > width()) continue;
    painter.setPen(theme.faint);
    painter.drawLine(x, plot().bottom() + 1, x, plot().bottom() + 5);
    painter.setPen(theme.muted);
    painter.drawText(QRect(x, plot().bottom() + 5, wide, scaledToText(kBottom) - 5),
                     Qt::AlignLeft | Qt::AlignTop, mark.text);
    taken = x + wide + 14;
  }
}

void HeatMap::paintScale(QPainter& painter) const {
  const Theme& theme = m_session.theme();
  const QRect area = plot();
  const QString least = amountText(m_contents.unit, 0);
  const QString text = amountText(m_contents.unit, m_contents.top);
  const QString most = m_contents.largest > m_contents.top ? tr("≥ %1").arg(text) : text;
  painter.setFont(numberFont(kTextSize));
  const QFontMetrics metrics = painter.fontMetrics();
  const int minWidth = metrics.horizontalAdvance(least) + 8;
  // The color bar becomes narrower before the texts beside it are cut.
  int texts = minWidth + 8 + metrics.horizontalAdvance(most);
  if (m_contents.explainsMissing())
    texts += 20 + scaledToText(14) + 8 + metrics.horizontalAdvance(m_contents.missing);
  const int widest = std::min(scaledToText(kScaleWidth), area.width() / 2);
  const int wide =
      std::min(widest, std::max(scaledToText(kLeastScaleWidth), width() - area.left() - texts - 1));
  const QRect bar(area.left() + minWidth, scaledToText(6), wide, scaledToText(kScaleHeight));
  QLinearGradient gradient(bar.topLeft(), bar.topRight());
  constexpr int kStops = 24;
  for (int i = 0; i <= kStops; ++i)
    gradient.setColorAt(static_cast<double>(i) / kStops, heatColor(theme, static_cast<double>(i) / kStops));
  painter.fillRect(bar, gradient);
  painter.setPen(theme.line);
  painter.drawRect(bar.adjusted(0, 0, -1, -1));
  painter.setPen(theme.muted);
  const int top = bar.center().y() - metrics.height() / 2;
  painter.drawText(QRect(area.left(), top, minWidth, metrics.height()), Qt::AlignLeft | Qt::AlignVCenter,
                   least);
  QRect rest(bar.right() + 8, top, std::max(0, width() - bar.right() - 8), metrics.height());
  painter.drawText(rest, Qt::AlignLeft | Qt::AlignVCenter,
                   metrics.elidedText(most, Qt::ElideRight, rest.width()));
  if (!m_contents.explainsMissing()) return;
  rest.setLeft(rest.left() + metrics.horizontalAdvance(most) + 20);
  const QRect swatch(rest.left(), bar.top(), scaledToText(14), bar.height());
  for (int x = swatch.left() + 2; x < swatch.right(); x += 5) {
    painter.setPen(theme.faint);
    painter.drawLine(x, swatch.top(), x, swatch.bottom());
  }
  painter.setPen(theme.line);
  painter.drawRect(swatch.adjusted(0, 0, -1, -1));
  painter.setPen(theme.muted);
  rest.setLeft(swatch.right() + 8);
  painter.drawText(rest, Qt::AlignLeft | Qt::AlignVCenter,
                   metrics.elidedText(m_contents.missing, Qt::ElideRight, rest.width()));
}

void HeatMap::paintCrosshair(QPainter& painter) const {
  const Theme& theme = m_session.theme();
  const QRect area = plot();
  if (m_marked >= 0 && m_marked < static_cast<int>(m_contents.cells->rows)) {
    const QRect row = boxOf(0, static_cast<std::size_t>(m_marked));
    painter.setPen(theme.accent);
    painter.drawRect(QRect(area.left(), row.top() - 1, area.width() - 1, row.height() + 1));
  }
  if (hasFocus() && !m_hovered) {
    painter.setPen(QPen(theme.accent, 1, Qt::DotLine));
    painter.drawRect(area.adjusted(-2, -2, 1, 1));
  }
  if (!m_hovered) return;
  const QRect cell = boxOf(m_hovered->column, m_hovered->row);
  QColor line = theme.text;
  line.setAlphaF(0.5F);
  painter.setPen(line);
  const int x = cell.center().x();
  const int y = cell.center().y();
  painter.drawLine(x, area.top(), x, cell.top() - 2);
  painter.drawLine(x, cell.bottom() + 2, x, area.bottom() + 4);
  painter.drawLine(area.left() - 4, y, cell.left() - 2, y);
  painter.drawLine(cell.right() + 2, y, area.right(), y);
  painter.setPen(theme.text);
  painter.drawRect(cell.adjusted(-1, -1, 0, 0));
}

QString HeatMap::tipAt(QPointF place) const {
  const auto cell = cellAt(place);
  if (!cell || cell->value < 0 || !m_tip) return {};
  const QPoint at = place.toPoint() - plot().topLeft();
  const Block block = blockAt(at.x(), at.y());
  const std::size_t cells = (block.endColumn - block.firstColumn) * (block.endRow - block.firstRow);
  QString tip = m_tip(cell->column, cell->row);
  if (cells > 1)
    tip += QStringLiteral("<br><i>%1</i>")
               .arg(tr("Maximum of %1 cells in this pixel")
                        .arg(amountText(Unit::Count, static_cast<double>(cells))));
  return tip;
}

void HeatMap::markRow(int row) {
  if (m_marked == row) return;
  m_marked = row;
  update();
}

void HeatMap::hover(std::optional<HeatPeak> cell) {
  const auto rowOf = [](const std::optional<HeatPeak>& at) { return at ? static_cast<int>(at->row) : -1; };
  const bool otherRow = rowOf(cell) != rowOf(m_hovered);
  m_hovered = cell;
  update();
  if (otherRow) emit rowHovered(rowOf(cell));
}

void HeatMap::mouseMoveEvent(QMouseEvent* event) {
  hover(cellAt(event->position()));
}

void HeatMap::leaveEvent(QEvent* event) {
  QWidget::leaveEvent(event);
  hover(std::nullopt);
}

void HeatMap::mouseReleaseEvent(QMouseEvent* event) {
  const auto cell = cellAt(event->position());
  if (event->button() != Qt::LeftButton || !cell || cell->value < 0) return;
  emit cellPicked(static_cast<int>(cell->column), static_cast<int>(cell->row));
}

void HeatMap::moveCell(int columns, int rows) {
  const HeatCells& cells = *m_contents.cells;
  const HeatPeak from = m_hovered.value_or(HeatPeak{});
  const auto moved = [](std::size_t at, int by, std::size_t count) {
    const auto place = static_cast<std::int64_t>(at) + by;
    return static_cast<std::size_t>(std::clamp<std::int64_t>(place, 0, static_cast<std::int64_t>(count) - 1));
  };
  const QSize fold = folding();
  const std::size_t column = m_hovered ? moved(from.column, columns * fold.width(), cells.columns) : 0;
  const std::size_t row = m_hovered ? moved(from.row, rows * fold.height(), cells.rows) : 0;
  hover(HeatPeak{cells.at(column, row), column, row});
  const QRect box = boxOf(column, row);
  if (m_tip && cells.at(column, row) >= 0)
    QToolTip::showText(mapToGlobal(box.bottomRight() + QPoint(8, 8)), m_tip(column, row), this);
}

void HeatMap::keyPressEvent(QKeyEvent* event) {
  if (empty()) return QWidget::keyPressEvent(event);
  switch (event->key()) {
  case Qt::Key_Left:
    return moveCell(-1, 0);
  case Qt::Key_Right:
    return moveCell(1, 0);
  case Qt::Key_Up:
    return moveCell(0, -1);
  case Qt::Key_Down:
    return moveCell(0, 1);
  case Qt::Key_Return:
  case Qt::Key_Enter:
    if (m_hovered && m_hovered->value >= 0)
      emit cellPicked(static_cast<int>(m_hovered->column), static_cast<int>(m_hovered->row));
    return;
  default:
    QWidget::keyPressEvent(event);
  }
}

bool HeatMap::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  QToolTip::showText(help->globalPos(), tipAt(help->pos()), this); // an empty one hides what is shown
  return true;
}

} // namespace rankscope::ui
