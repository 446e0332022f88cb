// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/network/network_data.h"

#include "core/base/unit_text.h"
#include "core/report/bandwidth_tables.h"
#include "core/report/network_tables.h"
#include "ui/base/counted.h"
#include "ui/base/ui_text.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <tuple>

namespace rankscope::ui {

namespace {

constexpr double kSlowCall = 1.5;           // times the median of its size
constexpr std::int64_t kFewCalls = 5;       // of a size, in which no call is told apart
constexpr std::size_t kMostSlowCalls = 100; // of a group and operation

QString timeOfNanoseconds(double us) {
  return QString::fromStdString(durationText(std::llround(us * 1e3)));
}

bool isMeasured(const BandwidthSeries& series) {
  return std::ranges::any_of(series.sizes, [](const BandwidthSize& size) { return size.samples > 0; });
}

QString linksText(const JobBandwidth& bandwidth) {
  QStringList texts;
  for (const BandwidthSeries& series : bandwidth.series) {
    const ExpectedLinks& links = series.links;
    QStringList parts;
    if (links.within != nullptr) parts << tr("%1 within a host").arg(textOf(links.within->title));
    if (links.between != nullptr)
      parts << tr("%1 × %2 between hosts")
                   .arg(std::max<std::int64_t>(links.ports, 1))
                   .arg(textOf(links.between->title));
    if (parts.isEmpty()) continue;
    QString text = parts.join(QStringLiteral(", "));
    if (links.from == "chosen")
      text += tr(" (chosen)");
    else if (!links.from.empty())
      text += tr(" (by %1)").arg(textOf(links.from));
    if (!texts.contains(text)) texts << text;
  }
  return texts.join(QStringLiteral(" · "));
}

std::vector<SlowCall> slowCallsOf(const Analysis& analysis, const JobBandwidth& bandwidth) {
  std::vector<SlowCall> calls;
  const CollectiveMatch& match = analysis.collectives().match;
  for (std::size_t s = 0; s < bandwidth.series.size(); ++s) {
    std::vector<SlowCall> own;
    const std::vector<BandwidthSize>& sizes = bandwidth.series[s].sizes;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i].samples < kFewCalls) continue;
      for (const InstanceIndex instance : sizes[i].instances) {
        const double us = static_cast<double>(match.instance(instance).transfer) / 1e3;
        if (us > kSlowCall * sizes[i].medianUs) own.push_back({s, i, instance, us});
      }
    }
    std::ranges::stable_sort(own, std::greater<>(),
                             [&](const SlowCall& call) { return call.us / sizes[call.size].medianUs; });
    own.resize(std::min(own.size(), kMostSlowCalls));
    calls.insert(calls.end(), own.begin(), own.end());
  }
  return calls;
}

// Communicators of several ranks; those with most links and of groups first.
void addDrawn(NetworkData& data) {
  const NetTopology& topology = data.network->topology;
  for (std::size_t i = 0; i < topology.communicators.size(); ++i)
    if (topology.communicators[i].ranks > 1) data.drawn.push_back(i);
  std::ranges::stable_sort(data.drawn, std::greater<>(), [&](std::size_t i) {
    const NetCommunicator& of = topology.communicators[i];
    return std::tuple(!of.links.empty() || !of.rings.empty(), of.ranks);
  });
  data.drawnNames.reserve(static_cast<qsizetype>(data.drawn.size()));
  for (const std::size_t i : data.drawn) {
    const NetCommunicator& of = topology.communicators[i];
    QString name = data.network->join.empty() ? QString() : textOf(data.network->join.communicators[i].name);
    name = name.isEmpty() ? tr("Communicator %1").arg(of.number) : tr("%1 (%2)").arg(name).arg(of.number);
    data.drawnNames << tr("%1 · %2 ranks").arg(name).arg(of.ranks);
  }
}

} // namespace

QString ncclRecipe() {
  return QStringLiteral("export NCCL_DEBUG=INFO\n"
                        "export NCCL_DEBUG_SUBSYS=INIT,ENV,NET,GRAPH,TUNING\n"
                        "export NCCL_DEBUG_FILE=nccl.%h.%p.log\n"
                        "# For single collectives add COLL to the subsystems.\n"
                        "# With NCCL 2.26 or later also:\n"
                        "export NCCL_DEBUG_TIMESTAMP_LEVELS=ALL\n");
}

NetworkData networkData(const JobReport& report, const FabricSettings& fabrics) {
  NetworkData data;
  data.fabrics = fabrics;
  data.network = report.sharedNetwork();
  data.bandwidth =
      std::make_shared<const JobBandwidth>(jobBandwidth(report.analysis(), *data.network, fabrics));
  data.problems = report.networkProblems();
  data.log = !data.network->log().empty();
  std::set<QString> operations;
  for (const BandwidthSeries& series : data.bandwidth->series) {
    if (!isMeasured(series)) continue;
    data.measured = true;
    operations.insert(textOf(operationText(series.operation)));
  }
  data.operations = QStringList(operations.begin(), operations.end());
  const auto shared = [](ResultTable table) { return std::make_shared<const ResultTable>(std::move(table)); };
  data.communicators = shared(communicatorsView(*data.network));
  AlgorithmsView algorithms = algorithmsView(*data.network, *data.bandwidth);
  data.algorithms = shared(std::move(algorithms.table));
  data.sizeOfRow = std::move(algorithms.sizes);
  data.fits = shared(fitsView(*data.bandwidth));
  data.slowCalls = slowCallsOf(report.analysis(), *data.bandwidth);
  if (report.hasFindings()) data.advice = bucketAdvice(report.analysis(), *data.bandwidth);
  data.buckets = shared(bucketAdviceTable(data.advice));
  data.nics = shared(nicsView(*data.network));
  data.settings = shared(settingsView(*data.network));
  data.warnings = shared(ncclWarningsTable(*data.network));
  data.files = shared(ncclFilesTable(*data.network));
  data.problemsTable = shared(problemsView(data.problems));
  data.linksText = linksText(*data.bandwidth);
  addDrawn(data);
  return data;
}

BucketBars bucketBars(const std::vector<BucketAdvice>& advice) {
  BucketBars made;
  if (advice.empty()) return made;
  const auto answered =
      std::ranges::find_if(advice, [](const BucketAdvice& of) { return of.refused.empty(); });
  const BucketAdvice& of = answered != advice.end() ? *answered : advice.front();
  made.caption =
      tr("%1 · %2").arg(textOf(of.group), counted(of.ranks, tr("1 rank recorded"), tr("%1 ranks recorded")));
  if (of.steps > 0)
    made.caption += tr(" · %1").arg(counted(of.steps, tr("1 step"), tr("median of %1 steps")));
  if (!of.refused.empty()) {
    made.refused = tr("No prediction: %1.").arg(textOf(of.refused));
    if (of.replayErrorPct)
      made.refused +=
          tr(" The replay is off by %1.").arg(QString::fromStdString(percentText(*of.replayErrorPct)));
    return made;
  }
  made.caption += of.replayErrorPct
                      ? tr(" · replay off by %1").arg(QString::fromStdString(percentText(*of.replayErrorPct)))
                      : tr(" · not checked by a replay");
  QStringList notes;
  if (!of.replayErrorPct) notes << tr("of one step the replay proves nothing: record two or more");
  if (of.coarse) notes << tr("coarse: sizes of gradients are not recorded");
  if (of.slowdown > 1) notes << tr("compute beside communication %1 × slower").arg(of.slowdown, 0, 'f', 2);
  made.notes = notes.join(QStringLiteral(" · "));
  const bool waits = std::ranges::any_of(of.caps, [](const CapAdvice& cap) { return cap.waitingUs >= 1; });
  made.bars.parts.push_back({tr("rest of the step"), &Theme::kernel});
  if (waits) made.bars.parts.push_back({tr("waiting for late ranks"), &Theme::muted});
  made.bars.parts.push_back({tr("gradient communication after the backward pass"), &Theme::exposed, true});
  for (const CapAdvice& cap : of.caps) {
    BarRow row;
    row.label = cap.capMb ? tr("%1 MiB").arg(*cap.capMb, 0, 'g', 4) : tr("as recorded");
    const double waiting = waits ? std::min(cap.waitingUs, cap.exposedUs) : 0;
    row.amounts.push_back(std::max(0.0, cap.stepUs - cap.exposedUs) * 1e3);
    if (waits) row.amounts.push_back(waiting * 1e3);
    row.amounts.push_back((cap.exposedUs - waiting) * 1e3);
    row.note = timeOfNanoseconds(cap.stepUs);
    if (cap.gainUs && std::abs(*cap.gainUs) >= 1)
      row.note += *cap.gainUs > 0 ? tr(" (%1 shorter)").arg(timeOfNanoseconds(*cap.gainUs))
                                  : tr(" (%1 longer)").arg(timeOfNanoseconds(-*cap.gainUs));
    row.why = tr("%1, %2 of communication")
                  .arg(counted(cap.buckets, tr("1 bucket"), tr("%1 buckets")),
                       timeOfNanoseconds(cap.communicationUs));
    if (of.best && cap.capMb == of.best) row.why += tr("; the best of these caps");
    made.bars.rows.push_back(std::move(row));
  }
  return made;
}

} // namespace rankscope::ui
