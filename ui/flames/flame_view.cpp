// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/flames/flame_view.h"

#include "core/analysis/stacks/frame_names.h"
#include "core/base/unit_text.h"
#include "ui/base/counted.h"
#include "ui/base/text_scale.h"
#include "ui/base/theme.h"
#include "ui/base/ui_text.h"
#include "ui/job/trace_session.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <limits>

namespace rankscope::ui {

namespace {

constexpr int kRowHeight = 22;
constexpr double kMinLabelWidth = 36;
constexpr int kLabelPadding = 6;
constexpr double kZoomPerNotch = 0.8;
constexpr double kMinUnits = 20; // of the widest zoom
constexpr std::size_t kMaxPast = 100;
// A frame of a view that moves measures or lays out this many texts; the first one after it comes to rest the
// others.
constexpr std::size_t kMostNewLabels = 24;
constexpr std::uint32_t kPale = 170; // of 255, over what a search does not find

// In pixels of the screen.
QFont labelFont(double ratio) {
  return nameFont(12.5 * ratio, QFont::Medium);
}

} // namespace

FlameView::FlameView(TraceSession& session, QWidget* parent)
    : QAbstractScrollArea(parent), m_session(session) {
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Flame graph"));
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  viewport()->setMouseTracking(true);
  viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
  connect(&session, &TraceSession::themeChanged, this, [this] {
    forgetColors();
    viewport()->update();
  });
  connect(verticalScrollBar(), &QScrollBar::valueChanged, this, [this] {
    m_moved = true;
    viewport()->update();
  });
}

int FlameView::rowHeight() const {
  return scaledToText(kRowHeight);
}

void FlameView::setLayoutToShow(std::shared_ptr<const FlameLayout> layout, StackWeight weight) {
  const bool sameWidth = m_layout && layout && m_layout->whole == layout->whole && m_weight == weight;
  std::vector<std::string> path; // of the selection
  if (m_layout && m_selected && !m_layout->isAbove(*m_selected)) {
    for (const std::uint32_t frame : m_layout->tree.framesTo(*m_selected))
      path.push_back(m_layout->tree.frames()[frame].text);
  }
  m_layout = std::move(layout);
  m_hasIdle = m_layout && std::ranges::any_of(m_layout->tree.frames(), [](const StackTree::Frame& frame) {
                return frame.kind == FrameKind::Idle;
              });
  m_weight = weight;
  m_matches.clear();
  findModules();
  forgetColors();
  m_labels.reset();
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
  if (m_layout && (m_layout->middle > 0 || (m_flipped && !sameWidth))) showOutermost();
  viewport()->update();
  emit selectionChanged();
}

void FlameView::setFlipped(bool flipped) {
  if (m_flipped == flipped) return;
  m_flipped = flipped;
  showOutermost();
  viewport()->update();
}

// Of callers and callees the frame that they are of.
void FlameView::showOutermost() {
  if (!m_layout || m_layout->rows.empty()) return;
  verticalScrollBar()->setValue(topOf(m_layout->middle) + verticalScrollBar()->value() -
                                viewport()->height() / 2);
}

int FlameView::emptyHeight() const {
  if (!m_flipped || !m_layout) return 0;
  return std::max(0, viewport()->height() - static_cast<int>(m_layout->rows.size()) * rowHeight());
}

int FlameView::topOf(std::size_t row) const {
  const std::size_t line = m_flipped ? m_layout->rows.size() - 1 - row : row;
  return static_cast<int>(line) * rowHeight() + emptyHeight() - verticalScrollBar()->value();
}

std::optional<std::size_t> FlameView::rowAt(int y) const {
  const int below = y + verticalScrollBar()->value() - emptyHeight();
  if (!m_layout || below < 0) return std::nullopt;
  const auto line = static_cast<std::size_t>(below / rowHeight());
  if (line >= m_layout->rows.size()) return std::nullopt;
  return m_flipped ? m_layout->rows.size() - 1 - line : line;
}

void FlameView::forgetColors() {
  m_colors.clear();
  m_textColors.clear();
}

void FlameView::setEmptyText(const QString& text) {
  m_emptyText = text;
  viewport()->update();
}

void FlameView::setColorByModule(bool byModule) {
  m_byModule = byModule;
  findModules();
  forgetColors();
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
  m_moved = true;
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
  const std::size_t row = m_layout->rowOf(node);
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
  return {left, static_cast<double>(topOf(place->row)), right - left, static_cast<double>(rowHeight())};
}

const FlameBox* FlameView::boxAt(QPoint place) const {
  const auto row = rowAt(place.y());
  if (!row) return nullptr;
  const double unit = m_from + (place.x() + 0.5) * (m_to - m_from) / std::max(1, viewport()->width());
  return m_layout->boxAt(*row, static_cast<std::int64_t>(unit));
}

QRgb FlameView::colorOf(const FlamePiece& piece) {
  const bool ofNode = m_layout->isDifference() || !m_modules.empty();
  if (m_colors.empty()) m_colors.assign(ofNode ? m_layout->tree.size() : m_layout->tree.frames().size(), 0);
  QRgb& color = m_colors[ofNode ? piece.node : piece.frame];
  if (color == 0) color = foundColorOf(piece.node).rgb();
  return color;
}

QRgb FlameView::textColorOn(QRgb color) {
  const auto [place, isNew] = m_textColors.try_emplace(color);
  if (isNew) place->second = textOn(m_session.theme(), QColor::fromRgb(color)).rgb();
  return place->second;
}

QColor FlameView::foundColorOf(std::uint32_t node) const {
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
        .arg(textOf(m_layout->tree.frameAt(node).text).left(600).toHtmlEscaped(),
             weightText(m_weight, m_layout->totalsA[node].weight),
             weightText(m_weight, m_layout->totalsB[node].weight), changeText(m_weight, *m_layout, node));
  const StackSum& total = m_layout->totals[node];
  const StackSum& self = m_layout->sums[node];
  const double share = m_layout->whole > 0
                           ? 100.0 * static_cast<double>(total.weight) / static_cast<double>(m_layout->whole)
                           : 0;
  return tr("<p style='white-space:pre-wrap'>%1</p><p>Total %2 · %3<br>Self %4<br>%5</p>")
      .arg(textOf(m_layout->tree.frameAt(node).text).left(600).toHtmlEscaped(),
           weightText(m_weight, total.weight), QString::fromStdString(percentText(share)),
           weightText(m_weight, self.weight), counted(total.count, tr("1 event"), tr("%1 events")));
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
  if (!m_layout || m_layout->rows.empty()) {
    painter.fillRect(viewport()->rect(), theme.panel);
    painter.setPen(theme.muted);
    painter.setFont(textFont(14));
    painter.drawText(viewport()->rect().adjusted(24, 24, -24, -24),
                     static_cast<int>(Qt::AlignHCenter | Qt::AlignTop) | Qt::TextWordWrap, m_emptyText);
    return;
  }
  const double ratio = devicePixelRatioF();
  const QSize size(static_cast<int>(std::ceil(viewport()->width() * ratio)),
                   static_cast<int>(std::ceil(viewport()->height() * ratio)));
  if (m_image.size() != size) m_image = QImage(size, QImage::Format_RGB32);
  m_image.setDevicePixelRatio(1);
  if (!m_labels || m_labels->font() != labelFont(ratio)) m_labels.emplace(labelFont(ratio));
  m_labels->beginFrame(m_moved ? kMostNewLabels : std::numeric_limits<std::size_t>::max());
  m_moved = false;
  SpanRaster raster(m_image);
  raster.clear(theme.panel.rgb(), theme.panel.rgb(), {});
  QPainter labels(&m_image);
  labels.setFont(m_labels->font());
  const double pixels = viewport()->width() * ratio;
  const double unitsPerPixel = (m_to - m_from) / std::max(1.0, pixels);
  std::vector<FlamePiece> pieces;
  for (int y = emptyHeight(); y < viewport()->height() + rowHeight(); y += rowHeight()) {
    const auto row = rowAt(y);
    if (!row) continue;
    visiblePieces(*m_layout, *row, m_from, unitsPerPixel, pixels, pieces);
    paintRow(raster, *row, ratio, pieces);
    paintLabels(labels, *row, ratio, pieces);
  }
  labels.end();
  m_image.setDevicePixelRatio(ratio);
  painter.setCompositionMode(QPainter::CompositionMode_Source);
  painter.drawImage(QPointF(0, 0), m_image);
  if (m_labels->isIncomplete()) viewport()->update();
}

void FlameView::paintRow(SpanRaster& raster, std::size_t row, double ratio,
                         const std::vector<FlamePiece>& pieces) {
  const Theme& theme = m_session.theme();
  const double pixels = viewport()->width() * ratio;
  const int height = rowHeight();
  const int top = topOf(row);
  const QRgb panel = theme.panel.rgb();
  const QRgb many = mixedColor(theme.faint, theme.panel, 60).rgb();
  m_spans.clear();
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const FlamePiece& piece = pieces[i];
    const auto begin = static_cast<std::int32_t>(std::max(piece.begin, 0.0));
    // A piece begins in the pixel in which the one before ends, and hides it there.
    const double after = i + 1 < pieces.size() ? std::floor(pieces[i + 1].begin) : pixels;
    const auto end = static_cast<std::int32_t>(
        std::min({std::max(std::ceil(piece.end), begin + 1.0), std::max(after, 0.0), pixels}));
    if (end <= begin) continue;
    QRgb color = piece.boxes > 1 ? many : colorOf(piece);
    const bool found = m_matches.empty() || (piece.boxes == 1 && m_matches[piece.frame] != 0);
    if (!found) color = mixed(color, panel, kPale);
    m_spans.push_back({begin, end, color, 0xff});
  }
  const int line = static_cast<int>(std::lround(top * ratio));
  const int lines = std::max(1, static_cast<int>(std::lround((top + height) * ratio)) - line - 1);
  raster.drawLane(line, lines, m_spans);
  if (!m_layout->isDifference()) {
    if (!m_hasIdle) return;
    for (const FlamePiece& piece : pieces) hatchIdle(raster, line, lines, piece, pixels);
    return;
  }
  for (const FlamePiece& piece : pieces) hatchOneSided(raster, line, lines, piece, pixels);
}

// Idle time is no work: striped as on the timeline.
void FlameView::hatchIdle(SpanRaster& raster, int line, int lines, const FlamePiece& piece, double pixels) {
  if (piece.boxes > 1 || m_layout->tree.frames()[piece.frame].kind != FrameKind::Idle) return;
  const Hatch hatch{0, withAlpha(m_session.theme().panel, 90).rgba(), 8, 3, 0};
  raster.hatch(line, lines, static_cast<std::int32_t>(std::clamp(std::floor(piece.begin), 0.0, pixels)),
               static_cast<std::int32_t>(std::clamp(std::ceil(piece.end), 0.0, pixels)), hatch);
}

// Stripes over what only one job has.
void FlameView::hatchOneSided(SpanRaster& raster, int line, int lines, const FlamePiece& piece,
                              double pixels) {
  const bool inA = std::int64_t{m_layout->totalsA[piece.node].weight} > 0;
  const bool inB = std::int64_t{m_layout->totalsB[piece.node].weight} > 0;
  if (piece.boxes > 1 || inA == inB) return;
  const Theme& theme = m_session.theme();
  const QColor& stripes = inA ? theme.accent : theme.exposed;
  const Hatch hatch{0, withAlpha(stripes, 150).rgba(), 8, 3, 0};
  raster.hatch(line, lines, static_cast<std::int32_t>(std::clamp(std::floor(piece.begin), 0.0, pixels)),
               static_cast<std::int32_t>(std::clamp(std::ceil(piece.end), 0.0, pixels)), hatch);
}

void FlameView::paintLabels(QPainter& painter, std::size_t row, double ratio,
                            const std::vector<FlamePiece>& pieces) {
  const Theme& theme = m_session.theme();
  const double pixels = viewport()->width() * ratio;
  const double height = rowHeight() * ratio;
  const double top = topOf(row) * ratio;
  const double padding = kLabelPadding * ratio;
  const QRgb panel = theme.panel.rgb();
  QRgb pen = 0;
  for (const FlamePiece& piece : pieces) {
    if (piece.boxes > 1) continue;
    const double left = std::max(piece.begin, 0.0);
    const double right = std::min(piece.end, pixels);
    if (m_selected && piece.node == *m_selected) {
      painter.setPen(QPen(theme.text, 2 * ratio));
      painter.drawRect(
          QRectF(left, top, right - left, height - ratio).adjusted(ratio, ratio, -ratio, -ratio));
      pen = 0;
    }
    if (right - left < kMinLabelWidth * ratio) continue;
    const std::uint32_t frame = piece.frame;
    const StackTree::Frame& of = m_layout->tree.frames()[frame];
    const auto weight = [&] {
      return m_layout->isDifference() ? changeText(m_weight, *m_layout, piece.node)
                                      : weightText(m_weight, m_layout->totals[piece.node].weight);
    };
    const double room = right - left - 2 * padding;
    const QStaticText* text = m_labels->withWeight(piece.node, frame, of, room, weight);
    if (text == nullptr) text = m_labels->label(frame, of, room);
    if (text == nullptr) continue;
    const bool found = m_matches.empty() || m_matches[frame] != 0;
    const QRgb color = found ? colorOf(piece) : mixed(colorOf(piece), panel, kPale);
    const QRgb wanted = found ? textColorOn(color) : theme.muted.rgb();
    if (wanted != pen) painter.setPen(QColor::fromRgb(wanted));
    pen = wanted;
    painter.drawStaticText(
        QPointF(std::round(left + padding), std::round(top + (height - ratio - m_labels->height()) / 2)),
        *text);
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

void FlameView::contextMenuEvent(QContextMenuEvent* event) {
  if (!m_layout || m_layout->rows.empty()) return;
  if (event->reason() == QContextMenuEvent::Keyboard) {
    const std::uint32_t node = m_selected.value_or(StackTree::kRoot);
    const QPoint at = m_selected ? boxOf(node).center().toPoint() : viewport()->rect().center();
    emit menuWanted(node, viewport()->mapToGlobal(at));
    return;
  }
  const FlameBox* const box = boxAt(viewport()->mapFromGlobal(event->globalPos()));
  if (box != nullptr) select(box->node);
  emit menuWanted(box != nullptr ? box->node : StackTree::kRoot, event->globalPos());
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

// The box outward or inward of the left end of the selected one.
void FlameView::selectRow(int by) {
  const auto place = placeOf(*m_selected);
  if (!place) return;
  const FlameBox& box = m_layout->rows[place->row][place->box];
  const std::size_t row = place->row + static_cast<std::size_t>(by); // below 0 wraps beyond the end
  if (const FlameBox* const next = m_layout->boxAt(row, box.begin)) select(next->node);
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
    select(m_layout->rows[m_layout->middle].front().node);
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
    selectRow(m_flipped ? 1 : -1);
    return true;
  case Qt::Key_Down:
    selectRow(m_flipped ? -1 : 1);
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

void FlameView::copyPath() const {
  if (!m_layout || !m_selected) return;
  QStringList frames;
  for (const std::uint32_t frame : m_layout->tree.framesTo(*m_selected))
    frames << textOf(m_layout->tree.frames()[frame].text);
  // Of callers the outermost frame is the last one.
  if (m_layout->isAbove(*m_selected)) std::ranges::reverse(frames);
  QApplication::clipboard()->setText(frames.join(QLatin1Char('\n')));
}

void FlameView::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy) && m_layout && m_selected) return copyPath();
  const bool plain = (event->modifiers() & ~Qt::KeypadModifier) == Qt::NoModifier;
  if (!plain || !pressKey(event->key())) QAbstractScrollArea::keyPressEvent(event);
}

} // namespace rankscope::ui
