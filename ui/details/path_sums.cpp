// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/details/path_sums.h"

#include "core/base/unit_text.h"
#include "ui/base/path_palette.h"
#include "ui/base/text_scale.h"
#include "ui/job/trace_session.h"

#include <QPainter>
#include <QScrollBar>

#include <algorithm>

namespace rankscope::ui {
namespace {

constexpr int kMargin = 12;
constexpr int kLineHeight = 19;
constexpr int kHeadHeight = 24;
constexpr int kBarHeight = 12;
constexpr int kSwatch = 9;
constexpr int kShareWidth = 58;

QString utf8(const std::string& text) {
  return QString::fromStdString(text);
}

int headHeight() {
  return scaledToText(kHeadHeight) + scaledToText(kBarHeight) + scaledToText(8);
}

} // namespace

PathSums::PathSums(TraceSession& session, QWidget* parent)
    : QAbstractScrollArea(parent), m_session(session), m_names(nameFont(12)), m_numbers(numberFont(11.5)) {
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setAccessibleName(tr("Critical path in the visible range"));
  connect(&session, &TraceSession::themeChanged, viewport(), qOverload<>(&QWidget::update));
}

void PathSums::setTimes(const CategoryTimes& times) {
  m_lines.clear();
  m_total = times.total();
  for (std::size_t i = 0; i < kPathCategoryCount; ++i) {
    if (times.of[i] == 0) continue;
    const double share =
        m_total > 0 ? 100.0 * static_cast<double>(times.of[i]) / static_cast<double>(m_total) : 0;
    m_lines.push_back({static_cast<PathCategory>(i), times.of[i], utf8(durationText(times.of[i])),
                       utf8(percentText(share))});
  }
  std::ranges::stable_sort(m_lines, std::greater<>(), &Line::time);
  setAccessibleDescription(lines().join(QStringLiteral(", ")));
  arrange();
  viewport()->update();
}

QStringList PathSums::lines() const {
  QStringList texts;
  for (const Line& line : m_lines)
    texts << QStringLiteral("%1 %2 %3").arg(pathCategoryTitle(line.category), line.duration, line.share);
  return texts;
}

void PathSums::arrange() {
  const int wanted = headHeight() + static_cast<int>(m_lines.size()) * scaledToText(kLineHeight) + 4;
  verticalScrollBar()->setRange(0, std::max(0, wanted - viewport()->height()));
  verticalScrollBar()->setPageStep(viewport()->height());
  verticalScrollBar()->setSingleStep(scaledToText(kLineHeight));
}

void PathSums::resizeEvent(QResizeEvent*) {
  arrange();
}

void PathSums::paintEvent(QPaintEvent*) {
  const Theme& theme = m_session.theme();
  QPainter painter(viewport());
  painter.fillRect(viewport()->rect(), theme.panel);
  if (m_lines.empty()) return;
  painter.translate(0, -verticalScrollBar()->value());
  const QRect all(kMargin, 0, std::max(1, viewport()->width() - 2 * kMargin), scaledToText(kHeadHeight));
  const auto right = [&](TextCache& cache, const QRect& box, const QString& text) {
    const TextCache::Text& laid = cache.elided(text, box.width());
    cache.draw(painter, box.adjusted(box.width() - laid.width, 0, 0, 0), laid);
  };
  painter.setPen(theme.muted);
  m_names.draw(painter, all, m_names.elided(tr("In view"), all.width()));
  painter.setPen(theme.text);
  right(m_numbers, all, utf8(durationText(m_total)));
  double left = all.left();
  for (const Line& line : m_lines) {
    if (line.time <= 0 || m_total <= 0) continue;
    const double width = all.width() * static_cast<double>(line.time) / static_cast<double>(m_total);
    painter.fillRect(
        QRectF(left, all.bottom() + 1, std::max(width - (width > 3 ? 1 : 0), 0.5), scaledToText(kBarHeight)),
        pathCategoryColor(line.category, theme));
    left += width;
  }
  int top = headHeight();
  const int high = scaledToText(kLineHeight);
  const int swatch = scaledToText(kSwatch);
  const int share = scaledToText(kShareWidth);
  for (const Line& line : m_lines) {
    painter.fillRect(QRect(all.left(), top + (high - swatch) / 2, swatch, swatch),
                     pathCategoryColor(line.category, theme));
    const QRect numbers(all.left(), top, all.width(), high);
    const TextCache::Text& time = m_numbers.text(line.duration);
    const QRect name(all.left() + swatch + 8, top, all.width() - share - time.width - swatch - 16, high);
    painter.setPen(theme.text);
    if (name.width() > 10)
      m_names.draw(painter, name, m_names.elided(pathCategoryTitle(line.category), name.width()));
    right(m_numbers, numbers.adjusted(0, 0, -share, 0), line.duration);
    painter.setPen(theme.muted);
    right(m_numbers, numbers, line.share);
    top += high;
  }
}

} // namespace rankscope::ui
