// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/overview/phase_bars.h"

#include "core/base/unit_text.h"
#include "ui/job/trace_session.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr int kTightestRow = 34;
constexpr int kWidestRow = 180;
constexpr qreal kFattestBar = 34;
constexpr int kTextHeight = 18;
constexpr int kBarHeight = 14;
constexpr int kFigureWidth = 64;

} // namespace

PhaseBars::PhaseBars(const TraceSession& session, QWidget* parent) : QWidget(parent), m_session(session) {
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Expanding);
  connect(&session, &TraceSession::themeChanged, this, qOverload<>(&QWidget::update));
}

void PhaseBars::setBars(std::vector<PhaseBar> bars) {
  m_bars = std::move(bars);
  QStringList said;
  for (const PhaseBar& bar : m_bars)
    said << bar.name + QLatin1Char(' ') + QString::fromStdString(percentText(bar.pct));
  setAccessibleDescription(said.join(QStringLiteral(", ")));
  updateGeometry();
  update();
}

int PhaseBars::rowHeight() const {
  const int rows = std::max(1, static_cast<int>(m_bars.size()));
  return std::clamp(height() / rows, kTightestRow, kWidestRow);
}

int PhaseBars::largestHeight() const {
  return static_cast<int>(m_bars.size()) * kWidestRow;
}

QSize PhaseBars::sizeHint() const {
  return {320, static_cast<int>(m_bars.size()) * 42};
}

QSize PhaseBars::minimumSizeHint() const {
  return {180, static_cast<int>(m_bars.size()) * kTightestRow};
}

void PhaseBars::paintEvent(QPaintEvent*) {
  const Theme& theme = m_session.theme();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const int high = rowHeight();
  const qreal bar =
      std::min({high - kTextHeight - 4.0, kBarHeight + (high - kTightestRow) / 5.0, kFattestBar});
  for (std::size_t i = 0; i < m_bars.size(); ++i) {
    const PhaseBar& shown = m_bars[i];
    const int top = static_cast<int>(i) * high;
    painter.setFont(textFont(12));
    painter.setPen(theme.text);
    painter.drawText(QRect(0, top, width(), kTextHeight), Qt::AlignVCenter, shown.name);
    const QRectF track(0, top + kTextHeight, width() - kFigureWidth, bar);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.raised);
    painter.drawRoundedRect(track, 4, 4);
    QRectF filled = track;
    filled.setWidth(track.width() * std::clamp(shown.pct / 100, 0.0, 1.0));
    painter.setBrush(theme.*shown.colour);
    if (filled.width() >= 1) painter.drawRoundedRect(filled, 4, 4);
    painter.setFont(numberFont(12));
    painter.setPen(theme.text);
    painter.drawText(QRectF(width() - kFigureWidth, track.top() - 2, kFigureWidth, bar + 4),
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
