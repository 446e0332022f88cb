// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/ranks/rank_figures.h"

#include "core/base/unit_text.h"
#include "core/base/whole_number.h"
#include "ui/base/ui_text.h"

#include <algorithm>
#include <set>

namespace rankscope::ui {
namespace {

QString duration(TimeNs length) {
  return QString::fromStdString(durationText(length));
}

// Of one rank in a window, or their sums.
struct Amounts {
  double compute = 0;
  double communication = 0;
  double overlap = 0;
  double exposed = 0;
  double idle = 0;
  bool communicates = false; // anywhere in the recording
  bool computes = false;
};

Amounts amountsOf(const RankInWindow& rank) {
  const DeviceActivity& activity = *rank.activity;
  const auto within = [&](const IntervalSet& set) {
    return static_cast<double>(set.coveredWithin(rank.window));
  };
  const TimeRange span = rank.extent.value_or(activity.span).clippedTo(rank.window);
  return {.compute = within(activity.compute),
          .communication = within(activity.communication),
          .overlap = within(activity.overlap),
          .exposed = within(activity.exposed),
          .idle = static_cast<double>(span.length() - activity.busy.coveredWithin(span)),
          .communicates = !activity.communication.empty(),
          .computes = !activity.busy.empty() || !activity.compute.empty()};
}

QString mean(double sum, std::int64_t count) {
  return duration(rounded(sum / static_cast<double>(count)));
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
    return tr("idle: nothing runs on the GPU, between its first and last activity; idle time of a "
              "step, on Overview and Gains, is also before and after");
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

std::vector<RankFigure> meanFigures(std::span<const RankInWindow> ranks) {
  const auto hasDevice = [](const RankInWindow& rank) { return !rank.activity->busy.empty(); };
  const bool onDevice = std::ranges::any_of(ranks, hasDevice);
  Amounts sum;
  std::set<int> counted;
  for (const RankInWindow& each : ranks) {
    if (hasDevice(each) != onDevice) continue;
    const Amounts rank = amountsOf(each);
    counted.insert(each.rank);
    sum.compute += rank.compute;
    sum.communication += rank.communication;
    sum.overlap += rank.overlap;
    sum.exposed += rank.exposed;
    sum.idle += rank.idle;
    sum.communicates = sum.communicates || rank.communicates;
    sum.computes = sum.computes || rank.computes;
  }
  const auto count = static_cast<std::int64_t>(counted.size());
  if (!onDevice && !sum.communicates) return {{tr("no GPU activity recorded"), {}, 0, false, tr("no GPU")}};
  std::vector<RankFigure> figures;
  // A digest of a host has only what is exposed.
  if (sum.computes)
    figures.push_back({figureTitle(kComputeFigure), mean(sum.compute, count), kComputeFigure, false});
  if (sum.communicates) {
    const double overlap = 100.0 * sum.overlap / sum.communication;
    if (sum.computes) {
      figures.push_back(
          {figureTitle(kCommunicationFigure), mean(sum.communication, count), kCommunicationFigure, false});
      figures.push_back(
          {figureTitle(kOverlapFigure),
           sum.communication > 0 ? QString::fromStdString(percentText(overlap)) : QStringLiteral("–"),
           kOverlapFigure, false});
    }
    figures.push_back(
        {figureTitle(kExposedFigure), mean(sum.exposed, count), kExposedFigure, sum.exposed > 0});
  }
  figures.push_back(onDevice ? RankFigure{figureTitle(kIdleFigure), mean(sum.idle, count), kIdleFigure, false}
                             : RankFigure{tr("idle (no GPU: operators and collectives of the host)"),
                                          QStringLiteral("–"), kIdleFigure, false});
  return figures;
}

std::vector<RankFigure> rankFigures(const RankInWindow& rank) {
  return meanFigures({&rank, 1});
}

} // namespace rankscope::ui
