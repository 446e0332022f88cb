// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/picture/fold_marks.h"

#include "core/base/unit_text.h"

#include <QCoreApplication>
#include <QPainter>
#include <QPolygonF>

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

namespace {

constexpr double kTooth = 4; // of a torn edge: its height and half its depth
constexpr double kLeast = 4; // width of a band, so that it is visible
constexpr int kGroundAlpha = 235;

// A torn edge from top to bottom at x.
QPolygonF edgeAt(double x, const QRectF& band) {
  QPolygonF edge;
  bool right = false;
  for (double y = band.top(); y < band.bottom() + kTooth; y += kTooth) {
    edge << QPointF(right ? x + kTooth / 2 : x - kTooth / 2, y);
    right = !right;
  }
  return edge;
}

} // namespace

std::vector<FoldMark> foldMarks(const TimeFolds& folds, TimeRange window,
                                const std::function<double(TimeNs)>& xOf, const QRectF& area) {
  std::vector<FoldMark> marks;
  marks.reserve(folds.all().size());
  for (std::size_t i = 0; i < folds.all().size(); ++i) {
    const TimeRange drawn = folds.drawnOf(i);
    if (!drawn.overlaps(window)) continue;
    const double left = std::max(xOf(drawn.begin), area.left() - kTooth);
    const double right = std::min(std::max(xOf(drawn.end), left + kLeast), area.right() + kTooth);
    marks.push_back({i, QRectF(left, area.top(), right - left, area.height())});
  }
  return marks;
}

void paintFold(QPainter& painter, const Theme& theme, const QRectF& band) {
  const QPolygonF left = edgeAt(band.left(), band);
  const QPolygonF right = edgeAt(band.right(), band);
  QPolygonF whole = left;
  for (auto point = right.rbegin(); point != right.rend(); ++point) whole << *point;
  QColor ground = theme.panel;
  ground.setAlpha(kGroundAlpha);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(ground);
  painter.drawPolygon(whole);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(theme.faint, 1));
  painter.drawPolyline(left);
  painter.drawPolyline(right);
  painter.restore();
}

std::optional<std::size_t> foldAt(const TimeFolds& folds, TimeNs drawn) {
  for (std::size_t i = 0; i < folds.all().size(); ++i)
    if (folds.drawnOf(i).contains(drawn)) return i;
  return std::nullopt;
}

QString foldLabel(const TimeFold& fold) {
  return QCoreApplication::translate("Timeline", "%1 gap")
      .arg(QString::fromStdString(durationText(fold.gap.length())));
}

QString foldTip(const TimeFold& fold) {
  return QCoreApplication::translate("Timeline",
                                     "Nothing recorded for %1\nFolded. “Fold gaps between captures” "
                                     "in the command palette draws it at full length.")
      .arg(QString::fromStdString(durationText(fold.gap.length())));
}

} // namespace rankscope::ui
