// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/flames/flame_view.h"

#include "core/analysis/stacks/frame_names.h"
#include "core/base/unit_text.h"
#include "ui/base/text_scale.h"
#include "ui/base/theme.h"
#include "ui/job/trace_session.h"
#include "ui/timeline/picture/span_raster.h"

#include <QApplication>
#include <QClipboard>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

namespace {

constexpr int kRowHeight = 22;
constexpr double kMinLabelWidth = 28;
constexpr double kZoomPerNotch = 0.8;
constexpr double kMinUnits = 20; // of the widest zoom
constexpr std::size_t kMaxPast = 100;
constexpr std::uint32_t kPale = 170; // of 255, over what a search does not find

QString fromUtf8(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

} // namespace

FlameView::FlameView(TraceSession& session, QWidget* parent)
    : QAbstractScrollArea(parent), m_session(session) {
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Flame graph"));
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  viewport()->setMouseTracking(true);
  connect(&session, &TraceSession::themeChanged, viewport(), qOverload<>(&QWidget::update));
  connect(verticalScrollBar(), &QScrollBar::valueChanged, viewport(), qOverload<>(&QWidget::update));
}

int FlameView::rowHeight() const {
  return scaledToText(kRowHeight);
}

void FlameView::setLayoutToShow(std::shared_ptr<const FlameLayout> layout, StackWeight weight) {
  const bool sameWidth = m_layout && layout && m_layout->whole == layout->whole && m_weight == weight;
  std::vector<std::string> path; // of the selection
  if (m_layout && m_selected) {
    for (const std::uint32_t frame : m_layout->tree.framesTo(*m_selected))
      path.push_back(m_layout->tree.frames()[frame].text);
  }
  m_layout = std::move(layout);
  m_weight = weight;
  m_matches.clear();
  findModules();
  m_selected.reset();
  if (!sameWidth) {
    m_past.clear();
    m_from = 0;
    m_to = m_layout ? std::max<double>(1, static_cast<double>(m_layout->whole)) : 1;
  }
  if (m_layout && !path.empty()) {
    std::optional<std::uint32_t> node = StackTree::kRoot;
    for (std::size_t i = 0; node && i < path.size(); ++i) node = m_layout->tree.find(*node, path[i]);
    if (node && placeOf(*node)) m_selected = node;
  }
  updateScrollBar();
  viewport()->update();
  emit selectionChanged();
}

void FlameView::setEmptyText(const QString& text) {
  m_emptyText = text;
  viewport()->update();
}

void FlameView::setColorByModule(bool byModule) {
  m_byModule = byModule;
  findModules();
  viewport()->update();
}

void FlameView::findModules() {
  m_modules.clear();
  if (!m_byModule || !m_layout) return;
  const StackTree& tree = m_layout->tree;
  m_modules.resize(tree.size());
  for (std::uint32_t node = 1; node < tree.size(); ++node) // parents first
    m_modules[node] =
        tree.frameAt(node).kind == FrameKind::Module ? node : m_modules[tree.nodes()[node].parent];
}

void FlameView::setMatches(std::vector<std::uint8_t> matches) {
  m_matches = std::move(matches);
  viewport()->update();
}

std::optional<std::uint32_t> FlameView::selected() const {
  return m_selected;
}

void FlameView::select(std::uint32_t node) {
  m_selected = node;
  showSelected();
  viewport()->update();
  emit selectionChanged();
}

void FlameView::clearSelection() {
  if (!m_selected) return;
  m_selected.reset();
  viewport()->update();
  emit selectionChanged();
}

void FlameView::setRange(double from, double to, bool remember) {
  if (!m_layout) return;
  const auto whole = std::max(1.0, static_cast<double>(m_layout->whole));
  const double length = std::clamp(to - from, std::min(kMinUnits, whole), whole);
  from = std::clamp(from, 0.0, whole - length);
  if (from == m_from && from + length == m_to) return;
  if (remember) {
    m_past.emplace_back(m_from, m_to);
    if (m_past.size() > kMaxPast) m_past.erase(m_past.begin());
  }
  m_from = from;
  m_to = from + length;
  viewport()->update();
}

void FlameView::fit() {
  if (m_layout) setRange(0, static_cast<double>(m_layout->whole), true);
}

void FlameView::zoomTo(std::uint32_t node) {
  const auto place = placeOf(node);
  if (!place) return;
  const FlameBox& box = m_layout->rows[place->row][place->box];
  setRange(static_cast<double>(box.begin), static_cast<double>(box.end), true);
}

void FlameView::back() {
  if (m_past.empty()) return;
  const auto [from, to] = m_past.back();
  m_past.pop_back();
  setRange(from, to, false);
}

// A node's boxes lie in the row of its depth; of several the first.
std::optional<FlameView::Place> FlameView::placeOf(std::uint32_t node) const {
  if (!m_layout || node == StackTree::kRoot || node >= m_layout->tree.size()) return {};
  const std::size_t row = m_layout->tree.framesTo(node).size() - 1;
  if (row >= m_layout->rows.size()) return {};
  const std::vector<FlameBox>& boxes = m_layout->rows[row];
  const auto found = std::ranges::find(boxes, node, &FlameBox::node);
  if (found == boxes.end()) return {};
  return Place{row, static_cast<std::size_t>(found - boxes.begin())};
}

QRectF FlameView::boxOf(std::uint32_t node) const {
  const auto place = placeOf(node);
  if (!place) return {};
  const FlameBox& box = m_layout->rows[place->row][place->box];
  const double scale = viewport()->width() / (m_to - m_from);
  const double left = (static_cast<double>(box.begin) - m_from) * scale;
  const double right = (static_cast<double>(box.end) - m_from) * scale;
  const double top = static_cast<double>(place->row) * rowHeight() - verticalScrollBar()->value();
  return {left, top, right - left, static_cast<double>(rowHeight())};
}

const FlameBox* FlameView::boxAt(QPoint place) const {
  if (!m_layout || m_layout->rows.empty() || place.y() + verticalScrollBar()->value() < 0) return nullptr;
  const auto row = static_cast<std::size_t>((place.y() + verticalScrollBar()->value()) / rowHeight());
  const double unit = m_from + (place.x() + 0.5) * (m_to - m_from) / std::max(1, viewport()->width());
  return m_layout->boxAt(row, static_cast<std::int64_t>(unit));
}

QColor FlameView::colorOf(std::uint32_t node) const {
  const Theme& theme = m_session.theme();
  if (!m_layout->isDifference()) {
    if (m_modules.empty()) return frameColor(theme, m_layout->tree.frameAt(node));
    if (m_modules[node] == StackTree::kRoot) return moduleColor(theme, {});
    return moduleColor(theme, moduleClass(moduleName(m_layout->tree.frameAt(m_modules[node]).text)));
  }
  const double whole =
      std::max(static_cast<double>(std::int64_t{m_layout->totalsA[StackTree::kRoot].weight}),
               static_cast<double>(std::int64_t{m_layout->totalsB[StackTree::kRoot].weight}));
  return changeColor(theme, static_cast<double>(m_layout->change(node)) / std::max(1.0, whole));
}

QString FlameView::tipOf(std::uint32_t node) const {
  if (!m_layout) return {};
  if (m_layout->isDifference())
    return tr("<p style='white-space:pre-wrap'>%1</p><p>A %2<br>B %3<br>%4</p>")
        .arg(fromUtf8(m_layout->tree.frameAt(node).text).left(600).toHtmlEscaped(),
             weightText(m_weight, m_layout->totalsA[node].weight),
             weightText(m_weight, m_layout->totalsB[node].weight), changeText(m_weight, *m_layout, node));
  const StackSum& total = m_layout->totals[node];
  const StackSum& self = m_layout->sums[node];
  const double share = m_layout->whole > 0
                           ? 100.0 * static_cast<double>(total.weight) / static_cast<double>(m_layout->whole)
                           : 0;
  return tr("<p style='white-space:pre-wrap'>%1</p><p>Total %2 · %3<br>Self %4<br>%5</p>")
      .arg(fromUtf8(m_layout->tree.frameAt(node).text).left(600).toHtmlEscaped(),
           weightText(m_weight, total.weight), QString::fromStdString(percentText(share)),
           weightText(m_weight, self.weight), tr("%n event(s)", nullptr, static_cast<int>(total.count)));
}

void FlameView::updateScrollBar() {
  const int rows = m_layout ? static_cast<int>(m_layout->rows.size()) : 0;
  verticalScrollBar()->setSingleStep(rowHeight());
  verticalScrollBar()->setPageStep(viewport()->height());
  verticalScrollBar()->setRange(0, std::max(0, rows * rowHeight() - viewport()->height()));
}

void FlameView::resizeEvent(QResizeEvent* event) {
  QAbstractScrollArea::resizeEvent(event);
  updateScrollBar();
}

void FlameView::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(viewport());
  const Theme& theme = m_session.theme();
  painter.fillRect(viewport()->rect(), theme.panel);
  if (!m_layout || m_layout->rows.empty()) {
    painter.setPen(theme.muted);
    painter.setFont(textFont(14));
    painter.drawText(viewport()->rect().adjusted(24, 24, -24, -24),
                     static_cast<int>(Qt::AlignHCenter | Qt::AlignTop) | Qt::TextWordWrap, m_emptyText);
    return;
  }
  const double ratio = devicePixelRatioF();
  const QSize size(static_cast<int>(std::ceil(viewport()->width() * ratio)),
                   static_cast<int>(std::ceil(viewport()->height() * ratio)));
  QImage image(size, QImage::Format_RGB32);
  image.setDevicePixelRatio(ratio);
  paintRows(image, ratio);
  painter.drawImage(QPointF(0, 0), image);
  paintLabels(painter);
}

void FlameView::paintRows(QImage& image, double ratio) const {
  const Theme& theme = m_session.theme();
  SpanRaster raster(image);
  raster.clear(theme.panel.rgb(), theme.panel.rgb(), {});
  const double pixels = viewport()->width() * ratio;
  const double unitsPerPixel = (m_to - m_from) / std::max(1.0, pixels);
  const int height = rowHeight();
  const auto first = static_cast<std::size_t>(verticalScrollBar()->value() / height);
  std::vector<ColorSpan> spans;
  for (std::size_t row = first; row < m_layout->rows.size(); ++row) {
    const int top = static_cast<int>(row) * height - verticalScrollBar()->value();
    if (top >= viewport()->height()) break;
    spans.clear();
    for (const FlamePiece& piece : visiblePieces(*m_layout, row, m_from, unitsPerPixel, pixels)) {
      QColor color = piece.boxes > 1 ? mixedColor(theme.faint, theme.panel, 60) : colorOf(piece.node);
      const bool found =
          m_matches.empty() || (piece.boxes == 1 && m_matches[m_layout->tree.nodes()[piece.node].frame] != 0);
      if (!found) color = mixedColor(color, theme.panel, kPale);
      const auto begin = static_cast<std::int32_t>(std::clamp(std::floor(piece.begin), 0.0, pixels));
      const auto end = static_cast<std::int32_t>(std::clamp(std::ceil(piece.end), begin + 1.0, pixels));
      if (!spans.empty() && spans.back().end > begin) spans.back().end = begin;
      spans.push_back({begin, end, color.rgb(), 0xff});
    }
    std::erase_if(spans, [](const ColorSpan& span) { return span.end <= span.begin; });
    const int line = static_cast<int>(std::lround(top * ratio));
    const int lines = std::max(1, static_cast<int>(std::lround((top + height) * ratio)) - line - 1);
    raster.drawLane(line, lines, spans);
  }
}

void FlameView::paintLabels(QPainter& painter) const {
  const Theme& theme = m_session.theme();
  painter.setFont(textFont(12.5, QFont::Medium));
  const QFontMetricsF metrics(painter.font());
  const double width = viewport()->width();
  const double unitsPerPixel = (m_to - m_from) / std::max(1.0, width);
  const int height = rowHeight();
  const auto first = static_cast<std::size_t>(verticalScrollBar()->value() / height);
  for (std::size_t row = first; row < m_layout->rows.size(); ++row) {
    const double top = static_cast<double>(row) * height - verticalScrollBar()->value();
    if (top >= viewport()->height()) break;
    for (const FlamePiece& piece : visiblePieces(*m_layout, row, m_from, unitsPerPixel, width)) {
      const double left = std::max(piece.begin, 0.0);
      const double right = std::min(piece.end, width);
      const QRectF box(left, top, right - left, height - 1.0);
      if (m_selected && piece.boxes == 1 && piece.node == *m_selected) {
        painter.setPen(QPen(theme.text, 2));
        painter.drawRect(box.adjusted(1, 1, -1, -1));
      }
      if (piece.boxes > 1 || right - left < kMinLabelWidth) continue;
      const StackTree::Frame& frame = m_layout->tree.frameAt(piece.node);
      const bool found = m_matches.empty() || m_matches[m_layout->tree.nodes()[piece.node].frame] != 0;
      QColor color = colorOf(piece.node);
      if (!found) color = mixedColor(color, theme.panel, kPale);
      painter.setPen(found ? textOn(theme, color) : theme.muted);
      QString text = frameLabel(frame);
      const QString weight = m_layout->isDifference()
                                 ? changeText(m_weight, *m_layout, piece.node)
                                 : weightText(m_weight, m_layout->totals[piece.node].weight);
      const QString both = text + QStringLiteral("   ") + weight;
      if (metrics.horizontalAdvance(both) < right - left - 12) text = both;
      painter.drawText(box.adjusted(6, 0, -6, 0), Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine,
                       metrics.elidedText(text, Qt::ElideRight, right - left - 12));
    }
  }
}

void FlameView::wheelEvent(QWheelEvent* event) {
  const QPoint turned = event->angleDelta();
  if (m_inPage && !(event->modifiers() & (Qt::ControlModifier | Qt::ShiftModifier))) {
    event->ignore();
    return;
  }
  if (event->modifiers().testFlag(Qt::ShiftModifier) || turned.y() == 0) {
    QAbstractScrollArea::wheelEvent(event);
    return;
  }
  const double at = m_from + event->position().x() * (m_to - m_from) / std::max(1, viewport()->width());
  const double factor = std::pow(kZoomPerNotch, turned.y() / 120.0);
  setRange(at - (at - m_from) * factor, at + (m_to - at) * factor, false);
  event->accept();
}

void FlameView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  m_pressed = event->pos();
  m_rangeWhenPressed = {m_from, m_to};
  m_scrollWhenPressed = verticalScrollBar()->value();
  m_dragging = false;
}

void FlameView::mouseMoveEvent(QMouseEvent* event) {
  if (!event->buttons().testFlag(Qt::LeftButton)) return;
  const QPoint moved = event->pos() - m_pressed;
  m_dragging = m_dragging || moved.manhattanLength() >= QApplication::startDragDistance();
  if (!m_dragging) return;
  const auto [from, to] = m_rangeWhenPressed;
  const double by = moved.x() * (to - from) / std::max(1, viewport()->width());
  setRange(from - by, to - by, false);
  verticalScrollBar()->setValue(m_scrollWhenPressed - moved.y());
}

void FlameView::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || m_dragging) return;
  if (const FlameBox* const box = boxAt(event->pos()))
    select(box->node);
  else
    clearSelection();
}

void FlameView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (const FlameBox* const box = boxAt(event->pos())) emit activated(box->node);
}

bool FlameView::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* const help = static_cast<QHelpEvent*>(event);
    const FlameBox* const box = boxAt(help->pos());
    QToolTip::showText(help->globalPos(), box != nullptr ? tipOf(box->node) : QString(), viewport());
    return true;
  }
  return QAbstractScrollArea::viewportEvent(event);
}

void FlameView::showSelected() {
  if (!m_selected) return;
  const QRectF box = boxOf(*m_selected);
  if (box.isEmpty()) return;
  if (box.top() < 0 || box.bottom() > viewport()->height())
    verticalScrollBar()->setValue(verticalScrollBar()->value() + static_cast<int>(box.top()) -
                                  viewport()->height() / 3);
}

void FlameView::selectParent() {
  const std::uint32_t parent = m_layout->tree.nodes()[*m_selected].parent;
  if (parent != StackTree::kRoot) select(parent);
}

void FlameView::selectChild() {
  const auto place = placeOf(*m_selected);
  if (!place) return;
  const FlameBox& box = m_layout->rows[place->row][place->box];
  const FlameBox* const child = m_layout->boxAt(place->row + 1, box.begin);
  if (child != nullptr) select(child->node);
}

void FlameView::selectNeighbor(int by) {
  const auto place = placeOf(*m_selected);
  if (!place) return;
  const std::vector<FlameBox>& row = m_layout->rows[place->row];
  const std::size_t next = place->box + static_cast<std::size_t>(by); // below 0 wraps beyond the end
  if (next < row.size()) select(row[next].node);
}

bool FlameView::pressKey(int key) {
  if (!m_layout || m_layout->rows.empty()) return false;
  const bool arrow = key == Qt::Key_Up || key == Qt::Key_Down || key == Qt::Key_Left || key == Qt::Key_Right;
  if (arrow && !m_selected) {
    select(m_layout->rows.front().front().node);
    return true;
  }
  switch (key) {
  case Qt::Key_Home:
  case Qt::Key_0:
    fit();
    return true;
  case Qt::Key_Backspace:
    back();
    return true;
  case Qt::Key_Escape:
    clearSelection();
    return true;
  case Qt::Key_Up:
    selectParent();
    return true;
  case Qt::Key_Down:
    selectChild();
    return true;
  case Qt::Key_Left:
    selectNeighbor(-1);
    return true;
  case Qt::Key_Right:
    selectNeighbor(1);
    return true;
  case Qt::Key_Return:
  case Qt::Key_Enter:
    if (m_selected) emit activated(*m_selected);
    return true;
  case Qt::Key_F:
    if (m_selected) zoomTo(*m_selected);
    return true;
  case Qt::Key_R:
    emit recursionToggled();
    return true;
  default:
    return false;
  }
}

void FlameView::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy) && m_layout && m_selected) {
    QStringList frames;
    for (const std::uint32_t frame : m_layout->tree.framesTo(*m_selected))
      frames << fromUtf8(m_layout->tree.frames()[frame].text);
    QApplication::clipboard()->setText(frames.join(QLatin1Char('\n')));
    return;
  }
  const bool plain = (event->modifiers() & ~Qt::KeypadModifier) == Qt::NoModifier;
  if (!plain || !pressKey(event->key())) QAbstractScrollArea::keyPressEvent(event);
}

} // namespace rankscope::ui
