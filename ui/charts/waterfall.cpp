// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/waterfall.h"

#include "ui/base/text_scale.h"
#include "ui/charts/axis_text.h"
#include "ui/job/trace_session.h"

#include <QFontMetrics>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr int kRowHeight = 21;
constexpr int kMaxRowHeight = 40;
constexpr int kHeadHeight = 24;
constexpr qreal kWaterfallBarShare = 2.0 / 3; // of the row's height
constexpr int kBottom = 8;
constexpr int kGap = 14;
constexpr int kWaterfallLabelWidth = 210;
constexpr int kValueWidth = 72;
constexpr int kShareWidth = 60;
constexpr int kMinNoteWidth = 150;
constexpr int kMinPlotWidth = 200;
constexpr double kNoteShare = 0.6; // of the room that bars and notes share, at most
constexpr int kTickDistance = 90;
constexpr int kDot = 7;
constexpr qreal kMinBar = 1.5; // so that no part is invisible

int noteIndent(const WaterfallRow& row) {
  return row.noteMark ? scaledToText(kDot) + 6 : 0;
}

} // namespace

Waterfall::Waterfall(const TraceSession& session, QWidget* parent) : QWidget(parent), m_session(session) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  connect(&session, &TraceSession::themeChanged, this, qOverload<>(&QWidget::update));
}

void Waterfall::setRows(WaterfallRows rows) {
  m_rows = std::move(rows);
  m_hovered = m_marked = -1;
  const QFontMetrics labels(textFont(12, QFont::DemiBold));
  const QFontMetrics notes(textFont(12));
  m_labelWidth = labels.horizontalAdvance(m_rows.total);
  m_noteWidth = 0;
  QStringList said;
  for (const WaterfallRow& row : m_rows.rows) {
    m_labelWidth = std::max(m_labelWidth, labels.horizontalAdvance(row.label));
    if (!row.note.isEmpty())
      m_noteWidth = std::max({m_noteWidth, scaledToText(kMinNoteWidth),
                              notes.horizontalAdvance(row.note) + noteIndent(row) + 1});
    said << tr("%1: %2, %3").arg(row.label, row.value, row.share);
  }
  said << tr("%1: %2").arg(m_rows.total, m_rows.value);
  m_labelWidth = std::min(m_labelWidth, scaledToText(kWaterfallLabelWidth));
  setAccessibleDescription(said.join(QStringLiteral("; ")));
  updateGeometry();
  update();
}

void Waterfall::markRow(int row) {
  if (m_marked == row) return;
  m_marked = row;
  update();
}

QSize Waterfall::sizeHint() const {
  return {800, heightOfRows(scaledToText(kRowHeight))};
}

int Waterfall::largestHeight() const {
  return heightOfRows(scaledToText(kMaxRowHeight));
}

int Waterfall::heightOfRows(int row) const {
  return scaledToText(kHeadHeight) + (static_cast<int>(m_rows.rows.size()) + 1) * row + kBottom;
}

// Large windows have room for higher rows.
int Waterfall::rowHeight() const {
  const int rows = static_cast<int>(m_rows.rows.size()) + 1;
  return std::clamp((height() - scaledToText(kHeadHeight) - kBottom) / rows, scaledToText(kRowHeight),
                    scaledToText(kMaxRowHeight));
}

QSize Waterfall::minimumSizeHint() const {
  return {scaledToText(kMinPlotWidth), sizeHint().height()};
}

Waterfall::Columns Waterfall::columns() const {
  Columns at;
  at.valueWidth = scaledToText(kValueWidth);
  at.shareWidth = scaledToText(kShareWidth);
  at.plot = m_labelWidth + kGap;
  const int figures = at.valueWidth + at.shareWidth + kGap;
  const int rest = width() - at.plot - figures;
  const int note = std::min(
      {static_cast<int>((rest - kGap) * kNoteShare), rest - kGap - scaledToText(kMinPlotWidth), m_noteWidth});
  at.noteWidth = note >= scaledToText(kMinNoteWidth) ? note : 0;
  at.plotWidth = std::max(1, rest - (at.noteWidth > 0 ? at.noteWidth + kGap : 0));
  at.value = at.plot + at.plotWidth + kGap;
  at.share = at.value + at.valueWidth;
  at.note = at.share + at.shareWidth + kGap;
  return at;
}

QRect Waterfall::rowBox(int row) const {
  const bool last = row == static_cast<int>(m_rows.rows.size());
  const int high = rowHeight();
  return {0, scaledToText(kHeadHeight) + row * high + (last ? 4 : 0), width(), high};
}

qreal Waterfall::xOf(double amount) const {
  const Columns at = columns();
  return m_rows.amount > 0 ? at.plot + amount / m_rows.amount * at.plotWidth : at.plot;
}

QRectF Waterfall::barOf(int row) const {
  const WaterfallRow& shown = m_rows.rows[static_cast<std::size_t>(row)];
  const QRect box = rowBox(row);
  const qreal high = std::round(box.height() * kWaterfallBarShare);
  const qreal left = xOf(shown.begin);
  const qreal wide = std::max(kMinBar, xOf(shown.begin + shown.amount) - left);
  return {left, box.top() + (box.height() - high) / 2, wide, high};
}

int Waterfall::rowAt(QPointF place) const {
  for (int row = 0; row < static_cast<int>(m_rows.rows.size()); ++row) {
    if (rowBox(row).contains(place.toPoint())) return row;
  }
  return -1;
}

void Waterfall::paintText(QPainter& painter, QRect box, int flags, const QString& text, QColor color,
                          const QFont& font) const {
  painter.setFont(font);
  painter.setPen(color);
  painter.drawText(box, flags | Qt::AlignVCenter,
                   QFontMetrics(font).elidedText(text, Qt::ElideRight, box.width()));
}

void Waterfall::paintBar(QPainter& painter, QRectF box, const WaterfallFill& fill) const {
  const Theme& theme = m_session.theme();
  painter.fillRect(box, chartFill(theme, fill.color, fill.strength));
  if (fill.hatched) paintHatch(painter, box, theme.*fill.color);
}

void Waterfall::paintAxis(QPainter& painter, const Columns& at) const {
  const Theme& theme = m_session.theme();
  const QRect head(0, 0, width(), scaledToText(kHeadHeight));
  const int bottom = rowBox(static_cast<int>(m_rows.rows.size())).bottom();
  const int most = std::max(1, at.plotWidth / scaledToText(kTickDistance));
  const AxisMarks marks = axisMarks(0, m_rows.amount, most);
  const QFont figures = numberFont(11);
  for (const double mark : marks.at) {
    const int x = static_cast<int>(std::lround(xOf(mark)));
    painter.setPen(theme.line);
    painter.drawLine(x, head.bottom(), x, bottom);
    const QString text = amountText(Unit::Nanoseconds, mark, marks.step);
    const int wide = QFontMetrics(figures).horizontalAdvance(text) + 2;
    const int left = std::min(std::max(at.plot, x - wide / 2), at.plot + at.plotWidth - wide);
    paintText(painter, QRect(left, 0, wide, head.height()), Qt::AlignLeft, text, theme.muted, figures);
  }
  const QFont titles = textFont(12);
  paintText(painter, QRect(0, 0, m_labelWidth, head.height()), Qt::AlignLeft, tr("Part"), theme.muted,
            titles);
  paintText(painter, QRect(at.value, 0, at.valueWidth, head.height()), Qt::AlignRight, tr("Time"),
            theme.muted, titles);
  paintText(painter, QRect(at.share, 0, at.shareWidth, head.height()), Qt::AlignRight, tr("Share"),
            theme.muted, titles);
  if (at.noteWidth > 0)
    paintText(painter, QRect(at.note, 0, at.noteWidth, head.height()), Qt::AlignLeft, m_rows.noteTitle,
              theme.muted, titles);
  painter.setPen(theme.line);
  painter.drawLine(0, head.bottom(), width(), head.bottom());
}

void Waterfall::paintRow(QPainter& painter, const Columns& at, int row) const {
  const Theme& theme = m_session.theme();
  const WaterfallRow& shown = m_rows.rows[static_cast<std::size_t>(row)];
  const QRect box = rowBox(row);
  const auto column = [&](int left, int wide) { return QRect(left, box.top(), wide, box.height()); };
  paintText(painter, column(0, m_labelWidth), Qt::AlignLeft, shown.label, theme.text,
            textFont(12, shown.strong ? QFont::DemiBold : QFont::Normal));
  const QRectF bar = barOf(row);
  paintBar(painter, bar, shown.fill);
  if (row + 1 < static_cast<int>(m_rows.rows.size())) {
    painter.setPen(theme.faint);
    const qreal x = xOf(shown.begin + shown.amount);
    painter.drawLine(QPointF(x, bar.bottom()), QPointF(x, barOf(row + 1).top()));
  }
  const QFont figures = numberFont(12, shown.strong ? QFont::DemiBold : QFont::Normal);
  paintText(painter, column(at.value, at.valueWidth), Qt::AlignRight, shown.value, theme.text, figures);
  paintText(painter, column(at.share, at.shareWidth), Qt::AlignRight, shown.share, theme.muted,
            numberFont(12));
  if (at.noteWidth == 0 || shown.note.isEmpty()) return;
  int left = at.note;
  if (shown.noteMark) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.*(*shown.noteMark));
    const qreal dot = scaledToText(kDot);
    painter.drawEllipse(QRectF(left, box.center().y() - dot / 2 + 0.5, dot, dot));
  }
  left += noteIndent(shown);
  paintText(painter, column(left, at.note + at.noteWidth - left), Qt::AlignLeft, shown.note, theme.muted,
            textFont(12));
}

void Waterfall::paintTotal(QPainter& painter, const Columns& at) const {
  const Theme& theme = m_session.theme();
  const int last = static_cast<int>(m_rows.rows.size());
  const QRect box = rowBox(last);
  painter.setPen(theme.line);
  painter.drawLine(0, box.top() - 2, width(), box.top() - 2);
  for (int row = 0; row < last; ++row) {
    QRectF bar = barOf(row);
    bar.moveTop(box.top() + (box.height() - bar.height()) / 2);
    paintBar(painter, bar, m_rows.rows[static_cast<std::size_t>(row)].fill);
  }
  const auto column = [&](int left, int wide) { return QRect(left, box.top(), wide, box.height()); };
  paintText(painter, column(0, m_labelWidth), Qt::AlignLeft, m_rows.total, theme.text,
            textFont(12, QFont::DemiBold));
  paintText(painter, column(at.value, at.valueWidth), Qt::AlignRight, m_rows.value, theme.text,
            numberFont(12, QFont::DemiBold));
  paintText(painter, column(at.share, at.shareWidth), Qt::AlignRight, amountText(Unit::Percent, 100),
            theme.muted, numberFont(12));
}

void Waterfall::paintEvent(QPaintEvent*) {
  if (m_rows.rows.empty()) return;
  const Theme& theme = m_session.theme();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  for (const int row : {m_marked, m_hovered}) {
    if (row >= 0 && row < static_cast<int>(m_rows.rows.size())) painter.fillRect(rowBox(row), theme.raised);
  }
  const Columns at = columns();
  paintAxis(painter, at);
  for (int row = 0; row < static_cast<int>(m_rows.rows.size()); ++row) paintRow(painter, at, row);
  paintTotal(painter, at);
  if (hasFocus() && m_hovered >= 0) {
    painter.setPen(theme.accent);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(rowBox(m_hovered)).adjusted(0.5, 0.5, -0.5, -0.5));
  }
}

QString Waterfall::headTip(int x) const {
  const Columns at = columns();
  if (x < at.plot) return m_rows.partTip;
  if (x < at.value) return tr("Each part begins where the one above ends; the last row is their sum");
  if (x < at.share) return tr("Time of the part");
  if (x < at.note) return tr("Time of the part as a share of the last row, in %");
  return m_rows.noteTip;
}

QString Waterfall::noteShown(int row) const {
  const Columns at = columns();
  const WaterfallRow& shown = m_rows.rows[static_cast<std::size_t>(row)];
  return QFontMetrics(textFont(12)).elidedText(shown.note, Qt::ElideRight, at.noteWidth - noteIndent(shown));
}

bool Waterfall::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int row = rowAt(help->pos());
  if (row >= 0)
    QToolTip::showText(help->globalPos(), m_rows.rows[static_cast<std::size_t>(row)].tip, this, rowBox(row));
  else if (!m_rows.rows.empty() && help->pos().y() < scaledToText(kHeadHeight))
    QToolTip::showText(help->globalPos(), headTip(help->pos().x()), this);
  else
    QToolTip::hideText();
  return true;
}

void Waterfall::hover(int row) {
  setCursor(row >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
  if (m_hovered == row) return;
  m_hovered = row;
  update();
  emit rowHovered(row);
}

void Waterfall::mouseMoveEvent(QMouseEvent* event) {
  hover(rowAt(event->position()));
}

void Waterfall::leaveEvent(QEvent* event) {
  QWidget::leaveEvent(event);
  hover(-1);
}

void Waterfall::mouseReleaseEvent(QMouseEvent* event) {
  const int row = rowAt(event->position());
  if (event->button() == Qt::LeftButton && row >= 0) emit rowClicked(row);
}

void Waterfall::keyPressEvent(QKeyEvent* event) {
  const int rows = static_cast<int>(m_rows.rows.size());
  if (rows == 0) return event->ignore();
  switch (event->key()) {
  case Qt::Key_Up:
  case Qt::Key_Down:
    hover(std::clamp(m_hovered + (event->key() == Qt::Key_Up ? -1 : 1), 0, rows - 1));
    break;
  case Qt::Key_Return:
  case Qt::Key_Enter:
    if (m_hovered >= 0) emit rowClicked(m_hovered);
    return;
  default:
    return event->ignore();
  }
  const QRect box = rowBox(m_hovered);
  QToolTip::showText(mapToGlobal(box.bottomLeft() + QPoint(m_labelWidth, 4)),
                     m_rows.rows[static_cast<std::size_t>(m_hovered)].tip, this, box);
}

} // namespace rankscope::ui
