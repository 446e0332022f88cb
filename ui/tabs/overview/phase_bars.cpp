// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/overview/phase_bars.h"

#include "core/base/unit_text.h"
#include "ui/base/text_scale.h"
#include "ui/job/trace_session.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr int kMinRowHeight = 34;
constexpr int kUsualRow = 42;
constexpr int kMaxRowHeight = 280;
constexpr int kMaxBarHeight = 64;
constexpr int kTextHeight = 18;
constexpr int kBarHeight = 14;
constexpr int kFigureWidth = 64;
constexpr int kUsualWidth = 320;
constexpr int kLeastWidth = 120;
constexpr int kPaleAlpha = 130;

} // namespace

PhaseBars::PhaseBars(const TraceSession& session, QWidget* parent) : QWidget(parent), m_session(session) {
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Expanding);
  connect(&session, &TraceSession::themeChanged, this, qOverload<>(&QWidget::update));
}

void PhaseBars::setBars(std::vector<PhaseBar> bars) {
  m_bars = std::move(bars);
  QStringList descriptions;
  for (const PhaseBar& bar : m_bars)
    descriptions << bar.name +
                        (bar.known ? QLatin1Char(' ') + QString::fromStdString(percentText(bar.pct))
                                   : QString()) +
                        (bar.note.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(bar.note));
  setAccessibleDescription(descriptions.join(QStringLiteral(", ")));
  updateGeometry();
  update();
}

int PhaseBars::rowHeight() const {
  const int rows = std::max(1, static_cast<int>(m_bars.size()));
  return std::clamp(height() / rows, scaledToText(kMinRowHeight), scaledToText(kMaxRowHeight));
}

int PhaseBars::largestHeight() const {
  return static_cast<int>(m_bars.size()) * scaledToText(kMaxRowHeight);
}

QSize PhaseBars::sizeHint() const {
  return {scaledToText(kUsualWidth), static_cast<int>(m_bars.size()) * scaledToText(kUsualRow)};
}

QSize PhaseBars::minimumSizeHint() const {
  const QFontMetrics metrics(textFont(12));
  int widest = 0; // name and note of a bar
  for (const PhaseBar& bar : m_bars)
    widest = std::max(widest, metrics.horizontalAdvance(bar.name) + metrics.horizontalAdvance(bar.note));
  return {std::max(scaledToText(kLeastWidth), widest + scaledToText(kFigureWidth) / 2),
          static_cast<int>(m_bars.size()) * scaledToText(kMinRowHeight)};
}

void PhaseBars::paintEvent(QPaintEvent*) {
  const Theme& theme = m_session.theme();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const int high = rowHeight();
  const int text = scaledToText(kTextHeight);
  const int figure = scaledToText(kFigureWidth);
  const qreal bar =
      std::min({high - text - 4.0, scaledToText(kBarHeight) + (high - scaledToText(kMinRowHeight)) / 5.0,
                static_cast<qreal>(scaledToText(kMaxBarHeight))});
  for (std::size_t i = 0; i < m_bars.size(); ++i) {
    const PhaseBar& shown = m_bars[i];
    const int top = static_cast<int>(i) * high;
    painter.setFont(textFont(12));
    painter.setPen(theme.text);
    painter.drawText(QRect(0, top, width(), text), Qt::AlignVCenter, shown.name);
    if (!shown.note.isEmpty()) {
      painter.setPen(theme.muted);
      painter.drawText(QRect(0, top, width(), text), Qt::AlignVCenter | Qt::AlignRight, shown.note);
    }
    const QRectF track(0, top + text, width() - figure, bar);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.raised);
    painter.drawRoundedRect(track, 4, 4);
    QRectF filled = track;
    filled.setWidth(track.width() * std::clamp(shown.pct / 100, 0.0, 1.0));
    QColor color = theme.*shown.color;
    if (shown.pale) color.setAlpha(kPaleAlpha);
    painter.setBrush(color);
    if (shown.known && filled.width() >= 1) painter.drawRoundedRect(filled, 4, 4);
    if (!shown.known) continue;
    painter.setFont(numberFont(12));
    painter.setPen(theme.text);
    painter.drawText(QRectF(width() - figure, track.center().y() - text / 2.0, figure, text),
                     Qt::AlignVCenter | Qt::AlignRight, QString::fromStdString(percentText(shown.pct)));
  }
}

bool PhaseBars::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const auto row = static_cast<std::size_t>(help->pos().y() / rowHeight());
  if (row < m_bars.size())
    QToolTip::showText(help->globalPos(), m_bars[row].tip, this);
  else
    QToolTip::hideText();
  return true;
}

} // namespace rankscope::ui
