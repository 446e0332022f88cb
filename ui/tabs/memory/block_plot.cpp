// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/memory/block_plot.h"

#include "core/base/unit_text.h"
#include "core/report/snapshot_tables.h"
#include "ui/base/text_scale.h"
#include "ui/charts/axis_text.h"
#include "ui/job/trace_session.h"
#include "ui/tabs/memory/role_bands.h"

#include <QEvent>
#include <QFontMetrics>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <array>
#include <cmath>

namespace rankscope::ui {

namespace {

constexpr int kTextSize = 11;
constexpr int kTop = 4; // with the names of marks
constexpr int kRight = 14;
constexpr int kAxis = 24;       // height of the x axis labels
constexpr int kBlockRow = 15;   // of an annotation
constexpr int kMostRows = 3;    // of annotations
constexpr int kRowGap = 46;     // minimum distance of the y axis marks
constexpr int kColumnGap = 100; // minimum distance of the x axis marks
constexpr int kMinWidth = 240;
constexpr int kMinHeight = 180;
constexpr double kZoomStep = 1.25;
constexpr double kLeastRange = 4; // entries, or nanoseconds

QString blockBytes(std::int64_t amount) {
  return QString::fromStdString(bytesText(amount));
}

AxisMarks byteMarks(const BlockScene* scene, int height) {
  const double top = scene != nullptr ? static_cast<double>(scene->top()) : 1;
  return unitAxisMarks(Unit::Bytes, 0, top, std::max(1, height / scaledToText(kRowGap)));
}

// Names of NCCL calls and functions begin alike; the numbers of steps differ.
QString shortAnnotation(const QString& name) {
  return name.startsWith(QLatin1String("## ")) ? name.mid(3).remove(QLatin1String(" ##")) : name;
}

} // namespace

BlockPlot::BlockPlot(TraceSession& session, QWidget* parent)
    : QWidget(parent), m_session(session), m_task(session.pending()) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  connect(&session, &TraceSession::themeChanged, this, [this] {
    draw();
    update();
  });
}

QSize BlockPlot::sizeHint() const {
  return {480, scaledToText(kMinHeight)};
}

QSize BlockPlot::minimumSizeHint() const {
  return {kMinWidth, scaledToText(kMinHeight)};
}

int BlockPlot::annotationHeight() const {
  return m_annotationRows == 0 ? 0 : m_annotationRows * scaledToText(kBlockRow) + 4;
}

QRect BlockPlot::plot() const {
  const QFontMetrics figures(numberFont(kTextSize));
  QRect area =
      rect().adjusted(0, figures.height() + kTop, -kRight, -scaledToText(kAxis) - annotationHeight());
  int widest = 0;
  const AxisMarks marks = byteMarks(m_scene.get(), area.height());
  for (const double at : marks.at)
    widest = std::max(widest, figures.horizontalAdvance(amountText(Unit::Bytes, at, marks.step)));
  area.setLeft(widest + 10);
  return area;
}

double BlockPlot::xAt(double place) const {
  const QRect area = plot();
  return m_from + (place - area.left()) / std::max(1, area.width()) * (m_to - m_from);
}

double BlockPlot::placeOfX(double x) const {
  const QRect area = plot();
  return area.left() + (x - m_from) / (m_to - m_from) * area.width();
}

double BlockPlot::placeOfBytes(double amount) const {
  const QRect area = plot();
  return area.top() + area.height() * (1 - amount / static_cast<double>(m_scene->top()));
}

void BlockPlot::setScene(std::shared_ptr<const BlockScene> scene) {
  m_scene = std::move(scene);
  m_task.drop();
  m_picture = {};
  m_reference.clear();
  m_cursor = m_mark = kBeforeFirst;
  placeAnnotations();
  m_from = 0;
  m_to = m_scene ? m_scene->xEnd(m_byTime) : 1;
  draw();
  update();
}

void BlockPlot::setByTime(bool byTime) {
  if (m_byTime == byTime) return;
  m_byTime = byTime;
  m_picture = {};
  placeAnnotations();
  m_from = 0;
  m_to = m_scene ? m_scene->xEnd(m_byTime) : 1;
  draw();
  update();
}

void BlockPlot::setByLine(bool byLine) {
  if (m_byLine == byLine) return;
  m_byLine = byLine;
  draw();
}

void BlockPlot::setCursor(std::int32_t entry) {
  m_cursor = entry;
  update();
}

void BlockPlot::setMark(std::int32_t entry) {
  m_mark = entry;
  update();
}

void BlockPlot::setReference(QList<QPointF> points) {
  m_reference = std::move(points);
  update();
}

void BlockPlot::setRange(double from, double to) {
  if (!m_scene) return;
  const double end = m_scene->xEnd(m_byTime);
  const double length = std::clamp(to - from, std::min(kLeastRange, end), end);
  m_from = std::clamp(from, 0.0, end - length);
  m_to = m_from + length;
  draw();
  update();
}

void BlockPlot::draw() {
  const QRect area = plot();
  if (!m_scene || m_scene->replay().last() < 0 || area.width() < 2 || area.height() < 2) return;
  const qreal ratio = devicePixelRatioF();
  const BlockView view{m_from, m_to, QSize(area.size() * ratio), m_byTime, m_byLine, m_session.theme().name};
  if (view == m_picture.view && !m_picture.image.isNull()) return;
  m_task.ask([scene = m_scene, view] { return blockPicture(*scene, view); },
             [this](BlockPicture picture) {
               m_picture = std::move(picture);
               update();
             });
}

// Those of the program, in rows: what lies within another is below it.
void BlockPlot::placeAnnotations() {
  m_annotations.clear();
  m_annotationRows = 0;
  if (!m_scene || !m_byTime || !m_scene->hasTimes()) return;
  const SnapshotDevice& device = *m_scene->replay().device;
  const std::int64_t first = device.entries.front().time;
  const double end = m_scene->xEnd(true);
  std::vector<const SnapshotAnnotation*> shown;
  for (const SnapshotAnnotation& annotation : device.annotations) {
    if (annotation.begin == kNoMicroseconds) continue;
    if (annotation.end != kNoMicroseconds && annotation.end < first) continue;
    shown.push_back(&annotation);
  }
  std::ranges::stable_sort(shown, [](const SnapshotAnnotation* a, const SnapshotAnnotation* b) {
    return a->begin != b->begin ? a->begin < b->begin : a->end > b->end;
  });
  std::array<double, kMostRows> ends{};
  ends.fill(-1);
  for (const SnapshotAnnotation* annotation : shown) {
    const double from =
        std::max(0.0, 1000.0 * (static_cast<double>(annotation->begin) - static_cast<double>(first)));
    const double to =
        annotation->end == kNoMicroseconds
            ? end
            : std::min(end, 1000.0 * (static_cast<double>(annotation->end) - static_cast<double>(first)));
    if (from >= end) continue;
    const auto row = std::ranges::find_if(ends, [&](double taken) { return taken <= from; });
    if (row == ends.end()) continue;
    *row = to;
    const int number = static_cast<int>(row - ends.begin());
    m_annotationRows = std::max(m_annotationRows, number + 1);
    const std::string_view name = m_scene->result().snapshot->stacks.text(annotation->name);
    m_annotations.push_back({shortAnnotation(QString::fromUtf8(name)), from, to, number});
  }
}

std::int32_t BlockPlot::entryAt(QPointF place) const {
  if (!m_scene) return kBeforeFirst;
  // The column of a pixel shows its fullest entry.
  const std::int32_t begin = m_scene->entryAt(xAt(place.x()), m_byTime);
  const std::int32_t end = m_scene->entryAt(xAt(place.x() + 0.999), m_byTime);
  std::int32_t fullest = begin;
  for (std::int32_t entry = begin + 1; entry <= end; ++entry)
    if (m_scene->replay().activeAt(entry) > m_scene->replay().activeAt(fullest)) fullest = entry;
  return fullest;
}

std::optional<StackedBlock> BlockPlot::blockAt(QPointF place) const {
  if (!m_scene || !plot().contains(place.toPoint())) return std::nullopt;
  const QRect area = plot();
  const double share = (area.top() + area.height() - place.y()) / area.height();
  return m_scene->stack().at(entryAt(place),
                             static_cast<std::int64_t>(share * static_cast<double>(m_scene->top())));
}

QString BlockPlot::tipAt(QPointF place) const {
  if (!m_scene) return {};
  for (const Annotation& annotation : m_annotations) {
    const int top = plot().bottom() + 3 + annotation.row * scaledToText(kBlockRow);
    if (place.y() < top || place.y() >= top + scaledToText(kBlockRow)) continue;
    if (place.x() < placeOfX(annotation.from) || place.x() > placeOfX(annotation.to)) continue;
    return tr("%1 · %2").arg(
        annotation.name.toHtmlEscaped(),
        QString::fromStdString(durationText(static_cast<TimeNs>(annotation.to - annotation.from))));
  }
  if (!plot().contains(place.toPoint())) return {};
  const std::int32_t entry = entryAt(place);
  const DeviceReplay& replay = m_scene->replay();
  QStringList lines;
  lines << tr("%1 allocated, %2 reserved")
               .arg(blockBytes(replay.activeAt(entry)), blockBytes(replay.reservedAt(entry)));
  if (const auto block = blockAt(place)) {
    const BlockLife& life = replay.lives[block->life];
    const SnapshotResults& result = m_scene->result();
    lines << tr("block of %1 · %2").arg(blockBytes(life.bytes), roleName(life.role));
    lines << QString::fromStdString(
                 blockName(result.snapshot->stacks, result.roles, life.stack, life.recorded()))
                 .toHtmlEscaped();
    if (m_scene->hasTimes() && life.recorded()) {
      const double end =
          life.freed == kNeverFreed ? m_scene->xOf(replay.last(), true) : m_scene->xOf(life.freed, true);
      const QString held =
          QString::fromStdString(durationText(static_cast<TimeNs>(end - m_scene->xOf(life.allocated, true))));
      lines << (life.freed == kNeverFreed ? tr("allocated for %1 until the end").arg(held)
                                          : tr("allocated for %1").arg(held));
    }
  }
  return lines.join(QStringLiteral("<br>"));
}

void BlockPlot::paintEvent(QPaintEvent*) {
  if (!m_scene || m_scene->replay().last() < 0) return;
  QPainter painter(this);
  paintAxes(painter);
  const QRect area = plot();
  painter.save();
  painter.setClipRect(area);
  if (!m_picture.image.isNull() && m_picture.view.byTime == m_byTime) {
    const QRectF at(QPointF(placeOfX(m_picture.view.from), area.top()),
                    QPointF(placeOfX(m_picture.view.to), area.top() + area.height()));
    painter.drawImage(at, m_picture.image);
  }
  paintCurve(painter, m_picture.reserved, QPen(m_session.theme().warn, 1.4));
  if (m_byTime) paintCurve(painter, m_reference, QPen(m_session.theme().text, 1.2, Qt::DashLine));
  painter.restore();
  paintMarks(painter);
  paintAnnotations(painter);
  if (hasFocus()) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(m_session.theme().accent, 1, Qt::DotLine));
    painter.drawRect(area.adjusted(0, 0, -1, -1));
  }
}

void BlockPlot::paintAxes(QPainter& painter) const {
  const Theme& theme = m_session.theme();
  const QRect area = plot();
  painter.setFont(numberFont(kTextSize));
  const QFontMetrics metrics = painter.fontMetrics();
  const AxisMarks rows = byteMarks(m_scene.get(), area.height());
  for (const double at : rows.at) {
    const double y = placeOfBytes(at);
    painter.setPen(theme.line);
    painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    painter.setPen(theme.muted);
    const QRectF box(0, y - metrics.height() / 2.0, area.left() - 8, metrics.height());
    painter.drawText(box, Qt::AlignRight | Qt::AlignVCenter, amountText(Unit::Bytes, at, rows.step));
  }
  const Unit unit = m_byTime && m_scene->hasTimes() ? Unit::Nanoseconds : Unit::Count;
  const AxisMarks columns =
      axisMarks(m_from, m_to, std::max(1, area.width() / scaledToText(kColumnGap)), unit == Unit::Count);
  const int y = height() - scaledToText(kAxis) + 4;
  painter.setPen(theme.muted);
  for (const double at : columns.at) {
    const QString text = amountText(unit, at, columns.step);
    const int wide = metrics.horizontalAdvance(text) + 2;
    const double left = std::clamp(placeOfX(at) - wide / 2.0, 0.0, std::max(0.0, width() - wide - 1.0));
    painter.drawText(QRectF(left, y, wide, metrics.height()), Qt::AlignCenter, text);
  }
}

void BlockPlot::paintCurve(QPainter& painter, const QList<QPointF>& points, const QPen& pen) const {
  if (points.size() < 2) return;
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(pen);
  QPolygonF line;
  line.reserve(points.size());
  for (const QPointF& point : points)
    line << QPointF(placeOfX(point.x()), std::max(placeOfBytes(point.y()), plot().top() + 0.7));
  painter.drawPolyline(line);
}

void BlockPlot::paintMarks(QPainter& painter) const {
  struct Mark {
    std::int32_t entry;
    QColor color;
    Qt::PenStyle style;
    QString name;
  };
  const Theme& theme = m_session.theme();
  const DeviceReplay& replay = m_scene->replay();
  std::vector<Mark> marks{{replay.peakActive.entry, theme.text, Qt::DotLine, tr("peak")}};
  for (const OomReport& oom : replay.ooms)
    marks.push_back({oom.entry, theme.bad, Qt::SolidLine, tr("out of memory")});
  if (m_mark != kBeforeFirst) marks.push_back({m_mark, theme.accent, Qt::DashLine, tr("mark")});
  marks.push_back({m_cursor, theme.bad, Qt::SolidLine, {}});
  std::ranges::stable_sort(marks, {}, &Mark::entry);
  const QRect area = plot();
  painter.setFont(numberFont(kTextSize));
  const QFontMetrics metrics = painter.fontMetrics();
  double free = area.left(); // what is left of it has a name
  for (const Mark& mark : marks) {
    const double x = placeOfX(m_scene->xOf(mark.entry, m_byTime));
    if (x < area.left() - 1 || x > area.right() + 1) continue;
    painter.setPen(QPen(mark.color, 1, mark.style));
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    if (mark.name.isEmpty()) continue;
    // Above the blocks and the line of what is reserved. A name without room is in the tooltip.
    const int wide = metrics.horizontalAdvance(mark.name);
    const double left = std::max(free, std::min(x - wide / 2.0, static_cast<double>(width() - wide)));
    if (left + wide > width()) continue;
    painter.drawText(QRectF(left, 0, wide + 1, metrics.height()), Qt::AlignCenter, mark.name);
    free = left + wide + metrics.averageCharWidth();
  }
}

void BlockPlot::paintAnnotations(QPainter& painter) const {
  const Theme& theme = m_session.theme();
  const QRect area = plot();
  const int high = scaledToText(kBlockRow);
  painter.setFont(textFont(kTextSize));
  const QFontMetrics metrics = painter.fontMetrics();
  for (const Annotation& annotation : m_annotations) {
    const double left = std::max<double>(placeOfX(annotation.from), area.left());
    const double right = std::min<double>(placeOfX(annotation.to), area.right());
    if (right < area.left() || left > area.right()) continue;
    const QRectF box(left, area.bottom() + 3 + annotation.row * high, std::max(1.0, right - left - 1),
                     high - 2);
    painter.fillRect(box, theme.raised);
    painter.fillRect(QRectF(box.left(), box.top(), std::min(2.0, box.width()), box.height()),
                     theme.annotation);
    if (box.width() < 8 * metrics.averageCharWidth()) continue;
    painter.setPen(theme.muted);
    const QRectF inside = box.adjusted(5, 0, -2, 0);
    painter.drawText(inside, Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(annotation.name, Qt::ElideRight, static_cast<int>(inside.width())));
  }
}

void BlockPlot::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  draw();
}

void BlockPlot::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  m_pressed = event->position();
  m_rangeWhenPressed = {m_from, m_to};
  m_dragging = false;
}

void BlockPlot::mouseMoveEvent(QMouseEvent* event) {
  if (!m_pressed || !m_scene) return;
  const double moved = event->position().x() - m_pressed->x();
  if (!m_dragging && std::abs(moved) < 4) return;
  m_dragging = true;
  const double by = moved / std::max(1, plot().width()) * (m_to - m_from);
  setRange(m_rangeWhenPressed.first - by, m_rangeWhenPressed.second - by);
}

void BlockPlot::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !m_pressed) return;
  m_pressed.reset();
  if (m_dragging || !m_scene || !plot().contains(event->position().toPoint())) return;
  emit cursorMoved(entryAt(event->position()));
  if (const auto block = blockAt(event->position())) emit blockPicked(block->life);
}

void BlockPlot::mouseDoubleClickEvent(QMouseEvent*) {
  if (m_scene) setRange(0, m_scene->xEnd(m_byTime));
}

void BlockPlot::zoom(double factor, double around) {
  setRange(around - (around - m_from) * factor, around + (m_to - around) * factor);
}

// Without Ctrl, the wheel scrolls the page.
void BlockPlot::wheelEvent(QWheelEvent* event) {
  if (!m_scene || (event->modifiers() & Qt::ControlModifier) == 0) return event->ignore();
  const double steps = event->angleDelta().y() / 120.0;
  zoom(std::pow(kZoomStep, -steps), xAt(event->position().x()));
  event->accept();
}

void BlockPlot::keyPressEvent(QKeyEvent* event) {
  if (!m_scene) return QWidget::keyPressEvent(event);
  const double middle = (m_from + m_to) / 2;
  switch (event->key()) {
  case Qt::Key_Left:
    emit cursorMoved(std::max(m_cursor - 1, kBeforeFirst));
    return;
  case Qt::Key_Right:
    emit cursorMoved(std::min(m_cursor + 1, m_scene->replay().last()));
    return;
  case Qt::Key_Plus:
    zoom(1 / kZoomStep, middle);
    return;
  case Qt::Key_Minus:
    zoom(kZoomStep, middle);
    return;
  case Qt::Key_Home:
    setRange(0, m_scene->xEnd(m_byTime));
    return;
  default:
    QWidget::keyPressEvent(event);
  }
}

bool BlockPlot::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  QToolTip::showText(help->globalPos(), tipAt(help->pos()), this); // an empty one hides what is shown
  return true;
}

} // namespace rankscope::ui
