// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/network/predictions.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

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
    if (size->bytes > 1) sizes.insert(std::floor(static_cast<double>(size->bytes) / 2));
  }
  return sizes;
}

struct Place {
  std::int64_t ranks = 0, nodes = 0; // nodes: 0 where the hosts are not known
};

// Time of one step over links that were not measured, as NCCL's own model has it for its protocols.
struct HopTimes {
  double low, usual, high;
};
constexpr HopTimes kHopWithin{0.6, 1.9, 4};
constexpr HopTimes kHopBetween{2.7, 5, 14};
// No step of a ring is faster on any hardware.
constexpr double kLeastHopUs = 0.5;

// The place that is asked for; nothing where the hosts that it needs are not known.
std::optional<Place> askedPlace(const BandwidthSeries& series, const PredictionRequest& request) {
  const bool known = series.nodes > 0;
  const std::int64_t local = known ? std::max<std::int64_t>(1, series.ranks / series.nodes) : 0;
  if (!request.ranks) {
    if (!known) return std::nullopt;
    return Place{*request.nodes * local, *request.nodes};
  }
  const std::int64_t ranks = *request.ranks;
  if (request.nodes) return Place{ranks, *request.nodes};
  if (!known) return Place{ranks, 0};
  const bool oneHost = series.nodes == 1 && ranks <= std::max(kRanksOfAHost, series.ranks);
  return Place{ranks, oneHost ? 1 : (ranks + local - 1) / local};
}

std::vector<Place> placesOf(const BandwidthSeries& series, const PredictionRequest& request) {
  std::vector<Place> places;
  if (series.ranks < 2) return places;
  if (request.ranks || request.nodes) {
    const std::optional<Place> asked = askedPlace(series, request);
    if (asked && asked->ranks >= std::max<std::int64_t>(2, asked->nodes)) places.push_back(*asked);
    return places;
  }
  const std::int64_t nodes = std::max<std::int64_t>(series.nodes, 1);
  for (const std::int64_t times : {2, 4, 8}) {
    if (nodes == 1 && series.ranks * times > kRanksOfAHost) break; // another kind of links
    if (series.ranks > (std::int64_t{1} << 24)) break;
    places.push_back({series.ranks * times, nodes == 1 ? 1 : nodes * times});
  }
  return places;
}

// Whether a place has links of another kind than those that were measured; nothing where that is not known.
std::optional<bool> hasOtherLinks(const BandwidthSeries& series, const Place& place) {
  if (series.nodes > 0 && place.nodes > 0) return (series.nodes == 1) != (place.nodes == 1);
  // Too many ranks for one host are on several.
  if (series.ranks > kRanksOfAHost && place.ranks > kRanksOfAHost) return false;
  if (series.ranks <= kRanksOfAHost && place.ranks <= kRanksOfAHost) return false;
  return std::nullopt;
}

// By the algorithm that was used, where the log tells one; else between a ring and a tree.
std::vector<IdealForm> formsOf(const BandwidthSeries& series, const Place& place) {
  const bool reduced = series.operation == CollectiveOperation::AllReduce;
  if (series.algorithm == "NVLS" && reduced && place.nodes <= 1 && series.nodes <= 1)
    return {IdealForm::Nvls};
  if (series.algorithm == "RING") return {IdealForm::Ring};
  if (series.algorithm == "TREE") return {IdealForm::Tree};
  // Small messages of many ranks go by a tree: a ring of them would need impossible steps.
  const auto ring = stepModel(series, IdealForm::Ring);
  if (reduced && ring && ring->stepUs > 0 && ring->stepUs < kLeastHopUs) return {IdealForm::Tree};
  return {IdealForm::Ring, IdealForm::Tree};
}

// What the wires need at least, where they are known.
double floorUs(const BandwidthSeries& series, const Place& place, double bytes) {
  if (place.nodes < 2 || series.links.between == nullptr) return 0;
  ExpectedLinks links = series.links;
  Fabric between = *links.between;
  between.reached = 1;
  links.between = &between;
  Fabric within;
  if (links.within != nullptr) {
    within = *links.within;
    within.reached = 1;
    links.within = &within;
  }
  const auto busbw = expectedBusbw(links, series.operation, "TREE", place.ranks, place.nodes);
  const auto factor = busFactor(series.operation, place.ranks);
  return busbw && factor && *busbw > 0 ? *factor * bytes / (*busbw * 1e3) : 0;
}

// From the expected links alone, with the latency of the measured launch.
void addByLinks(const BandwidthSeries& series, const Place& place, double bytes, IdealForm form,
                std::vector<Prediction>& all) {
  const std::string_view algorithm = form == IdealForm::Tree ? "TREE" : "RING";
  const auto busbw = expectedBusbw(series.links, series.operation, algorithm, place.ranks, place.nodes);
  const auto factor = busFactor(series.operation, place.ranks);
  if (!busbw || !factor || !(*busbw > 0) || !share(series.operation, form, place.ranks)) return;
  const HopTimes& hop = place.nodes > 1 ? kHopBetween : kHopWithin;
  const double transfer = *factor * bytes / (*busbw * 1e3);
  const double count = steps(series.operation, form, place.ranks);
  const double error = transfer * kUnknownErrorPct / 100;
  const double least = floorUs(series, place, bytes);
  const double low = std::max(least, kLaunchUs + count * hop.low + transfer - error);
  all.push_back({series.group, series.operation, bytes, place.ranks, place.nodes,
                 std::string(idealFormText(form)), low,
                 std::max(low, kLaunchUs + count * hop.usual + transfer),
                 kLaunchUs + count * hop.high + transfer + error, true});
}

// The measured curve times the ratio of the forms, at the measured sizes; between them as the curve is,
// beyond them along the form. Where the ratio falls faster than the curve rises, a larger message takes as
// long as the smaller one.
std::optional<double> scaledUs(const BandwidthSeries& series, const StepModel& model, IdealForm form,
                               const Place& place, double bytes) {
  if (!series.curve.at(bytes)) return std::nullopt;
  const auto formUs = [&](std::int64_t ranks, double size) {
    return idealUs(series.operation, form, ranks, size, model).value_or(0);
  };
  const std::vector<CurvePoint>& points = series.curve.points();
  double before = 0; // at the measured size before
  double beforeBytes = 0;
  for (const CurvePoint& point : points) {
    const double here = formUs(series.ranks, point.bytes);
    const double there = formUs(place.ranks, point.bytes);
    const std::optional<CurveTime> measured = series.curve.at(point.bytes);
    if (!(here > 0) || !(there > 0) || !measured) return std::nullopt;
    const double us = std::max(before, measured->us * there / here);
    if (bytes <= point.bytes) {
      double found = us * formUs(place.ranks, bytes) / there;
      if (before > 0) {
        const double share = std::log(bytes / beforeBytes) / std::log(point.bytes / beforeBytes);
        found = std::exp(std::log(before) * (1 - share) + std::log(us) * share);
      }
      return std::max(found, floorUs(series, place, bytes));
    }
    before = us;
    beforeBytes = point.bytes;
  }
  const double beyond = before * formUs(place.ranks, bytes) / formUs(place.ranks, beforeBytes);
  return std::max(beyond, floorUs(series, place, bytes));
}

void predictPlace(const BandwidthSeries& series, const Place& place, double bytes,
                  std::vector<Prediction>& all) {
  if (place.ranks == series.ranks && (place.nodes == series.nodes || place.nodes == 0)) return;
  const std::optional<bool> others = hasOtherLinks(series, place);
  if (!others) return;
  for (const IdealForm form : formsOf(series, place)) {
    if (*others) {
      addByLinks(series, place, bytes, form, all);
      continue;
    }
    const std::optional<StepModel> model = stepModel(series, form);
    const auto us = model ? scaledUs(series, *model, form, place, bytes) : std::nullopt;
    if (us) add(all, series, bytes, place.ranks, place.nodes, idealFormText(form), *us, true);
  }
}

void predictSeries(const BandwidthSeries& series, const PredictionRequest& request,
                   std::vector<Prediction>& all) {
  const std::set<double> sizes = request.bytes.empty()
                                     ? usualSizes(series)
                                     : std::set<double>(request.bytes.begin(), request.bytes.end());
  const bool same = (!request.ranks || *request.ranks == series.ranks) &&
                    (!request.nodes || *request.nodes == series.nodes);
  for (const double bytes : sizes) {
    const std::optional<CurveTime> measured = series.curve.at(bytes);
    if (!measured) continue;
    if (same)
      add(all, series, bytes, series.ranks, series.nodes, "measured", measured->us, measured->extrapolated);
    for (const Place& place : placesOf(series, request)) predictPlace(series, place, bytes, all);
  }
}

bool isAsked(const BandwidthSeries& series, const PredictionRequest& request) {
  if (!request.group.empty() && series.group != request.group) return false;
  return !request.operation || *request.operation == series.operation;
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

std::optional<Crossover> crossoverOf(const BandwidthSeries& series) {
  if (series.operation != CollectiveOperation::AllReduce) return std::nullopt;
  if (series.algorithm != "RING" && series.algorithm != "TREE") return std::nullopt;
  const auto model = stepModel(series, series.algorithm == "RING" ? IdealForm::Ring : IdealForm::Tree);
  if (!model || !(model->stepUs > 0)) return std::nullopt;
  const double bytes = crossoverBytes(*model, series.ranks);
  if (!(bytes > 0)) return std::nullopt;
  const double error = std::min(series.curve.fit().meanErrorPct, 100.0) / 100;
  return Crossover{bytes * (1 - error), bytes, bytes * (1 + error)};
}

std::vector<Prediction> predictions(const JobBandwidth& bandwidth, const PredictionRequest& request) {
  std::vector<Prediction> all;
  for (const BandwidthSeries& series : bandwidth.series) {
    if (!series.curve.empty() && isAsked(series, request)) predictSeries(series, request, all);
  }
  return all;
}

bool matchesNothing(const JobBandwidth& bandwidth, const PredictionRequest& request) {
  return !bandwidth.series.empty() && std::ranges::none_of(bandwidth.series, [&](const BandwidthSeries& of) {
    return isAsked(of, request);
  });
}

std::string predictionRefusal(const JobBandwidth& bandwidth, const PredictionRequest& request) {
  if (request.ranks && request.nodes && *request.ranks < *request.nodes)
    return "there are fewer ranks than hosts";
  if (bandwidth.series.empty())
    return bandwidth.refused.empty() ? "no collective was measured" : bandwidth.refused;
  const bool named =
      request.group.empty() ||
      std::ranges::find(bandwidth.series, request.group, &BandwidthSeries::group) != bandwidth.series.end();
  if (!named) return "no process group and no table is called " + request.group;
  std::string why = "this collective was not measured";
  for (const BandwidthSeries& series : bandwidth.series) {
    if (series.curve.empty() || !isAsked(series, request)) continue;
    why = "no size like these was measured";
    if (!request.ranks && !request.nodes) continue;
    const std::optional<Place> place = askedPlace(series, request);
    const std::optional<bool> others = place ? hasOtherLinks(series, *place) : std::nullopt;
    if (!others) return "the number of hosts that were measured is not known";
    if (*others && place->nodes > 1)
      return "within one host other links were measured; name those between hosts, as in --fabric ib-ndr:8";
    if (*others)
      return "between hosts other links were measured; name those of a host, as in --fabric nvlink4";
  }
  return why;
}

} // namespace rankscope
