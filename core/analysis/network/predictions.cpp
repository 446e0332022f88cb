// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/network/predictions.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace rankscope {

namespace {

constexpr double kLaunchUs = 6.6;         // base latency of a ring in NCCL's own model
constexpr std::int64_t kRanksOfAHost = 8; // that one host may have
constexpr double kUnknownErrorPct = 25;
constexpr std::size_t kSizesShown = 3;
constexpr double kTableSizes[] = {1024, 1048576, 67108864, 1073741824};

double steps(CollectiveOperation operation, IdealForm form, std::int64_t ranks) {
  if (form == IdealForm::Nvls) return 1;
  const auto p = static_cast<double>(ranks);
  const double ring = p - 1;
  const double tree = std::ceil(std::log2(p));
  const double times = operation == CollectiveOperation::AllReduce ? 2 : 1;
  return times * (form == IdealForm::Ring ? ring : tree);
}

// Bytes over the slowest link for a byte of S.
std::optional<double> share(CollectiveOperation operation, IdealForm form, std::int64_t ranks) {
  const auto p = static_cast<double>(ranks);
  if (form == IdealForm::Nvls)
    return operation == CollectiveOperation::AllReduce ? std::optional(1.0) : std::nullopt;
  switch (operation) {
  case CollectiveOperation::AllReduce:
    return form == IdealForm::Ring ? 2 * (p - 1) / p : 2;
  case CollectiveOperation::AllGather:
  case CollectiveOperation::ReduceScatter:
    return (p - 1) / p;
  case CollectiveOperation::Broadcast:
  case CollectiveOperation::Reduce:
    return 1;
  case CollectiveOperation::AllToAll:
    return form == IdealForm::Ring ? std::optional((p - 1) / p) : std::nullopt;
  default:
    return std::nullopt;
  }
}

double errorPct(const BandwidthSeries& series, bool extrapolated) {
  const double fit = series.curve.fit().model == FitModel::AlphaBeta ? series.curve.fit().meanErrorPct : -1;
  if (extrapolated) return fit >= 0 ? fit : kUnknownErrorPct;
  if (const auto inside = series.curve.interpolationErrorPct()) return *inside;
  return fit >= 0 ? fit : kUnknownErrorPct;
}

void add(std::vector<Prediction>& all, const BandwidthSeries& series, double bytes, std::int64_t ranks,
         std::int64_t nodes, std::string_view form, double us, bool extrapolated) {
  const double error = us * std::min(errorPct(series, extrapolated), 100.0) / 100;
  all.push_back({series.group, series.operation, bytes, ranks, nodes, std::string(form), us - error, us,
                 us + error, extrapolated});
}

// Sizes that matter: those that take most time, or round ones of a table; each at half the size too.
std::set<double> usualSizes(const BandwidthSeries& series) {
  std::set<double> sizes;
  if (!series.of) {
    const auto& points = series.curve.points();
    for (const double bytes : kTableSizes)
      if (bytes >= points.front().bytes && bytes <= points.back().bytes) sizes.insert(bytes);
    return sizes;
  }
  std::vector<const BandwidthSize*> known;
  for (const BandwidthSize& size : series.sizes)
    if (size.samples > 0) known.push_back(&size);
  std::ranges::sort(known, std::greater<>(), [](const BandwidthSize* size) {
    return std::pair(size->medianUs * static_cast<double>(size->samples), size->bytes);
  });
  if (known.size() > kSizesShown) known.resize(kSizesShown);
  for (const BandwidthSize* const size : known) {
    sizes.insert(static_cast<double>(size->bytes));
    if (size->bytes > 1) sizes.insert(static_cast<double>(size->bytes / 2));
  }
  return sizes;
}

struct Place {
  std::int64_t ranks = 0, nodes = 0;
};

std::vector<Place> usualPlaces(const BandwidthSeries& series, const PredictionRequest& request) {
  std::vector<Place> places;
  if (series.ranks < 2) return places;
  const std::int64_t nodes = std::max<std::int64_t>(series.nodes, 1);
  if (request.ranks) {
    const std::int64_t local = std::max<std::int64_t>(1, series.ranks / nodes);
    const std::int64_t asked = nodes == 1 && *request.ranks <= std::max(kRanksOfAHost, series.ranks)
                                   ? 1
                                   : (*request.ranks + local - 1) / local;
    places.push_back({*request.ranks, request.nodes.value_or(asked)});
    return places;
  }
  for (const std::int64_t times : {2, 4, 8}) {
    if (nodes == 1 && series.ranks * times > kRanksOfAHost) break; // another kind of links
    if (series.ranks > (std::int64_t{1} << 24)) break;
    places.push_back({series.ranks * times, nodes == 1 ? 1 : nodes * times});
  }
  return places;
}

// By the algorithm that was used, where the log tells one; else between a ring and a tree.
std::vector<IdealForm> formsOf(const BandwidthSeries& series, const Place& place) {
  const bool reduced = series.operation == CollectiveOperation::AllReduce;
  if (series.algorithm == "NVLS" && reduced && place.nodes <= 1 && series.nodes <= 1)
    return {IdealForm::Nvls};
  if (series.algorithm == "RING") return {IdealForm::Ring};
  if (series.algorithm == "TREE") return {IdealForm::Tree};
  return {IdealForm::Ring, IdealForm::Tree};
}

void predictSeries(const BandwidthSeries& series, const PredictionRequest& request,
                   std::vector<Prediction>& all) {
  const std::set<double> sizes = request.bytes.empty()
                                     ? usualSizes(series)
                                     : std::set<double>(request.bytes.begin(), request.bytes.end());
  for (const double bytes : sizes) {
    const std::optional<CurveTime> measured = series.curve.at(bytes);
    if (!measured) continue;
    const bool same = !request.ranks || *request.ranks == series.ranks;
    if (same)
      add(all, series, bytes, series.ranks, series.nodes, "measured", measured->us, measured->extrapolated);
    for (const Place& place : usualPlaces(series, request)) {
      if (place.ranks == series.ranks && place.nodes == series.nodes) continue;
      for (const IdealForm form : formsOf(series, place)) {
        const std::optional<StepModel> model = stepModel(series, form);
        if (!model) continue;
        const auto here = idealUs(series.operation, form, series.ranks, bytes, *model);
        const auto there = idealUs(series.operation, form, place.ranks, bytes, *model);
        if (!here || !there || !(*here > 0)) continue;
        add(all, series, bytes, place.ranks, place.nodes, idealFormText(form), measured->us * *there / *here,
            true);
      }
    }
  }
}

} // namespace

std::string_view idealFormText(IdealForm form) {
  switch (form) {
  case IdealForm::Ring:
    return "ring";
  case IdealForm::Tree:
    return "tree";
  case IdealForm::Nvls:
    break;
  }
  return "nvls";
}

std::optional<double> idealUs(CollectiveOperation operation, IdealForm form, std::int64_t ranks, double bytes,
                              const StepModel& model) {
  if (ranks < 2 || !(model.wireGbS > 0)) return std::nullopt;
  const std::optional<double> wire = share(operation, form, ranks);
  if (!wire) return std::nullopt;
  return model.launchUs + steps(operation, form, ranks) * model.stepUs +
         *wire * bytes / (model.wireGbS * 1e3);
}

std::optional<StepModel> stepModel(const BandwidthSeries& series, IdealForm form) {
  if (series.ranks < 2) return std::nullopt;
  double fastest = 0;
  for (const BandwidthSize& size : series.sizes) fastest = std::max(fastest, size.busbwGbS);
  if (!(fastest > 0)) return std::nullopt;
  StepModel model;
  model.wireGbS = fastest;
  const CurveFit& fit = series.curve.fit();
  // Without a latency of its own, only large transfers can be told.
  if (fit.model == FitModel::AlphaBeta) {
    model.launchUs = std::min(kLaunchUs, fit.alphaUs);
    model.stepUs = (fit.alphaUs - model.launchUs) / steps(series.operation, form, series.ranks);
  } else if (fit.model == FitModel::None) {
    return std::nullopt;
  }
  return model;
}

double crossoverBytes(const StepModel& model, std::int64_t ranks) {
  const auto p = static_cast<double>(ranks);
  const double saved = p - 1 - std::ceil(std::log2(std::max(p, 1.0)));
  return ranks <= 3 || saved <= 0 ? 0 : model.stepUs * model.wireGbS * 1e3 * p * saved;
}

std::vector<Prediction> predictions(const JobBandwidth& bandwidth, const PredictionRequest& request) {
  std::vector<Prediction> all;
  for (const BandwidthSeries& series : bandwidth.series) {
    if (series.curve.empty()) continue;
    if (!request.group.empty() && series.group != request.group) continue;
    if (request.operation && *request.operation != series.operation) continue;
    predictSeries(series, request, all);
  }
  return all;
}

} // namespace rankscope
