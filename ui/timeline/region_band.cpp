// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/region_band.h"

#include "core/base/unit_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rankscope::ui {
namespace {

constexpr double kLeastPlate = 6; // a plate can be seen and clicked however short its region is
constexpr double kPadding = 6;

// Positions of the regions that are in sight, the longest first.
std::vector<std::size_t> inSight(const Marks& marks, TimeRange window) {
  const auto& regions = marks.regions();
  std::vector<std::size_t> order(regions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) { return !regions[i].range.overlaps(window); });
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return regions[i].range.length(); });
  return order;
}

QRectF plateOf(const Region& region, const TimeToX& xOf, const QRectF& band) {
  const double left = std::clamp(xOf(region.range.begin), band.left() - 10, band.right() + 10);
  const double right = std::clamp(xOf(region.range.end), left, band.right() + 10);
  return {std::floor(left), band.top() + 1, std::max(kLeastPlate, std::ceil(right - left)),
          band.height() - 3};
}

QString durationOf(const Region& region) {
  return QString::fromStdString(durationText(region.range.length()));
}

} // namespace

QString describeRegion(const Region& region) {
  QStringList lines{region.name, durationOf(region)};
  if (!region.note.isEmpty()) lines << region.note;
  if (!region.kept) lines << QCoreApplication::translate("Regions", "for this sitting; Shift+M keeps it");
  return lines.join(QLatin1Char('\n'));
}

void paintRegionBand(QPainter& painter, const Theme& theme, const Marks& marks, TimeRange window,
                     std::optional<TimeRange> selected, const TimeToX& xOf, const QRectF& band) {
  painter.setFont(textFont(10.5));
  const QFontMetricsF metrics = painter.fontMetrics();
  for (const std::size_t i : inSight(marks, window)) {
    const Region& region = marks.regions()[i];
    const QRectF plate = plateOf(region, xOf, band);
    const bool chosen = selected == region.range;
    painter.fillRect(plate, chosen ? theme.accent : theme.raised);
    // A region that goes with this sitting has a dashed line under it, a kept one a solid one.
    painter.setPen(QPen(theme.accent, 2, region.kept ? Qt::SolidLine : Qt::DotLine, Qt::FlatCap));
    painter.drawLine(plate.bottomLeft() - QPointF(0, 1), plate.bottomRight() - QPointF(0, 1));
    const QRectF seen = plate.intersected(band);
    const double room = seen.width() - 2 * kPadding;
    const QString full = region.name + QStringLiteral("  ·  ") + durationOf(region);
    const QString label = metrics.horizontalAdvance(full) <= room
                              ? full
                              : metrics.elidedText(region.name, Qt::ElideRight, room);
    if (room < 14) continue;
    painter.setPen(chosen ? (theme.name == ThemeName::Dark ? theme.onLight : theme.onDark) : theme.text);
    painter.drawText(seen.adjusted(kPadding, 0, -kPadding, -1), Qt::AlignLeft | Qt::AlignVCenter, label);
  }
}

void paintRegionEdges(QPainter& painter, const Theme& theme, const Marks& marks, TimeRange window,
                      const TimeToX& xOf, const QRectF& lanes) {
  QColor colour = theme.accent;
  colour.setAlpha(120);
  for (const std::size_t i : inSight(marks, window)) {
    const Region& region = marks.regions()[i];
    painter.setPen(QPen(colour, 1, region.kept ? Qt::SolidLine : Qt::DotLine));
    for (const TimeNs edge : {region.range.begin, region.range.end}) {
      const double x = std::floor(xOf(edge)) + 0.5;
      if (x >= lanes.left() - 1 && x <= lanes.right() + 1)
        painter.drawLine(QPointF(x, lanes.top()), QPointF(x, lanes.bottom()));
    }
  }
}

std::optional<std::size_t> regionAt(const Marks& marks, TimeRange window, const TimeToX& xOf,
                                    const QRectF& band, QPointF position) {
  std::optional<std::size_t> found;
  for (const std::size_t i : inSight(marks, window))
    if (plateOf(marks.regions()[i], xOf, band).contains(position)) found = i;
  return found;
}

} // namespace rankscope::ui
