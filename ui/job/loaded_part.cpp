// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job/loaded_part.h"

#include "core/base/number_ranges.h"
#include "core/model/rank_digest.h"
#include "core/report/scope_options.h"
#include "ui/base/ui_text.h"

#include <QJsonArray>

#include <algorithm>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr qsizetype kMaxRanksListed = 1'000'000;

std::optional<LoadFilter::Steps> stepsFromJson(const QJsonValue& value) {
  const QJsonArray ends = value.toArray();
  if (ends.size() != 2 || !ends[0].isDouble() || !ends[1].isDouble()) return std::nullopt;
  const LoadFilter::Steps steps{ends[0].toInteger(), ends[1].toInteger()};
  return steps.first <= steps.last ? std::optional(steps) : std::nullopt;
}

std::vector<int> ranksFromJson(const QJsonValue& value) {
  std::vector<int> ranks;
  for (const auto& rank : value.toArray()) {
    if (static_cast<qsizetype>(ranks.size()) == kMaxRanksListed) break;
    if (const int number = rank.toInt(-1); number >= 0) ranks.push_back(number);
  }
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

} // namespace

LoadedPart partOf(const LoadOptions& options) {
  return {options.filter, options.capture};
}

LoadOptions withPart(LoadOptions options, const LoadedPart& part) {
  options.filter = part.filter;
  options.capture = part.capture;
  return options;
}

QString partText(const LoadedPart& part) {
  const LoadFilter& filter = part.filter;
  QStringList parts;
  if (filter.skipPython) parts << tr("without Python stack");
  if (filter.skipCpuOps) parts << tr("without CPU operators");
  if (filter.steps && filter.steps->first == filter.steps->last)
    parts << tr("step %1").arg(filter.steps->first);
  else if (filter.steps)
    parts << tr("steps %1 to %2").arg(filter.steps->first).arg(filter.steps->last);
  if (!filter.ranks.empty()) {
    const QString ranks = QString::fromStdString(numberRangesText(filter.ranks));
    parts << (filter.ranks.size() == 1 ? tr("rank %1") : tr("ranks %1")).arg(ranks);
  }
  if (part.capture) parts << tr("capture %1").arg(*part.capture);
  return parts.join(QStringLiteral(" · "));
}

QStringList missingSteps(const Analysis& analysis, const LoadFilter& filter) {
  if (!filter.steps || hasDigests(analysis.trace())) return {};
  const ScopeMatch match = loadedStepsMatch(analysis, *filter.steps);
  QStringList lines{match.matches() ? tr("Some of the chosen steps are missing")
                                    : tr("Everything was loaded, as the chosen steps are not in the job")};
  for (const std::string& line : match.nothing) lines << tr("%1.").arg(textOf(line));
  for (const std::string& line : match.onlyPart) lines << tr("%1.").arg(textOf(line));
  for (QString& line : lines) line[0] = line[0].toUpper();
  return lines.size() > 1 ? lines : QStringList();
}

QJsonObject toJson(const LoadedPart& part) {
  QJsonObject json;
  if (part.filter.skipPython) json["skip_python"] = true;
  if (part.filter.skipCpuOps) json["skip_cpu_operators"] = true;
  if (const auto& steps = part.filter.steps)
    json["steps"] = QJsonArray{static_cast<qint64>(steps->first), static_cast<qint64>(steps->last)};
  if (!part.filter.ranks.empty()) {
    QJsonArray ranks;
    for (const int rank : part.filter.ranks) ranks.append(rank);
    json["ranks"] = ranks;
  }
  if (part.capture) json["capture"] = *part.capture;
  return json;
}

LoadedPart loadedPartFromJson(const QJsonObject& json) {
  LoadedPart part;
  part.filter.skipPython = json["skip_python"].toBool();
  part.filter.skipCpuOps = json["skip_cpu_operators"].toBool();
  part.filter.steps = stepsFromJson(json["steps"]);
  part.filter.ranks = ranksFromJson(json["ranks"]);
  if (const int capture = json["capture"].toInt(); capture > 0) part.capture = capture;
  return part;
}

} // namespace rankscope::ui
