// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/strips/region_band.h"

#include "core/base/unit_text.h"
#include "ui/base/text_scale.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rankscope::ui {
namespace {

constexpr double kMinPlateWidth = 6; // even the shortest region can be seen and clicked
constexpr double kRegionPadding = 6;
constexpr double kMaxNoteWidth = 180;

// Indices of the visible regions, longest first.
std::vector<std::size_t> inSight(const Marks& marks, TimeRange window) {
  const auto& regions = marks.regions();
  std::vector<std::size_t> order(regions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) { return !regions[i].range.overlaps(window); });
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return regions[i].range.length(); });
  return order;
}

QFont plateFont() {
  return textFont(10.5);
}

// A note's plate begins at its time and is as wide as its text.
QRectF plateOf(const Region& region, const TimeToX& xOf, const QRectF& band) {
  if (region.isNote()) {
    const double text = QFontMetricsF(plateFont()).horizontalAdvance(region.name);
    return {std::floor(xOf(region.range.begin)), band.top() + 1,
            std::min(kMaxNoteWidth * textScale(), text + 2 * kRegionPadding + 2), band.height() - 3};
  }
  const double left = std::clamp(xOf(region.range.begin), band.left() - 10, band.right() + 10);
  const double right = std::clamp(xOf(region.range.end), left, band.right() + 10);
  return {std::floor(left), band.top() + 1, std::max(kMinPlateWidth, std::ceil(right - left)),
          band.height() - 3};
}

QString durationOf(const Region& region) {
  return QString::fromStdString(durationText(region.range.length()));
}

} // namespace

QString describeRegion(const Region& region) {
  QStringList lines{region.name};
  if (!region.isNote()) lines << durationOf(region);
  if (!region.note.isEmpty()) lines << region.note;
  if (!region.saved) lines << QCoreApplication::translate("Regions", "temporary; Shift+M saves it");
  return lines.join(QLatin1Char('\n'));
}

void paintRegionBand(QPainter& painter, const Theme& theme, const Marks& marks, TimeRange window,
                     std::optional<TimeRange> selected, const TimeToX& xOf, const QRectF& band) {
  painter.setFont(plateFont());
  const QFontMetricsF metrics(plateFont());
  const auto chosenNote = marks.chosenNote();
  for (const std::size_t i : inSight(marks, window)) {
    const Region& region = marks.regions()[i];
    const QRectF plate = plateOf(region, xOf, band);
    const bool chosen = region.isNote() ? chosenNote == i : selected == region.range;
    const QColor color = markColor(theme, region.color);
    painter.fillRect(plate, chosen ? color : theme.raised);
    // Temporary marks have a dotted line, saved ones a solid line: below a region, or as the pole of a note.
    painter.setPen(QPen(color, 2, region.saved ? Qt::SolidLine : Qt::DotLine, Qt::FlatCap));
    const QPointF far =
        region.isNote() ? plate.topLeft() + QPointF(1, 0) : plate.bottomRight() - QPointF(0, 1);
    painter.drawLine(plate.bottomLeft() + (region.isNote() ? QPointF(1, 2) : QPointF(0, -1)), far);
    const QRectF seen = plate.intersected(band);
    const double room = seen.width() - 2 * kRegionPadding;
    const QString full =
        region.isNote() ? region.name : region.name + QStringLiteral("  ·  ") + durationOf(region);
    const QString label = metrics.horizontalAdvance(full) <= room
                              ? full
                              : metrics.elidedText(region.name, Qt::ElideRight, room);
    if (room < 14) continue;
    painter.setPen(chosen ? textOn(theme, color) : theme.text);
    painter.drawText(seen.adjusted(kRegionPadding, 0, -kRegionPadding, -1), Qt::AlignLeft | Qt::AlignVCenter,
                     label);
  }
}

void paintRegionEdges(QPainter& painter, const Theme& theme, const Marks& marks, TimeRange window,
                      const TimeToX& xOf, const QRectF& lanes) {
  const auto chosenNote = marks.chosenNote();
  for (const std::size_t i : inSight(marks, window)) {
    const Region& region = marks.regions()[i];
    QColor color = markColor(theme, region.color);
    color.setAlpha(!region.isNote() ? 120 : chosenNote == i ? 255 : 190);
    painter.setPen(QPen(color, 1, region.saved ? Qt::SolidLine : Qt::DotLine));
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
