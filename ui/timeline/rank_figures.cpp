// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/rank_figures.h"

#include "core/base/unit_text.h"

#include <QCoreApplication>

namespace rankscope::ui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("RankFigures", text);
}

QString duration(TimeNs length) {
  return QString::fromStdString(durationText(length));
}

} // namespace

std::vector<RankFigure> rankFigures(const DeviceActivity& activity, TimeRange window) {
  if (activity.busy.empty())
    return {{tr("no GPU activity recorded: profile with ProfilerActivity.CUDA"), {}, 0, false}};
  const TimeRange span = activity.span.clippedTo(window);
  const TimeNs idle = span.length() - activity.busy.coveredWithin(span);
  std::vector<RankFigure> figures{
      {tr("compute"), duration(activity.compute.coveredWithin(window)), 2, false}};
  if (!activity.communication.empty()) {
    const TimeNs communication = activity.communication.coveredWithin(window);
    const TimeNs exposed = activity.exposed.coveredWithin(window);
    const double overlap = 100.0 * static_cast<double>(activity.overlap.coveredWithin(window)) /
                           static_cast<double>(communication);
    figures.push_back({tr("comm"), duration(communication), 3, false});
    figures.push_back({tr("overlap"),
                       communication > 0 ? QString::fromStdString(percentText(overlap)) : QStringLiteral("–"),
                       4, false});
    figures.push_back({tr("exposed"), duration(exposed), 0, exposed > 0});
  }
  figures.push_back({tr("idle"), duration(idle), 1, false});
  return figures;
}

} // namespace rankscope::ui
