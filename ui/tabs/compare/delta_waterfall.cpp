// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/compare/delta_waterfall.h"

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

constexpr int kRowHeight = 22;
constexpr int kHeadHeight = 24;
constexpr int kBarHeight = 12;
constexpr int kGap = 10;
constexpr int kNumber = 74;
constexpr int kMaxLabel = 190;
constexpr int kMinLabel = 110;
constexpr int kMinPlot = 90;
constexpr int kTickDistance = 90;
constexpr int kLabelGap = 6;
constexpr qreal kMinBar = 1.5; // so that no part is invisible

} // namespace

DeltaWaterfall::DeltaWaterfall(const TraceSession& session, QWidget* parent)
    : QWidget(parent), m_session(session) {
  setFocusPolicy(Qt::StrongFocus);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  connect(&session, &TraceSession::themeChanged, this, qOverload<>(&QWidget::update));
}

void DeltaWaterfall::setRows(DeltaRows rows) {
  m_rows = std::move(rows);
  m_chosen = -1;
  m_begins.clear();
  const QFontMetrics labels(textFont(12, QFont::DemiBold));
  m_labelWidth = labels.horizontalAdvance(QStringLiteral("B"));
  double at = m_rows.a;
  double low = std::min(m_rows.a, m_rows.b);
  double high = std::max(m_rows.a, m_rows.b);
  QStringList said;
  for (const DeltaRow& row : m_rows.rows) {
    m_begins.push_back(at);
    at += row.b - row.a;
    low = std::min(low, at);
    high = std::max(high, at);
    m_labelWidth = std::max(m_labelWidth, labels.horizontalAdvance(row.label));
    said << tr("%1: %2").arg(row.label, row.change);
  }
  m_labelWidth = std::min(m_labelWidth, scaledToText(kMaxLabel));
  // What all rows have in common is left out where the changes would be too small to see.
  const double spread = high - low;
  m_from = low - spread < low / 2 ? 0 : low - std::max(spread * 0.12, high * 0.002);
  m_to = high + std::max(spread * 0.04, high * 0.001);
  if (m_to <= m_from) m_to = m_from + 1;
  setAccessibleDescription(said.join(QStringLiteral("; ")));
  updateGeometry();
  update();
}

void DeltaWaterfall::chooseRow(int row) {
  if (m_chosen == row) return;
  m_chosen = row;
  update();
}

QSize DeltaWaterfall::sizeHint() const {
  const int rows = static_cast<int>(m_rows.rows.size()) + 2;
  return {560, scaledToText(kHeadHeight) + rows * scaledToText(kRowHeight) + 8};
}

QSize DeltaWaterfall::minimumSizeHint() const {
  return {scaledToText(240), sizeHint().height()};
}

DeltaWaterfall::Columns DeltaWaterfall::columns() const {
  Columns at;
  at.number = scaledToText(kNumber);
  int right = width() - 4;
  // Long labels are cut before the interval goes.
  const int beside = 2 * scaledToText(kGap) + scaledToText(kMinPlot) + 4 * at.number;
  at.label = std::min(m_labelWidth, std::max(scaledToText(kMinLabel), width() - beside));
  at.plot = at.label + scaledToText(kGap);
  if (width() >= at.label + beside) {
    at.interval = right;
    right -= at.number;
  }
  at.change = right;
  at.b = at.change - at.number;
  at.a = at.b - at.number;
  at.plotWidth = std::max(scaledToText(40), at.a - at.number - scaledToText(kGap) - at.plot);
  return at;
}

QRect DeltaWaterfall::rowBox(int row) const {
  return {0, scaledToText(kHeadHeight) + (row + 1) * scaledToText(kRowHeight), width(),
          scaledToText(kRowHeight)};
}

int DeltaWaterfall::rowAt(QPointF place) const {
  for (int row = 0; row < static_cast<int>(m_rows.rows.size()); ++row) {
    if (rowBox(row).contains(place.toPoint())) return row;
  }
  return -1;
}

qreal DeltaWaterfall::xOf(double amount, const Columns& at) const {
  return at.plot + (amount - m_from) / (m_to - m_from) * at.plotWidth;
}

void DeltaWaterfall::paintText(QPainter& painter, QRect box, int flags, const QString& text, QColor color,
                               const QFont& font) const {
  painter.setFont(font);
  painter.setPen(color);
  painter.drawText(box, flags | Qt::AlignVCenter,
                   QFontMetrics(font).elidedText(text, Qt::ElideRight, box.width()));
}

void DeltaWaterfall::paintHead(QPainter& painter, const Columns& at) const {
  const Theme& theme = m_session.theme();
  const int high = scaledToText(kHeadHeight);
  const int bottom = rowBox(static_cast<int>(m_rows.rows.size())).bottom();
  const QFont figures = numberFont(11);
  const AxisMarks marks =
      readableAxisMarks(m_from, m_to, std::max(1, at.plotWidth / scaledToText(kTickDistance)));
  int labeled = 0; // up to here
  for (const double mark : marks.at) {
    const int x = static_cast<int>(std::lround(xOf(mark, at)));
    painter.setPen(theme.line);
    painter.drawLine(x, high, x, bottom);
    const QString text = amountText(Unit::Nanoseconds, mark, marks.step);
    const int wide = QFontMetrics(figures).horizontalAdvance(text) + 2;
    const int left = std::clamp(x - wide / 2, at.plot, std::max(at.plot, at.plot + at.plotWidth - wide));
    if (left < labeled) continue;
    labeled = left + wide + scaledToText(kLabelGap);
    paintText(painter, {left, 0, wide, high}, Qt::AlignLeft, text, theme.muted, figures);
  }
  const QFont titles = textFont(12);
  const auto title = [&](int right, const QString& text) {
    if (right > 0)
      paintText(painter, {right - at.number, 0, at.number, high}, Qt::AlignRight, text, theme.muted, titles);
  };
  title(at.a, QStringLiteral("A"));
  title(at.b, QStringLiteral("B"));
  title(at.change, tr("Change"));
  title(at.interval, tr("95 % CI"));
  painter.setPen(theme.line);
  painter.drawLine(0, high, width(), high);
}

// The whole step of a side; hollow for A, solid for B.
void DeltaWaterfall::paintEnd(QPainter& painter, const Columns& at, bool ofB) const {
  const Theme& theme = m_session.theme();
  const QRect box = rowBox(ofB ? static_cast<int>(m_rows.rows.size()) : -1);
  const QFont strong = textFont(12, QFont::DemiBold);
  const QFont figures = numberFont(12, QFont::DemiBold);
  paintText(painter, {0, box.top(), at.label, box.height()}, Qt::AlignLeft,
            ofB ? QStringLiteral("B") : QStringLiteral("A"), theme.text, strong);
  const qreal high = scaledToText(kBarHeight);
  const qreal end = xOf(ofB ? m_rows.b : m_rows.a, at);
  const QRectF bar(at.plot, box.top() + (box.height() - high) / 2, std::max(kMinBar, end - at.plot), high);
  painter.setPen(QPen(theme.muted, 1.2));
  painter.setBrush(ofB ? QBrush(theme.muted) : QBrush(Qt::NoBrush));
  painter.drawRoundedRect(bar, 2, 2);
  if (m_from > 0) { // the scale does not begin at 0
    painter.setPen(QPen(theme.panel, 5));
    const qreal x = at.plot + 10;
    painter.drawLine(QPointF(x - 2, bar.bottom() + 1), QPointF(x + 2, bar.top() - 1));
    painter.setPen(QPen(theme.muted, 1.2));
    for (const qreal side : {-3.0, 3.0})
      painter.drawLine(QPointF(x - 2 + side, bar.bottom() + 2), QPointF(x + 2 + side, bar.top() - 2));
  }
  const auto number = [&](int right, const QString& text, QColor color) {
    if (right > 0)
      paintText(painter, {right - at.number, box.top(), at.number, box.height()}, Qt::AlignRight, text, color,
                figures);
  };
  number(ofB ? at.b : at.a, ofB ? m_rows.textB : m_rows.textA, theme.text);
  if (!ofB) return;
  number(at.change, m_rows.change,
         m_rows.b > m_rows.a   ? theme.warn
         : m_rows.b < m_rows.a ? theme.good
                               : theme.muted);
  number(at.interval, m_rows.interval, theme.muted);
}

void DeltaWaterfall::paintRow(QPainter& painter, const Columns& at, int row) const {
  const Theme& theme = m_session.theme();
  const DeltaRow& shown = m_rows.rows[static_cast<std::size_t>(row)];
  const QRect box = rowBox(row);
  if (row == m_chosen) {
    QColor tint = theme.accent;
    tint.setAlphaF(0.16F);
    painter.fillRect(box, tint);
  }
  paintText(painter, {0, box.top(), at.label, box.height()}, Qt::AlignLeft, shown.label, theme.text,
            textFont(12));
  const double delta = shown.b - shown.a;
  const double begin = m_begins[static_cast<std::size_t>(row)];
  const qreal from = xOf(begin, at);
  const qreal to = xOf(begin + delta, at);
  const qreal high = scaledToText(kBarHeight);
  const qreal left = std::min(from, to);
  const QRectF bar(left, box.top() + (box.height() - high) / 2, std::max(kMinBar, std::abs(to - from)), high);
  painter.fillRect(bar, delta > 0 ? theme.warn : delta < 0 ? theme.accent : theme.faint);
  painter.setPen(theme.faint);
  painter.drawLine(QPointF(to, bar.bottom()), QPointF(to, bar.bottom() + box.height() - high));
  const QFont figures = numberFont(12);
  const auto number = [&](int right, const QString& text, QColor color) {
    if (right > 0)
      paintText(painter, {right - at.number, box.top(), at.number, box.height()}, Qt::AlignRight, text, color,
                figures);
  };
  number(at.a, shown.textA, theme.muted);
  number(at.b, shown.textB, theme.muted);
  number(at.change, shown.change, delta > 0 ? theme.warn : delta < 0 ? theme.good : theme.muted);
  number(at.interval, shown.interval, theme.muted);
}

void DeltaWaterfall::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  if (m_rows.rows.empty()) return;
  const Columns at = columns();
  paintHead(painter, at);
  paintEnd(painter, at, false);
  for (int row = 0; row < static_cast<int>(m_rows.rows.size()); ++row) paintRow(painter, at, row);
  paintEnd(painter, at, true);
  if (!hasFocus()) return;
  painter.setBrush(Qt::NoBrush);
  painter.setPen(m_session.theme().accent);
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

QString DeltaWaterfall::headTip(int x) const {
  const Columns at = columns();
  if (x < at.plot) return tr("Causes of the step time; small ones of a category are together");
  if (x < at.a - at.number)
    return m_from > 0
               ? tr("From the step of A to the step of B: each change begins where the one above ends. "
                    "The scale does not begin at 0. Amber: B costs more, blue: B costs less")
               : tr("From the step of A to the step of B: each change begins where the one above ends. "
                    "Amber: B costs more, blue: B costs less");
  if (x < at.a) return tr("Side A: mean over ranks and kept steps");
  if (x < at.b) return tr("Side B: mean over ranks and kept steps");
  if (x < at.change) return tr("B − A; the rows add up to the last one");
  return tr("Half the 95 % confidence interval of the difference of the means, over steps");
}

bool DeltaWaterfall::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const int row = rowAt(help->pos());
    if (row >= 0)
      QToolTip::showText(help->globalPos(), m_rows.rows[static_cast<std::size_t>(row)].tip, this,
                         rowBox(row));
    else if (!m_rows.rows.empty() && help->pos().y() < scaledToText(kHeadHeight))
      QToolTip::showText(help->globalPos(), headTip(help->pos().x()), this);
    else
      QToolTip::hideText();
    return true;
  }
  return QWidget::event(event);
}

void DeltaWaterfall::mouseReleaseEvent(QMouseEvent* event) {
  const int row = rowAt(event->position());
  if (event->button() != Qt::LeftButton) return event->ignore();
  chooseRow(row == m_chosen ? -1 : row);
  emit rowChosen(m_chosen);
}

void DeltaWaterfall::keyPressEvent(QKeyEvent* event) {
  const int rows = static_cast<int>(m_rows.rows.size());
  if (rows == 0 || (event->key() != Qt::Key_Up && event->key() != Qt::Key_Down)) return event->ignore();
  chooseRow(std::clamp(m_chosen + (event->key() == Qt::Key_Up ? -1 : 1), 0, rows - 1));
  emit rowChosen(m_chosen);
}

} // namespace rankscope::ui
