// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/ranks/rank_figures.h"

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

QString figureTitle(int priority) {
  switch (priority) {
  case kExposedFigure:
    return tr("exposed");
  case kIdleFigure:
    return tr("idle");
  case kComputeFigure:
    return tr("compute");
  case kCommunicationFigure:
    return tr("comm");
  case kOverlapFigure:
    return tr("overlap");
  default:
    return {};
  }
}

QString figureDefinition(int priority) {
  switch (priority) {
  case kExposedFigure:
    return tr("exposed: communication that no compute kernel overlaps");
  case kIdleFigure:
    return tr("idle: nothing runs on the GPU");
  case kComputeFigure:
    return tr("compute: at least one compute kernel runs");
  case kCommunicationFigure:
    return tr("comm: at least one communication kernel runs");
  case kOverlapFigure:
    return tr("overlap: share of the communication with a concurrent compute kernel");
  default:
    return {};
  }
}

std::vector<RankFigure> rankFigures(const DeviceActivity& activity, TimeRange window) {
  if (activity.busy.empty())
    return {{tr("no GPU activity recorded: profile with ProfilerActivity.CUDA"),
             {},
             0,
             false,
             tr("no GPU activity")}};
  const TimeRange span = activity.span.clippedTo(window);
  const TimeNs idle = span.length() - activity.busy.coveredWithin(span);
  std::vector<RankFigure> figures{
      {figureTitle(kComputeFigure), duration(activity.compute.coveredWithin(window)), kComputeFigure, false}};
  if (!activity.communication.empty()) {
    const TimeNs communication = activity.communication.coveredWithin(window);
    const TimeNs exposed = activity.exposed.coveredWithin(window);
    const double overlap = 100.0 * static_cast<double>(activity.overlap.coveredWithin(window)) /
                           static_cast<double>(communication);
    figures.push_back(
        {figureTitle(kCommunicationFigure), duration(communication), kCommunicationFigure, false});
    figures.push_back({figureTitle(kOverlapFigure),
                       communication > 0 ? QString::fromStdString(percentText(overlap)) : QStringLiteral("–"),
                       kOverlapFigure, false});
    figures.push_back({figureTitle(kExposedFigure), duration(exposed), kExposedFigure, exposed > 0});
  }
  figures.push_back({figureTitle(kIdleFigure), duration(idle), kIdleFigure, false});
  return figures;
}

} // namespace rankscope::ui
